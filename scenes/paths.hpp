// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/placements.hpp"

namespace graze::scenes {

struct Keyframe {
    Vec3 position;
    Quaternion rotation{0, 0, 0, 1};
};

/// `frames` poses along a smooth path from the first key through all to the last (Catmull–Rom;
/// rotations by the same weights, normalised, which suits keys less than a third of a turn apart).
/// One key stands still; no key gives no pose.
std::vector<Pose> interpolate(std::span<const Keyframe> keys, std::size_t frames);

/// A body that tumbles and drifts within `radius` of the origin, nearly: the small cube of pipes
/// inside the large one. About 2° of turning a frame.
std::vector<Pose> tumble_path(std::size_t frames, std::uint64_t seed, double radius);

/// The wrinkled torus lowered over the landscape's stalagmite, rocking, down to the ground and up
/// again every 400 frames.
std::vector<Pose> stalagmite_path(std::size_t frames, std::uint64_t seed);

}  // namespace graze::scenes
