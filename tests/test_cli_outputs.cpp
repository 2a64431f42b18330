// SPDX-License-Identifier: Apache-2.0
// Output of the commands. Files: which ones they replace, which ones they leave alone, and a full disk. Text: names in
// a file cannot steer a terminal.
#include <pty.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <set>

#include "cli.hpp"
#include "files/text.hpp"

namespace graze {
namespace {

/// A tetrahedron, moved along x.
std::string tetrahedron(double x) {
    const std::string at[] = {std::to_string(x) + " 0 0", std::to_string(x + 1) + " 0 0", std::to_string(x) + " 1 0",
                              std::to_string(x) + " 0 1"};
    std::string out;
    for (const std::string& p : at) out += "v " + p + "\n";
    return out + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
}

class CliOutputs : public Cli {
protected:
    void SetUp() override {
        Cli::SetUp();
        fs::create_directories(folder_ / "parts");
        a_ = write("parts/a.obj", tetrahedron(0));
        b_ = write("parts/b.obj", tetrahedron(0.25));
        clash_ = "clash " + at("parts");
    }

    std::string at(const std::string& name) const { return (folder_ / name).string(); }

    /// A whole command line of the shell, with what it prints on stderr.
    Outcome shell(const std::string& line) const {
        const int status = std::system(("( " + line + " ) 2>" + at("stderr")).c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", read_all(folder_ / "stderr")};
    }

    /// Names in the folder, hidden ones too.
    std::set<std::string> names() const {
        std::set<std::string> all;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
            all.insert(entry.path().filename().string());
        return all;
    }

    std::string a_, b_, clash_;
};

#ifdef GRAZE_REPORT
constexpr const char* outputs[] = {"--junit", "--bcf", "--write", "--html"};
#else
constexpr const char* outputs[] = {"--junit", "--bcf", "--write"};
#endif

TEST_F(CliOutputs, PipesAndDevicesAreWrittenToAndNotReplaced) {
    for (const std::string output : outputs) {
        const std::string pipe = at("pipe" + output + ".obj"), got = at("got");
        ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
        const Outcome o = shell("cat " + pipe + " >" + got + " & " GRAZE_COMMAND " " + clash_ + " -q " + output + " " +
                                pipe + "; code=$?; wait; exit $code");
        EXPECT_EQ(o.code, 1) << o.err;
        EXPECT_TRUE(fs::is_fifo(pipe)) << output;
        EXPECT_GT(fs::file_size(got), 100u) << output;

        const std::string link = at("link" + output + ".obj");
        fs::create_symlink("/dev/null", link);
        EXPECT_EQ(run(clash_ + " -q " + output + " " + link).code, 1);
        EXPECT_TRUE(fs::is_symlink(link) && fs::is_character_file("/dev/null")) << output;

        const std::string device = at("device" + output + ".obj");
        if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) continue;  // only root may
        run(clash_ + " -q " + output + " " + device);
        EXPECT_TRUE(fs::is_character_file(device)) << output;
    }
}

TEST_F(CliOutputs, AFileBesideTheOutputIsLeftAlone) {
    for (const std::string output : outputs) {
        const std::string path = at("out" + output + ".obj");
        const std::string victim = write("victim", "precious");
        fs::create_symlink(victim, path + ".tmp");
        EXPECT_EQ(run(clash_ + " -q " + output + " " + path).code, 1);
        EXPECT_GT(fs::file_size(path), 100u) << output;
        EXPECT_EQ(read_all(victim), "precious") << output;
        EXPECT_TRUE(fs::is_symlink(path + ".tmp")) << output;
    }
}

TEST_F(CliOutputs, LinksAreFollowedAndPermissionsKept) {
    fs::create_directories(folder_ / "elsewhere");
    for (const std::string output : outputs) {
        const std::string file = write("elsewhere/file" + output, "old"), link = at("link" + output + ".obj");
        fs::permissions(file, fs::perms(0640));
        fs::create_symlink("elsewhere/file" + output, link);
        EXPECT_EQ(run(clash_ + " -q " + output + " " + link).code, 1);
        EXPECT_TRUE(fs::is_symlink(link)) << output;
        EXPECT_GT(fs::file_size(file), 100u) << output;
        EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640)) << output;

