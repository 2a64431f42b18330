// SPDX-License-Identifier: Apache-2.0
// Which bodies of a robot may collide: those that spheres and boxes do not tell apart.
//
// Let W_a, W_b be the placements of two bodies and e how far a corner q of B, mapped and rounded by a query, is off
// W_a⁻¹ W_b q in real arithmetic. Where it is no further than the clearance d from a point p of A,
// |W_a p − W_b q| ≤ stretch (d + e). So in the world
//   spheres are apart when  |W_a c_a − W_b c_b| > stretch (r_a + r_b + d + e);
//   boxes are apart along an axis l, taken as the numbers it is, when
//       |l · (W_a m_a − W_b m_b)| > Σ h_i |l · a_i| + Σ k_j |l · b_j| + |l| stretch (d + e),
//   with the boxes' axes a_i, b_j as mapped, whatever they are, and half their sides h_i, k_j.
// With u = 2^-53, W_a⁻¹ by cofactors, its product with W_b and the mapping are off by less than 40 u of the lengths
// that enter them, as the matrices are close to orthonormal (Pose::tolerance): e < 120 u (|t_a| + |t_b| + |q|). Mapping
// centres and axes adds 8 u of their lengths, a dot product 4 u. All of it is below 2^-44 = 512 u of the two bodies'
// own lengths. What underflows is below 2^-500, next to which no square does. The clearance is enlarged by 2^-40 of
// itself for what its own sums and products round.
#include "robot/near_pairs.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/float_environment.hpp"

