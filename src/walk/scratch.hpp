// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "walk/placed_region.hpp"
#include "walk/tree_walk.hpp"
#include "walk/wide_walk.hpp"

namespace graze {

struct Scratch::Impl {
    detail::WideScratch wide;
    std::vector<detail::NodePair> pairs;
    std::vector<detail::NodeTask> tasks;
    detail::PlacedRegion region;
};

}  // namespace graze
