// SPDX-License-Identifier: Apache-2.0
// graze robot, as a user runs it.
#include "cli.hpp"
#include "files/robot.hpp"

namespace graze {
namespace {

/// Two bars of length 2 on a post, one above the other, each turning; and a third beside them on a rail.
const std::string bars = R"(<robot name="bars">
  <link name="post"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="left"><collision><origin xyz="1.2 0 0"/><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
  <link name="right"><collision><origin xyz="1.2 0 0"/><geometry><box size="2 0.1 0.1"/></geometry></collision></link>
  <joint name="l" type="revolute"><parent link="post"/><child link="left"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="r" type="revolute"><parent link="post"/><child link="right"/><axis xyz="0 0 1"/><limit lower="0.5" upper="1.5" effort="1" velocity="1"/></joint>
</robot>
)";
const std::string wall = "v 1 -9 -9\nv 1 9 -9\nv 1 0 9\nf 1 2 3\n";

class CliRobot : public Cli {
protected:
    void SetUp() override {
        Cli::SetUp();
        urdf_ = write("bars.urdf", bars);
    }
    std::string urdf_;
};

TEST_F(CliRobot, OneConfiguration) {
    // Without values: 0, and for the joint that excludes it the middle of its limits.
    Outcome o = run("robot " + urdf_);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out, "bars: 3 links with shapes, 1 pair checked, 2 left out\nclear\n");
    EXPECT_NE(o.err.find("all at 0 except where that is beyond the limits: r = 1"), std::string::npos) << o.err;
    for (const char* joints : {"\"0.6 0.61\"", "0.6 0.61", "0.6,0.61", "l=0.6 r=0.61", "\"r=0.61 l=0.6\""}) {
        o = run("robot " + urdf_ + " --joints " + joints);
        EXPECT_EQ(o.code, 1) << joints << o.err;
        EXPECT_NE(o.out.find("collision: 1 pair\n  left – right  "), std::string::npos) << o.out;
        EXPECT_EQ(o.err, "");
    }
    o = run("robot " + urdf_ + " --joints \"-1.5 1\"");
    EXPECT_EQ(o.code, 0);
    EXPECT_EQ(o.err, "graze: note: joint l: -1.5 is beyond its limits -1 to 1\n");
    o = run("robot " + urdf_ + " --joints 0.6 0.61 --first");
    EXPECT_EQ(o.out, "bars: 3 links with shapes, 1 pair checked, 2 left out\ncollision\n");
    o = run("robot -q " + urdf_ + " --joints 0.6 0.61");
    EXPECT_EQ(o.out + o.err, "");
    EXPECT_EQ(o.code, 1);
    o = run("robot -v " + urdf_);
    EXPECT_NE(o.err.find("1 pairs: "), std::string::npos) << o.err;
}

TEST_F(CliRobot, SemanticsAndStates) {
    const std::string srdf = write("bars.srdf", R"(<robot name="bars">
      <disable_collisions link1="post" link2="left" reason="Adjacent"/>
      <group_state name="folded" group="all"><joint name="l" value="0.75"/><joint name="r" value="0.76"/></group_state>
      <group_state name="open" group="all"><joint name="r" value="1"/></group_state></robot>)");
    const Outcome hint = run("robot " + urdf_ + " --joints 0 1");
    EXPECT_NE(hint.err.find(srdf + " lies nearby"), std::string::npos) << hint.err;
    const Outcome folded = run("robot " + urdf_ + " --srdf " + srdf + " --state folded");
    EXPECT_EQ(folded.code, 1);
    EXPECT_NE(folded.out.find("2 pairs checked, 1 left out"), std::string::npos) << folded.out;
    EXPECT_EQ(folded.err, "");
    EXPECT_EQ(run("robot " + urdf_ + " --srdf " + srdf + " --state open").code, 0);
    expect_complaint("robot " + urdf_ + " --srdf " + srdf + " --state shut",
                     "--state: the SRDF has no state 'shut'; it has folded, open\n");
    expect_complaint("robot " + urdf_ + " --state open", "--state: states come from an SRDF, which --srdf gives\n");
}

