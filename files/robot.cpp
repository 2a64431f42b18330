// SPDX-License-Identifier: Apache-2.0
#include "robot.hpp"

#include <cmath>

#include "text.hpp"

namespace graze::files {

namespace {

template <class T>
std::optional<std::uint32_t> find(const std::vector<T>& all, std::string_view name) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == name) return static_cast<std::uint32_t>(i);
    return std::nullopt;
}

/// A turn about an axis of length 1 (Rodrigues).
Mat3 turn(const Vec3& u, double angle) {
    const double c = std::cos(angle), s = std::sin(angle), v = 1 - c;
    return {{Vec3{c + u.x * u.x * v, u.x * u.y * v - u.z * s, u.x * u.z * v + u.y * s},
             Vec3{u.y * u.x * v + u.z * s, c + u.y * u.y * v, u.y * u.z * v - u.x * s},
             Vec3{u.z * u.x * v - u.y * s, u.z * u.y * v + u.x * s, c + u.z * u.z * v}}};
}

std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

}  // namespace

std::optional<std::uint32_t> Robot::find_link(std::string_view link) const { return find(links, link); }
std::optional<std::uint32_t> Robot::find_joint(std::string_view joint) const { return find(joints, joint); }

Result<RobotPose> place(const Robot& robot, std::span<const double> values) {
    if (values.size() != robot.active.size())
        return Fault{FaultKind::BadIndex, robot.name + ": " + std::to_string(robot.active.size()) +
                                              " joint values expected, " + std::to_string(values.size()) + " given"};
    std::vector<double> value(robot.joints.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) value[robot.active[i]] = values[i];
    RobotPose out;
    out.world_from_link.resize(robot.links.size());
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
        const Joint& joint = robot.joints[i];
        // The joint that is followed has a value of its own, and so need not come first.
        if (joint.mimic) value[i] = joint.mimic->multiplier * value[joint.mimic->joint] + joint.mimic->offset;
        const double q = value[i];
        if (!std::isfinite(q)) return Fault{FaultKind::NotFinite, "joint " + joint.name + ": its value is not finite"};
        if (q < joint.lower || q > joint.upper)
            out.beyond.push_back("joint " + joint.name + ": " + number(q) + " is beyond its limits " +
                                 number(joint.lower) + " to " + number(joint.upper));
        Result<Pose> world = compose(out.world_from_link[joint.parent], joint.parent_from_joint);
        if (world && joint.kind != JointKind::Fixed && q != 0) {
            const bool slides = joint.kind == JointKind::Prismatic;
            const Result<Pose> motion =
                slides ? Pose::from_matrix({}, joint.axis * q) : Pose::from_matrix(turn(joint.axis, q), {});
            world = motion ? compose(*world, *motion) : motion;
        }
        if (!world) return Fault{world.fault().kind, "joint " + joint.name + ": " + world.fault().message};
        out.world_from_link[joint.child] = *world;
    }
    return out;
}

Result<std::vector<double>> joint_values(const Robot& robot, const NamedValues& named) {
    std::vector<double> values(robot.active.size(), 0);
    for (const auto& [name, value] : named) {
        const std::optional<std::uint32_t> joint = robot.find_joint(name);
        if (!joint) return Fault{FaultKind::BadIndex, robot.name + " has no joint " + in_quotes(name)};
        std::size_t i = 0;
        while (i < robot.active.size() && robot.active[i] != *joint) ++i;
        if (i == robot.active.size())
            return Fault{FaultKind::BadIndex, "joint " + in_quotes(name) +
                                                  (robot.joints[*joint].mimic ? " follows another and takes no value"
                                                                              : " is fixed and takes no value")};
        values[i] = value;
    }
    return values;
}

Result<Assembly> assembled(const Robot& robot, const RobotPose& pose) {
    Assembly out;
    out.meshes = robot.meshes;
    for (std::size_t i = 0; i < robot.links.size(); ++i) {
        const Link& link = robot.links[i];
        for (const LinkShape& shape : link.shapes) {
            const Result<Affine> world = compose(Affine(pose.world_from_link[i]), shape.link_from_mesh);
            if (!world) return Fault{world.fault().kind, "link " + link.name + ": " + world.fault().message};
            out.parts.push_back({link.name, robot.name + "/" + link.name, shape.mesh, *world});
        }
    }
    return out;
}

#ifndef GRAZE_ROBOTS
namespace {
Fault no_robots(const std::string& name) {
    return {FaultKind::File, name + ": this build reads no robots: it was made without tinyxml2 (libtinyxml2-dev)"};
}
}  // namespace
bool has_robots() { return false; }
Result<Robot> parse_robot(std::string_view, const std::string& name, const RobotOptions&) { return no_robots(name); }
Result<RobotSemantics> parse_semantics(std::string_view, const std::string& name, const Robot&) {
    return no_robots(name);
}
#endif

Result<Robot> read_robot(const std::string& path, const RobotOptions& options) {
    const Result<Bytes> bytes = Bytes::of(path);
    if (!bytes) return bytes.fault();
    return parse_robot(bytes->view(), path, options);
}

Result<RobotSemantics> read_semantics(const std::string& path, const Robot& robot) {
    const Result<Bytes> bytes = Bytes::of(path);
    if (!bytes) return bytes.fault();
    return parse_semantics(bytes->view(), path, robot);
}

}  // namespace graze::files
