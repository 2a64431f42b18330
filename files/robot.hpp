// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assembly.hpp"
#include "graze/robot.hpp"

namespace graze::files {

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
    std::uint32_t root = 0;  ///< the link that does not move
    std::vector<Link> links;
    std::vector<Joint> joints;          ///< the joint above a link comes before those below it
    std::vector<std::uint32_t> active;  ///< the joints that take a value of their own, in the file's order
    std::vector<Mesh> meshes;           ///< shapes of the same file share one
    std::vector<std::string> notes;     ///< one line each: what was skipped

    std::optional<std::uint32_t> find_link(std::string_view link) const;
    std::optional<std::uint32_t> find_joint(std::string_view joint) const;
    /// True for a joint that moves with the value of another one.
    bool mimics(std::uint32_t joint) const;
};

enum class Shapes : std::uint8_t { Collision, Visual };

struct RobotOptions {
    Shapes shapes = Shapes::Collision;
    /// Where `package://` and relative names of meshes are looked for before the URDF's own folder and those above it.
    /// A name is tried whole, then without its first folder, and so on. Only meshes in these folders, in the URDF's own
    /// folder, in its package and below are read. The package is the nearest folder above with a `package.xml`, or
    /// without one the folder around `urdf/` or `robots/` with the URDF in it.
    std::vector<std::string> search;
    /// Folders, besides those above, that may hold other files that meshes name (buffers, materials).
    std::vector<std::string> allowed_folders = {};
    /// Cylinders and spheres become meshes whose corners lie on them and whose faces are no farther from them than
    /// this, metres, with 256 corners around at most. Boxes are exact.
    double tolerance = 1e-3;
};

/// Reads URDF. A fault names the file and the line. Floating and planar joints stay at 0, with a note.
Result<Robot> read_robot(const std::string& path, const RobotOptions& options = {});
/// Reads URDF from a text. `name` is the path that meshes are relative to.
Result<Robot> parse_robot(std::string_view text, const std::string& name, const RobotOptions& options = {});

/// The placements of the links for some joint values.
struct RobotPose {
    std::vector<Pose> world_from_link;  ///< the world is the root link's frame
    std::vector<std::string> beyond;    ///< one line for each value beyond its limits; the value is used all the same
};

/// Forward kinematics. Takes one value per joint of `robot.active`.
Result<RobotPose> place(const Robot& robot, std::span<const double> values);
/// Forward kinematics into a pose of the caller's, which keeps its memory: reuse it, and nothing is allocated while
/// values are within limits.
Result<void> place(const Robot& robot, std::span<const double> values, RobotPose& out);

/// Whether all joints have values that are finite and within their limits. Takes one value per joint of `robot.active`.
bool within_limits(const Robot& robot, std::span<const double> values);

/// Values for `robot.active` from values by joint name. Joints that are not named are at 0.
using NamedValues = std::vector<std::pair<std::string, double>>;
Result<std::vector<double>> joint_values(const Robot& robot, const NamedValues& named);

/// The joints of `robot.active` that are not among the names, separated by commas.
std::string joints_not_named(const Robot& robot, std::span<const std::string> names);

struct JointPath {
    std::vector<double> values;      ///< a value for each joint of `robot.active`, configuration by configuration
    std::vector<std::string> notes;  ///< one line each: columns that are skipped, joints that are not in the file
};
/// Reads one configuration per line: a value for each joint of `robot.active`, separated by blanks or commas. A first
/// line of names says which joints the columns are for; the others are at 0. A column `time`, `t`, `timestamp` or
/// `time_from_start` is skipped unless a joint has that name. Blank lines and `#` comments are skipped. A fault names
/// `name:line`. The bytes of a NumPy file may stand instead of text: an array with a row per configuration.
Result<JointPath> parse_joint_path(std::string_view text, const std::string& name, const Robot& robot);

/// All shapes in their places, as parts with the names of their links.
Result<Assembly> assembled(const Robot& robot, const RobotPose& pose);

/// The additions of an SRDF file to a robot.
struct RobotSemantics {
    struct Disabled {
        std::uint32_t a = 0, b = 0;  ///< links, a < b
        std::string reason;
    };
    struct State {
        std::string name;
        NamedValues values;
        /// One line each: joints that stay at 0 because they take several numbers or are not part of the URDF.
        std::vector<std::string> notes;
        std::optional<Fault> fault;  ///< why the state cannot be used; names the file and the line
    };
    std::vector<Disabled> disabled;  ///< pairs that are not checked
    std::vector<State> states;       ///< a damaged state has a fault of its own, as it may not be needed
    std::vector<std::string> notes;
};
Result<RobotSemantics> read_semantics(const std::string& path, const Robot& robot);
Result<RobotSemantics> parse_semantics(std::string_view text, const std::string& name, const Robot& robot);

/// The robot as `graze::Robot::build` takes it. Each link with shapes is a body: one model of all of them, in their
/// order. `around` is added as objects in the root link's frame. Pairs are `default_pairs`, of links only those that
/// the semantics leave, if there are any. Links keep their numbers, and values are those of `robot.active`.
Result<RobotParts> robot_parts(const Robot& robot, const RobotSemantics* semantics = nullptr,
                               std::vector<RobotBody> around = {}, unsigned threads = 0);

}  // namespace graze::files
