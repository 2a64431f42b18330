// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/graze.hpp"

namespace graze::scenes {

/// A soup of triangles that owns its memory.
struct Soup {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners;  ///< three a triangle

    std::size_t triangle_count() const { return corners.size() / 3; }
    SoupView view() const { return SoupView(std::span<const Vec3>(points), corners); }
    operator SoupView() const { return view(); }

    /// Adds a point and returns its index.
    std::uint32_t add(const Vec3& p) {
        points.push_back(p);
        return static_cast<std::uint32_t>(points.size() - 1);
    }
    void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) { corners.insert(corners.end(), {a, b, c}); }
    /// Two triangles; a, b, c, d go round.
    void add_quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        add_triangle(a, b, c);
        add_triangle(a, c, d);
    }

    friend bool operator==(const Soup&, const Soup&) = default;
};

/// About the origin.
Soup scale(Soup soup, double factor);
/// Points mapped as a query maps them.
Soup transformed(Soup soup, const Pose& pose);
/// Both, the second one's triangles after the first one's.
Soup joined(Soup first, const Soup& second);
/// Points of equal coordinates made one, and triangles that thereby lose a corner dropped.
Soup welded(const Soup& soup);

/// A hash of coordinates and indices. Models come out the same, bit for bit, in every build with
/// contraction off, so it may be compared with a constant.
std::uint64_t fingerprint(const Soup& soup);

}  // namespace graze::scenes
