// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "graze/query.hpp"

namespace graze {

/// The points origin + t · direction, 0 ≤ t ≤ t_max, in the model's own frame; for a placed model map origin and
/// direction into it, t stays the same. The direction has any length but zero: with the way to an end point and
/// t_max = 1 this is a segment.
struct Ray {
    Vec3 origin, direction;
    double t_max = std::numeric_limits<double>::infinity();
};

/// A triangle that the ray meets, and where first. t is within two units in the last place where the exact
/// arithmetic had to decide, otherwise off by the rounding of a quotient of two 3×3 determinants; infinite
/// where it exceeds all doubles. What is hit, and in which order, does not depend on that rounding.
struct RayHit {
    std::uint32_t triangle = 0;
    std::uint32_t polygon = 0;  ///< that the triangle came from
    double t = 0;
    friend bool operator==(const RayHit&, const RayHit&) = default;
};

/// The triangle hit first: of least t as a real number, and of these of least index. A hit is a point in
/// common of the closed triangle and the ray, exactly: a ray through an edge or a corner hits all triangles
/// there, one in a triangle's plane hits it where it enters. Of the options only `stats` counts: there
/// is no margin, and no working memory is needed.
///
/// The faults: numbers that are not finite or beyond `max_coordinate`, a direction of zero, a t_max that is
/// negative or not a number.
Result<std::optional<RayHit>> nearest_hit(const Model& model, const Ray& ray, const QuerySettings& options = {});

/// Whether anything is hit. Stops at the first triangle found.
Result<bool> any_hit(const Model& model, const Ray& ray, const QuerySettings& options = {});

/// All triangles hit, sorted as `nearest_hit` chooses.
Result<std::vector<RayHit>> all_hits(const Model& model, const Ray& ray, const QuerySettings& options = {});

}  // namespace graze
