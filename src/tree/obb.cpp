// SPDX-License-Identifier: Apache-2.0
#include "tree/obb.hpp"

#include <array>
#include <limits>

#include "tree/bv_tree-inl.hpp"
#include "tree/fit.hpp"

namespace graze::detail {

namespace {

constexpr int min_exponent = -960;

/// How much a box is widened. Projecting a rounded point onto an axis is off by at most 7u (u = 2^-53), projecting the
/// centre by 9u, their difference by 2u. 32u leave room for `holds`.
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

Obb Obb::around(std::span<const Vec3> points, const TreeSettings& settings) {
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

Obb Obb::around(const Obb& a, const Obb& b) const {
    Obb box = *this;
    Vec3 low, high;
    for (int i = 0; i < 3; ++i) {
        const Vec3& axis = axes.row[i];
        double lo[2], hi[2];
        int k = 0;
        for (const Obb* o : {&a, &b}) {
            const double at = dot(axis, o->centre);
            const double radius = std::abs(dot(axis, o->axes.row[0])) * o->half.x +
                                  std::abs(dot(axis, o->axes.row[1])) * o->half.y +
                                  std::abs(dot(axis, o->axes.row[2])) * o->half.z;
            lo[k] = at - radius, hi[k++] = at + radius;
        }
        low[i] = std::min(lo[0], lo[1]), high[i] = std::max(hi[0], hi[1]);
    }
    box.centre = transpose(axes) * ((low + high) * 0.5);
    for (int i = 0; i < 3; ++i) {
        const double middle = dot(axes.row[i], box.centre);
        box.half[i] = std::max(high[i] - middle, middle - low[i]) + inflation;
    }
    return box;
}

bool Obb::holds(const Vec3& p) const {
    const Vec3 d = axes * (p - centre);
    return std::abs(d.x) <= half.x && std::abs(d.y) <= half.y && std::abs(d.z) <= half.z;
}

PairTest<Obb>::PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin)
    : rigid_(a_from_b.rigid()) {
    const Placement placement(a, b, a_from_b, margin);
    // There are nine entries below 2, so an eighth of the matrix is below 1 in the Frobenius norm.
    const double sigma = rigid_ ? 1 : 8;
    const auto times = [](const Mat3& m, double s) { return Mat3{{m.row[0] * s, m.row[1] * s, m.row[2] * s}}; };
    linear_ = times(placement.matrix, 1 / sigma);
    a_unit_ = placement.a_unit;
    b_unit_ = placement.b_unit * sigma;
    exponent_ = placement.exponent;
    scaled_ = times(linear_, b_unit_);
    offset_ = placement.offset;

    double off = 0;
    if (rigid_) {
        const Mat3 square = transpose(linear_) * linear_;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) off += (square.row[i][j] - (i == j)) * (square.row[i][j] - (i == j));
        off = std::sqrt(off);
    }
    widen_ = rigid_ ? 2 * off + 0x1p-45 : 0x1p-44;
    slack_ = 0x1p-43 * (a_unit_ + b_unit_) + 0x1p-47 * placement.reach + placement.margin * ((1 + off) * (1 + 0x1p-40));
}

template struct BvTree<Obb>;

}  // namespace graze::detail
