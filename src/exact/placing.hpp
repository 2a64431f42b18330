// SPDX-License-Identifier: Apache-2.0
// Rotations and rigid placements in plain double arithmetic, for the CPU and a GPU. Operations are rounded one by one
// and no function of the machine's library is called but the square root, so both compute the same bits.
#pragma once

#include "exact/inverse.hpp"

namespace graze::detail {

/// The rotation of a quaternion (x, y, z, w) of any length but zero. Entries are NaN if it is zero or not finite.
GRAZE_ON_BOTH inline Mat3 rotation_of(const double (&q)[4]) {
    // Scaled first, so that the length neither overflows nor underflows.
    double largest = 0;
    for (const double v : q) largest = v < -largest ? -v : v > largest ? v : largest;
    double x = q[0] / largest, y = q[1] / largest, z = q[2] / largest, w = q[3] / largest;
    const double n = std::sqrt(x * x + y * y + z * z + w * w);
    x /= n, y /= n, z /= n, w /= n;
    return {{Vec3{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             Vec3{2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             Vec3{2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

/// A rigid placement whose numbers nobody has checked.
struct Placing {
    Mat3 rotation;
    Vec3 translation;
};

/// The placement of B in A's frame, with the rounding of `relative`.
constexpr Placing relative(const Placing& world_from_a, const Placing& world_from_b) {
    const Mat3 a_from_world = inverted(world_from_a.rotation);
    const Vec3 origin = -(a_from_world * world_from_a.translation);
    return {a_from_world * world_from_b.rotation, mapped(a_from_world, origin, world_from_b.translation)};
}

}  // namespace graze::detail
