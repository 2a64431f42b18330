// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model_data.hpp"

namespace graze::detail {

/// Builds the tree that the model's settings ask for, and writes into them what was built.
void grow_tree(ModelData& model);

/// Summed area of the tree's volumes, relative to the root's.
double tree_cost(const ModelData& model);

}  // namespace graze::detail
