// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "graze/closest.hpp"
#include "graze/model.hpp"

namespace graze {

namespace detail {
struct HullData;
}

/// A vertex, edge or face of a hull, by its index among its kind.
struct Feature {
    /// The kinds of features.
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

/// The convex hull of a model or of points: a solid, a flat polygon (two faces back to back), a segment, a point, or
/// nothing. Copies share memory and are cheap. A hull never changes: a model that was refitted needs a new one.
///
/// Facets that are coplanar within Qhull's rounding form one face.
class Hull {
public:
    /// The empty hull.
    Hull();
    /// The hull of the model's triangles.
    explicit Hull(const Model& model);
    /// The hull of points. A fault names a point that is incomplete, not finite or beyond `max_coordinate`.
    static Result<Hull> around(const PointView& points);

    /// 3 for a solid, 2 for a polygon, 1 for a segment, 0 for a point, −1 for nothing.
    int dimension() const;
    std::uint32_t vertex_count() const;
    std::uint32_t edge_count() const;
    std::uint32_t face_count() const;

    /// Position of a vertex: one of the points given, bit for bit.
    Vec3 vertex(std::uint32_t i) const;
    /// The two vertices of an edge.
    std::array<std::uint32_t, 2> edge(std::uint32_t i) const;
    /// The vertices of a face, anticlockwise seen from outside.
    std::span<const std::uint32_t> face(std::uint32_t i) const;
    /// Outward normal of a face, of unit length.
    Vec3 normal(std::uint32_t face) const;

    /// No point of the model lies further outside the hull than this: Qhull rounds by about 1e-16 of the size.
    double slack() const;
    /// Memory in bytes, shared with copies.
    std::size_t bytes() const;

private:
    friend struct detail::Access;
    explicit Hull(std::shared_ptr<const detail::HullData> data) : data_(std::move(data)) {}
    std::shared_ptr<const detail::HullData> data_;
};

/// Index of a vertex that is farthest along a direction, up to rounding. The search climbs from vertex `start` to
/// neighbours that are farther. The hull must not be empty.
std::uint32_t support(const Hull& hull, const Vec3& direction, std::uint32_t start = 0);

/// A box along the world's axes that holds every point of the hull's model, mapped and rounded as queries do. The box
/// is rounded outwards. It is empty for an empty hull. `extremes` holds the vertices at which the six searches start
/// and receives those that they end at, in the order −x, x, −y, y, −z, z. Any vertices will do at first.
Box placed_box(const Hull& hull, const Affine& world_from_hull, std::array<std::uint32_t, 6>& extremes);

/// Where two hulls are closest to each other. Where they overlap, the distance is 0 and both points are a common point,
/// up to rounding.
struct ClosestFeatures : Closest {
    double separation = 0;    ///< the models' points, as queries map and round them, are certainly no nearer than this
    bool overlap = false;     ///< true when the hulls have a point in common, up to rounding
    FeaturePair features;     ///< features that the points lie on; where the hulls overlap, a pair near a common point
    std::uint32_t steps = 0;  ///< number of steps that the walk took from feature to feature
    bool fallback = false;  ///< true when the walk could not be confirmed, and GJK or a search of all features decided
};

/// The closest features of two hulls, B placed in A's frame by any affine placement: Lin and Canny's walk over Voronoi
/// regions. It begins at the features of `start`, which receives the new ones, and takes expected constant time after a
/// small motion. `distance` is right to 1e-12 of itself, or to 1e-14 of the hulls' sizes (4e-14 for solids thinner than
/// 1e-6 of their size). `separation` accounts for the rounding of queries.
ClosestFeatures closest_features(const Hull& a, const Hull& b, const Affine& a_from_b, FeaturePair* start = nullptr);
/// The distance between two hulls, and a closest point on each, as precisely as `closest_features` gives them. Infinite
/// when one is empty.
Closest distance(const Hull& a, const Hull& b, const Affine& a_from_b);

}  // namespace graze
