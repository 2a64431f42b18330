// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "commands.hpp"
#include "graze/simd.hpp"
#include "help.hpp"
#include "kept_inputs.hpp"
#include "mistakes.hpp"
#include "options.hpp"

namespace graze::apps {

namespace {

constexpr const char* main_footer = R"(Examples:
  graze collide part.stl fixture.stl
      do they meet, and which triangles
  graze distance part.stl fixture.stl
      how far apart they are, and where
  graze path cell.stl arm.stl path.txt --html motion.html
      when contact begins and ends along a motion, and a page that shows it
  graze clash assembly.glb --baseline last.json --junit clashes.xml
      all pairs of an assembly, and what is new since the last run
  graze robot arm.urdf --joints "0 0.4 0 -1.2 0 1.6 0"
      whether a robot hits itself
  graze self part.stl
      whether a mesh meets itself
  graze samples here
      files to try all this with

Exit code: 0 clear, 1 collision found, 2 bad input or usage.)";

int run(int argc, char** argv) {
    CLI::App app{"Exact collision detection for polygon soups: which triangles of meshes meet.", "graze"};
    app.footer(main_footer);
    app.set_version_flag("--version", std::string("graze " GRAZE_VERSION ", ") + simd_target(),
                         "Print the version and the instruction set in use, and exit");
    app.require_subcommand(1);
    Action action;
    for (const auto add :
         {add_collide, add_distance, add_path, add_clash, add_robot, add_self, add_info, add_samples, add_demo})
        add(app, action);
    add_manual(app, action);
    set_up_help(app);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        app.exit(asked);
        return Clear;
    } catch (const CLI::ParseError& error) {
        return complain(in_plain_words(app, error, std::span(argv, static_cast<std::size_t>(argc)).subspan(1)));
    }
    if (const Result<void> kept = check_outputs(app); !kept) return complain(kept.fault().message);
    return action();
}

}  // namespace

}  // namespace graze::apps

int main(int argc, char** argv) {
    // Writing past a limit on file sizes, or to a pipe that nobody reads, costs that output and not the whole run.
#ifdef SIGXFSZ
    std::signal(SIGXFSZ, SIG_IGN);
#endif
#ifdef SIGPIPE
    std::signal(SIGPIPE, SIG_IGN);
#endif
    int code = graze::apps::Bad;
    try {
        code = graze::apps::run(argc, argv);
    } catch (const std::exception& error) {
        return graze::apps::complain(error.what());
    }
    // A script must not mistake an answer that was cut off for a whole one.
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        if (errno == EPIPE) return graze::apps::Bad;  // `graze … | head` has what it wants
        return graze::apps::complain(fmt::format("standard output: {}", std::strerror(errno)));
    }
    return code;
}
