// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "hull/convex_hull.hpp"
#include "soup/geometry.hpp"

namespace graze::detail {

/// An order of points, for finding those that are equal.
inline bool before(const Vec3& p, const Vec3& q) { return std::tie(p.x, p.y, p.z) < std::tie(q.x, q.y, q.z); }

/// The hull of points, finite and within range, in any order.
std::shared_ptr<HullData> make_hull(std::vector<Vec3> points);
/// The same of all corners of triangles, with red features.
std::shared_ptr<HullData> make_hull(const Geometry& geometry);

}  // namespace graze::detail
