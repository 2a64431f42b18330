// SPDX-License-Identifier: Apache-2.0
// Decides which sides of two surfaces are inside the other one where they meet along edges.
//
// Where no two triangles cross, surfaces meet in points, and along segments that lie on an edge of one of them. Near an
// inner point of such a segment each surface is a book: half-planes that end in the line of the edge. The order of the
// half-planes around the line, and which way each faces, tell for every sector between them whether it is inside A and
// inside B. All of this is decided by the signs of orientation determinants.
//
// Cut along these segments, a shell falls into pieces, each wholly inside, outside or on the other model. Every piece
// ends at a segment, so that the books show all of them, but for shells that meet the other model in points or not at
// all.
#pragma once

#include <vector>

#include "solid/winding.hpp"

namespace graze::detail {

/// Facts found so far about two sets of points A and B.
struct Seen {
    bool common = false;    ///< a part of one within the other
    bool enters[2] = {};    ///< a piece of A's surface within B, of B's within A
    bool outside[2] = {};   ///< a part of A outside B, of B outside A
    bool doubtful = false;  ///< a shell does not close around an edge: it meets itself there

    /// Takes a place near the surfaces that is in A, in B, in both or in neither.
    void add(bool in_a, bool in_b) {
        common |= in_a && in_b;
        outside[0] |= in_a && !in_b;
        outside[1] |= in_b && !in_a;
    }
    /// Takes a piece of model x without inside, which lies within the other or outside it.
    void add_sheet(int x, bool in_other) {
        common |= in_other;
        enters[x] |= in_other;
        outside[in_other ? 1 - x : x] = true;
    }
    /// True when nothing that is still to come can change the relation.
    bool complete() const { return common && outside[0] && outside[1]; }
};

/// Looks at all segments in which the surfaces meet. `met` are the pairs of triangles that meet, none of which cross.
/// `along` receives which shells of A and of B meet the other model along a segment.
Seen read_books(const Placed& a, const Placed& b, std::vector<TrianglePair> met, std::vector<bool> (&along)[2]);

}  // namespace graze::detail
