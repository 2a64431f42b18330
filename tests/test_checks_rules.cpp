// SPDX-License-Identifier: Apache-2.0
// Rules that let pairs of parts meet, and the files they are in.
#include <gtest/gtest.h>

#include <ctime>

#include "checks/rules.hpp"

namespace graze::checks {
namespace {

Parts parts_of(const std::vector<std::string>& paths) {
    Parts parts;
    for (const std::string& path : paths) parts.parts.push_back({path, 0, {}});
    return parts;
}

bool found(const std::string& pattern, const std::string& path) {
    return chosen(parts_of({path}), Rules(), Selector(pattern.c_str()))[0];
}

bool matches(const Rule& rule, const std::string& a, const std::string& b) {
    return ChosenPairs(parts_of({a, b}), Rules(), rule.a, rule.b)(0, 1);
}

TEST(Rules, PatternsMatchTheWholePathOrItsEnd) {
    EXPECT_TRUE(found("bolt-7", "bolt-7"));
    EXPECT_TRUE(found("bolt-7", "frame/bolt-7"));
    EXPECT_TRUE(found("bolt-*", "frame/left/bolt-7"));
    EXPECT_TRUE(found("frame/*", "frame/left/bolt-7"));
    EXPECT_TRUE(found("*", "frame/bolt-7"));
    EXPECT_TRUE(found("b*t-?", "frame/bolt-7"));
    EXPECT_TRUE(found("f*/b*7", "frame/left/bolt-7"));
    EXPECT_TRUE(found("**", "a"));
    EXPECT_FALSE(found("bolt", "frame/bolt-7"));
    EXPECT_FALSE(found("olt-7", "frame/bolt-7"));
    EXPECT_FALSE(found("bolt-?", "bolt-12"));
    EXPECT_FALSE(found("bolt-?", "bolt-"));
    EXPECT_FALSE(found("Bolt-*", "bolt-7"));
    EXPECT_FALSE(found("frame", "frame/bolt-7"));
}

TEST(Rules, AQuestionMarkIsOneCharacterNotOneByte) {
    EXPECT_TRUE(found("?", "é"));
    EXPECT_TRUE(found("T?r", "Tür"));
    EXPECT_FALSE(found("*??", "漢"));
    EXPECT_FALSE(found("??", "é"));
    EXPECT_TRUE(found("a?b",
                      "a\xff"
                      "b"));
}

TEST(Rules, EitherWayRound) {
    const Rule rule{"bolt-*", "plate", "bolted"};
    EXPECT_TRUE(matches(rule, "bolt-1", "plate"));
    EXPECT_TRUE(matches(rule, "plate", "bolt-1"));
    EXPECT_FALSE(matches(rule, "bolt-1", "bolt-2"));
    EXPECT_FALSE(matches(rule, "plate", "plate"));
}

TEST(Rules, ManyStarsTakeNoTime) {
    std::string pattern;
    for (int i = 0; i < 200; ++i) pattern += "*a";
    const std::string path(2'000, 'a');
    const std::clock_t start = std::clock();
    EXPECT_TRUE(found(pattern, path));
    EXPECT_FALSE(found(pattern + "b", path));
    EXPECT_FALSE(found(pattern + "b", std::string(2'000, '/')));
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1);
}

TEST(Rules, ParsesLines) {
    const auto rules = parse_rules(
        "\xef\xbb\xbf# made by hand\r\n"
        "\r\n"
        "bolt-* plate   they are screwed in, see issue #12  \r\n"
        "   \t\n"
        "\"big gear\"\t\"*/small gear *\"\tthey \"mesh\"\n"
        "  # another\n"
        "\"#3\" 3/8\" \"a reason in quotes\"\n"
        "group:x between between: they only look like keywords",
        "rules.txt");
    ASSERT_TRUE(rules);
    ASSERT_EQ(rules->rules.size(), 4u);
    const std::vector<Rule>& all = rules->rules;
    EXPECT_EQ(all[0].a.text, "bolt-*");
    EXPECT_EQ(all[0].b.text, "plate");
    EXPECT_EQ(all[0].reason, "they are screwed in, see issue #12");
    EXPECT_EQ(all[1].a.text, "big gear");
    EXPECT_EQ(all[1].b.text, "*/small gear *");
    EXPECT_EQ(all[1].reason, "they \"mesh\"");
    EXPECT_EQ(all[2].a.text, "#3");
    EXPECT_EQ(all[2].b.text, "3/8\"");
    EXPECT_EQ(all[2].reason, "a reason in quotes");
    EXPECT_EQ(all[3].a.text, "group:x");
    EXPECT_EQ(all[3].reason, "between: they only look like keywords");
    for (const char* nothing : {"", "\n", "# only this", "\r\n\r\n"}) {
        const auto none = parse_rules(nothing, "rules.txt");
        EXPECT_TRUE(none && none->rules.empty());
    }
}

TEST(Rules, FaultsNameTheLine) {
    const auto fault = [](const char* text) {
        const auto rules = parse_rules(text, "rules.txt");
        return rules ? "no fault" : rules.fault().message;
    };
    EXPECT_EQ(fault("a b c\n\na b\n"), "rules.txt:3: the reason is missing");
    EXPECT_EQ(fault("a b # later"), "rules.txt:1: the reason is missing");
    EXPECT_EQ(fault("a b \"\""), "rules.txt:1: the reason is missing");
    EXPECT_EQ(fault("#\r\na\r\n"), "rules.txt:2: the second pattern is missing");
    EXPECT_EQ(fault("\"a b c"), "rules.txt:1: a quote is not closed");
    EXPECT_EQ(fault("a \"b c\nd\" e f"), "rules.txt:1: a quote is not closed");
    EXPECT_EQ(fault("\"a\"b c d"), "rules.txt:1: a blank is missing after 'a'");
    EXPECT_EQ(fault("\"\" b c"), "rules.txt:1: a pattern is empty");
    EXPECT_EQ(fault("type= b c"), "rules.txt:1: a pattern is empty");
    EXPECT_EQ(fault("type=a& b c"), "rules.txt:1: a pattern is empty");
    EXPECT_EQ(fault("type=a&bolt b c"), "rules.txt:1: FIELD=PATTERN is missing after &");
    EXPECT_EQ(fault("@none b c"), "rules.txt:1: there is no group 'none'");
    EXPECT_EQ(fault("@later b c\ngroup: later x"), "rules.txt:1: there is no group 'later'");
    EXPECT_EQ(fault("group:"), "rules.txt:1: the name of the group is missing");
    EXPECT_EQ(fault("group: pumps # none"), "rules.txt:1: the group 'pumps' has no patterns");
    EXPECT_EQ(fault("group: p a\ngroup: p b"), "rules.txt:2: the group 'p' is defined twice");
    EXPECT_EQ(fault("group: loop @loop"), "rules.txt:1: there is no group 'loop'");
    EXPECT_EQ(fault("between: a"), "rules.txt:1: the second pattern is missing");
    EXPECT_EQ(fault("between:"), "rules.txt:1: the first pattern is missing");
    EXPECT_EQ(fault("between: a b c"), "rules.txt:1: nothing may follow the two patterns");
    EXPECT_EQ(fault("between: a b # yes"), "no fault");
}

TEST(Rules, ClearancesHaveLengths) {
    const auto rules = parse_rules(
        "clearance: pipe-* beam-* 25   # in the unit of the parts\n"
        "clearance: \"a b\" @structure 25mm\n"
        "clearance: a b 2.5 cm\n"
        "clearance: a b 1e-1 m\n"
        "clearance: a b 3in\n"
        "clearance: a b 1 ft\n"
        "clearance: a b 0\n",
        "rules.txt");
    ASSERT_TRUE(rules) << rules.fault().message;
    ASSERT_EQ(rules->clearances.size(), 7u);
    const double lengths[] = {25, 0.025, 0.025, 0.1, 3 * 0.0254, 0.3048, 0};
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(rules->clearances[i].length.value, lengths[i]) << i;
        EXPECT_EQ(rules->clearances[i].length.in_metres, i > 0 && i < 6) << i;
        EXPECT_EQ(rules->clearances[i].place, "rules.txt:" + std::to_string(i + 1));
    }
    const auto fault = [](const std::string& line) {
        const auto read = parse_rules("# first\nclearance: " + line, "r");
        return read ? "no fault" : read.fault().message;
    };
    EXPECT_EQ(fault("a"), "r:2: the second pattern is missing");
    EXPECT_EQ(fault("a b"), "r:2: the length is missing");
    EXPECT_EQ(fault("a b # 3"), "r:2: the length is missing");
    EXPECT_EQ(fault("a b wide"), "r:2: 'wide' is not a length");
    EXPECT_EQ(fault("a b -1"), "r:2: '-1' is not a length");
    EXPECT_EQ(fault("a b inf"), "r:2: 'inf' is not a length");
    EXPECT_EQ(fault("a b 1e999"), "r:2: '1e999' is not a length");
    EXPECT_EQ(fault("a b 3 4"), "r:2: '3 4' is not a length");
    EXPECT_EQ(fault("a b 3 miles"), "r:2: 'miles' is not one of the units mm, cm, m, in, ft");
}

TEST(Rules, UnitsNeedFilesInMetres) {
    Parts parts = parts_of({"a", "b"});
    parts.files = {{"a.glb", {.format = "glTF", .metres = 1}}, {"b.stl", {.format = "STL"}}};
    const Rules plain = *parse_rules("clearance: a b 3", "r"), rules = *parse_rules("\nclearance: a b 3 mm", "r");
    EXPECT_TRUE(check_units(parts, plain, 0.5));
    EXPECT_EQ(check_units(parts, rules, 1).fault().message,
              "r:2: 3 mm cannot be used: b.stl does not state its unit; give a number without a unit");
    parts.files[1].conventions.metres = 0.001;
    EXPECT_TRUE(check_units(parts, rules, 1));
    EXPECT_EQ(check_units(parts, rules, 1000).fault().message,
              "r:2: 3 mm cannot be used: with --scale the parts are not in metres; give a number without a unit");
}

TEST(Rules, TheLastClearanceThatMatchesCounts) {
    const Parts parts = parts_of({"pipe-1", "pipe-2", "beam-1", "crane"});
    const Rules rules = *parse_rules(
        "clearance: pipe-* beam-* 25\n"
        "clearance: crane * 50\n"
        "clearance: beam-1 crane 0\n"
        "clearance: bolt-* beam-* 1\n"
        "clearance: crane crane 1\n",
        "r");
    const Clearances clearances(parts, rules, 2);
    EXPECT_EQ(clearances.most(), 50);
    EXPECT_EQ(clearances(0, 1), 2);
    EXPECT_EQ(clearances(0, 2), 25);
    EXPECT_EQ(clearances(2, 1), 25);
    EXPECT_EQ(clearances(3, 0), 50);
    EXPECT_EQ(clearances(2, 3), 0);
    EXPECT_EQ(unused(parts, rules),
              (std::vector<std::string>{"r:4: the clearance of 'bolt-*' and 'beam-*' applies to no pair",
                                        "r:5: the clearance of 'crane' and 'crane' applies to no pair"}));
}

/// A small building: labels as a reader sets them.
Parts building() {
    Parts parts = parts_of({"house/beam-1", "house/Ground: wall", "services/pipe-1", "services/duct", "crane"});
    parts.files = {{"in/house.ifc", {}}, {"in/services.ifc", {}}};
    const auto label = [&](std::size_t i, const char* type, const char* storey, const char* discipline) {
        parts.parts[i].labels.type = type;
        parts.parts[i].labels.storey = storey;
        parts.parts[i].labels.discipline = discipline;
    };
    label(0, "IfcBeam", "1", "");
    label(1, "IfcWallStandardCase", "0", "");
    label(2, "IfcPipeSegment", "1", "");
    label(3, "IfcBuildingElementProxy", "0", "services");
    parts.parts[2].file = parts.parts[3].file = 1;
    return parts;
}

TEST(Rules, SelectorsLookAtLabelsFilesAndGroups) {
    const Parts parts = building();
    Rules rules = *parse_rules(
        "group: wet type=IfcPipe* crane\n"
        "group: structure @structure crane  # and not: beam-1 duct\n",
        "rules.txt");
    const auto names = [&](const char* text) {
        const auto selector = parse_selector(text, rules);
        EXPECT_TRUE(selector) << text;
        std::string out;
        const std::vector<bool> some = chosen(parts, rules, *selector);
        for (std::size_t i = 0; i < some.size(); ++i)
            if (some[i]) out += static_cast<char>('0' + i);
        return out;
    };
    EXPECT_EQ(names("type=Ifc*"), "0123");
    EXPECT_EQ(names("type=IfcBeam"), "0");
    EXPECT_EQ(names("type=Beam"), "");
    EXPECT_EQ(names("storey=1"), "02");
    EXPECT_EQ(names("storey=1&type=IfcPipe*"), "2");
    EXPECT_EQ(names("storey=1&type=IfcPipe*&file=house.ifc"), "");
    EXPECT_EQ(names("file=services.ifc"), "23");
    EXPECT_EQ(names("file=\"in/house.ifc\"&storey=0"), "1");
    EXPECT_EQ(names("discipline=services"), "3");
    EXPECT_EQ(names("@services"), "23");
    EXPECT_EQ(names("@architecture"), "1");
    EXPECT_EQ(names("@all"), "01234");
    EXPECT_EQ(names("@wet"), "24");
    EXPECT_EQ(names("@structure"), "04") << "defined anew, with what it was before";
    EXPECT_EQ(names("Ground: wall"), "1");
    EXPECT_EQ(names("\"type=Ifc*\""), "") << "a path in quotes";
    EXPECT_EQ(parse_selector("\"a\" b", rules).fault().message, "nothing may follow the pattern");
    EXPECT_FALSE(parse_selector("", rules));
}

TEST(Rules, OneRuleOnACommandLine) {
    const Rules rules;
    const auto read = [&](const char* text) {
        const auto rule = parse_rule(text, rules);
        return rule ? rule->a.text + "|" + rule->b.text + "|" + rule->reason : rule.fault().message;
    };
    EXPECT_EQ(read("a*:b=why"), "a*|b|why");
    EXPECT_EQ(read("a:b=x=y: z"), "a|b|x=y: z");
    EXPECT_EQ(read("\"Wall: 200\":\"p=q\"=cast in"), "Wall: 200|p=q|cast in");
    EXPECT_EQ(read("type=IfcWall*:type=IfcPipe*&storey=1=sleeved"), "type=IfcWall*|type=IfcPipe*&storey=1|sleeved");
    EXPECT_EQ(read("@structure:@services=sleeved"), "@structure|@services|sleeved");
    EXPECT_EQ(read("a"), "':' is missing after 'a'");
    EXPECT_EQ(read("a:b"), "the reason is missing");
    EXPECT_EQ(read("a:b="), "the reason is missing");
    EXPECT_EQ(read(":b=c"), "a pattern is empty");
    EXPECT_EQ(read("a:=c"), "a pattern is empty");
    EXPECT_EQ(read("\"a:b=c"), "a quote is not closed");
    EXPECT_EQ(read("\"a\"x:b=c"), "':' is missing after 'a'");
    EXPECT_EQ(read("@odd:b=c"), "there is no group 'odd'");
}

TEST(Rules, WantedPairsAndWhatMatchesNothing) {
    const Parts parts = building();
    const auto rules = parse_rules(
        "between: @structure @services\n"
        "between: crane *\n"
        "group: nobody layer=7\n"
        "bolt-* @nobody no such parts\n"
        "bolt-* beam-1 said once\n",
        "rules.txt");
    ASSERT_TRUE(rules);
    const WantedPairs wanted(parts, *rules);
    const auto masks = [&](std::uint32_t p, std::uint32_t q) {
        const ObjectSettings a = wanted.settings(p), b = wanted.settings(q);
        return (a.layers & b.mask) != 0 && (b.layers & a.mask) != 0;
    };
    for (std::uint32_t p = 0; p < 5; ++p)
        for (std::uint32_t q = p + 1; q < 5; ++q) {
            EXPECT_EQ(wanted(p, q), q == 4 || (p == 0 && (q == 2 || q == 3))) << p << q;
            EXPECT_EQ(wanted(p, q), wanted(q, p));
            EXPECT_EQ(wanted(p, q), masks(p, q)) << p << q;
        }
    EXPECT_EQ(unused(parts, *rules),
              (std::vector<std::string>{"the group 'nobody' matches no part", "the pattern 'bolt-*' matches no part",
                                        "the pattern '@nobody' matches no part"}));
    EXPECT_TRUE(WantedPairs(parts, Rules())(1, 2));
    // More of them than a scene has layers for.
    std::string many;
    for (int i = 0; i < 17; ++i) many += "between: crane beam-" + std::to_string(i) + "\n";
    const WantedPairs of_many(parts, *parse_rules(many, "rules.txt"));
    EXPECT_TRUE(of_many(0, 4));
    EXPECT_FALSE(of_many(1, 4));
    EXPECT_EQ(of_many.settings(1).mask, ~std::uint32_t{0});
}

}  // namespace
}  // namespace graze::checks
