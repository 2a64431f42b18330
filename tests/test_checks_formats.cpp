// SPDX-License-Identifier: Apache-2.0
// Formats of clashes: JSON and back, CSV, JUnit, BCF.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "checks/baseline.hpp"
#include "checks/clash_columns.hpp"
#include "checks/clash_formats.hpp"
#include "checks/encode.hpp"
#include "checks/json.hpp"
#include "files/zip.hpp"

namespace graze::checks {
namespace {

using tinyxml2::XMLElement;

Model triangle() {
    const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::uint32_t corners[] = {0, 1, 2};
    return *Model::build(SoupView{points, corners});
}

/// Names that every format has its troubles with.
const std::string nasty = "=cmd|'/c'!A1 \"<&>]]>,;\x01\n\xff\xef\xbf\xbf é", ifc = "2O2Fr$t4X7Zf8NOew3FNr2";

/// Two clashes, an ignored pair and a pair that is gone.
struct Example {
    Parts parts;
    Clashes clashes;
    std::vector<Rule> rules{{"a", "b", "glued & <fixed>"}};

    Example() {
        parts.models = {triangle()};
        for (const std::string& name : {std::string("frame/bolt"), nasty, "house/" + ifc})
            parts.parts.push_back({name, 0, {}});
        Clash first;
        first.a = 0, first.b = 1;
        first.contacts = 12;
        first.low = {0.1, -0.2, 1e-9}, first.high = {0.3, 0.2, 1e300};
        first.note = "look, \"here\"";
        Clash second;
        second.a = 1, second.b = 2;
        second.kind = second.exact = Kind::Touching;
        second.contacts = 1;
        clashes.clashes = {first, second};
        clashes.ignored = {{0, 2, 0}};
    }
    /// The third pair is a fit, and the first clash has been measured.
    void with_fit_and_measures() {
        Clash fit;
        fit.a = 0, fit.b = 2;
        fit.kind = Kind::Fit;
        fit.contacts = 5;
        fit.band = 0.001;
        clashes.fits = {fit};
        clashes.clashes[0].measures = {0.25, 0.5, Vec3{0, -1.5, 0.125}};
        clashes.measured = 1;
        clashes.ignored.clear();
        parts.parts[0].labels.id = "3f$x";
    }
    ClashRun run() const { return {parts, clashes, rules, "asm <1>"}; }
    void with_baseline() {
        clashes.clashes[0].state = State::New;
        clashes.clashes[1].state = State::Persistent;
        clashes.resolved = {{"gone \xfe", "frame/bolt", Kind::Duplicate}};
    }
};

std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
    std::vector<std::vector<std::string>> rows{{""}};
    bool quoted = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        std::string& cell = rows.back().back();
        if (quoted && csv[i] == '"' && i + 1 < csv.size() && csv[i + 1] == '"')
            cell += csv[i++];
        else if (csv[i] == '"')
            quoted = !quoted;
        else if (!quoted && csv[i] == ',')
            rows.back().emplace_back();
        else if (!quoted && csv[i] == '\n')
            rows.push_back({""});
        else
            cell += csv[i];
    }
    EXPECT_FALSE(quoted);
    rows.pop_back();
    return rows;
}

TEST(JsonLines, NumbersReadBackAndOthersAreNull) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    JsonLines lines;
    lines.add("none", json_array({infinity, -infinity, std::nan("")}));
    lines.add("numbers", json_array({0.1, -0.0, 4.9e-324}));
    lines.add_list("list", std::vector<int>{1, 2}, [](int i) { return Json{{"i", i}}; });
    lines.add_list("empty", std::vector<int>{}, [](int i) { return Json(i); });
    lines.add("text", json_text("a\"\xff"));
    const std::string text = std::move(lines).take();
    EXPECT_TRUE(text.starts_with("{\"none\":[null,null,null],\n \"numbers\":[0.1,-0.0,")) << text;
    EXPECT_NE(text.find("\"list\":[\n  {\"i\":1},\n  {\"i\":2}\n ],\n \"empty\":[],\n"), std::string::npos) << text;
    const auto back = nlohmann::json::parse(text);
    EXPECT_EQ(back["numbers"][0].get<double>(), 0.1);
    EXPECT_TRUE(std::signbit(back["numbers"][1].get<double>()));
    EXPECT_EQ(back["numbers"][2].get<double>(), 4.9e-324);
    EXPECT_EQ(back["text"], "a\"\xef\xbf\xbd");
}

TEST(Json, HasAllAndGivesNumbersBack) {
    Example example;
    const Json plain = Json::parse(to_json(example.run()));
    EXPECT_EQ(plain["title"], "asm <1>");
    EXPECT_EQ(plain["parts"], 3);
    EXPECT_EQ(plain["triangles"], 3);
    ASSERT_EQ(plain["clashes"].size(), 2u);
    const Json& one = plain["clashes"][0];
    EXPECT_EQ(one["a"], "frame/bolt");
    EXPECT_EQ(one["b"], as_utf8(nasty));
    EXPECT_EQ(one["kind"], "crossing");
    EXPECT_EQ(one["contacts"], 12);
    EXPECT_FALSE(one.contains("state"));
    EXPECT_EQ(one["note"], "look, \"here\"");
    EXPECT_EQ(one["low"], Json({0.1, -0.2, 1e-9}));
    EXPECT_EQ(one["high"], Json({0.3, 0.2, 1e300}));
    EXPECT_EQ(one["at"][0], 0.2);
    EXPECT_FALSE(plain["clashes"][1].contains("note"));
    EXPECT_EQ(plain["ignored"],
              Json::parse(R"([{"a": "frame/bolt", "b": "house/)" + ifc + R"(", "reason": "glued & <fixed>"}])"));
    EXPECT_TRUE(plain["resolved"].empty());
    EXPECT_EQ(plain["summary"]["kinds"]["crossing"], 1);
    EXPECT_EQ(plain["summary"]["clashes"], 2);

    example.with_baseline();
    const Json compared = Json::parse(to_json(example.run()));
    EXPECT_EQ(compared["clashes"][0]["state"], "new");
    EXPECT_EQ(compared["clashes"][1]["state"], "persistent");
    EXPECT_EQ(compared["clashes"][0]["id"], one["id"]);
    EXPECT_EQ(compared["resolved"][0]["kind"], "duplicate");
    EXPECT_EQ(compared["summary"]["states"],
              Json::parse(R"({"new": 1, "worse": 0, "persistent": 1, "resolved": 1, "part_gone": 0,
                                                            "not_checked": 0})"));
}

TEST(Baseline, ASecondRunIsPersistent) {
    Example example;
    const auto baseline = parse_baseline(to_json(example.run()), "last.json");
    ASSERT_TRUE(baseline) << baseline.fault().message;
    ASSERT_EQ(baseline->clashes.size(), 2u);
    // Even with a name that no JSON holds, and with its parts the other way round.
    std::swap(example.parts.parts[0], example.parts.parts[2]);
    example.clashes.clashes[0].a = 1, example.clashes.clashes[0].b = 2;
    example.clashes.clashes[1].a = 0, example.clashes.clashes[1].b = 1;
    example.clashes.clashes[0].kind = Kind::Touching;
    compare(example.parts, *baseline, example.clashes);
    EXPECT_EQ(example.clashes.clashes[0].state, State::Persistent) << "a lesser kind";
    EXPECT_EQ(example.clashes.clashes[0].note, "look, \"here\"; before: crossing");
    EXPECT_EQ(example.clashes.clashes[1].state, State::Persistent);
    EXPECT_EQ(example.clashes.clashes[1].note, "");
    EXPECT_TRUE(example.clashes.resolved.empty());
}

/// The state of the second clash after a change, against the JSON of the run before it.
Clash after(const std::function<void(Clash&)>& before, const std::function<void(Clash&)>& change,
            const CompareSettings& settings = {}) {
    Example example;
    Clash& clash = example.clashes.clashes[1];
    clash.extent = 0.5;
    before(clash);
    const auto baseline = parse_baseline(to_json(example.run()), "last.json");
    EXPECT_TRUE(baseline);
    change(clash);
    compare(example.parts, *baseline, example.clashes, settings);
    EXPECT_EQ(example.clashes.clashes[0].state, State::Persistent);
    return clash;
}

TEST(Baseline, AGraverKindIsWorse) {
    const auto nothing = [](Clash&) {};
    const Clash crossing = after(nothing, [](Clash& c) { c.kind = Kind::Crossing; });
    EXPECT_EQ(crossing.state, State::Worse);
    EXPECT_EQ(crossing.note, "was touching, is crossing");
    // Thin is no kind of its own here: another tolerance makes nothing worse.
    const auto thin = [](Clash& c) { c.kind = Kind::Crossing, c.thin = true, c.measures.depth = 1e-6; };
    const auto thin_no_more = [](Clash& c) { c.thin = false; };
    EXPECT_EQ(after(thin, thin_no_more).state, State::Persistent);
    EXPECT_EQ(after(thin, thin_no_more, {.tolerance = 1e-7}).state, State::Worse);
}

TEST(Baseline, ALargerRegionIsWorse) {
    const auto crossing = [](Clash& c) { c.kind = Kind::Crossing, c.measures.depth = 0.01; };
    const auto extent = [](double to) { return [=](Clash& c) { c.extent = to; }; };
    const auto depth = [](double to) { return [=](Clash& c) { c.measures.depth = to; }; };
    EXPECT_EQ(after(crossing, extent(0.54)).state, State::Persistent);
    EXPECT_EQ(after(crossing, extent(0.1)).state, State::Persistent);
    EXPECT_EQ(after(crossing, extent(0.56)).state, State::Worse);
    EXPECT_EQ(after(crossing, extent(0.56)).note, "extent was 0.5, is 0.56");
    EXPECT_EQ(after(crossing, extent(0.54), {.worse_by = 0.03}).state, State::Worse);
    EXPECT_EQ(after(crossing, extent(5), {.worse_by = 10}).state, State::Persistent);
    EXPECT_EQ(after(crossing, depth(0.019)).state, State::Persistent);
    EXPECT_EQ(after(crossing, depth(0.03)).state, State::Worse);
    EXPECT_EQ(after(crossing, depth(0.03)).note, "depth was 0.01, is 0.03");
    EXPECT_EQ(after(crossing, [](Clash& c) { c.measures.depth.reset(); }).state, State::Persistent);
    // A single point that becomes a region counts, but rounding does not.
    EXPECT_EQ(after(extent(0), extent(1e-9)).state, State::Persistent);
    EXPECT_EQ(after(extent(0), extent(1e-3)).state, State::Worse);
}

