// SPDX-License-Identifier: Apache-2.0
// Runs the real command on files and looks at what it prints and returns.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "files/mesh_file.hpp"

namespace graze {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Outcome {
    int code = -1;
    std::string out, err;

    std::vector<Json> lines() const {
        std::vector<Json> all;
        std::istringstream in(out);
        for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
        return all;
    }
};

std::string read_all(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class Cli : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "graze-cli-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return (folder_ / name).string();
    }

    /// Arguments as the shell takes them.
    Outcome run(const std::string& arguments) const {
        const fs::path out = folder_ / "stdout", err = folder_ / "stderr";
        const std::string line =
            GRAZE_COMMAND " " + arguments + " >'" + out.string() + "' 2>'" + err.string() + "' </dev/null";
        const int status = std::system(line.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_all(out), read_all(err)};
    }

    /// Exit code 2, nothing on stdout and one line on stderr that starts so.
    void expect_complaint(const std::string& arguments, const std::string& start) const {
        const Outcome o = run(arguments);
        EXPECT_EQ(o.code, 2) << arguments;
        EXPECT_EQ(o.out, "") << arguments;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
        EXPECT_TRUE(o.err.starts_with("graze: " + start)) << o.err;
    }

    fs::path folder_;
};

/// Two squares in z = 0, [0, 2]² and [4, 6] × [0, 2], as quads.
const std::string floor_obj =
    "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4\nv 4 0 0\nv 6 0 0\nv 6 2 0\nv 4 2 0\nf -4 -3 -2 -1\n";

/// A triangle that stands on the point (1, 0.5, 0) when placed by the identity.
const std::string blade_stl =
    "solid blade\nfacet normal 0 0 0\nouter loop\nvertex 1 0.5 0\nvertex 1 1 3\nvertex 1 0 3\nendloop\nendfacet\n"
    "endsolid blade\n";

TEST_F(Cli, TouchingIsACollisionAndJustAboveIsClear) {
    const std::string a = write("floor.obj", floor_obj), b = write("blade.stl", blade_stl);
    EXPECT_EQ(run("collide " + a + " " + b).code, 1);
    EXPECT_EQ(run("collide " + a + " " + b + " --pose '0 0 4.9e-324 0 0 0 1'").code, 0);
    EXPECT_EQ(run("collide " + a + " " + b + " --pose '-0.5 0 -1 0 0 0 1' --first").code, 1);
    EXPECT_EQ(run("collide " + a + " " + b + " --pose='1 0 0 0  0 1 0 0  0 0 1 1' --first").code, 0);
}

TEST_F(Cli, JsonNamesPairsAndPolygons) {
    const std::string a = write("floor.obj", floor_obj), b = write("blade.stl", blade_stl);
    const std::string poses = write("poses.txt", "# by hand\n0 0 -1 0 0 0 1\n\n4 0 -1 0 0 0 1\n0 0 1 0 0 0 1\n");
    const Outcome o = run("collide " + a + " " + b + " --poses " + poses + " --json");
    EXPECT_EQ(o.code, 1);
    EXPECT_EQ(o.err, "");
    const std::vector<Json> lines = o.lines();
    ASSERT_EQ(lines.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(lines[i]["pose"], i);
        EXPECT_EQ(lines[i]["intersects"], i < 2);
        EXPECT_EQ(lines[i]["contacts"], lines[i]["pairs"].size());
        EXPECT_EQ(lines[i]["polygons"].size(), lines[i]["pairs"].size());
        EXPECT_TRUE(std::is_sorted(lines[i]["pairs"].begin(), lines[i]["pairs"].end()));
        for (const char* key : {"box_tests", "triangle_tests", "double_tests", "exact_tests"})
            EXPECT_TRUE(lines[i]["stats"][key].is_number_unsigned()) << key;
        // The blade, cut at z = 1, spans x = 1 and y around 0.5: the lower triangle and perhaps the other.
        for (const Json& polygon : lines[i]["polygons"]) EXPECT_EQ(polygon, (Json{i, 0}));
        for (const Json& pair : lines[i]["pairs"]) {
            EXPECT_EQ(pair[0].get<std::size_t>() / 2, i);
            EXPECT_EQ(pair[1], 0);
        }
    }
    EXPECT_GE(lines[0]["contacts"], 1);
    EXPECT_EQ(lines[0]["contacts"], lines[1]["contacts"]);
    EXPECT_EQ(lines[2]["pairs"], Json::array());
}

TEST_F(Cli, FirstReportsOneOfAll) {
    const std::string a = write("floor.obj", floor_obj);
    const Json all = run("collide " + a + " " + a + " --all --json").lines().at(0);
    const Json first = run("collide " + a + " " + a + " --first --json").lines().at(0);
    EXPECT_EQ(all["contacts"], 8);
    EXPECT_EQ(first["contacts"], 1);
    EXPECT_EQ(first["intersects"], true);
    ASSERT_EQ(first["pairs"].size(), 1u);
    EXPECT_NE(std::find(all["pairs"].begin(), all["pairs"].end(), first["pairs"][0]), all["pairs"].end());
}

TEST_F(Cli, TrianglesAloneHaveNoPolygons) {
    const std::string b = write("blade.stl", blade_stl);
    const Json line = run("collide " + b + " " + b + " --json").lines().at(0);
    EXPECT_EQ(line["pairs"], (Json{{0, 0}}));
    EXPECT_FALSE(line.contains("polygons"));
}

