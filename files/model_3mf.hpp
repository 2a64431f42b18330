// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace graze::files {

/// Receives a text piece by piece, in order. Returns false when no more is wanted.
using Piece = std::function<bool(std::string_view)>;

/// Unpacks, piece by piece, the files of a zip archive whose names have this ending: `.model` in 3MF. `start` gets each
/// name and returns where its pieces go. A damaged archive ends early.
void unpack(std::string_view zip, std::string_view ending, const std::function<Piece(const std::string& name)>& start);

}  // namespace graze::files
