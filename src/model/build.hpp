// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model_data.hpp"

namespace graze::detail {

/// Builds a model from a soup.
Result<std::unique_ptr<ModelData>> build_model(const SoupView& soup, const TreeSettings& settings);

/// Builds the tree that the model's settings ask for, and stores in the settings what was built.
void grow_tree(ModelData& model);

/// The summed area of the tree's volumes relative to the root's.
double tree_cost(const ModelData& model);

}  // namespace graze::detail
