// SPDX-License-Identifier: Apache-2.0
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>

#include "checks/contacts.hpp"
#include "commands.hpp"
#include "device.hpp"
#include "pair.hpp"
#include "poses.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

struct CollideArguments : PairArguments {
    PoseArguments placing;
    std::string write;  ///< file for contact triangles and curves; empty for none
    DeviceArguments device;
};

/// Writes the answers pose by pose in the format asked for.
class Answers {
public:
    Answers(const CollideArguments& arguments, const LoadedPair& pair, std::span<const Pose> poses)
        : arguments_(arguments),
          pair_(pair),
          polygons_(pair.has_polygons()),
          matrix_(arguments.output.verbose || arguments.placing.random_count()),
          poses_(poses) {}

    /// Appends one line. The entries of `polygons` correspond to those of `pairs`.
    void append_json(Buffer& out, const checks::FrameAnswer& answer) const {
        const auto to = std::back_inserter(out);
        fmt::format_to(to, R"({{"pose": {}, "intersects": {}, "contacts": {}, )", answer.frame, answer.meets,
                       answer.contacts.size());
        const bool inside = answer.kind == checks::Kind::Inside;
        if (inside || answer.close || (!answer.contacts.empty() && !arguments_.first))
            fmt::format_to(to, R"("kind": "{}", )", name(answer.kind));
        if (inside) fmt::format_to(to, R"("inside": "{}", )", inner(answer));
        if (answer.closest) append_closest(out, *answer.closest);
        fmt::format_to(to, R"("pairs": )");
        append_pairs(out, answer.contacts, &Contact::triangles);
        if (polygons_) {
            fmt::format_to(to, R"(, "polygons": )");
            append_pairs(out, answer.contacts, &Contact::polygons);
        }
        append_end(out, matrix_ ? &poses_[answer.frame] : nullptr, answer.stats,
                   arguments_.output.verbose ? &answer.ms : nullptr, members_of_first(arguments_, pair_, answer.frame));
    }

    std::string csv_head() const {
        return fmt::format("pose,a,b{}{}\n", polygons_ ? ",polygon_a,polygon_b" : "", distances() ? ",distance" : "");
    }

    /// A row per contact. A pose within the clearance has a row of its closest triangles.
    void append_csv(Buffer& out, const checks::FrameAnswer& answer) const {
        const auto append = [&](const TrianglePair& triangles, const TrianglePair& polygons, double distance) {
            const auto to = std::back_inserter(out);
            fmt::format_to(to, FMT_COMPILE("{},{},{}"), answer.frame, triangles.a, triangles.b);
            if (polygons_) fmt::format_to(to, FMT_COMPILE(",{},{}"), polygons.a, polygons.b);
            if (distances()) fmt::format_to(to, FMT_COMPILE(",{}"), distance);
            out.push_back('\n');
        };
        for (const Contact& c : answer.contacts) append(c.triangles, c.polygons, 0);
        if (!answer.closest) return;
        const TrianglePair& t = answer.closest->triangles;
        append(t, {pair_.a.model.polygon_of(t.a), pair_.b.model.polygon_of(t.b)}, answer.closest->distance);
    }

