// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "walk/pair_distance.hpp"
#include "walk/pair_walk.hpp"
#include "walk/region_search.hpp"
#include "wide_walk/wide_self.hpp"
#include "wide_walk/wide_walk.hpp"

namespace graze {

namespace detail {

/// Working memory of searches for contacts of a model with itself.
struct SelfScratch {
    std::vector<std::uint32_t> first, slots;  ///< `first_of_equals` and its working memory
    std::vector<SelfLeaf> leaves;
};

}  // namespace detail

struct Scratch::Impl {
    detail::WideScratch wide;
    std::vector<detail::NodePair> pairs;
    std::vector<detail::RegionTask> tasks;
    std::vector<detail::DistanceTask> near;
    detail::PlacedRegion region;
    detail::SelfScratch self;
};

}  // namespace graze
