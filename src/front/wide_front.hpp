// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "front/front_step.hpp"
#include "walk/wide_walk.hpp"

namespace graze::detail {

/// Where a walk over two wide trees ended. Its entries are steps of the walk and pairs of leaves, each with one claim;
/// together they cover all pairs of triangles.
struct WideFront {
    static constexpr double coherence = 0.008, prune = 0.15;  ///< `FrontSettings`, as measured
    static constexpr double least_skew = 0x1p-30;             ///< above that of any pose made from a rotation

    /// Pairs of references into A and B, and when the claim about each ends; -infinity: there is none.
    struct Entries {
        std::vector<float> due;
        std::vector<std::uint32_t> ref[2];
        std::size_t size = 0;

        /// Room for n more and for a vector stored past them.
        void reserve(std::size_t n);
        std::size_t bytes() const;
    };

    Entries steps;                   ///< one of the two was opened
    std::vector<WideLanes> lanes;    ///< the children that each step's claim is about
    std::vector<WideRow> rows;       ///< what separates these
    Entries leaves;                  ///< pairs of leaves
    std::vector<WideRow> leaf_rows;  ///< two each: how A's triangles are apart from B's leaf, and B's from A's
    double turn = 0;                 ///< how much B has turned since the front was empty: ‖ΔM‖, summed
    Mat3 linear;                     ///< when that was last added to
    double margin = 0;               ///< of the last query
    double skew = least_skew;        ///< no pose that a row was noted with is further off orthonormal
    float soonest = 0;               ///< no claim ends before this

    bool empty() const { return steps.size + leaves.size == 0; }
    std::size_t size() const { return steps.size + leaves.size; }
    std::size_t bytes() const;
    /// Makes room for n more steps and m more pairs of leaves.
    void reserve(std::size_t n, std::size_t m);
    /// Of boxes that have changed, or another margin.
    void forget_rows();
    /// Keeps the memory.
    void clear();
    /// The pair of roots, as all that an empty front holds.
    void add_root(const Search& search, float due);
};

/// As `wide_search`, from the front; fills one that is empty.
bool wide_front_search(const Search& search, const FrontStep& step, WideFront& front, WideScratch& scratch,
                       QueryStats& stats);

}  // namespace graze::detail
