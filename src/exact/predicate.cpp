// SPDX-License-Identifier: Apache-2.0
// Decides whether two triangles meet by the signs of orientation determinants alone, all of them exact.
//
// Two proper triangles in different planes: Devillers and Guigue, "Faster triangle-triangle intersection tests", 2002.
// Two in one plane: separation by the line of an edge, in two dimensions. Triangles without area: as segments and
// points. The last two cases need no test beforehand: in both, the corners of one triangle all have sign zero against
// the other's "plane".
#include "exact/predicate.hpp"

#include <algorithm>

#include "base/float_environment.hpp"
#include "exact/exact_sign.hpp"
#include "exact/flat.hpp"
#include "exact/triangle_cases.hpp"

namespace graze {
namespace detail {
namespace {

using namespace triangle_cases;

/// Both triangles are proper, in different planes, and neither is strictly on one side of the other's plane. Each cuts
/// the common line of the planes in an interval that ends on the two edges at its lone corner. They are turned so that
/// each lone corner is on the positive side of the other's plane. Then the intervals [pq, pr] of s and [pr, pq] of t
/// run the same way, and each sign below compares an end of one with an end of the other.
Meeting across(const Triangle& s, const Signs& s_side, const Triangle& t, const Signs& t_side, bool& used_exact) {
    const Lone ls = lone_table[lone_index(s_side)], lt = lone_table[lone_index(t_side)];
    const Turned u = turn(s, ls.corner, lt.side < 0), v = turn(t, lt.corner, ls.side < 0);
    const int first = orient3d(*u.p, *u.q, *v.p, *v.q, used_exact);
    if (first > 0) return Meeting::Apart;
    const int second = orient3d(*u.p, *u.r, *v.p, *v.r, used_exact);
    if (second < 0) return Meeting::Apart;
    // The interior of a triangle reaches a plane only if corners lie strictly on both sides of it.
    return first < 0 && second > 0 && straddles(s_side) && straddles(t_side) ? Meeting::Crossing : Meeting::Touching;
}

/// A triangle seen along an axis, turning left.
struct Flat {
    Vec2 corner[4];  // the first corner again at the end

