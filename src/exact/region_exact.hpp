// SPDX-License-Identifier: Apache-2.0
// A triangle and a region: the last word, exact for all finite coordinates.
#pragma once

#include "graze/region.hpp"
#include "graze/triangle.hpp"

namespace graze::detail {

/// Sign of n · v − d. `used_exact` is set when the integers had to decide.
int side(const Vec3& n, double d, const Vec3& v, bool& used_exact);

/// Whether the closed sets have a point in common. The regions are not empty.
bool meet(const Triangle& t, const Slab& slab, bool& used_exact);
bool meet(const Triangle& t, const Box& box, bool& used_exact);

}  // namespace graze::detail
