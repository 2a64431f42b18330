// SPDX-License-Identifier: Apache-2.0
// Queries from a front against plain ones along the paths of the temporal coherence paper's scenes: one process, turn
// by turn, answers compared.
#include "bench/fronts.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "../tests/read_motion.hpp"

namespace graze::bench {
namespace {

using Rows = std::vector<Row>;
constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<Tree>& trees() {
    static const std::vector<Tree> list = {
        tree_of("wide-obb", study::TreeKind::Wide, study::Volume::Obb),
        tree_of("wide-aabb", study::TreeKind::Wide, study::Volume::Aabb),
        tree_of("binary-obb", study::TreeKind::Binary, study::Volume::Obb),
        tree_of("binary-aabb", study::TreeKind::Binary, study::Volume::Aabb),
        tree_of("binary-sphere", study::TreeKind::Binary, study::Volume::Sphere),
        tree_of("binary-dop14", study::TreeKind::Binary, study::Volume::Dop14),
        tree_of("binary-dop18", study::TreeKind::Binary, study::Volume::Dop18),
        tree_of("binary-dop26", study::TreeKind::Binary, study::Volume::Dop26),
    };
    return list;
}

std::vector<Pace> paces(bool quick) {
    std::vector<Pace> out{{"original"}, {"uneven"}};
    for (const char* size :
         {"0.001", "0.002", "0.005", "0.007", "0.01", "0.02", "0.03", "0.05", "0.1", "0.2", "0.3", "0.5", "1.0"}) {
        const std::string s = size;
        if (!quick || s == "0.002" || s == "0.005" || s == "0.02" || s == "0.03" || s == "0.3")
            out.push_back({s, std::atof(size)});
    }
    return out;
}

/// One of `FrontSettings` by several values: the paper's figures 4 to 6. Each is studied at motions of about its size,
/// which for wide trees are smaller.
struct Study {
    const char* name;
    const char *binary_pace, *wide_pace;  ///< null: not of such trees
    std::vector<double> values;
    FrontSettings (*with)(double value);
};
std::vector<Study> studies(bool quick) {
    if (quick)
        return {{"coherence",
                 "uneven",
                 "original",
                 {0.01, 0.05, 0.14},
                 [](double v) { return FrontSettings{.coherence = v}; }},
                {"sprout",
                 "0.03",
                 nullptr,
                 {0.3, infinity},
                 [](double v) { return FrontSettings{.coherence = 1, .sprout = v}; }},
                {"prune", "0.03", "0.005", {0.05, 0.17}, [](double v) {
                     return FrontSettings{.coherence = 1, .prune = v};
                 }}};
    return {{"coherence",
             "uneven",
             "original",
             {0.005, 0.01, 0.02, 0.05, 0.1, 0.14, 0.2, 0.3, 0.5, infinity},
             [](double v) { return FrontSettings{.coherence = v}; }},
            {"sprout",
             "0.03",
             nullptr,
             {0.03, 0.1, 0.3, 1, 3, 10, infinity},
             [](double v) { return FrontSettings{.coherence = 1, .sprout = v}; }},
            {"prune", "0.03", "0.005", {0.02, 0.05, 0.1, 0.17, 0.3, 0.5, 1, infinity}, [](double v) {
                 return FrontSettings{.coherence = 1, .prune = v};
             }}};
}

/// The project's goals, times the plain query.
void set_goals(const Tree& tree, const Pace& pace, Ask ask, Row& row) {
    const double size = pace.size;
    row.floor = row.aim = 0.97;
    if (size == 0) return;
    if (!tree.wide()) {
        if (pace.name == "0.03" && tree.settings.volume == study::Volume::Obb) row.floor = 1.3, row.aim = 1.8;
        if (pace.name == "0.03" && tree.aligned()) row.floor = row.aim = 1.05;
    } else if (ask == Ask::First) {
        if (size <= 0.02) row.floor = row.aim = size <= 0.007 ? 4 : 2;
    } else {
        if (size <= 0.002) row.floor = row.aim = 1.3;
        if (size <= 0.005) row.aim = 2;
    }
}

/// How many of the first frames a side gets through in that time.
std::size_t answered(Side& side, const std::vector<Affine>& frames, double seconds) {
    const auto begin = Clock::now();
    std::size_t n = 0;
    while (n < frames.size() && seconds_since(begin) < seconds) side(frames[n++]);
    return n;
}

/// The row of a side against another.
Row row_of(std::string scenario, const Figures& ours, const char* peer, const Figures& other, std::size_t frames,
           const Options& options) {
    const auto n = static_cast<double>(frames);
    const auto each = [&](std::uint64_t count) { return static_cast<double>(count) / n; };
    Row row{.scenario = std::move(scenario),
            .peer = peer,
            .queries = frames,
            .hits = ours.hits,
            .checked = frames,
            .ours_us = options.by_cpu ? ours.cpu_us : ours.wall_us,
            .box_tests = each(ours.stats.box_tests),
            .triangle_tests = each(ours.stats.triangle_tests),
            .peer_us = options.by_cpu ? other.cpu_us : other.wall_us,
            .wrong = ours.wrong};
    row.ratio = *row.peer_us / row.ours_us;
    row.more = {{"cpu_ratio", other.cpu_us / ours.cpu_us},
                {"hits", static_cast<double>(ours.hits)},
                {"kept", each(ours.stats.kept)},
                {"axis_tests", each(ours.stats.axis_tests)},
                {"plain_box_tests", each(other.stats.box_tests)},
                {"plain_triangle_tests", each(other.stats.triangle_tests)},
                {"front_pairs", ours.pairs},
                {"front_bytes", static_cast<double>(ours.bytes)}};
    return row;
}

void print(const Row& r) {
    const auto more = [&](std::size_t i) { return r.more[i].second; };
    std::printf("%-42s %6zu %5.1f %9.3f %9.3f %6.2fx %6.2fx %8.1f %8.1f %8.1f %8.1f %9.1f %9.1f %8.0f %8.0f %5zu%s\n",
                r.scenario.c_str(), r.queries, 100.0 * static_cast<double>(r.hits) / static_cast<double>(r.queries),
                r.ours_us, *r.peer_us, *r.ratio, more(0), r.box_tests, r.triangle_tests, more(2), more(3), more(4),
                more(5), more(6), more(7) / 1024, r.wrong, *r.ratio < r.floor ? "  BELOW ITS FLOOR" : "");
    std::fflush(stdout);
}

class Run {
public:
    explicit Run(const Options& options) : options_(options), count_(options.size.quick ? 800 : 2400) {
        const auto effort = [&](double seconds, int least, int most) {
            return Effort{seconds, least, most, options.by_cpu};
        };
        effort_ = options.size.quick ? effort(0.15, 2, 9) : effort(0.6, 3, 31);
        study_effort_ = options.size.quick ? effort(0.1, 1, 3) : effort(0.6, 2, 9);
    }

