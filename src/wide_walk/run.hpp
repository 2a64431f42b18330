// SPDX-License-Identifier: Apache-2.0
// Chooses the walk of a query: the kernels where float32 suits, and otherwise the walk for any tree.
#pragma once

#include "walk/ray_search.hpp"
#include "walk/region_search.hpp"
#include "walk/search.hpp"
#include "walk/self_search.hpp"
#include "walk/triangle_search.hpp"
#include "wide_walk/scratch.hpp"

namespace graze::detail {

/// Whether the wide walk can take the two models. The pair walk takes any two.
bool goes_wide(const Search& search);

/// Reports all contacts to the sink. False when the sink stopped it.
bool run(const Search& search, Scratch::Impl& scratch, QueryStats& stats);
/// Reports all contacts of the model with itself, each pair once. False when the sink stopped it.
bool run(const SelfSearch& search, Scratch::Impl& scratch, QueryStats& stats);
/// Passes all triangles that may overlap the region to the query. False when told to stop.
bool run(const ModelData& model, RegionQuery& query, Scratch::Impl& scratch);
/// Passes all triangles that the ray may hit to the search, roughly nearest first.
void run(const ModelData& model, RaySearch& search);
/// Passes all triangles that may be nearest to a point to the search, roughly nearest first. The model must not be
/// empty. Coordinates must be finite and at most `max_coordinate` in magnitude.
void run(const ModelData& model, NearestSearch<PointTriangles>& search);

}  // namespace graze::detail
