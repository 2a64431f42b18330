// SPDX-License-Identifier: Apache-2.0
// graze robot, as a user runs it.
#include <array>

#include "cli.hpp"
#include "files/robot.hpp"
#include "npy_file.hpp"

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
    EXPECT_EQ(o.out, "bars: 3 links with shapes, 1 pair checked, 2 left out\ncollision: left – right\n");
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
    expect_complaint("robot " + urdf_ + " --state open", "--state: states come from an SRDF; name it by --srdf\n");
}

TEST_F(CliRobot, NoPairIsNoAnswer) {
    const std::string cart =
        R"(<robot name="cart"><link name="rail"><collision><geometry><box size="9 1 1"/></geometry></collision></link>
      <link name="cart"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
      <joint name="x" type="prismatic"><parent link="rail"/><child link="cart"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>)";
    const std::string urdf = write("cart.urdf", cart);
    expect_complaint(
        "robot " + urdf + " --joints 0",
        urdf + ": no pair is checked, of 2 links with shapes: 1 pair of links that are joined or fixed to each other");
    EXPECT_EQ(run("robot " + urdf + " --joints 0.8 --world " + write("wall.obj", wall)).code, 1);
    const std::string srdf =
        write("cart.srdf", R"(<robot name="cart"><disable_collisions link1="rail" link2="cart"/></robot>)");
    expect_complaint("robot " + urdf + " --srdf " + srdf + " --joints 0",
                     urdf + ": no pair is checked, of 2 links with shapes: 1 pair disabled by the SRDF");
}

TEST_F(CliRobot, FixedLinksThatAlwaysMeetAreNamedOnce) {
    const std::string urdf = write("tool.urdf", bars.substr(0, bars.find("</robot>")) + R"(
      <link name="tool"><collision><origin xyz="2.2 0 0"/><geometry><box size="0.3 0.3 0.3"/></geometry></collision></link>
      <joint name="t" type="fixed"><parent link="left"/><child link="tool"/></joint></robot>)");
    const std::string srdf = write("tool.srdf", R"(<robot name="bars"><disable_collisions link1="post" link2="left"/>
      <disable_collisions link1="post" link2="right"/></robot>)");
    const std::string command = "robot " + urdf + " --srdf " + srdf;
    const Outcome o = run(command + " --joints 0 1");
    EXPECT_EQ(o.code, 0) << o.out;
    EXPECT_TRUE(
        o.out.starts_with("bars: 4 links with shapes, 4 pairs checked, 2 left out\n"
                          "always: left – tool, which are fixed to each other: "))
        << o.out;
    EXPECT_TRUE(o.out.ends_with(" contacts\nclear\n")) << o.out;
    const Json answer = Json::parse(run(command + " --random 50 --json").out);
    EXPECT_LT(answer["collisions"], 50);
    ASSERT_EQ(answer["fixed"].size(), 1u);
    EXPECT_EQ(answer["fixed"][0]["a"], "left");
    EXPECT_EQ(answer["fixed"][0]["b"], "tool");
    EXPECT_EQ(answer["checked"]["pairs"]["all"], 6);
    EXPECT_EQ(answer["checked"]["pairs"]["asked"], 4);
    EXPECT_EQ(answer["checked"]["pairs"]["not_asked"][0]["reason"], "disabled by the SRDF");
    for (const Json& one : answer["configurations"])
        for (const Json& pair : one["pairs"]) EXPECT_FALSE(pair["a"] == "left" && pair["b"] == "tool");
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
    EXPECT_TRUE(csv.out.starts_with("index,a,b,contacts,kind\n1,left,right,")) << csv.out;
    EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 4);
    // The contacts are those of the rows.
    std::istringstream rows(csv.out);
    std::string row;
    std::getline(rows, row);
    for (const int i : {1, 2, 4}) {
        std::getline(rows, row);
        EXPECT_EQ(row, std::to_string(i) + ",left,right," +
                           answer["configurations"][static_cast<std::size_t>(i)]["pairs"][0]["contacts"].dump() +
                           (i == 1 ? ",crossing" : ",duplicate"));  // the fingers are alike
    }
    EXPECT_EQ(run("robot " + urdf_ + " --path " + path + " --csv --first").out,
              "index,a,b\n1,left,right\n2,left,right\n4,left,right\n");
    const Outcome first = run("robot " + urdf_ + " --path " + path + " --first");
    EXPECT_NE(first.out.find("in collision: 1–2, 4\n  left – right  found first in 3\n"), std::string::npos)
        << first.out;
    EXPECT_EQ(
        Json::parse(run("robot " + urdf_ + " --path " + path + " --first --json").out)["configurations"][1]["first"],
        (Json{{"a", "left"}, {"b", "right"}}));
    // The same path as an array.
    const std::string array =
        write("path.npy", test::npy_file("(5, 2)", std::vector<double>{-1, 1, 0.5, 0.6, 0.6, 0.6, -1, 1, 1, 1}));
    EXPECT_EQ(run("robot " + urdf_ + " --path " + array + " --csv").out, csv.out);
    EXPECT_EQ(run("robot " + urdf_ + " --path " + array + " --device auto --csv").err,
              "graze: note: poses are checked on the CPU\n");
    expect_complaint("robot " + urdf_ + " --path " + array + " --device gpu",
                     "--device gpu: this graze was built without GPU support");
}

