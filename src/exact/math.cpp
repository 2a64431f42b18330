// SPDX-License-Identifier: Apache-2.0
#include "graze/math.hpp"

#include <algorithm>
#include <cmath>

#include "base/float_environment.hpp"
#include "exact/exact_sign.hpp"
#include "exact/placing.hpp"

namespace graze {

namespace {

Result<void> check_entries(const char* what, const Mat3& m, const Vec3& t) {
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
    return {};
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
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
        return Fault{FaultKind::NotRigid, "pose: the quaternion is zero"};
    return from_matrix(detail::rotation_of({q[0], q[1], q[2], q[3]}), translation);
}

Result<Pose> Pose::from_translation(const Vec3& translation) { return from_matrix({}, translation); }

Result<Pose> Pose::from_matrix4(const std::array<double, 16>& m) {
    if (!ends_in_unit_row(m)) return bad_last_row("pose");
    return from_rows(first_rows(m));
}

std::array<double, 12> Pose::rows() const { return rows_of(rotation_, translation_); }

Vec3 Pose::operator()(const Vec3& p) const { return detail::mapped(rotation_, translation_, p); }

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

Vec3 Affine::operator()(const Vec3& p) const { return detail::mapped(linear_, translation_, p); }

Result<Affine> compose(const Affine& a_from_b, const Affine& b_from_c) {
    return Affine::from_matrix(a_from_b.linear() * b_from_c.linear(), a_from_b(b_from_c.translation()));
}

namespace {

/// The matrix itself if it is orthonormal within `Pose::tolerance`, else the nearest orthonormal one: the factor of its
/// polar decomposition, by Newton and Schulz's iteration.
///
/// MᵀM − I of a pose has no entry above the tolerance, so its norm is at most three times that, and the singular values
/// of M are within √(1 ± 0.03). Those of an inverse are within [0.985, 1.016], and those of a product of two such
/// matrices within [0.970, 1.031], so no point moves by more than 1/32 of its length. A singular value 1 + e becomes
/// 1 − 3/2 e² − e³/2, so that 0.031 shrinks to 2e-3, 4e-6, 2e-11 and rounding.
Mat3 within_tolerance(Mat3 m) {
    if (not_rigid(m)[0] < 0) return m;
    for (int step = 0; step < 4; ++step) {
        Mat3 to = transpose(m) * m;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) to.row[i][j] = ((i == j ? 3 : 0) - to.row[i][j]) / 2;
        m = m * to;
    }
    return m;
}

/// The translation, each coordinate moved into the range of translations. It is finite: the norms of products of poses'
/// matrices are below 2, so no coordinate is beyond 2^1003.
Vec3 within_range(const Vec3& t) {
    const auto clamped = [](double x) { return std::clamp(x, -max_coordinate, max_coordinate); };
    return {clamped(t.x), clamped(t.y), clamped(t.z)};
}

Mat3 inverted(const Affine& placement) {
    double most = 0;
    for (const Vec3& r : placement.linear().row) most = std::max({most, std::abs(r.x), std::abs(r.y), std::abs(r.z)});
    return detail::inverted(placement.linear(), std::ldexp(1, -std::ilogb(most)));
}

}  // namespace

Pose compose(const Pose& a_from_b, const Pose& b_from_c) {
    return {within_tolerance(a_from_b.rotation() * b_from_c.rotation()),
            within_range(a_from_b(b_from_c.translation()))};
}

Pose inverse(const Pose& a_from_b) {
    const Mat3 inv = within_tolerance(detail::inverted(a_from_b.rotation()));
    return {inv, within_range(-(inv * a_from_b.translation()))};
}

/// The rounding is that of the function for affine placements.
Pose relative(const Pose& world_from_a, const Pose& world_from_b) {
    const detail::DefaultFloats floats;
    const Mat3 a_from_world = detail::inverted(world_from_a.rotation());
    const Vec3 origin = -(a_from_world * world_from_a.translation());
    return {within_tolerance(a_from_world * world_from_b.rotation()),
            within_range(detail::mapped(a_from_world, origin, world_from_b.translation()))};
}

Result<Affine> inverse(const Affine& a_from_b) {
    const Mat3 inv = inverted(a_from_b);
    return Affine::from_matrix(inv, -(inv * a_from_b.translation()));
}

Result<Affine> relative(const Affine& world_from_a, const Affine& world_from_b) {
    const detail::DefaultFloats floats;
    const auto a_from_world = inverse(world_from_a);
    if (!a_from_world) return a_from_world.fault();
    return compose(*a_from_world, world_from_b);
}

}  // namespace graze
