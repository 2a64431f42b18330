// SPDX-License-Identifier: Apache-2.0
#include "pair.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "checks/contacts.hpp"
#include "checks/parts.hpp"
#include "checks/shown_frames.hpp"
#include "files/conventions.hpp"
#include "files/text.hpp"
#include "poses.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace fs = std::filesystem;

namespace {

/// Number of contacts that a page draws in all its frames together, and as many again in its list.
constexpr std::size_t drawn_in_all = 60'000;

std::size_t drawn_of_each(std::size_t count) {
    return count == 1 ? drawn_in_all
                      : std::clamp<std::size_t>(drawn_in_all / std::max<std::size_t>(count, 1), 8, 2'000);
}

std::string line_on(const char* label, const std::string& path, const LoadedModel& loaded, bool times) {
    std::string line =
        fmt::format("{}: {}, {}", label, files::printable(path), counted(loaded.model.triangle_count(), "triangle"));
    if (loaded.has_polygons) line += " of " + counted(loaded.model.polygon_count(), "polygon");
    if (loaded.open) line += ", open: nothing is found inside it";
    if (times) line += fmt::format(", read in {}, built in {}", duration(loaded.read_ms), duration(loaded.build_ms));
    return line + "\n";
}

/// Lengths are in metres when both files state their unit and nothing else scales them.
std::string unit_of(const LoadedPair& pair, const files::ReadOptions& reading) {
    const bool stated = pair.a.conventions.metres > 0 && pair.b.conventions.metres > 0;
    return stated && reading.scale == 1 ? "m" : "";
}

}  // namespace

void add_first(CLI::App& command, PairArguments& arguments) {
    CLI::Option* first =
        command.add_flag("--first", arguments.first, "Stop at the first contact of each pose: yes or no only");
    command.add_flag_callback("--all", [] {}, "Find all contacts (the default)")->excludes(first);
}

void add_pair(CLI::App& command, PairArguments& arguments) {
    command
        .add_option("A", arguments.a,
                    "Mesh or scene: " + files::built_in_formats() +
                        "; COLLADA, 3MF, FBX, IFC, STEP, IGES, … where the build has their readers")
        ->type_name("FILE")
        ->required();
    command.add_option("B", arguments.b, "Mesh or scene that the poses place; may be the same file as A")
        ->type_name("FILE")
        ->required();
    add_clearance(command, arguments.clearance,
                  "Poses in which the meshes are no further apart than this are too close: exit code 1");
    add_reading(command, arguments.reading);
    add_threads(command, arguments.threads);
    add_output(command, arguments.output, {.csv = true, .html = true, .require = true});
}

checks::Ask what_to_ask(const PairArguments& arguments, bool pairs) {
    const bool page = !arguments.output.html.empty();
    if (!arguments.first && (page || !arguments.output.quiet)) return checks::Ask::All;
    return page || pairs ? checks::Ask::First : checks::Ask::Meets;
}

Result<LoadedPair> load_pair(const PairArguments& arguments) {
    LoadedPair pair;
    const auto note_all = [&](std::span<const files::FileConventions> all) {
        pair.unlike = files::differences(all, arguments.reading);
        for (const std::string& one : files::notes_on(all, arguments.reading)) note(arguments.output, one);
    };
    Result<LoadedModel> a = load_model(arguments.a, arguments.reading, arguments.threads, arguments.output);
    if (!a) return a.fault();
    pair.a = std::move(*a);
    std::error_code ignored;
    pair.same = fs::equivalent(arguments.a, arguments.b, ignored);
    if (pair.same) {
        pair.b = pair.a;
        pair.unit = unit_of(pair, arguments.reading);
        note_all(std::array{files::FileConventions{arguments.a, pair.a.conventions}});
        return pair;
    }
    Result<LoadedModel> b = load_model(arguments.b, arguments.reading, arguments.threads, arguments.output);
    if (!b) return b.fault();
    pair.b = std::move(*b);
    const Result<Affine> place = files::placement_by_map(pair.a.conventions, pair.b.conventions, arguments.reading);
    if (!place)
        return Fault{place.fault().kind,
                     arguments.b + ": not compared with " + arguments.a + ": " + place.fault().message};
    if (*place != Affine()) {
        Result<Model> moved = checks::placed_model(pair.b.model, *place, arguments.threads);
        if (!moved) return Fault{moved.fault().kind, arguments.b + ": " + moved.fault().message};
        pair.b.model = std::move(*moved);
        const files::FileConventions first{arguments.a, pair.a.conventions};
        note(arguments.output, arguments.b + ": " + files::map_move_note(*place, first, arguments.reading));
    }
    pair.unit = unit_of(pair, arguments.reading);
    note_all(std::array{files::FileConventions{arguments.a, pair.a.conventions},
                        files::FileConventions{arguments.b, pair.b.conventions}});
    return pair;
}

std::vector<checks::LeftOut> LoadedPair::left_out() const {
    std::vector<checks::LeftOut> all = a.left_out;
    if (!same) all.insert(all.end(), b.left_out.begin(), b.left_out.end());
    return all;
}

checks::Ledger ledger_of(const PairArguments& arguments, const LoadedPair& pair) {
    checks::Ledger ledger = ledger_of(arguments.a, pair.a, arguments.output);
    if (!pair.same) add_to(ledger, arguments.b, pair.b);
    ledger.unlike = pair.unlike;
    ledger.clearance = {arguments.clearance, arguments.clearance > 0};
    return ledger;
}

int exit_code(Faults& faults, const PairArguments& arguments, const LoadedPair& pair, int answer) {
    faults.leave_out(pair.left_out());
    faults.require(ledger_of(arguments, pair));
    return faults.exit_code(answer);
}

std::string heading(const PairArguments& arguments, const LoadedPair& pair) {
    const bool times = arguments.output.verbose;
    return line_on("A", arguments.a, pair.a, times) +
           (pair.same ? "B: the same file\n" : line_on("B", arguments.b, pair.b, times));
}

std::string close_text(const std::optional<ClosestTriangles>& closest, double clearance, const std::string& unit) {
    const std::string limit = "within " + length_text(clearance, unit);
    return closest ? fmt::format("{} apart, {}", length_text(closest->distance, unit), limit) : limit;
}

void append_pairs(Buffer& out, std::span<const Contact> contacts, TrianglePair Contact::* member) {
    out.push_back('[');
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const TrianglePair& pair = contacts[i].*member;
        fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}[{}, {}]"), i ? ", " : "", pair.a, pair.b);
    }
    out.push_back(']');
}

