// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graze/math.hpp"

namespace graze {

/// A closed triangle. With zero area it is the segment or the point that its corners span.
struct Triangle {
    Vec3 a, b, c;
};

/// How two closed triangles meet.
enum class Meeting : std::uint8_t {
    Apart,        ///< no point in common
    Touching,     ///< a common point, but neither of the two kinds below
    Overlapping,  ///< in one plane, with a common area
    Crossing,     ///< not in one plane, and their relative interiors have a point in common
};

/// True when the two have a point in common. Exact for all finite coordinates up to
/// `max_coordinate`; no allocation.
bool meet(const Triangle& s, const Triangle& t);

/// The kind of meeting, by the same arithmetic: `meeting(s, t) != Apart` exactly when `meet(s, t)`.
Meeting meeting(const Triangle& s, const Triangle& t);

}  // namespace graze
