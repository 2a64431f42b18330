// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/math.hpp"

namespace graze::detail {

/// The convex hull of a set of points, of whatever dimension they span: the surface of a solid, a flat polygon (its
/// area counted once), a segment or a point (the last two without faces).
struct HullMesh {
    std::vector<Vec3> vertices;
    std::vector<std::array<std::uint32_t, 3>> faces;  ///< of either orientation
};

/// The hull of points of magnitude up to about 1 (nothing is scaled here). Points within 1e-9 of their size from a
/// plane or a line count as lying in it. No vertices when Qhull fails.
HullMesh convex_hull(std::span<const Vec3> points);

/// The facets of a solid, each as the corners around it in either orientation, by the indices of the points. Coplanar
/// facets are merged within Qhull's rounding. If `joggled`, points are moved at random by about 1e-11 and all facets
/// are triangles; use this where merging gives no proper surface. Points have a magnitude of about 1, and there are no
/// duplicates. Empty when Qhull fails, as it does for points in a plane.
std::vector<std::vector<std::uint32_t>> hull_facets(std::span<const Vec3> points, bool joggled);

struct Point2 {
    double u, v;
    friend auto operator<=>(const Point2&, const Point2&) = default;
};

/// The strictly convex hull in the plane, anticlockwise. Sorts `points`. It has fewer than three corners when all
/// points are in line.
std::vector<Point2> convex_hull(std::vector<Point2>& points);

}  // namespace graze::detail
