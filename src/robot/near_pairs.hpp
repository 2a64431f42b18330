// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "robot/robot_data.hpp"

namespace graze {

namespace detail {

/// The sphere around a body in the world, which includes what rounding may add.
struct BodySphere {
    Vec3 centre;
    double radius = 0;
};

/// The oriented box around a body in the world, valid for one configuration.
struct BodyBox {
    std::uint64_t configuration = 0;
    Vec3 middle, axis[3];
    double loose = 0;  ///< may be added to half a side because the axes are not orthonormal
    double slack = 0;  ///< may be added to lengths by rounding
};

}  // namespace detail

struct RobotScratch::Impl {
    std::uint64_t configuration = 0;  ///< counts configurations
    std::vector<detail::BodySphere> spheres;
    std::vector<detail::BodyBox> placed;
    std::vector<std::uint32_t> near;  ///< pairs whose spheres are not apart
    std::vector<std::uint32_t> met;   ///< how often a pair ended a question that needs one collision
    std::vector<Pose> world_from_link;
    Scratch queries;
};

namespace detail {

/// Tells the bodies of pairs apart, for one placement of the links. near_pairs.cpp has the proof.
class NearPairs {
public:
    NearPairs(const RobotData& robot, std::span<const Pose> world_from_link, RobotScratch::Impl& memory);

    /// The pairs that are checked in this world and whose spheres may be no further apart than the clearance.
    std::span<std::uint32_t> by_spheres(double clearance, std::optional<std::uint32_t> world);
    /// True when the boxes of a pair are certainly further apart than the clearance.
    bool boxes_apart(std::uint32_t pair, double clearance);
    /// A pair is certainly no closer than this.
    double sphere_gap(std::uint32_t pair) const;

private:
    static double widened(double clearance) { return clearance * (1 + 0x1p-40); }
    const Pose& placement(std::uint32_t body) const;
    const BodyBox& boxed(std::uint32_t body);

    const RobotData& robot_;
    std::span<const Pose> links_;
    RobotScratch::Impl& memory_;
};

}  // namespace detail

}  // namespace graze
