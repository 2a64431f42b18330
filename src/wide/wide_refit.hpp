// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "wide/wide_tree.hpp"

namespace graze::detail {

/// Fits the boxes to the geometry's points, children before parents: all boxes, with a new unit; or those named, in
/// descending order, whose points must be within reach of the unit. Aligned boxes become as tight as a build makes
/// them. Oriented boxes keep their axes and enclose their children's boxes.
void refit(WideTree& tree, const Geometry& geometry);
void refit(WideTree& tree, const Geometry& geometry, std::span<const std::uint32_t> boxes);
bool reaches(const WideTree& tree, const Vec3& point);

/// The summed area of all boxes over the root's.
double cost(const WideTree& tree);

}  // namespace graze::detail
