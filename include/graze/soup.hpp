// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/math.hpp"

namespace graze {

/// A view of the caller's points: float or double, x y z tightly packed, or `Vec3`. Nothing is copied. Floats widen to
/// double exactly.
class PointView {
public:
    PointView() = default;
    template <class R>
        requires std::convertible_to<const R&, std::span<const float>>
    PointView(const R& xyz) : floats_(xyz) {}
    template <class R>
        requires std::convertible_to<const R&, std::span<const double>>
    PointView(const R& xyz) : doubles_(xyz) {}
    template <class R>
        requires std::convertible_to<const R&, std::span<const Vec3>>
    PointView(const R& points) {
        const std::span<const Vec3> p(points);
        if (!p.empty()) doubles_ = {&p[0].x, p.size() * 3};
    }

    /// Number of coordinates. Building something from a count that is not a multiple of three is a fault.
    std::size_t coordinate_count() const { return floats_.empty() ? doubles_.size() : floats_.size(); }
    /// Number of points.
    std::size_t size() const { return coordinate_count() / 3; }
    Vec3 operator[](std::size_t i) const {
        return floats_.empty() ? Vec3{doubles_[3 * i], doubles_[3 * i + 1], doubles_[3 * i + 2]}
                               : Vec3{floats_[3 * i], floats_[3 * i + 1], floats_[3 * i + 2]};
    }

private:
    std::span<const float> floats_;
    std::span<const double> doubles_;
};

/// A view of the caller's polygon soup: points, and 32-bit indices of corners, three per triangle, or any number per
/// polygon with `with_polygons`. Nothing is copied. No topology is assumed: triangles may share points or not, be open,
/// cross, repeat or have no area.
class SoupView {
public:
    SoupView(const PointView& points, std::span<const std::uint32_t> triangles)
        : points_(points), corners_(triangles) {}

    /// A view of the soup as polygons. Polygon i has the corners `[offsets[i], offsets[i + 1])`, so there is one offset
    /// more than there are polygons. An empty span means triangles.
    SoupView with_polygons(std::span<const std::uint32_t> offsets) const {
        SoupView v = *this;
        v.offsets_ = offsets;
        return v;
    }

    /// The points, and the indices of corners and polygons, as they were given.
    const PointView& points() const { return points_; }
    std::size_t coordinate_count() const { return points_.coordinate_count(); }
    std::size_t point_count() const { return points_.size(); }
    Vec3 point(std::size_t i) const { return points_[i]; }
    std::span<const std::uint32_t> corners() const { return corners_; }
    std::span<const std::uint32_t> offsets() const { return offsets_; }

private:
    PointView points_;
    std::span<const std::uint32_t> corners_, offsets_;
};

}  // namespace graze
