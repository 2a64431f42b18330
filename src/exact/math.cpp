// SPDX-License-Identifier: Apache-2.0
#include "graze/math.hpp"

#include <algorithm>
#include <cmath>

#include "base/float_environment.hpp"
#include "exact/exact_sign.hpp"

namespace graze {

namespace {

Result<Done> check_entries(const char* what, const Mat3& m, const Vec3& t) {
    const std::string name(what);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            if (!std::isfinite(m.row[i][j]))
                return Fault{FaultKind::NotFinite, name + ": entry (" + std::to_string(i) + ", " + std::to_string(j) +
                                                       ") of the matrix is not finite"};
        if (!std::isfinite(t[i]))
            return Fault{FaultKind::NotFinite,
                         name + ": entry " + std::to_string(i) + " of the translation is not finite"};
        if (std::abs(t[i]) > max_coordinate)
            return Fault{FaultKind::OutOfRange,
                         name + ": entry " + std::to_string(i) + " of the translation is beyond 2^1000"};
    }
    return Done{};
}

/// The indices of two columns that are not at right angles, or twice the index of one that is not of unit length. {-1,
/// -1} if there is none.
std::array<int, 2> not_rigid(const Mat3& m) {
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            if (!(std::abs(dot(m.column(i), m.column(j)) - (i == j)) <= Pose::tolerance)) return {i, j};
    return {-1, -1};
}

Mat3 matrix_of(const std::array<double, 12>& m) {
    return {{Vec3{m[0], m[1], m[2]}, Vec3{m[4], m[5], m[6]}, Vec3{m[8], m[9], m[10]}}};
}

std::array<double, 12> rows_of(const Mat3& m, const Vec3& t) {
    std::array<double, 12> rows;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) rows[static_cast<std::size_t>(4 * i + j)] = m.row[i][j];
        rows[static_cast<std::size_t>(4 * i + 3)] = t[i];
    }
    return rows;
}

bool ends_in_unit_row(const std::array<double, 16>& m) { return m[12] == 0 && m[13] == 0 && m[14] == 0 && m[15] == 1; }
Fault bad_last_row(const char* what) {
    return {FaultKind::NotAffine, std::string(what) + ": the last row of the matrix is not 0 0 0 1"};
}
std::array<double, 12> first_rows(const std::array<double, 16>& m) {
    std::array<double, 12> rows;
    std::copy_n(m.begin(), rows.size(), rows.begin());
    return rows;
}

// Each operation is rounded, because this file is compiled without contraction.
Vec3 mapped(const Mat3& m, const Vec3& t, const Vec3& p) {
    const auto along = [&p](const Vec3& r, double s) { return ((r.x * p.x + r.y * p.y) + r.z * p.z) + s; };
    return {along(m.row[0], t.x), along(m.row[1], t.y), along(m.row[2], t.z)};
}

}  // namespace

double length(const Vec3& a) { return std::hypot(a.x, a.y, a.z); }

Result<Pose> Pose::from_matrix(const Mat3& r, const Vec3& t) {
    const auto checked = check_entries("pose", r, t);
    if (!checked) return checked.fault();
    const auto [i, j] = not_rigid(r);
    if (i >= 0)
        return Fault{FaultKind::NotRigid,
                     i == j ? "pose: column " + std::to_string(i) + " of the matrix is not of unit length"
                            : "pose: columns " + std::to_string(i) + " and " + std::to_string(j) +
                                  " of the matrix are not at right angles"};
    return Pose(r, t);
}

Result<Pose> Pose::from_rows(const std::array<double, 12>& m) { return from_matrix(matrix_of(m), {m[3], m[7], m[11]}); }

