// SPDX-License-Identifier: Apache-2.0
// Robots: URDF, forward kinematics, SRDF; the Panda where ../shared/models has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>

#include "files/primitives.hpp"
#include "files/robot.hpp"
#include "npy_file.hpp"
#include "temporary_folder.hpp"

namespace graze::files {
namespace {

namespace fs = std::filesystem;

class Robots : public ::testing::Test {
protected:
};

void expect_near(const Vec3& a, const Vec3& b, double tolerance = 1e-12) {
    EXPECT_LE(length(a - b), tolerance) << a.x << " " << a.y << " " << a.z << " and " << b.x << " " << b.y << " "
                                        << b.z;
}

/// A turn about z, a slide along x that follows it, a wheel about y below that, and a camera fixed on the base. The
/// slide is named before the joint that it follows, and the wheel's joint before the slide's.
const std::string arm = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><collision><geometry><box size="2 4 6"/></geometry></collision></link>
  <link name="wheel"><collision><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
    <geometry><cylinder radius="0.5" length="2"/></geometry></collision></link>
  <link name="turret"/>
  <link name="slide"><collision><geometry><sphere radius="1"/></geometry></collision>
    <visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="camera"/>
  <joint name="roll" type="continuous"><parent link="slide"/><child link="wheel"/><axis xyz="0 2 0"/></joint>
  <joint name="push" type="prismatic"><parent link="turret"/><child link="slide"/><origin xyz="1 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="3" effort="1" velocity="1"/><mimic joint="turn" multiplier="2" offset="0.25"/></joint>
  <joint name="turn" type="revolute"><parent link="base"/><child link="turret"/><origin xyz="0 0 5" rpy="0 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
  <joint name="mount" type="fixed"><parent link="base"/><child link="camera"/><origin xyz="0 0 1" rpy="1.5707963267948966 0 0"/></joint>
</robot>
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

TEST_F(Robots, KinematicsByHand) {
    const auto robot = parse_robot(arm, "arm.urdf");
    ASSERT_TRUE(robot) << robot.fault().message;
    EXPECT_EQ(robot->name, "arm");
    EXPECT_EQ(robot->links[robot->root].name, "base");
    ASSERT_EQ(robot->active.size(), 2u);
    EXPECT_EQ(robot->joints[robot->active[0]].name, "roll");
    EXPECT_EQ(robot->joints[robot->active[1]].name, "turn");
    const double quarter = std::numbers::pi / 2;
    const auto values = joint_values(*robot, {{"turn", quarter}, {"roll", quarter}});
    ASSERT_TRUE(values) << values.fault().message;
    EXPECT_EQ(*values, (std::vector<double>{quarter, quarter}));
    const auto pose = place(*robot, *values);
    ASSERT_TRUE(pose) << pose.fault().message;
    // The slide is at 1 + 2 (π/2) + 0.25 along the turret's x, which points along y.
    const double along = 1 + std::numbers::pi + 0.25;
    const auto at = [&](const char* link, const Vec3& p) { return pose->world_from_link[*robot->find_link(link)](p); };
    expect_near(at("base", {1, 2, 3}), {1, 2, 3});
    expect_near(at("turret", {1, 0, 0}), {0, 1, 5});
    expect_near(at("slide", {0, 0, 0}), {0, along, 5});
    // The wheel's x goes to -z by its own turn about y; its y along the world's -x.
    expect_near(at("wheel", {1, 0, 0}), {0, along, 4});
    expect_near(at("wheel", {0, 1, 0}), {-1, along, 5});
    expect_near(at("camera", {0, 1, 0}), {0, 0, 2});
    ASSERT_EQ(pose->beyond.size(), 1u);
    EXPECT_EQ(pose->beyond[0], "joint push: 3.39159 is beyond its limits 0 to 3");
    EXPECT_EQ(place(*robot, std::vector<double>{0, -1.5})->beyond.size(), 2u);
    EXPECT_FALSE(place(*robot, std::vector<double>{0}));
    EXPECT_FALSE(place(*robot, std::vector<double>{0, std::nan("")}));
    EXPECT_FALSE(joint_values(*robot, {{"push", 1}}));
    EXPECT_FALSE(joint_values(*robot, {{"mount", 1}}));
    EXPECT_FALSE(joint_values(*robot, {{"none", 1}}));

    const auto parts = assembled(*robot, *pose);
    ASSERT_TRUE(parts);
    ASSERT_EQ(parts->parts.size(), 3u);
    EXPECT_EQ(parts->parts[1].name, "wheel");
    // Along z of the wheel's mesh: z of the wheel, at 1 and up to 2.
    const Vec3 top = parts->parts[1].world_from_mesh({0, 0, 1});
    expect_near(top, at("wheel", {0, 0, 2}));
    EXPECT_EQ(parse_robot(arm, "arm.urdf", {.shapes = Shapes::Visual})->meshes.size(), 1u);
}

TEST_F(Robots, ShapesAreWithinTheirTolerance) {
    EXPECT_EQ(box_mesh({2, 4, 6}).polygon_count(), 6u);
    for (const double tolerance : {1e-2, 1e-3}) {
        const Mesh cylinder = cylinder_mesh(0.5, 2, tolerance), sphere = sphere_mesh(1, tolerance);
        for (const Vec3& p : cylinder.points) {
            EXPECT_NEAR(std::hypot(p.x, p.y), 0.5, 1e-15);
            EXPECT_EQ(std::abs(p.z), 1);
        }
        for (const Vec3& p : sphere.points) EXPECT_NEAR(length(p), 1, 1e-15);
        // The plane of a face is nearest to the axis or centre where the mesh is deepest below the surface.
        const auto depth = [](const Mesh& mesh, double radius, bool round) {
            double deepest = 0;
            const std::vector<std::uint32_t> corners = triangles(mesh);
            for (std::size_t i = 0; i < corners.size(); i += 3) {
                const Vec3 a = mesh.points[corners[i]], b = mesh.points[corners[i + 1]],
                           c = mesh.points[corners[i + 2]];
                Vec3 n = cross(b - a, c - a);
                n = n * (1 / length(n));
                EXPECT_GT(dot(n, a), 0) << "faces look outwards";
                if (round || std::abs(n.z) < 0.5) deepest = std::max(deepest, radius - dot(n, a));
            }
            return deepest;
        };
        EXPECT_LE(depth(cylinder, 0.5, false), tolerance);
        EXPECT_GE(depth(cylinder, 0.5, false), tolerance / 4);
        EXPECT_LE(depth(sphere, 1, true), tolerance);
        EXPECT_GE(depth(sphere, 1, true), tolerance / 4);
    }
    for (const Mesh& mesh : {box_mesh({1, 1, 1}), cylinder_mesh(1, 1, 0.01), sphere_mesh(1, 0.01)}) {
        // Closed: every edge once each way.
        std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
        const std::vector<std::uint32_t> corners = triangles(mesh);
        for (std::size_t i = 0; i < corners.size(); ++i)
            EXPECT_TRUE(edges.emplace(corners[i], corners[i % 3 == 2 ? i - 2 : i + 1]).second);
        for (const auto& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a}));
    }
}

