// SPDX-License-Identifier: Apache-2.0
// Lin and Canny's walk. A state is a pair of features and the nearest point of each to the other. While one point
// violates a constraint plane of the other feature's Voronoi region, the feature beyond that plane replaces it.
//
// Why the walk ends, in real arithmetic: while the hulls are apart, each step makes the distance of the two features
// smaller, and there are finitely many pairs. A point below a face is looked up in the pseudo-internal regions, the
// cones from the hull's centre c over its faces (I-COLLIDE paper, section 4.1.3). The cone of face f is where n_f · (p
// − c) / n_f · (v_f − c) is largest. Each step across a plane of a cone makes this value larger, as computed too, so
// this part ends as well, with the point inside the hull or above a face. That face may be further away than the state
// was, so such jumps could go round in circles, and rounding can undo the first argument. The walk therefore stops when
// nothing has come nearer for a while, and its result must be confirmed by supports of both hulls along the direction
// between the points. If they do not confirm the distance, GJK answers, and the walk is tried once more from where GJK
// ended. If that is not confirmed either and the hulls are small, all pairs of features are tried.
#include "hull/closest_features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/float_environment.hpp"
#include "model/access.hpp"

namespace graze::detail {

namespace {

using Kind = Feature::Kind;
constexpr double u = 0x1p-53;
constexpr double infinity = std::numeric_limits<double>::infinity();
/// A plane counts as violated from this angle on. Ignoring smaller violations costs at most 8u of a feature's size.
constexpr double violated = 0x1p-50;
/// Squared sine of the angle below which the cross product of two edges is not used as their normal.
constexpr double parallel = 0x1p-40;
/// Number of evaluations in a row that come no nearer before a walk stops.
constexpr int patience = 16;

double square(const Vec3& v) { return dot(v, v); }
/// The part of w perpendicular to d. Between close points w is as inaccurate as they are, and an edge is a long lever.
Vec3 across(const Vec3& w, const Vec3& d) { return w - d * (dot(w, d) / dot(d, d)); }
double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

/// v · 2^e.
Vec3 scaled(const Vec3& v, int e) {
    if (std::abs(e) < 1000) return v * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + e) << 52);
    return {std::ldexp(v.x, e), std::ldexp(v.y, e), std::ldexp(v.z, e)};
}
double scaled(double v, int e) { return scaled(Vec3{v, 0, 0}, e).x; }

/// row · v + s, rounded about once: the errors of products and sums are carried along.
double sum(const Vec3& row, const Vec3& v, double s) {
    double error = 0;
    for (int i = 0; i < 3; ++i) {
        const double p = row[i] * v[i];
        const double next = s + p, back = next - s;
        error += std::fma(row[i], v[i], -p) + ((s - (next - back)) + (p - back));
        s = next;
    }
    return s + error;
}

}  // namespace

/// `rounding`: let m be the matrix's largest entry, |p| and |q| the largest coordinates of A and B. Queries round a
/// mapped point by 11u m|q| + u|t| per coordinate, 20u (m|q| + |t|) in length. Local coordinates relative to an origin
/// that is not zero are off by 2u of themselves. Products with a direction and the offset, each of length at most |p| +
/// 6m|q| + |t|, are off by 8u. 64u (|p| + 6m|q| + |t|) exceeds these together. At least one of the three terms is 1/8
/// of a unit or more, so numbers that underflow do not matter.
HullPair::HullPair(const HullData& ha, const HullData& hb, const Affine& a_from_b) : a{ha, 1}, b{hb, {}, {}, {}, 1} {
    const Mat3& m = a_from_b.linear();
    const Vec3& t = a_from_b.translation();
    double most = 2;
    int shift = 1;
    if (!a_from_b.rigid()) {
        most = std::max({largest(m.row[0]), largest(m.row[1]), largest(m.row[2])});
        shift = std::ilogb(most) + 1;
    }
    const bool centred = ha.origin == Vec3{} && hb.origin == Vec3{};
    const double far = centred ? largest(t) : std::max({largest(t), largest(ha.origin), most * largest(hb.origin)});
    exponent = std::max(ha.exponent, hb.exponent + shift);
    if (far > 0) exponent = std::max(exponent, std::ilogb(far) + 2);
    a.scale = scaled(1, ha.exponent - exponent);
    for (int i = 0; i < 3; ++i) b.matrix.row[i] = scaled(m.row[i], hb.exponent - exponent);
    b.offset = scaled(t, -exponent);
    if (!centred) {
        const Vec3 at_a = scaled(ha.origin, -exponent), at_b = scaled(hb.origin, -exponent);
        for (int i = 0; i < 3; ++i) {
            // B's origin relative to A's. The two may nearly cancel.
            const double high = b.offset[i] - at_a[i], back = high - b.offset[i];
            const double low = (b.offset[i] - (high - back)) - (at_a[i] + back);
            b.offset[i] = sum(m.row[i], at_b, high) + low;
        }
    }
    Mat3 unit = m;
    if (!a_from_b.rigid())
        for (Vec3& row : unit.row) row = scaled(row, -shift);
    b.cofactors = {{cross(unit.row[1], unit.row[2]), cross(unit.row[2], unit.row[0]), cross(unit.row[0], unit.row[1])}};
    if (dot(unit.row[0], b.cofactors.row[0]) < 0) {
        b.turn = -1;
        for (Vec3& row : b.cofactors.row) row = -row;
    }
    reach = a.scale * ha.radius + scaled(most * hb.radius, hb.exponent - exponent) + largest(b.offset);
    rounding =
        64 * u *
        (scaled(ha.largest, -exponent) + 6 * most * scaled(hb.largest, -exponent) + scaled(largest(t), -exponent));
}

