// SPDX-License-Identifier: Apache-2.0
// A hash of answers that is compared with a constant, and how much of a long test runs: a constant
// holds for the whole of it only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "graze/query.hpp"

namespace graze::test {

#ifdef GRAZE_SANITIZED
inline constexpr unsigned usual_percent = 10;
#else
inline constexpr unsigned usual_percent = 100;
#endif

/// Percent of the full number of rounds: GRAZE_ROUNDS when set, a tenth under sanitizers.
inline unsigned percent() {
    const char* given = std::getenv("GRAZE_ROUNDS");
    const int p = given ? std::atoi(given) : 0;
    return p > 0 ? static_cast<unsigned>(p) : usual_percent;
}
inline unsigned scaled(unsigned n) { return std::max(1u, n * percent() / 100); }

/// FNV-1a over 32-bit words. Lists are kept apart by their lengths.
class Hash {
public:
    void add(std::uint32_t v) { value_ = (value_ ^ v) * 0x100000001b3u; }
    void add(std::span<const TrianglePair> pairs) {
        add(static_cast<std::uint32_t>(pairs.size()));
        for (const TrianglePair& p : pairs) add(p.a), add(p.b);
    }
    std::uint64_t value() const { return value_ ^ value_ >> 32; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace graze::test