    void append_text(Buffer& out, const checks::FrameAnswer& answer) const {
        const auto to = std::back_inserter(out);
        fmt::format_to(to, "pose {}: ", answer.frame);
        if (answer.close)
            fmt::format_to(to, "{}", close_text(answer.closest, arguments_.clearance, pair_.unit));
        else if (!answer.meets)
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
    bool distances() const { return arguments_.clearance > 0; }
    static char inner(const checks::FrameAnswer& answer) { return answer.nesting == checks::Nesting::AInB ? 'A' : 'B'; }

    static void append_closest(Buffer& out, const Closest& closest) {
        fmt::format_to(std::back_inserter(out), R"("distance": {}, "point_a": )", closest.distance);
        append_vector(out, closest.point_a);
        fmt::format_to(std::back_inserter(out), R"(, "point_b": )");
        append_vector(out, closest.point_b);
        fmt::format_to(std::back_inserter(out), ", ");
    }

    const CollideArguments& arguments_;
    const LoadedPair& pair_;
    bool polygons_, matrix_;
    std::span<const Pose> poses_;
};

Result<void> write_contacts(const CollideArguments& arguments, const LoadedPair& pair, const Pose& a_from_b,
                            std::span<const Contact> contacts) {
    if (arguments.write.empty()) return {};
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
    const Result<std::vector<Pose>> poses = poses_of(arguments.placing, *pair);
    if (!poses) return complain(poses.fault().message);
    const Result<Device> device = choose_device(arguments.device, poses->size());
    if (!device) return complain(device.fault().message);

    // When files are written too, the answer is printed after them, so that faults come first.
    const bool wait = !output.html.empty() || !arguments.write.empty();
    const bool yes_or_no = output.quiet && !wait;
    const bool one_by_one = poses->size() == 1 || output.verbose;
    const checks::Ask ask = arguments.write.empty()
                                ? what_to_ask(arguments, !output.quiet && (!output.text() || one_by_one))
                                : checks::Ask::All;
    tell_device(arguments.device, *device, output);
    std::vector<std::uint8_t> known;
    if (poses->size() > 1) {
        const Batch batch{*device, pair->a.model, pair->b.model, *poses, arguments.threads};
        // JSON and -v tell the work that each pose takes, so there each pose is asked by itself.
        const bool work_shown = output.json || output.verbose || !output.html.empty();
        if (yes_or_no && *device == Device::Cpu) {
            Faults faults;
            if (batch.any_meets()) return exit_code(faults, arguments, *pair, Collision);
            known.assign(poses->size(), 0);
        } else if (!work_shown || *device != Device::Cpu) {
            Result<std::vector<std::uint8_t>> meets = batch.meets();
            if (!meets) return complain(meets.fault().message);
            known = std::move(*meets);
        }
    }
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
        const bool stop = std::ferror(stdout) || (yes_or_no && answer.hit());
        return stop ? Step::Stop : Step::Continue;
    };
    const checks::Motion motion = checks::follow(
        pair->a.model, pair->b.model, *poses,
        {.ask = ask, .clearance = arguments.clearance, .threads = arguments.threads, .known = known}, visit);
    bar.reset();
    json.append(std::string_view("]\n"));
    faults.add(page.write(motion, *poses, {json.data(), json.size()}));

    const std::size_t hits = motion.frames_in_contact() + motion.frames_inside();
    if (output.text() && poses->size() > 1) {
        const auto to = std::back_inserter(out);
        fmt::format_to(to, "{}: {} in collision", counted(poses->size(), "pose"), grouped(hits));
        if (arguments.clearance > 0)
            fmt::format_to(to, ", {} within {}", grouped(motion.close.size()),
                           length_text(arguments.clearance, pair->unit));
        if (!arguments.first) fmt::format_to(to, ", {}", counted(motion.contact_count(), "contact"));
        if (output.verbose) fmt::format_to(to, ", {}; {}", duration(motion.ms), text_of(motion.stats));
        out.push_back('\n');
    }
    print({out.data(), out.size()}, output);
    return exit_code(faults, arguments, *pair, motion.intervals.empty() ? Clear : Collision);
}

}  // namespace

void add_collide(CLI::App& app, Action& action) {
    CLI::App* command =
        app.add_subcommand("collide", "Find the triangles of two meshes that meet: exactly, touching included");
    const auto arguments = std::make_shared<CollideArguments>();
    CLI::Option* poses = add_poses(*command, arguments->placing);
    add_first(*command, *arguments);
    add_pair(*command, *arguments);
    add_device(*command, arguments->device);
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
  graze collide teapot.obj ring.stl --poses poses.txt --clearance 0.05
      also the poses in which they are no further apart than 0.05
  graze collide teapot.obj ring.stl --poses poses.npy --first --csv
      a million poses from a NumPy array of shape (n, 4, 4), (n, 3, 4), (n, 12)
      or (n, 7), where each row is "x y z qx qy qz qw"

Triangles are numbered from 0 in the file's order. Polygons are cut into
triangles, numbered polygon by polygon; JSON and CSV then name the polygons as
well. JSON has one line per pose, with the matrix a_from_b by rows for random
poses and with -v; the first says what was checked. Crossing means that the surfaces pass through each other, or
that one mesh reaches into a closed other one. Inside means that one mesh, or a
body of it, lies within a closed body of the other and the surfaces do not meet:
a collision without triangles in contact. STL files have no curves. With
--clearance, JSON and CSV have the distance of poses that are too close, JSON
also the closest points, both in A's frame.

Exit code: 0 clear, 1 collision in any pose (with --clearance: or too close),
2 bad input or usage.)");
    command->callback([arguments, &action] {
        arguments->settle();
        action = [arguments] { return collide_files(*arguments); };
    });
}

}  // namespace graze::apps