        fs::remove(file);
        EXPECT_EQ(shell("umask 027; " GRAZE_COMMAND " " + clash_ + " -q " + output + " " + link).code, 1);
        EXPECT_TRUE(fs::is_symlink(link)) << output;
        EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640)) << output;
    }
    fs::create_symlink("loop", folder_ / "loop");
    EXPECT_EQ(run(clash_ + " --junit " + at("loop")).code, 2);
    EXPECT_TRUE(fs::is_symlink(folder_ / "loop"));
}

TEST_F(CliOutputs, StandardOutputByNameIsWrittenTo) {
    const Outcome o = run(clash_ + " --junit /dev/stdout");
    EXPECT_EQ(o.code, 1);
    EXPECT_NE(o.out.find("<testsuites"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("1 clash"), std::string::npos) << o.out;
}

TEST_F(CliOutputs, AFullDiskCostsOneOutput) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    for (const std::string full : outputs) {
        std::string arguments = clash_ + " --json";
        // --write looks at the extension.
        fs::create_symlink("/dev/full", folder_ / "full.obj");
        for (const std::string output : outputs)
            arguments += " " + output + " " + at(output == full ? "full.obj" : "out" + output + ".obj");
        const Outcome o = run(arguments);
        EXPECT_EQ(o.code, 2) << full;
        EXPECT_EQ(o.err, "graze: " + at("full.obj") + ": No space left on device\n") << full;
        EXPECT_EQ(Json::parse(o.out)["clashes"].size(), 1u) << full;
        for (const std::string output : outputs) {
            if (output == full) continue;
            EXPECT_GT(fs::file_size(at("out" + output + ".obj")), 100u) << full << " " << output;
            fs::remove(at("out" + output + ".obj"));
        }
        fs::remove(folder_ / "full.obj");
    }
    // The other commands print their answer too.
    const std::string poses = write("poses.txt", "0 0 0 0 0 0 1\n");
    fs::create_symlink("/dev/full", folder_ / "full.obj");
    for (const std::string& arguments :
         {"collide " + a_ + " " + b_ + " --write " + at("full.obj"),
#ifdef GRAZE_REPORT
          "collide " + a_ + " " + b_ + " --html /dev/full", "path " + a_ + " " + b_ + " " + poses + " --html /dev/full"
#endif
         }) {
        const Outcome o = run(arguments);
        EXPECT_EQ(o.code, 2) << arguments;
        EXPECT_NE(o.err.find("No space left on device"), std::string::npos) << o.err;
        EXPECT_NE(o.out.find("contact"), std::string::npos) << o.out;
    }
}

TEST_F(CliOutputs, ALimitOnSizesLeavesTheOldFileAndNothingElse) {
    // Contacts that take more than the limit of some kilobytes.
    std::string text;
    for (int i = 0; i < 400; ++i) {
        const std::string one = tetrahedron(0.01 * i);
        text += one.substr(0, one.find('f'));
        for (const char* face : {"-4 -2 -3", "-4 -3 -1", "-4 -1 -2", "-3 -2 -1"})
            text += std::string("f ") + face + "\n";
    }
    const std::string large = write("large.obj", text);
    const std::string old = write("contacts.ply", "old"), junit = at("clashes.xml");
    const std::set<std::string> before = names();
    const Outcome o =
        shell("ulimit -f 8; " GRAZE_COMMAND " clash " + large + " " + a_ + " -q --write " + old + " --junit " + junit);
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.err, "graze: " + old + ": File too large\n");
    EXPECT_EQ(read_all(old), "old");
    EXPECT_NE(read_all(junit).find("<testsuites"), std::string::npos);
    std::set<std::string> expected = before;
    expected.insert({"clashes.xml", "stderr"});
    EXPECT_EQ(names(), expected);
}

