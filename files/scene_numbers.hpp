// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assembly.hpp"

namespace graze::files {

/// For the formats whose numbers assimp takes as 0 when they are none (3MF, X3D): a fault with file and line for the
/// first coordinate or corner that is not a finite number, and for X3D that is cut off. All else is for assimp to
/// judge.
Result<Done> check_numbers(const std::string& path);

}  // namespace graze::files
