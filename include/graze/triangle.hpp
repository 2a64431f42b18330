// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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

/// The common part of two triangles: nothing, a point, a segment or a convex polygon.
struct Intersection {
    Meeting meeting = Meeting::Apart;
    int count = 0;  ///< 0 apart, 1 a point, 2 the ends of a segment, 3 to 6 the corners of a polygon in one plane
    std::array<Vec3, 6> points{};  ///< the first `count` are set
};

/// The intersection of two triangles. Its kind, its corners and their order are exact for all coordinates up to
/// `max_coordinate`; then each coordinate is rounded once, to the nearest double. A corner of a triangle is exactly
/// that corner. Corners that are distinct as real points may become equal by rounding, and are still counted apart.
///
/// Where the triangles cross, the segment runs along the cross product of the normals of s and t. A polygon turns the
/// way that s does. The result for (t, s) has the same points. It mostly takes about half a microsecond. Where a
/// hundred bits do not tell the nearest double, as for planes that are nearly parallel and for coordinates of exactly
/// zero, it takes some microseconds and allocates memory.
Intersection intersection(const Triangle& s, const Triangle& t);

}  // namespace graze
