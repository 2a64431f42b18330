// SPDX-License-Identifier: Apache-2.0
#include "hull/convex_hull.hpp"

#include <algorithm>
#include <cmath>

#include "base/float_environment.hpp"
#include "hull/convex_hull_build.hpp"
#include "model/access.hpp"

namespace graze::detail {

namespace {

constexpr double u = 0x1p-53;
constexpr double infinity = std::numeric_limits<double>::infinity();

double norm(const Vec3& v) { return std::sqrt(dot(v, v)); }
double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

/// Σ λ_f outer_f + |w − Σ λ_f n_f| radius, and its rounding. Coefficients that came out negative count as zero.
template <std::size_t N>
double combined(const HullData& hull, const Vec3& w, const std::array<const HullFace*, N>& faces,
                const std::array<double, N>& lambda) {
    Vec3 rest = w;
    double bound = 0, total = 0;
    for (std::size_t i = 0; i < N; ++i) {
        const double l = lambda[i] > 0 ? lambda[i] : 0;  // NaN counts as zero
        rest = rest - faces[i]->normal * l;
        bound += l * faces[i]->outer;
        total += l;
    }
    const double size = norm(w);
    // Nothing is farther than the radius. Infinite sums exceed it.
    const double ball = hull.radius * size * (1 + 16 * u);
    const double found = bound + hull.radius * (norm(rest) + 16 * u * (size + total));
    return found < ball ? found : ball;
}

double between(const HullData& hull, const Vec3& w, const HullFace& f, const HullFace& g) {
    // w = λ f + μ g + rest, computed from the parts of f and g that are perpendicular to each other, which stay
    // accurate at small angles.
    const double c = dot(f.normal, g.normal);
    const Vec3 across_g = f.normal - g.normal * c, across_f = g.normal - f.normal * c;
    const double ff = dot(across_g, f.normal), gg = dot(across_f, g.normal);
    return combined<2>(hull, w, {&f, &g}, {dot(w, across_g) / ff, dot(w, across_f) / gg});
}

double among(const HullData& hull, const Vec3& w, const HullFace& e, const HullFace& f, const HullFace& g) {
    const Vec3 fg = cross(f.normal, g.normal);
    const double det = dot(e.normal, fg);
    return combined<3>(
        hull, w, {&e, &f, &g},
        {dot(w, fg) / det, dot(w, cross(g.normal, e.normal)) / det, dot(w, cross(e.normal, f.normal)) / det});
}

double at_edge(const HullData& hull, const Vec3& w, std::uint32_t i) {
    const HullEdge& e = hull.edges[i];
    const HullFace &f = hull.faces[e.f[0]], &g = hull.faces[e.f[1]];
    if (hull.edge_bevel[i] == none) return between(hull, w, f, g);
    return between(hull, w, hull.bevels[hull.edge_bevel[i]], dot(w, f.normal) > dot(w, g.normal) ? f : g);
}

/// Around a vertex's bevel lie the normals of its faces and, between them, the bevels of its edges.
double at_sharp_vertex(const HullData& hull, const Vec3& w, std::uint32_t v) {
    const HullFace& middle = hull.bevels[hull.vertex_bevel[v]];
    const HullFace* last = &hull.faces[hull.webs[hull.fan[v + 1] - 1]];
    const auto left = [&](const HullFace& f) { return dot(w, cross(middle.normal, f.normal)) >= 0; };
    bool last_left = left(*last);
    for (std::uint32_t i = hull.fan[v]; i < hull.fan[v + 1]; ++i) {
        const std::uint32_t bevel = hull.edge_bevel[hull.spokes[i]];
        for (const HullFace* f : {bevel == none ? nullptr : &hull.bevels[bevel], &hull.faces[hull.webs[i]]}) {
            if (f == nullptr) continue;
            const bool f_left = left(*f);
            if (last_left && !f_left) return among(hull, w, middle, *last, *f);
            last = f, last_left = f_left;
        }
    }
    return combined<1>(hull, w, {&middle}, {dot(w, middle.normal)});
}

double at_vertex(const HullData& hull, const Vec3& w, std::uint32_t v) {
    const std::uint32_t first = hull.fan[v], count = hull.fan[v + 1] - first;
    const auto face = [&](std::uint32_t i) -> const HullFace& { return hull.faces[hull.webs[first + i]]; };
    // The normals go anticlockwise around a cone. w is in one of the triangles that they form with the first.
    const Vec3& n = face(0).normal;
    const auto left = [&](std::uint32_t i) { return dot(w, cross(n, face(i).normal)) >= 0; };
    std::uint32_t low = 1, high = count - 1;
    while (high - low > 1) {
        const std::uint32_t middle = (low + high) / 2;
        (left(middle) ? low : high) = middle;
    }
    return among(hull, w, face(0), face(low), face(high));
}

}  // namespace

Vec3 HullData::local(const Vec3& p) const {
    const Vec3 d = p - origin;
    return {std::ldexp(d.x, -exponent), std::ldexp(d.y, -exponent), std::ldexp(d.z, -exponent)};
}

std::uint32_t climb(const HullData& hull, const Vec3& direction, std::uint32_t start) {
    std::uint32_t at = start < hull.vertices.size() ? start : 0;
    double height = dot(direction, hull.vertices[at]);
    if (hull.edges.empty()) {
        for (std::uint32_t v = 0; v < hull.vertices.size(); ++v)
            if (const double h = dot(direction, hull.vertices[v]); h > height) height = h, at = v;
        return at;
    }
    for (std::uint32_t from = none; from != at;) {
        from = at;
        for (const std::uint32_t e : hull.spokes_of(from)) {
            const std::uint32_t v = hull.other_end(e, from);
            if (const double h = dot(direction, hull.vertices[v]); h > height) height = h, at = v;
        }
    }
    return at;
}

double outer_bound(const HullData& hull, const Vec3& w, const Feature& at) {
    if (hull.faces.empty()) return outer_bound(hull, w);
    if (at.kind == Feature::Kind::Face) {
        const HullFace& f = hull.faces[at.index];
        return combined<1>(hull, w, {&f}, {dot(w, f.normal)});
    }
    if (at.kind == Feature::Kind::Edge) return at_edge(hull, w, at.index);
    if (hull.dimension < 3 && hull.vertex_bevel[at.index] == none) return outer_bound(hull, w);
    double bound =
        hull.vertex_bevel[at.index] != none ? at_sharp_vertex(hull, w, at.index) : at_vertex(hull, w, at.index);
    const double loose = dot(w, hull.vertices[at.index]) + 0x1p-40 * hull.radius * norm(w);
    if (bound > loose) {  // among nearly parallel normals the right three are hard to find; two may do
        for (const std::uint32_t e : hull.spokes_of(at.index)) bound = std::min(bound, at_edge(hull, w, e));
    }
    return bound;
}

double outer_bound(const HullData& hull, const Vec3& w) {
    if (hull.dimension == 3 && !hull.faces.empty()) {
        const Feature top{Feature::Kind::Vertex, climb(hull, w, 0)};
        return outer_bound(hull, w, top);
    }
    double most = -infinity;
    for (const Vec3& v : hull.vertices) most = std::max(most, dot(w, v));
    return most + norm(w) * (hull.slack + 16 * u * hull.radius);
}

}  // namespace graze::detail

