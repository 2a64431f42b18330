// SPDX-License-Identifier: Apache-2.0
// A robot made ready for a GPU, and the CPU's part: the configurations that a GPU leaves to it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gpu/robot.hpp"
#include "graze/robot.hpp"

namespace graze::gpu {

struct RobotPlan {
    graze::Robot robot;
    std::vector<RobotJoint> joints;
    std::vector<RobotBall> balls;  ///< one per body
    std::vector<SolidGrid> grids;  ///< one per body
    std::vector<ShellPoints> shells;
    std::vector<RobotPair> pairs;  ///< without addresses

    std::size_t words() const { return robot.words(); }
    /// The pairs with the addresses at which the cells and the points of each body lie.
    std::vector<RobotPair> pairs_at(std::span<const CellSide* const> cells, std::span<const Vec3* const> points) const;
    /// Decides the pairs of one configuration, or only those with a bit in `only`, in words of 32, if that is not
    /// empty. Calls found(pair, inside) for those that collide, where `inside` says that their surfaces do not meet,
    /// until it returns false. A fault when a value is not finite or the links cannot be placed.
    Result<void> decide(std::span<const double> values, std::optional<std::uint32_t> world,
                        std::span<const std::uint32_t> only,
                        const std::function<bool(std::uint32_t pair, bool inside)>& found) const;
};

/// A fault when the robot exceeds the GPU's limits.
Result<RobotPlan> make_plan(const graze::Robot& robot);

}  // namespace graze::gpu
