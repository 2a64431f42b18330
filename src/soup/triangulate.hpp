// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "soup/geometry.hpp"

namespace graze::detail {

/// Cuts polygons into triangles by ear clipping, in their projection along the dominant axis of the Newell normal.
/// Keeps its working memory between polygons.
class Triangulator {
public:
    /// Appends n - 2 triangles for the n ≥ 3 corners. They keep the polygon's orientation. A convex polygon becomes a
    /// fan around its first corner. If the projection is simple or touches itself, the triangles cover the polygon
    /// without overlap. Any other polygon (self-crossing, all corners in line, repeated corners) still gives n - 2
    /// triangles that use every corner. Takes O(n²) time at worst. The points are finite and within `max_coordinate`.
    void cut(std::span<const Vec3> points, std::span<const std::uint32_t> corners, std::vector<Corners>& out);

private:
    struct Point {
        double u, v;
    };
    enum class Ear : std::uint8_t { No, Flat, Yes, Spike };
    struct Corner {
        Point at;
        double turn;  // twice the signed area of the triangle with both neighbours
        std::uint32_t prev, next;
        Ear ear;
    };

    bool project(std::span<const Vec3> points, std::span<const std::uint32_t> corners);
    void judge(std::uint32_t i);
    std::uint32_t pick(std::uint32_t from) const;
    static double turn(const Point& a, const Point& b, const Point& c);

    std::vector<Vec3> local_;
    std::vector<Corner> ring_;
    std::uint32_t spikes_ = 0;
};

}  // namespace graze::detail
