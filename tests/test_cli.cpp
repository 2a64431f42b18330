// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "checks/contact_kind.hpp"
#include "checks/contacts.hpp"
#include "cli.hpp"
#include "files/write.hpp"
#include "npy_file.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze {
namespace {

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

TEST_F(Cli, PosesMayBeAnArray) {
    const std::string a = write("floor.obj", floor_obj), b = write("blade.stl", blade_stl);
    const std::string text = write("poses.txt", "0 0 -1 0 0 0 1\n4 0 -1 0 0 0 1\n0 0 1 0 0 0 1\n");
    const std::string array = write(
        "poses.npy",
        test::npy_file("(3, 7)", std::vector<float>{0, 0, -1, 0, 0, 0, 1, 4, 0, -1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1}));
    for (const char* format : {" --csv", " --json", "", " --first", " -q", " --threads 1"}) {
        const Outcome of_text = run("collide " + a + " " + b + " --poses " + text + format);
        const Outcome of_array = run("collide " + a + " " + b + " --poses " + array + format);
        EXPECT_EQ(of_text.code, 1) << format;
        EXPECT_EQ(of_array.code, 1) << format;
        EXPECT_EQ(of_array.out, of_text.out) << format;
        EXPECT_EQ(of_array.err, "") << format;
    }
    expect_complaint("collide " + a + " " + b + " --poses " + write("cut.npy", read_all(array).substr(0, 190)),
                     folder_.string() + "/cut.npy: an array of shape (3, 7) takes 84 bytes, the file has 62");
    expect_complaint(
        "collide " + a + " " + b + " --poses " + write("no.npy", test::npy_file("(0, 7)", std::vector<float>())),
        folder_.string() + "/no.npy: the file has no pose");
}

TEST_F(Cli, TheDeviceIsSaid) {
    const std::string a = write("floor.obj", floor_obj), b = write("blade.stl", blade_stl);
    for (const char* device : {"cpu", "auto"}) {
        const Outcome o = run("collide " + a + " " + b + " --poses 20 --device " + device);
        EXPECT_EQ(o.err, "graze: note: poses are checked on the CPU\n");
    }
    expect_complaint("collide " + a + " " + b + " --device gpu",
                     "--device gpu: this graze was built without GPU support");
    EXPECT_EQ(run("collide " + a + " " + b + " --device tpu").code, 2);
}

/// A mesh inside a closed mesh collides, also in poses that a batch finds without contact.
TEST_F(Cli, BatchesSeeWhatIsInside) {
    const std::string box = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    const std::string a = write("a.obj", box);
    const std::string small = write("small.obj", "v 0.1 0.1 0.1\nv 0.2 0.1 0.1\nv 0.1 0.2 0.1\nf 1 2 3\n");
    const std::string two = write("two.txt", "5 0 0 0 0 0 1\n0 0 0 0 0 0 1\n");
    EXPECT_EQ(run("collide " + a + " " + small + " --poses " + two + " -q").code, 1);
    const Outcome o = run("collide " + a + " " + small + " --poses " + two + " --first");
    EXPECT_NE(o.out.find("pose 1: B is inside A\n2 poses: 1 in collision\n"), std::string::npos) << o.out;
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

/// The command's answers to random poses are the library's, pose by pose.
void expect_library_answers(const Model& a, const Model& b, const std::vector<Json>& lines, std::size_t count) {
    ASSERT_EQ(lines.size(), count);
    const Solid solid_a(a), solid_b(b);
    std::size_t hits = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const Json& line = lines[i];
        EXPECT_EQ(line["pose"], i);
        const auto pose = Pose::from_rows(line["a_from_b"].get<std::array<double, 12>>());
        ASSERT_TRUE(pose);
        std::vector<Contact> contacts = collide(a, b, *pose);
        std::sort(contacts.begin(), contacts.end());
        const checks::Manner manner = checks::manner_of(solid_a, solid_b, *pose, contacts);
        const bool inside = contacts.empty() && manner.nesting != checks::Nesting::None;
        EXPECT_EQ(line["intersects"], inside || !contacts.empty()) << i;
        EXPECT_EQ(line["contacts"], contacts.size()) << i;
        ASSERT_EQ(line["pairs"].size(), contacts.size()) << i;
        for (std::size_t k = 0; k < contacts.size(); ++k) {
            const TrianglePair pair{line["pairs"][k][0].get<std::uint32_t>(), line["pairs"][k][1].get<std::uint32_t>()};
            ASSERT_EQ(pair, contacts[k].triangles) << i;
        }
        if (!contacts.empty())
            EXPECT_EQ(line["kind"], checks::name(manner.kind));
        else
            EXPECT_EQ(line.value("kind", ""), inside ? "inside" : "");
        hits += !contacts.empty();
    }
    // Neither nearly all nor nearly none.
    EXPECT_GT(hits, count / 10);
    EXPECT_LT(hits, count - count / 10);
}

#ifdef GRAZE_SANITIZED
constexpr std::size_t many_poses = 200;
#else
constexpr std::size_t many_poses = 1000;
#endif

files::Mesh mesh_of(const scenes::Soup& soup) {
    files::Mesh mesh;
    mesh.points = soup.points;
    mesh.corners = soup.corners;
    return mesh;
}

TEST_F(Cli, ATeapotWithItselfInManyRandomPoses) {
    const std::string pot = (folder_ / "teapot.obj").string();
    ASSERT_TRUE(files::write_assembly(pot, files::single(mesh_of(scenes::teapot()))));
    const Model model = *Model::build(scenes::teapot().view());
    const std::string command = "collide " + pot + " " + pot + " --poses " + std::to_string(many_poses) + " --json";
    const Outcome o = run(command);
    EXPECT_EQ(o.code, 1);
    EXPECT_EQ(o.err, "");
    expect_library_answers(model, model, o.lines(), many_poses);
    EXPECT_EQ(run(command + " --seed 1").out, o.out);
    EXPECT_NE(run(command + " --seed 2").out, o.out);

    const Outcome text = run("collide " + pot + " " + pot + " --poses " + std::to_string(many_poses) + " --first");
    EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\n'), std::ptrdiff_t{many_poses + 3});
    std::size_t hits = 0;
    for (const Json& line : o.lines()) hits += line["intersects"].get<bool>();
    EXPECT_TRUE(text.out.ends_with("00 poses: " + std::to_string(hits) + " in collision\n")) << text.out;
}

TEST_F(Cli, RandomPosesOfUnequalMeshes) {
    const std::string ball = (folder_ / "ball.ply").string(), box = (folder_ / "box.obj").string();
    // Small and off centre against large and far away.
    const scenes::Soup of_ball = scenes::transformed(scenes::sphere(500, 0.2), *Pose::from_matrix({}, {3, 4, 5}));
    const scenes::Soup of_box = scenes::transformed(scenes::box({1, 2, 3}), *Pose::from_matrix({}, {-500, 0, 1e4}));
    ASSERT_TRUE(files::write_assembly(ball, files::single(mesh_of(of_ball))));
    ASSERT_TRUE(files::write_assembly(box, files::single(mesh_of(of_box))));
    expect_library_answers(*Model::build(of_box.view()), *Model::build(of_ball.view()),
                           run("collide " + box + " " + ball + " --poses 300 --json").lines(), 300);
}

TEST_F(Cli, WhatFilesStateIsSaidOnce) {
    const std::string stl = write("blade.stl", blade_stl), obj = write("floor.obj", floor_obj);
    fs::create_directory(folder_ / "scenes");
    const auto glb = [&](const std::string& name) { return (folder_ / "scenes" / name).string(); };
    const files::Assembly part = files::single(*files::read_mesh(stl));
    for (const char* name : {"a.glb", "b.glb", "c.glb"}) ASSERT_TRUE(files::write_assembly(glb(name), part));
    const std::string turned = ": glTF is y-up: turned to z-up (--up keep leaves it)\n", note = "graze: note: ";
    const std::string differ = " is in metres with z up: they are compared as they are\n";
    EXPECT_EQ(run("collide " + stl + " " + obj).err, "");
    EXPECT_EQ(run("collide " + stl + " " + glb("a.glb")).err,
              note + glb("a.glb") + turned + note + stl + " states neither unit nor up axis, " + glb("a.glb") + differ);
    EXPECT_EQ(run("collide -q " + stl + " " + glb("a.glb")).err, "");
    EXPECT_EQ(run("collide --up y " + glb("a.glb") + " " + glb("b.glb")).err, "");
    EXPECT_EQ(run("clash " + glb("")).err, note + glb("a.glb") + " and 2 others" + turned);
    EXPECT_EQ(run("clash " + glb("a.glb") + " " + obj).err,
              note + glb("a.glb") + turned + note + glb("a.glb") + " is in metres with z up, " + obj +
                  " states neither unit nor up axis: they are compared as they are\n");
    const std::string robot = write("r.urdf",
                                    "<robot name=\"r\"><link name=\"a\"><collision><geometry><box size=\"1 1 1\"/>"
                                    "</geometry></collision></link></robot>");
    const Outcome world = run("robot " + robot + " --world " + stl);
    EXPECT_TRUE(world.err.ends_with(note + robot + " is in metres with z up, " + stl +
                                    " states neither unit nor up axis: they are compared as they are\n"))
        << world.err;
}

TEST_F(Cli, AScenesOtherFilesMayBeAllowed) {
    fs::create_directory(folder_ / "in");
    write("far.bin", std::string(36, '\0'));
    const std::string scene =
        write("in/a.gltf", R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{)"
                           R"("primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"count":3,)"
                           R"("componentType":5126,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":36}],)"
                           R"("buffers":[{"byteLength":36,"uri":"../far.bin"}]})");
    expect_complaint("info " + scene,
                     scene + ": it names '../far.bin', which is outside of its folder (--allow-folder ");
    const Outcome allowed = run("info " + scene + " --allow-folder " + folder_.string());
    EXPECT_EQ(allowed.code, 0) << allowed.err;
    EXPECT_TRUE(allowed.err.starts_with("graze: note: " + scene + ": the triangle of mesh '' has no area\n"))
        << allowed.err;
}