TEST_F(CliRobot, NothingOfTheWorldIsLeftOut) {
    fs::create_directories(folder_ / "world");
    write("world/wall.obj", wall);
    const std::string world = (folder_ / "world").string();
    EXPECT_EQ(run("robot " + urdf_ + " --joints 0 1 --world " + world).code, 1);
    const std::string cut = write("world/cut.obj", "v 1 2\n");
    expect_complaint("robot " + urdf_ + " --joints 0 1 --world " + world, cut + ":1: ");
    fs::remove(cut);
    const std::string scene = write("world/scene.gltf", R"({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
      "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
      "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
      "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": "../far.bin", "byteLength": 36}]})");
    write("far.bin", std::string(36, '\0'));
    expect_complaint("robot " + urdf_ + " --joints 0 1 --world " + world,
                     scene + ": it names '../far.bin', which is outside of its folder (--allow-folder ");
    const Outcome allowed =
        run("robot " + urdf_ + " --joints 0 1 --world " + world + " --allow-folder " + folder_.string());
    EXPECT_EQ(allowed.code, 1) << allowed.err;
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

/// A box of the given half size about a point, as OBJ without a name.
std::string box_obj(double half, double x = 0, double y = 0, double z = 0, int first = 1) {
    std::string out;
    for (int i = 0; i < 8; ++i)
        out += "v " + std::to_string(x + (i & 1 ? half : -half)) + " " + std::to_string(y + (i & 2 ? half : -half)) +
               " " + std::to_string(z + (i & 4 ? half : -half)) + "\n";
    for (const auto& face :
         {std::array{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
        out += "f";
        for (const int c : face) out += " " + std::to_string(first + c);
        out += "\n";
    }
    return out;
}

TEST_F(CliRobot, WhatIsInsideCollides) {
    const std::string command = "robot " + urdf_ + " --joints 0 1 --world " + write("block.obj", box_obj(5));
    const Outcome o = run(command);
    EXPECT_EQ(o.code, 1) << o.err;
    EXPECT_NE(o.out.find("collision: 2 pairs\n  left – block.obj   left is inside block.obj\n"), std::string::npos)
        << o.out;
    EXPECT_NE(o.err.find("not checked against the world, as they cannot move: post\n"), std::string::npos) << o.err;
    const Json pair = Json::parse(run(command + " --json").out)["configurations"][0]["pairs"][0];
    EXPECT_EQ(pair, Json::parse(R"({"a": "left", "b": "block.obj", "contacts": 0, "kind": "inside", "inside": "a"})"));
    EXPECT_EQ(run(command + " --csv").out,
              "index,a,b,contacts,kind\n0,left,block.obj,0,inside\n0,right,block.obj,0,inside\n");
    EXPECT_EQ(run(command + " --first").code, 1);
    EXPECT_EQ(run(command + " -q").code, 1);
    const Outcome path = run("robot " + urdf_ + " --world " + (folder_ / "block.obj").string() + " --path " +
                             write("two.txt", "0 1\n0 1\n"));
    EXPECT_NE(path.out.find("in 2, first in 0: left is inside block.obj"), std::string::npos) << path.out;
}

TEST_F(CliRobot, SeveralWorldsEachWithItsPoseAndScale) {
    const std::string scene =
        write("scene.obj", "o table\n" + box_obj(0.1, 1, 0, 0) + "o lamp\n" + box_obj(0.1, 0, 0, 5, 9));
    const std::string cube = write("cube.obj", box_obj(100));  // millimetres
    const std::string base = "robot " + urdf_ + " --joints 0 1.5 --json --world " + scene;
    const auto hits = [&](const std::string& arguments) {
        std::string out;
        const Json answer = Json::parse(run(arguments).out);
        for (const Json& pair : answer["configurations"][0]["pairs"])
            out += pair["a"].get<std::string>() + " " + pair["b"].get<std::string>() + "; ";
        return out;
    };
    EXPECT_EQ(hits(base), "left table; ");
    const std::string two = base + " --world " + cube + " --world-scale 0.001";
    EXPECT_EQ(hits(two + " --world-pose \"0 0 9 0 0 0 1\""), "left scene/table; ");
    EXPECT_EQ(hits(two + " --world-pose \"2 0 0 0 0 0 1\""), "left scene/table; left cube.obj; ");
    // The pose belongs to the file before it.
    EXPECT_EQ(hits("robot " + urdf_ + " --joints 0 1.5 --json --world " + cube +
                   " --world-scale 0.001 --world-pose \"2 0 0 0 0 0 1\" --world " + cube +
                   " --world-scale 0.001 --world-pose \"0 0 9 0 0 0 1\""),
              "left cube.obj; ");
    expect_complaint("robot " + urdf_ + " --world-pose \"0 0 0 0 0 0 1\" --world " + cube,
                     "--world-pose: comes after the --world");
    expect_complaint("robot " + urdf_ + " --world " + cube + " --world-pose 1", "--world-pose: a pose has 7 numbers");
    expect_complaint("robot " + urdf_ + " --world " + cube + " --world-scale 0", "--world-scale: a number above 0");
}

TEST_F(CliRobot, NotesOnPathsAndStates) {
    Outcome o = run("robot " + urdf_ + " --path " + write("timed.csv", "time,r\n0,1\n1,1.2\n"));
    EXPECT_EQ(o.code, 0);
    EXPECT_NE(o.err.find("timed.csv: the column 'time' is not a joint and is skipped\n"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("joints not in the path stay at 0: l\n"), std::string::npos) << o.err;
    o = run("robot " + urdf_ + " --joints r=1");
    EXPECT_EQ(o.err, "graze: note: --joints: joints that are not named stay at 0: l\n");
    const std::string srdf = write("fly.srdf", R"(<robot name="bars">
      <virtual_joint name="base" type="floating" parent_frame="map" child_link="post"/>
      <group_state name="up" group="all"><joint name="base" value="0 0 1 0 0 0 1"/><joint name="l" value="0"/><joint name="r" value="1"/></group_state>
      <group_state name="torn" group="all"><joint name="l" value="x"/></group_state></robot>)");
    o = run("robot " + urdf_ + " --srdf " + srdf + " --state up --first");
    EXPECT_NE(o.err.find("joint 'base' has 7 numbers and stays at 0"), std::string::npos) << o.err;
    EXPECT_NE(o.code, 2);
    expect_complaint("robot " + urdf_ + " --srdf " + srdf + " --state torn", srdf + ":4: 'value': ");
}

/// The document in a page.
Json document_of(const std::string& page) {
    const std::size_t id = page.find("id=\"graze-document\"");
    if (id == std::string::npos) return {};
    const std::size_t begin = page.find('>', id) + 1;
    return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST_F(CliRobot, ThePageHasAllFramesUpToFiveThousand) {
    const std::string page = (folder_ / "page.html").string();
    for (const int n : {2'000, 6'000}) {
        std::string lines;
        for (int i = 0; i < n; ++i) lines += i >= 600 && i < 700 ? "0.6 0.6\n" : "-1 1\n";
        const Outcome o = run("robot " + urdf_ + " --path " + write("long.txt", lines) + " --json --html " + page);
        if (o.err.find("has no report page") != std::string::npos) GTEST_SKIP() << o.err;
        EXPECT_EQ(Json::parse(o.out)["collisions"], 100);
        const Json document = document_of(read_all(page));
        EXPECT_EQ(document["all_frames"], n);
        EXPECT_EQ(document["all_hits"], 100);
        ASSERT_EQ(document["frames"].size(), std::min<std::size_t>(n, 5'000));
        ASSERT_EQ(document["numbers"].size(), document["frames"].size());
        std::size_t hits = 0;
        for (std::size_t i = 0; i < document["frames"].size(); ++i) {
            const int number = document["numbers"][i];
            EXPECT_EQ(!document["frames"][i].empty(), number >= 600 && number < 700);
            hits += !document["frames"][i].empty();
        }
        EXPECT_EQ(hits, 100u);
    }
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
