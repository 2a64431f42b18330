// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/region.hpp"
#include "model/model_data.hpp"
#include "walk/placed_region.hpp"

namespace graze::detail {

/// A node still to visit, with a bit for each slab of the region that is still open. If none is open, everything below
/// is inside and is not tested.
struct RegionTask {
    std::uint32_t node;
    std::uint64_t open;
};

/// One query with a region, for any tree: it decides triangles and reports them.
struct RegionQuery {
    const Geometry& geometry;
    const Affine& region_from_model;
    std::span<const Slab> slabs;
    const Box* box;  ///< null when the slabs are the region
    std::vector<std::uint32_t>* all;
    TriangleSink each;  ///< used when `all` is null
    void* context;
    QueryStats stats;

    Step report(std::uint32_t triangle) const {
        if (all == nullptr) return each(context, triangle);
        all->push_back(triangle);
        return Step::Continue;
    }
    /// Tests the exact triangle against the box or against the slabs that are still open, and reports it if it
    /// overlaps.
    Step decide(std::uint32_t triangle, std::uint64_t open);
};

/// Passes all triangles that may overlap the region to the query. False when told to stop. Takes any tree. The region
/// and the stack are working memory.
bool region_search(const ModelData& model, PlacedRegion& region, std::vector<RegionTask>& stack, RegionQuery& query);

}  // namespace graze::detail
