// SPDX-License-Identifier: Apache-2.0
#include "hull/closest_features_red.hpp"

#include <algorithm>

#include "exact/predicate.hpp"
#include "hull/closest_features.hpp"
#include "model/access.hpp"

namespace graze::detail {

namespace {

using Kind = Feature::Kind;

/// Greatest number of vertices that the search visits.
constexpr int climbs = 32;

/// Triangles of the model that have the feature: at least some of them.
std::span<const std::uint32_t> triangles(const HullData& hull, const Feature& f) {
    if (hull.vertex_triangle.empty()) return {};
    if (f.kind == Kind::Face)
        return std::span(hull.face_triangles)
            .subspan(hull.face_fan[f.index], hull.face_fan[f.index + 1] - hull.face_fan[f.index]);
    const auto& one = f.kind == Kind::Vertex ? hull.vertex_triangle : hull.edge_triangle;
    return one[f.index] == none ? std::span<const std::uint32_t>() : std::span(one).subspan(f.index, 1);
}

class Search {
public:
    Search(const Model& a, const Model& b, const Affine& a_from_b) : a_(a), b_(b), a_from_b_(a_from_b) {}

    /// Whether triangles of the two features meet. `found` receives the pair.
    bool meet_at(const HullData& a, const Feature& fa, const HullData& b, const Feature& fb) {
        for (const std::uint32_t i : triangles(a, fa))
            for (const std::uint32_t j : triangles(b, fb)) {
                if (tests_++ == red_tests) return false;
                const Triangle t = b_.triangle(j);
                bool exact = false;
                if (!meet(a_.triangle(i), {a_from_b_(t.a), a_from_b_(t.b), a_from_b_(t.c)}, exact)) continue;
                found = {i, j};
                return true;
            }
        return false;
    }

    TrianglePair found;

private:
    const Model &a_, &b_;
    const Affine& a_from_b_;
    int tests_ = 0;
};

/// The face through which a segment from p, inside the hull, to q leaves it. The search steps from a face to the
/// neighbour towards where the line crosses the face's plane. None when q is inside too, or after too many steps.
template <class Y>
std::uint32_t way_out(const Y& y, std::uint32_t f, const Vec3& p, const Vec3& q, int steps) {
    for (int step = 0; step < steps; ++step) {
        const auto corners = y.hull.corners_of(f);
        const Vec3 n = y.normal(f), base = y.vertex(corners[0]);
        const double inside = dot(n, p - base), outside = dot(n, q - base);
        const double slope = outside - inside;
        // If the line runs away from the plane, it crosses it behind p. The search then goes towards the end of the
        // segment.
        const Vec3 at = slope > 0 ? p + (q - p) * (-inside / slope) : q;
        double farthest = 0;
        std::uint32_t next = none;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Vec3 from = y.vertex(corners[i]), to = y.vertex(corners[i + 1 < corners.size() ? i + 1 : 0]);
            const Vec3 in = y.leftwards(n, to - from);
            const double beyond = dot(in, from - at);
            if (beyond > 0 && beyond * beyond > farthest * dot(in, in)) {
                farthest = beyond * beyond / dot(in, in);
                const HullEdge& e = y.hull.edges[y.hull.sides_of(f)[i]];
                next = e.f[e.f[0] == f ? 1 : 0];
            }
        }
        if (next == none) return outside > 0 ? f : none;
        f = next;
    }
    return none;
}

/// Climbs from a vertex below a face of the other hull to where edges rise above the face: these leave the hull there
/// or nearby. Ends when `test(edge, face)` is true.
template <class X, class Y, class Test>
bool from_below(const X& x, std::uint32_t v, const Y& y, std::uint32_t f, Test test) {
    const Vec3 n = y.normal(f), up = x.pulled(n);
    const double top = dot(n, y.vertex(y.hull.corners[y.hull.faces[f].first]) - x.vertex(v));
    const Vec3 start = x.hull.vertices[v];
    for (int step = 0; step < climbs; ++step) {
        double highest = dot(up, x.hull.vertices[v] - start);
        std::uint32_t next = v;
        int rising = 0, tried = 0;
        for (const std::uint32_t e : x.hull.spokes_of(v)) {
            const std::uint32_t end = x.hull.other_end(e, v);
            const double height = dot(up, x.hull.vertices[end] - start);
            if (height > highest) highest = height, next = end;
            rising += height > top;
            if ((height <= top && step > 0) || ++tried > 6) continue;
            const std::uint32_t out = way_out(y, f, x.vertex(v), x.vertex(end), height > top ? 8 : 2);
            if (out != none && test(Feature{Kind::Edge, e}, Feature{Kind::Face, out})) return true;
        }
        if (rising > 0 || next == v) return false;
        v = next;
    }
    return false;
}

}  // namespace

std::optional<TrianglePair> red_overlap(const Hull& hull_a, const Model& model_a, const Hull& hull_b,
                                        const Model& model_b, const Affine& a_from_b, const FeaturePair& features) {
    const HullData &a = Access::data(hull_a), &b = Access::data(hull_b);
    const auto valid = [](const HullData& h, const Feature& f) { return f.index < h.count(f.kind); };
    if (!valid(a, features.a) || !valid(b, features.b)) return {};
    Search search(model_a, model_b, a_from_b);
    if (search.meet_at(a, features.a, b, features.b)) return search.found;
    const HullPair pair(a, b, a_from_b);
    const auto vertex = [](const HullData& h, const Feature& f) {
        return f.kind == Kind::Vertex ? f.index : h.edges[f.index].v[0];
    };
    bool found = false;
    if (features.b.kind == Kind::Face && features.a.kind != Kind::Face && b.dimension == 3)
        found = from_below(pair.a, vertex(a, features.a), pair.b, features.b.index,
                           [&](const Feature& fa, const Feature& fb) { return search.meet_at(a, fa, b, fb); });
    else if (features.a.kind == Kind::Face && features.b.kind != Kind::Face && a.dimension == 3)
        found = from_below(pair.b, vertex(b, features.b), pair.a, features.a.index,
                           [&](const Feature& fb, const Feature& fa) { return search.meet_at(a, fa, b, fb); });
    if (found) return search.found;
    return {};
}

}  // namespace graze::detail
