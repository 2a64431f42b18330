// SPDX-License-Identifier: Apache-2.0
// How many cases a test of random cases runs.
#pragma once

#include <cstdlib>

namespace graze::test {

/// GRAZE_LONG if the environment sets it to a number above 0. Otherwise `usual`, or `sanitized` under sanitizers.
inline int case_count(int usual, [[maybe_unused]] int sanitized) {
    const char* text = std::getenv("GRAZE_LONG");
    const int count = text ? std::atoi(text) : 0;
#ifdef GRAZE_SANITIZED
    usual = sanitized;
#endif
    return count > 0 ? count : usual;
}

inline int case_count(int usual) { return case_count(usual, usual); }

}  // namespace graze::test