TEST(Baseline, PartsThatComeCloserAreWorse) {
    const auto apart = [](double by) {
        return [=](Clash& c) {
            c.kind = Kind::Clearance;
            c.closest = Closest{by, {0, 0, 0}, {by, 0, 0}};
            c.extent = by;
        };
    };
    EXPECT_EQ(after(apart(2), apart(1.81)).state, State::Persistent);
    EXPECT_EQ(after(apart(2), apart(1.79)).state, State::Worse);
    EXPECT_EQ(after(apart(2), apart(1.79)).note, "distance was 2, is 1.79");
    EXPECT_EQ(after(apart(2), apart(3)).state, State::Persistent);
    EXPECT_EQ(after(apart(2), apart(1.79), {.worse_by = 0.5}).state, State::Persistent);
    const Clash touching = after(apart(2), [](Clash& c) { c.kind = Kind::Touching, c.closest.reset(); });
    EXPECT_EQ(touching.state, State::Worse);
    EXPECT_EQ(touching.note, "was clearance, is touching");
    const Clash better = after([](Clash&) {}, apart(2));
    EXPECT_EQ(better.state, State::Persistent);
    EXPECT_EQ(better.note, "before: touching");
}

TEST(Baseline, PartsThatMayBeCloseNowAreNotResolved) {
    Example example;
    Clash& clash = example.clashes.clashes[1];
    clash.kind = Kind::Clearance;
    clash.closest = Closest{2, {0, 0, 0}, {2, 0, 0}};
    const auto baseline = parse_baseline(to_json(example.run()), "last.json");
    ASSERT_TRUE(baseline);
    EXPECT_EQ(baseline->clashes[1].distance, 2);
    const auto resolved = [&](const CompareSettings& settings) {
        example.clashes = {};
        compare(example.parts, *baseline, example.clashes, settings);
        return example.clashes.resolved.size();
    };
    EXPECT_EQ(resolved({}), 1u);
    EXPECT_EQ(resolved({.clearance = 1}), 1u);
    EXPECT_EQ(resolved({.clearance = 2}), 2u);
    EXPECT_EQ(resolved({.clearance = 2, .rules = *parse_rules("clearance: * * 0", "rules.txt")}), 1u);
}

/// Every format has the kind, the distance and the points.
TEST(Formats, PartsThatAreTooClose) {
    Example example;
    Clash& clash = example.clashes.clashes[1];
    clash.kind = Kind::Clearance;
    clash.contacts = 0;
    clash.closest = Closest{0.1, {1, 2, 3}, {1, 2, 3.1}};
    clash.low = clash.closest->point_a, clash.high = clash.closest->point_b;
    const Json json = Json::parse(to_json(example.run()));
    EXPECT_EQ(json["clashes"][1]["kind"], "clearance");
    EXPECT_EQ(json["clashes"][1]["distance"], 0.1);
    EXPECT_EQ(json["clashes"][1]["point_b"], (Json{1, 2, 3.1}));
    EXPECT_FALSE(json["clashes"][0].contains("distance"));
    EXPECT_EQ(json["summary"]["kinds"]["clearance"], 1);
    const auto rows = rows_of(to_csv(example.run()));
    EXPECT_EQ(rows[2][1], "clearance");
    EXPECT_EQ((std::vector(rows[2].begin() + 20, rows[2].begin() + 27)),
              (std::vector<std::string>{"0.1", "1", "2", "3", "1", "2", "3.1"}));
    EXPECT_EQ(rows[1][20], "");
    EXPECT_NE(to_junit(example.run()).find("message=\"clearance: 0.1 apart, around (1, 2, 3.05)\""), std::string::npos)
        << to_junit(example.run());
    const auto bcf = to_bcf(example.run());
    ASSERT_TRUE(bcf);
    const auto read = parse_baseline((*bcf)[0], "last.bcfzip");
    ASSERT_TRUE(read);
    ASSERT_EQ(read->clashes.size(), 2u);
    EXPECT_EQ(read->clashes[1].kind, Kind::Clearance);
}

TEST(Baseline, OldFilesHaveKindsOnly) {
    Example example;
    const std::string old = R"({"clashes": [{"a": "frame/bolt", "b": "house/)" + ifc + R"(", "kind": "touching"}]})";
    const auto baseline = parse_baseline(old, "old.json");
    ASSERT_TRUE(baseline);
    Clash& clash = example.clashes.clashes[0];
    clash.b = 2;
    clash.kind = Kind::Touching;
    clash.extent = 100;
    compare(example.parts, *baseline, example.clashes);
    EXPECT_EQ(clash.state, State::Persistent);
    clash.kind = Kind::Inside;
    compare(example.parts, *baseline, example.clashes);
    EXPECT_EQ(clash.state, State::Worse);
}

TEST(Baseline, OldFilesCallTheDepthThickness) {
    const auto depth_in = [](const std::string& fields) {
        const auto baseline =
            parse_baseline(R"({"clashes": [{"a": "x", "b": "y", "kind": "crossing", )" + fields + "}]}", "old.json");
        EXPECT_TRUE(baseline);
        return baseline->clashes[0].depth;
    };
    EXPECT_EQ(depth_in(R"("thickness": 0.5)"), 0.5);
    EXPECT_EQ(depth_in(R"("depth": 0.25, "thickness": 0.5)"), 0.25);
    EXPECT_EQ(depth_in(R"("depth": null)"), std::nullopt);
}

TEST(Baseline, FitsAreNoClashes) {
    Example example;
    Example fits;
    fits.clashes.fits = {fits.clashes.clashes[0]};
    fits.clashes.fits[0].kind = Kind::Fit;
    fits.clashes.clashes.erase(fits.clashes.clashes.begin());
    // A clash that is only a fit now is resolved.
    compare(fits.parts, *parse_baseline(to_json(example.run()), "last.json"), fits.clashes);
    EXPECT_EQ(fits.clashes.count(State::Persistent), 1u);
    ASSERT_EQ(fits.clashes.resolved.size(), 1u);
    EXPECT_EQ(fits.clashes.resolved[0].kind, Kind::Crossing);
    EXPECT_EQ(fits.clashes.fits[0].state, State::None);
    // A fit that has become a clash is new, because the list of fits is not compared.
    fits.clashes.resolved.clear();
    compare(example.parts, *parse_baseline(to_json(fits.run()), "last.json"), example.clashes);
    EXPECT_EQ(example.clashes.clashes[0].state, State::New);
    EXPECT_EQ(example.clashes.clashes[1].state, State::Persistent);
    // Where fits were clashes, one that crosses now is worse, and one that is a fit still is not resolved.
    Example strict;
    strict.clashes.clashes[0].kind = Kind::Fit;
    const Baseline before = *parse_baseline(to_json(strict.run()), "last.json");
    compare(example.parts, before, example.clashes);
    EXPECT_EQ(example.clashes.clashes[0].state, State::Worse);
    EXPECT_EQ(example.clashes.clashes[0].note, "look, \"here\"; was fit, is crossing");
    compare(fits.parts, before, fits.clashes);
    EXPECT_TRUE(fits.clashes.resolved.empty());
}

/// Every format has the measures, and no format takes a fit for a clash.
TEST(Formats, FitsAndMeasures) {
    Example example;
    example.with_fit_and_measures();
    example.parts.parts[1].labels.type = "IfcWall";
    example.clashes.clashes[0].review = {.priority = "Major", .due = "2026-12-31"};
    const Json json = Json::parse(to_json(example.run()));
    const Json &measured = json["clashes"][0], &other = json["clashes"][1];
    EXPECT_EQ(measured["depth"], 0.25);
    EXPECT_EQ(measured["volume"], 0.5);
    EXPECT_EQ(measured["translation"], (Json{0.0, -1.5, 0.125}));
    EXPECT_EQ(measured["exact"], "crossing");
    for (const char* unknown : {"depth", "volume", "translation"}) EXPECT_TRUE(other[unknown].is_null()) << unknown;
    ASSERT_EQ(json["fits"].size(), 1u);
    EXPECT_EQ(json["fits"][0]["kind"], "fit");
    EXPECT_EQ(json["fits"][0]["exact"], "crossing");
    EXPECT_EQ(json["fits"][0]["band"], 0.001);
    EXPECT_EQ(json["fits"][0]["contacts"], 5);
    for (const char* noise : {"state", "review", "cause"}) EXPECT_FALSE(json["fits"][0].contains(noise)) << noise;
    EXPECT_EQ(json["summary"]["clashes"], 2);
    EXPECT_EQ(json["summary"]["fits"], 1);
    EXPECT_EQ(json["summary"]["kinds"]["fit"], 0);
    EXPECT_EQ(json["summary"]["measured"], 1);

    example.with_baseline();
    const auto rows = rows_of(to_csv(example.run()));
    ASSERT_EQ(rows.size(), 5u);
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
    EXPECT_EQ(rows[0][11], "depth");
    EXPECT_EQ((std::vector(rows[0].begin() + 27, rows[0].end())),
              (std::vector<std::string>{"volume", "tx", "ty", "tz", "exact", "band", "id_a", "id_b", "type_a", "type_b",
                                        "priority", "due"}));
    EXPECT_EQ(rows[1][11], "0.25");
    EXPECT_EQ((std::vector(rows[1].begin() + 27, rows[1].end())),
              (std::vector<std::string>{"0.5", "0", "-1.5", "0.125", "crossing", "0", "3f$x", "", "", "IfcWall",
                                        "Major", "2026-12-31"}));
    EXPECT_EQ((std::vector(rows[3].begin() + 27, rows[3].end())),
              (std::vector<std::string>{"", "", "", "", "crossing", "0.001", "3f$x", "", "", "", "", ""}));
    EXPECT_EQ(rows[3][1], "fit");
    EXPECT_EQ(rows[4][2], "resolved");

    tinyxml2::XMLDocument junit;
    ASSERT_EQ(junit.Parse(to_junit(example.run()).c_str()), tinyxml2::XML_SUCCESS);
    const XMLElement* suite = junit.RootElement()->FirstChildElement();
    EXPECT_EQ(suite->IntAttribute("tests"), 3);
    EXPECT_EQ(suite->IntAttribute("failures"), 1);
    const XMLElement* properties = suite->FirstChildElement();
    EXPECT_STREQ(properties->Name(), "properties");
    EXPECT_STREQ(properties->FirstChildElement()->Attribute("name"), "fits");
    EXPECT_EQ(properties->FirstChildElement()->IntAttribute("value"), 1);

    const auto bcf = to_bcf(example.run());
    ASSERT_TRUE(bcf);
    const auto read = parse_baseline((*bcf)[0], "last.bcfzip");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->clashes.size(), 2u);
    // Unless fits are clashes.
    std::swap(example.clashes.clashes, example.clashes.fits);
    const auto strict = to_bcf(example.run());
    ASSERT_TRUE(strict);
    const auto back = parse_baseline((*strict)[0], "last.bcfzip");
    ASSERT_EQ(back->clashes.size(), 1u);
    EXPECT_EQ(back->clashes[0].kind, Kind::Fit);
}

