// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graze/graze.hpp"

namespace graze::files {

/// The path of a file that a model names: `reference` is a path, absolute or relative to the folder of the model. A
/// fault that names both unless the file lies in the folder of the model, in a folder below it, or in one of `allowed`.
/// Symbolic links are followed first, so no link leads out. The file need not exist. What exists must be a plain file:
/// a pipe could block.
Result<std::string> resolve_reference(const std::string& model, std::string_view reference,
                                      std::span<const std::string> allowed = {});

/// The path that a URI reference stands for: `%20` becomes a space. A `%` without two digits stays.
std::string percent_decoded(std::string_view uri);

}  // namespace graze::files
