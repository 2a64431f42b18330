// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graze/graze.hpp"

namespace graze::checks {

struct ZipEntry {
    std::string name;  ///< UTF-8; the name of a folder ends in a slash
    std::string contents;
};

/// The bytes of a zip archive. All dates are the earliest that the format has, so that equal entries make equal
/// archives. A fault for more than 65,534 entries or 4 GiB.
Result<std::string> to_zip(const std::vector<ZipEntry>& entries);

}  // namespace graze::checks