TEST(Formats, MeasuresInWords) {
    Clash clash;
    EXPECT_EQ(more_in_words(clash, "b"), "");
    clash.measures.depth = 0.25;
    EXPECT_EQ(more_in_words(clash, "b"), "Depth 0.25");
    clash.measures = {0.25, 0.5, Vec3{0, -1.5, 0.125}};
    EXPECT_EQ(more_in_words(clash, "the lid"), "Depth 0.25, volume 0.5, move the lid by (0, -1.5, 0.125) to clear it");
    clash = {};
    clash.kind = Kind::Fit;
    clash.band = 0.001;
    EXPECT_EQ(more_in_words(clash, "b"), "By their triangles crossing, which are accurate to 0.001");
}

TEST(Baseline, NewAndResolved) {
    Example example;
    Baseline baseline;
    baseline.has_clashes = true;
    baseline.clashes = {{"x", "y", Kind::Inside},
                        {"house/" + ifc, "frame/bolt", Kind::Crossing},  // ignored by a rule
                        {"y", "x", Kind::Inside}};
    compare(example.parts, baseline, example.clashes);
    EXPECT_EQ(example.clashes.count(State::New), 2u);
    EXPECT_TRUE(example.clashes.resolved.empty());
    ASSERT_EQ(example.clashes.gone.size(), 1u);
    EXPECT_EQ(example.clashes.gone[0].state, State::PartGone);
    EXPECT_EQ(std::set({example.clashes.gone[0].a, example.clashes.gone[0].b}), (std::set<std::string>{"x", "y"}));
}

/// Parts of the files of a folder, `plant/arch.ifc` with a wall and a beam, and `plant/mep.ifc` with a duct, each with
/// a GlobalId; a clash of wall and duct, and one of wall and beam.
struct TwoFiles {
    Parts parts;
    Clashes clashes;

    TwoFiles() {
        parts.models = {triangle()};
        parts.files = {{"x/plant/arch.ifc", {"IFC", 1, 'z'}}, {"x/plant/mep.ifc", {"IFC", 1, 'z'}}};
        parts.file_names = {"plant/arch.ifc", "plant/mep.ifc"};
        parts.folders = {"plant"};
        add("arch/wall", "wall-id", 0);
        add("arch/beam", "beam-id", 0);
        add("mep/duct", "duct-id", 1);
        clashes.clashes.resize(2);
        clashes.clashes[0].a = 0, clashes.clashes[0].b = 1;
        clashes.clashes[1].a = 0, clashes.clashes[1].b = 2;
        clashes.clashes[1].kind = clashes.clashes[1].exact = Kind::Inside;
        clashes.clashes[1].note = "mep/duct is inside";
    }
    void add(const std::string& path, const std::string& id, std::uint32_t file) {
        Part& part = parts.parts.emplace_back(Part{path, 0, {}});
        part.labels.id = id;
        part.file = file;
    }
    std::string json() const {
        const std::vector<Rule> rules;
        return to_json({parts, clashes, rules, "plant"});
    }
    Baseline baseline() const { return *parse_baseline(json(), "last.json"); }
    /// Parts that are left are the first ones, and nothing clashes.
    void keep(std::size_t count) {
        parts.parts.resize(count);
        clashes = {};
    }
    /// The fates of the clashes of the baseline: state, and why.
    std::vector<std::string> fates(const Baseline& baseline) {
        compare(parts, baseline, clashes);
        std::vector<std::string> out;
        for (const std::vector<Gone>* list : {&clashes.resolved, &clashes.gone})
            for (const Gone& one : *list)
                out.push_back(one.b + " " + name(one.state) + (one.why.empty() ? "" : ": ") + one.why);
        return out;
    }
};
using Texts = std::vector<std::string>;

TEST(Baseline, FilesThatAreNotThereAreNotResolved) {
    const Baseline before = TwoFiles().baseline();
    // Both parts are there, and do not clash any more.
    TwoFiles resolved;
    resolved.clashes = {};
    EXPECT_EQ(resolved.fates(before), (Texts{"arch/beam resolved", "mep/duct resolved"}));
    // The folder was read, and the file is not in it any more.
    TwoFiles deleted;
    deleted.keep(2);
    deleted.parts.files.pop_back();
    deleted.parts.file_names.pop_back();
    EXPECT_EQ(deleted.fates(before),
              (Texts{"arch/beam resolved", "mep/duct part gone: there is no plant/mep.ifc any more"}));
    // Fewer files were given.
    TwoFiles fewer = deleted;
    fewer.parts.folders = {};
    fewer.parts.file_names = {"arch.ifc"};
    EXPECT_EQ(fewer.fates(before),
              (Texts{"arch/beam resolved", "mep/duct not checked: plant/mep.ifc is not among the files of this run"}));
    // Alone, a file does not begin the paths of its parts.
    TwoFiles alone = fewer;
    alone.parts.parts[0].path = "wall", alone.parts.parts[1].path = "beam";
    for (Part& part : alone.parts.parts) part.labels.id = "";
    EXPECT_EQ(alone.fates(before), fewer.fates(before));
    // The file cannot be read.
    TwoFiles unreadable = deleted;
    unreadable.parts.left_out = {{"y/plant/mep.ifc", "", "", "y/plant/mep.ifc:3: damaged"}};
    EXPECT_EQ(unreadable.fates(before),
              (Texts{"arch/beam resolved", "mep/duct not checked: y/plant/mep.ifc was not read"}));
}

TEST(Baseline, PartsThatAreNotInTheirFileAreGoneOrNotChecked) {
    const Baseline before = TwoFiles().baseline();
    TwoFiles gone;
    gone.keep(2);
    EXPECT_EQ(gone.fates(before),
              (Texts{"arch/beam resolved", "mep/duct part gone: duct is no longer in plant/mep.ifc"}));
    TwoFiles unmeshed = gone;
    unmeshed.parts.left_out = {{"x/plant/mep.ifc", "mep/renamed", "duct-id", "x/plant/mep.ifc: no shape"}};
    EXPECT_EQ(unmeshed.fates(before)[1],
              "mep/duct not checked: duct has no triangles, and is left out of x/plant/mep.ifc");
    // A clash between a part that is gone and one that was not read is gone.
    TwoFiles both = unmeshed;
    both.parts.parts.erase(both.parts.parts.begin());
    EXPECT_EQ(both.fates(before), (Texts{"arch/beam part gone: wall is no longer in plant/arch.ifc",
                                         "mep/duct part gone: wall is no longer in plant/arch.ifc"}));
    // Older baselines do not name files: a path that begins with the name of one tells.
    Baseline old = before;
    for (Gone& one : old.clashes) one.file_a = one.file_b = "";
    EXPECT_EQ(gone.fates(old), gone.fates(before));
    gone.parts.file_names = {"plant/arch.ifc"};
    EXPECT_EQ(gone.fates(old)[1], "mep/duct not checked: the baseline does not say which file duct is from");
}

TEST(Baseline, AStoppedCheckAndOpenPartsResolveNothing) {
    const Baseline before = TwoFiles().baseline();
    TwoFiles stopped;
    stopped.clashes = {};
    stopped.clashes.unchecked = 1;
    EXPECT_EQ(stopped.fates(before),
              (Texts{"arch/beam not checked: the check was stopped", "mep/duct not checked: the check was stopped"}));
    // The beam was read in part.
    TwoFiles partly;
    partly.clashes = {};
    partly.parts.left_out = {{"x/plant/arch.ifc", "arch/beam", "beam-id", "x/plant/arch.ifc: no shape", true}};
    EXPECT_EQ(partly.fates(before),
              (Texts{"mep/duct resolved", "arch/beam not checked: arch/beam was not read whole"}));
    const Ledger checked = ledger_of(partly.parts, partly.clashes, {});
    EXPECT_EQ(checked.left_out, 1u);
    EXPECT_EQ(checked.meshed + checked.unmeshed, 3u) << "nothing counts twice";
    // The duct was inside the wall, which holds nothing once it is open. Whether the duct is open does not matter.
    TwoFiles open;
    open.clashes = {};
    open.clashes.open = {2};
    EXPECT_EQ(open.fates(before), (Texts{"arch/beam resolved", "mep/duct resolved"}));
    open.clashes.open = {0};
    EXPECT_EQ(
        open.fates(before),
        (Texts{"arch/beam resolved", "mep/duct not checked: arch/wall is open now, and nothing is found inside it"}));
}

