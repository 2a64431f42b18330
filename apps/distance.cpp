// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "files/text.hpp"
#include "files/write.hpp"
#include "pose_distance.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Everything that all poses have in common.
struct Summary {
    std::optional<PoseDistance> least;  ///< the first pose with the least distance
    std::size_t poses = 0, in_contact = 0, inside = 0, close = 0;
    QueryStats stats;
    double ms = 0;

    void add(const PoseDistance& d) {
        ++poses;
        in_contact += d.touches();
        inside += d.inside();
        close += d.close;
        stats += d.stats;
        ms += d.ms;
        if (!d.beyond() && (!least || d.closest.distance < least->closest.distance)) least = d;
    }
    bool hit() const { return in_contact + inside + close > 0; }

    std::string text(const DistanceArguments& arguments, const DistanceLines& lines) const {
        std::string out = fmt::format("{}: {} in contact", counted(poses, "pose"), grouped(in_contact));
        const auto to = std::back_inserter(out);
        if (inside > 0) fmt::format_to(to, ", {} inside", grouped(inside));
        if (arguments.clearance > 0)
            fmt::format_to(to, ", {} within {}", grouped(close), lines.length(arguments.clearance));
        if (least)
            fmt::format_to(to, ", least distance {} at pose {}", lines.length(least->closest.distance), least->pose);
        else
            fmt::format_to(to, ", all further than {}", lines.length(arguments.max_distance));
        if (arguments.output.verbose) fmt::format_to(to, ", {}; {}", duration(ms), text_of(stats));
        return out + "\n";
    }
};

/// How far the colours of a page reach. Beyond it all is far away.
double reach_of_colours(const DistanceArguments& arguments, const LoadedPair& pair, const PoseDistance& d) {
    if (std::isfinite(arguments.max_distance)) return arguments.max_distance;
    const Box box = pair.a.model.bounds();
    return std::max(4 * d.closest.distance, length(box.hi() - box.lo()) / 10);
}

Result<void> write_map(const std::string& path, std::span<const double> map) {
    std::string out = "triangle,distance\n";
    for (std::size_t i = 0; i < map.size(); ++i)
        fmt::format_to(std::back_inserter(out), "{},{}\n", i, std::isfinite(map[i]) ? fmt::to_string(map[i]) : "");
    return files::write_bytes(path, out);
}

/// Collects the page: the shortest line of each pose, and the colours when there is only one.
class DistancePage {
public:
    DistancePage(const DistanceArguments& arguments, const LoadedPair& pair, std::span<const Pose> poses)
        : arguments_(arguments), pair_(pair), poses_(poses), page_("distance", arguments, pair, {}, poses) {}

    void add(const PoseDistance& d, const Ruler& ruler) {
        if (arguments_.output.html.empty()) return;
        const checks::FrameAnswer frame = ruler.frame_of(d, poses_[d.pose]);
        page_.add(frame);
        motion_.contacts.push_back(frame.contacts.size());
        motion_.meets.push_back(frame.meets);
        if (frame.close) motion_.close.push_back({frame.frame, frame.closest});
        kinds_.push_back(frame.kind);
    }

    /// `map` has the distances of A's triangles if they are known.
    Result<void> write(const Summary& all, const DistanceLines& lines, std::string answer, std::vector<double> map) {
        if (arguments_.output.html.empty()) return {};
        std::vector<std::pair<std::string, std::string>> figures;
        if (all.least) {
            const std::size_t at = all.least->pose;
            motion_.intervals = {{.begins = at, .ends = at, .kind = kinds_[at], .at = at, .least = {}}};
            figures.emplace_back("least distance", lines.length(all.least->closest.distance));
            if (poses_.size() == 1)
                if (const Result<void> done = colour(*all.least, std::move(map)); !done) return done;
        }
        if (poses_.size() > 1) {
            figures.emplace_back("poses", grouped(all.poses));
            figures.emplace_back("in contact", grouped(all.in_contact));
            if (all.inside > 0) figures.emplace_back("inside", grouped(all.inside));
        }
        return page_.write(motion_, poses_, std::move(answer), std::move(figures));
    }

private:
    Result<void> colour(const PoseDistance& d, std::vector<double> of_a) {
        const ClearanceSettings settings{.max_distance = reach_of_colours(arguments_, pair_, d),
                                         .threads = arguments_.threads};
        const Model &a = pair_.a.model, &b = pair_.b.model;
        if (of_a.empty()) of_a = clearances(a, b, poses_[0], settings);
        std::ranges::replace_if(of_a, [&](double x) { return x > settings.max_distance; }, infinite);
        page_.colour(settings.max_distance, std::move(of_a), clearances(b, a, inverse(poses_[0]), settings));
        return {};
    }

    const DistanceArguments& arguments_;
    const LoadedPair& pair_;
    std::span<const Pose> poses_;
    PairPage page_;
    checks::Motion motion_;
    std::vector<checks::Kind> kinds_;
};

/// Whether they meet or are too close in any pose. The quickest answer.
int yes_or_no(const DistanceArguments& arguments, const LoadedPair& pair, std::span<const Pose> poses) {
    const checks::FollowSettings settings{.ask = checks::Ask::Meets, .clearance = arguments.clearance};
    const auto stop = [](checks::FrameAnswer& answer) { return answer.hit() ? Step::Stop : Step::Continue; };
    const checks::Motion motion = checks::follow(pair.a.model, pair.b.model, poses, settings, stop);
    Faults faults;
    return exit_code(faults, arguments, pair, motion.intervals.empty() ? Clear : Collision);
}

