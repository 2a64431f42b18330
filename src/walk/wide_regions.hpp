// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "soup/geometry.hpp"
#include "graze/region.hpp"
#include "walk/placed_region.hpp"
#include "walk/tree_walk.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// One query with a region: what decides and where answers go, whatever the tree.
struct RegionQuery {
    const Geometry& geometry;
    const Affine& region_from_model;
    std::span<const Slab> slabs;
    const Box* box;  ///< null: the slabs are the region
    std::vector<std::uint32_t>* all;
    TriangleSink each;  ///< when `all` is null
    void* context;
    QueryStats stats;

    Step report(std::uint32_t triangle) const {
        if (all == nullptr) return each(context, triangle);
        all->push_back(triangle);
        return Step::Continue;
    }
    /// By the exact triangle, against the slabs that are still open; reports it if it is one.
    Step decide(std::uint32_t triangle, std::uint64_t open);
};

/// The coordinates of a wide tree's float numbers, about the root's centre. The points are within 3 units
/// of it: half the model's longest side is at most one, so no extent of the root exceeds √3.
Frame wide_frame(const WideTree& tree);

/// All triangles of the region, which is placed in `wide_frame`; false when told to stop. Any sizes will do:
/// bounds are cut off at 2^100 units, and all else is of the model's size.
bool wide_for_each_in_region(const WideTree& tree, const PlacedRegion& region, std::vector<NodeTask>& stack,
                             RegionQuery& query);

}  // namespace graze::detail
