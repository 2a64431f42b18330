// SPDX-License-Identifier: Apache-2.0
// How large the region is in which two parts meet. Plain double arithmetic: it measures, and decides nothing else.
#pragma once

#include <optional>
#include <span>

#include "checks/bounds.hpp"
#include "graze/graze.hpp"

namespace graze::checks {

/// Where two parts are.
struct Placing {
    Affine world_from_a, a_from_b;
};

/// A box around what the triangles of two models have in common where they are in contact, in the world: the points
/// where they touch, the segments where they cross, the outlines where they overlap in one plane. Empty when only
/// triangles without area meet.
Bounds meeting_box(const Model& a, const Model& b, const Placing& place, std::span<const Contact> contacts);

/// Cube root of the factor by which volumes grow.
double scale_of(const Affine& placement);

/// How much two parts overlap, in the world. Nothing where it was not measured or has no meaning.
struct Measures {
    std::optional<double> depth;          ///< how deep they reach into each other, at most 5 % below the true depth
    std::optional<double> volume;         ///< volume of the common part
    std::optional<Vec3> translation;      ///< moves b until it is clear of a; a query has confirmed it
    std::optional<double> depth_at_most;  ///< set where the search ended early: the depth is between the two
};

/// Measures two parts that overlap.
///
/// The depth is `inside_depth`, if one of the parts has an inside. For two open parts it is how far their triangles
/// pass through each other: of two triangles that cross the least of three lengths, of the segment that they have in
/// common, and for each of them of how far it reaches beyond the other's plane, on the side where it reaches less far.
/// The largest of all pairs counts. Volume and translation need two parts with an inside.
Measures measure(const Solid& a, const Solid& b, const Placing& place);

}  // namespace graze::checks
