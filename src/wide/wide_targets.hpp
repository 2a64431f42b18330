// SPDX-License-Identifier: Apache-2.0
#pragma once

// Include before Highway. SSSE3 and the AVX-512 dialects add compile time and nothing else here.
#ifndef GRAZE_SANITIZED
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#else
// Sanitizers multiply compile time: the least and the best have to do.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3_DL)
#endif
