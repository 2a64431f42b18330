// SPDX-License-Identifier: Apache-2.0
// The poses that golden hashes are about.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "scenes/placements.hpp"

namespace graze::test {

/// A soup and its model.
struct SoupModel {
    const scenes::Soup& soup;
    const Model& model;
};

/// Poses of exact ties, where models allow them: axis rotations with nothing, with multiples of a
/// power of two near the model's size, or with the translation that puts a vertex onto a vertex.
inline Pose tie(const SoupModel& a, const SoupModel& b, std::uint32_t k, scenes::Random& random) {
    const Pose r = scenes::axis_rotation(k < 24 ? k : random.below(24));
    if (k < 8) return r;
    if (k % 2) {
        const double unit = std::ldexp(1, std::ilogb(scenes::bounding_ball(a.model).radius) - 2);
        const auto whole = [&] { return unit * (static_cast<double>(random.below(9)) - 4); };
        const double x = whole(), y = whole(), z = whole();
        return scenes::placed(r, {x, y, z});
    }
    const Vec3& p = a.soup.points[random.below(static_cast<std::uint32_t>(a.soup.points.size()))];
    const Vec3& q = b.soup.points[random.below(static_cast<std::uint32_t>(b.soup.points.size()))];
    return scenes::placed(r, p - r(q));
}

/// Random placements that hit half of the time, small gaps, both sides of touching, exact ties.
inline std::vector<Pose> mixed_poses(const SoupModel& a, const SoupModel& b, unsigned count, unsigned ties) {
    std::vector<Pose> poses;
    const auto add = [&](const std::vector<Pose>& more) { poses.insert(poses.end(), more.begin(), more.end()); };
    const unsigned part = std::max(2u, (count - ties) / 6);
    add(scenes::placements_at_gap(a.model, b.model, 1e-3, part, 2));
    add(scenes::placements_at_gap(a.model, b.model, 1e-6, part, 3));
    for (const scenes::Touch& t : scenes::touching_placements(a.model, b.model, part, 4)) add({t.clear, t.hit});
    scenes::Random random(5);
    for (std::uint32_t k = 0; k < ties; ++k) poses.push_back(tie(a, b, k, random));
    if (poses.size() < count) add(scenes::placements_at_hit_rate(a.model, b.model, 0.5, count - poses.size(), 1));
    return poses;
}

}  // namespace graze::test
