// SPDX-License-Identifier: Apache-2.0
// The files of folders.
#pragma once

#include <string>
#include <vector>

#include "checks/parts.hpp"

namespace graze::checks {

/// A file to read, and the beginning of the paths of its parts.
struct PartFile {
    std::string file, name;
    std::string file_name;  ///< `Parts::file_names`
};

/// The contents of folders.
struct PartFiles {
    std::vector<PartFile> sources;
    std::vector<LeftOut> left_out;
    std::vector<std::string> notes;
};

/// The last name of a folder's path: `plant` for `../plant/`.
std::string folder_name(const std::string& folder);

/// Adds all files of a folder and of its subfolders whose names are those of meshes or scenes, in the order of their
/// names. A fault when it has none, or cannot be read.
Result<void> add_folder(const std::string& folder, PartFiles& out);

}  // namespace graze::checks
