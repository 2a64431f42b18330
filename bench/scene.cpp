// SPDX-License-Identifier: Apache-2.0
// Scenes of many moving objects against FCL's manager, and their settings against each other: one process, turn by
// turn, the touching pairs of each frame compared.
#include "bench/scene.hpp"

#include <cmath>
#include <cstdio>

#include "scenes/parts.hpp"

namespace graze::bench {
namespace {

using Rows = std::vector<Row>;
using Sides = std::vector<std::unique_ptr<SceneSide>>;
constexpr const char* fcl = "FCL-OBB";

std::string count_name(std::size_t n) { return n % 1000 ? std::to_string(n) : std::to_string(n / 1000) + "k"; }
std::string value_name(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

Row row_of(std::string scenario, const SceneFigures& ours, const Options& options, std::size_t objects, int frames) {
    Row row{.scenario = std::move(scenario),
            .queries = static_cast<std::size_t>(frames),
            .hits = static_cast<std::size_t>(ours.touching),
            .ours_us = ours.us(options.by_cpu),
            .wrong = ours.wrong};
    row.more = {{"objects", static_cast<double>(objects)},
                {"touching", ours.touching},
                {"boxes_out", ours.boxes},
                {"hulls_out", ours.hulls},
                {"red", ours.red},
                {"cpu_us", ours.cpu_us},
                {"move_us", ours.move_us},
                {"broad_us", ours.broad_us},
                {"hull_us", ours.hull_us},
                {"tree_us", ours.tree_us},
                {"bytes_per_object", static_cast<double>(ours.bytes) / static_cast<double>(objects)}};
    return row;
}

void against(Row& row, const char* peer, const SceneFigures& ours, const SceneFigures& other, const Options& options) {
    row.peer = peer;
    row.peer_us = other.us(options.by_cpu);
    row.ratio = *row.peer_us / row.ours_us;
    row.checked = row.queries;
    row.differ = ours.differ + other.differ;
    row.more.emplace_back("cpu_ratio", other.cpu_us / ours.cpu_us);
}

void print_head() {
    std::printf("%-34s %7s %7s %7s %7s %10s | %8s %8s %8s %8s | %11s %7s %6s %5s %5s\n", "scenario", "objects", "boxes",
                "hulls", "touch", "us a frame", "move", "broad", "hulls", "trees", "peer's us", "ratio", "by CPU",
                "wrong", "peer");
}

void print(const Row& r) {
    const auto more = [&](std::size_t i) { return r.more[i].second; };
    std::printf("%-34s %7.0f %7.0f %7.0f %7.0f %10.1f | %8.1f %8.1f %8.1f %8.1f |", r.scenario.c_str(), more(0),
                more(2), more(3), more(1), r.ours_us, more(6), more(7), more(8), more(9));
    if (r.ratio)
        std::printf(" %11.1f %6.2fx %5.2fx %5zu %5zu%s", *r.peer_us, *r.ratio, r.more.back().second, r.wrong,
                    r.peer_wrong, *r.ratio < r.floor ? "  BELOW ITS FLOOR" : "");
    std::printf("\n");
    std::fflush(stdout);
}

class Run {
public:
    Run(const Options& options, Rows& rows) : options_(options), rows_(rows) {}

    /// Measures two threads by elapsed time. Runs before the program pins itself to one core.
    void threads() {
        if (!options_.wanted("threads")) return;
        scenes::Crowd crowd({.count = scaled(10'000)}, scenes::parts());
        on_two_threads("threads-crowd", crowd);
        auto feeder = settled_feeder(scaled(300));
        on_two_threads("threads-feeder", *feeder);
    }

    /// The goal: as many contacts as objects.
    void crowd() {
        if (!options_.wanted("crowd")) return;
        for (const std::size_t n : {std::size_t{1000}, scaled(10'000)}) {
            scenes::Crowd crowd({.count = n}, scenes::parts());
            with_fcl("crowd-" + count_name(n), crowd, n > 1000 ? 12 : 0);
        }
    }

    /// The ratio of times at ten times as many objects; all of one shape, as memory is not the question.
    void growth() {
        if (!options_.wanted("growth")) return;
        const std::size_t few = scaled(10'000), many = 10 * few;
        double us[2];
        for (const std::size_t n : {few, many}) {
            scenes::Crowd crowd({.count = n}, {scenes::parts()[0]});
            // One that shares little with it, to compare the pairs with.
            Sides sides;
            sides.push_back(our_scene(crowd.objects()));
            sides.push_back(our_scene(
                crowd.objects(), {.threads = 1, .broad_phase = BroadPhaseKind::Sweep, .bounds = ObjectBounds::Cube}));
            const auto figures = run(frames_of(crowd), sides, quick() ? 8 : 20);
            Row row = row_of("growth-" + count_name(n), figures[0], options_, n, frames_);
            against(row, "sweep, trees only", figures[0], figures[1], options_);
            us[n == many] = row.ours_us;
            add(row);
        }
        Row row{.scenario = "growth-ratio", .floor = 15, .aim = 12, .value = us[1] / us[0]};
        std::printf("%s %.2f, no more than 15\n", row.scenario.c_str(), *row.value);
        rows_.push_back(row);
    }

    /// Nothing touches.
    void clear() {
        if (!options_.wanted("clear")) return;
        for (const std::size_t n : {1000, 2000, 5000, 10'000, 20'000, 50'000, 100'000}) {
            if (quick() && n > 20'000) break;
            scenes::Crowd crowd({.count = n, .room = 2.2, .apart = true}, scenes::parts());
            Sides sides;
            sides.push_back(our_scene(crowd.objects()));
            const auto figures = run(frames_of(crowd), sides, quick() ? 12 : 40);
            Row row = row_of("clear-" + count_name(n), figures[0], options_, n, frames_);
            row.wrong = static_cast<std::size_t>(figures[0].touching);
            row.checked = row.queries;
            add(row);
        }
    }

    /// The paper's graphs 1 to 6, with its lists: dynamic against fixed boxes by one parameter of a crowd at a time.
    void sweeps() {
        if (!options_.wanted("sweep")) return;
        for (const BoxGraph& graph : box_graphs())
            for (const double value : graph.values_of(quick())) {
                frames_ = quick() ? 12 : 40;
                total_ = {};
                const auto figures = graph.run(value, frames_, options_.by_cpu, total_);
                Row row = row_of(std::string("sweep-") + graph.name + "-" + value_name(value), figures[0], options_,
                                 graph.at(value).first.count, frames_);
                against(row, "fixed boxes", figures[0], figures[1], options_);
                row.more.insert(
                    row.more.end() - 1,
                    {{"value", value}, {"fixed_boxes_out", figures[1].boxes}, {"fixed_broad_us", figures[1].broad_us}});
                row.wrong += figures[1].wrong;
                add(row);
            }
    }

    /// Settings against a scene with hulls and fronts.
    void variants() {
        if (!options_.wanted("variant")) return;
        const std::size_t n = scaled(10'000);
        scenes::Crowd crowd({.count = n}, scenes::parts());
        compare_variants("variant-crowd-", crowd);
        scenes::Crowd sparse({.count = n, .room = 4}, scenes::parts());
        compare_variants("variant-sparse-", sparse);
        auto feeder = settled_feeder(scaled(300));
        compare_variants("variant-feeder-", *feeder);
    }

    void feeder() {
        if (!options_.wanted("feeder")) return;
        auto feeder = settled_feeder(scaled(300));
        with_fcl("feeder-" + count_name(feeder->parts().size()), *feeder, 0);
    }

private:
    bool quick() const { return options_.size.quick; }
    std::size_t scaled(std::size_t n) const {
        return static_cast<std::size_t>(static_cast<double>(n) * options_.size.scale);
    }

    std::vector<SceneFigures> run(const Next& next, Sides& sides, int frames) {
        frames_ = frames;
        total_ = {};
        return compare(next, sides, frames, options_.by_cpu, total_);
    }
    void add(Row row) {
        row.total = total_;
        print(row);
        rows_.push_back(std::move(row));
    }

    template <class T>
    void with_fcl(const std::string& name, T& moving, double floor) {
        Sides sides;
        sides.push_back(our_scene(moving.objects()));
        if (options_.peer)
            if (auto peer = fcl_scene(moving.objects())) sides.push_back(std::move(peer));
        const auto figures = run(frames_of(moving), sides, quick() ? 8 : 40);
        Row row = row_of(name, figures[0], options_, moving.objects().size(), frames_);
        if (figures.size() > 1) {
            against(row, fcl, figures[0], figures[1], options_);
            row.peer_wrong = figures[1].wrong;
            row.floor = row.aim = floor;
        }
        add(row);
    }

    template <class T>
    void on_two_threads(const std::string& name, T& moving) {
        Sides sides;
        for (const unsigned threads : {2u, 1u}) {
            SceneSettings settings = all_stages;
            settings.threads = threads;
            sides.push_back(our_scene(moving.objects(), settings));
        }
        const auto figures = run(frames_of(moving), sides, quick() ? 8 : 40);
        Row row = row_of(name, figures[0], options_, moving.objects().size(), frames_);
        Options elapsed = options_;
        elapsed.by_cpu = false;
        row.ours_us = figures[0].wall_us;
        against(row, "one thread", figures[0], figures[1], elapsed);
        row.wrong += figures[1].wrong;
        total_ = {};  // waiting for the other thread is no disturbance
        add(row);
    }

    template <class T>
    void compare_variants(const std::string& name, T& moving) {
        const auto with = [](BroadPhaseKind broad_phase, ObjectBounds bounds) {
            SceneSettings settings = all_stages;
            settings.broad_phase = broad_phase;
            settings.bounds = bounds;
            return settings;
        };
        using enum BroadPhaseKind;
        const std::pair<const char*, SceneSettings> all[] = {{"hulls-and-fronts", all_stages},
                                                             {"lists", with(SweepAndPrune, ObjectBounds::OrientedBox)},
                                                             {"sweep", with(Sweep, ObjectBounds::OrientedBox)},
                                                             {"tree", with(Tree, ObjectBounds::OrientedBox)},
                                                             {"fixed-boxes", with(Auto, ObjectBounds::Cube)},
                                                             {"dynamic-boxes", with(Auto, ObjectBounds::Hull)},
                                                             {"fronts-only", {.threads = 1, .fronts = true}},
                                                             {"hulls-only", {.threads = 1, .hulls = true}},
                                                             {"default", {.threads = 1}}};
        Sides sides;
        for (const auto& [word, settings] : all) sides.push_back(our_scene(moving.objects(), settings));
        const auto figures = run(frames_of(moving), sides, quick() ? 8 : 32);
        for (std::size_t i = 0; i < sides.size(); ++i) {
            Row row = row_of(name + all[i].first, figures[i], options_, moving.objects().size(), frames_);
            if (i > 0) against(row, "hulls-and-fronts", figures[i], figures[0], options_);
            add(row);
        }
    }

    const Options& options_;
    Rows& rows_;
    int frames_ = 0;
    Span total_;
};

int usage(int code) {
    std::printf(
        "bench_scene [--quick] [--only GROUP] [--no-peer] [--cpu-time] [--json FILE] [--scale FACTOR] [--csv FILE]\n"
        "GROUP is threads, crowd, growth, clear, sweep, variant or feeder\n"
        "--csv: the graphs and the table of the paper on many objects, and nothing else\n");
    return code;
}

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) return usage(argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2);
#ifndef GRAZE_BENCH_FCL
    std::printf("FCL is missing (libfcl-dev)\n");
#endif
    if (!options->csv.empty()) return run_papers(*options);
    Rows rows;
    Run run(*options, rows);
    print_head();
    run.threads();
    pin();
    run.crowd();
    run.feeder();
    run.growth();
    run.clear();
    run.sweeps();
    run.variants();
    if (rows.empty()) return usage(2);
    print_disturbed(rows, options->by_cpu);
    return finish(rows, *options);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
