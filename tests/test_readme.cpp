// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace {

std::string read_all(const char* path) {
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(in) << path << " cannot be read";
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The text between the first `from` and the next `to` after it; empty without them.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const std::size_t begin = text.find(from);
    if (begin == std::string::npos) return "";
    const std::size_t end = text.find(to, begin + from.size());
    return end == std::string::npos ? "" : text.substr(begin + from.size(), end - begin - from.size());
}

/// The page's first example is the program, from its first include on.
void expect_shows(const char* page, const char* program) {
    const std::string example = read_all(program);
    const std::size_t begin = example.find("#include");
    ASSERT_NE(begin, std::string::npos);
    EXPECT_EQ(between(read_all(page), "```cpp\n", "```"), example.substr(begin));
}

TEST(Readme, ShowsTheExampleThatIsCompiled) { expect_shows("README.md", "examples/hello.cpp"); }
TEST(Readme, FrontsShowTheirs) { expect_shows("docs/fronts.md", "examples/front.cpp"); }
TEST(Readme, ScenesShowTheirs) { expect_shows("docs/scenes.md", "examples/scene.cpp"); }

}  // namespace
