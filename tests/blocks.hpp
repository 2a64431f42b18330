// SPDX-License-Identifier: Apache-2.0
// Boxes between two corners, and poses that only move.
#pragma once

#include "scenes/shapes.hpp"

namespace graze::test {

inline Pose at(double x, double y, double z) { return *Pose::from_translation({x, y, z}); }

/// A box between two corners.
inline scenes::Soup block(const Vec3& low, const Vec3& high) {
    const Vec3 middle = (low + high) * 0.5;
    return scenes::transformed(scenes::box((high - low) * 0.5), at(middle.x, middle.y, middle.z));
}

}  // namespace graze::test
