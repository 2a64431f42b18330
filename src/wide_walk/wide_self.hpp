// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "walk/self_search.hpp"
#include "wide_walk/wide_walk.hpp"

namespace graze::detail {

/// The triangles of a wide leaf, prepared for tests against others, by lane. Lanes past the count repeat the first
/// triangle.
struct alignas(64) SelfLeaf {
    std::uint32_t at[3][wide];  ///< the welded corners
    float low[3][wide];         ///< the triangles' boxes
    float high[3][wide];
    float normal[3][wide];            ///< normals, not of unit length
    float offset[wide];               ///< minus normal times the first corner
    float size[wide];                 ///< the normal's 1-norm
    float edge[wide], slope[wide];    ///< see `LaneNormals`
    float leaf_low[3], leaf_high[3];  ///< the box of all triangles
    float half;                       ///< sum of the leaf box's extents
    unsigned lanes;                   ///< a bit for each triangle
};

/// Reports all contacts of a wide tree with itself, each pair once. False when the sink stopped it. `goes_wide` must
/// hold for the model with itself. The leaves are working memory.
bool wide_self_search(const SelfSearch& search, std::vector<SelfLeaf>& leaves, WideScratch& scratch, QueryStats& stats);

}  // namespace graze::detail
