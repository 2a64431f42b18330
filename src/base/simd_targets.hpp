// SPDX-License-Identifier: Apache-2.0
#pragma once

// Include this before Highway. SSSE3 and the AVX-512 dialects would only add compile time.
#ifndef GRAZE_SANITIZED
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#elif defined(__has_feature) && __has_feature(thread_sanitizer)
// Threads meet in the same places for every target: the lowest one is enough.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)
#else
// Sanitizers multiply compile time, so only the lowest and the highest target are built.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3_DL)
#endif
