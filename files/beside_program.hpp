// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace graze::files {

/// A file that is installed with the running program: under the program's folder, as in a build, or under the one above
/// it, as in `bin`. In a Python extension, under the extension's folder first. The environment variable GRAZE_PREFIX
/// names another such folder, which is then the only one. Empty when the file is not there.
std::filesystem::path beside_program(const std::filesystem::path& relative);

}  // namespace graze::files
