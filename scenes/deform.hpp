// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/soup.hpp"

namespace graze::scenes {

// Other shapes of a soup: new points for the same triangles.

/// Turned about the x axis, each point by an angle that grows with its x, by `turns` from one end to the other.
std::vector<Vec3> twisted(const Soup& soup, double turns);

/// Moved along z by a sine over x: `waves` of them from one end to the other, begun at `phase` (in turns).
std::vector<Vec3> waved(const Soup& soup, double amplitude, double waves, double phase = 0);

/// Every point moved by up to `distance` along each axis: a surface becomes a cloud of triangles.
std::vector<Vec3> scattered(const Soup& soup, double distance, std::uint64_t seed);

/// The points exchanged at random: neighbours end up anywhere.
std::vector<Vec3> shuffled(const Soup& soup, std::uint64_t seed);

}  // namespace graze::scenes