namespace {

enum class Move { Done, Stepped, Overlap };

class Walk {
public:
    explicit Walk(const HullPair& p) : pair(p) {}

    /// Walks from the features of `now` until the walk ends, and leaves the nearest state seen in `now`.
    void run() {
        Nearest best = now;
        double least = infinity;
        for (int stalled = 0; stalled < patience; ++stalled) {
            measured = infinity;
            const Move move = dispatch();
            if (move == Move::Overlap || measured == 0) {
                now.overlap = true;
                return;
            }
            if (move == Move::Done) return;
            ++steps;
            if (measured < least) least = measured, best = seen, stalled = 0;
        }
        now = best;
        measured = least;
    }
    double distance() const { return std::sqrt(measured); }

    /// Finds the nearest pair among all features, for hulls that have no point in common. False, without a change, if
    /// there are too many.
    bool exhaust() {
        const HullData &ha = pair.a.hull, &hb = pair.b.hull;
        const auto all = [](const HullData& h) { return h.vertices.size() + h.edges.size() + h.faces.size(); };
        if (all(ha) * all(hb) > 1u << 16) return false;
        Nearest best = now;
        double least = infinity;
        for (const Kind ka : {Kind::Vertex, Kind::Edge, Kind::Face})
            for (const Kind kb : {Kind::Vertex, Kind::Edge, Kind::Face}) {
                if (static_cast<int>(ka) + static_cast<int>(kb) > 2) continue;  // a side of the face covers this
                for (std::uint32_t i = 0; i < ha.count(ka); ++i)
                    for (std::uint32_t j = 0; j < hb.count(kb); ++j) {
                        now = {{ka, i}, {kb, j}, {}, {}, false};
                        measured = infinity;
                        dispatch();
                        if (measured < least) least = measured, best = seen;
                    }
            }
        now = best;
        measured = least;
        return true;
    }

    const HullPair& pair;
    Nearest now;
    std::uint32_t steps = 0;

private:
    Move dispatch() {
        const int kinds = 3 * static_cast<int>(now.a.kind) + static_cast<int>(now.b.kind);
        Nearest& n = now;
        switch (kinds) {
            case 0:
                return vertex_vertex();
            case 1:
                return vertex_edge(pair.a, n.a, n.at_a, pair.b, n.b, n.at_b);
            case 2:
                return vertex_face(pair.a, n.a, n.at_a, pair.b, n.b, n.at_b);
            case 3:
                return vertex_edge(pair.b, n.b, n.at_b, pair.a, n.a, n.at_a);
            case 4:
                return edge_edge();
            case 5:
                return edge_face(pair.a, n.a, n.at_a, pair.b, n.b, n.at_b);
            case 6:
                return vertex_face(pair.b, n.b, n.at_b, pair.a, n.a, n.at_a);
            case 7:
                return edge_face(pair.b, n.b, n.at_b, pair.a, n.a, n.at_a);
            default:
                n.a = {Kind::Vertex, pair.a.hull.corners_of(n.a.index)[0]};
                return Move::Stepped;
        }
    }

