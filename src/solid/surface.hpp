// SPDX-License-Identifier: Apache-2.0
// How the triangles of a model are connected, and which way they face.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/model.hpp"

namespace graze::detail {

inline constexpr std::uint32_t no_shell = ~std::uint32_t{0};

/// Triangles that are connected by edges. A closed set of them that has edges of more than two triangles is parted into
/// several shells, which touch at such edges and do not pass through each other there.
struct Shell {
    /// Its first triangle with an area, if possible one that has no copy; its first one where none has an area.
    std::uint32_t first = 0;
    bool has_area = false;
    bool closed = false;    ///< each edge has an even number of triangles, and some triangle has an area
    bool inside = false;    ///< closed and orientable, so that there is an inside
    bool covered = false;   ///< other shells have copies of all that bounds it, as those of a room among rooms
    bool doubtful = false;  ///< a winding number other than 0 and 1 was met: the shell overlaps itself
    /// 1 when the shell's triangles, turned as `Surface::turned` says, face away from what they enclose; -1 for the
    /// walls of a cavity.
    int sign = 1;
    std::array<std::uint32_t, 6> extremes;  ///< its points with the lowest and highest x, y and z
    std::array<std::uint32_t, 6> at;        ///< triangles at these points
    /// The other shells that go around this one, as far as its sample point tells.
    std::vector<std::uint32_t> around;
};

struct Surface {
    std::uint32_t connected = 0;  ///< sets of triangles that are connected by edges
    std::uint64_t edges = 0;
    std::uint64_t open_edges = 0;     ///< edges of exactly one triangle
    std::uint64_t crowded_edges = 0;  ///< edges of more than two triangles
    std::uint32_t degenerate_count = 0;
    std::uint32_t misoriented = 0;  ///< triangles that face the wrong way
    bool closed = false;
    bool has_inside = false;
    bool unorientable = false;

    std::vector<Shell> shells;
    /// The shell of each triangle; `no_shell` for one that adds nothing: a second copy that its shell does not need, or
    /// a triangle with equal corners on an edge or a corner of others.
    std::vector<std::uint32_t> shell_of;
    /// For each triangle 1, or -1 when its corners turn the other way than its shell faces.
    std::vector<std::int8_t> turned;
    std::vector<std::array<std::uint32_t, 3>> corners;  ///< the corners' points, of equal ones the first
    std::vector<bool> degenerate;                       ///< triangles with exactly zero area
    std::vector<std::array<std::uint32_t, 3>>
        edge_of;                               ///< the edges from corner k to corner k + 1; `no_shell` for none
    std::vector<std::uint32_t> first_of_edge;  ///< the first triangle of each edge that has an area

    explicit Surface(const Model& model);
};

}  // namespace graze::detail
