// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "placed_region.hpp"
#include "tree_walk.hpp"
#include "wide_walk.hpp"

namespace graze {

struct Scratch::Impl {
    detail::WideScratch wide;
    std::vector<detail::NodePair> pairs;
    std::vector<detail::NodeTask> tasks;
    detail::PlacedRegion region;
};

}  // namespace graze
