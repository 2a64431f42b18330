// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// Newell's teapot with its bottom: 32 bicubic Bézier patches, each cut into `cells`² squares:
/// 64·cells² − 8·cells triangles (6,320 by default). It stands on z = 0, the spout towards +x.
/// Handle and spout pierce the body, as in the original.
Soup teapot(std::uint32_t cells = 10);

/// Into how many cells a patch of the handle or the spout is cut.
struct PatchCells {
    std::uint32_t along = 10, around = 10;
};
/// The teapot with other numbers of cells in handle and spout: 48·cells² − 8·cells triangles, and eight per cell of a
/// patch of the handle and of the spout.
Soup teapot(std::uint32_t cells, const PatchCells& in_handle, const PatchCells& in_spout);

}  // namespace graze::scenes
