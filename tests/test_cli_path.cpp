// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli.hpp"
#include "files/pose_file.hpp"
#include "files/write.hpp"
#include "scenes/paths.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

/// Twelve numbers a line that read back bit for bit.
std::string lines_of(const std::vector<Pose>& poses) {
    std::string out;
    std::array<char, 40> number;
    for (const Pose& pose : poses) {
        for (std::size_t i = 0; i < 3; ++i)
            for (const double x : {pose.rotation().row[i].x, pose.rotation().row[i].y, pose.rotation().row[i].z,
                                   pose.translation()[static_cast<int>(i)]}) {
                std::snprintf(number.data(), number.size(), "%.17g ", x);
                out += number.data();
            }
        out += '\n';
    }
    return out;
}

class CliPath : public Cli {
protected:
    std::string write_soup(const std::string& name, const scenes::Soup& soup) const {
        files::Mesh mesh;
        mesh.points = soup.points;
        mesh.corners = soup.corners;
        const std::string path = (folder_ / name).string();
        EXPECT_TRUE(files::write_assembly(path, files::single(std::move(mesh))));
        return path;
    }
};

/// A ring rocked down over a stalagmite and up again.
class Stalagmite : public CliPath {
protected:
    void SetUp() override {
        Cli::SetUp();
        const scenes::Soup ground = scenes::landscape(60), ring = scenes::wrinkled_torus();
        a_ = *Model::build(ground.view());
        b_ = *Model::build(ring.view());
        poses_ = scenes::stalagmite_path(600, 3);
        command_ = "path " + write_soup("ground.obj", ground) + " " + write_soup("ring.obj", ring) + " " +
                   write("poses.txt", lines_of(poses_));
    }

    Model a_, b_;
    std::vector<Pose> poses_;
    std::string command_;
};

TEST_F(Stalagmite, EachFrameIsAnsweredAsAPlainQueryAnswersIt) {
    const Outcome o = run(command_ + " --json");
    EXPECT_EQ(o.code, 1);
    EXPECT_EQ(o.err, "");
    const Json json = Json::parse(o.out);
    const Json first = Json::parse(run(command_ + " --first --json").out);
    EXPECT_EQ(json["frames"], poses_.size());
    ASSERT_EQ(json["contacts"].size(), poses_.size());
    ASSERT_EQ(first["intersects"].size(), poses_.size());
    std::string rows = "frame,contacts,intersects\n", first_rows = "frame,intersects\n";
    std::vector<Json> intervals;
    bool before = false;
    for (std::size_t i = 0; i < poses_.size(); ++i) {
        const std::size_t contacts = collide(a_, b_, poses_[i]).size();
        const bool meets = contacts > 0;
        EXPECT_EQ(json["contacts"][i], contacts) << i;
        EXPECT_EQ(first["intersects"][i], meets) << i;
        rows += std::to_string(i) + "," + std::to_string(contacts) + (meets ? ",true\n" : ",false\n");
        first_rows += std::to_string(i) + (meets ? ",true\n" : ",false\n");
        if (meets && !before) intervals.push_back({{"begins", i}, {"most", 0}});
        if (meets) {
            intervals.back()["ends"] = i;
            if (contacts > intervals.back()["most"]) intervals.back()["most"] = contacts, intervals.back()["at"] = i;
        }
        before = meets;
    }
    ASSERT_GT(intervals.size(), 0u);
    ASSERT_EQ(json["intervals"].size(), intervals.size());
    ASSERT_EQ(first["intervals"].size(), intervals.size());
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        for (const char* key : {"begins", "ends", "most", "at"})
            EXPECT_EQ(json["intervals"][i][key], intervals[i][key]) << key;
        EXPECT_EQ(first["intervals"][i], (Json{{"begins", intervals[i]["begins"]}, {"ends", intervals[i]["ends"]}}));
    }
    EXPECT_EQ(run(command_ + " --csv").out, rows);
    EXPECT_EQ(run(command_ + " --csv --first").out, first_rows);
}