TEST_F(Cli, FilesWithoutTrianglesAreRefused) {
    const std::string none = write("none.stl", "solid none\nendsolid none\n"), b = write("blade.stl", blade_stl);
    expect_complaint("collide " + none + " " + b, none + ": the file has no triangles");
    expect_complaint("collide " + b + " " + none + " --first", none + ": the file has no triangles");
}

TEST_F(Cli, TextIsCutShortAndSaysSo) {
    std::string fan;
    for (int i = 0; i < 10; ++i) fan += "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n";
    const std::string a = write("fan.obj", fan);
    const Outcome o = run("collide " + a + " " + a);
    EXPECT_EQ(o.code, 1);
    EXPECT_NE(o.out.find("10 triangles"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("B: the same"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("pose 0: 100 contacts"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("… and 76 more"), std::string::npos) << o.out;
}

TEST_F(Cli, BrokenFilesAreNamedWithTheirPlace) {
    const std::string good = write("blade.stl", blade_stl);
    const std::string index = write("index.obj", "v 0 0 0\nf 1 1 2\n"), nan = write("nan.obj", "v 0 nan 0\n");
    const std::string cut = write("cut.stl", blade_stl.substr(0, 60)), none = write("none.obj", "");
    std::string claims(84, '\0');
    claims.replace(80, 4, std::string("\x00\xca\x9a\x3b", 4));
    const std::string huge = write("huge.stl", claims);
    expect_complaint("collide " + index + " " + good, index + ":2: ");
    expect_complaint("collide " + good + " " + index, index + ":2: ");
    expect_complaint("collide " + nan + " " + good + " --json", nan + ":1: ");
    expect_complaint("collide " + cut + " " + good, cut + ":5: ");
    expect_complaint("collide " + none + " " + good, none + ":1: ");
    expect_complaint("collide " + huge + " " + good, huge + ": byte 80: the header claims 1000000000 triangles");
    expect_complaint("collide " + good + " absent.stl", "absent.stl: ");
    expect_complaint("collide " + folder_.string() + " " + good, folder_.string() + ": ");
}

TEST_F(Cli, BrokenPosesStopBeforeAnyAnswer) {
    const std::string good = write("blade.stl", blade_stl);
    const std::string poses = write("poses.txt", "0 0 0 0 0 0 1\n0 0 0 0 0 1\n"), none = write("none.txt", "# none\n");
    expect_complaint("collide " + good + " " + good + " --poses " + poses + " --json", poses + ":2: ");
    expect_complaint("collide " + good + " " + good + " --poses " + none, none + ":1: ");
    expect_complaint("collide " + good + " " + good + " --poses absent.txt", "absent.txt: ");
    expect_complaint("collide " + good + " " + good + " --pose '0 0 0 0 0 0 0'", "--pose: ");
    expect_complaint("collide " + good + " " + good + " --pose ''", "--pose: ");
}

TEST_F(Cli, BadUsage) {
    const std::string good = write("blade.stl", blade_stl);
    expect_complaint("", "");
    expect_complaint("collide", "");
    expect_complaint("collide " + good, "");
    expect_complaint("frobnicate", "");
    expect_complaint("collide " + good + " " + good + " --frobnicate", "");
    expect_complaint("collide " + good + " " + good + " --first --all", "");
    expect_complaint("collide " + good + " " + good + " --threads many", "");
    expect_complaint("demo --frames 0", "");
}

TEST_F(Cli, HelpAndVersion) {
    const Outcome version = run("--version");
    EXPECT_EQ(version.code, 0);
    EXPECT_TRUE(version.out.starts_with("graze ")) << version.out;
    for (const char* arguments : {"--help", "collide --help", "demo --help"}) {
        const Outcome help = run(arguments);
        EXPECT_EQ(help.code, 0);
        EXPECT_NE(help.out.find("Usage"), std::string::npos);
    }
}

TEST_F(Cli, OutputThatCannotBeWrittenIsAnError) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const std::string b = write("blade.stl", blade_stl);
    const int status =
        std::system((GRAZE_COMMAND " collide " + b + " " + b + " --json >/dev/full 2>/dev/null").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 2);
}

/// Real meshes beside the checkout; the tests run in the repository's root.
const fs::path models = fs::path("..") / "shared" / "models";

TEST_F(Cli, RealMeshWithItself) {
    const fs::path teapot = models / "meshes" / "teapot.obj";
    if (!fs::exists(teapot)) GTEST_SKIP() << teapot << " is not there";
    const auto mesh = files::read_mesh(teapot.string());
    ASSERT_TRUE(mesh);
    const Outcome o = run("collide " + teapot.string() + " " + teapot.string() + " --json");
    EXPECT_EQ(o.code, 1);
    const Json line = o.lines().at(0);
    // Each triangle meets itself, and meeting is symmetric.
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Json& pair : line["pairs"]) pairs.emplace(pair[0], pair[1]);
    EXPECT_EQ(pairs.size(), line["contacts"]);
    for (std::uint32_t i = 0; i < mesh->polygon_count(); ++i) EXPECT_TRUE(pairs.contains({i, i})) << i;
    for (const auto& [i, j] : pairs) EXPECT_TRUE(pairs.contains({j, i})) << i << " " << j;
}

TEST_F(Cli, RealMeshesFarApart) {
    const fs::path links = models / "panda" / "meshes" / "collision";
    if (!fs::exists(links)) GTEST_SKIP() << links << " is not there";
    const std::string both = "collide " + (links / "link0.stl").string() + " " + (links / "hand.stl").string();
    EXPECT_EQ(run(both).code, 1);
    EXPECT_EQ(run(both + " --pose '5 0 0 0 0 0 1'").code, 0);
}

}  // namespace
}  // namespace graze
