// SPDX-License-Identifier: Apache-2.0
// Decides whether two triangles meet by the signs of orientation determinants alone, all of them exact.
//
// Two proper triangles in different planes: Devillers and Guigue, "Faster triangle-triangle intersection tests", 2002.
// Two in one plane: separation by the line of an edge, in two dimensions. Triangles without area: as segments and
// points. The last two cases need no test beforehand: in both, the corners of one triangle all have sign zero against
// the other's "plane".
#pragma once

#include <algorithm>

#include "exact/flat.hpp"
#include "exact/triangle_cases.hpp"

namespace graze::detail::triangle_cases {

/// Both triangles are proper, in different planes, and neither is strictly on one side of the other's plane. Each cuts
/// the common line of the planes in an interval that ends on the two edges at its lone corner. They are turned so that
/// each lone corner is on the positive side of the other's plane. Then the intervals [pq, pr] of s and [pr, pq] of t
/// run the same way, and each sign below compares an end of one with an end of the other.
template <class Ties>
constexpr Meeting across(const Triangle& s, const Signs& s_side, const Triangle& t, const Signs& t_side, Ties& ties) {
    const Lone ls = lone(s_side), lt = lone(t_side);
    const Turned u = turn(s, ls.corner, lt.side < 0), v = turn(t, lt.corner, ls.side < 0);
    const int first = orient3d(*u.p, *u.q, *v.p, *v.q, ties);
    if (first > 0) return Meeting::Apart;
    const int second = orient3d(*u.p, *u.r, *v.p, *v.r, ties);
    if (second < 0) return Meeting::Apart;
    // The interior of a triangle reaches a plane only if corners lie strictly on both sides of it.
    return first < 0 && second > 0 && straddles(s_side) && straddles(t_side) ? Meeting::Crossing : Meeting::Touching;
}

/// A triangle seen along an axis, turning left.
struct Flat {
    Vec2 corner[4];  // the first corner again at the end

    constexpr Flat(const Triangle& t, int axis, int turn)
        : corner{project(t.a, axis), project(turn > 0 ? t.b : t.c, axis), project(turn > 0 ? t.c : t.b, axis),
                 project(t.a, axis)} {}
};

/// The largest sign of any of `points` against the line p → q, where left is positive. The search ends once `enough` is
/// reached.
template <class Ties>
constexpr int leftmost(const Vec2& p, const Vec2& q, const Vec2* points, int count, int enough, Ties& ties) {
    int best = -1;
    for (int i = 0; i < count && best < enough; ++i) best = std::max(best, orient2d(p, q, points[i], ties));
    return best;
}

/// Both triangles are proper and in one plane. Convex polygons are disjoint when the line of an edge has the other
/// polygon strictly outside, and share no area when it has the other outside or on the line: the edges of their
/// Minkowski difference are parallel to theirs. With `enough` 0 only whether they meet is decided.
template <class Ties>
constexpr Meeting in_plane(const Flat& s, const Flat& t, int enough, Ties& ties) {
    Meeting found = Meeting::Overlapping;
    for (int i = 0; i < 6; ++i) {
        const Flat &edges = i < 3 ? s : t, &other = i < 3 ? t : s;
        const int k = i % 3;
        const int side = leftmost(edges.corner[k], edges.corner[k + 1], other.corner, 3, enough, ties);
        if (side < 0) return Meeting::Apart;
        if (side == 0) found = Meeting::Touching;
    }
    return found;
}

/// Whether a proper triangle and a segment or point in its plane meet, by the argument for two triangles.
template <class Ties>
constexpr bool in_plane(const Flat& t, const Segment& s, int axis, Ties& ties) {
    const Vec2 ends[] = {project(s.from, axis), project(s.to, axis)};
    for (int k = 0; k < 3; ++k)
        if (leftmost(t.corner[k], t.corner[k + 1], ends, 2, 0, ties) < 0) return false;
    return s.point() || (leftmost(ends[0], ends[1], t.corner, 3, 0, ties) >= 0 &&
                         leftmost(ends[1], ends[0], t.corner, 3, 0, ties) >= 0);
}

/// How a proper triangle, seen along `view`, meets a segment or point.
template <class Ties>
constexpr Meeting with_segment(const Triangle& t, View view, const Segment& s, Ties& ties) {
    const Plane plane(t.a, t.b, t.c);
    const int from = plane.side(s.from, ties), to = plane.side(s.to, ties);
    if (from * to > 0) return Meeting::Apart;
    if (from == 0 && to == 0)
        return in_plane(Flat(t, view.axis, view.turn), s, view.axis, ties) ? Meeting::Touching : Meeting::Apart;
    // The line pierces the plane in one point, which is inside if the line passes all edges on the same side.
    const Signs pass{orient3d(s.from, s.to, t.a, t.b, ties), orient3d(s.from, s.to, t.b, t.c, ties),
                     orient3d(s.from, s.to, t.c, t.a, ties)};
    if (straddles(pass)) return Meeting::Apart;
    return from * to < 0 && pass[0] && pass[1] && pass[2] ? Meeting::Crossing : Meeting::Touching;
}

/// Whether two segments or points meet.
template <class Ties>
constexpr bool segments_meet(const Segment& s, const Segment& t, Ties& ties) {
    if (orient3d(s.from, s.to, t.from, t.to, ties) != 0) return false;
    const View view = common_view(s, t, ties);
    if (!view.turn) {
        // All are on one line, where two intervals meet unless one ends before the other begins.
        return !before(s.to, t.from) && !before(t.to, s.from);
    }
    const auto side = [&](const Segment& l, const Vec3& p) { return orient_along(view.axis, l.from, l.to, p, ties); };
    return side(s, t.from) * side(s, t.to) <= 0 && side(t, s.from) * side(t, s.to) <= 0;
}

/// Handles triangles in one plane, or without area: some triple of signs was all zero.
template <class Ties>
constexpr Meeting special(const Triangle& s, const Triangle& t, int enough, Ties& ties) {
    const View view = best_view(t.a, t.b, t.c, ties);
    if (!view.turn) {
        const View other = best_view(s.a, s.b, s.c, ties);
        if (other.turn) return with_segment(s, other, segment_of(t), ties);
        return segments_meet(segment_of(s), segment_of(t), ties) ? Meeting::Touching : Meeting::Apart;
    }
    // Seen along t's axis, a triangle in t's plane has an area if it has one at all. A triangle s outside that plane
    // only gets here if it has no area, seen along any axis.
    const int turn = orient_along(view.axis, s.a, s.b, s.c, ties);
    if (!turn) return with_segment(t, view, segment_of(s), ties);
    return in_plane(Flat(s, view.axis, turn), Flat(t, view.axis, view.turn), enough, ties);
}

/// Touching and Overlapping are distinguished only with `enough` 1.
template <class Ties>
constexpr Meeting decide(const Triangle& s, const Triangle& t, int enough, Ties& ties) {
    const Plane t_plane(t.a, t.b, t.c);
    const Signs s_side{t_plane.side(s.a, ties), t_plane.side(s.b, ties), t_plane.side(s.c, ties)};
    if (one_side(s_side)) return Meeting::Apart;
    if (all_zero(s_side)) return special(s, t, enough, ties);
    const Plane s_plane(s.a, s.b, s.c);
    const Signs t_side{s_plane.side(t.a, ties), s_plane.side(t.b, ties), s_plane.side(t.c, ties)};
    if (one_side(t_side)) return Meeting::Apart;
    if (all_zero(t_side)) return special(s, t, enough, ties);
    return across(s, s_side, t, t_side, ties);
}

}  // namespace graze::detail::triangle_cases