    /// One of `scenes::motion`; every `stride`-th frame makes its path uneven.
    void paper_scene(std::string_view name, std::size_t stride) {
        const auto make = [&] { return scenes::motion(name, options_.size.scale); };
        std::optional<MotionScene> made;
        const auto here = [&]() -> MotionScene& {
            return made ? *made : made.emplace(*make(), stride, count_, options_.size.quick);
        };
        if (wanted("path-" + std::string(name))) add_paths(here());
        for (const Tree& tree : trees())
            for (const Pace& pace : paces(options_.size.quick))
                if (tree.box() || (pace.name == "0.03" && !options_.size.quick)) ask_both(tree, name, pace, here);
        for (const Study& study : studies(options_.size.quick))
            for (const Tree& tree : trees()) {
                const char* pace = tree.wide() ? study.wide_pace : study.binary_pace;
                if (pace == nullptr || !tree.box() || (tree.wide() && tree.aligned())) continue;
                const Pace at{pace, std::atof(pace)};
                const std::string scenario = name_of(tree, name, at, Ask::All) + "-" + study.name;
                if (wanted(scenario)) run_study(tree, here(), at, study, scenario);
            }
    }

    /// A path that others made, at one pace.
    void real_scene(std::string_view name, const Pace& pace, std::optional<scenes::Motion> motion) {
        if (!motion) {
            std::printf("%s is left out: it is not in %s\n", name.data(), test::shared_models.c_str());
            return;
        }
        MotionScene scene(std::move(*motion), 1, count_, options_.size.quick);
        for (const Tree& tree : trees())
            if (tree.box()) ask_both(tree, name, pace, [&]() -> MotionScene& { return scene; });
    }
    Rows& rows() { return rows_; }

private:
    static std::string name_of(const Tree& tree, std::string_view scene, const Pace& pace, Ask ask) {
        return tree.name + "-" + std::string(scene) + "-" + pace.name + (ask == Ask::All ? "-all" : "-first");
    }
    /// By any part of the name.
    bool wanted(const std::string& scenario) const { return scenario.find(options_.only) != std::string::npos; }

    /// `scene` makes it when it is needed.
    template <class F>
    void ask_both(const Tree& tree, std::string_view name, const Pace& pace, F&& scene) {
        for (const Ask ask : {Ask::All, Ask::First}) {
            if (ask == Ask::First && !tree.wide()) continue;
            const std::string scenario = name_of(tree, name, pace, ask);
            if (wanted(scenario)) compare_with_plain(tree, scene(), pace, ask, scenario);
        }
    }

    void add_paths(const MotionScene& scene) {
        rows_.push_back(path_row(scene.motion(), "original", 1));
        rows_.push_back(path_row(scene.motion(), "uneven", scene.stride()));
    }

    void add(Row row, const Span& total) {
        row.total = total;
        print(row);
        rows_.push_back(std::move(row));
    }