namespace graze {

RobotScratch::RobotScratch() : impl_(std::make_unique<Impl>()) {}
RobotScratch::~RobotScratch() = default;
RobotScratch::RobotScratch(RobotScratch&&) noexcept = default;
RobotScratch& RobotScratch::operator=(RobotScratch&&) noexcept = default;

namespace detail {

namespace {

/// No pose makes a length longer by more than this factor: ‖MᵀM − I‖ ≤ 3 Pose::tolerance.
constexpr double stretch = 1.015;
static_assert(stretch * stretch > 1 + 3 * Pose::tolerance);

double sum(const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

double slack_of(const Pose& world_from_body, double lengths) {
    return 0x1p-44 * (sum(world_from_body.translation()) + lengths) + 0x1p-500;
}

}  // namespace

NearPairs::NearPairs(const RobotData& robot, std::span<const Pose> world_from_link, RobotScratch::Impl& memory)
    : robot_(robot), links_(world_from_link), memory_(memory) {
    ++memory.configuration;
    if (memory.near.size() != robot.pairs.size() || memory.placed.size() != robot.bodies.size()) {
        memory.near.resize(robot.pairs.size());
        memory.met.assign(robot.pairs.size(), 0);
        memory.spheres.assign(robot.bodies.size(), {});
        memory.placed.assign(robot.bodies.size(), {});
    }
    for (const std::uint32_t i : robot.checked) {
        const BodyVolume& volume = robot.volumes[i];
        const Pose& world = placement(i);
        memory.spheres[i] = {world.rotation() * volume.centre + world.translation(),
                             stretch * volume.radius + slack_of(world, volume.lengths)};
    }
}

const Pose& NearPairs::placement(std::uint32_t body) const {
    static const Pose at_origin;
    const auto& link = robot_.bodies[body].link;
    return link ? links_[*link] : at_origin;
}

/// A pair for which something overflows or is NaN counts as near.
std::span<std::uint32_t> NearPairs::by_spheres(double clearance, std::optional<std::uint32_t> world) {
    const double reach = stretch * widened(clearance);
    // Branch-free: which pairs are near is unpredictable.
    std::size_t near = 0;
    for (std::uint32_t i = 0; i < robot_.pairs.size(); ++i) {
        const BodySphere &a = memory_.spheres[robot_.pairs[i].a], &b = memory_.spheres[robot_.pairs[i].b];
        const Vec3 d = a.centre - b.centre;
        const double radii = a.radius + b.radius + reach;
        memory_.near[near] = i;
        near += !(dot(d, d) > radii * radii);
    }
    const std::span<std::uint32_t> all(memory_.near.data(), near);
    if (!robot_.has_worlds) return all;
    const auto elsewhere = [&](std::uint32_t i) { return robot_.worlds[i] && robot_.worlds[i] != world; };
    return all.first(static_cast<std::size_t>(std::ranges::remove_if(all, elsewhere).begin() - all.begin()));
}

double NearPairs::sphere_gap(std::uint32_t pair) const {
    const BodySphere &a = memory_.spheres[robot_.pairs[pair].a], &b = memory_.spheres[robot_.pairs[pair].b];
    const Vec3 d = a.centre - b.centre;
    return (std::sqrt(dot(d, d)) * (1 - 0x1p-40) - a.radius - b.radius) * (1 / (stretch * (1 + 0x1p-40)));
}

const BodyBox& NearPairs::boxed(std::uint32_t body) {
    BodyBox& out = memory_.placed[body];
    if (out.configuration == memory_.configuration) return out;
    out.configuration = memory_.configuration;
    const BodyVolume& box = robot_.volumes[body];
    const Pose& world = placement(body);
    const Mat3& r = world.rotation();
    out.middle = r * box.middle + world.translation();
    for (int i = 0; i < 3; ++i) out.axis[i] = r * box.axis[i];
    double skew = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) skew = std::max(skew, std::abs(dot(out.axis[i], out.axis[j]) - (i == j)));
    out.loose = skew * sum(box.half);
    out.slack = slack_of(world, box.lengths);
    return out;
}

/// Tries the line between the centres and the axes of both boxes. Cross products of the axes would separate one in five
/// of the remaining pairs and cost as much as that saves.
bool NearPairs::boxes_apart(std::uint32_t pair, double clearance) {
    const RobotPair& both = robot_.pairs[pair];
    const BodyBox &a = boxed(both.a), &b = boxed(both.b);
    const Vec3 &h = robot_.volumes[both.a].half, &k = robot_.volumes[both.b].half;
    // No axis is longer than this factor.
    const double slack = (a.slack + b.slack + stretch * widened(clearance)) * (stretch * (1 + 0x1p-40));
    const Vec3 d = a.middle - b.middle;
    const double along_a[3] = {std::abs(dot(a.axis[0], d)), std::abs(dot(a.axis[1], d)), std::abs(dot(a.axis[2], d))};
    const double along_b[3] = {std::abs(dot(b.axis[0], d)), std::abs(dot(b.axis[1], d)), std::abs(dot(b.axis[2], d))};
    const double square = dot(d, d);
    if (square * (1 - 0x1p-40) > h.x * along_a[0] + h.y * along_a[1] + h.z * along_a[2] + k.x * along_b[0] +
                                     k.y * along_b[1] + k.z * along_b[2] + std::sqrt(square) * slack)
        return true;
    double of_a[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const double r[3] = {std::abs(dot(a.axis[i], b.axis[0])), std::abs(dot(a.axis[i], b.axis[1])),
                             std::abs(dot(a.axis[i], b.axis[2]))};
        if (along_a[i] > h[i] + a.loose + (k.x * r[0] + k.y * r[1] + k.z * r[2]) + slack) return true;
        for (int j = 0; j < 3; ++j) of_a[j] += h[i] * r[j];
    }
    for (int j = 0; j < 3; ++j)
        if (along_b[j] > k[j] + b.loose + of_a[j] + slack) return true;
    return false;
}

}  // namespace detail

bool Robot::near_pairs(std::span<const Pose> world_from_link, NearPairSink sink, void* context,
                       const RobotSettings& settings, bool likely_first) const {
    assert(world_from_link.size() == data_->link_count);
    const detail::DefaultFloats floats;
    RobotScratch own;
    RobotScratch::Impl& memory = settings.scratch ? *settings.scratch->impl_ : *own.impl_;
    detail::NearPairs pairs(*data_, world_from_link, memory);
    const std::span<std::uint32_t> near = pairs.by_spheres(settings.clearance, settings.world);
    if (likely_first)
        std::sort(near.begin(), near.end(),
                  [&](std::uint32_t i, std::uint32_t j) { return memory.met[i] > memory.met[j]; });
    RobotStats unread;
    RobotStats& stats = settings.stats ? *settings.stats : unread;
    stats.pairs += data_->pairs.size();
    stats.spheres += data_->pairs.size() - near.size();
    for (const std::uint32_t i : near) {
        if (pairs.boxes_apart(i, settings.clearance)) {
            ++stats.boxes;
            continue;
        }
        ++stats.asked;
        if (sink(context, i, a_from_b(world_from_link, i)) == Step::Continue) continue;
        ++memory.met[i];
        return false;
    }
    return true;
}

}  // namespace graze
