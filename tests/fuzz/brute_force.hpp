// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graze/graze.hpp"

namespace graze::fuzz {

/// The pairs that meet, sorted; no tree is involved.
inline std::vector<TrianglePair> by_brute_force(const Model& a, const Model& b, const Affine& a_from_b) {
    std::vector<TrianglePair> pairs;
    for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
        const Triangle t = b.triangle(j), placed{a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)};
        for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
            if (meet(a.triangle(i), placed)) pairs.push_back({i, j});
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

}  // namespace graze::fuzz
