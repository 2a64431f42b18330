// SPDX-License-Identifier: Apache-2.0
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "checks/contacts.hpp"
#include "commands.hpp"
#include "files/pose_file.hpp"
#include "pair.hpp"
#include "scenes/placements.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

struct CollideArguments : PairArguments {
    std::optional<std::string> pose;   ///< B in A's frame, as text; the identity by default
    std::optional<std::string> poses;  ///< a file of poses, or the number of random poses
    std::uint64_t seed = 1;
    std::string write;  ///< file for contact triangles and curves; empty for none
};

/// The number of random poses asked for: --poses is a number and not the name of a file.
std::optional<std::size_t> random_count(const CollideArguments& arguments) {
    if (!arguments.poses) return {};
    const std::string& text = *arguments.poses;
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    std::error_code ignored;
    if (error != std::errc() || end != text.data() + text.size() || std::filesystem::exists(text, ignored)) return {};
    return count;
}

/// Random poses: any rotation, and the middle of B in a cube around the middle of A. The cube's size makes most boxes
/// overlap, so that the models meet in some poses and are apart in others.
Result<std::vector<Pose>> random_poses(const LoadedPair& pair, std::size_t count, std::uint64_t seed) {
    constexpr std::size_t most = 10'000'000;  // about a gigabyte
    if (count == 0 || count > most)
        return Fault{FaultKind::TooMany, fmt::format("--poses: {} random poses are not between 1 and {}", count, most)};
    const scenes::Ball a = scenes::bounding_ball(pair.a.model), b = scenes::bounding_ball(pair.b.model);
    const double reach = a.radius / 2 + b.radius / 2;
    scenes::Random random(seed);
    std::vector<Pose> poses;
    poses.reserve(count);
    while (poses.size() < count) {
        const Mat3 rotation = scenes::random_rotation(random).rotation();
        const Result<Pose> pose =
            Pose::from_matrix(rotation, a.centre + random.in_cube(-1, 1) * reach - rotation * b.centre);
        if (!pose) return Fault{pose.fault().kind, "--poses: " + pose.fault().message};
        poses.push_back(*pose);
    }
    return poses;
}

Result<std::vector<Pose>> poses_of(const CollideArguments& arguments, const LoadedPair& pair) {
    if (arguments.pose) {
        const Result<Pose> pose = files::parse_pose(*arguments.pose);
        if (!pose) return Fault{pose.fault().kind, "--pose: " + pose.fault().message};
        return std::vector<Pose>{*pose};
    }
    if (!arguments.poses) return std::vector<Pose>(1);
    if (const std::optional<std::size_t> count = random_count(arguments))
        return random_poses(pair, *count, arguments.seed);
    return files::read_poses(*arguments.poses);
}

using Buffer = fmt::memory_buffer;

void append_pairs(Buffer& out, const std::vector<Contact>& contacts, TrianglePair Contact::* member) {
    out.push_back('[');
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const TrianglePair& pair = contacts[i].*member;
        fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}[{}, {}]"), i ? ", " : "", pair.a, pair.b);
    }
    out.push_back(']');
}

/// Appends the matrix in numbers that read back bit for bit.
void append_matrix(Buffer& out, const Pose& pose) {
    for (int i = 0; i < 12; ++i) {
        const double x =
            i % 4 < 3 ? pose.rotation().row[static_cast<std::size_t>(i / 4)][i % 4] : pose.translation()[i / 4];
        fmt::format_to(std::back_inserter(out), "{}{}", i ? ", " : "[", x);
        if (x == 0 && std::signbit(x))
            fmt::format_to(std::back_inserter(out), ".0");  // -0 alone would be read as the integer 0
    }
    out.push_back(']');
}

/// Writes the answers pose by pose in the format asked for.
class Answers {
public:
    Answers(const CollideArguments& arguments, const LoadedPair& pair, std::span<const Pose> poses)
        : arguments_(arguments),
          polygons_(pair.has_polygons()),
          matrix_(arguments.output.verbose || random_count(arguments)),
          poses_(poses) {}