    /// Marks the state's points as final for its features.
    void measure() {
        measured = square(now.at_b - now.at_a);
        seen = now;
    }

    /// Steps to the edge at the vertex that goes most steeply along w, if there is one.
    template <class X>
    static bool leave_vertex(const X& x, Feature& f, const Vec3& w) {
        const Vec3 local = x.pulled(w);
        const Vec3& from = x.hull.vertices[f.index];
        double best = violated * violated * square(local);
        std::uint32_t edge = none;
        for (const std::uint32_t e : x.hull.spokes_of(f.index)) {
            const Vec3 d = x.hull.vertices[x.hull.other_end(e, f.index)] - from;
            const double along = dot(local, d);
            if (along > 0 && along * along > best * square(d)) best = along * along / square(d), edge = e;
        }
        if (edge == none) return false;
        f = {Kind::Edge, edge};
        return true;
    }

    /// Steps to the face at the edge that w points into.
    template <class X>
    static bool leave_edge(const X& x, Feature& f, const Vec3& d, const Vec3& w) {
        const HullEdge& e = x.hull.edges[f.index];
        if (e.f[0] == none) return false;
        const Vec3 n = x.normal(e.f[0]), m = x.normal(e.f[1]);
        const double left = dot(w, x.leftwards(n, d)), right = -dot(w, x.leftwards(m, d));
        const double bound = violated * violated * square(w) * square(d);
        const bool into_n = left > 0 && left * left > bound * square(n);
        const bool into_m = right > 0 && right * right > bound * square(m);
        if (!into_n && !into_m) return false;
        // If w points into both, because the edge is sharp or the hull flat, takes the face that the point is above.
        const bool take_n = into_n && (!into_m || dot(w, n) * std::sqrt(square(m)) >= dot(w, m) * std::sqrt(square(n)));
        f = {Kind::Face, e.f[take_n ? 0 : 1]};
        return true;
    }

    Move vertex_vertex() {
        now.at_a = pair.a.vertex(now.a.index);
        now.at_b = pair.b.vertex(now.b.index);
        measure();
        const Vec3 w = now.at_b - now.at_a;
        return leave_vertex(pair.a, now.a, w) || leave_vertex(pair.b, now.b, -w) ? Move::Stepped : Move::Done;
    }

    template <class X, class Y>
    Move vertex_edge(const X& x, Feature& fx, Vec3& px, const Y& y, Feature& fy, Vec3& py) {
        px = x.vertex(fx.index);
        const HullEdge& e = y.hull.edges[fy.index];
        const Vec3 from = y.vertex(e.v[0]), to = y.vertex(e.v[1]), d = to - from;
        const double dd = square(d), t = dot(px - from, d);
        if (!(t > 0) || t >= dd) {
            fy = {Kind::Vertex, e.v[t > 0 ? 1 : 0]};
            return Move::Stepped;
        }
        py = 2 * t < dd ? from + d * (t / dd) : to + d * ((t - dd) / dd);
        measure();
        const Vec3 w = across(px - py, d);
        return leave_edge(y, fy, d, w) || leave_vertex(x, fx, -w) ? Move::Stepped : Move::Done;
    }

    Move edge_edge() {
        const HullEdge &ea = pair.a.hull.edges[now.a.index], &eb = pair.b.hull.edges[now.b.index];
        const Vec3 p = pair.a.vertex(ea.v[0]), a = pair.a.vertex(ea.v[1]) - p;
        const Vec3 q = pair.b.vertex(eb.v[0]), b = pair.b.vertex(eb.v[1]) - q;
        const Vec3 n = cross(a, b), r = q - p;
        const double aa = square(a), bb = square(b), nn = square(n), ab = dot(a, b);
        // Takes the first line's point nearest to the second line, then the second segment's point nearest to that,
        // then back.
        double s = nn > 0 ? std::clamp(dot(cross(r, b), n) / nn, 0.0, 1.0) : 0.5;
        double t = bb > 0 ? (s * ab - dot(r, b)) / bb : 0;
        if (!(t > 0 && t < 1)) {
            t = t > 0 ? 1 : 0;
            s = aa > 0 ? std::clamp((t * ab + dot(r, a)) / aa, 0.0, 1.0) : 0;
        }
        now.at_a = p + a * s;
        now.at_b = q + b * t;
        const bool end_a = s <= 0 || s >= 1, end_b = t <= 0 || t >= 1;
        if (end_a) now.a = {Kind::Vertex, ea.v[s >= 1 ? 1 : 0]};
        if (end_b) now.b = {Kind::Vertex, eb.v[t >= 1 ? 1 : 0]};
        if (end_a || end_b) return Move::Stepped;
        measure();
        // The direction is along the common normal, which stays accurate when the edges are close.
        Vec3 w = now.at_b - now.at_a;
        if (nn > parallel * aa * bb) w = dot(w, n) < 0 ? -n : n;
        return leave_edge(pair.a, now.a, a, w) || leave_edge(pair.b, now.b, b, -w) ? Move::Stepped : Move::Done;
    }