TEST_F(CliRobot, Paths) {
    const std::string path = write("path.txt", "l r\n-1 1\n0.5 0.6\n0.6 0.6\n# away\n-1 1\n1 1\n");
    const Outcome o = run("robot " + urdf_ + " --path " + path);
    EXPECT_EQ(o.code, 1) << o.err;
    EXPECT_NE(
        o.out.find("5 configurations: 3 in collision (60.0 %)\nin collision: 1–2, 4\n  left – right  in 3, most in "),
        std::string::npos)
        << o.out;
    const Outcome json = run("robot " + urdf_ + " --path " + path + " --json");
    const Json answer = Json::parse(json.out);
    EXPECT_EQ(answer["robot"], "bars");
    EXPECT_EQ(answer["pairs_checked"], 1);
    EXPECT_EQ(answer["pairs_left_out"], 2);
    EXPECT_EQ(answer["collisions"], 3);
    EXPECT_EQ(answer["beyond_limits"], 0);
    EXPECT_EQ(answer["joints"], Json::parse(R"(["l", "r"])"));
    ASSERT_EQ(answer["configurations"].size(), 5u);
    EXPECT_EQ(answer["configurations"][0]["hit"], false);
    EXPECT_EQ(answer["configurations"][0]["pairs"].size(), 0u);
    EXPECT_EQ(answer["configurations"][1]["values"], Json::parse("[0.5, 0.6]"));
    EXPECT_EQ(answer["configurations"][2]["pairs"][0]["a"], "left");
    EXPECT_EQ(answer["configurations"][2]["pairs"][0]["b"], "right");
    const Outcome csv = run("robot " + urdf_ + " --path " + path + " --csv");
    EXPECT_TRUE(csv.out.starts_with("index,a,b,contacts\n1,left,right,")) << csv.out;
    EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 4);
    // The contacts are those of the rows.
    std::istringstream rows(csv.out);
    std::string row;
    std::getline(rows, row);
    for (const int i : {1, 2, 4}) {
        std::getline(rows, row);
        EXPECT_EQ(row, std::to_string(i) + ",left,right," +
                           answer["configurations"][static_cast<std::size_t>(i)]["pairs"][0]["contacts"].dump());
    }
    EXPECT_EQ(run("robot " + urdf_ + " --path " + path + " --csv --first").out, "index\n1\n2\n4\n");
}

TEST_F(CliRobot, RandomConfigurationsAndAWorld) {
    const std::string many = "robot " + urdf_ + " --random 400 --json";
    const Outcome one = run(many + " --threads 1"), two = run(many + " --threads 2");
    EXPECT_EQ(one.out, two.out);
    EXPECT_NE(one.out, run(many + " --seed 2").out);
    const Json answer = Json::parse(one.out);
    const Json first = Json::parse(run(many + " --first").out);
    const int collisions = answer["collisions"];
    EXPECT_GT(collisions, 10);
    EXPECT_LT(collisions, 300);
    EXPECT_EQ(first["collisions"], collisions);
    EXPECT_FALSE(first["configurations"][0].contains("pairs"));
    const Json with = Json::parse(run(many + " --world " + write("wall.obj", wall)).out);
    EXPECT_EQ(with["pairs_checked"], 3);
    EXPECT_EQ(with["configurations"][0]["pairs"].back()["b"], "wall.obj");
    EXPECT_GT(with["collisions"], collisions);
}

TEST_F(CliRobot, Complaints) {
    expect_complaint("robot " + urdf_ + " --joints 1", "--joints: bars takes 2 values (l, r), 1 given\n");
    expect_complaint("robot " + urdf_ + " --joints l=1 2", "--joints: give all values by name, or none\n");
    expect_complaint("robot " + urdf_ + " --joints x=1", "--joints: bars has no joint 'x'\n");
    expect_complaint("robot " + urdf_ + " --joints 1 q", "--joints: ");
    expect_complaint("robot " + urdf_ + " --joints l=", "--joints: ");
    expect_complaint("robot " + urdf_ + " --joints 0 1 --random 4", "--");
    expect_complaint("robot " + urdf_ + " --random 0", "--random");
    expect_complaint("robot " + urdf_ + " --seed 4", "--seed");
    expect_complaint("robot " + (folder_ / "nothing.urdf").string(), (folder_ / "nothing.urdf").string() + ": ");
    const std::string path = write("path.txt", "1 1\n1 1 1\n"), empty = write("empty.txt", "# nothing\n");
    expect_complaint("robot " + urdf_ + " --path " + path, path + ":2: 2 values expected, 3 given\n");
    expect_complaint("robot " + urdf_ + " --path " + empty, empty + ":1: the file has no joint values\n");
    const std::string bad = write("bad.urdf", "<robot name='a'>\n<link/></robot>");
    expect_complaint("robot " + bad, bad + ":2: ");
    const std::string bare = write("bare.urdf", "<robot name='a'><link name='b'/></robot>");
    expect_complaint("robot " + bare, bare + ": no link has a collision shape; --visual uses the visual shapes\n");
    expect_complaint("robot " + bare + " --random 3", bare + ": the robot has no joint that moves\n");
    expect_complaint("robot " + urdf_ + " --srdf " + write("bad.srdf", "<robot"),
                     (folder_ / "bad.srdf").string() + ":1: ");
    expect_complaint("robot " + urdf_ + " --world " + empty, empty);
}

}  // namespace
}  // namespace graze
