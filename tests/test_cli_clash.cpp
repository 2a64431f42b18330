// SPDX-License-Identifier: Apache-2.0
#include "checks/clash_formats.hpp"
#include "cli.hpp"
#include "files/write.hpp"
#include "files/zip.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

class ClashCli : public Cli {
protected:
    /// A housing with a box in it and one through its wall, one beside it that touches, and one twice.
    void SetUp() override {
        Cli::SetUp();
        fs::create_directories(folder_ / "parts/screws");
        place("parts/housing.stl", {2, 2, 2}, {0, 0, 0});
        place("parts/core.ply", {1, 1, 1}, {0, 0, 0});
        place("parts/screws/m4.obj", {0.5, 0.25, 0.25}, {0, 2, 0});
        place("parts/neighbour.stl", {1, 1, 1}, {3, 0, 0});
        place("parts/twin-a.stl", {1, 1, 1}, {0, 0, 20});
        place("parts/twin-b.stl", {1, 1, 1}, {0, 0, 20});
        place("parts/far.stl", {1, 1, 1}, {50, 0, 0});
        parts_ = (folder_ / "parts").string();
    }

    void place(const std::string& name, const Vec3& half, const Vec3& at) const {
        const scenes::Soup box = scenes::box(half);
        files::Mesh mesh;
        for (const Vec3& p : box.points) mesh.points.push_back(p + at);
        mesh.corners = box.corners;
        ASSERT_TRUE(files::write_assembly((folder_ / name).string(), files::single(std::move(mesh))));
    }

    std::string parts_;
};

using Rows = std::vector<std::array<std::string, 3>>;
Rows rows_of(const Json& answer) {
    Rows rows;
    for (const Json& clash : answer["clashes"]) rows.push_back({clash["kind"], clash["a"], clash["b"]});
    return rows;
}

const Rows all = {{"duplicate", "twin-a", "twin-b"},
                  {"crossing", "housing", "screws/m4"},
                  {"inside", "core", "housing"},
                  {"touching", "housing", "neighbour"}};

TEST_F(ClashCli, JsonCsvAndTextSayTheSame) {
    const Outcome json = run("clash " + parts_ + " --json");
    EXPECT_EQ(json.code, 1);
    EXPECT_EQ(json.err, "");
    const Json answer = Json::parse(json.out);
    EXPECT_EQ(rows_of(answer), all);
    EXPECT_EQ(answer["parts"], 7);
    EXPECT_EQ(answer["triangles"], 7 * 12);
    EXPECT_EQ(answer["summary"]["kinds"]["inside"], 1);
    EXPECT_EQ(run("clash " + parts_ + " --json --threads 1").out, json.out);

    const Outcome csv = run("clash " + parts_ + " --csv");
    EXPECT_EQ(csv.code, 1);
    EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 5);
    const Outcome text = run("clash " + parts_);
    EXPECT_EQ(text.code, 1);
    EXPECT_NE(text.out.find("7 parts, 84 triangles, 6 shapes"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("4 clashes: 1 duplicate, 1 crossing, 1 inside, 1 touching"), std::string::npos);
    for (const auto& [kind, a, b] : all) EXPECT_NE(text.out.find("  " + a), std::string::npos) << text.out;
    const Outcome quiet = run("clash -q " + parts_);
    EXPECT_EQ(quiet.code, 1);
    EXPECT_EQ(quiet.out + quiet.err, "");
    EXPECT_NE(run("clash -v " + parts_).out.find("Read and built in"), std::string::npos);
}

