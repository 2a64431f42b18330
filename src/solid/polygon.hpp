// SPDX-License-Identifier: Apache-2.0
// Convex polygons in space, cut in double arithmetic. They serve to measure, and decide nothing.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "graze/triangle.hpp"

namespace graze::detail {

using Polygon = std::vector<Vec3>;
using Segment = std::array<Vec3, 2>;

/// The parts of a polygon where the values at its corners are at most 0, and at least 0. Either may be empty.
std::array<Polygon, 2> cut(const Polygon& polygon, std::span<const double> at);

/// Cuts a polygon above an edge of the triangle, where parts of it lie on both sides of that edge. Otherwise cuts it
/// across the longest side of its box.
std::array<Polygon, 2> cut_above(const Polygon& polygon, const Triangle& triangle);

/// Cuts a triangle along segments in it, until no segment passes through a piece by more than `slack`.
std::vector<Polygon> cut_along(const Triangle& triangle, std::vector<Segment> segments, double slack);

/// The greatest distance of a corner from a triangle, which no point of the polygon exceeds: the distance from a convex
/// set is a convex function. Too large by rounding, if at all.
double furthest(const Polygon& polygon, const Triangle& triangle);

}  // namespace graze::detail
