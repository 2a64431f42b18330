// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/graze.hpp"

namespace graze::checks {

/// How the triangles of a model are connected. Corners with equal coordinates count as one point.
struct Solid {
    /// Each edge has an even number of triangles, and some triangle has an area: the model has an inside.
    bool closed = false;
    std::uint64_t edges = 0;
    std::uint64_t open_edges = 0;           ///< edges of exactly one triangle
    std::uint64_t crowded_edges = 0;        ///< edges of more than two triangles
    std::uint32_t degenerate = 0;           ///< triangles with exactly zero area
    std::vector<std::uint32_t> components;  ///< the first triangle of each connected component
};

/// For each point the first point with the same coordinates. 0 and -0 are equal.
std::vector<std::uint32_t> first_of_equals(std::span<const Vec3> points);

/// Takes about 200 ns per triangle.
Solid topology_of(const Model& model);

/// A box around the model's points, in its own frame. That of an empty model is empty: lo is infinite, hi -infinite.
Box bounds(const Model& model);

enum class Side : std::uint8_t { Outside, Inside, Unknown };

/// On which side of a closed model a point in its frame is. Inside is where a ray leaves through an odd number of
/// triangles, so a cavity is outside, and so is where two closed pieces of the model overlap. Certain: `Unknown` where
/// the surface is no farther than `clearance` by any axis, or rays meet edges however they are turned.
Side side_of(const Model& model, const Vec3& point, double clearance = 0);

}  // namespace graze::checks
