// SPDX-License-Identifier: Apache-2.0
#include "obb.hpp"

#include <array>
#include <limits>

#include "fit.hpp"

namespace graze::detail {

namespace {

constexpr int min_exponent = -960;

/// What a box is widened by. Projecting a rounded point onto an axis is off by at most 7u (u =
/// 2^-53), projecting the centre by 9u, their difference by 2u; 32u leave room for `holds`.
constexpr double inflation = 0x1p-48;

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

}  // namespace

Frame Frame::around(std::span<const Vec3> points) {
    if (points.empty()) return {};
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    Frame f;
    f.centre = low * 0.5 + high * 0.5;
    const double size = std::max(largest(low - f.centre), largest(high - f.centre));
    f.exponent = size > 0 ? std::max(min_exponent, std::ilogb(size) + 1) : min_exponent;
    return f;
}

Obb Obb::around(std::span<const Vec3> points, const BuildSettings& settings) {
    Mat3 m = fit_axes(points, settings.fit);
    if (settings.refine) m = refine_axes(points, m);
    const Extents e = extents(points, m);
    const Vec3 size = e.high - e.low;
    std::array<int, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(),
              [&](int i, int j) { return size[i] > size[j] || (size[i] == size[j] && i < j); });
    Obb box;
    box.axes = {{m.row[order[0]], m.row[order[1]], m.row[order[2]]}};
    box.centre = transpose(m) * ((e.low + e.high) * 0.5);
    for (int i = 0; i < 3; ++i) {
        const double middle = dot(box.axes.row[i], box.centre);
        box.half[i] = std::max(e.high[order[i]] - middle, middle - e.low[order[i]]) + inflation;
    }
    return box;
}

bool Obb::holds(const Vec3& p) const {
    const Vec3 d = axes * (p - centre);
    return std::abs(d.x) <= half.x && std::abs(d.y) <= half.y && std::abs(d.z) <= half.z;
}

PairTest<Obb>::PairTest(const Frame& a, const Frame& b, const Pose& a_from_b, double margin) {
    rotation_ = a_from_b.rotation();
    const double reach =
        largest(a.centre) + 2 * largest(b.centre) + largest(a_from_b.translation()) + std::ldexp(1, b.exponent + 1);
    // The quotient reach / unit stays below 2^62, so nothing overflows.
    const int w = std::max({a.exponent, b.exponent, std::ilogb(reach) - 60});
    const double per_unit = std::ldexp(1, -w);
    a_unit_ = std::ldexp(1, a.exponent - w);
    b_unit_ = std::ldexp(1, b.exponent - w);
    scaled_ = {{rotation_.row[0] * b_unit_, rotation_.row[1] * b_unit_, rotation_.row[2] * b_unit_}};
    offset_ = (a_from_b(b.centre) - a.centre) * per_unit;

    const Mat3 square = transpose(rotation_) * rotation_;
    double off = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) off += (square.row[i][j] - (i == j)) * (square.row[i][j] - (i == j));
    off = std::sqrt(off);
    widen_ = 2 * off + 0x1p-45;
    slack_ =
        0x1p-43 * (a_unit_ + b_unit_) + 0x1p-47 * (reach * per_unit) + margin * per_unit * ((1 + off) * (1 + 0x1p-40));
}

}  // namespace graze::detail
