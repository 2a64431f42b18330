// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assembly.hpp"

namespace graze::files {

/// True when assimp has a reader for this extension, dot included.
bool assimp_reads(const std::string& extension);

/// `read_assembly` for the formats of assimp, in a process of its own.
Result<Assembly> read_by_assimp(const std::string& path, const ReadOptions& options);

}  // namespace graze::files
