// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model_data.hpp"
#include "walk/ray_search.hpp"

namespace graze::detail {

/// Brings all triangles of a wide tree that the ray may hit to the search, about nearest first. False, and
/// nothing done, when the ray does not suit float32.
bool wide_cast(const WideTree& tree, RaySearch& search);

}  // namespace graze::detail
