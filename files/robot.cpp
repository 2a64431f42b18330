// SPDX-License-Identifier: Apache-2.0
#include "robot.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "text.hpp"

namespace graze::files {

namespace {

template <class T>
std::optional<std::uint32_t> find(const std::vector<T>& all, std::string_view name) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == name) return static_cast<std::uint32_t>(i);
    return std::nullopt;
}

/// m times the rotation by an angle about an axis of length 1 (Rodrigues).
Mat3 turned(const Mat3& m, const Vec3& u, double angle) {
    const double c = std::cos(angle), s = std::sin(angle), v = 1 - c;
    // Most joints turn about an axis of their frame: then only two columns change.
    for (int k = 0; k < 3; ++k)
        if (std::abs(u[k]) == 1) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const double w = u[k] * s;
            Mat3 out = m;
            for (Vec3& row : out.row) {
                const double x = row[i], y = row[j];
                row[i] = c * x + w * y;
                row[j] = c * y - w * x;
            }
            return out;
        }
    return m * Mat3{{Vec3{c + u.x * u.x * v, u.x * u.y * v - u.z * s, u.x * u.z * v + u.y * s},
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
    RobotPose out;
    const Result<Done> placed = place(robot, values, out);
    if (!placed) return placed.fault();
    return out;
}

Result<Done> place(const Robot& robot, std::span<const double> values, RobotPose& out) {
    if (values.size() != robot.active.size())
        return Fault{FaultKind::BadIndex, robot.name + ": " + std::to_string(robot.active.size()) +
                                              " joint values expected, " + std::to_string(values.size()) + " given"};
    out.joint_values.assign(robot.joints.size(), 0);
    out.world_from_link.assign(robot.links.size(), Pose());
    out.beyond.clear();
    for (std::size_t i = 0; i < values.size(); ++i) out.joint_values[robot.active[i]] = values[i];
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
        const Joint& joint = robot.joints[i];
        double& q = out.joint_values[i];
        // The joint that is followed has a value of its own, so it does not have to come first.
        if (joint.mimic) q = joint.mimic->multiplier * out.joint_values[joint.mimic->joint] + joint.mimic->offset;
        if (!std::isfinite(q)) return Fault{FaultKind::NotFinite, "joint " + joint.name + ": its value is not finite"};
        if (q < joint.lower || q > joint.upper)
            out.beyond.push_back("joint " + joint.name + ": " + number(q) + " is beyond its limits " +
                                 number(joint.lower) + " to " + number(joint.upper));
        const Pose& parent = out.world_from_link[joint.parent];
        Mat3 rotation = parent.rotation() * joint.parent_from_joint.rotation();
        Vec3 translation = parent.rotation() * joint.parent_from_joint.translation() + parent.translation();
        if (q != 0 && joint.kind == JointKind::Prismatic)
            translation = translation + rotation * (joint.axis * q);
        else if (q != 0 && joint.kind != JointKind::Fixed)
            rotation = turned(rotation, joint.axis, q);
        const Result<Pose> world = Pose::from_matrix(rotation, translation);
        if (!world) return Fault{world.fault().kind, "joint " + joint.name + ": " + world.fault().message};
        out.world_from_link[joint.child] = *world;
    }
    return Done{};
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

Result<std::vector<double>> parse_joint_path(std::string_view text, const std::string& name, const Robot& robot) {
    std::string blanks(text);
    std::ranges::replace(blanks, ',', ' ');
    TextCursor cursor(blanks);
    std::vector<std::size_t> order(robot.active.size());  // index of the value that a column sets
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> out;
    bool first = true;
    do {
        std::string_view word = cursor.word();
        if (word.empty()) continue;
        const std::size_t line = cursor.line();
        if (first && (std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_')) {
            order.clear();
            for (; !word.empty(); word = cursor.word()) {
                // Names are resolved as `joint_values` resolves them, so that the faults are the same.
                const Result<std::vector<double>> set = joint_values(robot, {{std::string(word), 1.0}});
                if (!set) return located(name, line, set.fault());
                order.push_back(static_cast<std::size_t>(std::ranges::find(*set, 1.0) - set->begin()));
            }
        } else {
            const std::size_t row = out.size();
            out.resize(row + robot.active.size(), 0);
            std::size_t count = 0;
            for (; !word.empty(); word = cursor.word(), ++count) {
                const Result<double> value = parse_number(word);
                if (!value.ok()) return located(name, line, value.fault());
                if (count < order.size()) out[row + order[count]] = *value;
            }
            if (count != order.size())
                return located(name, line,
                               {FaultKind::Damaged, std::to_string(order.size()) + " values expected, " +
                                                        std::to_string(count) + " given"});
        }
        first = false;
    } while (cursor.next_line());
    if (out.empty()) return located(name, 1, {FaultKind::Damaged, "the file has no joint values"});
    return out;
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