Result<Pose> Pose::from_quaternion(const std::array<double, 4>& q, const Vec3& translation) {
    for (double v : q)
        if (!std::isfinite(v)) return Fault{FaultKind::NotFinite, "pose: an entry of the quaternion is not finite"};
    // Scaled first, so that the length neither overflows nor underflows.
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

Result<Pose> Pose::from_translation(const Vec3& translation) { return from_matrix({}, translation); }

Result<Pose> Pose::from_matrix4(const std::array<double, 16>& m) {
    if (!ends_in_unit_row(m)) return bad_last_row("pose");
    return from_rows(first_rows(m));
}

std::array<double, 12> Pose::rows() const { return rows_of(rotation_, translation_); }

Vec3 Pose::operator()(const Vec3& p) const { return mapped(rotation_, translation_, p); }

Result<Affine> Affine::from_matrix(const Mat3& m, const Vec3& t) {
    const auto checked = check_entries("affine", m, t);
    if (!checked) return checked.fault();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (std::abs(m.row[i][j]) > max_entry)
                return Fault{FaultKind::OutOfRange, "affine: entry (" + std::to_string(i) + ", " + std::to_string(j) +
                                                        ") of the matrix is beyond 2^20"};
    const bool rigid = not_rigid(m)[0] < 0;
    if (!rigid && detail::orient3d_exact({}, m.row[0], m.row[1], m.row[2]) == 0)
        return Fault{FaultKind::Singular, "affine: the matrix is singular"};
    return Affine(m, t, rigid);
}

Result<Affine> Affine::from_rows(const std::array<double, 12>& m) {
    return from_matrix(matrix_of(m), {m[3], m[7], m[11]});
}

Result<Affine> Affine::from_matrix4(const std::array<double, 16>& m) {
    if (!ends_in_unit_row(m)) return bad_last_row("affine");
    return from_rows(first_rows(m));
}

std::array<double, 12> Affine::rows() const { return rows_of(linear_, translation_); }

Vec3 Affine::operator()(const Vec3& p) const { return mapped(linear_, translation_, p); }

Result<Pose> compose(const Pose& a_from_b, const Pose& b_from_c) {
    return Pose::from_matrix(a_from_b.rotation() * b_from_c.rotation(), a_from_b(b_from_c.translation()));
}

Result<Affine> compose(const Affine& a_from_b, const Affine& b_from_c) {
    return Affine::from_matrix(a_from_b.linear() * b_from_c.linear(), a_from_b(b_from_c.translation()));
}

namespace {

/// The true inverse (adjugate over determinant), not the transpose, because even a pose may be off orthonormal by the
/// tolerance. The matrix times `scale`, a power of two, must be neither tiny nor huge, so that products of three
/// entries stay in range. Where nothing underflows, the scale does not change the result.
Mat3 inverted(const Mat3& m, double scale) {
    const Vec3 r0 = m.row[0] * scale, r1 = m.row[1] * scale, r2 = m.row[2] * scale;
    const Vec3 c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
    const double s = scale / dot(r0, c0);
    return transpose({{c0 * s, c1 * s, c2 * s}});
}

Mat3 inverted(const Pose& pose) { return inverted(pose.rotation(), 1); }

Mat3 inverted(const Affine& placement) {
    double most = 0;
    for (const Vec3& r : placement.linear().row) most = std::max({most, std::abs(r.x), std::abs(r.y), std::abs(r.z)});
    return inverted(placement.linear(), std::ldexp(1, -std::ilogb(most)));
}

}  // namespace

Result<Pose> inverse(const Pose& a_from_b) {
    const Mat3 inv = inverted(a_from_b);
    return Pose::from_matrix(inv, -(inv * a_from_b.translation()));
}

Result<Affine> inverse(const Affine& a_from_b) {
    const Mat3 inv = inverted(a_from_b);
    return Affine::from_matrix(inv, -(inv * a_from_b.translation()));
}

/// The result is always within range. The singular values of a pose's matrix are within √(1 ± 3 · tolerance), between
/// 0.984 and 1.015, so those of its inverse times another are between 0.96 and 1.04. The product is far from singular,
/// and its translation stays below 2^1003, where a mapped point may reach 2^1022. The rounding is that of the function
/// for affine placements.
Affine relative(const Pose& world_from_a, const Pose& world_from_b) {
    const detail::DefaultFloats floats;
    const Mat3 a_from_world = inverted(world_from_a);
    const Vec3 origin = -(a_from_world * world_from_a.translation());
    const Mat3 linear = a_from_world * world_from_b.rotation();
    return {linear, mapped(a_from_world, origin, world_from_b.translation()), not_rigid(linear)[0] < 0};
}

Result<Affine> relative(const Affine& world_from_a, const Affine& world_from_b) {
    const detail::DefaultFloats floats;
    const auto a_from_world = inverse(world_from_a);
    if (!a_from_world) return a_from_world.fault();
    return compose(*a_from_world, world_from_b);
}

}  // namespace graze
