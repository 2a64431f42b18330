// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace graze::files {

/// The unit that a 3MF file states, in metres; millimetres where it states none, as the format has it. Assimp leaves
/// it out. The bytes are a zip archive, of which only the head of the model is unpacked.
double unit_of_3mf(std::string_view bytes);

}  // namespace graze::files
