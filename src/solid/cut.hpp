// SPDX-License-Identifier: Apache-2.0
// Where the triangles of A cut those of B, with B moved by the translation of exact/perturbed.hpp. Two triangles then
// have nothing in common, or a segment whose ends are nodes: places where an edge of one model passes through a
// triangle of the other. Triangles that share an edge share its nodes, so that segments join without gaps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solid/winding.hpp"

namespace graze::detail {

/// An edge of model x passes through a triangle of the other model.
struct CutNode {
    int x = 0;
    std::uint32_t edge = 0, triangle = 0;
    Vec3 point;  ///< each coordinate is the nearest double
    int jump =
        0;  ///< what the other model's winding number grows by along the edge, from its lower corner to its higher
};

/// The segment in which two triangles cross. Seen from the front of A's triangle, the back of B's triangle is on the
/// left of the segment. A triangle's front is the side from which its corners turn left.
struct CutSegment {
    TrianglePair triangles;
    std::uint32_t from = 0, to = 0;  ///< nodes
};

struct Cut {
    std::vector<CutNode> nodes;
    std::vector<CutSegment> segments;

    /// `met` are pairs of triangles, among them all that meet. With `solids` only shells with an inside count.
    Cut(const Placed& a, const Placed& b, std::span<const TrianglePair> met, bool solids);
};

}  // namespace graze::detail