// Models of Atlas mark points of contact by spheres without radius, and those of Kinova's arms have empty boxes.
TEST_F(Robots, ShapesWithoutSizeArePoints) {
    const auto robot = parse_robot(
        replaced(replaced(arm, "size=\"2 4 6\"", "size=\"0 0 0\""), "<sphere radius=\"1\"", "<sphere radius=\"0\""),
        "r.urdf");
    ASSERT_TRUE(robot.ok()) << robot.fault().message;
    for (const Mesh& mesh : {box_mesh({}), sphere_mesh(0, 1e-3), cylinder_mesh(0, 0, 1e-3)}) {
        for (const Vec3& p : mesh.points) EXPECT_EQ(p, Vec3());
        const Model point = Model::build(mesh.view()).value(), face = Model::build(box_mesh({2, 2, 2}).view()).value();
        EXPECT_TRUE(intersects(point, face, Pose::from_translation({0, 1, 0}).value()));
        EXPECT_FALSE(intersects(point, face, Pose::from_translation({0, 1 + 1e-15, 0}).value()));
    }
}

TEST_F(Robots, BrokenFiles) {
    const auto fault = [](const std::string& text) {
        const auto robot = parse_robot(text, "r.urdf");
        if (robot) return std::string();
        EXPECT_EQ(robot.fault().message.find('\n'), std::string::npos);
        return robot.fault().message;
    };
    EXPECT_EQ(fault(replaced(arm, "size=\"2 4 6\"", "size=\"2 four 6\"")), "r.urdf:3: 'size': 'four' is not a number");
    EXPECT_EQ(fault(replaced(arm, "size=\"2 4 6\"", "size=\"2 4\"")), "r.urdf:3: 'size': a number is missing");
    EXPECT_EQ(fault(replaced(arm, "size=\"2 4 6\"", "size=\"2 4 6 8\"")), "r.urdf:3: 'size' has more than 3 numbers");
    EXPECT_EQ(fault(replaced(arm, "size=\"2 4 6\"", "size=\"2 -1 6\"")), "r.urdf:3: 'size' must be from 0 to 1e6");
    EXPECT_EQ(fault(replaced(arm, "radius=\"0.5\" ", "")), "r.urdf:5: 'cylinder' lacks 'radius'");
    EXPECT_EQ(fault(replaced(arm, "<sphere", "<capsule")), "r.urdf:7: geometry 'capsule' is not supported");
    EXPECT_EQ(fault(replaced(arm, "<sphere radius=\"1\"/>", "<mesh filename=\"package://p/absent.stl\"/>")),
              "r.urdf:7: mesh 'package://p/absent.stl' is not found");
    EXPECT_EQ(fault(replaced(arm, "link=\"slide\"", "link=\"sledge\"")), "r.urdf:10: there is no link 'sledge'");
    EXPECT_EQ(fault(replaced(arm, "child link=\"wheel\"", "child link=\"slide\"")),
              "r.urdf:11: link 'slide' is the child of a second joint");
    EXPECT_EQ(fault(replaced(arm, "parent link=\"base\"", "parent link=\"wheel\"")),
              "r.urdf:2: links that form a ring");
    EXPECT_EQ(fault(replaced(arm, "mimic joint=\"turn\"", "mimic joint=\"push\"")),
              "r.urdf:12: joints that mimic each other");
    EXPECT_EQ(fault(replaced(arm, "mimic joint=\"turn\"", "mimic joint=\"tern\"")),
              "r.urdf:12: there is no joint 'tern'");
    EXPECT_EQ(fault(replaced(arm, "xyz=\"0 2 0\"", "xyz=\"0 0 0\"")), "r.urdf:10: an axis without direction");
    EXPECT_EQ(fault(replaced(arm, "continuous", "screw")), "r.urdf:10: joint type 'screw' is not supported");
    EXPECT_EQ(fault(replaced(arm, "name=\"wheel\"", "name=\"base\"")), "r.urdf:4: a second link 'base'");
    EXPECT_EQ(fault("<robot name=\"x\"/>"), "r.urdf:1: a robot without links");
    EXPECT_EQ(fault("<model/>"), "r.urdf:1: 'robot' is not the outermost element");
    for (std::size_t n = 0; n + 10 < arm.size(); n += 13)
        EXPECT_TRUE(fault(arm.substr(0, n)).starts_with("r.urdf:")) << n;
    EXPECT_FALSE(read_robot("no-such.urdf"));
}

