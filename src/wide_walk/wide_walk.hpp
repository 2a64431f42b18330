// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "graze/query.hpp"
#include "walk/search.hpp"
#include "wide/wide_tree.hpp"
#include "wide_walk/wide_query.hpp"

namespace graze::detail {

/// Most pairs that are opened side by side, and most leaf pairs that wait before they are tested. Lists of leaf pairs
/// whose size is fixed have room for both.
inline constexpr unsigned steps_abreast = 8, leaves_waiting = 32;

/// Working memory of the walk: pairs still to open and pairs of leaves still to test.
struct WideScratch {
    std::vector<std::uint32_t> pairs[2];  ///< stack of pairs: references into A and B
    std::vector<float> bounds;            ///< their squared distance at least; for distances only
    /// Leaf pairs: those that wait, those that a round of steps adds, and room for one vector.
    std::array<std::uint32_t, leaves_waiting + steps_abreast * node_children + 32> leaves[2];
    std::vector<std::uint32_t> steps, expired_leaves;  ///< entries of a front that need a test
    std::vector<float> gaps;                           ///< gaps of these entries

    /// Makes room for n pairs and for a vector stored past them.
    void reserve(std::size_t n) {
        if (pairs[0].size() < n + 16)
            for (auto& p : pairs) p.resize(2 * n + 16);
    }
};

/// The lanes of a step or leaf pair that a front makes claims about. No initial values, because a batch has many rows.
struct WideLanes {
    std::uint8_t lanes;          ///< a bit for each lane
    std::uint8_t side : 1;       ///< for a step: 1 if B was opened
    std::uint8_t unsettled : 1;  ///< the row of a step does not hold; a leaf pair has triangles that may touch

    static WideLanes of(unsigned lanes, int side, bool unsettled) {
        return {static_cast<std::uint8_t>(lanes), static_cast<std::uint8_t>(side & 1), unsettled};
    }
};
static_assert(sizeof(WideLanes) == 2 && std::is_trivially_default_constructible_v<WideLanes>);

/// The separation of the lanes of a step: axes in the opened tree's frame, and the gaps along them in its units, for
/// the partner's centre at that time. All gaps change as the centre moves and the partner turns.
struct alignas(64) WideRow {
    float axis[3][wide];  ///< towards the child, at most 1.02 long
    float gap[wide];
    double at[3];      ///< the partner's centre at that time, in the opened tree's frame
    double centre[3];  ///< the partner's centre in its own frame
    float radius;      ///< radius of a ball around the partner, in units
    float turn;        ///< `WideFront::turn` at that time
    WideLanes lanes;   ///< lanes that count; in a leaf pair, A's row says whether others may touch

    WideRow() {}
};
static_assert(sizeof(WideRow) == 192);

/// Reports all contacts of two wide trees to the sink. False when the sink stopped it. `fits_float` must hold.
bool wide_search(const Search& search, WideScratch& scratch, QueryStats& stats);

}  // namespace graze::detail