    /// The face whose cone holds p, searched from a face that has p below it.
    template <class Y>
    static std::uint32_t cone(const Y& y, std::uint32_t f, const Vec3& p) {
        if (y.hull.dimension == 2) return 1 - f;
        const Vec3 c = y.centre(), d = p - c;
        const auto gauge = [&](std::uint32_t g) {
            const Vec3 n = y.normal(g);
            return dot(n, d) / dot(n, y.vertex(y.hull.corners[y.hull.faces[g].first]) - c);
        };
        double value = gauge(f);
        for (std::uint32_t from = none; from != f;) {
            from = f;
            for (const std::uint32_t e : y.hull.sides_of(from)) {
                const HullEdge& edge = y.hull.edges[e];
                const std::uint32_t g = edge.f[edge.f[0] == from ? 1 : 0];
                if (const double v = gauge(g); v > value) value = v, f = g;
            }
        }
        return f;
    }

    template <class Y>
    static double height(const Y& y, std::uint32_t f, const Vec3& n, const Vec3& p) {
        return dot(n, p - y.vertex(y.hull.corners[y.hull.faces[f].first]));
    }

    /// Handles a point below the face: it is inside the hull, or above another face, to which the walk then steps.
    template <class Y>
    static Move below(const Vec3& p, const Y& y, Feature& f, Vec3& at) {
        f.index = cone(y, f.index, p);
        if (y.hull.dimension < 3 || height(y, f.index, y.normal(f.index), p) > 0) return Move::Stepped;
        at = p;
        return Move::Overlap;
    }

    /// Among the sides of the face that p is beyond, the one nearest to p; none if p is beyond none.
    template <class Y>
    static std::uint32_t side_towards(const Y& y, std::uint32_t f, const Vec3& n, const Vec3& p) {
        const auto corners = y.hull.corners_of(f);
        double least = infinity;
        std::uint32_t side = none;
        Vec3 from = y.vertex(corners.back());
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Vec3 to = y.vertex(corners[i]), d = to - from, w = p - from;
            if (dot(y.leftwards(n, d), w) < 0) {
                const double t = std::clamp(dot(w, d) / square(d), 0.0, 1.0);
                if (const double far = square(w - d * t); far < least)
                    least = far, side = y.hull.sides_of(f)[i == 0 ? corners.size() - 1 : i - 1];
            }
            from = to;
        }
        return side;
    }

    template <class X, class Y>
    Move vertex_face(const X& x, Feature& fx, Vec3& px, const Y& y, Feature& fy, Vec3& py) {
        px = x.vertex(fx.index);
        const Vec3 n = y.normal(fy.index);
        const double h = height(y, fy.index, n, px);
        if (h < 0) return below(px, y, fy, py);
        if (const std::uint32_t side = side_towards(y, fy.index, n, px); side != none) {
            fy = {Kind::Edge, side};
            return Move::Stepped;
        }
        py = px - n * (h / square(n));
        measure();
        measured = h * h / square(n);
        return leave_vertex(x, fx, -n) ? Move::Stepped : Move::Done;
    }

