// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// n triangles about random centres in [0, 1]³, each corner within `size` of the centre along each
/// axis. No point is shared.
Soup random_soup(std::uint32_t n, double size, std::uint64_t seed);

/// n triangles of length about 1 in random directions, thinner by the factor `aspect`.
Soup needles(std::uint32_t n, std::uint64_t seed, double aspect = 1e6);

/// The degenerate triangles of real files, in turn: points, segments (by index and by
/// coordinates), exactly collinear corners, slivers one rounding wide, duplicates of earlier
/// triangles as they are and with corners in another order. In [0, 1]³.
Soup degenerate_mixture(std::uint32_t n, std::uint64_t seed);

/// n triangles (meant for 1 to 9) as large as the unit cube that holds them.
Soup tiny(std::uint32_t n, std::uint64_t seed);

}  // namespace graze::scenes
