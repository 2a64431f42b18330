// SPDX-License-Identifier: Apache-2.0
// Decides which queries the float32 kernels can answer.
#pragma once

#include <algorithm>
#include <cmath>

#include "exact/inverse.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

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