TEST(Baseline, GlobalIdsOutliveRenames) {
    TwoFiles first;
    first.clashes.clashes[1].review = {"accepted", "Ann", ""};
    const Baseline before = first.baseline();
    const std::string id = guid("arch/wall", "mep/duct");
    TwoFiles renamed;
    renamed.parts.parts[0].path = "arch/North wall";
    EXPECT_EQ(renamed.fates(before), Texts{});
    EXPECT_EQ(renamed.clashes.count(State::Persistent), 2u);
    EXPECT_EQ(renamed.clashes.clashes[1].review.assignee, "Ann");
    EXPECT_NE(renamed.json().find("\"id\":\"" + id), std::string::npos) << "the topic stays the same";
    // A new part with the old name is another part.
    TwoFiles swapped = renamed;
    swapped.add("arch/wall", "new-id", 0);
    swapped.clashes.clashes[0].a = 1, swapped.clashes.clashes[0].b = 3;
    EXPECT_EQ(swapped.fates(before), Texts{"arch/beam resolved"});
    EXPECT_EQ(swapped.clashes.clashes[0].state, State::New);
    // When all GlobalIds are new, the program made them anew, and names decide.
    TwoFiles anew;
    for (Part& part : anew.parts.parts) part.labels.id += "-2";
    EXPECT_EQ(anew.fates(before), Texts{});
    EXPECT_EQ(anew.clashes.count(State::Persistent), 2u);
}

/// The files of a project may each have the site, with one GlobalId.
TEST(Baseline, PartsOfSeveralFilesWithOneGlobalIdAreNotTakenForEachOther) {
    TwoFiles first;
    first.add("mep/wall", "wall-id", 1);
    first.clashes.clashes[0].a = 0, first.clashes.clashes[0].b = 3;
    first.clashes.clashes[1].a = 2, first.clashes.clashes[1].b = 3;
    const Baseline before = first.baseline();
    TwoFiles same = first;
    EXPECT_EQ(same.fates(before), Texts{});
    // The file of the ducts is not there, and the wall of the other file is not that of the ducts.
    TwoFiles fewer = first;
    fewer.keep(2);
    fewer.parts.file_names = {"arch.ifc"}, fewer.parts.folders = {};
    fewer.parts.files.pop_back();
    fewer.parts.parts[0].path = "wall", fewer.parts.parts[1].path = "duct";
    fewer.parts.parts[1].labels.id = "duct-id";
    const std::string why = " not checked: plant/mep.ifc is not among the files of this run";
    EXPECT_EQ(fewer.fates(before), (Texts{"mep/wall" + why, "mep/wall" + why}));
}

/// A tool has dropped the viewpoint, so that only the topic's id tells the parts.
TEST(Baseline, ATopicWithoutItsPartsIsResolvedWhenItIsAFitNow) {
    Example example;
    Baseline before;
    before.has_clashes = true;
    before.clashes = {{"Crossing: bolt and house", "", Kind::Crossing}};
    before.clashes[0].id = guid(example.parts.parts[0].path, example.parts.parts[2].path);
    example.with_fit_and_measures();
    compare(example.parts, before, example.clashes);
    EXPECT_EQ(example.clashes.resolved.size(), 1u);
    EXPECT_TRUE(example.clashes.gone.empty());
}

TEST(Baseline, WhatWasNotCheckedIsToldAgain) {
    TwoFiles fewer;
    fewer.keep(2);
    fewer.parts.file_names = {"arch.ifc"}, fewer.parts.folders = {};
    fewer.parts.files.pop_back();
    ASSERT_EQ(fewer.fates(TwoFiles().baseline()).size(), 2u);
    EXPECT_EQ(fewer.clashes.count(State::NotChecked), 1u);
    // The next run has both files again: the clash is not new.
    TwoFiles again;
    EXPECT_EQ(again.fates(fewer.baseline()), Texts{});
    EXPECT_EQ(again.clashes.clashes[1].state, State::Persistent);
    const Json json = Json::parse(fewer.json());
    ASSERT_EQ(json["not_checked"].size(), 1u);
    EXPECT_EQ(json["not_checked"][0]["why"], "plant/mep.ifc is not among the files of this run");
    EXPECT_EQ(json["summary"]["states"]["not_checked"], 1);
    const std::vector<Rule> rules;
    const ClashRun run{fewer.parts, fewer.clashes, rules, "plant"};
    EXPECT_EQ(rows_of(to_csv(run)).back()[2], "not checked");
    EXPECT_NE(to_junit(run).find("errors=\"1\""), std::string::npos) << to_junit(run);
    EXPECT_NE(to_junit(run).find("<error message=\"plant/mep.ifc is not among"), std::string::npos);
}

/// A file that was not read, a product without triangles, an open part, and files with and without a unit.
TEST(Ledger, EachGapIsSaidInJsonAndJUnit) {
    TwoFiles two;
    two.clashes.open = {1};
    two.clashes.ignored = {{1, 2, 0}};
    two.parts.left_out = {
        {"x/plant/cut.ifc", "", "", "x/plant/cut.ifc:1: damaged"},
        {"x/plant/mep.ifc", "mep/fan", "fan-id", "x/plant/mep.ifc: 'mep/fan' (fan-id): no triangles"}};
    two.parts.parts[2].error = 1e-3;
    const std::vector<Rule> rules{{"a", "b", "glued"}};
    const auto run = [&](bool everything) {
        return ClashRun{two.parts, two.clashes, rules, "plant",
                        ledger_of(two.parts, two.clashes, {}, {.tolerance = 0.5, .everything = everything})};
    };
    const Json json = Json::parse(to_json(run(false))), &checked = json["checked"];
    EXPECT_EQ(checked["files"], 2);
    EXPECT_EQ(checked["parts"], (Json{{"read", 4}, {"meshed", 3}, {"open", 1}, {"simplified", 1}}));
    EXPECT_EQ(checked["left_out"], 2);
    EXPECT_EQ(checked["pairs"]["all"], 3);
    EXPECT_EQ(checked["pairs"]["asked"], 2);
    EXPECT_EQ(checked["pairs"]["not_asked"], (Json::array({{{"reason", "ignored by rules"}, {"pairs", 1}}})));
    EXPECT_EQ(checked["accuracy"], (Json{{"least_error", 0.0}, {"error", 1e-3}, {"source", "files"}}));
    EXPECT_EQ(checked["tolerance"], (Json{{"length", 0.5}, {"source", "given"}}));
    EXPECT_EQ(checked["open_parts"], (Json{"arch/beam"}));
    EXPECT_EQ(checked["gaps"],
              (Json{"2 files or parts are left out", "1 part is open, and nothing is found inside it: beam"}));
    EXPECT_EQ(json["left_out"][1], (Json{{"file", "x/plant/mep.ifc"},
                                         {"product", "mep/fan"},
                                         {"id", "fan-id"},
                                         {"reason", "x/plant/mep.ifc: 'mep/fan' (fan-id): no triangles"}}));

    const auto suite_of = [](tinyxml2::XMLDocument& document, const std::string& xml) {
        EXPECT_EQ(document.Parse(xml.c_str()), tinyxml2::XML_SUCCESS);
        return document.RootElement()->FirstChildElement();
    };
    tinyxml2::XMLDocument plain, strict;
    const XMLElement* suite = suite_of(plain, to_junit(run(false)));
    EXPECT_EQ(suite->IntAttribute("errors"), 2);
    std::map<std::string, std::string> properties;
    for (const XMLElement* one = suite->FirstChildElement("properties")->FirstChildElement(); one != nullptr;
         one = one->NextSiblingElement())
        properties[one->Attribute("name")] = one->Attribute("value");
    EXPECT_EQ(properties["parts read"], "4");
    EXPECT_EQ(properties["open parts"], "1");
    EXPECT_EQ(properties["left out"], "2");
    EXPECT_EQ(properties["pairs checked"], "2");
    EXPECT_EQ(properties["tolerance"], "0.5");
    // With --require everything the open part is an error too.
    EXPECT_EQ(suite_of(strict, to_junit(run(true)))->IntAttribute("errors"), 3);

    two.parts.files[1].conventions = {"STL", 0, 0};
    const Json unlike = Json::parse(to_json(run(false)));
    EXPECT_EQ(unlike["checked"]["gaps"][2],
              "x/plant/arch.ifc is in metres with z up, x/plant/mep.ifc states neither unit nor up axis: they are "
              "compared as they are");
    two.parts.files[0].conventions = two.parts.files[1].conventions;
    EXPECT_EQ(Json::parse(to_json(run(false)))["checked"]["gaps"][2], "none of the 2 files states its unit");
    two.clashes.unchecked = 1;
    EXPECT_EQ(Json::parse(to_json(run(false)))["checked"]["gaps"][1],
              "1 pair not reached before the check was stopped");
    EXPECT_NE(to_junit(run(false)).find("<error message=\"1 pair not reached"), std::string::npos);
}

TEST(Ledger, PairsThatNobodyChoseAreCounted) {
    TwoFiles two;
    const auto checked = [&](const char* between) {
        const Rules rules = *parse_rules(between, "rules.txt");
        return ledger_of(two.parts, two.clashes, rules).asked();
    };
    EXPECT_EQ(checked(""), 3u);
    EXPECT_EQ(checked("between: duct wall"), 1u);
    EXPECT_EQ(checked("between: * duct"), 2u);
    EXPECT_EQ(checked("between: duct *\nbetween: wall beam"), 3u);
    EXPECT_EQ(checked("between: arch/* arch/*"), 1u);
}

TEST(Baseline, PairsThatWereNotToBeCheckedAreNotResolved) {
    Example example;
    const auto baseline = parse_baseline(to_json(example.run()), "last.json");
    example.clashes = {};
    compare(example.parts, *baseline, example.clashes, {.rules = *parse_rules("between: bolt *", "rules.txt")});
    EXPECT_EQ(example.clashes.resolved.size(), 1u);
    compare(example.parts, *baseline, example.clashes);
    EXPECT_EQ(example.clashes.resolved.size(), 2u);
}

