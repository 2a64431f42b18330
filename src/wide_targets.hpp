// SPDX-License-Identifier: Apache-2.0
#pragma once

// Include before Highway. SSSE3 and the AVX-512 dialects add compile time and nothing else here.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
