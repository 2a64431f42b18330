// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "hull/convex_hull.hpp"
#include "soup/geometry.hpp"

namespace graze::detail {

/// An order of points that brings equal ones together.
inline bool before(const Vec3& p, const Vec3& q) { return std::tie(p.x, p.y, p.z) < std::tie(q.x, q.y, q.z); }

/// Makes the hull of points in any order. They are finite and within range.
std::shared_ptr<HullData> make_hull(std::vector<Vec3> points);
/// Makes the hull of all corners of triangles, with red features.
std::shared_ptr<HullData> make_hull(const Geometry& geometry);

}  // namespace graze::detail
