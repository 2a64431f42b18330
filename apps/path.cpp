// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "commands.hpp"
#include "files/pose_file.hpp"
#include "pair.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

struct PathArguments : PairArguments {
    std::string poses;   ///< file of B's poses
    std::string path_a;  ///< file of A's poses; empty when A stands still
};

/// The number of contacts of each frame, or with --first whether there are any.
checks::Json json_of(const checks::Motion& motion, const PathArguments& arguments) {
    checks::Json out{{"frames", motion.contacts.size()}};
    if (arguments.first) {
        checks::Json& meets = out["intersects"] = checks::Json::array();
        for (const bool yes : motion.meets) meets.push_back(yes);
    } else {
        out["contacts"] = motion.contacts;
    }
    checks::Json& intervals = out["intervals"] = checks::Json::array();
    for (const checks::Interval& i : motion.intervals) {
        checks::Json entry{{"begins", i.begins}, {"ends", i.ends}};
        if (!arguments.first) entry.update({{"kind", name(i.kind)}, {"most", i.most}, {"at", i.at}});
        if (i.least) entry["distance"] = *i.least;
        intervals.push_back(std::move(entry));
    }
    if (arguments.clearance > 0) {
        checks::Json& close = out["close"] = checks::Json::array();
        for (const checks::CloseFrame& one : motion.close) {
            checks::Json entry{{"frame", one.frame}, {"kind", name(checks::Kind::Clearance)}};
            if (one.closest)
                entry.update({{"distance", one.closest->distance},
                              {"point_a", checks::json_array(one.closest->point_a)},
                              {"point_b", checks::json_array(one.closest->point_b)}});
            close.push_back(std::move(entry));
        }
    }
    if (arguments.output.verbose) {
        out["stats"] = apps::json_of(motion.stats);
        out["ms"] = motion.ms;
    }
    return out;
}

std::string csv_of(const checks::Motion& motion, const PathArguments& arguments) {
    const bool first = arguments.first, clearance = arguments.clearance > 0;
    std::string out = fmt::format("frame,{}intersects{}{}\n", first ? "" : "contacts,", clearance ? ",close" : "",
                                  clearance && !first ? ",distance" : "");
    auto close = motion.close.begin();
    for (std::size_t i = 0; i < motion.contacts.size(); ++i) {
        fmt::format_to(std::back_inserter(out), "{},", i);
        if (!first) fmt::format_to(std::back_inserter(out), "{},", motion.contacts[i]);
        out += motion.meets[i] ? "true" : "false";
        if (clearance) {
            const bool is_close = close != motion.close.end() && close->frame == i;
            out += is_close ? ",true" : ",false";
            if (!first) out += ",";
            if (is_close && !first) out += fmt::to_string(close->closest->distance);
            close += is_close;
        }
        out += '\n';
    }
    return out;
}

std::string text_of(const checks::Motion& motion, const PathArguments& arguments, const std::string& unit) {
    constexpr std::size_t shown = 40;
    std::string out;
    const auto to = std::back_inserter(out);
    const bool distances = std::ranges::any_of(motion.intervals, [](const auto& i) { return i.least.has_value(); });
    const auto append = [&](const auto& begins, const auto& ends, const auto& most, const auto& at,
                            const std::string& least, const char* kind) {
        fmt::format_to(to, "{:>10}{:>10}", begins, ends);
        if (!arguments.first) fmt::format_to(to, "{:>16}{:>12}", most, at);
        if (distances) fmt::format_to(to, "{:>14}", least);
        if (!arguments.first) fmt::format_to(to, "  {}", kind);
        out += '\n';
    };
    if (!motion.intervals.empty()) append("begins", "ends", "most contacts", "at frame", "distance", "kind");
    const std::size_t count = std::min(shown, motion.intervals.size());
    for (std::size_t k = 0; k < count; ++k) {
        const checks::Interval& i = motion.intervals[k];
        append(i.begins, i.ends, grouped(i.most), i.at, i.least ? length_text(*i.least, unit) : "", name(i.kind));
    }
    if (motion.intervals.size() > count)
        fmt::format_to(to, "  … and {} more; --json has them all\n", grouped(motion.intervals.size() - count));
    const std::size_t frames = motion.contacts.size(), meets = motion.frames_in_contact();
    const std::size_t inside = motion.frames_inside();
    out += counted(frames, "frame") + ": ";
    if (meets > 0) fmt::format_to(to, "in contact in {}, ", grouped(meets));
    if (inside > 0) fmt::format_to(to, "inside in {}, ", grouped(inside));
    if (!motion.close.empty())
        fmt::format_to(to, "within {} in {}, ", length_text(arguments.clearance, unit), grouped(motion.close.size()));
    out += motion.intervals.empty() ? "clear in all" : counted(motion.intervals.size(), "time");
    if (meets && !arguments.first) fmt::format_to(to, ", {} in all", counted(motion.contact_count(), "contact"));
    if (arguments.output.verbose)
        fmt::format_to(to, "\n{}, {} per frame; {}", duration(motion.ms),
                       duration(motion.ms / static_cast<double>(frames)), apps::text_of(motion.stats));
    return out + "\n";
}

