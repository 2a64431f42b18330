// SPDX-License-Identifier: Apache-2.0
#include "graze/math.hpp"

#include <algorithm>
#include <cmath>

namespace graze {

double length(const Vec3& a) { return std::hypot(a.x, a.y, a.z); }

Result<Pose> Pose::from_matrix(const Mat3& r, const Vec3& t) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            if (!std::isfinite(r.row[i][j]))
                return Fault{FaultKind::NotFinite, "pose: entry (" + std::to_string(i) + ", " + std::to_string(j) +
                                                       ") of the rotation is not finite"};
        if (!std::isfinite(t[i]))
            return Fault{FaultKind::NotFinite,
                         "pose: entry " + std::to_string(i) + " of the translation is not finite"};
        if (std::abs(t[i]) > max_coordinate)
            return Fault{FaultKind::OutOfRange,
                         "pose: entry " + std::to_string(i) + " of the translation is beyond 2^1000"};
    }
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            const double off = std::abs(dot(r.column(i), r.column(j)) - (i == j));
            if (!(off <= tolerance))
                return Fault{FaultKind::NotRigid,
                             i == j ? "pose: column " + std::to_string(i) + " of the rotation is not of unit length"
                                    : "pose: columns " + std::to_string(i) + " and " + std::to_string(j) +
                                          " of the rotation are not at right angles"};
        }
    return Pose(r, t);
}

Result<Pose> Pose::from_rows(const std::array<double, 12>& m) {
    return from_matrix({{Vec3{m[0], m[1], m[2]}, Vec3{m[4], m[5], m[6]}, Vec3{m[8], m[9], m[10]}}},
                       {m[3], m[7], m[11]});
}

Result<Pose> Pose::from_quaternion(const Vec3& translation, const std::array<double, 4>& q) {
    for (double v : q)
        if (!std::isfinite(v)) return Fault{FaultKind::NotFinite, "pose: an entry of the quaternion is not finite"};
    // Scaled first, so that the length neither overflows nor vanishes.
    const double most = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
    if (most == 0) return Fault{FaultKind::NotRigid, "pose: the quaternion is zero"};
    double x = q[0] / most, y = q[1] / most, z = q[2] / most, w = q[3] / most;
    const double n = std::sqrt(x * x + y * y + z * z + w * w);
    x /= n, y /= n, z /= n, w /= n;
    return from_matrix({{Vec3{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                         Vec3{2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                         Vec3{2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}},
                       translation);
}

Vec3 Pose::operator()(const Vec3& p) const {
    const auto along = [&p](const Vec3& m, double t) { return ((m.x * p.x + m.y * p.y) + m.z * p.z) + t; };
    return {along(rotation_.row[0], translation_.x), along(rotation_.row[1], translation_.y),
            along(rotation_.row[2], translation_.z)};
}

Result<Pose> compose(const Pose& a_from_b, const Pose& b_from_c) {
    return Pose::from_matrix(a_from_b.rotation() * b_from_c.rotation(), a_from_b(b_from_c.translation()));
}

Result<Pose> inverse(const Pose& a_from_b) {
    // The true inverse (adjugate over determinant), not the transpose: the matrix may be off
    // orthonormal by the tolerance.
    const Mat3& m = a_from_b.rotation();
    const Vec3 c0 = cross(m.row[1], m.row[2]), c1 = cross(m.row[2], m.row[0]), c2 = cross(m.row[0], m.row[1]);
    const double s = 1 / dot(m.row[0], c0);
    const Mat3 inv = transpose({{c0 * s, c1 * s, c2 * s}});
    return Pose::from_matrix(inv, -(inv * a_from_b.translation()));
}

}  // namespace graze
