// SPDX-License-Identifier: Apache-2.0
// Grids around solids, by which a GPU tells whether another body lies inside one.
#pragma once

#include <cstdint>
#include <vector>

#include "graze/solid.hpp"

namespace graze::gpu {

/// The side of a cell of a grid: all points in it are on one side of the solid, or its surface may be in it.
enum class CellSide : std::uint8_t { Unsure, Outside, Inside };

/// Where a grid lies in the solid's frame. What is beyond it is outside the solid.
struct GridFrame {
    Vec3 lo, per_length;  ///< its corner, and the number of cells per length along each axis
    double least_cell;    ///< the shortest side of a cell
    int cells;            ///< per axis
};

/// A grid around a solid. A cell that is not unsure is further from the surface than an eighth of its sides, so small
/// errors of a point's coordinates do not count.
struct SolidGrid {
    GridFrame frame{};
    std::vector<CellSide> cells;  ///< x changes fastest; empty when the solid has no inside
};

SolidGrid make_grid(const Solid& solid);

/// Points of a shell. Where the surfaces of two bodies do not meet, all points of a shell are on one side of the other
/// body, so that any of them decides.
inline constexpr int shell_points = 7;

struct ShellPoints {
    std::vector<Vec3> points;   ///< `shell_points` for each shell, shells by ascending size
    std::vector<double> sizes;  ///< one per shell: no ball of a smaller diameter holds it
};

ShellPoints shells_of(const Solid& solid);

/// A ball around a model.
struct BoundingBall {
    Vec3 centre;
    double radius = 0;
};

BoundingBall ball_around(const Model& model);

}  // namespace graze::gpu