    /// Handles an edge over or under the face: its part there comes down to a corner or across a side of the face, or
    /// goes through the face.
    template <class X, class Y>
    Move edge_face(const X& x, Feature& fx, Vec3& px, const Y& y, Feature& fy, Vec3& py) {
        const HullEdge& e = x.hull.edges[fx.index];
        const Vec3 p = x.vertex(e.v[0]), d = x.vertex(e.v[1]) - p, n = y.normal(fy.index);
        const auto corners = y.hull.corners_of(fy.index), sides = y.hull.sides_of(fy.index);
        double low = 0, high = 1;
        std::uint32_t low_side = none, high_side = none;
        Vec3 from = y.vertex(corners[0]);
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Vec3 to = y.vertex(corners[i + 1 < corners.size() ? i + 1 : 0]), in = y.leftwards(n, to - from);
            const double s = dot(in, p - from), along = dot(in, d);
            if (along < 0 && s + along < 0) {
                if (const double t = -s / along; t < high) high = t, high_side = sides[i];
            } else if (along > 0 && s < 0) {
                if (const double t = -s / along; t > low) low = t, low_side = sides[i];
            } else if (along == 0 && s < 0) {
                high = -1;
            }
            from = to;
        }
        if (low > high) {  // no part of the edge is over the face
            const std::uint32_t side = side_towards(y, fy.index, n, px);
            fy = {Kind::Edge, side == none ? sides[0] : side};
            return Move::Stepped;
        }
        const double base = height(y, fy.index, n, p), slope = dot(n, d);
        const double at_low = base + slope * low, at_high = base + slope * high;
        if ((at_low <= 0) != (at_high <= 0)) {
            px = py = p + d * std::clamp(-base / slope, low, high);
            return Move::Overlap;
        }
        if (at_low < 0) {
            px = p + d * (0.5 * (low + high));
            return below(px, y, fy, py);
        }
        const bool down = at_high < at_low;
        const std::uint32_t side = down ? high_side : low_side;
        if (side != none)
            fy = {Kind::Edge, side};
        else
            fx = {Kind::Vertex, e.v[down ? 1 : 0]};
        return Move::Stepped;
    }

    Nearest seen;
    double measured = infinity;  ///< squared distance of the points, if a step computed their final positions
};

/// A lower bound, up to `rounding`, of the distance of the models along w, from A to B. For a direction so short that
/// its square or products with it might underflow, nothing is known.
double gap_along(const HullPair& pair, const Vec3& w, const Feature& fa, const Feature& fb) {
    if (!(square(w) > 0x1p-800)) return -infinity;
    const double top = outer_bound(pair.a.hull, pair.a.pulled(w), fa);
    const double bottom = outer_bound(pair.b.hull, pair.b.pulled(-w), fb);
    return (dot(w, pair.b.offset) - bottom - top) / std::sqrt(square(w));
}

/// The distance of the vertices along w. It is not certain, because models may stick out of their hulls, but close for
/// every hull.
double vertex_gap(const HullPair& pair, const Vec3& w) {
    double top = -infinity, bottom = infinity;
    const Vec3 a = pair.a.pulled(w), b = pair.b.pulled(w);
    for (const Vec3& v : pair.a.hull.vertices) top = std::max(top, dot(a, v));
    for (const Vec3& v : pair.b.hull.vertices) bottom = std::min(bottom, dot(b, v));
    return (dot(w, pair.b.offset) + bottom - top) / std::sqrt(square(w));
}

/// The direction of the shortest way from A to B according to the features. Their own normals stay accurate when the
/// points are close.
Vec3 direction(const HullPair& pair, const Nearest& n) {
    if (n.a.kind == Kind::Face) return pair.a.normal(n.a.index);
    if (n.b.kind == Kind::Face) return -pair.b.normal(n.b.index);
    const Vec3 w = n.at_b - n.at_a;
    const auto along = [](const auto& x, const Feature& f) {
        return x.vertex(x.hull.edges[f.index].v[1]) - x.vertex(x.hull.edges[f.index].v[0]);
    };
    if (n.a.kind == Kind::Vertex) return n.b.kind == Kind::Vertex ? w : across(w, along(pair.b, n.b));
    const Vec3 a = along(pair.a, n.a);
    if (n.b.kind == Kind::Vertex) return across(w, a);
    const Vec3 b = along(pair.b, n.b), c = cross(a, b);
    if (square(c) > parallel * square(a) * square(b)) return dot(c, w) < 0 ? -c : c;
    return across(w, a);
}

