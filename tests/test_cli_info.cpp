// SPDX-License-Identifier: Apache-2.0
// `graze info` and `graze self`: figures that can be counted by hand.
#include "cli.hpp"
#include "files/write.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

class CliInfo : public Cli {
protected:
    Json info(const std::string& arguments) const {
        const Outcome o = run("info " + arguments + " --json");
        EXPECT_EQ(o.code, 0) << o.err;
        return o.code == 0 ? Json::parse(o.out) : Json::object();
    }
    std::string file(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }

    /// A cube of side 2 with its corner at the origin; quads look outwards.
    static constexpr const char* cube =
        "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n"
        "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
};

TEST_F(CliInfo, ClosedBox) {
    write("cube.obj", cube);
    const Json j = info(file("cube.obj"));
    EXPECT_EQ(j["format"], "OBJ");
    EXPECT_EQ(j["parts"], 1);
    EXPECT_EQ(j["polygons"], 6);
    EXPECT_EQ(j["triangles"], 12);
    EXPECT_EQ(j["points"], 8);
    EXPECT_EQ(j["edges"], 18);
    EXPECT_EQ(j["closed"], true);
    EXPECT_EQ(j["components"], 1);
    EXPECT_EQ(j["area"], 24);
    EXPECT_EQ(j["volume"], 8);
    EXPECT_EQ(j["low"], Json({0, 0, 0}));
    EXPECT_EQ(j["high"], Json({2, 2, 2}));
    for (const char* none : {"degenerate", "duplicates", "open_edges", "crowded_edges", "flipped_edges"})
        EXPECT_EQ(j[none], 0) << none;
    EXPECT_GE(j["depth"], 1);
    EXPECT_GT(j["bytes"], 12 * 9);

    const Outcome text = run("info " + file("cube.obj"));
    for (const char* words : {"6 polygons, 12 triangles, 8 points", "closed, 1 component\n", "  volume      8\n",
                              "  extent      2 2 2\n", "12 triangles, wide tree of "})
        EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
    EXPECT_NE(text.out.find("\n  accuracy    as written\n"), std::string::npos);
    EXPECT_EQ(j["error"], 0);
    EXPECT_EQ(text.out.find("read in"), std::string::npos);
    EXPECT_NE(run("info -v " + file("cube.obj")).out.find("read in"), std::string::npos);
    EXPECT_EQ(run("info -q " + file("cube.obj")).out, "");
}

TEST_F(CliInfo, AccuracyOfWrittenNumbers) {
    write("six.obj",
          "v 0.000000 0.000000 0.000000\nv 1.000000 0.000000 0.000000\nv 0.000000 1.000000 0.000000\nf 1 2 3\n");
    // The file states no unit.
    EXPECT_NE(run("info " + file("six.obj")).out.find("\n  accuracy    5e-07\n"), std::string::npos);
    EXPECT_NE(run("info --scale 1000 " + file("six.obj")).out.find("\n  accuracy    0.0005\n"), std::string::npos);
    EXPECT_TRUE(run("info --csv " + file("six.obj")).out.ends_with(",5e-07\n"));
}

TEST_F(CliInfo, LooksInwards) {
    std::string inside = cube;
    for (const auto& [from, to] : {std::pair{"f 1 4 3 2", "f 2 3 4 1"},
                                   {"f 5 6 7 8", "f 8 7 6 5"},
                                   {"f 1 2 6 5", "f 5 6 2 1"},
                                   {"f 2 3 7 6", "f 6 7 3 2"},
                                   {"f 3 4 8 7", "f 7 8 4 3"},
                                   {"f 4 1 5 8", "f 8 5 1 4"}})
        inside.replace(inside.find(from), 9, to);
    write("inside.obj", inside);
    const Json j = info(file("inside.obj"));
    EXPECT_EQ(j["flipped_edges"], 0);
    EXPECT_EQ(j["volume"], -8);
}

TEST_F(CliInfo, BackToBack) {
    write("both.obj", "v 0.1 0.2 0.3\nv 1.7 0.3 0.9\nv 0.2 1.1 0.4\nf 1 2 3\nf 3 2 1\n");
    const Json j = info(file("both.obj"));
    EXPECT_EQ(j["closed"], true);
    EXPECT_EQ(j["volume"], 0);
    EXPECT_NE(run("info " + file("both.obj")).out.find("0 (faces lie back to back)"), std::string::npos);
}

