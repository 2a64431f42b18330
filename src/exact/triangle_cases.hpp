// SPDX-License-Identifier: Apache-2.0
// The cases in which two triangles can lie to each other, told apart by the signs of determinants.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "exact/exact_sign.hpp"
#include "exact/flat.hpp"
#include "graze/triangle.hpp"

namespace graze::detail::triangle_cases {

using Signs = std::array<int, 3>;

// Branch-free: which corner lies where is unpredictable.
constexpr bool one_side(const Signs& s) { return std::abs(s[0] + s[1] + s[2]) == 3; }
constexpr bool all_zero(const Signs& s) { return (s[0] | s[1] | s[2]) == 0; }
constexpr bool straddles(const Signs& s) {
    return std::min(std::min(s[0], s[1]), s[2]) * std::max(std::max(s[0], s[1]), s[2]) < 0;
}

/// The corner that is alone on its side of a plane. The plane cuts both edges at that corner, each in one point. `side`
/// is the corner's side, 1 or -1. A lone corner in the plane counts as opposite to the others.
struct Lone {
    std::int8_t corner = 0, side = 0;
};

constexpr Lone find_lone(const Signs& s) {
    for (int side = 1; side >= -1; side -= 2)
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

/// The lone corner by its signs. A device has no tables of the host's.
constexpr Lone lone(const Signs& s) {
#ifdef __CUDA_ARCH__
    return find_lone(s);
#else
    return lone_table[lone_index(s)];
#endif
}

/// The corners p (the lone one), q and r in the triangle's own order, or with q and r exchanged.
struct Turned {
    const Vec3 *p, *q, *r;
};

constexpr Turned turn(const Triangle& t, int corner, bool exchange) {
    const Vec3* v[] = {&t.a, &t.b, &t.c, &t.a, &t.b};
    return {v[corner], v[corner + 1 + exchange], v[corner + 2 - exchange]};
}

/// An axis along which the plane of two segments in one plane is seen with an area; its turn is 0 if they are on one
/// line.
template <class Ties>
constexpr View common_view(const Segment& s, const Segment& t, Ties& ties) {
    View view = best_view(s.from, s.to, t.from, ties);
    if (!view.turn) view = best_view(s.from, s.to, t.to, ties);
    if (!view.turn && s.point()) view = best_view(t.from, t.to, s.from, ties);
    return view;
}

}  // namespace graze::detail::triangle_cases