    Flat(const Triangle& t, int axis, int turn)
        : corner{project(t.a, axis), project(turn > 0 ? t.b : t.c, axis), project(turn > 0 ? t.c : t.b, axis),
                 project(t.a, axis)} {}
};

/// The largest sign of any of `points` against the line p → q, where left is positive. The search ends once `enough` is
/// reached.
int leftmost(const Vec2& p, const Vec2& q, const Vec2* points, int count, int enough, bool& used_exact) {
    int best = -1;
    for (int i = 0; i < count && best < enough; ++i) best = std::max(best, orient2d(p, q, points[i], used_exact));
    return best;
}

/// Both triangles are proper and in one plane. Convex polygons are disjoint when the line of an edge has the other
/// polygon strictly outside, and share no area when it has the other outside or on the line: the edges of their
/// Minkowski difference are parallel to theirs. With `enough` 0 only whether they meet is decided.
Meeting in_plane(const Flat& s, const Flat& t, int enough, bool& used_exact) {
    Meeting found = Meeting::Overlapping;
    for (int i = 0; i < 6; ++i) {
        const Flat &edges = i < 3 ? s : t, &other = i < 3 ? t : s;
        const int k = i % 3;
        const int side = leftmost(edges.corner[k], edges.corner[k + 1], other.corner, 3, enough, used_exact);
        if (side < 0) return Meeting::Apart;
        if (side == 0) found = Meeting::Touching;
    }
    return found;
}

/// Whether a proper triangle and a segment or point in its plane meet, by the argument for two triangles.
bool in_plane(const Flat& t, const Segment& s, int axis, bool& used_exact) {
    const Vec2 ends[] = {project(s.from, axis), project(s.to, axis)};
    for (int k = 0; k < 3; ++k)
        if (leftmost(t.corner[k], t.corner[k + 1], ends, 2, 0, used_exact) < 0) return false;
    return s.point() || (leftmost(ends[0], ends[1], t.corner, 3, 0, used_exact) >= 0 &&
                         leftmost(ends[1], ends[0], t.corner, 3, 0, used_exact) >= 0);
}

/// How a proper triangle, seen along `view`, meets a segment or point.
Meeting with_segment(const Triangle& t, View view, const Segment& s, bool& used_exact) {
    const Plane plane(t.a, t.b, t.c);
    const int from = plane.side(s.from, used_exact), to = plane.side(s.to, used_exact);
    if (from * to > 0) return Meeting::Apart;
    if (from == 0 && to == 0)
        return in_plane(Flat(t, view.axis, view.turn), s, view.axis, used_exact) ? Meeting::Touching : Meeting::Apart;
    // The line pierces the plane in one point, which is inside if the line passes all edges on the same side.
    const Signs pass{orient3d(s.from, s.to, t.a, t.b, used_exact), orient3d(s.from, s.to, t.b, t.c, used_exact),
                     orient3d(s.from, s.to, t.c, t.a, used_exact)};
    if (straddles(pass)) return Meeting::Apart;
    return from * to < 0 && pass[0] && pass[1] && pass[2] ? Meeting::Crossing : Meeting::Touching;
}

/// Whether two segments or points meet.
bool segments_meet(const Segment& s, const Segment& t, bool& used_exact) {
    if (orient3d(s.from, s.to, t.from, t.to, used_exact) != 0) return false;
    const View view = common_view(s, t, used_exact);
    if (!view.turn) {
        // All are on one line, where two intervals meet unless one ends before the other begins.
        return !before(s.to, t.from) && !before(t.to, s.from);
    }
    const auto side = [&](const Segment& l, const Vec3& p) {
        return orient_along(view.axis, l.from, l.to, p, used_exact);
    };
    return side(s, t.from) * side(s, t.to) <= 0 && side(t, s.from) * side(t, s.to) <= 0;
}

/// Handles triangles in one plane, or without area: some triple of signs was all zero.
Meeting special(const Triangle& s, const Triangle& t, int enough, bool& used_exact) {
    const View view = best_view(t.a, t.b, t.c, used_exact);
    if (!view.turn) {
        const View other = best_view(s.a, s.b, s.c, used_exact);
        if (other.turn) return with_segment(s, other, segment_of(t), used_exact);
        return segments_meet(segment_of(s), segment_of(t), used_exact) ? Meeting::Touching : Meeting::Apart;
    }
    // Seen along t's axis, a triangle in t's plane has an area if it has one at all. A triangle s outside that plane
    // only gets here if it has no area, seen along any axis.
    const int turn = orient_along(view.axis, s.a, s.b, s.c, used_exact);
    if (!turn) return with_segment(t, view, segment_of(s), used_exact);
    return in_plane(Flat(s, view.axis, turn), Flat(t, view.axis, view.turn), enough, used_exact);
}

/// Touching and Overlapping are distinguished only with `enough` 1.
inline Meeting decide(const Triangle& s, const Triangle& t, int enough, bool& used_exact) {
    const Plane t_plane(t.a, t.b, t.c);
    const Signs s_side{t_plane.side(s.a, used_exact), t_plane.side(s.b, used_exact), t_plane.side(s.c, used_exact)};
    if (one_side(s_side)) return Meeting::Apart;
    if (all_zero(s_side)) return special(s, t, enough, used_exact);
    const Plane s_plane(s.a, s.b, s.c);
    const Signs t_side{s_plane.side(t.a, used_exact), s_plane.side(t.b, used_exact), s_plane.side(t.c, used_exact)};
    if (one_side(t_side)) return Meeting::Apart;
    if (all_zero(t_side)) return special(s, t, enough, used_exact);
    return across(s, s_side, t, t_side, used_exact);
}

}  // namespace

bool meet(const Triangle& s, const Triangle& t, bool& used_exact) {
    return decide(s, t, 0, used_exact) != Meeting::Apart;
}

}  // namespace detail

bool meet(const Triangle& s, const Triangle& t) {
    const detail::DefaultFloats floats;
    bool used_exact = false;
    return detail::meet(s, t, used_exact);
}

Meeting meeting(const Triangle& s, const Triangle& t) {
    const detail::DefaultFloats floats;
    bool used_exact = false;
    return detail::decide(s, t, 1, used_exact);
}

}  // namespace graze
