// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "graze/math.hpp"

namespace graze {

/// Where two shapes A and B are closest to each other.
struct Closest {
    double distance = std::numeric_limits<double>::infinity();  ///< 0 where they have a point in common
    Vec3 point_a, point_b;  ///< a closest point on each, in A's frame; meaningless when the distance is infinite
    friend bool operator==(const Closest&, const Closest&) = default;
};

}  // namespace graze
