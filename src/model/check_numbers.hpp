// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/model_data.hpp"

namespace graze::detail {

/// Checks the numbers of a model from a file: all are finite, every volume is well formed, and volumes and triangles
/// are at most of the root's size. Queries, refits, scenes and measures of tightness rely on this. `Model::validate`
/// checks whether a volume holds what is below it. References must have been checked before. Empty when nothing is
/// wrong.
std::string check_numbers(const ModelData& model);

}  // namespace graze::detail
