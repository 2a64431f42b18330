// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/model_data.hpp"

namespace graze::detail {

/// Checks the numbers of a model from a file: that all are finite, that every volume is a proper one, and that its
/// volumes and triangles are of the root's size at most. Queries, refits, scenes and `tightness` rely on this; whether
/// a volume holds what is below it is left to `Model::validate`. References must have been checked before.
/// Empty when nothing is wrong.
std::string check_numbers(const ModelData& model);

}  // namespace graze::detail
