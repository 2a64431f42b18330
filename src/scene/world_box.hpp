// SPDX-License-Identifier: Apache-2.0
// How bounds in double become the floats of a `WorldBox`.
#pragma once

#include <cmath>
#include <limits>

namespace graze::detail {

/// A float below v, -infinity if there is none. -infinity also for NaN: a model file may be forged, but the broad
/// phase never sees a NaN.
inline float world_low(double v) {
    constexpr float most = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
    if (!(v > -most)) return -infinity;
    return v < most ? std::nextafter(static_cast<float>(v), -infinity) : most;
}
/// A float above v, or infinity.
inline float world_high(double v) { return -world_low(-v); }

}  // namespace graze::detail