int measure_files(const DistanceArguments& arguments) {
    const Output& output = arguments.output;
    const Result<LoadedPair> pair = load_pair(arguments);
    if (!pair) return complain(pair.fault().message);
    const Result<std::vector<Pose>> poses = poses_of(arguments.placing, *pair);
    if (!poses) return complain(poses.fault().message);
    // When files are written too, the answer is printed after them, so that faults come first.
    const bool wait = !output.html.empty() || !arguments.map.empty();
    if (output.quiet && !wait) return yes_or_no(arguments, *pair, *poses);

    const bool only = poses->size() == 1;
    const DistanceLines lines(arguments, *pair, *poses);
    Ruler ruler(arguments, *pair, poses->size());
    DistancePage page(arguments, *pair, *poses);
    Summary all;
    Faults faults;
    Buffer out, json;
    if (output.text()) out.append(heading(arguments, *pair));
    if (output.csv) out.append(lines.csv_head());
    {
        // No bar among lines that are printed to the same terminal.
        const bool lines_come = (!output.text() || output.verbose) && !wait && is_terminal(stdout);
        ProgressBar bar(poses->size(), output.progress() && !only && !lines_come);
        for (std::size_t i = 0; i < poses->size() && !std::ferror(stdout); ++i) {
            bar.show(i);
            const PoseDistance d = ruler.measure(i, (*poses)[i]);
            all.add(d);
            if (output.json || !output.html.empty()) {
                Buffer line;
                lines.append_json(line, d);
                if (output.json) (out.append(line), out.push_back('\n'));
                if (!output.html.empty()) (json.append(std::string_view(i ? ",\n" : "[\n")), json.append(line));
            }
            if (output.csv) lines.append_csv(out, d);
            if (output.text() && only) lines.append_only(out, d);
            if (output.text() && !only && output.verbose) lines.append_line(out, d);
            page.add(d, ruler);
            if (wait) continue;
            print({out.data(), out.size()}, output);
            out.clear();
        }
    }
    json.append(std::string_view("]\n"));
    std::vector<double> map;
    if (!arguments.map.empty()) {
        map = clearances(pair->a.model, pair->b.model, (*poses)[0],
                         {.max_distance = arguments.max_distance, .threads = arguments.threads});
        faults.add(write_map(arguments.map, map));
    }
    faults.add(page.write(all, lines, {json.data(), json.size()}, std::move(map)));
    if (output.text() && !only) out.append(all.text(arguments, lines));
    print({out.data(), out.size()}, output);
    return exit_code(faults, arguments, *pair, all.hit() ? Collision : Clear);
}

CLI::Validator is_csv() {
    const auto check = [](const std::string& path) -> std::string {
        return files::extension(path) == ".csv" ? "" : "takes the name of a .csv file; got " + files::in_quotes(path);
    };
    return CLI::Validator(check, "", "is_csv");
}

}  // namespace

void add_distance(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("distance", "Measure how far apart two meshes are, and where: exactly");
    const auto arguments = std::make_shared<DistanceArguments>();
    CLI::Option* poses = add_poses(*command, arguments->placing);
    command
        ->add_option("--max-distance", arguments->max_distance,
                     "Do not measure beyond this, which is faster: what is further counts as infinitely far")
        ->type_name("LENGTH")
        ->check(above_zero());
    command
        ->add_option("--map", arguments->map,
                     "Write the distance of each triangle of A from B: .csv with the columns triangle and distance")
        ->type_name("FILE")
        ->check(in_a_folder())
        ->check(is_csv())
        ->excludes(poses);
    add_pair(*command, *arguments);
    command->footer(R"(Examples:
  graze distance teapot.obj ring.stl
      the least distance as they are placed, the two points and triangles
  graze distance teapot.obj ring.stl --pose "0 0 9 0 0 0 1" --html page.html
      a report that shows the shortest line, and clearances in colours
  graze distance teapot.obj ring.stl --poses path.txt --csv > distances.csv
      the distance in each pose of a file
  graze distance scan.ply part.stl --map deviations.csv --max-distance 0.5
      how far each triangle of a scan is from the part, up to 0.5
  graze distance arm.stl fence.stl --poses path.txt --clearance 0.1 -q
      the exit code says whether they stay further apart than 0.1

The distance is that of the surfaces, correctly rounded. It is 0 exactly when
graze collide finds a contact. Where one mesh lies inside a closed other one,
the distance is that to its surface, and the answer says so. Triangles are
numbered from 0 in the file's order. Both points are in A's frame. JSON has one
line per pose, with the matrix a_from_b by rows for random poses and with -v; the
first says what was checked. A
distance beyond --max-distance is null there, and an empty cell in CSV. Lengths
are in the unit of the meshes: metres where the formats state a unit.

Exit code: 0 apart, 1 in contact or inside in any pose (with --clearance: or no
further apart than that), 2 bad input or usage.)");
    command->callback([arguments, &action] {
        arguments->settle();
        action = [arguments] { return measure_files(*arguments); };
    });
}

}  // namespace graze::apps
