// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "files/assembly.hpp"

namespace graze::files {

/// How a joint moves: by an angle in radians, by a length in metres, or not at all.
enum class JointKind : std::uint8_t { Fixed, Revolute, Continuous, Prismatic };

/// A joint that takes the value of another one instead of its own.
struct Mimic {
    std::uint32_t joint = 0;
    double multiplier = 1, offset = 0;
};

struct Joint {
    std::string name;
    JointKind kind = JointKind::Fixed;
    std::uint32_t parent = 0, child = 0;  ///< links
    Pose parent_from_joint;               ///< at the value 0
    Vec3 axis{1, 0, 0};                   ///< of length 1, in the joint's frame
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    std::optional<Mimic> mimic;
};

/// A mesh on a link.
struct LinkShape {
    std::uint32_t mesh = 0;
    Affine link_from_mesh;
};

struct Link {
    std::string name;
    std::vector<LinkShape> shapes;
};

/// A tree of links. Lengths are metres.
struct Robot {
    std::string name;
    std::uint32_t root = 0;  ///< the link that stands still
    std::vector<Link> links;
    std::vector<Joint> joints;          ///< a link's own before those of the links below it
    std::vector<std::uint32_t> active;  ///< the joints that take a value, in the file's order
    std::vector<Mesh> meshes;           ///< shared by shapes of one file
    std::vector<std::string> notes;     ///< one line each: what was left out

    std::optional<std::uint32_t> find_link(std::string_view link) const;
    std::optional<std::uint32_t> find_joint(std::string_view joint) const;
};

enum class Shapes : std::uint8_t { Collision, Visual };

struct RobotOptions {
    Shapes shapes = Shapes::Collision;
    /// Where `package://` and relative names of meshes are looked for before the URDF's own folder and those above it.
    /// A name is tried whole, then without its first folder, and so on.
    std::vector<std::string> search;
    /// Cylinders and spheres become meshes whose corners lie on them and whose faces are no farther from them than
    /// this, metres, with 256 corners around at most. Boxes are exact.
    double tolerance = 1e-3;
};

/// URDF. A fault names the file and the line; joints that float or slide in a plane stay at 0, with a note.
Result<Robot> read_robot(const std::string& path, const RobotOptions& options = {});
/// The same from a text; `name` says where its meshes are.
Result<Robot> parse_robot(std::string_view text, const std::string& name, const RobotOptions& options = {});

/// Where the links are.
struct RobotPose {
    std::vector<Pose> world_from_link;  ///< the world is the root link's frame
    std::vector<double> joint_values;   ///< of all joints, also those that follow others
    std::vector<std::string> beyond;    ///< one line for each limit that a value passes; it is taken all the same
};

/// Forward kinematics for one value for each joint of `robot.active`.
Result<RobotPose> place(const Robot& robot, std::span<const double> values);
/// The same into memory of the caller's, for many: nothing is allocated once it is large enough and within limits.
Result<Done> place(const Robot& robot, std::span<const double> values, RobotPose& out);

/// The values by the joints' names; those not named are 0.
using NamedValues = std::vector<std::pair<std::string, double>>;
Result<std::vector<double>> joint_values(const Robot& robot, const NamedValues& named);

/// Configurations one a line: a value for each joint of `robot.active`, parted by blanks or commas; or for the joints
/// that a first line names, the others being 0. Blank lines and `#` comments are skipped. A fault names `name:line`.
Result<std::vector<double>> parse_joint_path(std::string_view text, const std::string& name, const Robot& robot);

/// All shapes in their places, as parts with their link's name.
Result<Assembly> assembled(const Robot& robot, const RobotPose& pose);

/// What an SRDF file adds to a robot.
struct RobotSemantics {
    struct Disabled {
        std::uint32_t a = 0, b = 0;  ///< links, a < b
        std::string reason;
    };
    struct State {
        std::string name;
        NamedValues values;
    };
    std::vector<Disabled> disabled;  ///< pairs that need no check
    std::vector<State> states;
    std::vector<std::string> notes;
};
Result<RobotSemantics> read_semantics(const std::string& path, const Robot& robot);
Result<RobotSemantics> parse_semantics(std::string_view text, const std::string& name, const Robot& robot);

}  // namespace graze::files
