// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace graze::files {

/// Receives a text piece by piece, in order. Returns false when no more is wanted.
using Piece = std::function<bool(std::string_view)>;

/// Unpacks, piece by piece, the files of a zip archive whose names end in ".model". `start` gets each name and returns
/// where its pieces go. A damaged archive ends early.
void unpack_3mf(std::string_view zip, const std::function<Piece(const std::string& name)>& start);

/// The unit of a 3MF file in metres. A file that states none is in millimetres. assimp ignores the unit.
double unit_of_3mf(std::string_view zip);

}  // namespace graze::files