TEST_F(Stalagmite, TextQuietAndVerbose) {
    const Outcome text = run(command_);
    EXPECT_EQ(text.code, 1);
    for (const char* piece : {"A: ", "B: ", "begins", "most contacts", "crossing", "600 frames: in contact in "})
        EXPECT_NE(text.out.find(piece), std::string::npos) << text.out;
    EXPECT_EQ(text.out.find("box tests"), std::string::npos) << text.out;
    EXPECT_NE(run(command_ + " -v").out.find("box tests"), std::string::npos);
    const Json json = Json::parse(run(command_ + " -v --json").out);
    EXPECT_TRUE(json["stats"]["box_tests"].is_number_unsigned());
    const Outcome quiet = run(command_ + " -q");
    EXPECT_EQ(quiet.out + quiet.err, "");
    EXPECT_EQ(quiet.code, 1);
}

TEST_F(Stalagmite, ThePageHoldsTheAnswerAndStaysSmall) {
    const std::string page = (folder_ / "page.html").string();
    const Outcome o = run(command_ + " --json --html " + page);
    if (o.err.find("has no report page") != std::string::npos) GTEST_SKIP() << o.err;
    EXPECT_EQ(o.code, 1) << o.err;
    EXPECT_NE(read_all(page).find(o.out), std::string::npos);
    EXPECT_LT(fs::file_size(page), 8u << 20);
    const std::string absent = (folder_ / "absent" / "page.html").string();
    expect_complaint(command_ + " --html " + absent, "--html: there is no folder ");
}

TEST_F(CliPath, InsideIsSaidAlike) {
    const std::string big = write_soup("big.obj", scenes::box()),
                      small = write_soup("small.obj", scenes::box({0.25, 0.25, 0.25}));
    const std::string poses =
        write("in.txt", "-2 0.1 0.1 0 0 0 1\n-1 0.1 0.1 0 0 0 1\n0 0.1 0.1 0 0 0 1\n0.3 0.1 0.1 0 0 0 1\n");
    const std::string command = "path " + big + " " + small + " " + poses;
    const Outcome text = run(command);
    EXPECT_EQ(text.code, 1);
    EXPECT_NE(text.out.find("4 frames: in contact in 1, inside in 2, 1 time, "), std::string::npos) << text.out;
    const Json json = Json::parse(run(command + " --json").out);
    EXPECT_EQ(json["contacts"][2], 0);
    EXPECT_EQ(json["intervals"][0]["begins"], 1);
    EXPECT_EQ(json["intervals"][0]["ends"], 3);
    EXPECT_EQ(Json::parse(run(command + " --json --first").out)["intersects"], (Json{false, true, true, true}));
    EXPECT_EQ(run(command + " --csv --first").out, "frame,intersects\n0,false\n1,true\n2,true\n3,true\n");
    // The same in `collide`, from either side.
    const std::string pose = " --pose \"0 0.1 0.1 0 0 0 1\"";
    for (const auto& [a, b, inner] : {std::tuple{big, small, "B"}, {small, big, "A"}}) {
        const std::string one = "collide " + a + " " + b + pose;
        EXPECT_NE(run(one).out.find("pose 0: " + std::string(inner) + " is inside "), std::string::npos);
        EXPECT_EQ(run(one + " -q").code, 1);
        for (const char* how : {"", " --first"}) {
            const Outcome o = run(one + " --json" + how);
            EXPECT_EQ(o.code, 1);
            const Json line = Json::parse(o.out);
            EXPECT_EQ(line["intersects"], true);
            EXPECT_EQ(line["contacts"], 0);
            EXPECT_EQ(line["kind"], "inside");
            EXPECT_EQ(line["inside"], inner);
        }
    }
}

TEST_F(CliPath, BothMayMove) {
    const scenes::Soup ring = scenes::torus(1, 0.3, 24, 16);
    const Model model = *Model::build(ring.view());
    const std::vector<Pose> of_a = scenes::tumble_path(200, 1, 1.5), of_b = scenes::tumble_path(200, 2, 1.5);
    const std::string file = write_soup("ring.obj", ring), a = write("a.path", lines_of(of_a));
    // B's in the other form: their number, then rotation and translation.
    std::string blocks = "200\n";
    std::array<char, 40> number;
    for (const Pose& pose : of_b) {
        for (const Vec3& v :
             {pose.rotation().row[0], pose.rotation().row[1], pose.rotation().row[2], pose.translation()}) {
            for (int d = 0; d < 3; ++d) {
                std::snprintf(number.data(), number.size(), "%.17g ", v[d]);
                blocks += number.data();
            }
            blocks += '\n';
        }
        blocks += '\n';
    }
    const std::string b = write("b.path", blocks);
    const Outcome o = run("path " + file + " " + file + " " + b + " --path-a " + a + " --json");
    EXPECT_EQ(o.code, 1) << o.err;
    const Json json = Json::parse(o.out);
    std::size_t hits = 0;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        const auto contacts = collide(model, model, relative(of_a[i], of_b[i]));
        EXPECT_EQ(json["contacts"][i], contacts.size()) << i;
        hits += !contacts.empty();
    }
    EXPECT_GT(hits, 10u);
    EXPECT_LT(hits, 190u);
}

