// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graze/graze.hpp"

namespace graze::checks {

/// What two triangles have in common: a segment where they cross, the outline where they overlap in one plane. Appends
/// the two ends of each segment. Computed in double, for display: coordinates should be about 1 in size, and a point
/// within 1e-12 of a plane counts as on it.
void crossing(const Triangle& s, const Triangle& t, std::vector<Vec3>& ends);

/// Appends the ends of what two triangles of any size have in common. They lie on `t` but for rounding.
void append_common(const Triangle& t, const Triangle& s, std::vector<Vec3>& ends);

}  // namespace graze::checks
