// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/math.hpp"

namespace graze {

/// A polygon soup as the caller has it, not owned: points (float or double, x y z tightly packed)
/// and 32-bit corner indices, three a triangle, or any number a polygon with `offsets`.
/// No topology is assumed. Floats widen to double exactly.
class SoupView {
public:
    SoupView(std::span<const float> xyz, std::span<const std::uint32_t> triangles)
        : floats_(xyz), corners_(triangles) {}
    SoupView(std::span<const double> xyz, std::span<const std::uint32_t> triangles)
        : doubles_(xyz), corners_(triangles) {}
    SoupView(std::span<const Vec3> points, std::span<const std::uint32_t> triangles)
        : doubles_(points.empty() ? nullptr : &points[0].x, points.size() * 3), corners_(triangles) {}

    /// The same soup made of polygons: polygon i has the corners `[offsets[i], offsets[i + 1])`,
    /// so there is one offset more than polygons. An empty span means triangles.
    SoupView with_polygons(std::span<const std::uint32_t> offsets) const {
        SoupView v = *this;
        v.offsets_ = offsets;
        return v;
    }

    std::size_t coordinate_count() const { return floats_.empty() ? doubles_.size() : floats_.size(); }
    std::size_t point_count() const { return coordinate_count() / 3; }
    Vec3 point(std::size_t i) const {
        return floats_.empty() ? Vec3{doubles_[3 * i], doubles_[3 * i + 1], doubles_[3 * i + 2]}
                               : Vec3{floats_[3 * i], floats_[3 * i + 1], floats_[3 * i + 2]};
    }
    std::span<const std::uint32_t> corners() const { return corners_; }
    std::span<const std::uint32_t> offsets() const { return offsets_; }

private:
    std::span<const float> floats_;
    std::span<const double> doubles_;
    std::span<const std::uint32_t> corners_, offsets_;
};

}  // namespace graze