TEST_F(CliInfo, SizesNearTheEndsOfTheRange) {
    const auto corner = [&](const std::string& name, const std::string& size) {
        write(name, "v 0 0 0\nv " + size + " 0 0\nv 0 " + size + " 0\nv 0 0 " + size +
                        "\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
        return file(name);
    };
    const Json large = info(corner("large.obj", "1e150"));
    EXPECT_DOUBLE_EQ(large["area"], (1.5 + std::sqrt(0.75)) * 1e300);
    EXPECT_TRUE(large["volume"].is_null());
    const Json small = info(corner("small.obj", "1e-100"));
    EXPECT_DOUBLE_EQ(small["area"], (1.5 + std::sqrt(0.75)) * 1e-200);
    EXPECT_DOUBLE_EQ(small["volume"], 1e-300 / 6);
    const std::string huge = corner("huge.obj", "1e300");
    EXPECT_TRUE(info(huge)["area"].is_null());
    EXPECT_TRUE(info(huge)["volume"].is_null());
    for (const char* form : {"", " --json", " --csv", " --tightness 2"}) {
        const Outcome o = run("info " + huge + form);
        EXPECT_EQ(o.code, 0);
        for (const char* word : {"nan", "inf"}) EXPECT_EQ(o.out.find(word), std::string::npos) << o.out;
    }
}

TEST_F(CliInfo, ABadFileIsLeftOutAndSaidSo) {
    write("cube.obj", cube);
    const std::string bad = write("bad.stl", "solid cut\nfacet"), good = file("cube.obj");
    const std::string three = "info " + good + " " + bad + " absent.stl " + good;
    const Outcome text = run(three);
    EXPECT_EQ(text.code, 2);
    EXPECT_EQ(std::ranges::count(text.out, '\n'), 3) << text.out;
    EXPECT_TRUE(text.err.starts_with("graze: left out: " + bad + ":2: ")) << text.err;
    EXPECT_NE(text.err.find("\ngraze: left out: absent.stl: No such file or directory\n"), std::string::npos)
        << text.err;
    const std::vector<Json> lines = run(three + " --json").lines();
    ASSERT_EQ(lines.size(), 3u);
    ASSERT_EQ(lines[2]["left_out"].size(), 2u);
    EXPECT_EQ(lines[2]["left_out"][0]["file"], bad);
    // The file before it was printed already.
    const Outcome strict = run(three + " --strict");
    EXPECT_EQ(strict.code, 2);
    EXPECT_EQ(std::ranges::count(strict.out, '\n'), 2) << strict.out;
    EXPECT_TRUE(strict.err.starts_with("graze: " + bad + ":2: ")) << strict.err;
    EXPECT_EQ(std::ranges::count(strict.err, '\n'), 1) << strict.err;
    const Outcome none = run("info " + bad + " absent.stl");
    EXPECT_EQ(none.code, 2);
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(std::ranges::count(none.err, '\n'), 2) << none.err;
}

TEST_F(CliInfo, OneFaceFlipped) {
    std::string flipped = cube;
    flipped.replace(flipped.find("f 5 6 7 8"), 9, "f 8 7 6 5");
    write("flipped.obj", flipped);
    const Json j = info(file("flipped.obj"));
    EXPECT_EQ(j["closed"], true);
    EXPECT_EQ(j["flipped_edges"], 4);
    EXPECT_TRUE(j["volume"].is_null());
}

TEST_F(CliInfo, OpenSheet) {
    write("sheet.obj", "v 0 0 0\nv 3 0 0\nv 3 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    const Json j = info(file("sheet.obj"));
    EXPECT_EQ(j["closed"], false);
    EXPECT_EQ(j["edges"], 5);
    EXPECT_EQ(j["open_edges"], 4);
    EXPECT_EQ(j["area"], 3);
    EXPECT_TRUE(j["volume"].is_null());
    EXPECT_NE(run("info " + file("sheet.obj")).out.find("open, 1 component, 4 edges of one triangle"),
              std::string::npos);
}

TEST_F(CliInfo, FaultsAreCounted) {
    // Three wings on one edge, the third of them twice, one the other way round; and a triangle in one line, one that
    // is a point, all of them far apart.
    write("bad.obj",
          "v 0 0 0\nv 0 0 1\nv 1 0 0\nv 0 1 0\nv -1 -1 0\n"
          "v 10 0 0\nv 11 0.1 0\nv 12 0.2 0\nv 20 0 0\n"
          "f 1 2 3\nf 1 2 4\nf 1 2 5\nf 5 2 1\nf 6 7 8\nf 9 9 9\n");
    const Json j = info(file("bad.obj"));
    EXPECT_EQ(j["triangles"], 6);
    EXPECT_EQ(j["crowded_edges"], 1);
    EXPECT_EQ(j["duplicates"], 1);
    EXPECT_EQ(j["components"], 3);
    EXPECT_EQ(j["closed"], false);
    // 0.1 and 0.2 are rounded, but to numbers of which one is twice the other: the line is exact.
    EXPECT_EQ(j["degenerate"], 2);
    EXPECT_NE(run("info " + file("bad.obj")).out.find("2 triangles of zero area, 1 duplicate"), std::string::npos);
}

TEST_F(CliInfo, SceneWithParts) {
    if (!files::has_assimp()) GTEST_SKIP() << "built without assimp";
    const scenes::Soup box = scenes::box({1, 1, 1});
    files::Assembly scene;
    scene.meshes.emplace_back();
    scene.meshes[0].points = box.points;
    scene.meshes[0].corners = box.corners;
    for (const double x : {0.0, 8.0})
        scene.parts.push_back({x > 0 ? "right" : "left", "", 0, *Affine::from_matrix(Mat3(), {x, 0, 0})});
    ASSERT_TRUE(files::write_assembly((folder_ / "two.glb").string(), scene));
    const Json j = info(file("two.glb") + " -v");
    EXPECT_EQ(j["format"], "GLB");
    EXPECT_EQ(j["parts"], 2);
    EXPECT_EQ(j["triangles"], 24);
    EXPECT_EQ(j["components"], 2);
    EXPECT_NEAR(j["volume"].get<double>(), 16, 1e-9);
    EXPECT_EQ(j["high"], Json({9, 1, 1}));
    ASSERT_EQ(j["list"].size(), 2u);
    EXPECT_NE(j["list"][1]["part"].get<std::string>().find("right"), std::string::npos);
    EXPECT_EQ(j["list"][1]["polygons"], 12);
    // Points are floats below 2.
    EXPECT_EQ(j["least_error"].get<double>(), std::ldexp(1, -24));
    EXPECT_NEAR(j["error"].get<double>(), std::ldexp(1, -24), 1e-13);
    EXPECT_EQ(j["list"][1]["error"], j["error"]);
    const std::string text = run("info -v " + file("two.glb")).out;
    EXPECT_NE(text.find("\n  accuracy    0.06 µm\n"), std::string::npos) << text;
    EXPECT_NE(text.find("right, 12 polygons, accurate to 0.06 µm\n"), std::string::npos) << text;
}

TEST_F(CliInfo, SeveralFilesAreRows) {
    write("cube.obj", cube);
    write("a, b.obj", "v 0 0 0\nv 3 0 0\nv 3 1 0\nf 1 2 3\n");
    const std::string both = file("cube.obj") + " " + file("a, b.obj");
    const auto lines = run("info --json " + both).lines();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0]["triangles"], 12);
    EXPECT_EQ(lines[1]["triangles"], 1);
    const std::string csv = run("info --csv " + both).out, table = run("info " + both).out;
    for (const std::string& text : {csv, table}) EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
    EXPECT_NE(csv.find("\"" + (folder_ / "a, b.obj").string() + "\",OBJ,1,1,1,3,0,0,false,"), std::string::npos) << csv;
    std::istringstream rows(csv);
    std::string head, row;
    std::getline(rows, head);
    std::getline(rows, row);
    EXPECT_EQ(std::ranges::count(head, ','), std::ranges::count(row, ','));
}

