// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "walk/region_search.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// The coordinates of a wide tree's float numbers, about the root's centre. The points are within 3 units
/// of it: half the model's longest side is at most one, so no extent of the root exceeds √3.
Frame wide_frame(const WideTree& tree);

/// All triangles of the region, which is placed in `wide_frame`; false when told to stop. Any sizes will do:
/// bounds are cut off at 2^100 units, and all else is of the model's size.
bool wide_for_each_in_region(const WideTree& tree, const PlacedRegion& region, std::vector<RegionTask>& stack,
                             RegionQuery& query);

}  // namespace graze::detail
