// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "walk/region_search.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// The coordinates of a wide tree's float numbers, relative to the root's centre. Points are within 3 units of it: half
/// the model's longest side is at most one unit, so no extent of the root exceeds √3.
Frame wide_frame(const WideTree& tree);

/// Passes all triangles of the region, which is placed in `wide_frame`, to the query. False when told to stop. Regions
/// of any size work: bounds are cut off at 2^100 units, and everything else is of the model's size.
bool wide_for_each_in_region(const WideTree& tree, const PlacedRegion& region, std::vector<RegionTask>& stack,
                             RegionQuery& query);

}  // namespace graze::detail