TEST_F(CliInfo, AFolderIsItsFiles) {
    fs::create_directories(folder_ / "parts/deep");
    write("parts/cube.obj", cube);
    write("parts/deep/twice.obj", "v 0 0 0\nv 3 0 0\nv 3 1 0\nf 1 2 3\nf 1 2 3\n");
    write("parts/notes.txt", "no mesh");
    const auto lines = run("info --json " + file("parts")).lines();
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0]["file"], (folder_ / "parts/cube.obj").string());
    EXPECT_EQ(lines[1]["file"], (folder_ / "parts/deep/twice.obj").string());
    const std::string table = run("info " + file("parts")).out;
    EXPECT_NE(table.find("  closed   2 2 2\n"), std::string::npos) << table;
    EXPECT_NE(table.find("  closed   3 1 0, 1 duplicate\n"), std::string::npos) << table;
    fs::create_directories(folder_ / "empty");
    const std::string nothing = (folder_ / "empty").string();
    expect_complaint("info " + file("empty"), nothing + ": the folder has no meshes or scenes");
    EXPECT_EQ(run("info " + file("parts") + " " + file("empty")).code, 2);
}

TEST_F(CliInfo, LengthsOfFilesInMetresHaveTheirUnit) {
    files::Mesh mesh;
    mesh.points = {{0, 0, 0}, {2, 0, 0}, {2, 4, 0}};
    mesh.corners = {0, 1, 2};
    ASSERT_TRUE(files::write_assembly((folder_ / "a.glb").string(), files::single(mesh)));
    write("a.obj", "v 0 0 0\nv 2 0 0\nv 2 4 0\nf 1 2 3\n");
    const std::string metres = run("info " + file("a.glb")).out, none = run("info " + file("a.obj")).out;
    EXPECT_NE(metres.find("\n  area        4 m²\n"), std::string::npos) << metres;
    EXPECT_NE(metres.find("\n  extent      2 4 0 m\n"), std::string::npos) << metres;
    EXPECT_NE(none.find("\n  area        4\n"), std::string::npos) << none;
    EXPECT_NE(none.find("\n  extent      2 4 0\n"), std::string::npos) << none;
    // Lengths that were multiplied are in a unit that nobody knows.
    EXPECT_NE(run("info --scale 3 " + file("a.glb")).out.find("\n  extent      6 12 0\n"), std::string::npos);
}

