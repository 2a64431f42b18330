// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model_data.hpp"

namespace graze::detail {

/// The tree settings that correspond to the everyday settings.
study::TreeSettings tree_settings(const BuildSettings& settings);

/// Builds the tree that the model's settings ask for, and stores in the settings what was built.
void grow_tree(ModelData& model);

/// The summed area of the tree's volumes relative to the root's.
double tree_cost(const ModelData& model);

}  // namespace graze::detail
