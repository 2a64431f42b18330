// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graze/graze.hpp"

namespace graze::checks {

/// What two triangles have in common, for display: a segment where they cross, the outline where they overlap in one
/// plane. Adds the two ends of each segment. Coordinates should be about 1 in size; to 1e-12 of that, near is on.
void crossing(const Triangle& s, const Triangle& t, std::vector<Vec3>& ends);

}  // namespace graze::checks