    /// Appends one line. The entries of `polygons` correspond to those of `pairs`.
    void append_json(Buffer& out, const checks::FrameAnswer& answer) const {
        const auto to = std::back_inserter(out);
        fmt::format_to(to, R"({{"pose": {}, "intersects": {}, "contacts": {}, )", answer.frame, answer.meets,
                       answer.contacts.size());
        const bool inside = answer.kind == checks::Kind::Inside;
        if (inside || (!answer.contacts.empty() && !arguments_.first))
            fmt::format_to(to, R"("kind": "{}", )", name(answer.kind));
        if (inside) fmt::format_to(to, R"("inside": "{}", )", inner(answer));
        fmt::format_to(to, R"("pairs": )");
        append_pairs(out, answer.contacts, &Contact::triangles);
        if (polygons_) {
            fmt::format_to(to, R"(, "polygons": )");
            append_pairs(out, answer.contacts, &Contact::polygons);
        }
        if (matrix_) {
            fmt::format_to(to, R"(, "a_from_b": )");
            append_matrix(out, poses_[answer.frame]);
        }
        fmt::format_to(to, R"(, "stats": {})", json_of(answer.stats).dump());
        if (arguments_.output.verbose) fmt::format_to(to, R"(, "ms": {:.6f})", answer.ms);
        out.push_back('}');
    }

    std::string csv_head() const { return polygons_ ? "pose,a,b,polygon_a,polygon_b\n" : "pose,a,b\n"; }

    void append_csv(Buffer& out, const checks::FrameAnswer& answer) const {
        for (const Contact& c : answer.contacts) {
            const auto to = std::back_inserter(out);
            fmt::format_to(to, FMT_COMPILE("{},{},{}"), answer.frame, c.triangles.a, c.triangles.b);
            if (polygons_) fmt::format_to(to, FMT_COMPILE(",{},{}"), c.polygons.a, c.polygons.b);
            out.push_back('\n');
        }
    }

    void append_text(Buffer& out, const checks::FrameAnswer& answer) const {
        const auto to = std::back_inserter(out);
        fmt::format_to(to, "pose {}: ", answer.frame);
        if (!answer.meets)
            fmt::format_to(to, "clear");
        else if (answer.kind == checks::Kind::Inside)
            fmt::format_to(to, "{0} is inside {1}", inner(answer), inner(answer) == 'A' ? 'B' : 'A');
        else if (arguments_.first)
            fmt::format_to(to, "collision");
        else
            fmt::format_to(to, "{}, {}", counted(answer.contacts.size(), "contact"), name(answer.kind));
        if (arguments_.output.verbose) fmt::format_to(to, ", {}; {}", duration(answer.ms), text_of(answer.stats));
        out.push_back('\n');
        if (poses_.size() == 1 || arguments_.output.verbose) append_list(out, answer.contacts);
    }

private:
    static char inner(const checks::FrameAnswer& answer) { return answer.nesting == checks::Nesting::AInB ? 'A' : 'B'; }

    static void append_list(Buffer& out, const std::vector<Contact>& contacts) {
        constexpr std::size_t shown = 24, in_a_line = 6;
        const auto to = std::back_inserter(out);
        const std::size_t count = std::min(shown, contacts.size());
        for (std::size_t i = 0; i < count; ++i) {
            const TrianglePair& pair = contacts[i].triangles;
            const bool ends = i % in_a_line == in_a_line - 1 || i + 1 == count;
            fmt::format_to(to, "{}{}-{}{}", i % in_a_line == 0 ? "  " : "", pair.a, pair.b, ends ? "\n" : "  ");
        }
        if (contacts.size() > count) fmt::format_to(to, "  … and {} more\n", grouped(contacts.size() - count));
    }

    const CollideArguments& arguments_;
    bool polygons_, matrix_;
    std::span<const Pose> poses_;
};

Result<Done> write_contacts(const CollideArguments& arguments, const LoadedPair& pair, const Pose& a_from_b,
                            std::span<const Contact> contacts) {
    if (arguments.write.empty()) return Done{};
    const Model &a = pair.a.model, &b = pair.b.model;
    const files::Assembly assembly = checks::contact_triangles(a, b, a_from_b, contacts, "A", "B");
    // STL has triangles only.
    if (files::extension(arguments.write) == ".stl") return files::write_assembly(arguments.write, assembly);
    return files::write_assembly(arguments.write, assembly, checks::crossing_curves(a, b, a_from_b, contacts));
}

