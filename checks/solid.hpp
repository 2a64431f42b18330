// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/graze.hpp"

namespace graze::checks {

/// How the triangles of a model are connected. Corners with equal coordinates count as one point.
struct Solid {
    /// True when each edge has an even number of triangles and some triangle has an area: the model has an inside.
    bool closed = false;
    std::uint64_t edges = 0;
    std::uint64_t open_edges = 0;           ///< edges of exactly one triangle
    std::uint64_t crowded_edges = 0;        ///< edges of more than two triangles
    std::uint32_t degenerate = 0;           ///< triangles with exactly zero area
    std::vector<std::uint32_t> components;  ///< the first triangle of each connected component
};

/// For each point the first point with the same coordinates. 0 and -0 are equal.
std::vector<std::uint32_t> first_of_equals(std::span<const Vec3> points);

/// Finds how a model's triangles are connected. Takes about 200 ns per triangle.
Solid topology_of(const Model& model);

enum class Side : std::uint8_t { Outside, Inside, Unknown };

/// The side of a closed model on which a point in its frame lies. A point is inside when a ray from it passes through
/// an odd number of triangles. A cavity is therefore outside, and so is the overlap of two closed pieces of one model.
/// `Inside` and `Outside` are certain. `Unknown` when the surface meets the cube that reaches `clearance` from the
/// point along each axis, or when every ray tried meets an edge.
Side side_of(const Model& model, const Vec3& point, double clearance = 0);

}  // namespace graze::checks
