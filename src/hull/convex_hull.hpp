// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "graze/hull.hpp"

namespace graze::detail {

inline constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Seen from outside, the face f[0] lies to the left of the edge from v[0] to v[1], and f[1] to its right. A segment
/// has no faces.
struct HullEdge {
    std::uint32_t v[2];
    std::uint32_t f[2] = {none, none};
};

struct HullFace {
    Vec3 normal;
    double outer;                ///< at least normal · x for any point x of the model
    std::uint32_t first, count;  ///< range of its corners
};

/// Coordinates are local: (p − origin) · 2^-exponent, of magnitude at most 1. The origin is zero unless the points are
/// far from it. With a zero origin, local coordinates are exact and a placement's translation needs no correction.
struct HullData {
    int dimension = -1;
    Vec3 origin;
    int exponent = 0;
    std::vector<Vec3> exact;     ///< vertices as given
    std::vector<Vec3> vertices;  ///< vertices in local coordinates
    std::vector<HullEdge> edges;
    std::vector<HullFace> faces;
    std::vector<std::uint32_t> corners, sides;     ///< per face: corner i, and the edge from it to the next
    std::vector<std::uint32_t> fan, spokes, webs;  ///< per vertex v, from fan[v] on, anticlockwise: edges, and the face
                                                   ///< after each (none for a segment)
    /// Planes that touch the hull at sharp edges and vertices only, and the index of each edge's and vertex's bevel, or
    /// none. The normals of faces that are nearly opposite make poor bases for directions between them.
    std::vector<HullFace> bevels;
    std::vector<std::uint32_t> edge_bevel, vertex_bevel;
    Vec3 centre;         ///< mean of the vertices; inside a solid
    double radius = 0;   ///< at least |x| for any point x of the model
    double slack = 0;    ///< at least the distance of any x from the hull of the vertices
    double largest = 0;  ///< largest coordinate of the model, in its own lengths

    /// Triangles of red features, `none` for others. Empty without a model.
    std::vector<std::uint32_t> vertex_triangle, edge_triangle;
    std::vector<std::uint32_t> face_fan, face_triangles;  ///< triangles within face f, from face_fan[f] on
    std::vector<bool> face_red;

    std::uint32_t count(Feature::Kind kind) const {
        return static_cast<std::uint32_t>(kind == Feature::Kind::Vertex ? vertices.size()
                                          : kind == Feature::Kind::Edge ? edges.size()
                                                                        : faces.size());
    }
    std::span<const std::uint32_t> corners_of(std::uint32_t f) const {
        return std::span(corners).subspan(faces[f].first, faces[f].count);
    }
    std::span<const std::uint32_t> sides_of(std::uint32_t f) const {
        return std::span(sides).subspan(faces[f].first, faces[f].count);
    }
    std::span<const std::uint32_t> spokes_of(std::uint32_t v) const {
        return std::span(spokes).subspan(fan[v], fan[v + 1] - fan[v]);
    }
    std::uint32_t other_end(std::uint32_t e, std::uint32_t v) const {
        return edges[e].v[0] == v ? edges[e].v[1] : edges[e].v[0];
    }
    Vec3 local(const Vec3& p) const;
};

/// Whether the feature belongs to the model: vertices always, edges and faces where a triangle of the
/// model lies there.
inline bool red(const HullData& hull, const Feature& f) {
    if (f.kind == Feature::Kind::Vertex) return true;
    if (hull.vertex_triangle.empty()) return false;
    return f.kind == Feature::Kind::Edge ? hull.edge_triangle[f.index] != none : hull.face_red[f.index];
}

/// A vertex that no neighbour exceeds along the direction, which is in local coordinates.
std::uint32_t climb(const HullData& hull, const Vec3& direction, std::uint32_t start);

/// An upper bound of w · x for any point x of the model, rounding included. It is quick and tight where w is an outward
/// normal of the feature: then w = Σ λ_f n_f + r with λ ≥ 0, over one to three of the faces and bevels there, so that
///     w · x ≤ Σ λ_f outer_f + |r| radius.
/// It is valid for any w and feature, because r is the remainder of w. Computing r and the sum rounds by less than 16u
/// of (|w| + Σ λ) radius, u = 2^-53.
double outer_bound(const HullData& hull, const Vec3& w, const Feature& at);
/// An upper bound of w · x from all vertices and `slack`.
double outer_bound(const HullData& hull, const Vec3& w);

}  // namespace graze::detail
