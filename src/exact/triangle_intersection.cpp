// SPDX-License-Identifier: Apache-2.0
// The intersection of two triangles. Signs of determinants of the corners decide which corners and which crossings of
// edges span it. Each coordinate of a crossing is then one quotient, rounded once.
#include <algorithm>
#include <array>
#include <utility>

#include "base/float_environment.hpp"
#include "exact/double_double.hpp"
#include "exact/dyadic.hpp"
#include "exact/triangle_cases.hpp"

namespace graze {
namespace detail {
namespace {

using namespace triangle_cases;

template <class N>
using Vector = std::array<N, 3>;

template <class N>
Vector<N> minus(const Vec3& a, const Vec3& b) {
    return {N(a.x) - N(b.x), N(a.y) - N(b.y), N(a.z) - N(b.z)};
}

/// Divides space in two: the plane through three points, or the plane through two of them that contains an axis.
struct Divider {
    const Vec3 *a, *b, *c = nullptr;
    int axis = 0;

    /// The heights of two points, up to a common factor.
    template <class N>
    std::pair<N, N> heights(const Vec3& p, const Vec3& q) const {
        const Vector<N> u = minus<N>(*b, *a), to_p = minus<N>(p, *a), to_q = minus<N>(q, *a);
        if (!c) {
            const int i = (axis + 1) % 3, j = (axis + 2) % 3;
            return {u[i] * to_p[j] - u[j] * to_p[i], u[i] * to_q[j] - u[j] * to_q[i]};
        }
        const Vector<N> v = minus<N>(*c, *a);
        const Vector<N> n{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        return {to_p[0] * n[0] + to_p[1] * n[1] + to_p[2] * n[2], to_q[0] * n[0] + to_q[1] * n[1] + to_q[2] * n[2]};
    }
};

/// A point of the common part: a corner, or where the edge between two corners passes through a divider.
struct Place {
    const Vec3 *p, *q = nullptr;
    Divider through{};

    bool corner() const { return !q; }

    /// The point, each coordinate rounded to the nearest double.
    Vec3 point() const {
        if (corner()) return *p;
        const auto [hp, hq] = through.heights<DoubleDouble>(*p, *q);
        const DoubleDouble way = hp / (hp - hq);
        Vec3 out;
        for (int i = 0; i < 3; ++i) {
            const double from = (*p)[i], to = (*q)[i];
            out[i] = from;
            if (from != to && !(DoubleDouble(from) + (DoubleDouble(to) - from) * way).round_to(out[i])) return exact();
        }
        return out;
    }

private:
    Vec3 exact() const {
        const auto [hp, hq] = through.heights<Dyadic>(*p, *q);
        const Dyadic all = hp - hq;
        Vec3 out;
        for (int i = 0; i < 3; ++i) out[i] = quotient(hp * (*q)[i] - hq * (*p)[i], all);
        return out;
    }
};

void add(Intersection& to, const Place& place) { to.points[to.count++] = place.point(); }

/// Where the edge p–q, whose ends are on these sides of the other triangle's plane, meets that plane.
Place end_of(const Vec3* p, int side_p, const Vec3* q, int side_q, const Triangle& other) {
    if (side_p == 0) return {p};
    if (side_q == 0) return {q};
    return {p, q, {&other.a, &other.b, &other.c}};
}

/// Handles two proper triangles in different planes, neither strictly on one side of the other's. `across` of
/// predicate.cpp explains the intervals; here all ends are compared. If the lone corners are on equal sides, the
/// intervals run against cross(normal of s, normal of t).
Intersection across(const Triangle& s, const Signs& s_side, const Triangle& t, const Signs& t_side, bool& used_exact) {
    const Lone ls = lone(s_side), lt = lone(t_side);
    const bool turn_s = lt.side < 0, turn_t = ls.side < 0;
    const Turned u = turn(s, ls.corner, turn_s), v = turn(t, lt.corner, turn_t);
    const auto compare = [&](const Vec3* end_s, const Vec3* end_t) {
        return orient3d(*u.p, *end_s, *v.p, *end_t, used_exact);
    };
    const int first = compare(u.q, v.q), second = compare(u.r, v.r);
    if (first > 0 || second < 0) return {};

    const auto end_s = [&](const Vec3* q, int step) {
        return end_of(u.p, s_side[ls.corner], q, s_side[(ls.corner + step) % 3], t);
    };
    const auto end_t = [&](const Vec3* q, int step) {
        return end_of(v.p, t_side[lt.corner], q, t_side[(lt.corner + step) % 3], s);
    };
    const Place s_from = end_s(u.q, 1 + turn_s), s_to = end_s(u.r, 2 - turn_s);
    const Place t_from = end_t(v.r, 2 - turn_t), t_to = end_t(v.q, 1 + turn_t);
    // Ends in the same place: a corner needs no computing.
    const auto choose = [](int order, const Place& x, const Place& y) {
        return order > 0 || (order == 0 && x.corner()) ? x : y;
    };
    Intersection out;
    const bool passing = straddles(s_side) && straddles(t_side);
    out.meeting = first < 0 && second > 0 && passing ? Meeting::Crossing : Meeting::Touching;
    add(out, choose(compare(u.q, v.r), s_from, t_from));
    const bool point = first == 0 || second == 0 || s_side[ls.corner] == 0 || t_side[lt.corner] == 0;
    if (point) return out;
    add(out, choose(-compare(u.r, v.q), s_to, t_to));
    if (ls.side == lt.side) std::swap(out.points[0], out.points[1]);
    return out;
}

/// A triangle, segment or point seen along an axis; a triangle turns left.
struct Shape {
    std::array<const Vec3*, 3> corner;
    int corners;