void append_list(Buffer& out, std::span<const Contact> contacts) {
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

checks::Json json_of(const QueryStats& stats) {
    return {{"box_tests", stats.box_tests},
            {"triangle_tests", stats.triangle_tests},
            {"double_tests", stats.double_tests},
            {"exact_tests", stats.exact_tests}};
}

std::string members_of_first(const PairArguments& arguments, const LoadedPair& pair, std::size_t pose) {
    if (pose > 0) return "";
    std::string out;
    if (const std::vector<checks::LeftOut> list = pair.left_out(); !list.empty()) {
        checks::Json left_out;
        for (const checks::LeftOut& one : list) left_out.push_back(entry_of(one));
        out = R"(, "left_out": )" + left_out.dump();
    }
    return out + R"(, "checked": )" + json_of(ledger_of(arguments, pair)).dump();
}

void append_end(Buffer& out, const Pose* matrix, const QueryStats& stats, const double* ms, const std::string& more) {
    const auto to = std::back_inserter(out);
    if (matrix) {
        fmt::format_to(to, R"(, "a_from_b": )");
        append_matrix(out, *matrix);
    }
    fmt::format_to(to, R"(, "stats": {})", json_of(stats).dump());
    if (ms) fmt::format_to(to, R"(, "ms": {:.6f})", *ms);
    out.append(std::string_view(more));
    out.push_back('}');
}

std::string text_of(const QueryStats& stats) {
    return fmt::format("{} box tests, {} triangle tests, {} of them in double precision, {} exact",
                       grouped(stats.box_tests), grouped(stats.triangle_tests), grouped(stats.double_tests),
                       grouped(stats.exact_tests));
}

PairPage::PairPage(const char* command, const PairArguments& arguments, const LoadedPair& pair,
                   std::span<const Pose> world_from_a, std::span<const Pose> world_from_b)
    : arguments_(arguments),
      pair_(pair),
      world_from_a_(world_from_a),
      world_from_b_(world_from_b),
      drawn_(drawn_of_each(std::min(world_from_b.size(), checks::most_frames_shown))) {
    if (arguments.output.html.empty()) return;
    const std::string a = fs::path(arguments.a).filename().string(), b = fs::path(arguments.b).filename().string();
    document_.units = pair.unit;
    document_.title = fmt::format("graze {} {} {}", command, a, b);
    document_.meshes.push_back(pair.a.model);
    if (!pair.same) document_.meshes.push_back(pair.b.model);
    const bool alike = a == b;
    document_.parts = {{.name = alike ? "A: " + a : a, .mesh = 0, .group = "A: " + a, .tree = true},
                       {.name = alike ? "B: " + b : b, .mesh = pair.same ? 0u : 1u, .group = "B: " + b, .tree = true}};
    if (!world_from_a.empty()) document_.parts[0].placement = world_from_a[0];
    document_.parts[1].placement = world_from_b[0];
    if (world_from_b.size() < 2) return;
    if (!world_from_a.empty()) document_.moving.push_back(0);
    document_.moving.push_back(1);
}

void PairPage::add(const checks::FrameAnswer& answer) {
    if (arguments_.output.html.empty()) return;
    report::Frame& frame = document_.frames.emplace_back();
    frame.number = answer.frame;
    if (!answer.hit()) return;
    report::Hit& hit = frame.hits.emplace_back(report::Hit{.a = 0,
                                                           .b = 1,
                                                           .kind = answer.kind,
                                                           .contacts = answer.contacts.size(),
                                                           .pairs = checks::spread(answer.contacts, drawn_)});
    const Affine world_from_a = world_from_a_.empty() ? Affine() : Affine(world_from_a_[answer.frame]);
    if (answer.closest) hit.closest = checks::placed(world_from_a, *answer.closest);
}

/// Keeps the frames that the page shows, and sets their placements.
void PairPage::thin(const checks::Motion& motion) {
    std::vector<std::size_t> always;
    for (const checks::Interval& interval : motion.intervals) always.push_back(interval.at);
    std::vector<report::Frame> kept;
    for (const std::size_t i : checks::shown_frames(motion.hits(), always)) {
        report::Frame& frame = kept.emplace_back(std::move(document_.frames[i]));
        if (!world_from_a_.empty()) frame.placements.push_back(world_from_a_[i]);
        frame.placements.push_back(world_from_b_[i]);
    }
    document_.frames = std::move(kept);
    document_.all_frames = motion.meets.size();
    document_.all_hits = motion.frames_in_contact() + motion.frames_inside() + motion.close.size();
}

void PairPage::add_clash(const checks::Interval& interval, std::span<const Pose> a_from_b, std::size_t drawn,
                         bool timeline) {
    const auto at = std::ranges::lower_bound(document_.frames, interval.at, {}, &report::Frame::number);
    report::Clash& clash = document_.clashes.emplace_back();
    clash.hit = at->hits[0];
    clash.hit.kind = interval.kind;
    if (!timeline) return;
    clash.frame = static_cast<std::uint32_t>(at - document_.frames.begin());
    // The page itself names the frame with the most contacts.
    if (interval.begins != interval.ends) clash.note = fmt::format("frames {} to {}", interval.begins, interval.ends);
    if (clash.hit.pairs.size() >= std::min<std::size_t>(drawn, clash.hit.contacts)) return;
    // The list may show more contacts than were kept of the frame.
    std::vector<Contact> contacts = collide(pair_.a.model, pair_.b.model, a_from_b[interval.at]);
    std::ranges::sort(contacts);
    clash.hit.pairs = checks::spread(contacts, drawn);
}

void PairPage::colour(double reach, std::vector<double> of_a, std::vector<double> of_b) {
    document_.clearance = reach;
    document_.parts[0].clearances = std::move(of_a);
    document_.parts[1].clearances = std::move(of_b);
}

Result<void> PairPage::write(const checks::Motion& motion, std::span<const Pose> a_from_b, std::string answer) {
    std::vector<std::pair<std::string, std::string>> figures;
    if (world_from_b_.size() > 1) {
        figures.emplace_back("frames", grouped(motion.contacts.size()));
        figures.emplace_back("in contact", grouped(motion.frames_in_contact()));
        if (motion.frames_inside() > 0) figures.emplace_back("inside", grouped(motion.frames_inside()));
        if (arguments_.clearance > 0)
            figures.emplace_back("within " + length_text(arguments_.clearance, pair_.unit),
                                 grouped(motion.close.size()));
    }
    if (!arguments_.first) figures.emplace_back("contacts", grouped(motion.contact_count()));
    return write(motion, a_from_b, std::move(answer), std::move(figures));
}

Result<void> PairPage::write(const checks::Motion& motion, std::span<const Pose> a_from_b, std::string answer,
                             std::vector<std::pair<std::string, std::string>> figures) {
    if (arguments_.output.html.empty()) return {};
    const bool timeline = document_.frames.size() > 1;
    thin(motion);
    const std::size_t drawn = drawn_of_each(motion.intervals.size());
    for (const checks::Interval& interval : motion.intervals) add_clash(interval, a_from_b, drawn, timeline);
    document_.figures = {{"A, triangles", grouped(pair_.a.model.triangle_count())},
                         {"B, triangles", grouped(pair_.b.model.triangle_count())}};
    std::ranges::move(figures, std::back_inserter(document_.figures));
    if (!timeline) document_.frames.clear();
    document_.answer = std::move(answer);
    return write_page(document_, arguments_.output);
}

}  // namespace graze::apps
