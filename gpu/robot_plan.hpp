// SPDX-License-Identifier: Apache-2.0
// A robot made ready for a GPU, and what the CPU does with the configurations that a GPU leaves to it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gpu/robot.hpp"

namespace graze::gpu {

struct PlanBody {
    Solid solid;
    std::optional<std::uint32_t> link, world;
};

struct RobotPlan {
    std::uint32_t root = 0, link_count = 0, value_count = 0;
    std::vector<RobotJoint> joints;
    std::vector<PlanBody> bodies;
    std::vector<RobotBall> balls;  ///< one per body
    std::vector<SolidGrid> grids;  ///< one per body
    std::vector<ShellPoints> shells;
    std::vector<RobotPair> pairs;  ///< without addresses

    std::size_t words() const { return (pairs.size() + 31) / 32; }
    /// The pairs with the addresses at which the cells and the points of each body lie.
    std::vector<RobotPair> pairs_at(std::span<const CellSide* const> cells, std::span<const Vec3* const> points) const;
    /// Decides the pairs of one configuration, or only those with a bit in `only`, in words of 32, if that is not
    /// empty. Calls found(pair, inside) for those that collide, where `inside` says that their surfaces do not meet,
    /// until it returns false. A fault when a value is not finite or the links cannot be placed.
    Result<void> decide(std::span<const double> values, std::optional<std::uint32_t> world,
                        std::span<const std::uint32_t> only,
                        const std::function<bool(std::uint32_t pair, bool inside)>& found) const;
};

using BodyPair = std::array<std::uint32_t, 2>;

/// A fault when these are no robot, or none that a GPU takes.
Result<RobotPlan> make_plan(std::uint32_t link_count, std::uint32_t value_count, std::span<const Joint> joints,
                            std::vector<PlanBody> bodies, std::span<const BodyPair> pairs);

}  // namespace graze::gpu
