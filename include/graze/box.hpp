// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "graze/math.hpp"

namespace graze {

namespace detail {
struct Access;
}

/// A closed box along the axes: all points with lo ≤ x ≤ hi. Bounds may be infinite, which makes a half-space, a fat
/// ray or all of space. Equal bounds make it flat: a rectangle, a segment, a point, a plane. The empty box meets
/// nothing.
class Box {
public:
    /// The empty box. Its lower bounds are +infinity, its upper ones −infinity.
    Box() = default;

    /// The box between two corners. A fault when a lower bound exceeds the upper one or both are the same infinity,
    /// when a bound is NaN, or when a finite bound is beyond `max_coordinate`.
    static Result<Box> between(const Vec3& lo, const Vec3& hi);

    /// The two corners.
    const Vec3& lo() const { return lo_; }
    const Vec3& hi() const { return hi_; }
    /// True for the box that holds no point.
    bool empty() const { return lo_.x > hi_.x; }

    friend bool operator==(const Box&, const Box&) = default;

private:
    friend struct detail::Access;
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    Box(const Vec3& lo, const Vec3& hi) : lo_(lo), hi_(hi) {}
    Vec3 lo_{infinity, infinity, infinity}, hi_{-infinity, -infinity, -infinity};
};

}  // namespace graze
