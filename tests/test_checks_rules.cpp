// SPDX-License-Identifier: Apache-2.0
// Rules that let pairs of parts meet, and the files they are in.
#include <gtest/gtest.h>

#include <ctime>

#include "checks/rules.hpp"

namespace graze::checks {
namespace {

bool found(const std::string& pattern, const std::string& path) {
    return matches({pattern, "other", "x"}, path, "other");
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
        "\"#3\" 3/8\" \"a reason in quotes\"",
        "rules.txt");
    ASSERT_TRUE(rules);
    ASSERT_EQ(rules->size(), 3u);
    EXPECT_EQ((*rules)[0].a, "bolt-*");
    EXPECT_EQ((*rules)[0].b, "plate");
    EXPECT_EQ((*rules)[0].reason, "they are screwed in, see issue #12");
    EXPECT_EQ((*rules)[1].a, "big gear");
    EXPECT_EQ((*rules)[1].b, "*/small gear *");
    EXPECT_EQ((*rules)[1].reason, "they \"mesh\"");
    EXPECT_EQ((*rules)[2].a, "#3");
    EXPECT_EQ((*rules)[2].b, "3/8\"");
    EXPECT_EQ((*rules)[2].reason, "a reason in quotes");
    for (const char* nothing : {"", "\n", "# only this", "\r\n\r\n"}) {
        const auto none = parse_rules(nothing, "rules.txt");
        EXPECT_TRUE(none && none->empty());
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
}

}  // namespace
}  // namespace graze::checks
