// SPDX-License-Identifier: Apache-2.0
// graze distance, and --clearance of the other commands, as a user runs them.
#include <array>

#include "cli.hpp"
#include "files/pose_file.hpp"
#include "files/write.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

class CliDistance : public Cli {
protected:
    void SetUp() override {
        Cli::SetUp();
        box_ = write_soup("box.obj", scenes::box());
        ball_ = write_soup("ball.stl", scenes::sphere(80));
        a_ = *Model::build(scenes::box().view());
    }
    std::string write_soup(const std::string& name, const scenes::Soup& soup, const Vec3& at = {}) const {
        files::Mesh mesh;
        for (const Vec3& p : soup.points) mesh.points.push_back(p + at);
        mesh.corners = soup.corners;
        const std::string path = (folder_ / name).string();
        EXPECT_TRUE(files::write_assembly(path, files::single(std::move(mesh))));
        return path;
    }
    static std::string pose(double x) { return " --pose \"" + std::to_string(x) + " 0 0 0 0 0 1\""; }

    std::string box_, ball_;
    Model a_;
};

Vec3 vector_of(const Json& json) { return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()}; }

TEST_F(CliDistance, OnePoseInWords) {
    const Outcome apart = run("distance " + box_ + " " + box_ + pose(2.5));
    EXPECT_EQ(apart.code, 0) << apart.err;
    EXPECT_NE(apart.out.find("\ndistance  0.5\non A      (1, "), std::string::npos) << apart.out;
    EXPECT_NE(apart.out.find("\non B      (1.5, "), std::string::npos) << apart.out;
    EXPECT_NE(apart.out.find("), triangle "), std::string::npos) << apart.out;
    const Outcome touching = run("distance " + box_ + " " + box_ + pose(2));
    EXPECT_EQ(touching.code, 1);
    EXPECT_NE(touching.out.find("\ndistance  0, in contact\n"), std::string::npos) << touching.out;
    const Outcome beyond = run("distance " + box_ + " " + box_ + pose(9) + " --max-distance 3");
    EXPECT_EQ(beyond.code, 0);
    EXPECT_TRUE(beyond.out.ends_with("\ndistance  more than 3\n")) << beyond.out;
    const std::string small = write_soup("small.obj", scenes::box({0.5, 0.5, 0.5}));
    const Outcome inside = run("distance " + box_ + " " + small);
    EXPECT_EQ(inside.code, 1);
    EXPECT_NE(inside.out.find("\ndistance  0.5, B is inside A\n"), std::string::npos) << inside.out;
}

TEST_F(CliDistance, EachPoseIsAnsweredAsTheLibraryAnswersIt) {
    const std::string poses = write("poses.txt",
                                    "2.5 0 0 0 0 0 1\n3 0.1 0.2 0.1 0.2 0.3 0.9\n9 0 0 0 0 0 1\n2 0 0 0 0 0 1\n"
                                    "0.3 2.9 0 0 0 0.5 0.8\n");
    const std::vector<Pose> read = *files::read_poses(poses);
    const std::string command = "distance " + box_ + " " + box_ + " --poses " + poses;
    const Outcome o = run(command + " --json --max-distance 5");
    EXPECT_EQ(o.code, 1);
    EXPECT_EQ(o.err, "");
    const std::vector<Json> lines = o.lines();
    ASSERT_EQ(lines.size(), 5u);
    std::string rows = run(command + " --csv --max-distance 5").out;
    EXPECT_TRUE(rows.starts_with("pose,distance,a,b,ax,ay,az,bx,by,bz\n0,0.5,")) << rows;
    EXPECT_NE(rows.find("\n2,,,,,,,,,\n"), std::string::npos) << rows;
    for (std::size_t i = 0; i < 5; ++i) {
        const ClosestTriangles expected = distance(a_, a_, read[i]);
        EXPECT_EQ(lines[i]["pose"], i);
        EXPECT_TRUE(lines[i]["stats"]["box_tests"].is_number_unsigned());
        if (i == 2) {
            for (const char* key : {"distance", "point_a", "point_b", "triangles"})
                EXPECT_TRUE(lines[i][key].is_null());
            continue;
        }
        EXPECT_EQ(lines[i]["distance"].get<double>(), expected.distance) << i;
        EXPECT_NEAR(length(vector_of(lines[i]["point_a"]) - vector_of(lines[i]["point_b"])), expected.distance, 1e-14);
        EXPECT_LT(lines[i]["triangles"][1], 12);
        EXPECT_FALSE(lines[i].contains("a_from_b"));
    }
    const Outcome text = run(command);
    EXPECT_NE(text.out.find("\n5 poses: 1 in contact, least distance 0 at pose 3\n"), std::string::npos) << text.out;
    EXPECT_EQ(text.out.find("pose 0:"), std::string::npos);
    EXPECT_NE(run(command + " -v").out.find("\npose 0: 0.5, triangles "), std::string::npos);
    const Json matrix = run("distance " + box_ + " " + ball_ + " --poses 2 --json").lines()[1]["a_from_b"];
    EXPECT_EQ(matrix.size(), 12u);
}