    Shape(const Triangle& t, int turn) : corner{&t.a, turn > 0 ? &t.b : &t.c, turn > 0 ? &t.c : &t.b}, corners(3) {}
    explicit Shape(const Segment& s) : corner{&s.from, &s.to}, corners(s.point() ? 1 : 2) {}

    int edges() const { return corners == 3 ? 3 : corners - 1; }
    const Vec3* from(int edge) const { return corner[edge]; }
    const Vec3* to(int edge) const { return corner[(edge + 1) % corners]; }
};

/// Two shapes in one plane. Their intersection is spanned by the corners of each that are in the other, and by
/// the points where two edges cross in the inside of both: each of these is a corner of the common part, which has no
/// others.
class InPlane {
public:
    InPlane(const Shape& s, const Shape& t, int axis, bool& used_exact) : shape_{s, t}, axis_(axis) {
        for (int x = 0; x < 2; ++x)
            for (int e = 0; e < shape_[x].edges(); ++e)
                for (int v = 0; v < other(x).corners; ++v)
                    side_[x][e][v] =
                        orient_along(axis, *shape_[x].from(e), *shape_[x].to(e), *other(x).corner[v], used_exact);
        add_corners(0);
        add_corners(1);
        add_crossings();
    }

    /// If it is a polygon, it turns left.
    Intersection common() const {
        Intersection out;
        if (count_ == 0) return out;
        out.meeting = count_ > 2 ? Meeting::Overlapping : Meeting::Touching;
        int next[6] = {1, 0};
        if (count_ > 2) find_next(next);
        for (int i = 0, k = 0; i < count_; ++i, k = next[k]) add(out, places_[k]);
        return out;
    }

private:
    const Shape& other(int x) const { return shape_[1 - x]; }
    /// The bit of an edge's line. Edges count modulo three.
    static unsigned line(int x, int edge) { return 1u << (3 * x + edge % 3); }

    void take(const Place& place, unsigned lines) {
        places_[count_] = place;
        lines_[count_++] = lines;
    }

    /// True when corner v of shape x is in the other shape. Sets the lines of both shapes on which the corner lies.
    bool inside(int x, int v, unsigned& lines) const {
        const Vec3& p = *shape_[x].corner[v];
        const Shape& in = other(x);
        if (in.corners == 1) return p == *in.corner[0];
        lines = shape_[x].corners == 3 ? line(x, v) | line(x, v + 2) : 0;
        for (int e = 0; e < in.edges(); ++e) {
            const int side = side_[1 - x][e][v];
            if (side < 0 || (side > 0 && in.corners == 2)) return false;
            if (side == 0) lines |= line(1 - x, e);
        }
        // The ends of a segment are in lexicographic order.
        return in.corners == 3 || (!before(p, *in.corner[0]) && !before(*in.corner[1], p));
    }

    void add_corners(int x) {
        for (int v = 0; v < shape_[x].corners; ++v) {
            unsigned lines = 0;
            if (!inside(x, v, lines)) continue;
            bool known = false;
            for (int k = 0; k < count_ && x == 1; ++k) known |= *places_[k].p == *shape_[x].corner[v];
            if (!known) take({shape_[x].corner[v]}, lines);
        }
    }

    void add_crossings() {
        const auto cut = [&](int x, int e, int f) {
            return side_[x][e][f] * side_[x][e][(f + 1) % other(x).corners] < 0;
        };
        for (int e = 0; e < shape_[0].edges(); ++e)
            for (int f = 0; f < shape_[1].edges(); ++f)
                if (cut(0, e, f) && cut(1, f, e))
                    take({shape_[0].from(e), shape_[0].to(e), {shape_[1].from(f), shape_[1].to(f), nullptr, axis_}},
                         line(0, e) | line(1, f));
    }

