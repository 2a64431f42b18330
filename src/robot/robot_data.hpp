// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graze/robot.hpp"

namespace graze::detail {

/// A sphere and a box around a body, in its frame.
struct BodyVolume {
    Vec3 centre;
    double radius = 0;
    Vec3 middle, axis[3], half;
    double lengths = 0;  ///< bounds every length and every sum of coordinates above
};

BodyVolume volume_around(const Model& model);

struct RobotData {
    std::vector<Joint> joints;  ///< those above a link come before those below it
    std::vector<RobotBody> bodies;
    std::vector<RobotPair> pairs;
    std::uint32_t root = 0, link_count = 1, value_count = 0;
    std::vector<Solid> solids;                         ///< one per body
    std::vector<BodyVolume> volumes;                   ///< one per body
    std::vector<std::uint32_t> checked;                ///< bodies that are part of a pair
    std::vector<std::optional<std::uint32_t>> worlds;  ///< one per pair: the world that it is checked in
    bool has_worlds = false;                           ///< true when a pair is not checked in every world
};

}  // namespace graze::detail