namespace graze {

using Kind = Feature::Kind;

Hull::Hull() : data_(std::make_shared<const detail::HullData>()) {}
Hull::Hull(const Model& model) {
    const detail::DefaultFloats floats;
    data_ = detail::make_hull(detail::Access::data(model).geometry);
}

Result<Hull> Hull::around(const PointView& points) {
    const detail::DefaultFloats floats;
    if (points.coordinate_count() % 3 != 0)
        return Fault{FaultKind::BadIndex, "hull: the number of coordinates is not a multiple of three"};
    std::vector<Vec3> copy;
    for (std::size_t i = 0; i < points.size(); ++i) {
        copy.push_back(points[i]);
        if (!(detail::largest(copy.back()) <= max_coordinate) || std::isnan(copy.back().x) ||
            std::isnan(copy.back().y) || std::isnan(copy.back().z))
            return detail::bad_point("hull", points, 0);
    }
    return Hull(detail::make_hull(std::move(copy)));
}

int Hull::dimension() const { return data_->dimension; }
std::uint32_t Hull::vertex_count() const { return data_->count(Kind::Vertex); }
std::uint32_t Hull::edge_count() const { return data_->count(Kind::Edge); }
std::uint32_t Hull::face_count() const { return data_->count(Kind::Face); }
Vec3 Hull::vertex(std::uint32_t i) const { return data_->exact[i]; }
std::array<std::uint32_t, 2> Hull::edge(std::uint32_t i) const { return {data_->edges[i].v[0], data_->edges[i].v[1]}; }
std::span<const std::uint32_t> Hull::face(std::uint32_t i) const { return data_->corners_of(i); }
Vec3 Hull::normal(std::uint32_t face) const { return data_->faces[face].normal; }

double Hull::slack() const { return std::ldexp(data_->slack, data_->exponent); }

std::size_t Hull::bytes() const {
    const auto of = [](const auto&... v) { return (... + (v.capacity() * sizeof(v[0]))); };
    const detail::HullData& h = *data_;
    return sizeof(h) + h.face_red.capacity() / 8 +
           of(h.exact, h.vertices, h.edges, h.faces, h.corners, h.sides, h.fan, h.spokes, h.webs, h.vertex_triangle,
              h.bevels, h.edge_bevel, h.vertex_bevel, h.edge_triangle, h.face_fan, h.face_triangles);
}

std::uint32_t support(const Hull& hull, const Vec3& direction, std::uint32_t start) {
    const double size = detail::largest(direction);
    if (!(size > 0)) return start < hull.vertex_count() ? start : 0;
    const int e = -std::ilogb(size);
    return detail::climb(detail::Access::data(hull),
                         {std::ldexp(direction.x, e), std::ldexp(direction.y, e), std::ldexp(direction.z, e)}, start);
}

/// Along each axis of the world, w is a row of the matrix, and a mapped point is w · x + (w · origin) + t, with x in
/// the hull's units. Queries round it by 11u m|p| + u|t| or less (m is the largest entry, |p| the model's largest
/// coordinate). The product with the origin and local coordinates are off by 9u m|p| each. The sums here, of terms of
/// at most 6m|p| + |t|, round three times.
Box placed_box(const Hull& hull, const Affine& world_from_hull, std::array<std::uint32_t, 6>& extremes) {
    const detail::DefaultFloats floats;
    const detail::HullData& h = detail::Access::data(hull);
    if (h.dimension < 0) return {};
    Vec3 lo, hi;
    for (int i = 0; i < 3; ++i) {
        const Vec3& w = world_from_hull.linear().row[i];
        const double t = world_from_hull.translation()[i];
        const double middle = dot(w, h.origin) + t;
        const double most = detail::largest(w);
        const double slack = 64 * detail::u * (most * h.largest + std::abs(t)) + 0x1p-1060;
        const int e = most < 0x1p-300 ? std::ilogb(most) : 0;  // otherwise its square would underflow
        for (const bool upper : {false, true}) {
            std::uint32_t& at = extremes[static_cast<std::size_t>(2 * i + upper)];
            const Vec3 row = e == 0 ? w : Vec3{std::ldexp(w.x, -e), std::ldexp(w.y, -e), std::ldexp(w.z, -e)};
            const Vec3 out = upper ? row : -row;
            at = detail::climb(h, out, at);
            const double bound = std::ldexp(detail::outer_bound(h, out, {Kind::Vertex, at}), h.exponent + e) + slack;
            (upper ? hi : lo)[i] = upper ? middle + bound : middle - bound;
        }
    }
    return detail::Access::box(lo, hi);
}

}  // namespace graze
