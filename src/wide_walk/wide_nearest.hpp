// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "walk/nearest_search.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// Passes all triangles of a wide tree that may be the nearest ones to the search, roughly nearest first. False, with
/// nothing done, when the point is too far away for float32. The tree must not be empty.
bool wide_nearest(const WideTree& tree, NearestSearch<PointTriangles>& search);

}  // namespace graze::detail
