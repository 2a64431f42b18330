// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace graze {

/// The instruction set that queries run on: "avx512", "avx2", "sse4", "neon", "wasm" or "scalar". It is the best one of
/// the machine, or the one that the environment variable GRAZE_TARGET names when the program starts. It changes speed,
/// never an answer.
const char* simd_target();

}  // namespace graze