TEST_F(CliOutputs, APipeThatNobodyReadsCostsOneOutput) {
    const std::string pipe = at("pipe.xml"), bcf = at("clashes.bcf");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    // The reader leaves at once; a report of thousands of pairs does not fit into the pipe.
    const std::string reader = "( exec 3<" + pipe + "; exec 3<&- ) & ";
    const Outcome o = shell(reader + GRAZE_COMMAND " " + clash_ + " --junit " + pipe + " --bcf " + bcf + " >" +
                            at("stdout") + "; code=$?; wait; exit $code");
    EXPECT_TRUE(o.code == 1 || o.code == 2) << o.code;  // 1 when the reader was still there
    EXPECT_TRUE(fs::exists(bcf));
    EXPECT_NE(read_all(folder_ / "stdout").find("1 clash"), std::string::npos);
}

/// A colour, a bell, controls of Latin-1 (as UTF-8 and as a byte), delete, and two changes of direction.
const std::string evil =
    "x\x1b[31m\x07\xc2\x9b\x9b\x7f\xe2\x80\xae\xe2\x81\xa6"
    "y";

std::string xml_of(const std::string& name) {
    std::string out;
    for (const char c : name)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += "&#" + std::to_string(static_cast<int>(c)) + ";";
        else
            out += c;
    return out;
}

/// True when nothing in the text steers a terminal.
bool harmless(const std::string& text) {
    for (const char c : text)
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
    for (const char* one : {"\xc2\x9b", "\x9b", "\xe2\x80\xae", "\xe2\x81\xa6"})
        if (text.find(one) != text.npos) return false;
    return true;
}

TEST_F(CliOutputs, NamesDoNotSteerATerminal) {
    const std::string bad = write("parts/" + evil + ".obj", "o " + evil + "\n" + tetrahedron(0.1));
    write("parts/nodes.obj", "o " + evil + "\ng a" + evil + "\n" + tetrahedron(0.2));
    const std::string broken = write(evil + ".stl", "solid " + evil + "\nfacet " + evil);
    const std::string rules = write(evil + ".txt", evil + " a \"" + evil + "\"\n");
    const std::string wrong = write("wrong" + evil, evil + "\n");
    const std::string poses = write("poses", "0 0 0 0 0 0 1\n");
    const std::string shape = "<collision><geometry><sphere radius=\"1\"/></geometry></collision>";
    const auto link = [&](const std::string& name) { return "<link name=\"" + name + "\">" + shape + "</link>"; };
    const std::string name = xml_of(evil);
    const std::string robot =
        write(evil + ".urdf",
              "<robot name=\"" + name + "\">" + link(name) + link("b") + link("c" + name) + "<joint name=\"" + name +
                  "\" type=\"revolute\"><parent link=\"" + name +
                  "\"/><child link=\"b\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>"
                  "<joint name=\"k\" type=\"revolute\"><parent link=\"b\"/><child link=\"c" +
                  name + "\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint></robot>");
    const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
    const std::string b = " " + quoted(bad) + " ",
                      commands[] = {"info" + b,
                                    "info -v" + b + b,
                                    "info " + quoted(broken),
                                    "info" + b + a_ + " --groups",
                                    "collide" + b + a_,
                                    "collide -v" + b + quoted(broken),
                                    "collide" + b + b + "--pose " + quoted(evil),
                                    "collide" + b + b + "--poses " + quoted(wrong),
                                    "path" + b + a_ + " " + poses,
                                    "path" + b + a_ + " " + quoted(wrong),
                                    "clash " + at("parts") + " --groups -v",
                                    "clash " + at("parts") + " --rules " + quoted(rules),
                                    "clash " + at("parts") + " --ignore " + quoted("*:*=" + evil),
                                    "clash " + at("parts") + " --only " + quoted(evil),
                                    "clash " + quoted(broken),
                                    "clash " + at("parts") + " --baseline " + quoted(wrong),
                                    "clash " + at("parts") + " --rules " + quoted(wrong),
                                    "robot " + quoted(robot),
                                    "robot -v " + quoted(robot) + " --random 3",
                                    "robot " + quoted(robot) + " --joints 1",
                                    "robot " + quoted(robot) + " --joints " + quoted(evil + "=" + evil),
                                    "robot " + quoted(robot) + " --joints '9 9'",
                                    "robot " + quoted(wrong),
                                    "samples " + quoted(at(evil)),
                                    quoted(evil),
                                    "collide --" + evil.substr(0, 1) + quoted(evil),
                                    "info --up " + quoted(evil) + b};
    for (const std::string& command : commands) {
        const Outcome o = run(command);
        EXPECT_TRUE(harmless(o.out)) << command << "\n" << o.out;
        EXPECT_TRUE(harmless(o.err)) << command << "\n" << o.err;
        EXPECT_GT(o.out.size() + o.err.size(), 0u) << command;
    }
    // JSON keeps the names.
    const Outcome o = run("clash " + at("parts") + " --json");
    bool found = false;
    const Json answer = Json::parse(o.out);
    for (const Json& clash : answer["clashes"])
        found = found || clash["b"].get<std::string>().find("x\x1b[31m\x07\xc2\x9b") != std::string::npos;
    EXPECT_TRUE(found) << o.out;
}