int collide_files(const CollideArguments& arguments) {
    const Output& output = arguments.output;
    const Result<LoadedPair> pair = load_pair(arguments);
    if (!pair) return complain(pair.fault().message);
    const Result<std::vector<Pose>> poses = poses_of(arguments, *pair);
    if (!poses) return complain(poses.fault().message);

    // When files are written too, the answer is printed after them, so that faults come first.
    const bool wait = !output.html.empty() || !arguments.write.empty();
    const bool yes_or_no = output.quiet && !wait;
    const bool one_by_one = poses->size() == 1 || output.verbose;
    const checks::Ask ask = arguments.write.empty()
                                ? what_to_ask(arguments, !output.quiet && (!output.text() || one_by_one))
                                : checks::Ask::All;
    const Answers answers(arguments, *pair, *poses);
    PairPage page("collide", arguments, *pair, {}, *poses);
    // No bar among lines that are printed to the same terminal.
    std::optional<ProgressBar> bar;
    bar.emplace(poses->size(), output.progress() && poses->size() > 1 && (wait || !is_terminal(stdout)));
    Buffer out, json;
    if (output.text()) out.append(heading(arguments, *pair));
    if (output.csv) out.append(answers.csv_head());
    Faults faults;
    const auto visit = [&](checks::FrameAnswer& answer) {
        bar->show(answer.frame);
        std::ranges::sort(answer.contacts);
        if (output.json || !output.html.empty()) {
            Buffer line;
            answers.append_json(line, answer);
            if (output.json) (out.append(line), out.push_back('\n'));
            if (!output.html.empty()) (json.append(std::string_view(answer.frame ? ",\n" : "[\n")), json.append(line));
        }
        if (output.csv) answers.append_csv(out, answer);
        if (output.text()) answers.append_text(out, answer);
        page.add(answer);
        faults.add(write_contacts(arguments, *pair, (*poses)[answer.frame], answer.contacts));
        if (!wait) {
            print({out.data(), out.size()}, output);
            out.clear();
        }
        // An answer that cannot be printed need not be found.
        const bool stop = std::ferror(stdout) || (yes_or_no && answer.meets);
        return stop ? Step::Stop : Step::Continue;
    };
    const checks::Motion motion = checks::follow(pair->a.model, pair->b.model, *poses, ask, visit);
    bar.reset();
    json.append(std::string_view("]\n"));
    faults.add(page.write(motion, *poses, {json.data(), json.size()}));

    const std::size_t hits = motion.frames_in_contact() + motion.frames_inside();
    if (output.text() && poses->size() > 1) {
        const auto to = std::back_inserter(out);
        fmt::format_to(to, "{}: {} in collision", counted(poses->size(), "pose"), grouped(hits));
        if (!arguments.first) fmt::format_to(to, ", {}", counted(motion.contact_count(), "contact"));
        if (output.verbose) fmt::format_to(to, ", {}; {}", duration(motion.ms), text_of(motion.stats));
        out.push_back('\n');
    }
    print({out.data(), out.size()}, output);
    return faults.exit_code(hits ? Collision : Clear);
}

}  // namespace

void add_collide(CLI::App& app, Action& action) {
    CLI::App* command =
        app.add_subcommand("collide", "Find the triangles of two meshes that meet: exactly, touching included");
    const auto arguments = std::make_shared<CollideArguments>();
    CLI::Option* pose = command->add_option(
        "--pose", arguments->pose, "Pose of B in A's frame: \"x y z qx qy qz qw\", or the 12 numbers of a 3x4 matrix");
    CLI::Option* poses = command->add_option(
        "--poses", arguments->poses, "File of poses, one per line (# starts a comment), or a number of random poses");
    pose->type_name("TEXT")->excludes(poses);
    poses->type_name("FILE|N");
    command->add_option("--seed", arguments->seed, "Random seed of the poses")->type_name("N")->needs(poses);
    add_pair(*command, *arguments);
    command
        ->add_option("--write", arguments->write,
                     "Write the triangles in contact and the curves where they cross: .obj, .ply, .glb, .stl")
        ->type_name("FILE")
        ->check(in_a_folder())
        ->check(of_written_format())
        ->excludes(poses);
    command->footer(R"(Examples:
  graze collide teapot.obj ring.stl
      whether they meet as they are placed, and which triangles
  graze collide teapot.obj teapot.obj --poses 1000 --first
      a mesh against a copy of itself in 1000 random poses, yes or no
  graze collide teapot.obj ring.stl --pose "0 0 1 0 0 0 1" --html page.html
      the ring lifted by 1, and a report
  graze collide teapot.obj ring.stl --write contact.glb
      the triangles in contact, for a modelling tool

Triangles are numbered from 0 in the file's order. Polygons are cut into
triangles, numbered polygon by polygon; JSON and CSV then name the polygons as
well. JSON has one line per pose, with the matrix a_from_b by rows for random
poses and with -v. Crossing means that the surfaces pass through each other, or
that one mesh reaches into a closed other one. Inside means that one mesh, or a
body of it, lies within a closed body of the other and the surfaces do not meet:
a collision without triangles in contact. STL files have no curves.

Exit code: 0 clear, 1 collision in any pose, 2 bad input or usage.)");
    command->callback([arguments, &action] {
        arguments->settle();
        action = [arguments] { return collide_files(*arguments); };
    });
}

}  // namespace graze::apps
