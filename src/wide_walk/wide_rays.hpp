// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model_data.hpp"
#include "walk/ray_search.hpp"

namespace graze::detail {

/// Passes all triangles of a wide tree that the ray may hit to the search, roughly nearest first. False, with nothing
/// done, when float32 does not suit the ray.
bool wide_cast(const WideTree& tree, RaySearch& search);

}  // namespace graze::detail
