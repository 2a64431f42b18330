// SPDX-License-Identifier: Apache-2.0
// Triangles seen along an axis, in two dimensions, and triangles without area as segments or points. All signs are
// exact.
#pragma once

#include <cmath>

#include "exact/exact_sign.hpp"
#include "graze/triangle.hpp"

namespace graze::detail {

/// The orientation of three points, seen along an axis.
template <class Ties>
constexpr int orient_along(int axis, const Vec3& a, const Vec3& b, const Vec3& c, Ties& ties) {
    return orient2d(project(a, axis), project(b, axis), project(c, axis), ties);
}

/// An axis along which a triangle is seen with an area, and its orientation; 0 if it has no area.
struct View {
    int axis, turn;
};

template <class Ties>
constexpr View best_view(const Vec3& a, const Vec3& b, const Vec3& c, Ties& ties) {
    // The largest component of the rounded normal is the likeliest. Any that is not zero will do.
    const Vec3 n = cross(b - a, c - a);
    const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
    const int first = x > y ? (x > z ? 0 : 2) : (y > z ? 1 : 2);
    for (int i = 0; i < 3; ++i) {
        const int axis = (first + i) % 3;
        if (const int turn = orient_along(axis, a, b, c, ties)) return {axis, turn};
    }
    return {0, 0};
}

constexpr bool before(const Vec3& a, const Vec3& b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/// A segment or, with equal ends, a point. The lexicographic order of points follows any line.
struct Segment {
    Vec3 from, to;

    constexpr bool point() const { return from == to; }
};

/// The segment or point that a triangle without area is.
constexpr Segment segment_of(const Triangle& t) {
    Segment s{t.a, t.a};
    if (before(t.b, s.from)) s.from = t.b;
    if (before(s.to, t.b)) s.to = t.b;
    if (before(t.c, s.from)) s.from = t.c;
    if (before(s.to, t.c)) s.to = t.c;
    return s;
}

}  // namespace graze::detail
