// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "front/front_step.hpp"
#include "wide_walk/wide_walk.hpp"

namespace graze::detail {

/// Where a walk over two wide trees ended. Its entries are steps of the walk and leaf pairs, each with one claim.
/// Together they cover all pairs of triangles.
struct WideFront {
    static constexpr double coherence = 0.008, prune = 0.15;  ///< measured defaults of `FrontSettings`
    static constexpr double least_skew = 0x1p-30;             ///< exceeds the skew of any pose made from a rotation

    /// Pairs of references into A and B, and when the claim about each ends; -infinity if there is none.
    struct Entries {
        std::vector<float> due;
        std::vector<std::uint32_t> ref[2];
        std::size_t size = 0;

        /// Makes room for n more entries and for a vector stored past them.
        void reserve(std::size_t n);
        std::size_t bytes() const;
    };

    Entries steps;                   ///< steps in which one of the two nodes was opened
    std::vector<WideLanes> lanes;    ///< the children that each step's claim is about
    std::vector<WideRow> rows;       ///< the separation of these children
    Entries leaves;                  ///< pairs of leaves
    std::vector<WideRow> leaf_rows;  ///< two per leaf pair: how A's triangles are apart from B's leaf, and B's from A's
    double turn = 0;                 ///< summed rotation ‖ΔM‖ of B since the front was empty
    Mat3 linear;                     ///< the matrix when `turn` was last added to
    double margin = 0;               ///< margin of the last query
    double skew = least_skew;        ///< bound of the skew of all poses with which rows were noted
    float soonest = 0;               ///< no claim ends before this

    bool empty() const { return steps.size + leaves.size == 0; }
    std::size_t size() const { return steps.size + leaves.size; }
    std::size_t bytes() const;
    /// Makes room for n more steps and m more pairs of leaves.
    void reserve(std::size_t n, std::size_t m);
    /// Drops all rows, because boxes or the margin have changed.
    void forget_rows();
    /// Removes all entries and keeps the memory.
    void clear();
    /// Makes the pair of roots the only entry.
    void add_root(const Search& search, float due);
};

/// Works as `wide_search`, but starts from the front. Fills a front that is empty.
bool wide_front_search(const Search& search, const FrontStep& step, WideFront& front, WideScratch& scratch,
                       QueryStats& stats);

}  // namespace graze::detail
