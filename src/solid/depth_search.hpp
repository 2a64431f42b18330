// SPDX-License-Identifier: Apache-2.0
// How far the surface of a solid is from that of another, by branch and bound in double arithmetic.
#pragma once

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "graze/solid.hpp"
#include "solid/polygon.hpp"

namespace graze::detail {

/// Two solids in frames that have the same lengths.
struct Frames {
    Solid a, b;
    Affine a_from_b, b_from_a;
    /// Depths are not known better than this: what the rounding of coordinates may amount to.
    double rounding = 0;

    Frames(const Solid& a, const Solid& b, const Affine& placement);
};

/// A segment of a triangle, in which it meets a triangle of another model.
struct MetSegment {
    std::uint32_t own = 0, other = 0;
    Segment segment;
};
using Segments = std::vector<MetSegment>;

/// Where the triangles of A and B meet: the segments and the outlines that they have in common, once for A's triangles
/// in B's frame and once for B's in A's frame, in ascending order of the own triangles. Triangles that meet in a point
/// have an entry without length.
struct MeetingSegments {
    Segments of_a, of_b;

    explicit MeetingSegments(const Frames& frames);
};

/// When a search has found enough.
struct Goal {
    double relative_error = 0, absolute_error = 0;
    double stop_above = std::numeric_limits<double>::infinity();
    double ignore_below = 0;  ///< no depth up to this is of interest
    std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();
};

/// The greatest distance of points of one surface from another surface.
///
/// A triangle is cut along the segments in which it meets the other surface, so that each piece is on one side of it.
/// No point of a piece is further from the surface than from that triangle of the surface which is closest to its
/// middle, and the distance from that is greatest at a corner: the distance from a convex set is a convex function.
/// Pieces for which this is too much are cut again.
class DepthSearch {
public:
    explicit DepthSearch(const Goal& goal) : goal_(goal), steps_(goal.steps) {}

    /// Searches the surfaces of A and of B for points inside the other solid.
    void inside(const Frames& frames);
    /// Searches all of the surface of `inner` for points far from that of `outer`, on either side of it.
    void anywhere(const Solid& inner, const Solid& outer, const Affine& outer_from_inner);

    double low() const { return low_; }
    /// No point is further away. Without a meaning for a search that ended above `Goal::stop_above`.
    double high() const { return std::max(high_, low_); }
    bool done() const { return low_ > goal_.stop_above; }

    /// A piece of a surface that is no deeper than asked for, and the triangle that it is close to.
    struct Close {
        bool of_a;
        std::uint32_t own, other;
        Vec3 middle;  ///< in the other solid's frame
    };
    /// Such pieces of both surfaces, unless the search ended early.
    std::span<const Close> close() const { return close_; }

private:
    enum class Known : std::uint8_t { Counts, MayBeOutside };
    struct Piece {
        double bound;  ///< no point is further away
        std::uint32_t own;
        Polygon polygon;
        std::uint32_t near;  ///< the triangle that is closest to its middle
        Known known;
        bool operator<(const Piece& o) const { return bound < o.bound; }
    };

    void inside(const Solid& inner, const Solid& outer, const Affine& outer_from_inner, const Segments& met);
    /// `guess` are triangles of `outer` that may be close to all of the polygon, which is part of triangle `own`.
    void add(const Solid& outer, std::uint32_t own, Polygon polygon, Known known, std::span<const std::uint32_t> guess);
    void drop(std::uint32_t own, const Polygon& polygon, std::uint32_t near, double bound);
    void drain(const Solid& outer);
    double enough() const {
        return std::max(low_ * (1 + goal_.relative_error) + goal_.absolute_error, goal_.ignore_below);
    }

    const Goal goal_;
    std::uint64_t steps_;
    double low_ = 0, high_ = 0;
    double rounding_ = 0;       ///< `Frames::rounding`
    std::vector<Piece> queue_;  ///< a heap, so that pieces are taken out without a copy
    bool of_a_ = true;
    std::vector<Close> close_;
};

}  // namespace graze::detail
