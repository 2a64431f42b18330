// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "soup/geometry.hpp"

namespace graze::report {

/// A box along the axes that grows.
struct Bounds {
    static constexpr double far = std::numeric_limits<double>::infinity();
    Vec3 low{far, far, far}, high{-far, -far, -far};

    bool empty() const { return !(low.x <= high.x); }
    void add(const Vec3& p) {
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], p[k]);
            high[k] = std::max(high[k], p[k]);
        }
    }
};

/// A box along a model's axes. Shapes are drawn in units of it: x = centre + size·q, |q| ≤ 1, so that float32 holds
/// models of any size and place.
struct Extent {
    Vec3 centre;
    Vec3 half;
    double size = 1;  ///< the largest half; 1 where all is one point

    static Extent of(const Bounds& bounds);
    static Extent around(std::span<const Vec3> points);
    Vec3 unit(const Vec3& p) const {
        return {(p.x - centre.x) / size, (p.y - centre.y) / size, (p.z - centre.z) / size};
    }
    Vec3 world(const Vec3& q) const { return centre + q * size; }
};

/// What is drawn of a model.
struct Shape {
    std::vector<float> points;           ///< x y z in units of the extent
    std::vector<std::uint32_t> corners;  ///< three a triangle

    std::size_t triangle_count() const { return corners.size() / 3; }
};

/// All triangles, or, of more than `most`, that many or fewer: points are merged by the cells of a grid (Rossignac
/// and Borrel 1993), and triangles that lose a corner thereby are left out.
Shape shape_of(const detail::Geometry& geometry, const Extent& extent, std::size_t most);

/// The largest n such that Σ weight·min(count, n) is at most `budget`, at least 1; counts in any order.
struct Share {
    std::size_t count = 0, weight = 1;
};
std::size_t fair_share(std::vector<Share> shares, std::size_t budget);

}  // namespace graze::report
