// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "checks/bounds.hpp"
#include "graze/graze.hpp"

namespace graze::checks {

/// A connected component of a model: one body of it.
struct Component {
    std::uint32_t first = 0;                ///< its first triangle
    bool closed = false;                    ///< each edge has an even number of triangles, and some triangle an area
    std::array<std::uint32_t, 6> extremes;  ///< its points with the lowest and highest x, y and z
};

/// How the triangles of a model are connected. Corners with equal coordinates count as one point.
struct Solid {
    bool closed = false;      ///< all edges have an even number of triangles, and some triangle has an area
    bool has_inside = false;  ///< some component is closed
    std::uint64_t edges = 0;
    std::uint64_t open_edges = 0;     ///< edges of exactly one triangle
    std::uint64_t crowded_edges = 0;  ///< edges of more than two triangles
    std::uint32_t degenerate = 0;     ///< triangles with exactly zero area
    std::vector<Component> components;
    /// The component of each triangle. The largest number for a second copy of a triangle that its component does not
    /// need to be closed.
    std::vector<std::uint32_t> component_of;
};

/// Finds how a model's triangles are connected. Takes about 200 ns per triangle.
Solid topology_of(const Model& model);

enum class Side : std::uint8_t { Outside, Inside, Unknown };

/// The side of a model on which a point in its frame lies. A closed component is around the point when a ray from the
/// point passes through it an odd number of times. The point is inside when an odd number of components are around it,
/// so that a cavity is outside. It is also inside when two of them overlap, neither lying wholly within the other. Open
/// components have no inside.
///
/// `Unknown` when the surface meets the cube that reaches `clearance` from the point along each axis, or when every ray
/// tried meets an edge. How often components are around the point is certain. Whether one of two lies within the other
/// is judged by their outermost points.
Side side_of(const Model& model, const Solid& solid, const Vec3& point, double clearance = 0);

}  // namespace graze::checks
