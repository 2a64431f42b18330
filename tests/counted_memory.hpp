// SPDX-License-Identifier: Apache-2.0
// Counts of the memory that a test program asks for.
#pragma once

#include <atomic>

namespace graze::test {

extern std::atomic<long long> allocations;  ///< number of blocks asked for
extern std::atomic<long long> live_blocks;  ///< number of blocks that are not freed
extern std::atomic<long long> bytes_asked;  ///< sum of the sizes asked for

}  // namespace graze::test
