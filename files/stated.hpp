// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "assembly.hpp"

namespace graze::files {

/// The unit and axes that a file of one of assimp's formats states, by its format (3DS has z up) or in its text
/// (3MF, COLLADA, X3D, AMF, DXF). assimp does not pass most of that on. FBX is left out, since assimp does pass that
/// on.
Conventions stated_conventions(const std::string& path);

/// The names that a 3MF file gives to its objects, by what assimp calls them: `Object_` and their number.
std::map<std::string, std::string> object_names_3mf(const std::string& path);

}  // namespace graze::files
