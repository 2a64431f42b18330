// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checks/bounds.hpp"

namespace graze::report {

using checks::Bounds;

/// A box along a model's axes. Shapes are drawn in units of it: x = centre + size·q, |q| ≤ 1, so that float32 holds
/// models of any size and place.
struct Extent {
    Vec3 centre;
    Vec3 half;
    double size = 1;  ///< the largest component of `half`; 1 when that is 0

    static Extent of(const Bounds& bounds);
    static Extent around(std::span<const Vec3> points);
    Vec3 unit(const Vec3& p) const {
        return {(p.x - centre.x) / size, (p.y - centre.y) / size, (p.z - centre.z) / size};
    }
    Vec3 world(const Vec3& q) const { return centre + q * size; }
};

/// The triangles that are drawn for a model.
struct Shape {
    std::vector<float> points;           ///< x y z in units of the extent
    std::vector<std::uint32_t> corners;  ///< three per triangle
    /// The point of the shape that each point of the model was merged into. Empty when nothing was merged.
    std::vector<std::uint32_t> merged_into = {};

    std::size_t triangle_count() const { return corners.size() / 3; }
};

/// All triangles of a model, or at most `most` when it has more: then points in one cell of a grid are merged
/// (Rossignac and Borrel 1993), and triangles that lose a corner are left out.
Shape shape_of(const Model& model, const Extent& extent, std::size_t most);

/// The largest n such that Σ weight·min(count, n) is at most `budget`, but at least 1. Counts may be in any order.
struct Share {
    std::size_t count = 0, weight = 1;
};
std::size_t fair_share(std::vector<Share> shares, std::size_t budget);

}  // namespace graze::report
