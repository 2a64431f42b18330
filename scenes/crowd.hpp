// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/study.hpp"
#include "scenes/placements.hpp"

namespace graze::scenes {

/// Many objects of few shapes, as they are placed in the world.
struct Objects {
    std::vector<Soup> shapes;
    std::vector<std::uint32_t> shape;  ///< shape of each object
    std::vector<Pose> placed;          ///< world_from_object, of each

    std::size_t size() const { return shape.size(); }
    std::vector<Model> models(const study::TreeSettings& settings = {.threads = 1}) const;
};

/// Lengths are in radii of the objects, which fit into balls of radius 1 about their origins.
struct CrowdSettings {
    std::size_t count = 1000;
    /// Edge of the cube that an object has for itself: the lower, the denser. In 1.9 about as many of `parts` touch as
    /// there are.
    double room = 1.9;
    double speed = 0.02;  ///< length per step
    double spin = 0.02;   ///< radians per step
    bool apart = false;   ///< each keeps to a cube of its own, of at least 2, where it meets nothing
    std::uint64_t seed = 1;
};

/// Objects that drift and turn evenly, each its own way, between the walls of a cube. They go through each other and
/// come back from the walls.
class Crowd {
public:
    explicit Crowd(const CrowdSettings& settings, std::vector<Soup> shapes);

    void step();
    const Objects& objects() const { return objects_; }

private:
    Objects objects_;
    struct Way {
        Vec3 position, velocity;
        Vec3 low, high;  ///< walls
        Quaternion rotation;
        Vec3 half_turn;  ///< half the angle of a step, along its axis
    };
    std::vector<Way> ways_;
};

}  // namespace graze::scenes