TEST_F(Cli, AFileMayHaveANumberForItsName) {
    const std::string b = write("blade.stl", blade_stl);
    write("5", "0 0 0 0 0 0 1\n9 0 0 0 0 0 1\n");
    const int status = std::system(("cd '" + folder_.string() + "' && " GRAZE_COMMAND " collide " + b + " " + b +
                                    " --poses 5 --json >out 2>/dev/null")
                                       .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1);
    const std::string out = read_all(folder_ / "out");
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
}

TEST_F(Cli, RowsForContacts) {
    const std::string a = write("floor.obj", floor_obj), b = write("blade.stl", blade_stl);
    const std::string poses = write("poses.txt", "0 0 1 0 0 0 1\n4 0 -1 0 0 0 1\n");
    const Outcome rows = run("collide " + a + " " + b + " --poses " + poses + " --csv");
    EXPECT_EQ(rows.code, 1);
    std::string expected = "pose,a,b,polygon_a,polygon_b\n";
    const Json line = run("collide " + a + " " + b + " --poses " + poses + " --json").lines().at(1);
    for (const Json& pair : line["pairs"]) expected += "1," + pair[0].dump() + "," + pair[1].dump() + ",1,0\n";
    EXPECT_EQ(rows.out, expected);
    EXPECT_EQ(run("collide " + b + " " + b + " --csv").out, "pose,a,b\n0,0,0\n");
    EXPECT_EQ(run("collide " + b + " " + b + " --csv --pose '9 0 0 0 0 0 1'").out, "pose,a,b\n");
}

