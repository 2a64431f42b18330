// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/math.hpp"

namespace graze {

/// Points as the caller has them, not owned: float or double, x y z tightly packed, or `Vec3`.
/// Floats widen to double exactly.
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

    /// A count that three does not divide is a fault of whatever is built of it.
    std::size_t coordinate_count() const { return floats_.empty() ? doubles_.size() : floats_.size(); }
    std::size_t size() const { return coordinate_count() / 3; }
    Vec3 operator[](std::size_t i) const {
        return floats_.empty() ? Vec3{doubles_[3 * i], doubles_[3 * i + 1], doubles_[3 * i + 2]}
                               : Vec3{floats_[3 * i], floats_[3 * i + 1], floats_[3 * i + 2]};
    }

private:
    std::span<const float> floats_;
    std::span<const double> doubles_;
};

/// A polygon soup as the caller has it, not owned: points and 32-bit corner indices, three a
/// triangle, or any number a polygon with `offsets`. No topology is assumed.
class SoupView {
public:
    SoupView(const PointView& points, std::span<const std::uint32_t> triangles)
        : points_(points), corners_(triangles) {}

    /// The same soup made of polygons: polygon i has the corners `[offsets[i], offsets[i + 1])`,
    /// so there is one offset more than polygons. An empty span means triangles.
    SoupView with_polygons(std::span<const std::uint32_t> offsets) const {
        SoupView v = *this;
        v.offsets_ = offsets;
        return v;
    }

    /// What was given.
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
