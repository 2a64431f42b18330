// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "graze/study.hpp"
#include "hull/convex_hull.hpp"
#include "model/access.hpp"

namespace graze::study {

using detail::none;
using Kind = Feature::Kind;

std::vector<Feature> neighbours(const Hull& hull, const Feature& feature) {
    const detail::HullData& h = detail::Access::data(hull);
    std::vector<Feature> out;
    if (feature.kind == Kind::Vertex) {
        for (const std::uint32_t e : h.spokes_of(feature.index)) out.push_back({Kind::Edge, e});
    } else if (feature.kind == Kind::Face) {
        for (const std::uint32_t e : h.sides_of(feature.index)) out.push_back({Kind::Edge, e});
    } else {
        const detail::HullEdge& e = h.edges[feature.index];
        for (const std::uint32_t v : e.v) out.push_back({Kind::Vertex, v});
        for (const std::uint32_t f : e.f)
            if (f != none) out.push_back({Kind::Face, f});
    }
    return out;
}

std::vector<VoronoiPlane> voronoi_region(const Hull& hull, const Feature& feature) {
    const detail::HullData& h = detail::Access::data(hull);
    std::vector<VoronoiPlane> out;
    // Adds a plane through a vertex, perpendicular to a local direction.
    const auto add = [&](const Vec3& direction, std::uint32_t vertex, const Feature& beyond) {
        const Vec3 n = direction * (1 / std::sqrt(dot(direction, direction)));
        out.push_back({n, dot(n, h.exact[vertex]), beyond});
    };
    const auto along = [&](std::uint32_t from, std::uint32_t to) { return h.vertices[to] - h.vertices[from]; };
    if (feature.kind == Kind::Vertex) {
        for (const std::uint32_t e : h.spokes_of(feature.index))
            add(along(feature.index, h.other_end(e, feature.index)), feature.index, {Kind::Edge, e});
    } else if (feature.kind == Kind::Edge) {
        const detail::HullEdge& e = h.edges[feature.index];
        const Vec3 d = along(e.v[0], e.v[1]);
        add(-d, e.v[0], {Kind::Vertex, e.v[0]});
        add(d, e.v[1], {Kind::Vertex, e.v[1]});
        if (e.f[0] != none) {
            add(cross(h.faces[e.f[0]].normal, d), e.v[0], {Kind::Face, e.f[0]});
            add(cross(d, h.faces[e.f[1]].normal), e.v[0], {Kind::Face, e.f[1]});
        }
    } else {
        const auto corners = h.corners_of(feature.index), sides = h.sides_of(feature.index);
        for (std::size_t i = 0; i < corners.size(); ++i)
            add(cross(along(corners[i], corners[(i + 1) % corners.size()]), h.faces[feature.index].normal), corners[i],
                {Kind::Edge, sides[i]});
    }
    return out;
}

bool red(const Hull& hull, const Feature& f) { return detail::red(detail::Access::data(hull), f); }

std::optional<std::uint32_t> triangle_of(const Hull& hull, const Feature& f) {
    const detail::HullData& h = detail::Access::data(hull);
    if (h.vertex_triangle.empty() || !red(hull, f)) return {};
    return f.kind == Kind::Vertex ? h.vertex_triangle[f.index]
           : f.kind == Kind::Edge ? h.edge_triangle[f.index]
                                  : h.face_triangles[h.face_fan[f.index]];
}

}  // namespace graze::study
