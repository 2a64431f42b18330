// SPDX-License-Identifier: Apache-2.0
// The final decision about a triangle and a region, exact for all finite coordinates.
#pragma once

#include "graze/region.hpp"
#include "graze/triangle.hpp"

namespace graze::detail {

/// Sign of n · v − d. Sets `used_exact` when integers had to decide.
int side(const Vec3& n, double d, const Vec3& v, bool& used_exact);

/// Whether the closed triangle and region have a point in common. The region is not empty.
bool meet(const Triangle& t, const Slab& slab, bool& used_exact);
bool meet(const Triangle& t, const Box& box, bool& used_exact);

}  // namespace graze::detail
