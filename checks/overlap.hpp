// SPDX-License-Identifier: Apache-2.0
// How large the region is in which two parts meet. Plain double arithmetic: it measures, and decides nothing else.
#pragma once

#include <optional>
#include <span>

#include "checks/contact_kind.hpp"

namespace graze::checks {

struct Overlap {
    /// Box around what the triangles have in common, in the world: the points where they touch, the segments where they
    /// cross, the outlines where they overlap in one plane. Empty when rounding leaves nothing of it.
    Bounds box;
    /// Thickness of the overlap of two parts that cross, about; nothing for other parts. See `measure`.
    std::optional<double> thickness;
    bool certain = false;  ///< the overlap was looked into: it is not thicker than that as far as is known
};

/// Two parts that meet.
struct MeetingParts {
    std::size_t a = 0, b = 0;  ///< numbers into the bodies
    Affine world_from_a, a_from_b;
    std::span<const Contact> contacts;  ///< all of them, in ascending order
};

/// Measures the region in which two parts meet, and for parts that cross the thickness of their overlap.
///
/// At first the thickness is how far the triangles pass through each other. For two triangles that cross it is the
/// least of three lengths: of the segment that they have in common, and for each of them of how far it reaches beyond
/// the other's plane, on the side where it reaches less far. The largest of all pairs counts. A box pushed 1 µm into
/// another one has 1 µm, however large the faces are. A bar through a plate has the size of the bar or of the plate.
/// Triangles smaller than the overlap make this too small, and it is zero where faces are flush.
///
/// If it is less than `doubt` or than a thousandth of the region, points of each surface are tried in the other part,
/// if that is closed: the corners of the triangles in contact, the means of the places where these meet the other part,
/// and corners in the other's box; 256 of each, spread over all. The depth of a point is half the side of the largest
/// cube around it, along the axes of the part, that does not meet the surface. The greatest depth counts if it is
/// larger than what was found before. If all is zero, the thickness is the least width of the region along the axes and
/// along the normals of the triangles in contact.
Overlap measure(const SolidBodies& bodies, const MeetingParts& parts, bool crossing, double doubt);

}  // namespace graze::checks