TEST_F(Cli, QuietIsQuietAndVerboseTellsTimes) {
    const std::string a = write("floor.obj", floor_obj), b = write("blade.stl", blade_stl);
    for (const char* more : {"", " --first", " --poses 20"}) {
        const Outcome quiet = run("collide " + a + " " + a + " -q" + more);
        EXPECT_EQ(quiet.out + quiet.err, "") << more;
        EXPECT_EQ(quiet.code, 1) << more;
    }
    EXPECT_EQ(run("collide " + a + " " + b + " -q --pose '0 0 9 0 0 0 1'").code, 0);
    expect_complaint("collide " + a + " " + b + " -q --json", "--json and --quiet cannot be used together");
    const std::string calm = run("collide " + a + " " + b).out, verbose = run("collide " + a + " " + b + " -v").out;
    for (const char* word : {"built in", "box tests", "s; "}) {
        EXPECT_EQ(calm.find(word), std::string::npos) << calm;
        EXPECT_NE(verbose.find(word), std::string::npos) << verbose;
    }
    const Json line = run("collide " + a + " " + b + " -v --json --pose '-0.5 0 0 0 0 0 1'").lines().at(0);
    EXPECT_EQ(line["a_from_b"], (Json{1.0, 0.0, 0.0, -0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0}));
    EXPECT_GE(line["ms"].get<double>(), 0);
}

