// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graze/model.hpp"
#include "graze/region.hpp"

namespace graze {

namespace detail {
struct HullData;
}

/// A vertex, edge or face of a hull, by its number among those of its kind.
struct Feature {
    /// What a hull is made of.
    enum class Kind : std::uint8_t { Vertex, Edge, Face };
    Kind kind = Kind::Vertex;
    std::uint32_t index = 0;
    friend bool operator==(const Feature&, const Feature&) = default;
};

/// A feature of A's hull and one of B's.
struct FeaturePair {
    Feature a, b;
    friend bool operator==(const FeaturePair&, const FeaturePair&) = default;
};

/// One side of a feature's Voronoi region: the points with normal · x ≤ offset are nearer to the feature than to
/// `beyond`.
struct VoronoiPlane {
    Vec3 normal;  ///< of unit length
    double offset = 0;
    Feature beyond;
};

/// The convex hull of a model or of points, as far as they span: a solid, a flat polygon (two faces, back to back), a
/// segment, a point, nothing. Cheap to copy (copies share), never changes: a model that is refitted needs a new one.
///
/// Facets that Qhull finds coplanar within its rounding are one face. A feature is *red* when it belongs to the model,
/// else *green*, made up by the hull. Vertices are red. An edge is red when a triangle of the model has it as an edge,
/// whole. A face is red when the triangles all of whose corners are corners of the face are together as large as
/// it (to 1e-9): a face with further points inside is green, and so is one that is a hole's lid.
class Hull {
public:
    /// The empty hull.
    Hull();
    /// Of the model's triangles.
    explicit Hull(const Model& model);
    /// The same of points alone: all edges and faces are green. A fault for points that no model could have.
    static Result<Hull> around(const PointView& points);

    /// 3 for a solid, 2, 1, 0, and -1 when empty.
    int dimension() const;
    std::uint32_t vertex_count() const;
    std::uint32_t edge_count() const;
    std::uint32_t face_count() const;

    /// One of the points given, bit for bit.
    Vec3 vertex(std::uint32_t i) const;
    /// From the first vertex to the second.
    std::array<std::uint32_t, 2> edge(std::uint32_t i) const;
    /// Its corners, anticlockwise seen from outside.
    std::span<const std::uint32_t> face(std::uint32_t i) const;
    /// Out of the hull, of unit length.
    Vec3 normal(std::uint32_t face) const;
    /// Of a vertex its edges, of an edge its vertices and faces, of a face its edges.
    std::vector<Feature> neighbours(const Feature& feature) const;
    /// The constraint planes of a feature's Voronoi region, each with the neighbour beyond. A face's region is also
    /// bounded by the face itself, which has nothing beyond.
    std::vector<VoronoiPlane> voronoi_region(const Feature& feature) const;

    /// Whether it belongs to the model.
    bool red(const Feature& feature) const;
    /// A triangle of the model that has a red feature: as corner, as edge or within the face.
    std::optional<std::uint32_t> triangle(const Feature& feature) const;

    /// No point of the model is further than this outside the hull of the vertices: Qhull rounds. About 1e-16 of the
    /// size.
    double slack() const;
    /// Memory that it holds; copies share it.
    std::size_t bytes() const;

    const detail::HullData& data() const { return *data_; }

private:
    explicit Hull(std::shared_ptr<const detail::HullData> data) : data_(std::move(data)) {}
    std::shared_ptr<const detail::HullData> data_;
};

/// A vertex that is farthest along the direction, up to rounding: climbs from `start` to neighbours that are farther.
/// The hull must not be empty.
std::uint32_t support(const Hull& hull, const Vec3& direction, std::uint32_t start = 0);

/// A box along the world's axes that holds every point of the hull's model as queries map and round it, rounded
/// outwards. `extremes` are vertices where the climbs start and, after it, those that are farthest: -x, x, -y, … of the
/// world; any numbers do at first. An empty hull has an empty box: its lower bounds are infinite, its upper -infinite.
Box placed_box(const Hull& hull, const Affine& world_from_hull, std::array<std::uint32_t, 6>& extremes);

/// Where two hulls are nearest to each other.
struct Closest {
    double distance = 0;    ///< 0 where they overlap; infinite when one is empty
    double separation = 0;  ///< the *models'* points, as queries map and round them, are certainly no nearer than this
    bool overlap = false;   ///< the hulls have a point in common, up to rounding
    FeaturePair features;   ///< that the points lie on; where they overlap, a pair with a common point or near one
    Vec3 point_a, point_b;  ///< on the hulls, in A's frame; a common point, up to rounding, where they overlap
    std::uint32_t steps = 0;  ///< changes of features on the way
    bool fallback = false;    ///< the walk ended in no answer that could be confirmed, and GJK or all features did
};

/// The closest features of two hulls, B placed in A's frame (in real arithmetic; `separation` accounts for the rounding
/// of queries). Lin and Canny's walk over Voronoi regions from the features of `start`, which receives the new ones: in
/// expected constant time after a small motion. Any affine placement will do. `distance` is right to 1e-12 of itself,
/// or to 1e-14 of the hulls' sizes: facets that are one within that are taken for one (4e-14 for solids thinner than
/// 1e-6).
Closest closest_features(const Hull& a, const Hull& b, const Affine& a_from_b, FeaturePair* start = nullptr);
double distance(const Hull& a, const Hull& b, const Affine& a_from_b);

}  // namespace graze
