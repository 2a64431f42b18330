// SPDX-License-Identifier: Apache-2.0
// The help that the command prints, and the manuals made of it.
#include <set>

#include "cli.hpp"

namespace graze {
namespace {

const std::vector<std::string> commands = {"collide", "distance", "path",    "clash", "robot",
                                           "self",    "info",     "samples", "demo"};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// Bytes that start a character.
std::size_t columns(const std::string& line) {
    return static_cast<std::size_t>(
        std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// The options that a command's help lists, `--long` and `-s`.
std::set<std::string> options_in(const std::string& help) {
    std::set<std::string> options;
    bool here = false;
    for (const std::string& line : lines_of(help)) {
        if (!line.starts_with(' ')) here = line == "Options:";
        if (!here || !line.starts_with("  -")) continue;
        std::istringstream words(line);
        for (std::string word; words >> word && word.starts_with('-');) options.insert(word.substr(0, word.find(',')));
    }
    return options;
}

/// From the title's line to the next title of that depth.
std::string section(const std::string& text, const std::string& title, const std::string& next) {
    const std::size_t start = text.find("\n" + title);
    if (start == std::string::npos) return {};
    return text.substr(start + 1, text.find("\n" + next, start + 1) - start);
}

class CliHelp : public Cli {};

TEST_F(CliHelp, FitsATerminal) {
    const Outcome all = run("--help");
    EXPECT_EQ(all.code, 0);
    EXPECT_EQ(all.err, "");
    EXPECT_EQ(all.out.find("manual"), std::string::npos);
    EXPECT_NE(all.out.find("Usage: graze COMMAND [OPTIONS]\n"), std::string::npos) << all.out;
    std::vector<std::string> texts{all.out};
    for (const std::string& command : commands) {
        EXPECT_NE(all.out.find("\n  " + command + " "), std::string::npos) << all.out;
        const Outcome one = run(command + " --help");
        EXPECT_EQ(one.code, 0);
        EXPECT_NE(one.out.find("\nUsage: graze " + command + " [OPTIONS]"), std::string::npos) << one.out;
        EXPECT_TRUE(options_in(one.out).contains("--help")) << one.out;
        texts.push_back(one.out);
    }
    for (const std::string& text : texts) {
        for (const std::string& line : lines_of(text)) {
            EXPECT_LE(columns(line), 80u) << line;
            EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
        }
        EXPECT_EQ(text.find("\n\n\n"), std::string::npos) << text;
        EXPECT_EQ(text.find("REQUIRED"), std::string::npos) << text;
    }
}

TEST_F(CliHelp, EveryCommandHasExamplesAndExitCodes) {
    for (const std::string& command : commands) {
        const std::string help = run(command + " --help").out;
        EXPECT_NE(help.find("\nExamples:\n  graze " + command), std::string::npos) << help;
        EXPECT_NE(help.find("\nExit code: 0"), std::string::npos) << help;
    }
}

TEST_F(CliHelp, ManualsHaveEveryOption) {
    const std::string man = run("manual").out, markdown = run("manual --markdown").out;
    for (const std::string& command : commands) {
        const std::string in_man = section(man, ".SS graze " + command + " ", ".S"),
                          in_markdown = section(markdown, "## graze " + command + "\n", "## ");
        const std::set<std::string> options = options_in(run(command + " --help").out);
        EXPECT_GE(options.size(), 2u) << command;
        for (const std::string& option : options) {
            std::string escaped;
            for (const char c : option) (escaped += c == '-' ? "\\" : "") += c;
            EXPECT_NE(in_man.find(escaped), std::string::npos) << command << " " << option << "\n" << in_man;
            EXPECT_NE(in_markdown.find(option), std::string::npos) << command << " " << option << "\n" << in_markdown;
        }
    }
}

TEST_F(CliHelp, TheManPageIsRoff) {
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    const Outcome o = run("manual");
    unsetenv("SOURCE_DATE_EPOCH");
    EXPECT_EQ(o.code, 0);
    EXPECT_EQ(o.err, "");
    EXPECT_TRUE(o.out.starts_with(".TH GRAZE 1 2023-11-14 \"graze ")) << o.out.substr(0, 80);
    for (const char* title : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXAMPLES", "\"EXIT STATUS\""})
        EXPECT_NE(o.out.find(std::string("\n.SH ") + title + "\n"), std::string::npos) << title;
    // Only these requests; a text that looks like one would be lost.
    const std::set<std::string> known = {".TH", ".SH", ".SS", ".TP", ".PP", ".EX", ".EE", ".RS", ".RE"};
    int examples = 0, indents = 0;
    for (const std::string& line : lines_of(o.out)) {
        EXPECT_FALSE(line.empty()) << "a blank line";
        EXPECT_FALSE(line.starts_with('\'')) << line;
        for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
        if (!line.starts_with('.')) continue;
        EXPECT_TRUE(known.contains(line.substr(0, line.find(' ')))) << line;
        examples += line == ".EX" ? 1 : line == ".EE" ? -1 : 0;
        indents += line.starts_with(".RS") ? 1 : line == ".RE" ? -1 : 0;
        EXPECT_TRUE(examples == 0 || examples == 1);
    }
    EXPECT_EQ(examples, 0);
    EXPECT_EQ(indents, 0);
}

TEST_F(CliHelp, MarkdownIsWhole) {
    const Outcome o = run("manual --markdown");
    EXPECT_EQ(o.code, 0);
    EXPECT_TRUE(o.out.starts_with("# ")) << o.out.substr(0, 80);
    int fences = 0;
    for (const std::string& line : lines_of(o.out)) {
        if (line.starts_with("```")) {
            EXPECT_EQ(line, ++fences % 2 ? "```text" : "```");
        }
        if (fences % 2 == 0 && line.starts_with('|')) {
            EXPECT_TRUE(line.ends_with(" |") || line == "|---|---|") << line;
        }
    }
    EXPECT_EQ(fences % 2, 0);
}

TEST_F(CliHelp, MistakesAreExplainedInPlainWords) {
    const std::string a = write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), two = "collide " + a + " " + a;
    const std::pair<std::string, std::string> mistakes[] = {
        {"", "a command is missing: collide, distance, path, clash, robot, self, info, samples or demo"},
        {"colide a b", "there is no command 'colide'; did you mean collide?"},
        {"inof", "there is no command 'inof'; did you mean info?"},
        {"frobnicate", "there is no command 'frobnicate' (see"},
        {"--colide", "there is no option --colide"},
        {"collide", "A is missing: graze collide [OPTIONS] A B"},
        {"collide " + a, "B is missing: graze collide"},
        {two + " --up q", "--up takes keep, x, y or z; got 'q' (see graze collide --help)"},
        {two + " --scale x", "--scale takes a number; got 'x'"},
        {two + " --threads -1", "--threads takes a whole number; got '-1'"},
        {two + " --pse 1", "there is no option --pse; did you mean --pose?"},
        {two + " --htlm x", "there is no option --htlm; did you mean --html?"},
        {two + " -x", "there is no option -x"},
        {two + " --pose", "--pose needs a value, TEXT"},
        {two + " --pose 1 --poses 2", "--pose and --poses cannot be used together"},
        {two + " --seed 2", "--seed works only with --poses"},
        {two + " extra", "'extra' is one argument too many"},
        {two + " --up x --up y", "--up may be given only once"},
        {"demo --frames 0", "--frames takes a whole number from 1 to 1000000; got '0'"},
        {"demo --frames x", "--frames takes a whole number from 1 to 1000000; got 'x'"},
        {"info --tightness 0 " + a, "--tightness takes a whole number from 1 to 100; got '0'"},
        {"robot", "URDF is missing: graze robot [OPTIONS] URDF"},
        {"samples", "FOLDER is missing: graze samples"},
        {"clash --rules", "--rules needs a value, FILE"},
    };
    for (const auto& [arguments, start] : mistakes) expect_complaint(arguments, start);
    for (const char* axis : {"keep", "x", "Y", "z"}) EXPECT_EQ(run("info " + a + " --up " + axis).code, 0);
}

TEST_F(CliHelp, TheDemoWritesTheMotionThatItsFiguresAreOf) {
    const auto at = [&](const char* name) { return (folder_ / name).string(); };
    const Outcome o = run("demo --frames 60 --write " + at("demo"));
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.out.find("To try next:"), std::string::npos);
    double contacts = 0;
    for (const std::string& line : lines_of(o.out))
        if (line.starts_with("contacts per query ")) contacts = std::stod(line.substr(19));
    EXPECT_NE(
        o.out.find(contacts < 6 ? "these 60 frames have fewer contacts" : "these 60 frames have no fewer contacts"),
        std::string::npos)
        << o.out;

