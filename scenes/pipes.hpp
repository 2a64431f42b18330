// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// Pipes that interweave in a cube without meeting. The defaults give about 144,000 triangles.
struct PipeSettings {
    std::uint32_t cells = 12;        ///< cells of the lattice along an edge; a cell holds at most one pipe
    std::uint32_t sides = 16;        ///< sides of a pipe's cross-section
    std::uint32_t elbow_pieces = 6;  ///< rings of an elbow; a straight run is one ring, however long
    double fill = 0.83;              ///< approximate share of the cells that hold a pipe
    double radius = 0.16;            ///< radius of a pipe, in cells; less than the elbows' 0.35
    double size = 1;                 ///< edge of the cube, which is centred at the origin
    std::uint64_t seed = 1;
};

/// Each pipe is closed: straight runs of long thin triangles along the three axes, elbows, two caps.
Soup pipes(const PipeSettings& settings = {});

}  // namespace graze::scenes
