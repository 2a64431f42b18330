// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model_data.hpp"

namespace graze::detail {

/// Checks whether points [first, first + size) can be moved to these positions.
Result<void> check_refit(const Geometry& geometry, const PointView& points, std::uint32_t first);
/// Moves points that were checked, and fits the tree.
Refit refit(ModelData& model, const PointView& points, const RefitSettings& settings);

double decay(const ModelData& model);

}  // namespace graze::detail
