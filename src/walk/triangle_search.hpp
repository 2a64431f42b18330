// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model_data.hpp"
#include "walk/nearest_search.hpp"

namespace graze::detail {

/// Passes all triangles of a model that may be nearest to a point to the search, roughly nearest first. Takes any
/// tree. The model must not be empty. Coordinates must be finite and at most `max_coordinate` in magnitude.
void nearest_triangle(const ModelData& model, NearestSearch<PointTriangles>& search);

}  // namespace graze::detail
