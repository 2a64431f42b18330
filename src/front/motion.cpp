// SPDX-License-Identifier: Apache-2.0
#include "front/motion.hpp"

#include <algorithm>
#include <cmath>

namespace graze::detail {

namespace {

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

double largest(const Mat3& m) { return std::max({largest(m.row[0]), largest(m.row[1]), largest(m.row[2])}); }

}  // namespace

/// The trace of G⁴, G = MᵀM, is the sum of the eighth powers of the singular values: its root is no smaller than the
/// largest and, as a difference of rotations has two that are equal, 2^(1/8) times it. Entries are scaled to 1 first;
/// the rounding of three products of positive semidefinite matrices is far below the 2^-40.
double spectral_bound(const Mat3& m) {
    const double scale = largest(m);
    if (!(scale > 0x1p-900)) return 0x1p-898;
    Mat3 unit = m;
    for (Vec3& row : unit.row) row = row * (1 / scale);
    const Mat3 g = transpose(unit) * unit, g2 = g * g;
    double trace = 0;  // of g2 · g2, which is symmetric
    for (const Vec3& row : g2.row) trace += dot(row, row);
    return scale * std::sqrt(std::sqrt(std::sqrt(trace))) * (1 + 0x1p-40);
}

/// x' − x = (M' − M) c + (t' − t) + (M' − M)(p − c) for a point p of the ball. The entries of M' − M are rounded once;
/// the products with c are computed with errors below 4u |·| (u = 2^-53), and queries round every mapped coordinate
/// by 11u m|p| + u|t| or less, each time. With s = m (|c| + r), m the largest entry of both, and three coordinates of
/// each vector, that is below 2^-47 (3s + |t| + |t'|).
double motion_bound(const Affine& from, const Affine& to, const Vec3& centre, double radius, double enough) {
    Mat3 change;
    for (int i = 0; i < 3; ++i) change.row[i] = to.linear().row[i] - from.linear().row[i];
    const Vec3 shift = change * centre + (to.translation() - from.translation());
    // No matrix has an entry larger than its norm.
    if (const double least = largest(shift) + largest(change) * radius; least > enough) return least;
    const double size = std::max(largest(from.linear()), largest(to.linear())) * (largest(centre) + radius);
    const double rounding = 0x1p-47 * (3 * size + largest(from.translation()) + largest(to.translation())) + 0x1p-1060;
    return (length(shift) + spectral_bound(change) * radius) * (1 + 0x1p-40) + rounding;
}

}  // namespace graze::detail
