// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace graze::files {

/// Takes a piece of a text, in order; false: no more is wanted.
using Piece = std::function<bool(std::string_view)>;

/// Unpacks what the zip archive has under names that end in ".model", piece by piece; `start` is told each name and
/// says where its pieces go. An archive that is damaged ends early.
void unpack_3mf(std::string_view zip, const std::function<Piece(const std::string& name)>& start);

/// The unit that a 3MF file states, in metres; millimetres where it states none, as the format has it. Assimp leaves
/// it out.
double unit_of_3mf(std::string_view zip);

}  // namespace graze::files
