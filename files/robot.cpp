// SPDX-License-Identifier: Apache-2.0
#include "robot.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "npy.hpp"
#include "robot/kinematics.hpp"
#include "text.hpp"

namespace graze::files {

namespace {

template <class T>
std::optional<std::uint32_t> find(const std::vector<T>& all, std::string_view name) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == name) return static_cast<std::uint32_t>(i);
    return std::nullopt;
}

/// Whether the joint has a value that is finite and within its limits.
bool within_limits(const Joint& joint, std::span<const double> values) {
    const double q = detail::joint_value(joint, values.data());
    return std::isfinite(q) && !(q < joint.lower || q > joint.upper);
}

std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

}  // namespace

std::optional<std::uint32_t> Robot::find_link(std::string_view link) const { return find(links, link); }
std::optional<std::uint32_t> Robot::find_joint(std::string_view joint) const { return find(joints, joint); }
bool Robot::mimics(std::uint32_t joint) const {
    const Joint& one = joints[joint];
    return one.type != JointType::Fixed && (one.value >= active.size() || active[one.value] != joint);
}

Result<RobotPose> place(const Robot& robot, std::span<const double> values) {
    RobotPose out;
    const Result<void> placed = place(robot, values, out);
    if (!placed) return placed.fault();
    return out;
}

Result<void> place(const Robot& robot, std::span<const double> values, RobotPose& out) {
    if (values.size() != robot.active.size())
        return Fault{FaultKind::BadIndex, robot.name + ": " + std::to_string(robot.active.size()) +
                                              " joint values expected, " + std::to_string(values.size()) + " given"};
    out.world_from_link.resize(robot.links.size());
    out.beyond.clear();
    if (const Result<void> placed = detail::place_links(robot.joints, values, out.world_from_link); !placed)
        return placed;
    for (const Joint& joint : robot.joints)
        if (!within_limits(joint, values))
            out.beyond.push_back("joint " + joint.name + ": " + number(detail::joint_value(joint, values.data())) +
                                 " is beyond its limits " + number(joint.lower) + " to " + number(joint.upper));
    return {};
}

bool within_limits(const Robot& robot, std::span<const double> values) {
    return std::ranges::all_of(robot.joints, [&](const Joint& joint) { return within_limits(joint, values); });
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
                                                  (robot.mimics(*joint) ? " follows another and takes no value"
                                                                        : " is fixed and takes no value")};
        values[i] = value;
    }
    return values;
}

std::string joints_not_named(const Robot& robot, std::span<const std::string> names) {
    std::string out;
    for (const std::uint32_t i : robot.active)
        if (std::ranges::find(names, robot.joints[i].name) == names.end())
            out += (out.empty() ? "" : ", ") + robot.joints[i].name;
    return out;
}

namespace {

/// Reads the lines of a joint path.
class JointPathReader {
public:
    JointPathReader(const std::string& name, const Robot& robot) : name_(name), robot_(robot) {
        for (std::size_t i = 0; i < robot.active.size(); ++i) columns_.push_back(i);
    }

