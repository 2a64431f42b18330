// SPDX-License-Identifier: Apache-2.0
#include "scenes/arm.hpp"

#include <utility>

#include "scenes/parts.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {

namespace {

enum class Axis { X, Y, Z };

/// A rod along an axis, from and to there, its edges taken off; the radii are at its two ends.
Soup rod(Axis axis, double from, double to, double radius, double end_radius) {
    const double edge = 0.1 * radius;
    const Knot profile[] = {
        {0, from}, {radius - edge, from}, {radius, from + edge}, {end_radius, to - edge}, {end_radius - edge, to},
        {0, to}};
    Soup s = revolved(profile, false, 1000);
    for (Vec3& p : s.points) p = axis == Axis::X ? Vec3{p.z, p.x, p.y} : axis == Axis::Y ? Vec3{p.y, p.z, p.x} : p;
    return s;
}
Soup rod(Axis axis, double from, double to, double radius) { return rod(axis, from, to, radius, radius); }

Soup moved(Soup soup, const Vec3& by) { return transformed(std::move(soup), placed(Pose(), by)); }

Soup block(const Vec3& low, const Vec3& high) { return moved(box((high - low) * 0.5), (low + high) * 0.5); }

}  // namespace

Arm arm() {
    Arm arm;
    const Knot foot[] = {{0, 0}, {0.16, 0}, {0.16, 0.04}, {0.11, 0.09}, {0.11, 0.25}, {0, 0.25}};
    // Barrels lie where the joints turn.
    arm.links = {
        {"base", revolved(foot, false, 1500)},
        {"shoulder", joined(rod(Axis::Z, 0, 0.14, 0.11), moved(rod(Axis::Y, -0.13, 0.13, 0.09), {0, 0, 0.12}))},
        {"upper_arm",
         joined(rod(Axis::Y, -0.1, 0.1, 0.08),
                joined(rod(Axis::Z, 0, 0.4, 0.075, 0.06), moved(rod(Axis::Y, -0.09, 0.09, 0.075), {0, 0, 0.4})))},
        {"forearm", joined(rod(Axis::Y, -0.11, 0.11, 0.065), rod(Axis::X, 0, 0.2, 0.06, 0.05))},
        {"wrist_1", rod(Axis::X, 0.005, 0.18, 0.048)},
        {"wrist_2", joined(rod(Axis::Y, -0.06, 0.06, 0.045), rod(Axis::X, 0, 0.08, 0.04))},
        {"flange", rod(Axis::X, 0.002, 0.03, 0.045)},
        {"hand", block({0.002, -0.08, -0.025}, {0.05, 0.08, 0.025})},
        {"finger_left", block({0.002, 0.002, -0.012}, {0.09, 0.02, 0.012})},
        {"finger_right", block({0.002, -0.02, -0.012}, {0.09, -0.002, 0.012})},
    };
    const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    arm.joints = {
        {"turn", "revolute", "base", "shoulder", {0, 0, 0.25}, z, -2.9, 2.9, {}},
        {"lift", "revolute", "shoulder", "upper_arm", {0, 0, 0.12}, y, -1.7, 1.7, {}},
        {"bend", "revolute", "upper_arm", "forearm", {0, 0, 0.4}, y, -2.6, 2.6, {}},
        {"roll", "revolute", "forearm", "wrist_1", {0.2, 0, 0}, x, -2.9, 2.9, {}},
        {"tilt", "revolute", "wrist_1", "wrist_2", {0.18, 0, 0}, y, -2, 2, {}},
        {"spin", "revolute", "wrist_2", "flange", {0.08, 0, 0}, x, -3, 3, {}},
        {"mount", "fixed", "flange", "hand", {0.03, 0, 0}, x, 0, 0, {}},
        {"grip", "prismatic", "hand", "finger_left", {0.05, 0, 0}, y, 0, 0.05, {}},
        {"grip_right", "prismatic", "hand", "finger_right", {0.05, 0, 0}, {0, -1, 0}, 0, 0.05, "grip"},
    };
    for (const Arm::Joint& joint : arm.joints) arm.disabled.push_back({joint.parent, joint.child, "Adjacent"});
    for (const auto& [a, b] : {std::pair{"base", "upper_arm"},
                               {"wrist_1", "flange"},
                               {"wrist_2", "hand"},
                               {"flange", "finger_left"},
                               {"flange", "finger_right"},
                               {"finger_left", "finger_right"}})
        arm.disabled.push_back({a, b, "Never"});
    return arm;
}

std::vector<ArmValues> arm_path(std::size_t frames) {
    const ArmValues folded = {0.8, -0.33, 1.14, 0.26, 0.58, 0.98, 0.05};
    std::vector<ArmValues> path;
    const double last = static_cast<double>(frames > 1 ? frames - 1 : 1);
    for (std::size_t i = 0; i < frames; ++i) {
        // From 0 to 1 and back, slow at both ends and where it turns.
        const double t = (1 - sin_cos(static_cast<double>(i) / last).cos) / 2;
        ArmValues values;
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = arm_home[k] + (folded[k] - arm_home[k]) * t;
        path.push_back(values);
    }
    return path;
}

}  // namespace graze::scenes
