// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// A point of a profile that is turned about the z axis.
struct Knot {
    double radius = 0, height = 0;
    double hexagonal = 0;  ///< 1: the radius is that to the sides of a hexagon; 0: of a circle
};

/// The solid of a profile, its outside to the right of the way along it, cut into about `triangles`: quads of about the
/// same size in 12 steps around, or a multiple. A profile that is not closed begins and ends on the axis.
Soup revolved(std::span<const Knot> profile, bool closed, std::uint32_t triangles);

/// A place of a lattice.
struct Cell {
    int x = 0, y = 0, z = 0;
};
/// The surface of the cells together, each of `size`, cut into about `triangles`.
Soup cells(std::span<const Cell> solid, const Vec3& size, std::uint32_t triangles);

/// Small parts as a feeder sorts them: ring, washer, nut, bolt, angle, block. They are closed and look outwards. Each
/// has about `triangles` (some hundreds at least), the middle of its box at the origin and its farthest corner at 1
/// from it.
std::vector<Soup> parts(std::uint32_t triangles = 1000);

}  // namespace graze::scenes