TEST_F(CliInfo, EachFileIsPrintedAsSoonAsItIsRead) {
    write("cube.obj", cube);
    const std::string pipe = file("pipe.obj"), out = file("printed");
    // The second file has its contents only once the first is printed, for which ten seconds are enough.
    for (const std::string form : {"--json", "--csv", ""}) {
        const std::string script = "rm -f " + pipe + " " + out + "; mkfifo " + pipe + "; " GRAZE_COMMAND " info " +
                                   form + " " + file("cube.obj") + " " + pipe + " >" + out +
                                   " 2>&1 & for i in $(seq 100); do grep -q '[/]cube.obj' " + out +
                                   " 2>/dev/null && break; sleep 0.1; done; grep -q '[/]cube.obj' " + out +
                                   "; early=$?; cat " + file("cube.obj") + " >" + pipe + "; wait; exit $early";
        EXPECT_EQ(std::system(script.c_str()), 0) << form;
        EXPECT_NE(read_all(folder_ / "printed").find("/pipe.obj"), std::string::npos) << form;
    }
}

TEST_F(CliInfo, TightnessByLevel) {
    const scenes::Soup ball = scenes::sphere(500);
    files::Mesh mesh;
    mesh.points = ball.points;
    mesh.corners = ball.corners;
    ASSERT_TRUE(files::write_assembly((folder_ / "ball.stl").string(), files::single(mesh)));
    EXPECT_FALSE(info(file("ball.stl")).contains("tightness"));
    const Json levels = info(file("ball.stl") + " --tightness 2")["tightness"];
    ASSERT_EQ(levels.size(), 2u);
    EXPECT_EQ(levels[0]["nodes"], 1);
    EXPECT_GT(levels[1]["nodes"], 1);
    // The ball is hollow: its middle is half the diameter away from it.
    EXPECT_NEAR(levels[0]["tightness"].get<double>(), 0.5, 0.02);
    EXPECT_LE(levels[1]["off_surface"].get<double>(), levels[1]["tightness"].get<double>());
    // No more levels than there are.
    write("cube.obj", cube);
    EXPECT_LE(info(file("cube.obj") + " --tightness 9")["tightness"].size(), 2u);
}

TEST_F(CliInfo, BadInput) {
    const std::string empty = write("empty.stl", ""), bare = write("bare.obj", "v 0 0 0\n");
    expect_complaint("info '" + empty + "'", empty);
    expect_complaint("info '" + bare + "'", bare);
    expect_complaint("info nowhere.stl", "nowhere.stl");
    write("cube.obj", cube);
    const Outcome strict = run("info --strict " + file("cube.obj") + " '" + bare + "'");
    EXPECT_EQ(strict.code, 2);
    EXPECT_TRUE(strict.err.starts_with("graze: " + bare)) << strict.err;
    expect_complaint("info", "");
    expect_complaint("info " + file("cube.obj") + " --tightness 0", "");
    expect_complaint("info " + file("cube.obj") + " --json --csv", "");
}