TEST_F(Robots, SemanticsOfAFile) {
    const auto robot = parse_robot(arm, "arm.urdf");
    const auto read = parse_semantics(
        "<robot name=\"arm\"><group_state name=\"home\" group=\"g\"><joint name=\"turn\" "
        "value=\"0.5\"/></group_state>\n"
        "<disable_collisions link1=\"turret\" link2=\"base\" reason=\"Adjacent\"/>\n"
        "<disable_collisions link1=\"base\" link2=\"tail\" reason=\"Never\"/></robot>",
        "arm.srdf", *robot);
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->disabled.size(), 1u);
    EXPECT_EQ(read->disabled[0].a, *robot->find_link("base"));
    EXPECT_EQ(read->disabled[0].b, *robot->find_link("turret"));
    EXPECT_EQ(read->disabled[0].reason, "Adjacent");
    EXPECT_EQ(read->notes, (std::vector<std::string>{"arm.srdf:3: the robot has no link 'tail'"}));
    ASSERT_EQ(read->states.size(), 1u);
    EXPECT_EQ(*joint_values(*robot, read->states[0].values), (std::vector<double>{0, 0.5}));
    EXPECT_EQ(parse_semantics("<robot><disable_collisions link1=\"base\"/></robot>", "a.srdf", *robot).fault().message,
              "a.srdf:1: 'disable_collisions' lacks 'link2'");
}