TEST_F(CliOutputs, NoLineIsForgedByAName) {
    fs::create_directories(folder_ / "clear\npose 0");
    const std::string forged = write("clear\npose 0/x.obj", tetrahedron(0));
    const Outcome collide = run("collide '" + forged + "' " + a_);
    EXPECT_EQ(collide.out.find("\npose 0/"), std::string::npos) << collide.out;
    EXPECT_NE(collide.out.find("clear?pose 0/x.obj"), std::string::npos) << collide.out;
    const Outcome info = run("info '" + forged + "' " + a_);
    EXPECT_EQ(info.out.find("\npose 0/"), std::string::npos) << info.out;
}

/// The command's output on a terminal with this many columns.
std::string on_terminal(const std::string& arguments, unsigned short columns) {
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", (GRAZE_COMMAND " " + arguments + " 2>/dev/null").c_str(), nullptr);
        _exit(127);
    }
    std::string out;
    char some[4096];
    for (ssize_t n; (n = read(terminal, some, sizeof some)) > 0;) out.append(some, static_cast<std::size_t>(n));
    close(terminal);
    waitpid(child, nullptr, 0);
    std::erase(out, '\r');
    return out;
}

TEST_F(CliOutputs, TablesFitATerminal) {
    const std::string name(70, 'n');
    const std::string long_a = write("parts/" + name + "1.obj", tetrahedron(0.1));
    const std::string long_b = write("parts/" + name + "2.obj", tetrahedron(0.2));
    for (const std::string& arguments : {"info " + long_a + " " + long_b, clash_}) {
        const std::string narrow = on_terminal(arguments, 80);
        std::istringstream in(narrow);
        for (std::string line; std::getline(in, line);) EXPECT_LE(files::columns(line), 80u) << line;
        EXPECT_NE(narrow.find("…"), std::string::npos) << narrow;
        EXPECT_EQ(narrow.find(name), std::string::npos) << narrow;
        EXPECT_NE(run(arguments).out.find(name), std::string::npos);
    }
    // JSON on a terminal is read by people as well.
    write("parts/" + evil + ".obj", tetrahedron(0.1));
    EXPECT_TRUE(harmless(on_terminal(clash_ + " --csv", 80)));
    EXPECT_TRUE(harmless(on_terminal(clash_ + " --json", 80)));
}

}  // namespace
}  // namespace graze
