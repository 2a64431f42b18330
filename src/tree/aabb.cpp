// SPDX-License-Identifier: Apache-2.0
#include "tree/aabb.hpp"

#include <algorithm>

#include "tree/bv_tree-inl.hpp"

namespace graze::detail {

namespace {

/// Covers the error of the points (u = 2^-53) and the rounding when this number is added or subtracted.
constexpr double inflation = 0x1p-51;

Vec3 absolute(const Vec3& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }

}  // namespace

Aabb Aabb::around(std::span<const Vec3> points, const TreeSettings&) {
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const Vec3 by{inflation, inflation, inflation};
    return {low - by, high + by};
}

Aabb Aabb::around(const Aabb& a, const Aabb& b) const {
    return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
            {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

Obb Aabb::box() const {
    Obb box;
    box.centre = (low + high) * 0.5;
    Vec3 half;
    // The inflation exceeds the rounding of the differences, which are at most 2.
    for (int i = 0; i < 3; ++i) half[i] = std::max(high[i] - box.centre[i], box.centre[i] - low[i]) + inflation;
    const auto order = longest_first(half);
    const Mat3 unit;
    for (int i = 0; i < 3; ++i) {
        box.axes.row[i] = unit.row[order[i]];
        box.half[i] = half[order[i]];
    }
    return box;
}

PairTest<Aabb>::PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin)
    : at_(a, b, a_from_b, margin), half_a_(at_.a_unit * 0.5), half_b_(at_.b_unit * 0.5) {
    const Mat3& r = at_.matrix;
    for (int i = 0; i < 3; ++i) {
        scaled_.row[i] = r.row[i] * half_b_;
        abs_.row[i] = absolute(r.row[i]);
    }
    const double face = at_.slack({1, 0, 0});
    for (int j = 0; j < 3; ++j) {
        const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        normal_[j] = cross(r.column(j1), r.column(j2));
        abs_normal_[j] = absolute(normal_[j]);
        const Vec3 c1 = abs_.column(j1), c2 = abs_.column(j2);
        const Vec3 products{c1.y * c2.z + c1.z * c2.y, c1.z * c2.x + c1.x * c2.z, c1.x * c2.y + c1.y * c2.x};
        wide_normal_[j] = abs_normal_[j] + products * 0x1p-50;
        const auto along = [&](int k) {
            return std::abs(dot(normal_[j], r.column(k))) + 0x1p-50 * dot(abs_normal_[j], abs_.column(k));
        };
        volume_[j] = along(j);
        slack_[j] = face;
        slack_[3 + j] = at_.slack(normal_[j]) + (along(j1) + along(j2)) * (at_.b_unit * (1 + 0x1p-40));
    }
    for (int i = 6; i < 15; ++i) slack_[i] = at_.slack(axis(i));
}

Vec3 PairTest<Aabb>::axis(int i) const {
    Vec3 l{};
    if (i < 3) {
        l[i] = 1;
    } else if (i < 6) {
        l = normal_[i - 3];
    } else {
        const int j = i % 3, e = i / 3 - 2, e1 = (e + 1) % 3, e2 = (e + 2) % 3;
        l[e1] = -at_.matrix.row[e2][j];
        l[e2] = at_.matrix.row[e1][j];
    }
    return l;
}

template struct BvTree<Aabb>;

}  // namespace graze::detail
