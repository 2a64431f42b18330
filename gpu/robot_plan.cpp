// SPDX-License-Identifier: Apache-2.0
#include "gpu/robot_plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/float_environment.hpp"
#include "base/parallel.hpp"

namespace graze::gpu {
namespace {

/// Lengths of a robot that a GPU takes: nothing overflows then.
constexpr double max_length = 0x1p40;
/// How far the matrices of all joints together may be from orthonormal. Products of them, with one another and with
/// rotations, then stay within `Pose::tolerance`, so that no pose fails on the way.
constexpr double max_skew = 1e-3;

double sum(const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

double skew_of(const Mat3& m) {
    double out = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) out = std::max(out, std::abs(dot(m.column(i), m.column(j)) - (i == j)));
    return out;
}

Fault bad(const std::string& what) { return {FaultKind::OutOfRange, what}; }

/// Checks the joints and finds the root.
Result<void> add_joints(std::span<const Joint> joints, RobotPlan& out) {
    const std::uint32_t links = out.link_count;
    std::vector<bool> is_child(links), placed(links);
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const Joint& joint = joints[j];
        const std::string name = "joint " + std::to_string(j);
        if (joint.parent >= links || joint.child >= links) return bad(name + ": there is no such link");
        if (is_child[joint.child]) return bad(name + ": another joint has the same child");
        is_child[joint.child] = true;
    }
    const auto root = std::find(is_child.begin(), is_child.end(), false);
    if (root == is_child.end() || std::count(is_child.begin(), is_child.end(), false) != 1)
        return bad("the links are not a tree with one root");
    out.root = static_cast<std::uint32_t>(root - is_child.begin());
    placed[out.root] = true;
    double skew = 0;
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const Joint& joint = joints[j];
        const std::string name = "joint " + std::to_string(j);
        if (!placed[joint.parent]) return bad(name + ": the joint above its parent comes after it");
        placed[joint.child] = true;
        const bool moves = joint.motion != JointMotion::Fixed;
        if (moves && joint.value >= out.value_count) return bad(name + ": a configuration has no such value");
        const double axis = std::abs(length(joint.axis) - 1);
        if (moves && !(axis <= 1e-6)) return bad(name + ": the axis is not of unit length");
        if (!(sum(joint.parent_from_joint.translation()) <= max_length))
            return bad(name + ": its placement is too far away for a GPU");
        skew += skew_of(joint.parent_from_joint.rotation()) + (moves ? 4 * axis : 0);
        out.joints.push_back({{joint.parent_from_joint.rotation(), joint.parent_from_joint.translation()},
                              joint.axis,
                              joint.multiplier,
                              joint.offset,
                              joint.parent,
                              joint.child,
                              joint.value,
                              joint.motion});
    }
    if (!(skew <= max_skew)) return bad("the matrices of the joints are too far from orthonormal for a GPU");
    return {};
}

Result<void> add_bodies(RobotPlan& out) {
    const std::size_t n = out.bodies.size();
    out.balls.resize(n), out.grids.resize(n), out.shells.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const PlanBody& body = out.bodies[i];
        const std::string name = "body " + std::to_string(i);
        if (body.link && *body.link >= out.link_count) return bad(name + ": there is no such link");
        if (body.link && body.world) return bad(name + ": a link is in every world");
        const graze::Box bounds = body.solid.model().bounds();
        if (body.solid.model().triangle_count() > 0 && !(sum(bounds.lo()) + sum(bounds.hi()) <= max_length))
            return bad(name + ": its coordinates are too large for a GPU");
    }
    detail::parallel_for(n, 0, [&](std::size_t i) {
        const PlanBody& body = out.bodies[i];
        const BoundingBall ball = ball_around(body.solid.model());
        out.balls[i] = {ball.centre, pose_stretch * ball.radius, sum(ball.centre) + 2 * ball.radius,
                        body.link.value_or(no_link)};
        out.grids[i] = make_grid(body.solid);
        out.shells[i] = shells_of(body.solid);
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

Result<void> add_pairs(std::span<const BodyPair> pairs, RobotPlan& out) {
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const auto [a, b] = pairs[p];
        const std::string name = "pair " + std::to_string(p);
        if (a >= out.bodies.size() || b >= out.bodies.size() || a == b) return bad(name + ": there are no such bodies");
        const auto in_a = out.bodies[a].world, in_b = out.bodies[b].world;
        if (in_a && in_b && in_a != in_b) return bad(name + ": the bodies are of different worlds");
        out.pairs.push_back(
            {a, b, in_a ? *in_a : in_b.value_or(all_worlds), {solid_in_pair(out, a, b), solid_in_pair(out, b, a)}});
    }
    return {};
}

}  // namespace

Result<RobotPlan> make_plan(std::uint32_t link_count, std::uint32_t value_count, std::span<const Joint> joints,
                            std::vector<PlanBody> bodies, std::span<const BodyPair> pairs) {
    const detail::DefaultFloats floats;
    RobotPlan out;
    out.link_count = link_count;
    out.value_count = value_count;
    out.bodies = std::move(bodies);
    if (auto r = add_joints(joints, out); !r) return r.fault();
    if (auto r = add_bodies(out); !r) return r.fault();
    if (auto r = add_pairs(pairs, out); !r) return r.fault();
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
    const detail::DefaultFloats floats;
    std::vector<Pose> at(link_count);
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const RobotJoint& joint = joints[j];
        const bool moves = joint.motion != JointMotion::Fixed;
        const double q = moves ? joint.multiplier * values[joint.value] + joint.offset : 0;
        if (!std::isfinite(q))
            return Fault{FaultKind::NotFinite, "joint " + std::to_string(j) + ": its value is not finite"};
        detail::Placing to =
            detail::joined({at[joint.parent].rotation(), at[joint.parent].translation()}, joint.parent_from_joint);
        if (q != 0 && joint.motion == JointMotion::Slides)
            to = detail::slid(to, joint.axis, q);
        else if (q != 0)
            to.rotation = detail::turned(to.rotation, joint.axis, detail::any_sine_cosine(q));
        const Result<Pose> pose = Pose::from_matrix(to.rotation, to.translation);
        if (!pose) return Fault{pose.fault().kind, "joint " + std::to_string(j) + ": " + pose.fault().message};
        at[joint.child] = *pose;
    }
    for (std::uint32_t p = 0; p < pairs.size(); ++p) {
        const RobotPair& pair = pairs[p];
        if (pair.world != all_worlds && world != pair.world) continue;
        if (!only.empty() && !(only[p / 32] >> (p % 32) & 1)) continue;
        const PlanBody &a = bodies[pair.a], &b = bodies[pair.b];
        // As the GPU places them: the product of sloppy poses is not made rigid.
        const Result<Affine> placed =
            relative(a.link ? Affine(at[*a.link]) : Affine(), b.link ? Affine(at[*b.link]) : Affine());
        if (!placed) return placed.fault();
        const Affine& a_from_b = *placed;
        const bool meet = intersects(a.solid.model(), b.solid.model(), a_from_b);
        if (!meet) {
            const Relation relation = relation_from(a.solid, b.solid, a_from_b, {}).relation;
            if (relation == Relation::Disjoint || relation == Relation::Touching || relation == Relation::Equal)
                continue;
        }
        if (!found(p, !meet)) break;
    }
    return {};
}

}  // namespace graze::gpu
