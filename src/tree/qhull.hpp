// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/math.hpp"

namespace graze::detail {

/// The convex hull of a set of points, as far as they span: a solid's surface, a flat polygon (its
/// area once), a segment or a point (both without faces).
struct HullMesh {
    std::vector<Vec3> vertices;
    std::vector<std::array<std::uint32_t, 3>> faces;  ///< turning either way
};

/// The hull of points of magnitude about 1 at most (nothing here is scaled). Points within 1e-9 of
/// their size from a plane or a line count as lying in it. No vertices when the hull fails.
HullMesh convex_hull(std::span<const Vec3> points);

/// The facets of a solid, each as the corners around it, turning either way, by the numbers of the points. Coplanar
/// ones are one (Qhull merges within its rounding), or, `joggled`, all are triangles: the hull of points moved at
/// random by about 1e-11, where merging gives no proper surface. Points of magnitude about 1, none twice. Empty when
/// the hull fails, as that of points in a plane does.
std::vector<std::vector<std::uint32_t>> hull_facets(std::span<const Vec3> points, bool joggled);

struct Point2 {
    double u, v;
    friend auto operator<=>(const Point2&, const Point2&) = default;
};

/// The strictly convex hull in the plane, anticlockwise; sorts `points`. Fewer than three corners
/// when they are all in line.
std::vector<Point2> convex_hull(std::vector<Point2>& points);

}  // namespace graze::detail