    /// Each side of the polygon is on the line of an edge, and no line has more than two of its corners.
    void find_next(int* next) const {
        for (int x = 0; x < 2; ++x)
            for (int e = 0; e < 3; ++e) {
                int on[2], found = 0;
                for (int k = 0; k < count_; ++k)
                    if (lines_[k] & line(x, e)) on[found++] = k;
                if (found == 2) next[on[!starts(on[0], x, e)]] = on[starts(on[0], x, e)];
            }
    }

    /// True when edge e of x enters the polygon at corner k, and false when it leaves it there. If the edge itself does
    /// not begin or end there, it begins outside one of the other triangle's lines through k or inside all of them.
    bool starts(int k, int x, int e) const {
        if (lines_[k] & line(x, e + 2)) return true;
        if (lines_[k] & line(x, e + 1)) return false;
        for (int f = 0; f < 3; ++f)
            if ((lines_[k] & line(1 - x, f)) && side_[1 - x][f][e] < 0) return true;
        return false;
    }

    std::array<Shape, 2> shape_;
    int axis_;
    int side_[2][3][3];  ///< sides of the other's corners against the edges of a shape
    std::array<Place, 6> places_;
    unsigned lines_[6];  ///< lines of edges on which a place lies, for two triangles
    int count_ = 0;
};

/// Handles a proper triangle, seen along `view`, with a segment or point.
Intersection with_segment(const Triangle& t, View view, const Segment& s, bool& used_exact) {
    const Plane plane(t.a, t.b, t.c);
    const int from = plane.side(s.from, used_exact), to = plane.side(s.to, used_exact);
    if (from * to > 0) return {};
    if (from == 0 && to == 0) return InPlane(Shape(t, view.turn), Shape(s), view.axis, used_exact).common();
    const Signs pass{orient3d(s.from, s.to, t.a, t.b, used_exact), orient3d(s.from, s.to, t.b, t.c, used_exact),
                     orient3d(s.from, s.to, t.c, t.a, used_exact)};
    if (straddles(pass)) return {};
    Intersection out;
    out.meeting = from * to < 0 && pass[0] && pass[1] && pass[2] ? Meeting::Crossing : Meeting::Touching;
    add(out, end_of(&s.from, from, &s.to, to, t));
    return out;
}

Intersection of_segments(const Segment& s, const Segment& t, bool& used_exact) {
    if (orient3d(s.from, s.to, t.from, t.to, used_exact) != 0) return {};
    const View view = common_view(s, t, used_exact);
    if (view.turn) return InPlane(Shape(s), Shape(t), view.axis, used_exact).common();
    const Vec3 from = before(s.from, t.from) ? t.from : s.from, to = before(s.to, t.to) ? s.to : t.to;
    if (before(to, from)) return {};
    return {Meeting::Touching, from == to ? 1 : 2, {from, to}};
}

/// Handles triangles in one plane, or without area: some triple of signs was all zero.
Intersection special(const Triangle& s, const Triangle& t, bool& used_exact) {
    const View view = best_view(t.a, t.b, t.c, used_exact);
    if (!view.turn) {
        const View other = best_view(s.a, s.b, s.c, used_exact);
        if (other.turn) return with_segment(s, other, segment_of(t), used_exact);
        return of_segments(segment_of(s), segment_of(t), used_exact);
    }
    const int turn = orient_along(view.axis, s.a, s.b, s.c, used_exact);
    if (!turn) return with_segment(t, view, segment_of(s), used_exact);
    Intersection out = InPlane(Shape(s, turn), Shape(t, view.turn), view.axis, used_exact).common();
    if (turn < 0) std::reverse(out.points.begin(), out.points.begin() + out.count);
    return out;
}

}  // namespace
}  // namespace detail

Intersection intersection(const Triangle& s, const Triangle& t) {
    using namespace detail::triangle_cases;
    const detail::DefaultFloats floats;
    bool used_exact = false;
    const detail::Plane t_plane(t.a, t.b, t.c), s_plane(s.a, s.b, s.c);
    const Signs s_side{t_plane.side(s.a, used_exact), t_plane.side(s.b, used_exact), t_plane.side(s.c, used_exact)};
    if (one_side(s_side)) return {};
    if (all_zero(s_side)) return detail::special(s, t, used_exact);
    const Signs t_side{s_plane.side(t.a, used_exact), s_plane.side(t.b, used_exact), s_plane.side(t.c, used_exact)};
    if (one_side(t_side)) return {};
    if (all_zero(t_side)) return detail::special(s, t, used_exact);
    return detail::across(s, s_side, t, t_side, used_exact);
}

}  // namespace graze
