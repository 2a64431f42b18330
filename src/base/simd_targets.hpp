// SPDX-License-Identifier: Apache-2.0
// The instruction sets that kernels are compiled for. Include this before Highway.
#pragma once

#include <string>
#include <vector>

// SSSE3 and the later dialects of AVX-512 would only add compile time.
#if defined(GRAZE_SANITIZED) && defined(__has_feature)
#if __has_feature(thread_sanitizer)
// Threads meet in the same places for every target: the lowest one is enough.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)
#endif
#endif
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif

// Without it Highway would fall back to single lanes, which the kernels are not written for. What breaks emulated
// vectors before g++ 12.3 is its vectoriser (GCC bug 106322): CMakeLists.txt turns that off for kernels.
#define HWY_BROKEN_EMU128 0

namespace graze::detail {

/// Names of the targets that this build has and this machine runs, slowest first. The first one is "scalar".
std::vector<std::string> simd_targets();

/// Makes all kernels use a target. Returns false if the name is not one of `simd_targets()`. No query may be running.
bool choose_simd_target(const std::string& name);

/// Chooses the target that GRAZE_TARGET names in the environment, if it is set. Ends the program with a message when
/// that is not one of `simd_targets()`: a comparison of two targets must not silently run on one of them.
bool choose_simd_target_from_environment();

/// Every program with a kernel in it reads the environment when it starts.
inline const bool simd_target_is_chosen = choose_simd_target_from_environment();

}  // namespace graze::detail