// `graze self`.

TEST_F(CliInfo, SelfFindsTrianglesThatMeet) {
    write("cube.obj", cube);
    // A square, and a triangle that stands through it.
    write("through.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 3 1 -1\nv 3 1 1\nv 3 2 0\nf 1 2 3\nf 1 3 4\nf 5 6 7\n");
    const Outcome clear = run("self " + file("cube.obj"));
    EXPECT_EQ(clear.code, 0);
    EXPECT_TRUE(clear.out.ends_with("cube.obj: 12 triangles: clear\n")) << clear.out;
    const Outcome text = run("self " + file("through.obj"));
    EXPECT_EQ(text.code, 1);
    EXPECT_TRUE(text.out.ends_with("through.obj: 3 triangles: 1 contact, crossing\n  0-2\n")) << text.out;

    const Outcome json = run("self --json " + file("through.obj") + " " + file("cube.obj"));
    EXPECT_EQ(json.code, 1);
    ASSERT_EQ(json.lines().size(), 2u) << json.out;
    EXPECT_EQ(json.lines()[0]["pairs"], Json::parse("[[0, 2]]"));
    EXPECT_EQ(json.lines()[0]["kind"], "crossing");
    EXPECT_EQ(json.lines()[0]["all"], true);
    EXPECT_EQ(json.lines()[1]["intersects"], false);
    EXPECT_EQ(json.lines()[1]["polygons"], Json::array());
    EXPECT_TRUE(run("self --csv " + file("through.obj")).out.ends_with("through.obj,0,2\n"));
    EXPECT_EQ(run("self -q " + file("through.obj")).out, "");
}

TEST_F(CliInfo, SelfEndsEarlyAndSaysSo) {
    // Three copies of one triangle: three contacts.
    const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    write("copies.obj", corners + corners + corners + "f 1 2 3\nf 4 5 6\nf 8 7 9\n");
    EXPECT_EQ(run("self --json " + file("copies.obj")).lines()[0]["contacts"], 3);
    const Json two = run("self --json --max 2 " + file("copies.obj")).lines()[0];
    EXPECT_EQ(two["contacts"], 2);
    EXPECT_EQ(two["all"], false);
    EXPECT_NE(run("self --max 2 " + file("copies.obj")).out.find(": at least 2 contacts, touching\n"),
              std::string::npos);
    EXPECT_NE(run("self --first " + file("copies.obj")).out.find(": meets itself\n"), std::string::npos);
    EXPECT_EQ(run("self --first " + file("copies.obj")).code, 1);
    EXPECT_EQ(run("self --rings 1 " + file("copies.obj")).code, 0);
    expect_complaint("self --first --max 2 " + file("copies.obj"), "--first and --max cannot be used together");
    expect_complaint("self --rings -1 " + file("copies.obj"), "--rings takes a whole number");
}

TEST_F(CliInfo, SelfLeavesOutFilesThatCannotBeRead) {
    write("cube.obj", cube);
    const Outcome o = run("self " + file("cube.obj") + " " + file("none.stl"));
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(o.out.ends_with("cube.obj: 12 triangles: clear\n")) << o.out;
    EXPECT_TRUE(o.err.starts_with("graze: left out: ")) << o.err;
    const Outcome json = run("self --json " + file("cube.obj") + " " + file("none.stl"));
    ASSERT_EQ(json.lines().size(), 2u) << json.out;
    EXPECT_EQ(json.lines()[1]["left_out"].size(), 1u);
    EXPECT_EQ(run("self --strict " + file("none.stl") + " " + file("cube.obj")).out, "");
}

#ifdef GRAZE_REPORT
TEST_F(CliInfo, SelfWritesAPage) {
    write("through.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 3 1 -1\nv 3 1 1\nv 3 2 0\nf 1 2 3\nf 1 3 4\nf 5 6 7\n");
    EXPECT_EQ(run("self -q --html " + file("page.html") + " " + file("through.obj")).code, 1);
    const std::string page = read_all(folder_ / "page.html");
    EXPECT_NE(page.find("graze self through.obj"), std::string::npos);
    EXPECT_NE(page.find("\"pairs\": [[0, 2]]"), std::string::npos);
}
#endif

}  // namespace
}  // namespace graze
