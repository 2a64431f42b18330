// SPDX-License-Identifier: Apache-2.0
// Decides which queries the float32 kernels can answer.
#pragma once

#include <algorithm>
#include <cmath>

#include "graze/math.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// An upper bound of the Frobenius norm, for entries whose squares are in range.
inline double norm(const Mat3& m) {
    return std::sqrt(dot(m.row[0], m.row[0]) + dot(m.row[1], m.row[1]) + dot(m.row[2], m.row[2])) * (1 + 0x1p-40);
}

/// The power of two in (x, 2x].
inline double power_above(double x) { return std::ldexp(1, std::ilogb(x) + 1); }

/// A placement's inverse, by cofactors, and a bound of its error.
struct Inverse {
    Mat3 matrix;

    explicit Inverse(const Mat3& m) {
        const Vec3 c0 = cross(m.row[1], m.row[2]), c1 = cross(m.row[2], m.row[0]), c2 = cross(m.row[0], m.row[1]);
        const double s = 1 / dot(m.row[0], c0);
        matrix = transpose({{c0 * s, c1 * s, c2 * s}});
    }

    /// Bounds ‖matrix · m − I‖ and ‖m · matrix − I‖: the error of this matrix times any vector, from either side,
    /// relative to the true inverse. Each entry of the products is off by 4 · 2^-53 of the lengths of a row and a
    /// column.
    double residual(const Mat3& m) const {
        Mat3 left = matrix * m, right = m * matrix;
        for (int i = 0; i < 3; ++i) left.row[i][i] -= 1, right.row[i][i] -= 1;
        return std::max(norm(left), norm(right)) + 0x1p-50 * (norm(matrix) * norm(m));
    }
};

/// Whether the wide walk can take the two trees: within these ratios nothing overflows in float32, and the inverse of
/// an affine placement is accurate enough (docs/exactness.md, "Range"). The pair walk takes any two trees.
inline bool fits_float(const WideTree& a, const WideTree& b, const Affine& a_from_b, double margin) {
    constexpr double most = 0x1p36;
    if (a_from_b.rigid())
        return b.unit <= most * a.unit && a.unit <= most * b.unit && margin <= most * std::min(a.unit, b.unit);
    const Mat3& m = a_from_b.linear();
    const double size = norm(m);
    if (!(size >= 0x1p-80)) return false;
    const Inverse inverse(m);
    const double inverse_size = norm(inverse.matrix) * (1 + 0x1p-20);
    if (!(size * inverse_size <= 0x1p16 && inverse.residual(m) <= 0x1p-23)) return false;
    // The units as seen from the other tree. Nothing here overflows in double.
    const double b_in_a = power_above(size) * b.unit, a_in_b = power_above(inverse_size) * a.unit;
    const Vec3& t = a_from_b.translation();
    return b_in_a <= most * a.unit && a.unit <= most * b_in_a && a_in_b <= most * b.unit && margin <= most * a.unit &&
           inverse_size * margin <= most * b.unit && size * b.bound <= 0x1p1010 &&
           inverse_size * (a.bound + std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)})) <= 0x1p1010;
}

}  // namespace graze::detail