TEST_F(CliDistance, TheExitCodeKnowsTheClearance) {
    const std::string command = "distance " + box_ + " " + box_ + pose(2.5);
    for (const char* quiet : {"", " -q"}) {
        EXPECT_EQ(run(command + quiet + " --clearance 0.5").code, 1) << quiet;
        EXPECT_EQ(run(command + quiet + " --clearance 0.49999999999999994").code, 0) << quiet;
        EXPECT_EQ(run(command + quiet + " --clearance 0.5 --max-distance 0.1").code, 1) << quiet;
    }
    EXPECT_EQ(run(command + " -q").out, "");
    EXPECT_NE(run(command + " --clearance 0.6").out.find("distance  0.5, within 0.6\n"), std::string::npos);
}

TEST_F(CliDistance, AMapHasEveryTriangle) {
    const std::string map = (folder_ / "map.csv").string(), page = (folder_ / "page.html").string();
    EXPECT_EQ(run("distance " + box_ + " " + box_ + pose(2.5) + " --max-distance 2 --map " + map).code, 0);
    const std::vector<double> expected = clearances(a_, a_, *Pose::from_matrix({}, {2.5, 0, 0}), {.max_distance = 2});
    std::istringstream in(read_all(map));
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "triangle,distance");
    std::size_t beyond = 0;
    for (std::size_t i = 0; i < 12; ++i) {
        ASSERT_TRUE(std::getline(in, line));
        const std::string number = line.substr(line.find(',') + 1);
        EXPECT_EQ(line.substr(0, line.find(',')), std::to_string(i));
        EXPECT_EQ(number.empty(), !std::isfinite(expected[i]));
        beyond += number.empty();
        if (!number.empty()) {
            EXPECT_EQ(std::stod(number), expected[i]) << i;
        }
    }
    EXPECT_FALSE(std::getline(in, line));
    EXPECT_EQ(beyond, 2u);
#ifdef GRAZE_REPORT
    EXPECT_EQ(run("distance " + box_ + " " + ball_ + pose(3) + " --html " + page).code, 0);
    EXPECT_GT(fs::file_size(page), 10'000u);
    const std::string poses = write("poses.txt", "3 0 0 0 0 0 1\n2.5 0 0 0 0 0 1\n1 0 0 0 0 0 1\n");
    EXPECT_EQ(run("distance " + box_ + " " + ball_ + " --poses " + poses + " --html " + page).code, 1);
#endif
}

TEST_F(CliDistance, BadValuesAreRefused) {
    const std::string files = box_ + " " + ball_;
    for (const char* value : {"0", "-1", "nan", "inf", "wide"})
        expect_complaint("distance " + files + " --clearance " + value, "--clearance takes a length above 0; got");
    expect_complaint("collide " + files + " --clearance 0", "--clearance takes a length above 0; got '0'");
    expect_complaint("distance " + files + " --max-distance 0", "--max-distance takes a length above 0; got '0'");
    expect_complaint("distance " + files + " --map map.ply", "--map takes the name of a .csv file; got 'map.ply'");
    expect_complaint("distance " + files + " --poses 3 --map map.csv", "--poses and --map cannot be used together");
    expect_complaint("distance " + files + " --first", "there is no option --first");
    expect_complaint("clash " + box_ + " --clearance 0", "--clearance takes a length above 0; got '0'");
    expect_complaint("clash " + box_ + " --only clearance", "--only: clearance needs --clearance");
    expect_complaint("robot x.urdf --clearance nan", "--clearance takes a length above 0; got 'nan'");
}

