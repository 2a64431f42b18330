// SPDX-License-Identifier: Apache-2.0
// Finds which features of a hull belong to its model (I-COLLIDE paper, section 4.1).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "hull/convex_hull_build.hpp"

namespace graze::detail {

namespace {

double area(const HullData& hull, std::uint32_t f) {
    const auto corners = hull.corners_of(f);
    double twice = 0;
    for (std::size_t i = 2; i < corners.size(); ++i)
        twice += dot(hull.faces[f].normal, cross(hull.vertices[corners[i - 1]] - hull.vertices[corners[0]],
                                                 hull.vertices[corners[i]] - hull.vertices[corners[0]]));
    return twice;
}

/// The face around three vertices, or none.
std::uint32_t face_of(const HullData& hull, std::array<std::uint32_t, 3> v) {
    const auto webs = [&hull](std::uint32_t i) {
        return std::span(hull.webs).subspan(hull.fan[i], hull.fan[i + 1] - hull.fan[i]);
    };
    std::ranges::sort(v, {}, [&](std::uint32_t i) { return webs(i).size(); });
    for (const std::uint32_t f : webs(v[0])) {
        if (f == none) return none;
        const auto has = [f](auto faces) { return std::ranges::find(faces, f) != faces.end(); };
        if (has(webs(v[1])) && has(webs(v[2]))) return f;
    }
    return none;
}

/// `vertex_of` gives the vertex at each point of the geometry, or none.
void colour(HullData& hull, const Geometry& geometry, const std::vector<std::uint32_t>& vertex_of) {
    hull.vertex_triangle.assign(hull.vertices.size(), none);
    hull.edge_triangle.assign(hull.edges.size(), none);
    std::vector<std::vector<std::uint32_t>> within(hull.faces.size());
    std::vector<double> covered(hull.faces.size(), 0);
    for (std::uint32_t t = 0; t < geometry.triangles.size(); ++t) {
        std::array<std::uint32_t, 3> v;
        for (std::size_t i = 0; i < 3; ++i) v[i] = vertex_of[geometry.triangles[t][i]];
        for (std::size_t i = 0; i < 3; ++i) {
            const std::uint32_t p = v[i], q = v[(i + 1) % 3];
            if (p == none) continue;
            if (hull.vertex_triangle[p] == none) hull.vertex_triangle[p] = t;
            if (q == none || q == p) continue;
            for (const std::uint32_t e : hull.spokes_of(p))
                if (hull.other_end(e, p) == q && hull.edge_triangle[e] == none) hull.edge_triangle[e] = t;
        }
        if (std::ranges::find(v, none) != v.end()) continue;
        if (const std::uint32_t f = face_of(hull, v); f != none) {
            within[f].push_back(t);
            const Vec3& a = hull.vertices[v[0]];
            covered[f] += length(cross(hull.vertices[v[1]] - a, hull.vertices[v[2]] - a));
        }
    }
    if (hull.dimension == 2) within[1] = within[0], covered[1] = covered[0];
    for (std::uint32_t f = 0; f < hull.faces.size(); ++f) {
        hull.face_fan.push_back(static_cast<std::uint32_t>(hull.face_triangles.size()));
        hull.face_triangles.insert(hull.face_triangles.end(), within[f].begin(), within[f].end());
        hull.face_red.push_back(!within[f].empty() && covered[f] >= (1 - 1e-9) * area(hull, f));
    }
    hull.face_fan.push_back(static_cast<std::uint32_t>(hull.face_triangles.size()));
}

}  // namespace

std::shared_ptr<HullData> make_hull(const Geometry& geometry) {
    std::vector<bool> used(geometry.points.size(), false);
    for (const Corners& c : geometry.triangles)
        for (const std::uint32_t i : c) used[i] = true;
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i]) points.push_back(geometry.points[i]);
    auto hull = make_hull(std::move(points));
    std::vector<std::uint32_t> order(hull->exact.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto at = [&](std::uint32_t i) -> const Vec3& { return hull->exact[i]; };
    std::ranges::sort(order, before, at);
    std::vector<std::uint32_t> vertex_of(geometry.points.size(), none);
    for (std::size_t i = 0; i < vertex_of.size(); ++i) {
        const auto found = std::ranges::lower_bound(order, geometry.points[i], before, at);
        if (found != order.end() && hull->exact[*found] == geometry.points[i]) vertex_of[i] = *found;
    }
    colour(*hull, geometry, vertex_of);
    return hull;
}

}  // namespace graze::detail
