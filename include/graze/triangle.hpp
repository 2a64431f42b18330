// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graze/math.hpp"

namespace graze {

/// A closed triangle. One without area is the segment or point that its corners span.
struct Triangle {
    Vec3 a, b, c;
};

/// How two closed triangles meet.
enum class Meeting : std::uint8_t {
    Apart,        ///< no point in common
    Touching,     ///< a point in common, but neither overlapping nor crossing
    Overlapping,  ///< in one plane, with an area in common
    Crossing,     ///< not in one plane, and their relative interiors have a point in common
};

/// True when the two triangles have a point in common. Exact for all coordinates up to `max_coordinate`. Allocates
/// nothing.
bool meet(const Triangle& s, const Triangle& t);

/// How the two triangles meet, by the same exact arithmetic: `Apart` exactly when `meet` is false.
Meeting meeting(const Triangle& s, const Triangle& t);

}  // namespace graze