TEST_F(CliDistance, CollideReportsPosesThatAreTooClose) {
    const std::string poses = write("poses.txt", "2.5 0 0 0 0 0 1\n2 0 0 0 0 0 1\n4 0 0 0 0 0 1\n");
    const std::string command = "collide " + box_ + " " + box_ + " --poses " + poses + " --clearance 0.5";
    const std::vector<Json> lines = run(command + " --json").lines();
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0]["kind"], "clearance");
    EXPECT_EQ(lines[0]["intersects"], false);
    EXPECT_EQ(lines[0]["distance"], 0.5);
    EXPECT_EQ(lines[0]["point_a"][0], 1);
    EXPECT_EQ(lines[0]["point_b"][0], 1.5);
    EXPECT_EQ(lines[1]["kind"], "touching");
    EXPECT_FALSE(lines[1].contains("distance"));
    EXPECT_FALSE(lines[2].contains("kind"));
    const std::string text = run(command).out;
    EXPECT_NE(text.find("\npose 0: 0.5 apart, within 0.5\npose 1: "), std::string::npos) << text;
    EXPECT_NE(text.find("\npose 2: clear\n3 poses: 1 in collision, 1 within 0.5, "), std::string::npos) << text;
    EXPECT_NE(run(command + " --first").out.find("\npose 0: within 0.5\n"), std::string::npos);
    const std::string rows = run(command + " --csv").out;
    EXPECT_TRUE(rows.starts_with("pose,a,b,distance\n0,")) << rows;
    EXPECT_EQ(rows.substr(rows.find('\n', 19) - 4, 4), ",0.5") << rows;
    const std::string far = "collide -q " + box_ + " " + box_ + pose(2.5) + " --clearance ";
    EXPECT_EQ(run(far + "0.5").code, 1);
    EXPECT_EQ(run(far + "0.4").code, 0);
}

TEST_F(CliDistance, PathListsFramesThatAreTooClose) {
    const std::string poses = write("poses.txt", "4 0 0 0 0 0 1\n2.5 0 0 0 0 0 1\n2.25 0 0 0 0 0 1\n4 0 0 0 0 0 1\n");
    const std::string command = "path " + box_ + " " + box_ + " " + poses + " --clearance 0.5";
    const Outcome o = run(command + " --json");
    EXPECT_EQ(o.code, 1);
    const Json json = Json::parse(o.out);
    EXPECT_EQ(json["intervals"],
              (Json::array(
                  {{{"begins", 1}, {"ends", 2}, {"kind", "clearance"}, {"most", 0}, {"at", 2}, {"distance", 0.25}}})));
    ASSERT_EQ(json["close"].size(), 2u);
    EXPECT_EQ(json["close"][1]["frame"], 2);
    EXPECT_EQ(json["close"][1]["distance"], 0.25);
    EXPECT_EQ(json["close"][1]["point_b"][0], 1.25);
    EXPECT_EQ(run(command + " --csv").out,
              "frame,contacts,intersects,close,distance\n0,0,false,false,\n1,0,false,true,0.5\n2,0,false,true,0.25\n"
              "3,0,false,false,\n");
    EXPECT_EQ(run(command + " --csv --first").out,
              "frame,intersects,close\n0,false,false\n1,false,true\n2,false,true\n3,false,false\n");
    const std::string text = run(command).out;
    EXPECT_NE(text.find("\n4 frames: within 0.5 in 2, 1 time\n"), std::string::npos) << text;
    EXPECT_NE(text.find("0.25  clearance\n"), std::string::npos) << text;
}

