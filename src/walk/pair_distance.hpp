// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "walk/nearest_search.hpp"
#include "walk/pair_walk.hpp"
#include "walk/search.hpp"

namespace graze::detail {

/// A node pair and a lower bound of its distance.
struct DistanceTask : NodePair {
    double bound;
};

/// Where a search for the closest triangles begins: all of A, or one triangle of one leaf.
struct DistanceStart {
    std::uint32_t node = 0;
    std::uint32_t triangle = all;  ///< index among the leaf's triangles
    static constexpr std::uint32_t all = 0xffffffff;
};

/// Passes all pairs of triangles that may be the closest ones to the search, roughly nearest first. Takes any two trees
/// that are not empty.
void pair_distance(const Search& where, const DistanceStart& start, std::vector<DistanceTask>& stack,
                   NearestSearch<ModelPairs>& search);

}  // namespace graze::detail
