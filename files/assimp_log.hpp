// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace graze::files {

/// Collects the messages of assimp in this thread, from its construction to its destruction. Assimp repairs or drops
/// what it cannot use and reports that in its log only.
struct AssimpLog {
    AssimpLog();
    ~AssimpLog();
    AssimpLog(const AssimpLog&) = delete;
    AssimpLog& operator=(const AssimpLog&) = delete;

    std::string bad_index;           ///< the first message about a corner that names no point
    std::string damage;              ///< the first error about missing meshes or faces
    std::string error;               ///< the first error of any kind
    std::vector<std::string> notes;  ///< messages about what was dropped, ten at most
};

/// True when the text contains any of the words.
bool has_any(std::string_view text, std::initializer_list<const char*> words);

}  // namespace graze::files
