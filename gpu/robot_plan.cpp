// SPDX-License-Identifier: Apache-2.0
#include "gpu/robot_plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/float_environment.hpp"
#include "base/parallel.hpp"

namespace graze::gpu {
namespace {

/// Longest lengths of a robot on a GPU. Nothing overflows then.
constexpr double max_length = 0x1p40;
/// Greatest sum of the distances of all joints' matrices from orthonormal ones. Products of them, with one another and
/// with rotations, then stay within `Pose::tolerance`, so that no pose fails on the way.
constexpr double max_skew = 1e-3;

double sum(const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

double skew_of(const Mat3& m) {
    double out = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) out = std::max(out, std::abs(dot(m.column(i), m.column(j)) - (i == j)));
    return out;
}

/// A fault that names a joint or a body, or gives its number.
Fault bad(const char* what, const std::string& name, std::size_t number, const char* fault) {
    return {FaultKind::OutOfRange, std::string(what) + ' ' + (name.empty() ? std::to_string(number) : name) + fault};
}

Result<void> add_joints(RobotPlan& out) {
    double skew = 0;
    for (const Joint& joint : out.robot.joints()) {
        const std::size_t number = out.joints.size();
        const bool moves = joint.type != JointType::Fixed;
        if (!(sum(joint.parent_from_joint.translation()) <= max_length))
            return bad("joint", joint.name, number, ": its placement is too far away for a GPU");
        if (!(std::abs(joint.pitch) <= max_length / detail::max_angle))
            return bad("joint", joint.name, number, ": its pitch is too long for a GPU");
        skew += skew_of(joint.parent_from_joint.rotation()) + (moves ? 4 * std::abs(length(joint.axis) - 1) : 0);
        out.joints.push_back({{joint.parent_from_joint.rotation(), joint.parent_from_joint.translation()},
                              joint.axis,
                              joint.multiplier,
                              joint.offset,
                              joint.pitch,
                              joint.parent,
                              joint.child,
                              joint.value,
                              joint.type});
    }
    if (!(skew <= max_skew))
        return Fault{FaultKind::OutOfRange, "the matrices of the joints are too far from orthonormal for a GPU"};
    return {};
}

Result<void> add_bodies(RobotPlan& out) {
    const std::vector<RobotBody>& bodies = out.robot.bodies();
    const std::size_t n = bodies.size();
    out.balls.resize(n), out.grids.resize(n), out.shells.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const graze::Box bounds = bodies[i].model.bounds();
        if (bodies[i].model.triangle_count() > 0 && !(sum(bounds.lo()) + sum(bounds.hi()) <= max_length))
            return bad("body", bodies[i].name, i, ": its coordinates are too large for a GPU");
    }
    detail::parallel_for(n, 0, [&](std::size_t i) {
        const Solid& solid = out.robot.solid(static_cast<std::uint32_t>(i));
        const BoundingBall ball = ball_around(bodies[i].model);
        out.balls[i] = {ball.centre, pose_stretch * ball.radius, sum(ball.centre) + 2 * ball.radius,
                        bodies[i].link.value_or(no_link)};
        out.grids[i] = make_grid(solid);
        out.shells[i] = shells_of(solid);
    });
    return {};
}

/// Body i as part of a pair with another.
RobotSolid solid_in_pair(const RobotPlan& plan, std::uint32_t i, std::uint32_t other) {
    // A shell inside the other body finds room in the ball around it.
    const double room = 2 * pose_stretch * plan.balls[other].radius + 0x1p-40 * plan.balls[other].lengths;
    const std::vector<double>& sizes = plan.shells[i].sizes;
    const auto fit = std::upper_bound(sizes.begin(), sizes.end(), room) - sizes.begin();
    return {plan.grids[i].frame, nullptr, nullptr, static_cast<std::uint32_t>(fit), plan.balls[i].lengths};
}

void add_pairs(RobotPlan& out) {
    for (const auto& [a, b] : out.robot.pairs()) {
        const auto in_a = out.robot.bodies()[a].world, in_b = out.robot.bodies()[b].world;
        out.pairs.push_back(
            {a, b, in_a ? *in_a : in_b.value_or(all_worlds), {solid_in_pair(out, a, b), solid_in_pair(out, b, a)}});
    }
}

}  // namespace

Result<RobotPlan> make_plan(const graze::Robot& robot) {
    const detail::DefaultFloats floats;
    RobotPlan out;
    out.robot = robot;
    if (auto r = add_joints(out); !r) return r.fault();
    if (auto r = add_bodies(out); !r) return r.fault();
    add_pairs(out);
    return out;
}

std::vector<RobotPair> RobotPlan::pairs_at(std::span<const CellSide* const> cells,
                                           std::span<const Vec3* const> points) const {
    std::vector<RobotPair> out = pairs;
    for (RobotPair& pair : out)
        for (int k = 0; k < 2; ++k) {
            const std::uint32_t i = k == 0 ? pair.a : pair.b;
            pair.solids[k].cells = grids[i].cells.empty() ? nullptr : cells[i];
            pair.solids[k].points = points[i];
        }
    return out;
}

Result<void> RobotPlan::decide(std::span<const double> values, std::optional<std::uint32_t> world,
                               std::span<const std::uint32_t> only,
                               const std::function<bool(std::uint32_t, bool)>& found) const {
    const Result<std::vector<Pose>> links = robot.place(values);
    if (!links) return links.fault();
    for (std::uint32_t p = 0; p < pairs.size(); ++p) {
        const RobotPair& pair = pairs[p];
        if (pair.world != all_worlds && world != pair.world) continue;
        if (!only.empty() && !(only[p / 32] >> (p % 32) & 1)) continue;
        const Affine a_from_b = robot.a_from_b(*links, p);
        const bool meet = robot.touch(p, a_from_b);
        if (!meet && !robot.nested(p, a_from_b)) continue;
        if (!found(p, !meet)) break;
    }
    return {};
}

}  // namespace graze::gpu
