// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/region.hpp"
#include "model/model_data.hpp"
#include "walk/placed_region.hpp"

namespace graze::detail {

/// A node still to visit, and what is still to be asked of all below it: a bit for each slab of the region. Without
/// any left open, all below is inside and is not tested.
struct RegionTask {
    std::uint32_t node;
    std::uint64_t open;
};

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

/// Brings all triangles of the region to the query; false when told to stop. The region and the stack are working
/// memory.
bool region_search(const ModelData& model, PlacedRegion& region, std::vector<RegionTask>& stack, RegionQuery& query);

}  // namespace graze::detail
