// SPDX-License-Identifier: Apache-2.0
// How much of a long test runs: all of it, or a part under sanitizers and on demand.
#pragma once

#include <algorithm>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GRAZE_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRAZE_SANITIZED 1
#endif

namespace graze::test {

#ifdef GRAZE_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// Percent of the full number of rounds: GRAZE_ROUNDS when set, a tenth under sanitizers.
inline unsigned percent() {
    const char* given = std::getenv("GRAZE_ROUNDS");
    const int p = given ? std::atoi(given) : 0;
    return p > 0 ? static_cast<unsigned>(p) : sanitized ? 10 : 100;
}
inline unsigned scaled(unsigned n) { return std::max(1u, n * percent() / 100); }

}  // namespace graze::test