    void compare_with_plain(const Tree& tree, MotionScene& scene, const Pace& pace, Ask ask,
                            const std::string& scenario) {
        const auto [a, b] = scene.models(tree);
        std::vector<Affine> frames = scene.frames(pace);
        const bool with_full = tree.name == "binary-aabb" && (pace.size == 0 || pace.name == "0.03");
        std::vector<Side> sides;
        sides.emplace_back(a, b, ask, How::Plain);
        sides.emplace_back(a, b, ask, How::Fronted);
        if (!tree.box()) {
            frames.resize(answered(sides[0], frames, 1));
            if (frames.size() < 100) {
                std::printf("%s is left out: plain queries a second: %zu\n", scenario.c_str(), frames.size());
                return;
            }
        }
        if (with_full) sides.emplace_back(a, b, ask, How::Full);
        Span total;
        const auto figures = compare(sides, frames, ask, tree.box() ? effort_ : study_effort_, total);
        Row row = row_of(scenario, figures[1], "plain", figures[0], frames.size(), options_);
        set_goals(tree, pace, ask, row);
        add(std::move(row), total);
        if (ask == Ask::First && pace.size > 0) compare_hits(tree, scene, frames, scenario + "-hits");
        if (with_full) {
            // "binary-aabb-full-…": the front against the plain query on all axes.
            row = row_of(tree.name + "-full" + scenario.substr(tree.name.size()), figures[1], "plain, 15 axes",
                         figures[2], frames.size(), options_);
            row.wrong = figures[2].wrong;
            add(std::move(row), total);
        }
    }

    /// The frames of a path that touch: what the last pair that met is worth by itself.
    void compare_hits(const Tree& tree, MotionScene& scene, const std::vector<Affine>& frames,
                      const std::string& scenario) {
        const auto [a, b] = scene.models(tree);
        std::vector<Side> sides;
        sides.emplace_back(a, b, Ask::First, How::Plain);
        sides.emplace_back(a, b, Ask::First, How::Fronted);
        std::vector<Affine> touching;
        for (const Affine& frame : frames)
            if (sides[0](frame) > 0) touching.push_back(frame);
        if (touching.size() < 50) return;
        Span total;
        const auto figures = compare(sides, touching, Ask::First, study_effort_, total);
        add(row_of(scenario, figures[1], "plain", figures[0], touching.size(), options_), total);
    }

    void run_study(const Tree& tree, MotionScene& scene, const Pace& pace, const Study& study,
                   const std::string& scenario) {
        const auto [a, b] = scene.models(tree);
        const std::vector<Affine> frames = thinned(scene.frames(pace), 3);
        std::vector<Side> sides;
        sides.emplace_back(a, b, Ask::All, How::Plain);
        for (const double value : study.values) sides.emplace_back(a, b, Ask::All, How::Fronted, study.with(value));
        Span total;
        const auto figures = compare(sides, frames, Ask::All, study_effort_, total);
        for (std::size_t i = 0; i < study.values.size(); ++i) {
            char value[32];
            std::snprintf(value, sizeof value, "-%g", study.values[i]);
            add(row_of(scenario + value, figures[i + 1], "plain", figures[0], frames.size(), options_), total);
        }
    }

    const Options& options_;
    std::size_t count_;  ///< number of frames, at least
    Effort effort_, study_effort_;
    Rows rows_;
};

int usage(int code) {
    std::printf(
        "bench_fronts [--quick] [--only PART] [--cpu-time] [--json FILE] [--scale FACTOR] [--csv FILE]\n"
        "PART is of a scenario's name: tree-volume-scene-motion-question, as in wide-obb-torus-0.005-all\n"
        "--csv: the tables and figures of the temporal coherence paper, and nothing else; PART is then a scene, as in "
        "torus\n");
    return code;
}

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) return usage(argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2);
    if (!options->csv.empty()) return run_papers(*options);
    std::printf("%-42s %6s %5s %9s %9s %7s %7s %8s %8s %8s %8s %9s %9s %8s %8s %5s\n", "scenario", "frames", "hit %",
                "front us", "plain us", "ratio", "by CPU", "boxes", "tris", "kept", "axis", "plain bx", "plain tri",
                "pairs", "KiB", "wrong");
    Run run(*options);
    // The strides make the middle motion that of the paper's original path (table 1).
    run.paper_scene("pipes", 10);
    run.paper_scene("torus", 2);
    run.paper_scene("hand", 4);
    run.paper_scene("flange", 17);
    run.real_scene("tori", {"original"}, test::read_tori());
    run.real_scene("alpha", {"0.005", 0.005}, test::read_alpha(0.005));
    if (run.rows().empty()) return usage(2);
    print_disturbed(run.rows(), options->by_cpu);
    for (const Row& r : run.rows())
        if (r.ratio && *r.ratio < r.floor)
            std::printf("%s: %.2f is below its floor of %.2f\n", r.scenario.c_str(), *r.ratio, r.floor);
    return finish(run.rows(), *options);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
