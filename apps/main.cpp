// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "commands.hpp"

namespace graze::apps {

namespace {

constexpr const char* examples = R"(Examples:
  graze collide part.stl fixture.stl
      all pairs of triangles that meet, both files in one frame
  graze collide arm.obj cell.obj --pose "0.4 0 1.2 0 0 0 1" --first
      whether the second, placed by x y z qx qy qz qw, meets the first
  graze collide arm.obj cell.obj --poses path.txt --json > contacts.jsonl
      a line of JSON for each pose of a file
  graze demo
      the OBBTree paper's pipes, and its figures beside this machine's

Exit code: 0 clear, 1 collision in any pose, 2 bad input or usage.)";

int run(int argc, char** argv) {
    CLI::App app{"Exact collision detection for polygon soups: which triangles of two meshes meet.", "graze"};
    app.footer(examples);
    app.set_version_flag("--version", "graze " GRAZE_VERSION);
    app.require_subcommand(1);

    CollideArguments collide_arguments;
    CLI::App* collide =
        app.add_subcommand("collide", "Find the triangles of two meshes that meet: exactly, touching included");
    collide
        ->add_option("A", collide_arguments.a, "Mesh or scene: STL, OBJ, PLY, and by assimp glTF, COLLADA, 3MF, FBX, …")
        ->required();
    collide->add_option("B", collide_arguments.b, "The same, placed in A's frame by the pose")->required();
    CLI::Option* pose = collide->add_option("--pose", collide_arguments.pose,
                                            "B's pose: \"x y z qx qy qz qw\", or a 3x4 matrix's 12 numbers by rows");
    CLI::Option* poses = collide->add_option("--poses", collide_arguments.poses,
                                             "File of poses, one a line; blank lines and # comments are skipped");
    pose->type_name("TEXT")->excludes(poses);
    poses->type_name("FILE");
    CLI::Option* first = collide->add_flag("--first", collide_arguments.first, "Stop at a pose's first contact");
    bool all = true;
    collide->add_flag("--all", all, "Report all contacts (the default)")->excludes(first);
    collide->add_flag("--json", collide_arguments.json, "Print a JSON object a line, one a pose");
    collide->add_option("--threads", collide_arguments.threads, "Threads of the build; 0 is all")->type_name("N");
    collide->footer(
        "Triangles are numbered from 0 in the file's order. Polygons are cut into\n"
        "triangles, numbered polygon by polygon; JSON then names the polygons as well.\n"
        "Exit code: 0 clear, 1 collision in any pose, 2 bad input or usage.");

    DemoArguments demo_arguments;
    CLI::App* demo_command =
        app.add_subcommand("demo", "Tumble a small bundle of pipes inside a large one and count the contacts");
    demo_command->add_option("--frames", demo_arguments.frames, "Steps of the tumble")
        ->capture_default_str()
        ->type_name("N")
        ->check(CLI::Range(1u, 1000000u));
    demo_command->add_option("--seed", demo_arguments.seed, "Seed of the path")->capture_default_str()->type_name("N");
    demo_command->add_option("--threads", demo_arguments.threads, "Threads of the build; 0 is all")->type_name("N");

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {
        app.exit(asked);
        return Clear;
    } catch (const CLI::ParseError& error) {
        return complain(fmt::format("{} (see graze --help)", error.what()));
    }
    return collide->parsed() ? collide_files(collide_arguments) : demo(demo_arguments);
}

}  // namespace

int complain(const std::string& what) {
    // What was printed before comes first where both go to one place.
    std::fflush(stdout);
    fmt::print(stderr, "graze: {}\n", what);
    return Bad;
}

}  // namespace graze::apps

int main(int argc, char** argv) {
    int code = graze::apps::Bad;
    try {
        code = graze::apps::run(argc, argv);
    } catch (const std::exception& error) {
        return graze::apps::complain(error.what());
    }
    // An answer that did not reach its file must not look like one that did.
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
        return graze::apps::complain(fmt::format("standard output: {}", std::strerror(errno)));
    return code;
}
