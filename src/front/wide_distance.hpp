// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "front/near_front.hpp"
#include "walk/pair_distance.hpp"
#include "walk/search.hpp"
#include "wide_walk/wide_walk.hpp"

namespace graze::detail {

/// Where the wide search for the closest triangles begins.
struct WideDistanceStart : DistanceStart {
    NearFront* front = nullptr;  ///< the front to start from, or to fill if it is empty; null for none
    Vec3 aim;                    ///< direction of the shortest line as far as it is known; zero if it is not
};

/// Passes all pairs of triangles of two wide trees that may be the closest ones to the search, roughly nearest first.
/// False, with nothing done, when the models are too far apart for float32. `fits_float` must hold, and the margin of
/// `where` must be zero.
bool wide_distance(const Search& where, const WideDistanceStart& start, WideScratch& scratch,
                   NearestSearch<ModelPairs>& search);

}  // namespace graze::detail
