// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "graze/query.hpp"

namespace graze {

/// Where two triangles meet and how they come apart, in A's frame.
struct ContactPoint {
    /// The middle of what the triangles have in common: a common point, the middle of a common segment, or the mean of
    /// the corners of a common polygon. It is on both triangles up to rounding.
    Vec3 point;
    /// A unit vector from A to B: moving B along it parts the triangles. It is a normal of one of the triangles, turned
    /// to the nearer side, or perpendicular to an edge of each: the one of these for which `depth` is least.
    Vec3 normal;
    /// How far B's triangle must move along `normal` until the two have at most boundary points in common: the least
    /// length of any translation that does this, in the unit of A's frame. Zero for triangles that only touch, and for
    /// triangles in one plane.
    double depth = 0;
};

/// The contact of two triangles in one frame.
///
/// Point, normal and depth are computed in double. The depth is off by about 1e-15 of the triangles' size, and may
/// exceed the least one by 1e-12 of it, because normals of the triangles are preferred to products of edges. Where a
/// triangle can move either way, as triangles in one plane can, `normal` points where a's normal does, else against
/// b's.
///
/// A triangle without area counts as the segment or point that its corners span. Where two of these leave a choice, as
/// segments in one line do, the normal is any unit vector that parts them with depth 0.
///
/// For triangles that are apart, as `collide_within` lists them, `depth` is their distance with a negative sign,
/// `normal` points from the closest point of a to that of b, and `point` is halfway between these.
ContactPoint contact_point(const Triangle& a, const Triangle& b);

/// The contact of two triangles of models, as `collide` reports it for this placement. Triangles do not know on which
/// side of them the inside of a solid is: `penetration` (graze/solid.hpp) moves whole solids apart.
ContactPoint contact_point(const Model& a, const Model& b, const Affine& a_from_b, const Contact& contact);
/// The contacts of a list, in its order. Takes about a microsecond each.
std::vector<ContactPoint> contact_points(const Model& a, const Model& b, const Affine& a_from_b,
                                         std::span<const Contact> contacts);

}  // namespace graze