TEST(Baseline, ReviewsComeBack) {
    Example example;
    example.clashes.clashes[0].review = {"accepted", "Ann", "by design, \"really\"", "Critical", "2027-01-31"};
    Baseline all = *parse_baseline(to_json(example.run()), "last.json");
    const std::string id = guid_of(example.run(), example.clashes.clashes[1]);
    const auto page = parse_baseline(R"({"reviews": [{"id": ")" + id + R"(", "status": "fixed", "kind": "touching"},
        {"a": "other", "b": "frame/bolt", "comment": "?"}]})",
                                     "page.json");
    ASSERT_TRUE(page) << page.fault().message;
    EXPECT_FALSE(page->has_clashes);
    all.add(*page);
    Example again;
    compare(again.parts, all, again.clashes);
    EXPECT_EQ(again.clashes.clashes[0].review, example.clashes.clashes[0].review);
    EXPECT_EQ(again.clashes.clashes[1].review, (Review{"fixed", "", ""}));
    EXPECT_EQ(again.clashes.count(State::Persistent), 2u);
    // Reviews alone are no earlier run.
    Example alone;
    compare(alone.parts, *page, alone.clashes);
    EXPECT_EQ(alone.clashes.clashes[1].review.status, "fixed");
    EXPECT_EQ(alone.clashes.count(State::None), 2u);
    EXPECT_EQ(parse_baseline(R"({"reviews": [{"id": 3}]})", "page.json").fault().message,
              "page.json: review 1 has neither \"id\" nor \"a\" and \"b\"");
    for (const std::string day :
         {"tomorrow", "2026-2-3", "2026-02-30", "2026-13-01", "2026-12-31T00:00:00Z", "12026-01-01"})
        EXPECT_EQ(parse_baseline(R"({"reviews": [{"id": "x", "due": ")" + day + "\"}]}", "page.json").fault().message,
                  "page.json: review 1 has a \"due\" that is not a day such as 2026-12-31: '" + day + "'");
}

TEST(Baseline, FaultsNameThePlace) {
    const auto fault = [](const std::string& text) {
        const auto baseline = parse_baseline(text, "last.json");
        return baseline ? "no fault" : baseline.fault().message;
    };
    const std::string good = R"({"a": "x", "b": "y", "kind": "crossing"})";
    EXPECT_EQ(fault("{\"clashes\": [" + good + "]}"), "no fault");
    EXPECT_EQ(fault("{\"clashes\": [" + good + ",\n" + good + ", {\"b\": \"y\"}]}"), "last.json: clash 3 has no \"a\"");
    EXPECT_EQ(fault(R"({"clashes": [{"a": 1, "b": "y"}]})"), "last.json: clash 1 has no \"a\"");
    EXPECT_EQ(fault(R"({"clashes": [{"a": "x", "b": null}]})"), "last.json: clash 1 has no \"b\"");
    EXPECT_EQ(fault(R"({"clashes": [{"a": "x", "b": "y", "kind": "odd"}]})"),
              "last.json: clash 1 has no \"kind\" that is known");
    EXPECT_EQ(fault(R"({"clashes": [7]})"), "last.json: clash 1 is not an object");
    EXPECT_EQ(fault(""), "last.json:1: this is not JSON");
    EXPECT_EQ(fault("{\n\"clashes\": [\n}"), "last.json:3: this is not JSON");
    EXPECT_EQ(fault("{\"clashes\": [\"\xff\"]}"), "last.json:1: this is not JSON");
    EXPECT_EQ(fault("{\"clashes\": [1e999]}"), "last.json:1: this is not JSON");
    for (const char* other : {"[]", "{}", "3", "null", "\"clashes\"", R"({"clashes": {}})", R"({"clashes": 3})"})
        EXPECT_EQ(fault(other),
                  "last.json: this is not what graze clash --json writes: it has neither \"clashes\" nor \"reviews\"")
            << other;
    EXPECT_EQ(fault(std::string(5'000'000, '[')), "last.json: nested too deeply");
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"clashes\":";
    EXPECT_EQ(fault(objects), "last.json: nested too deeply");
    EXPECT_EQ(fault(R"({"clashes": [{"state": "resolved"}]})"), "no fault");
}

TEST(Baseline, SurvivesDamage) {
    Example example;
    example.with_baseline();
    const std::string whole = to_json(example.run());
    for (std::size_t n = 0; n + 2 < whole.size(); ++n) EXPECT_FALSE(parse_baseline(whole.substr(0, n), "x")) << n;
    for (std::size_t n = 0; n < whole.size(); ++n) {
        for (const char c : {'\0', '"', '{', ']', '9', '\xff'}) {
            std::string damaged = whole;
            damaged[n] = c;
            const auto baseline = parse_baseline(damaged, "x");
            EXPECT_TRUE(baseline || baseline.fault().message.find('\n') == std::string::npos);
        }
    }
}

TEST(Csv, RowsAndNoFormulas) {
    Example example;
    example.with_baseline();
    const auto rows = rows_of(to_csv(example.run()));
    ASSERT_EQ(rows.size(), 4u);
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
    EXPECT_EQ(rows[0][0], "id");
    EXPECT_EQ(rows[1][1], "crossing");
    EXPECT_EQ(rows[1][2], "new");
    EXPECT_EQ(rows[1][3], "frame/bolt");
    EXPECT_EQ(rows[1][4], "'" + as_utf8(nasty));
    EXPECT_EQ(rows[1][5], "12");
    EXPECT_EQ(std::stod(rows[1][6]), 0.2);
    EXPECT_EQ(rows[1][9], "look, \"here\"");
    EXPECT_EQ(rows[3][2], "resolved");
    EXPECT_EQ(rows[3][3], "gone \xef\xbf\xbd");
    EXPECT_EQ(rows[3][5], "");
    EXPECT_EQ(rows[0][19], "comment");
    EXPECT_EQ(rows[0][20], "distance");
    // Numbers below zero are numbers.
    example.clashes.clashes[1].low = example.clashes.clashes[1].high = {-1, -2, -3};
    EXPECT_EQ(rows_of(to_csv(example.run()))[2][6], "-1");
}

TEST(Csv, SaysWhatJsonSays) {
    Example example;
    example.with_fit_and_measures();
    example.clashes.causes = {"a, \"cause\""};
    example.clashes.clashes[0].cause = 1;
    example.clashes.clashes[0].thin = true;
    example.clashes.clashes[0].measures.depth_at_most = 0.375;
    example.clashes.clashes[1].closest = Closest{0.1, {1, 2, 3}, {1, 2, 3.1}};
    const auto rows = rows_of(to_csv(example.run()));
    const Json json = Json::parse(to_json(example.run()));
    const auto text_of = [](const Json& value) {
        return value.is_null()     ? ""
               : value.is_string() ? value.get<std::string>()
                                   : fmt::format("{}", value.get<double>());
    };
    std::set<std::string> members, headers, fields;
    for (const ClashColumn& column : clash_columns()) {
        SCOPED_TRACE(column.csv ? column.csv : column.json);
        if (column.json) EXPECT_TRUE(members.insert(column.json).second);
        if (column.csv) EXPECT_TRUE(headers.insert(column.csv).second);
        if (column.python) EXPECT_TRUE(fields.insert(column.python).second);
        if (!column.json || !column.csv) continue;
        const std::string header = column.csv;
        const auto first = std::ranges::find(rows[0], header.substr(0, header.find(',')));
        ASSERT_NE(first, rows[0].end());
        const auto at = static_cast<std::size_t>(first - rows[0].begin());
        for (std::size_t i = 0; i < 3; ++i) {
            const Json& entry = i < 2 ? json["clashes"][i] : json["fits"][0];
            const auto member = entry.find(column.json);
            if (member == entry.end()) {
                EXPECT_EQ(rows[i + 1][at], "");
            } else if (member->is_array()) {
                for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(rows[i + 1][at + k], text_of((*member)[k]));
            } else if (member->is_boolean()) {
                EXPECT_EQ(rows[i + 1][at], *member ? header : "");
            } else {
                // A name that would be a formula has an apostrophe in CSV.
                const std::string& cell = rows[i + 1][at];
                EXPECT_EQ(cell.starts_with("'=") ? cell.substr(1) : cell, text_of(*member));
            }
        }
    }
    for (const auto& entry : json["clashes"])
        for (const auto& [key, value] : entry.items())
            EXPECT_TRUE(members.contains(key) || key.starts_with("labels_")) << key;
}

TEST(Guid, FollowsFromThePaths) {
    EXPECT_EQ(guid("a", "b"), guid("b", "a"));
    EXPECT_NE(guid("a", "b"), guid("a", "c"));
    EXPECT_NE(guid("ab", "c"), guid("a", "bc"));
    EXPECT_NE(guid("a", "b"), guid("a", "b", "viewpoint"));
    EXPECT_EQ(guid("a", "b"), "3550aade-793d-5c12-8387-72892461f1b1") << "baselines and BCF servers hold these ids";
    std::map<std::string, int> seen;
    for (int i = 0; i < 300; ++i)
        for (int k = 0; k < i; ++k) ++seen[guid("part-" + std::to_string(i), "part-" + std::to_string(k))];
    EXPECT_EQ(seen.size(), 300u * 299 / 2);
}

/// Well-formed, and the root is called so.
void parse(tinyxml2::XMLDocument& document, const std::string& text, const char* root) {
    ASSERT_EQ(document.Parse(text.data(), text.size()), tinyxml2::XML_SUCCESS) << document.ErrorStr() << "\n" << text;
    ASSERT_NE(document.RootElement(), nullptr);
    ASSERT_STREQ(document.RootElement()->Name(), root);
    // Other parsers refuse these; tinyxml2 lets them pass.
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n') << text;
    EXPECT_EQ(as_utf8(text), text);
}

/// The text as a reader sees it after `as_xml`.
std::string in_xml(std::string text) {
    for (const char* bad : {"\x01", "\xff", "\xef\xbf\xbf"})
        if (const auto at = text.find(bad); at != text.npos) text.replace(at, std::string(bad).size(), "\xef\xbf\xbd");
    return text;
}