TEST_F(Cli, SeveralPosesHaveALineEach) {
    const std::string a = write("floor.obj", floor_obj), b = write("blade.stl", blade_stl);
    const std::string poses = write("poses.txt", "0 0 -1 0 0 0 1\n0 0 0 0 0 0 1\n0 0 1 0 0 0 1\n");
    const Outcome o = run("collide " + a + " " + b + " --poses " + poses);
    EXPECT_NE(
        o.out.find(
            "pose 0: 1 contact, crossing\npose 1: 1 contact, touching\npose 2: clear\n3 poses: 2 in collision, 2 "),
        std::string::npos)
        << o.out;
}

TEST_F(Cli, ContactsAreWritten) {
    const std::string a = write("floor.obj", floor_obj), b = write("blade.stl", blade_stl);
    const std::string command = "collide " + a + " " + b + " --pose '0 0 -1 0 0 0 1'";
    const Json line = run(command + " --json").lines().at(0);
    std::set<Json> of_a;
    for (const Json& pair : line["pairs"]) of_a.insert(pair[0]);
    for (const char* name : {"out.stl", "out.obj", "out.ply", "out.glb"}) {
        const std::string file = (folder_ / name).string();
        const Outcome o = run(command + " --write " + file + " --json");
        EXPECT_EQ(o.code, 1) << o.err;
        EXPECT_EQ(o.lines().at(0)["pairs"], line["pairs"]);
        if (file.ends_with("glb") && !files::has_assimp()) continue;
        const auto assembly = files::read_assembly(file, {.groups = true});
        ASSERT_TRUE(assembly) << assembly.fault().message;
        EXPECT_EQ(assembly->polygon_count(), of_a.size() + 1) << name;
    }
    const std::string obj = read_all(folder_ / "out.obj");
    for (const char* piece : {"\no A\n", "\no B\n", "\nl "}) EXPECT_NE(obj.find(piece), std::string::npos) << obj;
    // Nothing in contact leaves no old answer behind.
    for (const char* name : {"out.stl", "out.obj", "out.ply", "out.glb"}) {
        const fs::path file = folder_ / name;
        const auto before = fs::file_size(file);
        EXPECT_EQ(run("collide " + a + " " + b + " --pose '0 0 9 0 0 0 1' --write " + file.string()).code, 0);
        EXPECT_LT(fs::file_size(file), before) << name;
    }
}

