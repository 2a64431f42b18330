// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scenes/random.hpp"
#include "scenes/soup.hpp"

namespace graze::scenes {

using Quaternion = std::array<double, 4>;  ///< x, y, z, w

/// Uniform over all rotations (Shoemake 1992), of unit length up to rounding.
Quaternion random_quaternion(Random& random);
/// The same as a pose without translation.
Pose random_rotation(Random& random);
/// Uniform over the unit sphere, of unit length up to rounding.
Vec3 random_direction(Random& random);
/// One of the 24 rotations that map the axes onto the axes; exact. `i` counts modulo 24.
Pose axis_rotation(std::uint32_t i);
/// The rotation of `pose` with another translation.
Pose placed(const Pose& pose, const Vec3& translation);

/// A ball around a model: about the middle of its axis-aligned box, not the smallest.
struct Ball {
    Vec3 centre;
    double radius = 0;
};
Ball bounding_ball(const Model& model);

/// Uniform rotations with B's centre uniform in a cube around A's centre, whose size is found by
/// bisection such that about the fraction `hit_rate` of the placements hit (as far as any size gives it).
std::vector<Pose> placements_at_hit_rate(const Model& a, const Model& b, double hit_rate, std::size_t count,
                                         std::uint64_t seed);

/// A straight way of B, rotated, towards A: at(s) has B's point `aim_b` the distance s away from
/// A's point `aim_a` along `direction`, so that smaller is nearer.
struct Course {
    Pose rotation;
    Vec3 direction;
    Vec3 aim_a, aim_b;  ///< in their own models' frames, within their balls

    Pose at(double s) const;
};

/// Through the centres of both balls.
Course central_course(const Model& a, const Model& b, const Pose& rotation, const Vec3& direction);
/// A random rotation and direction, corner of a random triangle on corner of a random triangle.
/// Neither model may be empty.
Course random_course(const Model& a, const Model& b, Random& random);

/// Neighbouring doubles on a course where the answer changes.
struct Approach {
    double clear = 0, hit = 0;
};

/// First contact on the course: comes from outside both balls in steps of a 64th of the smaller
/// one's radius, then bisects to the last bit. That is a boundary between clear and hit, though
/// thin features may have been stepped over on the way. Nothing when no step hits.
std::optional<Approach> approach(const Model& a, const Model& b, const Course& course);

/// At that contact, but `gap` (a length) further out and clear there: A and B are at most `gap`
/// apart. When something stepped over is hit there, its boundary is taken instead.
std::optional<Pose> placement_at_gap(const Model& a, const Model& b, const Course& course, double gap);

/// `count` of them on random courses, or fewer where contacts are hard to find; `gap` times the
/// smaller ball's radius.
std::vector<Pose> placements_at_gap(const Model& a, const Model& b, double gap, std::size_t count, std::uint64_t seed);

/// `count` placements on random courses, or fewer where contacts are hard to find: B has gone on from its first contact
/// by `depth` times the smaller ball's radius. At a depth of 0 they touch.
std::vector<Pose> placements_at_depth(const Model& a, const Model& b, double depth, std::size_t count,
                                      std::uint64_t seed);

/// Two poses, one bit of a random course apart, with different answers.
struct Touch {
    Pose clear, hit;
};
std::vector<Touch> touching_placements(const Model& a, const Model& b, std::size_t count, std::uint64_t seed);

}  // namespace graze::scenes
