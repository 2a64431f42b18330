// SPDX-License-Identifier: Apache-2.0
// The cases in which two triangles can lie to each other, told apart by the signs of determinants.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "exact/exact_sign.hpp"
#include "graze/triangle.hpp"

namespace graze::detail::triangle_cases {

using Signs = std::array<int, 3>;

// Branch-free: which corner lies where is unpredictable.
inline bool one_side(const Signs& s) { return std::abs(s[0] + s[1] + s[2]) == 3; }
inline bool all_zero(const Signs& s) { return (s[0] | s[1] | s[2]) == 0; }
inline bool straddles(const Signs& s) {
    return std::min(std::min(s[0], s[1]), s[2]) * std::max(std::max(s[0], s[1]), s[2]) < 0;
}

/// The corner that is alone on its side of a plane. The plane cuts both edges at that corner, each in one point. `side`
/// is the corner's side, 1 or -1. A lone corner in the plane counts as opposite to the others.
struct Lone {
    std::int8_t corner = 0, side = 0;
};

constexpr Lone find_lone(const Signs& s) {
    for (int side : {1, -1})
        for (int i = 0; i < 3; ++i)
            if (s[i] == side && s[(i + 1) % 3] != side && s[(i + 2) % 3] != side)
                return {static_cast<std::int8_t>(i), static_cast<std::int8_t>(side)};
    for (int i = 0; i < 3; ++i)
        if (s[i] == 0 && s[(i + 1) % 3] != 0)
            return {static_cast<std::int8_t>(i), static_cast<std::int8_t>(-s[(i + 1) % 3])};
    return {};
}

constexpr int lone_index(const Signs& s) { return 9 * s[0] + 3 * s[1] + s[2] + 13; }

inline constexpr std::array<Lone, 27> lone_table = [] {
    std::array<Lone, 27> table{};
    for (int i : {-1, 0, 1})
        for (int j : {-1, 0, 1})
            for (int k : {-1, 0, 1}) table[lone_index({i, j, k})] = find_lone({i, j, k});
    return table;
}();

/// The corners p (the lone one), q and r in the triangle's own order, or with q and r exchanged.
struct Turned {
    const Vec3 *p, *q, *r;
};

inline Turned turn(const Triangle& t, int corner, bool exchange) {
    const Vec3* v[] = {&t.a, &t.b, &t.c, &t.a, &t.b};
    return {v[corner], v[corner + 1 + exchange], v[corner + 2 - exchange]};
}

/// Drops one axis and keeps the orientation.
inline Vec2 project(const Vec3& v, int axis) {
    return axis == 0 ? Vec2{v.y, v.z} : axis == 1 ? Vec2{v.z, v.x} : Vec2{v.x, v.y};
}

inline int orient_along(int axis, const Vec3& a, const Vec3& b, const Vec3& c, bool& used_exact) {
    return orient2d(project(a, axis), project(b, axis), project(c, axis), used_exact);
}

/// An axis along which a triangle is seen with an area, and its orientation; 0 if it has no area.
struct View {
    int axis, turn;
};

inline View best_view(const Vec3& a, const Vec3& b, const Vec3& c, bool& used_exact) {
    // The largest component of the rounded normal is the likeliest. Any that is not zero will do.
    const Vec3 n = cross(b - a, c - a);
    const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
    const int first = x > y ? (x > z ? 0 : 2) : (y > z ? 1 : 2);
    for (int i = 0; i < 3; ++i) {
        const int axis = (first + i) % 3;
        if (const int turn = orient_along(axis, a, b, c, used_exact)) return {axis, turn};
    }
    return {0, 0};
}

inline bool before(const Vec3& a, const Vec3& b) { return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z; }

/// A segment or, with equal ends, a point. The lexicographic order of points follows any line.
struct Segment {
    Vec3 from, to;

    bool point() const { return from == to; }
};

/// The segment or point that a triangle without area is.
inline Segment segment_of(const Triangle& t) {
    Segment s{t.a, t.a};
    for (const Vec3* v : {&t.b, &t.c}) {
        if (before(*v, s.from)) s.from = *v;
        if (before(s.to, *v)) s.to = *v;
    }
    return s;
}

/// An axis along which the plane of two segments in one plane is seen with an area; its turn is 0 if they are on one
/// line.
inline View common_view(const Segment& s, const Segment& t, bool& used_exact) {
    View view = best_view(s.from, s.to, t.from, used_exact);
    if (!view.turn) view = best_view(s.from, s.to, t.to, used_exact);
    if (!view.turn && s.point()) view = best_view(t.from, t.to, s.from, used_exact);
    return view;
}

}  // namespace graze::detail::triangle_cases