int follow_path(const PathArguments& arguments) {
    const Output& output = arguments.output;
    const Result<LoadedPair> pair = load_pair(arguments);
    if (!pair) return complain(pair.fault().message);
    const Result<std::vector<Pose>> of_b = files::read_poses(arguments.poses);
    if (!of_b) return complain(of_b.fault().message);
    std::vector<Pose> of_a, a_from_b = *of_b;
    if (!arguments.path_a.empty()) {
        Result<std::vector<Pose>> read = files::read_poses(arguments.path_a);
        if (!read) return complain(read.fault().message);
        of_a = std::move(*read);
        Result<std::vector<Pose>> both = checks::relative_motion(of_a, *of_b);
        if (!both) return complain(fmt::format("{}: {}", arguments.path_a, both.fault().message));
        a_from_b = std::move(*both);
    }

    const bool yes_or_no = output.quiet && output.html.empty();
    PairPage page("path", arguments, *pair, of_a, *of_b);
    checks::Motion motion;
    {
        ProgressBar bar(a_from_b.size(), output.progress());
        motion = checks::follow(
            pair->a.model, pair->b.model, a_from_b,
            {.ask = what_to_ask(arguments, false), .clearance = arguments.clearance, .threads = arguments.threads},
            [&](checks::FrameAnswer& answer) {
                bar.show(answer.frame);
                if (!output.html.empty()) std::ranges::sort(answer.contacts);
                page.add(answer);
                return yes_or_no && answer.hit() ? Step::Stop : Step::Continue;
            });
    }
    checks::Json answer = json_of(motion, arguments);
    for (const checks::LeftOut& one : pair->left_out()) answer["left_out"].push_back(entry_of(one));
    answer["checked"] = json_of(ledger_of(arguments, *pair));
    const std::string json = answer.dump() + "\n";
    Faults faults;
    faults.add(page.write(motion, a_from_b, json));
    if (output.json) print(json, output);
    if (output.csv) print(csv_of(motion, arguments), output);
    if (output.text()) print(heading(arguments, *pair) + text_of(motion, arguments, pair->unit));
    return exit_code(faults, arguments, *pair, motion.intervals.empty() ? Clear : Collision);
}

}  // namespace

void add_path(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("path", "Follow a motion frame by frame: when contact begins and ends");
    const auto arguments = std::make_shared<PathArguments>();
    add_first(*command, *arguments);
    add_pair(*command, *arguments);
    command
        ->add_option("POSES", arguments->poses,
                     "File of B's poses, one per line: x y z qx qy qz qw, or the 12 numbers of a 3x4 matrix")
        ->type_name("FILE")
        ->required();
    command
        ->add_option("--path-a", arguments->path_a, "File of A's poses, one for each pose of B; without it A is static")
        ->type_name("FILE");
    command->footer(R"(Examples:
  graze path teapot.obj ring.stl path.txt
      when the ring touches the teapot on its way
  graze path teapot.obj ring.stl path.txt --csv > contacts.csv
      the number of contacts in each frame
  graze path teapot.obj ring.stl path.txt --html motion.html
      a report with a timeline to play
  graze path ring1.obj ring2.obj ring2.path --path-a ring1.path --first
      both move; yes or no only, which is much faster
  graze path teapot.obj ring.stl path.txt --clearance 0.05
      also when they are no further apart than 0.05

Frames are numbered from 0. Each is checked exactly; nothing is checked between
frames. A frame in which one mesh lies inside a closed other one without touching
its surface counts as well: its kind is inside, and it has no contacts.
A file of poses may also start with their number; then each pose is a 3x3
rotation by rows and a translation. With --clearance D, frames in which the
meshes do not meet and are no further apart than D count too, as clearance. JSON
lists them with the distance and the closest points, both in A's frame.

Exit code: 0 clear, 1 contact or inside in any frame (with --clearance: or too
close), 2 bad input or usage.)");
    command->callback([arguments, &action] {
        arguments->settle();
        action = [arguments] { return follow_path(*arguments); };
    });
}

}  // namespace graze::apps
