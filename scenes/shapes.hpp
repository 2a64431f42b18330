// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// An icosahedron whose faces are cut into k×k triangles and pushed out to the sphere: 20·k²
/// triangles, the number of that form nearest to `triangles`; 32,000 is one. Closed, about the origin.
Soup sphere(std::uint32_t triangles = 32'000, double radius = 1);

/// About the z axis; closed, 2·n_major·n_minor triangles.
Soup torus(double major = 1, double minor = 0.4, std::uint32_t n_major = 50, std::uint32_t n_minor = 50);

/// A torus about the z axis whose lobed cross-section twists around it, with wrinkles across
/// (after the one in the OBBTree paper): closed, 20,000 triangles, major radius 1, a hole of
/// radius 0.56 through it, 1.44 to its outside.
Soup wrinkled_torus();

/// A smooth ground over [-5, 5]² with dimples, teeth and a stalagmite on the z axis, 2.5 high, that
/// the wrinkled torus fits around (after the OBBTree paper's): 2·cells² triangles, 97,682 by default.
Soup landscape(std::uint32_t cells = 221, std::uint64_t seed = 1);

/// About the origin; closed, 12 triangles.
Soup box(const Vec3& half_sizes = {1, 1, 1});

/// Heights drawn from {0, …, height} over the integer points of [0, n]²: 2·n² triangles with
/// integer coordinates. Placed by integers it meets itself in exact ties.
Soup integer_ground(std::uint32_t n, std::uint32_t height, std::uint64_t seed = 1);

/// n³ closed unit cubes at even coordinates, 12·n³ triangles with integer coordinates.
Soup cube_lattice(std::uint32_t n);

}  // namespace graze::scenes
