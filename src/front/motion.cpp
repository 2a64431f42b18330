// SPDX-License-Identifier: Apache-2.0
#include "front/motion.hpp"

#include <algorithm>
#include <cmath>

#include "model/any_view.hpp"

namespace graze::detail {

namespace {

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

double largest(const Mat3& m) { return std::max({largest(m.row[0]), largest(m.row[1]), largest(m.row[2])}); }

}  // namespace

/// The trace of G⁴, with G = MᵀM, is the sum of the eighth powers of the singular values. Its eighth root is at least
/// the largest singular value and, as a difference of rotations has two that are equal, 2^(1/8) times it. Entries are
/// scaled to 1 first. The rounding of three products of positive semidefinite matrices is far below 2^-40.
RootBall::RootBall(const ModelData& model) {
    const AnyView view(model);
    if (view.empty()) return;
    const Obb box = view.volume(view.root());
    const auto lengths = [&](double x) { return std::ldexp(x, view.frame.exponent); };
    centre = {lengths(box.centre.x), lengths(box.centre.y), lengths(box.centre.z)};
    centre = centre + view.frame.centre;
    // The centre was rounded to 2^-53 of itself.
    radius = lengths(length(box.half)) * (1 + 0x1p-40) + 0x1p-50 * length(centre) + 0x1p-1060;
    edge = lengths(2 * std::max({box.half.x, box.half.y, box.half.z}));
}

double spectral_bound(const Mat3& m) {
    const double scale = largest(m);
    if (!(scale > 0x1p-900)) return 0x1p-898;
    Mat3 unit = m;
    for (Vec3& row : unit.row) row = row * (1 / scale);
    const Mat3 g = transpose(unit) * unit, g2 = g * g;
    double trace = 0;  // trace of g2 · g2, where g2 is symmetric
    for (const Vec3& row : g2.row) trace += dot(row, row);
    return scale * std::sqrt(std::sqrt(std::sqrt(trace))) * (1 + 0x1p-40);
}

/// For a point p of the ball, x' − x = (M' − M) c + (t' − t) + (M' − M)(p − c). The entries of M' − M are rounded once.
/// The products with c have errors below 4u |·| (u = 2^-53), and each query rounds every mapped coordinate by 11u m|p|
/// + u|t| or less. With s = m (|c| + r), where m is the largest entry of both matrices, and three coordinates per
/// vector, that is below 2^-47 (3s + |t| + |t'|).
double motion_bound(const Affine& from, const Affine& to, const Vec3& centre, double radius, double enough) {
    Mat3 change;
    for (int i = 0; i < 3; ++i) change.row[i] = to.linear().row[i] - from.linear().row[i];
    const Vec3 shift = change * centre + (to.translation() - from.translation());
    // No entry of a matrix exceeds its norm.
    if (const double least = largest(shift) + largest(change) * radius; least > enough) return least;
    const double size = std::max(largest(from.linear()), largest(to.linear())) * (largest(centre) + radius);
    const double rounding = 0x1p-47 * (3 * size + largest(from.translation()) + largest(to.translation())) + 0x1p-1060;
    return (length(shift) + spectral_bound(change) * radius) * (1 + 0x1p-40) + rounding;
}

}  // namespace graze::detail
