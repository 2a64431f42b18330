// SPDX-License-Identifier: Apache-2.0
#include "contact_shape.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace graze::report {

namespace {

void append(std::vector<float>& to, const Vec3& v) {
    to.insert(to.end(), {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
}

/// A box around all points that two triangles have in common: that of both boxes, or the gap between them.
Bounds between(const Triangle& s, const Triangle& t) {
    const Bounds of_s(s), of_t(t);
    Bounds both;
    Vec3 low, high;
    for (int k = 0; k < 3; ++k) {
        low[k] = std::max(of_s.lo[k], of_t.lo[k]);
        high[k] = std::min(of_s.hi[k], of_t.hi[k]);
    }
    both.add(low);
    both.add(high);
    return both;
}

}  // namespace

void ContactDrawing::include(const Triangle& s, const Triangle& t) { between_.add(between(s, t)); }

void ContactDrawing::add(const Triangle& s, const Triangle& t, const Intersection& common) {
    const Bounds box = between(s, t);
    between_.add(box);
    const auto& p = common.points;
    if (common.count < 2)
        dots_.push_back(common.count == 1 ? p[0] : box.centre());
    else if (common.count == 2)
        segment(p[0], p[1]);
    else
        polygon({p.data(), static_cast<std::size_t>(common.count)});
}

void ContactDrawing::segment(const Vec3& from, const Vec3& to) {
    constexpr double visible = 1e-6;  // as a part of the scene's size
    if (length(to - from) < visible) return dots_.push_back(from);
    for (const Vec3& p : {from, to}) {
        append(to_.segments, p);
        corners_.push_back(p);
        drawn_.add(p);
    }
}

/// Draws a polygon's inside. A polygon much longer than wide would not be seen, so it is drawn as a segment.
void ContactDrawing::polygon(std::span<const Vec3> corners) {
    Vec3 doubled_area;
    const Vec3 *from = &corners[0], *to = &corners[0];
    for (std::size_t i = 1; i < corners.size(); ++i) {
        doubled_area = doubled_area + cross(corners[i - 1] - corners[0], corners[i] - corners[0]);
        for (std::size_t j = 0; j < i; ++j)
            if (length(corners[i] - corners[j]) > length(*to - *from)) from = &corners[j], to = &corners[i];
    }
    const double longest = length(*to - *from);
    if (length(doubled_area) < 0.002 * longest * longest) return segment(*from, *to);
    to_.areas.push_back(static_cast<std::uint32_t>(corners.size()));
    for (const Vec3& p : corners) {
        append(to_.area_corners, p);
        corners_.push_back(p);
        drawn_.add(p);
    }
}

Bounds ContactDrawing::finish() {
    const Bounds where = drawn_.empty() ? between_ : drawn_;
    if (dots_.empty()) return where;
    // A grid whose cells are a fraction of the contact in size: near means in the same cell or a neighbour.
    const double cell = std::max(length(where.half()) / 32, 1e-5);
    const auto key = [&](const Vec3& p, int x, int y, int z) {
        const auto number = [&](double v, int step) {
            return static_cast<std::uint64_t>(std::fmin(std::fmax((v + 4) / cell, 0.0), 0x1p20) + 1 + step);
        };
        return number(p.x, x) << 42 | number(p.y, y) << 21 | number(p.z, z);
    };
    std::unordered_set<std::uint64_t> taken;
    const auto take = [&](const Vec3& p) {
        for (int n = 0; n < 27; ++n) taken.insert(key(p, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
    };
    for (const Vec3& p : corners_) take(p);
    for (const Vec3& p : dots_) {
        if (taken.contains(key(p, 0, 0, 0))) continue;
        append(to_.dots, p);
        take(p);
    }
    return where;
}

}  // namespace graze::report
