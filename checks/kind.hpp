// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace graze::checks {

/// What is wrong between two parts, the gravest first. Checks call a pair by the first that holds.
enum class Kind : std::uint8_t {
    Duplicate,  ///< the same triangles in the same place
    Crossing,   ///< their surfaces pass through each other, or one reaches into the other, a closed one
    Inside,     ///< one lies within the other, a closed one, and their surfaces do not meet
    Touching,   ///< they meet, and no more than that
    Clearance,  ///< they are closer than asked for
};
inline constexpr int kind_count = 5;

/// Against an earlier run; `None` without one.
enum class State : std::uint8_t { None, New, Persistent, Resolved };

/// In lower case, as files and pages have them; that of `None` is empty.
constexpr const char* name(Kind kind) {
    constexpr const char* names[] = {"duplicate", "crossing", "inside", "touching", "clearance"};
    return names[static_cast<int>(kind)];
}
constexpr const char* name(State state) {
    constexpr const char* names[] = {"", "new", "persistent", "resolved"};
    return names[static_cast<int>(state)];
}

}  // namespace graze::checks
