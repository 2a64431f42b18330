// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assembly.hpp"

namespace graze::files {

/// Checks the numbers of 3MF and X3D, where assimp reads a word that is not a number as 0. A fault names the file and
/// the line of the first coordinate or corner that is not a finite number. X3D that is cut off is a fault too,
/// and so is X3D that repeats groups by USE, after which assimp loses shapes. Everything else is left to assimp.
Result<void> check_numbers(const std::string& path);

}  // namespace graze::files
