// SPDX-License-Identifier: Apache-2.0
// How large the region is in which two parts meet. Plain double arithmetic: it measures, and decides nothing else.
#pragma once

#include <optional>
#include <span>

#include "checks/bounds.hpp"
#include "graze/graze.hpp"

namespace graze::checks {

struct Overlap {
    /// Box around what the triangles have in common, in the world: the points where they touch, the segments where they
    /// cross, the outlines where they overlap in one plane.
    Bounds box;
    /// How deep two parts that cross reach into each other, in the world; nothing for other parts. See `measure`.
    std::optional<double> thickness;
    bool certain = false;  ///< one of the parts has an inside, so that depth has a meaning
};

/// How two parts meet.
struct MeetingParts {
    Affine world_from_a, a_from_b;
    std::span<const Contact> contacts;  ///< all of them
};

/// Measures the region in which two parts meet, and for parts that cross how deep they reach into each other.
///
/// The thickness is `inside_depth` within 5 %, if one of the parts has an inside. For two open parts it is how far
/// their triangles pass through each other: of two triangles that cross the least of three lengths, of the segment that
/// they have in common, and for each of them of how far it reaches beyond the other's plane, on the side where it
/// reaches less far. The largest of all pairs counts.
Overlap measure(const Solid& a, const Solid& b, const MeetingParts& parts, bool crossing);

}  // namespace graze::checks