TEST_F(Robots, OnlyTheStateThatIsUsedMustBeGood) {
    const auto robot = parse_robot(arm, "arm.urdf");
    const auto read = parse_semantics(R"(<robot name="arm">
<virtual_joint name="fly" type="floating" parent_frame="world" child_link="base"/>
<something new="1"><else/></something>
<group_state name="flying" group="g"><joint name="fly" value="1 2 3 0 0 0 1"/><joint name="turn" value="0.5"/></group_state>
<group_state name="shifted" group="g"><joint name="mount" value="1 2 0.5"/></group_state>
<group_state name="torn" group="g"><joint name="turn" value="half"/></group_state>
<group_state name="odd" group="g"><joint name="nix" value="1 2"/></group_state>
<group_state name="half_sitting" group="g"><joint name="root_joint" value="0 0 0.8 0 0 0 1"/><joint name="turn" value="0.5"/></group_state></robot>)",
                                      "arm.srdf", *robot);
    ASSERT_TRUE(read) << read.fault().message;
    ASSERT_EQ(read->states.size(), 5u);
    EXPECT_FALSE(read->states[4].fault) << "the root joint of a robot that walks";
    EXPECT_EQ(read->states[4].values, (NamedValues{{"turn", 0.5}}));
    EXPECT_EQ(read->states[4].notes.size(), 1u);
    EXPECT_FALSE(read->states[0].fault);
    EXPECT_EQ(read->states[0].values, (NamedValues{{"turn", 0.5}}));
    EXPECT_EQ(read->states[0].notes,
              (std::vector<std::string>{
                  "state 'flying': joint 'fly' has 7 numbers and stays at 0: the robot does not leave its root"}));
    EXPECT_EQ(read->states[1].notes.size(), 1u);
    ASSERT_TRUE(read->states[2].fault && read->states[3].fault);
    EXPECT_EQ(read->states[2].fault->message, "arm.srdf:6: 'value': 'half' is not a number");
    EXPECT_EQ(read->states[3].fault->message, "arm.srdf:7: the robot has no joint 'nix'");
}

TEST_F(Robots, PathsSayWhatTheySkip) {
    const auto robot = parse_robot(arm, "arm.urdf");  // with the joints roll and turn
    const auto read = [&](const std::string& text) { return parse_joint_path(text, "p", *robot); };
    const auto timed = read("time,turn,roll\n0.1,1,2\n0.2,3,4\n");
    ASSERT_TRUE(timed) << timed.fault().message;
    EXPECT_EQ(timed->values, (std::vector<double>{2, 1, 4, 3}));
    EXPECT_EQ(timed->notes, (std::vector<std::string>{"p: the column 'time' is not a joint and is skipped"}));
    for (const char* name : {"t", "Timestamp", "time_from_start"})
        EXPECT_TRUE(read(name + std::string(" turn\n0 1\n")));
    const auto part = read("turn\n1\n");
    ASSERT_TRUE(part);
    EXPECT_EQ(part->notes, (std::vector<std::string>{"joints not in the path stay at 0: roll"}));
    EXPECT_TRUE(read("1 2\n")->notes.empty());
    EXPECT_EQ(read("turn turn\n1 2\n").fault().message, "p:1: two columns 'turn'");
    EXPECT_EQ(read("when turn\n1 2\n").fault().message, "p:1: arm has no joint 'when'");
    // A joint may have such a name.
    const auto t = parse_robot(replaced(arm, "joint name=\"roll\"", "joint name=\"t\""), "arm.urdf");
    EXPECT_EQ(parse_joint_path("t turn\n1 2\n", "p", *t)->values, (std::vector<double>{1, 2}));
}

