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
    std::uint32_t at[3][leaf_triangles];  ///< the welded corners
    float low[3][leaf_triangles];         ///< the triangles' boxes
    float high[3][leaf_triangles];
    float normal[3][leaf_triangles];                    ///< normals, not of unit length
    float offset[leaf_triangles];                       ///< minus normal times the first corner
    float size[leaf_triangles];                         ///< the normal's 1-norm
    float edge[leaf_triangles], slope[leaf_triangles];  ///< see `LaneNormals`
    float leaf_low[3], leaf_high[3];                    ///< the box of all triangles
    float half;                                         ///< sum of the leaf box's extents
    unsigned lanes;                                     ///< a bit for each triangle
};

/// Reports all contacts of a wide tree with itself, each pair once. False when the sink stopped it. `goes_wide` must
/// hold for the model with itself. The leaves are working memory.
bool wide_self_search(const SelfSearch& search, std::vector<SelfLeaf>& leaves, WideScratch& scratch, QueryStats& stats);

}  // namespace graze::detail
