// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "walk/pair_distance.hpp"
#include "walk/search.hpp"
#include "walk/wide_walk.hpp"

namespace graze::detail {

/// Passes all pairs of triangles of two wide trees that may be the closest ones to the search, roughly nearest first.
/// False, with nothing done, when the models are too far apart for float32. `fits_float` must hold, and the margin of
/// `where` must be zero.
bool wide_distance(const Search& where, const DistanceStart& start, WideScratch& scratch,
                   NearestSearch<ModelPairs>& search);

}  // namespace graze::detail