/// Whether the points' distance is the least: in no direction are the hulls further apart, and in one they are as far
/// apart. `gap` receives the best lower bound that is certain.
bool confirm(const HullPair& pair, const Nearest& n, double distance, double& gap) {
    const double enough = distance * (1 - 1e-13) - 64 * u * pair.reach;
    const Vec3 w = direction(pair, n);
    gap = gap_along(pair, w, n.a, n.b);
    if (gap >= enough) [[likely]]
        return true;
    if (vertex_gap(pair, w) >= enough) return true;
    // Points this close have no reliable direction, but the faces beside them have.
    bool found = false;
    const auto consider = [&](const Vec3& normal, const Feature& fa, const Feature& fb) {
        if (dot(normal, w) <= 0) return;
        gap = std::max(gap, gap_along(pair, normal, fa, fb));
        found = found || gap >= enough || vertex_gap(pair, normal) >= enough;
    };
    const auto faces = [](const HullData& h, const Feature& f, auto each) {
        if (f.kind == Kind::Edge && h.edges[f.index].f[0] != none)
            for (const std::uint32_t g : h.edges[f.index].f) each(g);
        if (f.kind == Kind::Vertex && !h.faces.empty())
            for (std::uint32_t i = h.fan[f.index]; i < std::min(h.fan[f.index + 1], h.fan[f.index] + 16); ++i)
                each(h.webs[i]);
    };
    faces(pair.a.hull, n.a, [&](std::uint32_t f) { consider(pair.a.normal(f), {Kind::Face, f}, n.b); });
    faces(pair.b.hull, n.b, [&](std::uint32_t f) { consider(-pair.b.normal(f), n.a, {Kind::Face, f}); });
    return found;
}

bool valid(const HullData& hull, const Feature& f) {
    return f.kind <= Kind::Face && f.index < hull.count(f.kind) && (f.kind != Kind::Vertex || !hull.edges.empty());
}

/// Starts at the vertices that are farthest towards the other hull.
void set_out(const HullPair& pair, Nearest& n) {
    const Vec3 w = pair.b.centre() - pair.a.centre();
    n.a = {Kind::Vertex, climb(pair.a.hull, pair.a.pulled(w), 0)};
    n.b = {Kind::Vertex, climb(pair.b.hull, pair.b.pulled(-w), 0)};
}

}  // namespace

}  // namespace graze::detail

namespace graze {

ClosestFeatures closest_features(const Hull& a, const Hull& b, const Affine& a_from_b, FeaturePair* start) {
    const detail::DefaultFloats floats;
    using namespace detail;
    ClosestFeatures out;
    const HullData &ha = Access::data(a), &hb = Access::data(b);
    if (ha.dimension < 0 || hb.dimension < 0) {
        out.distance = out.separation = infinity;
        return out;
    }
    const HullPair pair(ha, hb, a_from_b);
    Walk walk(pair);
    Nearest& now = walk.now;
    if (start != nullptr && valid(ha, start->a) && valid(hb, start->b)) {
        now.a = start->a, now.b = start->b;
    } else {
        set_out(pair, now);
    }
    // A solid without faces, for which Qhull found no surface, cannot be walked on.
    const bool walkable = (ha.dimension < 3 || !ha.faces.empty()) && (hb.dimension < 3 || !hb.faces.empty());
    double distance = 0, gap = 0;
    const auto walked = [&] {
        if (!walkable) return false;
        walk.run();
        distance = walk.distance();
        return now.overlap || confirm(pair, now, distance, gap);
    };
    if (!walked()) {
        out.fallback = true;
        const double bound = gap;
        const Nearest answer = now = gjk(pair);
        const double least = std::sqrt(square(answer.at_b - answer.at_a));
        if (!answer.overlap && (!walked() || (!now.overlap && distance > least * (1 + 1e-12)))) {
            if (walkable && walk.exhaust() && walk.distance() <= least * (1 + 1e-9)) {
                distance = walk.distance();
            } else {
                now = answer;
                distance = least;
            }
            gap = std::max(bound, gap_along(pair, direction(pair, now), now.a, now.b));
        }
    }
    out.steps = walk.steps;
    out.features = {now.a, now.b};
    out.overlap = now.overlap;
    if (start != nullptr) *start = out.features;
    const auto placed = [&](const Vec3& p) { return ha.origin + scaled(p, pair.exponent); };
    out.point_a = placed(now.at_a);
    out.point_b = placed(now.at_b);
    out.distance = 0;
    if (now.overlap) return out;
    out.distance = scaled(distance, pair.exponent);
    // Scaling rounds only numbers below twice the smallest normal number.
    const double certain = std::max(0.0, scaled(gap - pair.rounding, pair.exponent));
    out.separation = certain < 0x1p-1021 ? std::nextafter(certain, 0.0) : certain;
    return out;
}

Closest distance(const Hull& a, const Hull& b, const Affine& a_from_b) { return closest_features(a, b, a_from_b); }

}  // namespace graze