    const Outcome followed =
        run("path " + at("demo/pipes.ply") + " " + at("demo/small.ply") + " " + at("demo/tumble.txt"));
    ASSERT_EQ(followed.code, 1) << followed.err;
    const std::string last = lines_of(followed.out).back();  // 60 frames: in contact in 5, twice, 276 contacts in all
    ASSERT_TRUE(last.starts_with("60 frames: ") && last.ends_with(" contacts in all")) << last;
    const double all = std::stod(last.substr(last.rfind(", ") + 2));
    EXPECT_NEAR(all / 60, contacts, 0.05001) << last;
}

TEST_F(CliHelp, TheDemoComparesQueriesAndSaysWhatToTryNext) {
    const Outcome o = run("demo --frames 2");
    EXPECT_EQ(o.code, 0);
    EXPECT_EQ(o.out.find("total"), std::string::npos) << o.out;
    std::vector<std::string> next;
    for (const std::string& line : lines_of(o.out.substr(o.out.find("To try next:"))))
        if (line.starts_with("  graze ")) next.push_back(line.substr(8));
    ASSERT_EQ(next.size(), 3u) << o.out;
    for (const std::string& line : next) {
        const int status =
            std::system(("cd " + folder_.string() + " && " GRAZE_COMMAND " " + line + " >out 2>&1").c_str());
        EXPECT_LE(WEXITSTATUS(status), 1) << line << "\n" << read_all(folder_ / "out");
    }
}

}  // namespace
}  // namespace graze