TEST_F(ClashCli, OnlyAndRulesDecideWhatIsLeft) {
    EXPECT_EQ(rows_of(Json::parse(run("clash " + parts_ + " --json --only inside,crossing").out)),
              (Rows{all[1], all[2]}));
    EXPECT_EQ(run("clash " + parts_ + "/far.stl " + parts_ + "/core.ply").code, 0);
    const std::string rules = write("rules.txt",
                                    "# what is meant to be so\n"
                                    "m? housing \"pressed in\"\n"
                                    "neighbour h* stands beside it\n"
                                    "nothing * matches this\n");
    const std::string line = "clash " + parts_ + " --rules " + rules + " --ignore \"core:housing=cast around it\"";
    const Outcome left = run(line + " --json");
    EXPECT_EQ(left.code, 1);
    const Json answer = Json::parse(left.out);
    EXPECT_EQ(rows_of(answer), (Rows{all[0]}));
    EXPECT_EQ(answer["ignored"].size(), 3u);
    const Outcome text = run(line);
    EXPECT_NE(text.out.find("3 pairs ignored"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("pressed in"), std::string::npos);
    EXPECT_NE(text.out.find("No clash is ignored by the rule nothing and *"), std::string::npos);
    EXPECT_EQ(run(line + " --ignore \"twin-?:twin-?=spare\"").code, 0);
}

TEST_F(ClashCli, BetweenChoosesThePairs) {
    const auto rows = [&](const std::string& options) {
        return rows_of(Json::parse(run("clash " + parts_ + " --json " + options).out));
    };
    EXPECT_EQ(rows("--between housing '*m?'"), (Rows{all[1]}));
    EXPECT_EQ(rows("--between core housing --between 'twin*' @all"), (Rows{all[0], all[2]}));
    EXPECT_EQ(rows("--between @all @all"), all);
    EXPECT_EQ(rows("--between file=m4.obj @all"), (Rows{all[1]}));
    const std::string rules = write("rules.txt", "group: inner core \"m4\"\nbetween: @inner housing\n");
    EXPECT_EQ(rows("--rules " + rules), (Rows{all[1], all[2]}));
    EXPECT_EQ(rows("--rules " + rules + " --ignore '@inner:\"housing\"=meant'"), Rows{});
    expect_complaint("clash " + parts_ + " --between @all @services",
                     "between: the pattern '@services' matches no part, so there is nothing to check");
    EXPECT_EQ(run("clash --between housing m4 " + parts_ + " -q").code, 1);
    expect_complaint("clash " + parts_ + " --between core", "--between");
    expect_complaint("clash " + parts_ + " --between core --between housing m4", "--between");
    expect_complaint("clash " + parts_ + " --between @odd core", "--between: there is no group 'odd'");
    expect_complaint("clash " + parts_ + " --rules " + write("bad.txt", "group: x\n"),
                     folder_.string() + "/bad.txt:1: the group 'x' has no patterns");
}

TEST_F(ClashCli, ABaselineTellsNewFromOld) {
    const std::string base = write("base.json", run("clash " + parts_ + " --json").out);
    const Outcome same = run("clash " + parts_ + " --baseline " + base);
    EXPECT_EQ(same.code, 0) << same.out;
    EXPECT_NE(same.out.find("0 new, 0 worse, 4 persistent, 0 resolved"), std::string::npos) << same.out;

    fs::remove(folder_ / "parts/twin-b.stl");
    place("parts/far.stl", {1, 1, 1}, {4.5, 0, 0});
    const Outcome changed = run("clash " + parts_ + " --json --baseline " + base);
    EXPECT_EQ(changed.code, 1);
    const Json answer = Json::parse(changed.out);
    EXPECT_EQ(
        answer["summary"]["states"],
        (Json{{"new", 1}, {"worse", 0}, {"persistent", 3}, {"resolved", 0}, {"part_gone", 1}, {"not_checked", 0}}));
    for (const Json& clash : answer["clashes"]) EXPECT_EQ(clash["state"] == "new", clash["a"] == "far");
    // Kinds that were not asked for are no resolved clashes.
    const Json only = Json::parse(run("clash " + parts_ + " --json --only touching --baseline " + base).out);
    EXPECT_EQ(only["summary"]["states"]["persistent"], 1);
    EXPECT_EQ(only["summary"]["states"]["part_gone"], 0);
    EXPECT_EQ(run("clash -q " + parts_ + " --only touching --baseline " + base).code, 0);
}

TEST_F(ClashCli, ABaselineDoesNotHideWhatGotWorse) {
    const std::string base = write("base.json", run("clash " + parts_ + " --json").out);
    place("parts/neighbour.stl", {1, 1, 1}, {2.9, 0, 0});
    const std::string junit = (folder_ / "out.xml").string();
    const Outcome o = run("clash " + parts_ + " --baseline " + base + " --junit " + junit);
    EXPECT_EQ(o.code, 1) << "it touched, and crosses now";
    EXPECT_NE(o.out.find("0 new, 1 worse, 3 persistent, 0 resolved"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("was touching, is crossing"), std::string::npos) << o.out;
    EXPECT_NE(read_all(junit).find("failures=\"1\""), std::string::npos);
    EXPECT_NE(run("clash " + parts_ + " --csv --baseline " + base).out.find(",worse,"), std::string::npos);
    // Two boxes that cross already, and cross more.
    const std::string crossing = write("crossing.json", run("clash " + parts_ + " --json").out);
    place("parts/neighbour.stl", {1, 1, 1}, {2.2, 0, 0});
    EXPECT_EQ(run("clash -q " + parts_ + " --baseline " + crossing).code, 1);
    EXPECT_EQ(run("clash -q " + parts_ + " --baseline " + crossing + " --worse-by 2").code, 0);
    expect_complaint("clash " + parts_ + " --worse-by -1", "--worse-by: -1 is not a length");
    expect_complaint("clash " + parts_ + " --tolerance nan",
                     "--tolerance takes a length such as 0.002 or 2mm; got 'nan'");
    expect_complaint("clash " + parts_ + " --clearance 0", "--clearance takes a length above 0; got '0'");
    expect_complaint("clash " + parts_ + " --tolerance 1mm", "--tolerance: 1mm cannot be used: ");
}

TEST_F(ClashCli, ReviewsStayWithTheirClashes) {
    const std::string to = folder_.string() + "/last.bcfzip";
    Json answer = Json::parse(run("clash " + parts_ + " --json --bcf " + to).out);
    const std::string id = answer["clashes"][1]["id"];
    const std::string reviews =
        write("reviews.json",
              Json{{"reviews", {{{"id", id}, {"status", "accepted"}, {"comment", "cast in"}, {"due", "2026-12-31"}}}}}
                  .dump());
    // An earlier run in BCF and the reviews of a page, into BCF, and back.
    const std::string both =
        " --baseline " + to + " --baseline " + reviews + " --bcf-version 3.0 --bcf " + folder_.string() + "/next.bcf";
    EXPECT_EQ(run("clash -q " + parts_ + both).code, 0);
    answer = Json::parse(run("clash " + parts_ + " --json --baseline " + folder_.string() + "/next.bcf").out);
    EXPECT_EQ(answer["summary"]["states"]["persistent"], 4);
    EXPECT_EQ(answer["clashes"][1]["review"], (Json{{"status", "accepted"},
                                                    {"assignee", ""},
                                                    {"comment", "cast in"},
                                                    {"priority", ""},
                                                    {"due", "2026-12-31"}}));
    EXPECT_NE(read_all(folder_ / "next.bcf").find("extensions.xml"), std::string::npos);
    expect_complaint("clash " + parts_ + " --bcf " + to + " --bcf-version 4",
                     "--bcf-version takes 2.1 or 3.0; got '4'");
    expect_complaint("clash " + parts_ + " --bcf-version 3.0", "--bcf-version works only with --bcf");
    EXPECT_FALSE(answer["clashes"][0].contains("review"));
    // Reviews alone say nothing about what is new.
    EXPECT_EQ(run("clash -q " + parts_ + " --baseline " + reviews).code, 1);
}

TEST_F(ClashCli, ThinClashesAreAKindOfTheirOwn) {
    place("parts/neighbour.stl", {1, 1, 1}, {2.999999, 0, 0});
    const Json plain = Json::parse(run("clash " + parts_ + " --json").out);
    EXPECT_EQ(plain["summary"]["thin"], 0);
    const Json answer = Json::parse(run("clash " + parts_ + " --json --tolerance 1e-5").out);
    EXPECT_EQ(answer["summary"]["thin"], 1);
    EXPECT_NE(run("clash " + parts_ + " --tolerance 1e-5").out.find("2 crossing (1 of them thin)"), std::string::npos);
    const auto count = [&](const std::string& options) {
        return Json::parse(run("clash " + parts_ + " --json --tolerance 1e-5 " + options).out)["clashes"].size();
    };
    EXPECT_EQ(count("--only thin"), 1u);
    EXPECT_EQ(count("--not thin"), 3u);
    EXPECT_EQ(count("--only crossing"), 1u);
    EXPECT_EQ(count("--only crossing,thin"), 2u);
    EXPECT_EQ(count("--not thin,duplicate,inside"), 1u);
    EXPECT_EQ(Json::parse(run("clash " + parts_ + " --json --thin 1e-5").out), answer) << "the former name";
    expect_complaint("clash " + parts_ + " --not small", "--not: 'small'");
}

TEST_F(ClashCli, OverlapsWithinTheAccuracyOfFilesAreFits) {
    // The files say that a part is off by half a unit of single precision.
    place("parts/neighbour.stl", {1, 1, 1}, {2.99999988, 0, 0});
    const Json answer = Json::parse(run("clash " + parts_ + " --json").out);
    EXPECT_EQ(answer["clashes"].size(), 3u);
    ASSERT_EQ(answer["fits"].size(), 1u);
    EXPECT_EQ(answer["fits"][0]["kind"], "fit");
    EXPECT_EQ(answer["fits"][0]["exact"], "crossing");
    EXPECT_GT(answer["fits"][0]["band"], 1e-7);
    const Outcome text = run("clash " + parts_);
    EXPECT_NE(text.out.find("3 clashes: 1 duplicate, 1 crossing, 1 inside; 1 fit\n"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("\n1 fit: two parts overlap by no more than their files can tell"), std::string::npos);
    const std::string pair = folder_.string() + "/parts/neighbour.stl " + folder_.string() + "/parts/housing.stl";
    EXPECT_EQ(run("clash -q " + pair).code, 0);
    EXPECT_EQ(run("clash -q " + pair + " --strict-fits").code, 1);
    EXPECT_EQ(run("clash -q " + pair + " --error 0").code, 1);
    const Json exact = Json::parse(run("clash " + pair + " --json --error 0").out);
    EXPECT_EQ(exact["clashes"][0]["kind"], "crossing");
}

TEST_F(ClashCli, ClashesSayHowDeepTheyAreAndHowToClearThem) {
    const Outcome text = run("clash " + parts_ + " --only crossing");
    EXPECT_NE(text.out.find("crossing  housing  m4   0.125   0.25  0.25 +y\n"), std::string::npos) << text.out;
    const Json all_measured = Json::parse(run("clash " + parts_ + " --json").out);
    EXPECT_EQ(all_measured["summary"]["measured"], 3);
    const Json one = Json::parse(run("clash " + parts_ + " --json --measure 1").out);
    EXPECT_EQ(one["summary"]["measured"], 1);
    EXPECT_EQ(one["clashes"][1]["depth"], nullptr);
    EXPECT_EQ(Json::parse(run("clash " + parts_ + " --json --measure all").out), all_measured);
    // A shelf that reaches into two walls comes free of both when it is lifted.
    fs::create_directories(folder_ / "room");
    place("room/left.stl", {0.5, 2, 1}, {-3, 0, 0});
    place("room/right.stl", {0.5, 2, 1}, {3, 0, 0});
    place("room/shelf.stl", {3, 1, 0.125}, {0, 0, 0.9375});
    const Outcome room = run("clash " + (folder_ / "room").string());
    EXPECT_NE(room.out.find("\nMove shelf by 0.188 up: clears 2 clashes\n"), std::string::npos) << room.out;
}

TEST_F(ClashCli, ManyClashesAreShownByTheirCauses) {
    fs::create_directories(folder_ / "wall");
    place("wall/rail.stl", {40, 0.5, 0.5}, {39, 0, 0});
    for (int i = 0; i < 21; ++i) place("wall/post-" + std::to_string(10 + i) + ".stl", {0.2, 0.2, 2}, {3.0 * i, 0, 0});
    const std::string wall = (folder_ / "wall").string();
    const Outcome text = run("clash " + wall);
    EXPECT_NE(text.out.find("\n1 probable cause of these clashes\n"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("  rail crosses 21 parts like post-10  "), std::string::npos) << text.out;
    const Outcome list = run("clash --list " + wall);
    EXPECT_NE(list.out.find("post-30  rail  "), std::string::npos) << list.out;
    const Json answer = Json::parse(run("clash --json " + wall).out);
    EXPECT_EQ(answer["summary"]["causes"], 1);
    EXPECT_EQ(answer["clashes"][0]["cause"], 1);
    EXPECT_EQ(answer["clashes"][0]["cause_name"], "rail crosses 21 parts like post-10");
    EXPECT_EQ(run("clash --json --threads 1 " + wall).out, run("clash --json --threads 2 " + wall).out);
}

TEST_F(ClashCli, FilesAreWrittenBesideTheAnswer) {
    const std::string to = folder_.string() + "/out";
    const Outcome o = run("clash " + parts_ + " --junit " + to + ".xml --bcf " + to + ".bcf --write " + to + ".obj");
    EXPECT_EQ(o.code, 1) << o.err;
    const std::string junit = read_all(to + ".xml");
    EXPECT_NE(junit.find("failures=\"4\""), std::string::npos) << junit;
    EXPECT_TRUE(read_all(to + ".bcf").starts_with("PK"));
    const std::string obj = read_all(to + ".obj");
    EXPECT_NE(obj.find("\nl "), std::string::npos) << "curves";
    EXPECT_NE(obj.find("o housing at screws/m4"), std::string::npos) << obj.substr(0, 500);
    EXPECT_EQ(run("clash " + parts_ + " --write " + to + ".stl").code, 1);
    EXPECT_GT(fs::file_size(to + ".stl"), 84u);
    expect_complaint("clash " + parts_ + " --write " + to + ".xyz", "--write: " + to + ".xyz: ");
    expect_complaint("clash " + parts_ + " --junit " + folder_.string() + "/no/such.xml",
                     "--junit: there is no folder " + folder_.string() + "/no");
}

/// With a browser that draws nothing but says which address it was given.
TEST_F(ClashCli, ABrowserTakesSnapshots) {
    const std::string path = std::getenv("PATH"), to = folder_.string() + "/out.bcf";
    const std::string line = "clash " + parts_ + " --bcf " + to;
    setenv("PATH", folder_.c_str(), 1);
    const Outcome none = run(line + " --snapshots 2");
    EXPECT_EQ(none.code, 1);
    if (none.err.find("this build of graze cannot") == std::string::npos) {
        EXPECT_EQ(none.err, "graze: note: there are no snapshots: neither chromium nor google-chrome is in PATH\n");
        const std::string browser =
            write("chromium",
                  "#!/bin/sh\n"
                  "for word; do case $word in *snapshots=*) ids=${word##*=};; esac; done\n"
                  "printf '<html><body>'; IFS=,\n"
                  // The signature of a PNG file and a byte.
                  "for id in $ids; do printf '<pre id=\"%s\">89504e470d0a1a0a58</pre>' $id; done\n");
        fs::permissions(browser, fs::perms::owner_all);
        const Outcome two = run(line + " --snapshots 2 --json");
        EXPECT_EQ(two.err, "graze: note: the 2 gravest of 4 clashes have snapshots\n");
        const Json answer = Json::parse(two.out);
        const auto entries = files::from_zip(read_all(to), [](std::string_view n) { return n.ends_with(".png"); });
        ASSERT_TRUE(entries && entries->size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            const std::string id = answer["clashes"][i]["id"];
            EXPECT_EQ((*entries)[i].name, id + "/snapshot.png");
            EXPECT_EQ((*entries)[i].contents, "\x89PNG\r\n\x1a\nX");
        }
        write("chromium", "#!/bin/sh\nexit 1\n");
        const Outcome failing = run(line + " --snapshots 9");
        EXPECT_EQ(failing.code, 1);
        EXPECT_EQ(failing.err, "graze: note: 4 snapshots are missing: " + browser + " made none\n");
    }
    setenv("PATH", path.c_str(), 1);
    expect_complaint("clash " + parts_ + " --snapshots 2", "--snapshots");
}

TEST_F(ClashCli, ThePageHoldsTheJsonAnswer) {
    const std::string page = folder_.string() + "/page.html";
    const Outcome o = run("clash " + parts_ + " --json --html " + page);
    if (o.code == 2 && o.err.find("GRAZE_REPORT") != std::string::npos) GTEST_SKIP() << "this build has no report page";
    EXPECT_EQ(o.code, 1) << o.err;
    const std::string html = read_all(page);
    EXPECT_NE(html.find(o.out.substr(0, o.out.find('\n'))), std::string::npos);
}

TEST_F(ClashCli, BadInputIsOneLine) {
    expect_complaint("clash " + folder_.string() + "/absent", folder_.string() + "/absent: ");
    expect_complaint("clash " + parts_ + " --only crossing,bogus", "--only: 'bogus'");
    expect_complaint("clash " + parts_ + " --ignore bolt", "--ignore: 'bolt'");
    expect_complaint("clash " + parts_ + " --baseline absent.json", "absent.json: ");
    expect_complaint("clash " + parts_ + " --rules " + write("bad.txt", "\nbolt\n"), folder_.string() + "/bad.txt:2: ");
    expect_complaint("clash " + parts_ + " --baseline " + write("bad.json", "[1, 2"), folder_.string() + "/bad.json");
    expect_complaint("clash", "");
    write("parts/cut.stl", "solid cut\nfacet");
    expect_complaint("clash " + parts_ + " --strict", parts_ + "/cut.stl:2: ");
    fs::create_directories(folder_ / "none");
    expect_complaint("clash " + folder_.string() + "/none", folder_.string() + "/none: ");
}

TEST_F(ClashCli, ABadFileIsLeftOutAndSaidSo) {
    const Outcome before = run("clash " + parts_ + " --json");
    const std::string cut = write("parts/cut.stl", "solid cut\nfacet"), junit = folder_.string() + "/out.xml";
    const Outcome o = run("clash " + parts_ + " --json --junit " + junit);
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(o.err.starts_with("graze: left out: " + cut + ":2: ")) << o.err;
    const Json answer = Json::parse(o.out);
    EXPECT_EQ(answer["clashes"], Json::parse(before.out)["clashes"]);
    ASSERT_EQ(answer["left_out"].size(), 1u);
    EXPECT_EQ(answer["left_out"][0]["file"], cut);
    EXPECT_EQ("graze: left out: " + answer["left_out"][0]["reason"].get<std::string>() + "\n", o.err);
    EXPECT_FALSE(Json::parse(before.out).contains("left_out"));
    const std::string xml = read_all(junit);
    EXPECT_NE(xml.find("errors=\"1\""), std::string::npos) << xml;
    EXPECT_NE(xml.find("<error message=\"" + cut), std::string::npos) << xml;
    // The answer without the file serves as a baseline.
    EXPECT_EQ(run("clash " + parts_ + " --baseline " + write("last.json", o.out)).code, 2);
}

TEST_F(ClashCli, WhatTheBaselineHasAndTheRunHasNotReadIsNotResolved) {
    const std::string base = write("base.json", run("clash " + parts_ + " --json").out);
    // Fewer files: the twins and what touches the housing.
    const std::string junit = folder_.string() + "/out.xml";
    const Outcome fewer =
        run("clash " + parts_ + "/housing.stl " + parts_ + "/core.ply --baseline " + base + " --junit " + junit);
    EXPECT_EQ(fewer.code, 2);
    EXPECT_NE(fewer.out.find("0 new, 0 worse, 1 persistent, 0 resolved, 3 not checked\n"), std::string::npos)
        << fewer.out;
    EXPECT_NE(fewer.out.find("not checked: parts/neighbour.stl is not among the files of this run\n"),
              std::string::npos)
        << fewer.out;
    EXPECT_NE(fewer.err.find("graze: not checked: 3 clashes of the baseline: "), std::string::npos) << fewer.err;
    EXPECT_NE(read_all(junit).find("errors=\"3\""), std::string::npos);
    // A file that cannot be read any more, and one that was deleted.
    write("parts/neighbour.stl", "solid cut");
    fs::remove(folder_ / "parts/twin-b.stl");
    const Json answer = Json::parse(run("clash " + parts_ + " --json --baseline " + base).out);
    ASSERT_EQ(answer["not_checked"].size(), 1u);
    EXPECT_EQ(answer["not_checked"][0]["b"], "neighbour");
    ASSERT_EQ(answer["part_gone"].size(), 1u);
    EXPECT_EQ(answer["part_gone"][0]["why"], "there is no parts/twin-b.stl any more");
    // Repaired, the clash is neither new nor lost.
    place("parts/neighbour.stl", {1, 1, 1}, {3, 0, 0});
    const Outcome again = run("clash " + parts_ + " --baseline " + write("next.json", answer.dump()));
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_NE(again.out.find("0 new, 0 worse, 3 persistent, 0 resolved\n"), std::string::npos) << again.out;
}

TEST_F(ClashCli, OpenPartsAndUnitsAreGaps) {
    const std::string room = (folder_ / "room").string(), junit = folder_.string() + "/out.xml";
    fs::create_directories(room);
    place("room/box.ply", {2, 2, 2}, {0, 0, 0});
    write("room/sheet.obj", "v 9 0 0\nv 9 1 0\nv 9 0 1\nf 1 2 3\n");
    const Outcome plain = run("clash " + room + " --junit " + junit);
    EXPECT_EQ(plain.code, 0) << plain.err;
    EXPECT_NE(plain.out.find("\nChecked: 1 pair\nOpen: 1 part, and nothing is found inside it: sheet\n"),
              std::string::npos)
        << plain.out;
    EXPECT_NE(read_all(junit).find("<property name=\"open parts\" value=\"1\"/>"), std::string::npos)
        << read_all(junit);
    EXPECT_NE(read_all(junit).find("errors=\"0\""), std::string::npos);
    const Outcome strict = run("clash " + room + " --require everything --junit " + junit);
    EXPECT_EQ(strict.code, 2);
    EXPECT_EQ(strict.err,
              "graze: --require everything: 1 part is open, and nothing is found inside it: sheet\n"
              "graze: --require everything: none of the 2 files states its unit\n");
    EXPECT_NE(read_all(junit).find("errors=\"2\""), std::string::npos);
    EXPECT_NE(read_all(junit).find("<error message=\"1 part is open, "), std::string::npos);
    expect_complaint("clash " + room + " --require some", "--require");
    // One closed part, whose unit is nobody else's business.
    EXPECT_EQ(run("info -q --require everything " + room + "/box.ply").code, 0);
    EXPECT_EQ(run("info -q --require everything " + room + "/sheet.obj").code, 2);
    EXPECT_EQ(run("self -q --require everything " + room + "/sheet.obj").code, 2);
    const std::string pair = room + "/box.ply " + room + "/sheet.obj";
    EXPECT_EQ(run("collide -q " + pair).code, 0);
    EXPECT_EQ(run("collide -q --require everything " + pair).code, 2);
    EXPECT_EQ(run("distance -q --require everything " + pair).code, 2);
    const Outcome text = run("collide " + pair);
    EXPECT_NE(text.out.find("sheet.obj, 1 triangle, open: nothing is found inside it\n"), std::string::npos)
        << text.out;
    EXPECT_EQ(Json::parse(run("collide --json " + pair).out)["checked"]["parts"]["open"], 1);
    EXPECT_EQ(Json::parse(run("distance --json " + pair).out)["checked"]["open_parts"][0], room + "/sheet.obj");
    EXPECT_EQ(run("collide --json " + pair + " --poses " + write("poses.txt", "0 0 0 0 0 0 1\n1 0 0 0 0 0 1\n"))
                  .lines()[1]
                  .contains("checked"),
              false);
}

TEST_F(ClashCli, ProductsThatCannotBeMeshedAreLeftOut) {
    // A wall, and a product with a closed shell that has no faces.
    const std::string ifc = write("house.ifc", R"(ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('house.ifc','',(''),(''),'','','');
FILE_SCHEMA(('IFC4'));
ENDSEC;
DATA;
#1=IFCCARTESIANPOINT((0.,0.,0.));
#2=IFCAXIS2PLACEMENT3D(#1,$,$);
#3=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#2,$);
#4=IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.);
#5=IFCUNITASSIGNMENT((#4));
#6=IFCPROJECT('0000000000000000000001',$,'P',$,$,$,$,(#3),#5);
#7=IFCLOCALPLACEMENT($,#2);
#8=IFCDIRECTION((0.,0.,1.));
#9=IFCRECTANGLEPROFILEDEF(.AREA.,$,$,1.,1.);
#10=IFCEXTRUDEDAREASOLID(#9,#2,#8,1.);
#11=IFCSHAPEREPRESENTATION(#3,'Body','SweptSolid',(#10));
#12=IFCPRODUCTDEFINITIONSHAPE($,$,(#11));
#13=IFCSITE('0000000000000000000002',$,'Site',$,$,#7,$,$,.ELEMENT.,$,$,$,$,$);
#14=IFCRELAGGREGATES('0000000000000000000003',$,$,$,#6,(#13));
#20=IFCWALL('0000000000000000000004',$,'Wall',$,$,#7,#12,$,$);
#21=IFCFACETEDBREP(#22);
#22=IFCCLOSEDSHELL(());
#23=IFCSHAPEREPRESENTATION(#3,'Body','Brep',(#21));
#24=IFCPRODUCTDEFINITIONSHAPE($,$,(#23));
#30=IFCBUILDINGELEMENTPROXY('0000000000000000000006',$,'Fan',$,$,#7,#24,$,$);
#40=IFCRELCONTAINEDINSPATIALSTRUCTURE('0000000000000000000005',$,$,$,(#20,#30),#13);
ENDSEC;
END-ISO-10303-21;
)");
    const std::string junit = folder_.string() + "/out.xml";
    const Outcome o = run("clash " + ifc + " --json --junit " + junit);
    if (o.err.find("reads no IFC") != std::string::npos || o.err.find("needs Node.js") != std::string::npos)
        GTEST_SKIP() << o.err;
    EXPECT_EQ(o.code, 2) << o.err;
    const std::string reason = ifc + ": 'Fan' (0000000000000000000006): ";
    EXPECT_NE(o.err.find("graze: left out: " + reason), std::string::npos) << o.err;
    const Json answer = Json::parse(o.out);
    EXPECT_EQ(answer["parts"], 1);
    ASSERT_EQ(answer["left_out"].size(), 1u);
    EXPECT_EQ(answer["left_out"][0]["file"], ifc);
    EXPECT_EQ(answer["left_out"][0]["product"], "Fan");
    EXPECT_EQ(answer["left_out"][0]["id"], "0000000000000000000006");
    EXPECT_EQ(answer["checked"]["parts"]["read"], 2);
    EXPECT_EQ(answer["checked"]["parts"]["meshed"], 1);
    const std::string xml = read_all(junit);
    EXPECT_NE(xml.find("errors=\"1\""), std::string::npos) << xml;
    EXPECT_NE(xml.find("<error message=\"" + ifc), std::string::npos) << xml;
    EXPECT_EQ(run("info -q " + ifc).code, 2);
    EXPECT_EQ(run("collide -q " + ifc + " " + parts_ + "/far.stl").code, 2);
    EXPECT_EQ(run("distance -q " + ifc + " " + parts_ + "/far.stl").code, 2);
    EXPECT_EQ(run("info --json " + ifc).lines()[1]["left_out"][0]["product"], "Site/Fan");
}

TEST_F(ClashCli, LinksThatLeadNowhereAreLeftOut) {
    fs::create_symlink(folder_ / "absent.stl", folder_ / "parts/dangling.stl");
    const Outcome o = run("clash " + parts_ + " --json");
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.err, "graze: left out: " + parts_ + "/dangling.stl: the link leads nowhere\n");
    EXPECT_EQ(Json::parse(o.out)["left_out"][0]["file"], parts_ + "/dangling.stl");
}

TEST_F(ClashCli, NoOutputOverwritesAnInput) {
    const std::string base = write("base.json", run("clash " + parts_ + " --json").out);
    const std::string scene = parts_ + "/core.ply", before = read_all(scene);
    fs::create_symlink(scene, folder_ / "link.html");
    fs::create_hard_link(scene, folder_ / "hard.xml");
    const std::string command = "clash " + parts_ + "/core.ply " + parts_ + "/far.stl ";
    expect_complaint(command + "--write " + scene, "--write " + scene + ": this would overwrite " + scene);
    expect_complaint(command + "--html " + folder_.string() + "/link.html", "--html ");
    expect_complaint(command + "--junit " + folder_.string() + "/hard.xml", "--junit ");
    expect_complaint("clash " + parts_ + " --bcf " + parts_ + "/../parts/core.ply", "--bcf ");
    expect_complaint("clash " + parts_ + " --baseline " + base + " --junit " + base, "--junit ");
    expect_complaint("collide " + scene + " " + parts_ + "/far.stl --write " + scene, "--write ");
    expect_complaint("distance " + scene + " " + parts_ + "/far.stl --html " + scene, "--html ");
    expect_complaint("self " + scene + " --html " + folder_.string() + "/link.html", "--html ");
    EXPECT_EQ(read_all(scene), before);
    // A file beside the inputs is none of them.
    const std::string beside = parts_ + "/clashes.xml";
    EXPECT_EQ(run("clash -q " + parts_ + " --junit " + beside).code, 1);
    EXPECT_EQ(run("clash -q " + parts_ + " --junit " + beside).code, 1);
}

TEST_F(ClashCli, OnePartIsNoAssembly) {
    const Outcome o = run("clash " + parts_ + "/far.stl");
    EXPECT_EQ(o.code, 0);
    EXPECT_TRUE(o.err.starts_with("graze: note: there is only one part")) << o.err;
    EXPECT_NE(o.out.find("1 part, 12 triangles\nNo clashes\n"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace graze