/// The JSON that the page keeps under this id.
Json in_page(const std::string& page, const std::string& id) {
    const std::string head = "id=\"graze-" + id + "\">";
    const std::size_t from = page.find(head), to = page.find("</script>", from);
    return from == std::string::npos ? Json() : Json::parse(page.substr(from + head.size(), to - from - head.size()));
}

TEST_F(Cli, ThePageHoldsTheAnswer) {
    const std::string a = write("floor.obj", floor_obj), b = write("blade.stl", blade_stl);
    const std::string poses = write("poses.txt", "0 0 -1 0 0 0 1\n0 0 0 0 0 0 1\n0 0 1 0 0 0 1\n4 0 -1 0 0 0 1\n");
    const std::string page = (folder_ / "page.html").string();
    for (const std::string& more :
         {std::string(), " --poses " + poses, std::string(" --poses 30"), " --first --poses " + poses}) {
        const std::string command = "collide " + a + " " + b + more;
        const Outcome o = run(command + " --json --html " + page);
        if (o.err.find("has no report page") != std::string::npos) GTEST_SKIP() << o.err;
        EXPECT_EQ(o.code, 1) << o.err;
        EXPECT_EQ(in_page(read_all(page), "answer"), Json(o.lines()));
        const Outcome quiet = run(command + " -q --html " + page);
        EXPECT_EQ(quiet.out + quiet.err, "");
        EXPECT_EQ(in_page(read_all(page), "answer").size(), o.lines().size());
    }
    expect_complaint("collide " + a + " " + b + " --html " + (folder_ / "absent" / "page.html").string(),
                     "--html: there is no folder " + (folder_ / "absent").string());
}

TEST_F(Cli, TextIsCutShortAndSaysSo) {
    std::string fan;
    for (int i = 0; i < 10; ++i) fan += "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n";
    const std::string a = write("fan.obj", fan);
    const Outcome o = run("collide " + a + " " + a);
    EXPECT_EQ(o.code, 1);
    EXPECT_NE(o.out.find("10 triangles"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("B: the same file"), std::string::npos) << o.out;
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
    expect_complaint("collide " + good + " " + good + " --poses 0", "--poses: ");
    expect_complaint("collide " + good + " " + good + " --poses 10000000000", "--poses: ");
    const std::string counted = write("counted.path", "2\n1 0 0 0 1 0 0 0 1 0 0 0\n");
    expect_complaint("collide " + good + " " + good + " --poses " + counted, counted + ":");
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
    expect_complaint("collide " + good + " " + good + " --json --csv", "");
    expect_complaint("collide " + good + " " + good + " --quiet --verbose", "");
    expect_complaint("collide " + good + " " + good + " --poses 3 --write x.obj", "");
    expect_complaint("collide " + good + " " + good + " --write x.xyz", "--write: x.xyz: ");
    const std::string absent = (folder_ / "absent" / "x.obj").string();
    expect_complaint("collide " + good + " " + good + " --write " + absent, "--write: there is no folder ");
    expect_complaint("demo --frames 0", "");
}

TEST_F(Cli, HelpAndVersion) {
    const Outcome version = run("--version");
    EXPECT_EQ(version.code, 0);
    EXPECT_TRUE(version.out.starts_with("graze ")) << version.out;
    for (const char* arguments : {"--help", "collide --help", "path --help", "demo --help"}) {
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

TEST_F(Cli, RealTeapotWithItselfInManyRandomPoses) {
    const std::string teapot = (models / "meshes" / "teapot.obj").string();
    if (!fs::exists(teapot)) GTEST_SKIP() << teapot << " is not there";
    const auto mesh = files::read_mesh(teapot);
    ASSERT_TRUE(mesh);
    const Model model = *Model::build(mesh->view());
    expect_library_answers(
        model, model,
        run("collide " + teapot + " " + teapot + " --poses " + std::to_string(many_poses) + " --json").lines(),
        many_poses);
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