    Result<JointPath> read(std::string_view text) {
        std::string blanks(text);
        std::ranges::replace(blanks, ',', ' ');
        TextCursor cursor(blanks);
        bool first = true;
        do {
            const std::string_view word = cursor.word();
            if (word.empty()) continue;
            const std::size_t line = cursor.line();
            const bool names = first && (std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_');
            const Result<void> read = names ? head(cursor, word) : row(cursor, word);
            if (!read) return located(name_, line, read.fault());
            first = false;
        } while (cursor.next_line());
        if (out_.values.empty()) return located(name_, 1, {FaultKind::Damaged, "the file has no joint values"});
        return std::move(out_);
    }

private:
    static constexpr std::size_t skipped = ~std::size_t{0};

    static bool is_time(std::string_view word) {
        std::string lower(word);
        for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return lower == "time" || lower == "t" || lower == "timestamp" || lower == "time_from_start";
    }

    Result<void> head(TextCursor& cursor, std::string_view word) {
        columns_.clear();
        std::vector<std::string> names;
        for (; !word.empty(); word = cursor.word()) {
            const std::string joint(word);
            if (std::ranges::find(names, joint) != names.end())
                return Fault{FaultKind::Damaged, "two columns " + in_quotes(joint)};
            names.push_back(joint);
            if (is_time(joint) && !robot_.find_joint(joint)) {
                out_.notes.push_back(name_ + ": the column " + in_quotes(joint) + " is not a joint and is skipped");
                columns_.push_back(skipped);
                continue;
            }
            // Names are resolved as `joint_values` resolves them, so that the faults are the same.
            const Result<std::vector<double>> set = joint_values(robot_, {{joint, 1.0}});
            if (!set) return set.fault();
            columns_.push_back(static_cast<std::size_t>(std::ranges::find(*set, 1.0) - set->begin()));
        }
        if (const std::string rest = joints_not_named(robot_, names); !rest.empty())
            out_.notes.push_back("joints not in the path stay at 0: " + rest);
        return {};
    }

    Result<void> row(TextCursor& cursor, std::string_view word) {
        const std::size_t begin = out_.values.size();
        out_.values.resize(begin + robot_.active.size(), 0);
        std::size_t count = 0;
        for (; !word.empty(); word = cursor.word(), ++count) {
            const Result<double> value = parse_number(word);
            if (!value.ok()) return value.fault();
            if (count < columns_.size() && columns_[count] != skipped) out_.values[begin + columns_[count]] = *value;
        }
        if (count == columns_.size()) return {};
        return Fault{FaultKind::Damaged,
                     std::to_string(columns_.size()) + " values expected, " + std::to_string(count) + " given"};
    }

    const std::string& name_;
    const Robot& robot_;
    std::vector<std::size_t> columns_;  ///< index of the value that a column sets, or `skipped`
    JointPath out_;
};

/// Configurations from an array of shape (n, number of joints).
Result<JointPath> joint_path_of(const NpyArray& array, const std::string& name, const Robot& robot) {
    const auto damaged = [&](const std::string& what) { return Fault{FaultKind::Damaged, name + ": " + what}; };
    const std::size_t joints = robot.active.size();
    if (array.shape.size() != 2 || array.shape[1] != joints)
        return damaged("the shape is " + shape_text(array.shape) + ", not (n, " + std::to_string(joints) +
                       "): a column per joint that moves");
    if (array.numbers.empty()) return damaged("the file has no joint values");
    for (std::size_t i = 0; i < array.numbers.size(); ++i)
        if (!std::isfinite(array.numbers[i]))
            return damaged("configuration " + std::to_string(i / joints) + ": the value of " +
                           in_quotes(robot.joints[robot.active[i % joints]].name) + " is not finite");
    return JointPath{array.numbers, {}};
}

}  // namespace

Result<JointPath> parse_joint_path(std::string_view text, const std::string& name, const Robot& robot) {
    if (starts_like_npy(text)) {
        const Result<NpyArray> array = parse_npy(text, name);
        if (!array) return array.fault();
        return joint_path_of(*array, name, robot);
    }
    return JointPathReader(name, robot).read(text);
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

namespace {

/// All shapes of a link in one mesh.
Result<Mesh> shapes_of(const Robot& robot, const Link& link) {
    Assembly all;
    for (const LinkShape& shape : link.shapes) {
        all.parts.push_back({{}, {}, static_cast<std::uint32_t>(all.meshes.size()), shape.link_from_mesh});
        all.meshes.push_back(robot.meshes[shape.mesh]);
    }
    return merged(all);
}

}  // namespace

Result<RobotParts> robot_parts(const Robot& robot, const RobotSemantics* semantics, std::vector<RobotBody> around,
                               unsigned threads) {
    RobotParts out{robot.joints, {}, {}};
    for (std::uint32_t i = 0; i < robot.links.size(); ++i) {
        if (robot.links[i].shapes.empty()) continue;
        const Result<Mesh> mesh = shapes_of(robot, robot.links[i]);
        const Result<Model> model = mesh ? Model::build(mesh->view(), {.threads = threads}) : mesh.fault();
        if (!model) return Fault{model.fault().kind, "link " + robot.links[i].name + ": " + model.fault().message};
        out.bodies.push_back({robot.links[i].name, *model, i});
    }
    std::ranges::move(around, std::back_inserter(out.bodies));
    if (semantics) {
        std::vector<LinkPair> disabled;
        for (const RobotSemantics::Disabled& pair : semantics->disabled) disabled.push_back({pair.a, pair.b});
        out.pairs = default_pairs(out, disabled);
    } else {
        out.pairs = default_pairs(out);
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
