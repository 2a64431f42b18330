// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "graze/query.hpp"
#include "walk/search.hpp"
#include "walk/wide_query.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// Working memory of the walk: pairs still to open and pairs of leaves still to test.
struct WideScratch {
    std::vector<std::uint32_t> pairs[2];               ///< a stack; references into A and B
    std::array<std::uint32_t, 128> leaves[2];          ///< a batch of 32, what 8 steps add to it, one vector
    std::vector<std::uint32_t> steps, expired_leaves;  ///< entries of a front that are to be tested
    std::vector<float> gaps;                           ///< of these

    /// Room for n pairs and for a vector stored past them.
    void reserve(std::size_t n) {
        if (pairs[0].size() < n + 16)
            for (auto& p : pairs) p.resize(2 * n + 16);
    }
};

/// The lanes of a step, or of a pair of leaves, that a front claims something about. Without initial values, as the
/// rows of a batch are many.
struct WideLanes {
    std::uint8_t lanes;          ///< a bit for each
    std::uint8_t side : 1;       ///< of a step: 1 if B was opened
    std::uint8_t unsettled : 1;  ///< a step's row does not hold; a pair of leaves has triangles that may touch

    static WideLanes of(unsigned lanes, int side, bool unsettled) {
        return {static_cast<std::uint8_t>(lanes), static_cast<std::uint8_t>(side & 1), unsettled};
    }
};
static_assert(sizeof(WideLanes) == 2 && std::is_trivially_default_constructible_v<WideLanes>);

/// What separates the lanes of a step: axes, in the opened tree's frame, and the gaps along them, in its units, with
/// the partner's centre where it was. All gaps change as that moves and the partner turns.
struct alignas(64) WideRow {
    float axis[3][wide];  ///< towards the child, 1.02 long at most
    float gap[wide];
    double at[3];      ///< the partner's centre then, in the opened tree's frame
    double centre[3];  ///< and in its own
    float radius;      ///< of a ball around it, in units
    float turn;        ///< `WideFront::turn` then
    WideLanes lanes;   ///< of a pair of leaves: those that count. A's row says whether others may touch

    WideRow() {}
};
static_assert(sizeof(WideRow) == 192);

/// All contacts of two wide trees to the sink; false when it stopped. The sizes must fit (`fits_float`).
bool wide_search(const Search& search, WideScratch& scratch, QueryStats& stats);

}  // namespace graze::detail