TEST_F(CliPath, ClearAllTheWay) {
    const std::string box = write_soup("box.obj", scenes::box());
    const std::string poses = write("poses.txt", "3 0 0 0 0 0 1\n2.0000000000000004 0 0 0 0 0 1\n");
    const Outcome o = run("path " + box + " " + box + " " + poses);
    EXPECT_EQ(o.code, 0);
    EXPECT_TRUE(o.out.ends_with("2 frames: clear in all\n")) << o.out;
    Json answer = Json::parse(run("path " + box + " " + box + " " + poses + " --json").out);
    EXPECT_EQ(answer["checked"]["parts"]["open"], 0);
    answer.erase("checked");
    EXPECT_EQ(answer, (Json{{"frames", 2}, {"contacts", {0, 0}}, {"intervals", Json::array()}}));
    EXPECT_EQ(run("path " + box + " " + box + " " + poses + " -q").code, 0);
}

TEST_F(CliPath, BadInput) {
    const std::string box = write_soup("box.obj", scenes::box()), two = "path " + box + " " + box + " ";
    const std::string good = write("good.txt", "3 0 0 0 0 0 1\n"), none = write("none.txt", "# none\n");
    const std::string bad = write("bad.txt", "3 0 0 0 0 0 1\n3 0 0 0 0 0\n"), empty = write("empty.txt", "");
    const std::string pair = write("pair.txt", "3 0 0 0 0 0 1\n4 0 0 0 0 0 1\n");
    const std::string cut = write("cut.path", "5\n1 0 0\n0 1 0\n0 0 1\n0 0 0\n");
    expect_complaint("path", "");
    expect_complaint("path " + box, "");
    expect_complaint("path " + box + " " + box, "");
    expect_complaint("path " + box + " absent.stl " + good, "absent.stl: ");
    expect_complaint(two + "absent.txt", "absent.txt: ");
    expect_complaint(two + none, none + ":1: ");
    expect_complaint(two + empty + " --json", empty + ":1: ");
    expect_complaint(two + bad + " --csv", bad + ":2: ");
    expect_complaint(two + cut, cut + ":");
    expect_complaint(two + good + " --path-a absent.txt", "absent.txt: ");
    expect_complaint(two + good + " --path-a " + pair, pair + ": A has 2 poses, and B 1");
    expect_complaint(two + good + " --first --all", "");
}

/// Real motions beside the checkout; the tests run in the repository's root.
const fs::path models = fs::path("..") / "shared" / "models";

TEST_F(CliPath, RealFallingTori) {
    const fs::path folder = models / "unc-falling";
    if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there";
    std::vector<Model> tori;
    std::string files;
    for (const char* name : {"torus1", "torus2"}) {
        std::ifstream in(folder / (std::string(name) + ".tris"));
        scenes::Soup soup;
        std::size_t count = 0;
        in >> count;
        for (Vec3 p; soup.points.size() < 3 * count && in >> p.x >> p.y >> p.z;) soup.corners.push_back(soup.add(p));
        ASSERT_EQ(soup.triangle_count(), count);
        tori.push_back(*Model::build(soup.view()));
        files += write_soup(std::string(name) + ".obj", soup) + " ";
    }
    const std::string path_a = (folder / "torus1.path").string(), path_b = (folder / "torus2.path").string();
    const auto of_a = files::read_poses(path_a), of_b = files::read_poses(path_b);
    ASSERT_TRUE(of_a);
    ASSERT_TRUE(of_b);
    ASSERT_EQ(of_a->size(), 2398u);
    const Json json = Json::parse(run("path " + files + path_b + " --path-a " + path_a + " --json").out);
    ASSERT_EQ(json["contacts"].size(), of_a->size());
    for (std::size_t i = 0; i < of_a->size(); ++i) {
        const auto contacts = collide(tori[0], tori[1], relative((*of_a)[i], (*of_b)[i]));
        EXPECT_EQ(json["contacts"][i], contacts.size()) << i;
    }
}

}  // namespace
}  // namespace graze