TEST(Junit, FailsForNewClashesOnly) {
    Example example;
    tinyxml2::XMLDocument document;
    parse(document, to_junit(example.run()), "testsuites");
    const XMLElement* suite = document.RootElement()->FirstChildElement("testsuite");
    ASSERT_NE(suite, nullptr);
    EXPECT_STREQ(suite->Attribute("name"), "asm <1>");
    for (const XMLElement* one : {const_cast<const XMLElement*>(document.RootElement()), suite}) {
        EXPECT_EQ(one->IntAttribute("tests"), 3);
        EXPECT_EQ(one->IntAttribute("failures"), 2);
        EXPECT_EQ(one->IntAttribute("errors", -1), 0);
        EXPECT_NE(one->Attribute("time"), nullptr);
    }
    EXPECT_EQ(suite->IntAttribute("skipped"), 1);

    example.with_baseline();
    parse(document, to_junit(example.run()), "testsuites");
    suite = document.RootElement()->FirstChildElement();
    EXPECT_EQ(suite->IntAttribute("tests"), 4);
    EXPECT_EQ(suite->IntAttribute("failures"), 1);
    int cases = 0, failures = 0, skipped = 0;
    EXPECT_STREQ(suite->FirstChildElement()->Name(), "properties");
    for (const XMLElement* one = suite->FirstChildElement("testcase"); one; one = one->NextSiblingElement()) {
        ++cases;
        EXPECT_STREQ(one->Name(), "testcase");
        EXPECT_STREQ(one->Attribute("classname"), "graze.clash");
        EXPECT_STREQ(one->Attribute("time"), "0");
        if (const XMLElement* failure = one->FirstChildElement("failure")) {
            ++failures;
            EXPECT_EQ(one->Attribute("name"), "frame/bolt and " + in_xml(nasty));
            EXPECT_STREQ(failure->Attribute("type"), "crossing");
            EXPECT_TRUE(std::string(failure->Attribute("message")).starts_with("new, crossing: 12 pairs"));
            EXPECT_NE(std::string(failure->GetText()).find("look, \"here\""), std::string::npos);
        }
        if (const XMLElement* skip = one->FirstChildElement("skipped")) {
            ++skipped;
            EXPECT_STREQ(skip->Attribute("message"), "glued & <fixed>");
        }
    }
    EXPECT_EQ(cases, 4);
    EXPECT_EQ(failures, 1);
    EXPECT_EQ(skipped, 1);
}

TEST(Junit, WorseClashesFailAndSayWhatTheyWere) {
    Example example;
    example.with_baseline();
    example.clashes.clashes[1].state = State::Worse;
    example.clashes.clashes[1].note = "was touching, is crossing";
    tinyxml2::XMLDocument document;
    parse(document, to_junit(example.run()), "testsuites");
    const XMLElement* suite = document.RootElement()->FirstChildElement();
    EXPECT_EQ(suite->IntAttribute("failures"), 2);
    const XMLElement* failure =
        suite->FirstChildElement("testcase")->NextSiblingElement()->FirstChildElement("failure");
    ASSERT_NE(failure, nullptr);
    EXPECT_TRUE(std::string(failure->Attribute("message"))
                    .starts_with("worse, touching (was touching, is crossing): 1 pair of triangles"));
}

TEST(Junit, HasATestWhenNothingClashes) {
    Example example;
    example.clashes = {};
    tinyxml2::XMLDocument document;
    parse(document, to_junit(example.run()), "testsuites");
    const XMLElement* suite = document.RootElement()->FirstChildElement();
    EXPECT_EQ(suite->IntAttribute("tests"), 1);
    EXPECT_EQ(suite->IntAttribute("failures"), 0);
    EXPECT_TRUE(suite->FirstChildElement("testcase")->NoChildren());
}

std::vector<files::ZipEntry> unzip(const std::string& zip) {
    const auto all = files::from_zip(zip, [](std::string_view) { return true; });
    EXPECT_TRUE(all);
    return all ? *all : std::vector<files::ZipEntry>();
}

/// The names of an element's children, in their order.
std::string children(const XMLElement* element) {
    std::string names;
    for (const XMLElement* one = element->FirstChildElement(); one; one = one->NextSiblingElement())
        (names += names.empty() ? "" : " ") += one->Name();
    return names;
}

Vec3 vector_in(const XMLElement* element) {
    EXPECT_EQ(children(element), "X Y Z");
    return {element->FirstChildElement("X")->DoubleText(), element->FirstChildElement("Y")->DoubleText(),
            element->FirstChildElement("Z")->DoubleText()};
}

class Bcf : public ::testing::Test {
protected:
    void SetUp() override { setenv("SOURCE_DATE_EPOCH", "1700000000", 1); }
    void TearDown() override { unsetenv("SOURCE_DATE_EPOCH"); }

    /// The only file.
    static std::string file_of(const Example& example, const Snapshots& snapshots = {},
                               BcfVersion version = BcfVersion::V2_1) {
        const auto files = to_bcf(example.run(), snapshots, version);
        EXPECT_TRUE(files && files->size() == 1);
        return files && !files->empty() ? files->front() : "";
    }
};

/// An element in the schemas of BCF 2.1 (markup.xsd, visinfo.xsd, version.xsd): its children in their
/// order, and its attributes. `?` marks what may be missing, `*` what may occur any number of times.
struct ElementRule {
    const char *children, *attributes;
};
using Schema = std::map<std::string, ElementRule>;
const Schema bcf_schema = {
    {"Version", {"DetailedVersion?", "VersionId"}},
    {"Markup", {"Header? Topic Comment* Viewpoints*", ""}},
    {"Markup/Topic",
     {"ReferenceLink* Title Priority? Index? Labels* CreationDate CreationAuthor ModifiedDate? ModifiedAuthor? "
      "DueDate? "
      "AssignedTo? Stage? Description? BimSnippet* DocumentReference* RelatedTopic*",
      "Guid TopicType? TopicStatus?"}},
    {"Markup/Comment", {"Date Author Comment Viewpoint? ModifiedDate? ModifiedAuthor?", "Guid"}},
    {"Markup/Viewpoints", {"Viewpoint? Snapshot? Index?", "Guid"}},
    {"VisualizationInfo", {"Components? OrthogonalCamera? PerspectiveCamera? Lines? ClippingPlanes? Bitmap*", "Guid"}},
    {"VisualizationInfo/Components", {"ViewSetupHints? Selection? Visibility Coloring?", ""}},
    {"VisualizationInfo/Components/Selection", {"Component Component*", ""}},
    {"VisualizationInfo/Components/Selection/Component", {"OriginatingSystem? AuthoringToolId?", "IfcGuid?"}},
    {"VisualizationInfo/Components/Visibility", {"Exceptions?", "DefaultVisibility?"}},
    {"VisualizationInfo/PerspectiveCamera", {"CameraViewPoint CameraDirection CameraUpVector FieldOfView", ""}},
    {"VisualizationInfo/PerspectiveCamera/CameraViewPoint", {"X Y Z", ""}},
    {"VisualizationInfo/PerspectiveCamera/CameraDirection", {"X Y Z", ""}},
    {"VisualizationInfo/PerspectiveCamera/CameraUpVector", {"X Y Z", ""}},
};

/// The schemas of BCF 3.0: what differs from 2.1.
Schema bcf_3_schema() {
    Schema schema = bcf_schema;
    schema.erase("Markup/Comment");
    schema.erase("Markup/Viewpoints");
    schema["Version"] = {"", "VersionId"};
    schema["Extensions"] = {"TopicTypes? TopicStatuses? Priorities? TopicLabels? Users? SnippetTypes? Stages?", ""};
    for (const auto& [list, one] : {std::pair("TopicTypes", "TopicType*"),
                                    {"TopicStatuses", "TopicStatus*"},
                                    {"Priorities", "Priority*"},
                                    {"TopicLabels", "TopicLabel*"},
                                    {"Users", "User*"}})
        schema[std::string("Extensions/") + list] = {one, ""};
    schema["Markup"] = {"Header? Topic", ""};
    schema["Markup/Topic"] = {
        "ReferenceLinks? Title Priority? Index? Labels? CreationDate CreationAuthor ModifiedDate? ModifiedAuthor? "
        "DueDate? AssignedTo? Stage? Description? BimSnippet? DocumentReferences? RelatedTopics? Comments? Viewpoints?",
        "Guid ServerAssignedId? TopicType TopicStatus"};
    schema["Markup/Topic/Labels"] = {"Label*", ""};
    schema["Markup/Topic/Comments"] = {"Comment*", ""};
    schema["Markup/Topic/Comments/Comment"] = {"Date Author Comment? Viewpoint? ModifiedDate? ModifiedAuthor?", "Guid"};
    schema["Markup/Topic/Viewpoints"] = {"ViewPoint*", ""};
    schema["Markup/Topic/Viewpoints/ViewPoint"] = {"Viewpoint? Snapshot? Index?", "Guid"};
    schema["VisualizationInfo"] = {"Components? PerspectiveCamera Lines? ClippingPlanes? Bitmaps?", "Guid"};
    schema["VisualizationInfo/Components"] = {"Selection? Visibility? Coloring?", ""};
    schema["VisualizationInfo/PerspectiveCamera"] = {
        "CameraViewPoint CameraDirection CameraUpVector FieldOfView AspectRatio", ""};
    return schema;
}

/// The names as a regular expression for names with a blank behind each.
std::regex in_order(const std::string& names) {
    std::string out;
    std::istringstream words(names);
    for (std::string word; words >> word;) {
        const bool optional = word.back() == '?' || word.back() == '*';
        out += "(" + word.substr(0, word.size() - optional) + " )" + (optional ? word.substr(word.size() - 1) : "");
    }
    return std::regex(out);
}

