// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "graze/query.hpp"

namespace graze {

/// The points origin + t · direction with t_min ≤ t ≤ t_max. Queries of a model take a ray in the model's own frame.
/// For a placed model, map the origin by `model_from_world` and the direction by its matrix; t stays the same. Every
/// `Ray` that exists is valid, so ray queries cannot fail.
class Ray {
public:
    /// A ray with a direction of any length but zero. A fault for numbers that are not finite or beyond
    /// `max_coordinate`, and unless 0 ≤ t_min ≤ t_max. t_max may be infinite, t_min may not.
    static Result<Ray> from_direction(const Vec3& origin, const Vec3& direction, double t_min = 0,
                                      double t_max = std::numeric_limits<double>::infinity());
    /// The segment between two points: t runs from 0 to 1, and the direction is `to − from`, rounded to double. A fault
    /// when the points are equal.
    static Result<Ray> between(const Vec3& from, const Vec3& to);

    /// The ray's origin, direction and range of t.
    const Vec3& origin() const { return origin_; }
    const Vec3& direction() const { return direction_; }
    double t_min() const { return t_min_; }
    double t_max() const { return t_max_; }

private:
    Ray(const Vec3& o, const Vec3& d, double lo, double hi) : origin_(o), direction_(d), t_min_(lo), t_max_(hi) {}
    Vec3 origin_, direction_;
    double t_min_, t_max_;
};

/// A triangle that a ray meets, and where the ray meets it first. Which triangles are hit, and in which order, is
/// exact; the numbers here are rounded.
struct RayHit {
    std::uint32_t triangle = 0;
    std::uint32_t polygon = 0;  ///< the polygon that the triangle was cut from
    /// Parameter of the hit. Within two units in the last place where integers had to decide, otherwise off by the
    /// rounding of a quotient of two 3×3 determinants. Infinite where it exceeds all doubles.
    double t = 0;
    /// Barycentric coordinates of the hit in double: (1 − u − v) · a + u · b + v · c. Both are in [0, 1].
    double u = 0, v = 0;
    friend bool operator==(const RayHit&, const RayHit&) = default;
};

/// Settings of a ray query. They never change an answer.
struct RaySettings {
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
};

// A ray hits a closed triangle when the two have a point in common, decided exactly. A ray through an edge or a corner
// hits every triangle there. A ray in a triangle's plane hits it where it enters.

/// The hit of least t, and among equals that of least index; nothing when nothing is hit.
std::optional<RayHit> nearest_hit(const Model& model, const Ray& ray, const RaySettings& settings = {});

/// True when a triangle is hit. Stops at the first one found.
bool any_hit(const Model& model, const Ray& ray, const RaySettings& settings = {});

/// All hits, in ascending order of t, then of index. The order is that of the exact t: where two hits are closer than
/// their rounding, `RayHit::t` may descend by a unit in the last place or two.
std::vector<RayHit> all_hits(const Model& model, const Ray& ray, const RaySettings& settings = {});

}  // namespace graze
