// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "walk/pair_distance.hpp"
#include "walk/pair_walk.hpp"
#include "walk/region_search.hpp"
#include "walk/self_search.hpp"
#include "walk/wide_walk.hpp"

namespace graze {

struct Scratch::Impl {
    detail::WideScratch wide;
    std::vector<detail::NodePair> pairs;
    std::vector<detail::RegionTask> tasks;
    std::vector<detail::DistanceTask> near;
    detail::PlacedRegion region;
    detail::SelfScratch self;
};

}  // namespace graze
