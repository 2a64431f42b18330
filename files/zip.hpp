// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graze/result.hpp"

namespace graze::files {

struct ZipEntry {
    std::string name;  ///< UTF-8; the name of a folder ends in a slash
    std::string contents;
};

/// The bytes of a zip archive. All dates are the earliest that the format has, so that equal entries make equal
/// archives. A fault for more than 65,534 entries or 4 GiB.
Result<std::string> to_zip(const std::vector<ZipEntry>& entries);

/// The files of a zip archive whose names `wanted` accepts, in the archive's order. Checksums are checked. A fault for
/// bytes that are no such archive, for files that are encrypted or compressed otherwise than by deflate, and for more
/// than 1 GiB.
Result<std::vector<ZipEntry>> from_zip(std::string_view archive, const std::function<bool(std::string_view)>& wanted);

/// Receives a text piece by piece, in order. Returns false when no more is wanted.
using Piece = std::function<bool(std::string_view)>;

/// Unpacks, piece by piece, the files of a zip archive whose names have this ending: `.model` in 3MF. They may be of
/// any size. `start` gets each name and returns where its pieces go. A damaged archive ends early.
void unpack(std::string_view archive, std::string_view ending,
            const std::function<Piece(const std::string& name)>& start);

}  // namespace graze::files