void expect_schema(const Schema& schema, const XMLElement* element, const std::string& path) {
    const auto rule = schema.find(path);
    if (rule == schema.end()) {
        EXPECT_EQ(element->FirstChildElement(), nullptr) << path << " holds text only";
        EXPECT_NE(element->GetText(), nullptr) << path << " is empty";
        EXPECT_EQ(element->FirstAttribute(), nullptr) << path;
        if (path.ends_with("Date")) {
            EXPECT_TRUE(std::regex_match(element->GetText(), std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")));
        }
        return;
    }
    EXPECT_TRUE(std::regex_match(children(element) + (element->FirstChildElement() ? " " : ""),
                                 in_order(rule->second.children)))
        << path << " has " << children(element);
    std::istringstream allowed(rule->second.attributes);
    int known = 0;
    for (std::string word; allowed >> word;) {
        const bool optional = word.back() == '?';
        const char* value = element->Attribute(word.substr(0, word.size() - optional).c_str());
        EXPECT_TRUE(value || optional) << path << " has no " << word;
        known += value != nullptr;
        if (word == "Guid" && value) {
            EXPECT_TRUE(std::regex_match(value, std::regex("[a-f0-9]{8}(-[a-f0-9]{4}){3}-[a-f0-9]{12}"))) << value;
        }
    }
    int all = 0;
    for (auto attribute = element->FirstAttribute(); attribute; attribute = attribute->Next()) ++all;
    EXPECT_EQ(all, known) << path << " has an attribute that the schema does not know";
    for (const XMLElement* one = element->FirstChildElement(); one; one = one->NextSiblingElement())
        expect_schema(schema, one, path + "/" + one->Name());
}

/// Every file of the archive follows the schemas, and the pictures and viewpoints that a markup names exist.
void expect_bcf(const std::string& zip, BcfVersion version) {
    const bool is_3 = version == BcfVersion::V3_0;
    const Schema schema = is_3 ? bcf_3_schema() : bcf_schema;
    std::set<std::string> names;
    const std::vector<files::ZipEntry> entries = unzip(zip);
    for (const files::ZipEntry& entry : entries)
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " is there twice";
    EXPECT_TRUE(names.contains("bcf.version"));
    EXPECT_EQ(names.contains("extensions.xml"), is_3);
    for (const files::ZipEntry& entry : entries) {
        if (entry.name.ends_with("/") || entry.name.ends_with(".png")) continue;
        const char* root = entry.name == "bcf.version"          ? "Version"
                           : entry.name == "extensions.xml"     ? "Extensions"
                           : entry.name.ends_with("markup.bcf") ? "Markup"
                                                                : "VisualizationInfo";
        tinyxml2::XMLDocument document;
        parse(document, entry.contents, root);
        expect_schema(schema, document.RootElement(), root);
        const std::string folder = entry.name.substr(0, entry.name.find('/') + 1);
        const XMLElement* topic = document.RootElement()->FirstChildElement("Topic");
        const XMLElement* viewpoints =
            (is_3 && topic ? topic : document.RootElement())->FirstChildElement("Viewpoints");
        if (is_3 && viewpoints != nullptr) viewpoints = viewpoints->FirstChildElement("ViewPoint");
        for (const char* what : {"Viewpoint", "Snapshot"})
            if (viewpoints != nullptr && viewpoints->FirstChildElement(what) != nullptr) {
                EXPECT_TRUE(names.contains(folder + viewpoints->FirstChildElement(what)->GetText()));
            }
    }
}

constexpr BcfVersion versions[] = {BcfVersion::V2_1, BcfVersion::V3_0};

TEST_F(Bcf, FollowsTheSchemas) {
    for (const BcfVersion version : versions) {
        Example example;
        example.clashes.clashes[0].high.z = 0.4;
        expect_bcf(file_of(example, {}, version), version);
        example.with_baseline();
        example.clashes.clashes[0].review = {"in work & more", "Ann <ann@b.c>", "first line\nsecond \"line\"", "Low",
                                             "2026-12-31"};
        example.clashes.clashes[1].review = {"", "", "?"};
        example.clashes.clashes[1].thin = true;
        example.clashes.resolved[0].review = {"fixed", "Bob", "moved it"};
        expect_bcf(file_of(example, {{guid_of(example.run(), example.clashes.clashes[0]), "\x89PNG"}}, version),
                   version);
        example.clashes = {};
        expect_bcf(file_of(example, {}, version), version);
    }
}

TEST_F(Bcf, TheWordsOfAllTopicsAreListed) {
    Example example;
    example.clashes.clashes[0].high.z = 0.4;
    example.clashes.clashes[0].review = {"in work", "Ann", "", "Low"};
    const std::vector<files::ZipEntry> entries = unzip(file_of(example, {}, BcfVersion::V3_0));
    EXPECT_EQ(entries.back().name, "extensions.xml");
    for (const char* word : {"<TopicStatus>in work<", "<TopicStatus>Active<", "<Priority>Low<", "<Priority>Minor<",
                             "<User>Ann<", "<TopicLabel>touching<"})
        EXPECT_NE(entries.back().contents.find(word), std::string::npos) << word;
}

TEST_F(Bcf, ReviewsOfBothVersionsComeBack) {
    for (const BcfVersion version : versions) {
        Example example;
        example.clashes.clashes[0].high.z = 0.4;
        example.clashes.clashes[0].review = {"accepted", "Ann", "by design", "Critical", "2026-12-31"};
        const auto baseline = parse_baseline(file_of(example, {}, version), "last.bcf");
        ASSERT_TRUE(baseline) << baseline.fault().message;
        EXPECT_TRUE(baseline->notes.empty());
        Example again;
        compare(again.parts, *baseline, again.clashes);
        EXPECT_EQ(again.clashes.clashes[0].review, example.clashes.clashes[0].review);
        EXPECT_EQ(again.clashes.count(State::Persistent), 2u);
        // The priority that each topic has by its kind is no word of a person.
        EXPECT_TRUE(again.clashes.clashes[1].review.empty());
    }
}

TEST_F(Bcf, ReviewsGoOutAndComeBack) {
    Example example;
    example.clashes.clashes[0].high.z = 0.4;
    example.clashes.clashes[0].review = {"accepted", "Ann", "by design"};
    example.clashes.clashes[1].state = State::Worse;
    const std::string zip = file_of(example);
    tinyxml2::XMLDocument document;
    parse(document, unzip(zip)[2].contents, "Markup");
    const XMLElement* topic = document.RootElement()->FirstChildElement("Topic");
    EXPECT_STREQ(topic->Attribute("TopicStatus"), "accepted");
    EXPECT_STREQ(topic->FirstChildElement("AssignedTo")->GetText(), "Ann");
    const XMLElement* comment = document.RootElement()->FirstChildElement("Comment");
    EXPECT_STREQ(comment->FirstChildElement("Comment")->GetText(), "by design");

    const auto baseline = parse_baseline(zip, "last.bcf");
    ASSERT_TRUE(baseline) << baseline.fault().message;
    EXPECT_TRUE(baseline->notes.empty());
    ASSERT_EQ(baseline->clashes.size(), 2u);
    EXPECT_EQ(baseline->clashes[0].a, "frame/bolt");
    EXPECT_EQ(baseline->clashes[1].b, "house/" + ifc);
    Example again;
    again.clashes.clashes[1].kind = Kind::Crossing;
    compare(again.parts, *baseline, again.clashes);
    EXPECT_EQ(again.clashes.clashes[0].state, State::Persistent);
    EXPECT_EQ(again.clashes.clashes[0].review, example.clashes.clashes[0].review);
    EXPECT_EQ(again.clashes.clashes[1].state, State::Worse);
    EXPECT_TRUE(again.clashes.clashes[1].review.empty()) << "Active is not a word of a person";
    EXPECT_TRUE(again.clashes.resolved.empty());
}

TEST_F(Bcf, WhatWasNotCheckedStaysATopicAndWhatIsGoneIsToldOnce) {
    for (const BcfVersion version : versions) {
        Example last, example;
        last.clashes.clashes[0].review = {"accepted", "Ann", ""};
        const auto baseline = parse_baseline(file_of(last, {}, version), "last.bcf");
        ASSERT_TRUE(baseline) << baseline.fault().message;
        // The first clash was not checked, and the second has lost a part.
        example.clashes = {};
        for (const Gone& one : baseline->clashes) example.clashes.gone.push_back(one);
        ASSERT_EQ(example.clashes.gone.size(), 2u);
        example.clashes.gone[0].state = State::NotChecked, example.clashes.gone[0].why = "x.ifc was not read";
        example.clashes.gone[1].state = State::PartGone, example.clashes.gone[1].why = "wall is no longer in y.ifc";
        const std::string zip = file_of(example, {}, version);
        expect_bcf(zip, version);
        std::string all;
        for (const auto& entry : unzip(zip)) all += entry.contents;
        EXPECT_NE(all.find("<Description>Not checked: x.ifc was not read.<"), std::string::npos) << all;
        EXPECT_NE(all.find("<Description>Part gone: wall is no longer in y.ifc.<"), std::string::npos) << all;
        EXPECT_EQ(all.find("TopicStatus=\"Resolved\""), std::string::npos) << "nobody knows that it is";
        // The next run has all parts again: the first clash is not new, and keeps its review.
        const auto next = parse_baseline(zip, "next.bcf");
        ASSERT_TRUE(next) << next.fault().message;
        EXPECT_TRUE(next->notes.empty());
        ASSERT_EQ(next->clashes.size(), 1u);
        Example again;
        compare(again.parts, *next, again.clashes);
        EXPECT_EQ(again.clashes.clashes[0].state, State::Persistent);
        EXPECT_EQ(again.clashes.clashes[0].review, last.clashes.clashes[0].review);
        EXPECT_EQ(again.clashes.clashes[1].state, State::New);
        // No part was read at all.
        example.parts = {};
        expect_bcf(file_of(example, {}, version), version);
    }
}

TEST_F(Bcf, WhatToolsMakeOfIt) {
    // A tool has added comments, turned the GUID to capitals, dropped the viewpoint, and added a topic of its own.
    Example example;
    const std::string id = guid_of(example.run(), example.clashes.clashes[1]);
    std::string capitals = id;
    for (char& c : capitals) c = static_cast<char>(std::toupper(c));
    const std::string markup =
        R"(<Markup><Header/><Topic Guid=")" + capitals + R"(" TopicStatus="Closed"><Title>T</Title>
        <Labels>touching</Labels><Labels>persistent</Labels></Topic>
        <Comment Guid="1"><Comment>one</Comment></Comment><Comment Guid="2"><Comment>one
two</Comment></Comment><Comment Guid="3"><Comment>two</Comment></Comment><Comment/>
        <Comment Guid="4"><Comment>three</Comment></Comment></Markup>)";
    const std::string other = R"(<Markup><Topic Guid="x"><Title>Ask the client</Title></Topic></Markup>)";
    const std::string resolved =
        R"(<Markup><Topic Guid="y"><Labels>crossing</Labels><Labels>resolved</Labels></Topic></Markup>)";
    const auto baseline = parse_baseline(
        *files::to_zip(
            {{"a/markup.bcf", markup}, {"b/markup.bcf", other}, {"c/markup.bcf", resolved}, {"a/x.png", "?"}}),
        "tool.bcfzip");
    ASSERT_TRUE(baseline) << baseline.fault().message;
    EXPECT_EQ(baseline->notes, std::vector<std::string>{
                                   "tool.bcfzip: 1 topics without a kind of clash among their labels were skipped"});
    compare(example.parts, *baseline, example.clashes);
    EXPECT_EQ(example.clashes.clashes[1].state, State::Persistent);
    EXPECT_EQ(example.clashes.clashes[1].review, (Review{"Closed", "", "one\ntwo\nthree"}));
    EXPECT_EQ(example.clashes.clashes[0].state, State::New);
    const auto fault = [](const std::string& bytes) { return parse_baseline(bytes, "x.bcf").fault().message; };
    EXPECT_EQ(fault("PK"), "x.bcf: this is not a zip archive, or it is damaged");
    EXPECT_EQ(fault(*files::to_zip({{"a/markup.bcf", "<Markup>"}})), "x.bcf: a/markup.bcf is not XML");
    EXPECT_EQ(fault(*files::to_zip({{"a/markup.bcf", ""}})), "x.bcf: a/markup.bcf is not XML");
    EXPECT_TRUE(parse_baseline(*files::to_zip({{"a/markup.bcf", "<Other/>"}}), "x.bcf"));
}

TEST_F(Bcf, DamagedFilesAreRefused) {
    Example example;
    const std::string whole = file_of(example);
    for (std::size_t n = 2; n < whole.size(); n += 3)
        if (const auto cut = parse_baseline(whole.substr(0, n), "x"); cut) ADD_FAILURE() << n;
    int refused = 0;
    for (std::size_t n = 2; n < whole.size(); n += 2)
        for (const char c : {'\0', '\xff'}) {
            std::string damaged = whole;
            damaged[n] = c;
            refused += !parse_baseline(damaged, "x");
        }
    EXPECT_GT(refused, 500);
}

TEST_F(Bcf, TopicsFollowTheSchema) {
    Example example;
    example.clashes.clashes[0].high.z = 0.4;
    example.clashes.clashes[0].measures = {0.25, 0.5, Vec3{0, 0, 1}};
    example.with_baseline();
    const std::string zip = file_of(example);
    EXPECT_EQ(file_of(example), zip);
    const std::vector<files::ZipEntry> entries = unzip(zip);
    ASSERT_EQ(entries.size(), 1u + 3 + 3 + 2);
    EXPECT_EQ(entries[0].name, "bcf.version");
    tinyxml2::XMLDocument document;
    parse(document, entries[0].contents, "Version");
    EXPECT_STREQ(document.RootElement()->Attribute("VersionId"), "2.1");

    const std::regex form("[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}");
    const std::string first = guid_of(example.run(), example.clashes.clashes[0]);
    EXPECT_TRUE(std::regex_match(first, form)) << first;
    EXPECT_EQ(entries[1].name, first + "/");
    EXPECT_EQ(entries[2].name, first + "/markup.bcf");
    EXPECT_EQ(entries[3].name, first + "/viewpoint.bcfv");

    parse(document, entries[2].contents, "Markup");
    EXPECT_EQ(children(document.RootElement()), "Topic Viewpoints");
    const XMLElement* topic = document.RootElement()->FirstChildElement("Topic");
    EXPECT_EQ(children(topic), "Title Priority Index Labels Labels CreationDate CreationAuthor Description");
    EXPECT_EQ(topic->Attribute("Guid"), first);
    EXPECT_STREQ(topic->Attribute("TopicType"), "Clash");
    EXPECT_STREQ(topic->Attribute("TopicStatus"), "Active");
    EXPECT_EQ(topic->FirstChildElement("Description")->GetText(),
              in_xml("12 pairs of triangles meet, around (0.2, 0, 0.2). Depth 0.25, volume 0.5, move " +
                     nasty.substr(nasty.find('/') + 1) + " by (0, 0, 1) to clear it. look, \"here\""));
    EXPECT_EQ(topic->FirstChildElement("Title")->GetText(),
              "Crossing: bolt and " + in_xml(nasty.substr(nasty.find('/') + 1)));
    EXPECT_STREQ(topic->FirstChildElement("CreationDate")->GetText(), "2023-11-14T22:13:20Z");
    const XMLElement* viewpoints = document.RootElement()->FirstChildElement("Viewpoints");
    EXPECT_STREQ(viewpoints->FirstChildElement("Viewpoint")->GetText(), "viewpoint.bcfv");
    const std::string viewpoint = viewpoints->Attribute("Guid");
    EXPECT_TRUE(std::regex_match(viewpoint, form));

    parse(document, entries[3].contents, "VisualizationInfo");
    EXPECT_EQ(document.RootElement()->Attribute("Guid"), viewpoint);
    EXPECT_EQ(children(document.RootElement()), "Components PerspectiveCamera");
    const XMLElement* components = document.RootElement()->FirstChildElement("Components");
    EXPECT_EQ(children(components), "Selection Visibility");
    EXPECT_EQ(children(components->FirstChildElement("Selection")), "Component Component");

    parse(document, entries[8].contents, "Markup");
    EXPECT_STREQ(document.RootElement()->FirstChildElement("Topic")->Attribute("TopicStatus"), "Resolved");
    EXPECT_EQ(children(document.RootElement()), "Topic");
}

TEST_F(Bcf, IfcPartsAreSelectedByTheirGuid) {
    for (const auto& [path, expected] :
         std::map<std::string, std::string>{{"house/" + ifc, ifc},
                                            {"IfcWall_North wall_" + ifc, ifc},
                                            {"IfcWall_North wall_" + ifc + "/IfcMappedItem#2", ifc},
                                            {ifc + "#3", ifc},
                                            {ifc + "x", ""},
                                            {"9" + ifc.substr(1), ""},
                                            {"x" + ifc, ""},
                                            {"bolt", ""}}) {
        Example example;
        example.parts.parts[2].path = path;
        tinyxml2::XMLDocument document;
        parse(document, unzip(file_of(example))[6].contents, "VisualizationInfo");
        const XMLElement* part = document.RootElement()->FirstChildElement()->FirstChildElement()->LastChildElement();
        EXPECT_EQ(part->Attribute("IfcGuid") ? part->Attribute("IfcGuid") : "", expected) << path;
        EXPECT_EQ(children(part), "OriginatingSystem AuthoringToolId");
        EXPECT_EQ(part->FirstChildElement("AuthoringToolId")->GetText(), path);
    }
}

TEST_F(Bcf, TheCameraSeesTheClash) {
    Example example;
    for (const double place : {0.0, 3.0, -1e6}) {
        for (Clash& clash : example.clashes.clashes) {
            clash.low = {place, place, 0.1};
            clash.high = {place + 0.5, place + 0.25, 0.6};
        }
        tinyxml2::XMLDocument document;
        parse(document, unzip(file_of(example))[3].contents, "VisualizationInfo");
        const XMLElement* camera = document.RootElement()->FirstChildElement("PerspectiveCamera");
        EXPECT_EQ(children(camera), "CameraViewPoint CameraDirection CameraUpVector FieldOfView");
        const Vec3 at = vector_in(camera->FirstChildElement("CameraViewPoint")),
                   direction = vector_in(camera->FirstChildElement("CameraDirection")),
                   up = vector_in(camera->FirstChildElement("CameraUpVector"));
        EXPECT_EQ(camera->FirstChildElement("FieldOfView")->DoubleText(), 60);
        EXPECT_NEAR(length(direction), 1, 1e-12);
        EXPECT_NEAR(length(up), 1, 1e-12);
        EXPECT_NEAR(dot(direction, up), 0, 1e-12);
        EXPECT_GT(up.z, 0);
        for (int k = 0; k < 8; ++k) {
            const Vec3 corner{place + (k & 1 ? 0.5 : 0), place + (k & 2 ? 0.25 : 0), k & 4 ? 0.6 : 0.1};
            const Vec3 ray = corner - at;
            EXPECT_GT(dot(ray, direction), std::cos(std::acos(-1.0) / 6) * length(ray)) << place;
        }
    }
}

TEST_F(Bcf, ManyTopicsFillSeveralFiles) {
    Example example;
    example.clashes.resolved.resize(33'000);
    for (std::size_t i = 0; i < 33'000; ++i) example.clashes.resolved[i].a = std::to_string(i);
    const auto files = to_bcf(example.run());
    ASSERT_TRUE(files);
    ASSERT_EQ(files->size(), 2u);
    std::size_t topics = 0;
    for (const std::string& file : *files) {
        const auto entries = files::from_zip(file, [](std::string_view name) { return !name.ends_with('/'); });
        ASSERT_TRUE(entries);
        EXPECT_EQ(entries->front().name, "bcf.version");
        topics += static_cast<std::size_t>(
            std::ranges::count_if(*entries, [](const files::ZipEntry& e) { return e.name.ends_with("/markup.bcf"); }));
    }
    EXPECT_EQ(topics, 33'002u);
}

TEST_F(Bcf, Refusals) {
    Example example;
    for (const char* bad : {"yesterday", "-1", "1e9", "99999999999999"}) {
        setenv("SOURCE_DATE_EPOCH", bad, 1);
        EXPECT_FALSE(to_bcf(example.run())) << bad;
    }
    // By the clock.
    unsetenv("SOURCE_DATE_EPOCH");
    EXPECT_TRUE(to_bcf(example.run()));
}

}  // namespace
}  // namespace graze::checks
