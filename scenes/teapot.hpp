// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// Newell's teapot with its bottom: 32 bicubic Bézier patches, each cut into `cells`² squares:
/// 64·cells² − 8·cells triangles (6,320 by default). It stands on z = 0, the spout towards +x.
/// Handle and spout pierce the body, as in the original.
Soup teapot(std::uint32_t cells = 10);

}  // namespace graze::scenes
