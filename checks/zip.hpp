// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graze/graze.hpp"

namespace graze::checks {

struct ZipEntry {
    std::string name;  ///< UTF-8; a folder's ends in a slash
    std::string contents;
};

/// A zip archive's bytes. Its dates are all the first that the format has, so that equal entries make equal archives.
/// More than 65,534 entries or 4 GiB are a fault.
Result<std::string> to_zip(const std::vector<ZipEntry>& entries);

}  // namespace graze::checks