TEST_F(CliDistance, ClashReportsPartsThatAreTooClose) {
    fs::create_directories(folder_ / "parts");
    for (int i = 0; i < 3; ++i) write_soup("parts/box-" + std::to_string(i) + ".obj", scenes::box(), {2.5 * i, 0, 0});
    const std::string parts = (folder_ / "parts").string(), command = "clash " + parts;
    EXPECT_EQ(run(command).code, 0);
    const Outcome o = run(command + " --clearance 0.5 --json");
    EXPECT_EQ(o.code, 1);
    const Json json = Json::parse(o.out);
    ASSERT_EQ(json["clashes"].size(), 2u);
    EXPECT_EQ(json["clashes"][0]["kind"], "clearance");
    EXPECT_EQ(json["clashes"][0]["distance"], 0.5);
    EXPECT_EQ(json["clashes"][1]["point_a"][0], 3.5);
    const std::string text = run(command + " --clearance 0.5 --only clearance").out;
    EXPECT_NE(text.find("\nclearance  box-0  box-1  0.5 apart\n"), std::string::npos) << text;
    EXPECT_EQ(run(command + " --clearance 0.5 --not clearance").code, 0);
    const std::string last = write("last.json", o.out);
    EXPECT_EQ(run(command + " --clearance 0.5 --baseline " + last).code, 0);

    const std::string rules = write("rules.txt", "clearance: box-0 * 0.5\nclearance: box-9 * 1\n");
    const Outcome ruled = run(command + " --rules " + rules + " --only clearance --json");
    EXPECT_EQ(Json::parse(ruled.out)["clashes"].size(), 1u);
    EXPECT_EQ(ruled.err, "graze: note: " + rules + ":2: the clearance of 'box-9' and '*' applies to no pair\n");
    const std::string none = write("none.txt", "clearance: box-? box-? 0\n");
    EXPECT_EQ(run(command + " --clearance 0.5 --rules " + none).code, 0);
    const std::string unit = write("unit.txt", "\nclearance: * * 25 mm\n");
    expect_complaint(command + " --rules " + unit, unit + ":2: 25 mm cannot be used: ");
}

TEST_F(CliDistance, RobotReportsLinksThatAreTooClose) {
    const std::string urdf = write("two.urdf", R"(<robot name="two"><link name="rail"/>
      <link name="a"><collision><geometry><box size="2 2 2"/></geometry></collision></link>
      <link name="b"><collision><geometry><box size="2 2 2"/></geometry></collision></link>
      <joint name="x" type="prismatic"><parent link="rail"/><child link="a"/><axis xyz="1 0 0"/></joint>
      <joint name="y" type="prismatic"><parent link="rail"/><child link="b"/><axis xyz="1 0 0"/></joint></robot>)");
    const std::string command = "robot " + urdf + " --joints \"0 2.5\"";
    EXPECT_EQ(run(command).code, 0);
    const Outcome o = run(command + " --clearance 0.5");
    EXPECT_EQ(o.code, 1);
    EXPECT_NE(o.out.find("\nwithin 0.5 m: 1 pair\n  a – b  0.5 m apart\n"), std::string::npos) << o.out;
    const Json json = Json::parse(run(command + " --clearance 0.5 --json").out);
    EXPECT_EQ(json["collisions"], 0);
    EXPECT_EQ(json["close"], 1);
    const Json pair = json["configurations"][0]["pairs"][0];
    EXPECT_EQ(pair["kind"], "clearance");
    EXPECT_EQ(pair["distance"], 0.5);
    EXPECT_EQ(pair["point_b"][0], 1.5);
    EXPECT_EQ(run(command + " --clearance 0.5 --csv").out, "index,a,b,contacts,kind,distance\n0,a,b,0,clearance,0.5\n");
    EXPECT_EQ(run(command + " --clearance 0.5 --first -q").code, 1);
    EXPECT_EQ(run(command + " --clearance 0.49 --first -q").code, 0);
    EXPECT_NE(run(command + " --clearance 0.5 --first").out.find("\ncollision or within 0.5 m: a – b\n"),
              std::string::npos);
    const std::string path = write("path.txt", "0 9\n0 2.5\n0 2.25\n0 1\n");
    const Outcome many = run("robot " + urdf + " --path " + path + " --clearance 0.5");
    EXPECT_NE(many.out.find("\n4 configurations: 1 in collision (25.0 %), 2 others within 0.5 m\n"
                            "in collision or too close: 1–3\n  a – b  in 3 (close in 2), most in 3: "),
              std::string::npos)
        << many.out;
}

}  // namespace
}  // namespace graze