TEST_F(Robots, PathsMayBeArrays) {
    const auto robot = parse_robot(arm, "arm.urdf");
    const auto read = [&](const std::string& bytes) { return parse_joint_path(bytes, "p.npy", *robot); };
    const auto path = read(test::npy_file("(3, 2)", std::vector<float>{1, 2, 3, 4, 5, 6}));
    ASSERT_TRUE(path) << path.fault().message;
    EXPECT_EQ(path->values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(read(test::npy_file("(2, 3)", std::vector<double>(6))).fault().message,
              "p.npy: the shape is (2, 3), not (n, 2): a column per joint that moves");
    EXPECT_EQ(read(test::npy_file("(0, 2)", std::vector<double>())).fault().message,
              "p.npy: the file has no joint values");
    EXPECT_EQ(read(test::npy_file("(2, 2)", std::vector<double>{0, 0, 0, HUGE_VAL})).fault().message,
              "p.npy: configuration 1: the value of 'turn' is not finite");
}

/// A folder with a package in it, and beside that a mesh and a package of others.
class Packages : public test::InTemporaryFolder {
protected:
    void SetUp() override {
        for (const char* name : {"mine/urdf", "mine/meshes", "mine/description", "other/meshes"})
            fs::create_directories(folder_ / name);
        for (const char* name : {"mine/meshes/a b.stl", "mine/urdf/near.stl", "other/meshes/b.stl", "secret.stl"})
            std::ofstream(folder_ / name) << "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                                             "vertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    }

    std::string fault(const std::string& mesh, const std::string& urdf = "mine/urdf/r.urdf",
                      std::vector<std::string> search = {}, const char* kind = "collision") const {
        std::ofstream(folder_ / urdf) << "<robot name='r'><link name='l'><" << kind << "><geometry><mesh filename='"
                                      << mesh << "'/></geometry></" << kind << "></link></robot>";
        const auto robot = read_robot((folder_ / urdf).string(), {.search = std::move(search)});
        return robot ? "" : robot.fault().message;
    }
};

TEST_F(Packages, MeshesAreOfTheRobotsOwnFolders) {
    const std::string at = (folder_ / "mine/urdf/r.urdf").string() + ":1: mesh '";
    const std::string outside = "' is outside of the robot's folder and package; --package DIR names another folder";
    for (const char* name :
         {"near.stl", "../meshes/a b.stl", "package://mine/meshes/a%20b.stl", "package://x/meshes/a b.stl"})
        EXPECT_EQ(fault(name), "") << name;
    EXPECT_EQ(fault("file://" + (folder_ / "mine/meshes/a b.stl").string()), "");
    for (const std::string& name :
         {std::string("../../secret.stl"), std::string("package://x/secret.stl"),
          "file://" + (folder_ / "secret.stl").string(), (folder_ / "secret.stl").string(),
          std::string("package://other/meshes/b.stl"), std::string("../meshes/../../secret.stl")})
        EXPECT_EQ(fault(name), at + name + outside);
    EXPECT_EQ(fault("absent.stl"), at + "absent.stl' is not found");
    // Folders that the user names.
    EXPECT_EQ(fault("package://other/meshes/b.stl", "mine/urdf/r.urdf", {folder_.string()}), "");
    EXPECT_EQ(fault("package://other/meshes/b.stl", "mine/urdf/r.urdf", {(folder_ / "other").string()}), "");
    // A link does not lead out.
    fs::create_symlink(folder_ / "secret.stl", folder_ / "mine/urdf/link.stl");
    EXPECT_EQ(fault("link.stl"), at + "link.stl" + outside);
    // Elsewhere than in urdf/, a package.xml says what the package is.
    EXPECT_NE(fault("../meshes/a b.stl", "mine/description/r.urdf"), "");
    std::ofstream(folder_ / "mine/package.xml") << "<package/>";
    EXPECT_EQ(fault("../meshes/a b.stl", "mine/description/r.urdf"), "");
    // Shapes to look at are not needed for collisions.
    EXPECT_EQ(fault("absent.stl", "mine/urdf/r.urdf", {}, "visual"), "");
}

TEST_F(Robots, Panda) {
    const fs::path folder = fs::path("..") / "shared" / "models" / "panda";
    if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
    const auto robot = read_robot((folder / "urdf" / "panda.urdf").string());
    ASSERT_TRUE(robot) << robot.fault().message;
    EXPECT_EQ(robot->links[robot->root].name, "panda_link0");
    EXPECT_EQ(robot->active.size(), 8u);  // seven and one finger; the other follows it
    const auto semantics = read_semantics((folder / "srdf" / "panda.srdf").string(), *robot);
    ASSERT_TRUE(semantics) << semantics.fault().message;
    EXPECT_GT(semantics->disabled.size(), 20u);
    ASSERT_FALSE(semantics->states.empty());
    const auto ready = joint_values(*robot, semantics->states[0].values);
    ASSERT_TRUE(ready) << ready.fault().message;
    const auto pose = place(*robot, *ready);
    ASSERT_TRUE(pose) << pose.fault().message;
    EXPECT_TRUE(pose->beyond.empty());
    // The flange's place from the maker's table of Denavit and Hartenberg (Craig), by itself.
    const double a[8] = {0, 0, 0, 0.0825, -0.0825, 0, 0.088, 0}, d[8] = {0.333, 0, 0.316, 0, 0.384, 0, 0, 0.107};
    const double half = std::numbers::pi / 2, alpha[8] = {0, -half, half, half, -half, half, half, 0};
    Affine world;
    for (int i = 0; i < 8; ++i) {
        const double q = i < 7 ? (*ready)[i] : 0, c = std::cos(q), s = std::sin(q), ca = std::cos(alpha[i]),
                     sa = std::sin(alpha[i]);
        world = *compose(world, *Affine::from_rows(
                                    {c, -s, 0, a[i], s * ca, c * ca, -sa, -d[i] * sa, s * sa, c * sa, ca, d[i] * ca}));
    }
    const auto flange = robot->find_link("panda_link8");
    ASSERT_TRUE(flange);
    expect_near(pose->world_from_link[*flange].translation(), world.translation(), 1e-5);

    if (!has_assimp()) GTEST_SKIP() << "built without assimp: no visual meshes";
    const auto visual = read_robot((folder / "urdf" / "panda.urdf").string(), {.shapes = Shapes::Visual});
    ASSERT_TRUE(visual) << visual.fault().message;
    // Each visual mesh is about as large as its collision mesh, in the same place: unit and axes are right.
    std::size_t compared = 0;
    for (const Mesh& other : robot->meshes) {
        const auto own = std::find_if(visual->meshes.begin(), visual->meshes.end(),
                                      [&](const Mesh& mesh) { return mesh.name == other.name; });
        if (own == visual->meshes.end()) continue;
        ++compared;
        Vec3 low[2], high[2];
        for (int k = 0; k < 2; ++k) {
            const Mesh& mesh = k ? *own : other;
            low[k] = high[k] = mesh.points[0];
            for (const Vec3& p : mesh.points)
                for (int e = 0; e < 3; ++e) {
                    low[k][e] = std::min(low[k][e], p[e]);
                    high[k][e] = std::max(high[k][e], p[e]);
                }
        }
        expect_near(low[0], low[1], 0.02);
        expect_near(high[0], high[1], 0.02);
    }
    EXPECT_GE(compared, 8u);
}

}  // namespace
}  // namespace graze::files
