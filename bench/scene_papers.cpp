// SPDX-License-Identifier: Apache-2.0
// The graphs and the table of the paper on many moving objects (Lin, Manocha, Cohen and Gottschalk), and its parts
// feeder.
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "bench/scene.hpp"
#include "bench/table.hpp"
#include "scenes/motions.hpp"
#include "scenes/parts.hpp"

namespace graze::bench {

const std::vector<BoxGraph>& box_graphs() {
    static const auto set_count = [](scenes::CrowdSettings& s, std::uint32_t&, double v) {
        s.count = static_cast<std::size_t>(v);
    };
    static const std::vector<BoxGraph> all = {
        {"objects-graph1", "objects", {250, 500, 1000, 2000, 4000}, set_count},
        {"objects-graph2",
         "triangles",
         {200, 500, 1000, 3000, 10000},
         [](auto&, auto& triangles, double v) { triangles = static_cast<std::uint32_t>(v); }},
        {"objects-graph3", "room", {6, 4, 3, 2.5, 2.1, 1.8}, [](auto& s, auto&, double v) { s.room = v; }},
        {"objects-graph4", "velocity", {0, 0.01, 0.02, 0.05, 0.1, 0.3}, [](auto& s, auto&, double v) { s.speed = v; }},
        {"objects-graph5",
         "degrees",
         {0, 1, 2, 5, 15, 45},
         [](auto& s, auto&, double v) { s.spin = v * 0.017453292519943295; }},
        // The first graph again, with little density.
        {"objects-graph6", "sparse", {250, 500, 1000, 2000, 4000}, [](auto& s, auto& triangles, double v) {
             set_count(s, triangles, v);
             s.room = 6;
         }}};
    return all;
}

std::vector<double> BoxGraph::values_of(bool quick) const {
    return quick ? std::vector{values.front(), values.back()} : values;
}

std::pair<scenes::CrowdSettings, std::uint32_t> BoxGraph::at(double value) const {
    scenes::CrowdSettings settings{.count = 1000};
    std::uint32_t triangles = 1000;
    set(settings, triangles, value);
    return {settings, triangles};
}

std::vector<SceneFigures> BoxGraph::run(double value, int frames, bool by_cpu, Span& total) const {
    const auto [settings, triangles] = at(value);
    scenes::Crowd crowd(settings, scenes::parts(triangles));
    std::vector<std::unique_ptr<SceneSide>> sides;
    for (const ObjectBounds bounds : {ObjectBounds::Hull, ObjectBounds::Cube})
        sides.push_back(our_scene(crowd.objects(), {.threads = 1,
                                                    .hulls = true,
                                                    .fronts = true,
                                                    .broad_phase = BroadPhaseKind::SweepAndPrune,
                                                    .bounds = bounds}));
    return compare(frames_of(crowd), sides, frames, by_cpu, total);
}

std::unique_ptr<scenes::Feeder> settled_feeder(std::size_t parts) {
    auto feeder = std::make_unique<scenes::Feeder>(scenes::FeederSettings{.count = parts});
    for (int i = 0; i < 250; ++i) feeder->step();
    return feeder;
}

namespace {

class Papers {
public:
    explicit Papers(const Options& options)
        : options_(options), quick_(options.size.quick), bar_(static_cast<int>(box_graphs().size()) + 3) {}

    int run() {
        for (const BoxGraph& graph : box_graphs()) {
            bar_.step(std::string("fixed and dynamic boxes by ") + graph.name);
            for (const double value : graph.values_of(quick_)) boxes(graph, value);
        }
        bar_.step("pipes");
        simulation("pipes", "Pipes", 4008);
        bar_.step("torus");
        simulation("torus", "Torus", 1298);
        bar_.step("parts feeder");
        for (const std::size_t parts : {50, 100, 200, 300})
            if (!quick_ || parts <= 100) feeder(parts);
        if (wrong_ > 0) std::printf("\n%zu pairs of objects are wrong\n", wrong_);
        return table_.write(options_.csv) && wrong_ == 0 ? 0 : 1;
    }

private:
    double us(const SceneFigures& f) const { return f.us(options_.by_cpu); }

    void boxes(const BoxGraph& graph, double value) {
        Span total;
        const auto figures = graph.run(value, quick_ ? 12 : 40, options_.by_cpu, total);
        char row[32];
        if (const double room = graph.at(value).first.room; std::string(graph.name) == "room")
            // Density is the share of space that the balls around the objects would fill, in per cent.
            std::snprintf(row, sizeof row, "%.3g", 100 * 4.1887902047863905 / (room * room * room));
        else
            std::snprintf(row, sizeof row, "%g", value);
        const std::string work = std::string(graph.experiment) + "-work";
        const char* const words[] = {"dynamic boxes", "fixed boxes"};
        for (std::size_t i = 0; i < 2; ++i) {
            const SceneFigures& f = figures[i];
            wrong_ += f.wrong;
            table_.time(graph.experiment, row, words[i], us(f), "µs");
            table_.count(work, row, std::string(words[i]) + " that overlap", f.boxes, "pairs");
        }
        table_.count(work, row, "objects that touch", figures[0].touching, "pairs");
    }

    /// A column of the paper's table 1, with its trees of oriented boxes, and one with the wide tree. `steps` is the
    /// paper's number.
    void simulation(std::string_view name, const std::string& title, std::size_t steps) {
        const scenes::Motion motion = *scenes::motion(name, options_.size.scale);
        std::vector<Affine> path;
        for (std::size_t i = 0; i < std::min(motion.path.size(), quick_ ? steps / 8 : steps); ++i)
            path.emplace_back(motion.path[i]);
        const study::TreeSettings trees[] = {
            {.tree = study::TreeKind::Binary, .volume = study::Volume::Obb, .threads = 1}, {.threads = 1}};
        std::vector<Ours> sides;
        for (const study::TreeSettings& t : trees)
            sides.emplace_back(built(motion.environment, t), built(motion.body, t));
        std::vector<std::size_t> contacts(sides.size());
        std::vector<QueryStats> stats(sides.size());
        for (std::size_t s = 0; s < sides.size(); ++s)
            for (const Affine& at : path) contacts[s] += sides[s](Ask::All, at, &stats[s]);
        wrong_ += contacts[0] != contacts[1];
        Span total;
        const auto spans =
            take_turns(sides.size(), {quick_ ? 0.2 : 4, 3, 15, options_.by_cpu}, total, [&](std::size_t s) {
                for (const Affine& at : path) sides[s](Ask::All, at);
            });
        for (std::size_t s = 0; s < sides.size(); ++s) {
            const std::string column = title + (s == 0 ? "" : ", wide tree");
            const char* id = "objects-table";
            const double n = static_cast<double>(path.size()), seconds = spans[s].seconds(options_.by_cpu),
                         tests = static_cast<double>(stats[s].box_tests), all = static_cast<double>(contacts[s]);
            table_.count(id, "Environ Size", column, static_cast<double>(motion.environment.triangle_count()), "pgns");
            table_.count(id, "Object Size", column, static_cast<double>(motion.body.triangle_count()), "pgns");
            table_.count(id, "Num of Steps", column, n);
            table_.count(id, "Num of Contacts", column, all);
            table_.count(id, "Num of Box-Box Tests", column, tests);
            table_.count(id, "Num of Tri-Tri Tests", column, static_cast<double>(stats[s].triangle_tests));
            table_.time(id, "Time", column, seconds, "secs");
            table_.time(id, "Ave. Int. Detec. Time", column, 1e3 * seconds / n, "msec");
            table_.time(id, "Ave. Time per Box Test", column, 1e6 * seconds / tests, "usecs");
            table_.count(id, "Ave. Contacts per Step", column, all / n);
        }
    }

    /// From all pairs that there are to those that touch, and the time of each stage.
    void feeder(std::size_t parts) {
        const auto feeder = settled_feeder(parts);
        std::vector<std::unique_ptr<SceneSide>> sides;
        sides.push_back(our_scene(feeder->objects()));
        // One that shares little with it, to compare the pairs with.
        sides.push_back(our_scene(feeder->objects(), {.threads = 1, .broad_phase = BroadPhaseKind::Sweep}));
        Span total;
        const auto figures = compare(frames_of(*feeder), sides, quick_ ? 8 : 40, options_.by_cpu, total);
        const SceneFigures& f = figures[0];
        wrong_ += f.wrong + figures[1].wrong;
        const char* id = "objects-feeder";
        const std::string row = std::to_string(parts);
        const double n = static_cast<double>(parts);
        table_.count(id, row, "all pairs", n * (n - 1) / 2 + n, "pairs");
        table_.count(id, row, "boxes overlap", f.boxes, "pairs");
        table_.count(id, row, "hulls overlap", f.hulls, "pairs");
        table_.count(id, row, "touching", f.touching, "pairs");
        table_.time(id, row, "step", us(f), "µs");
        table_.time(id, row, "of that placing", f.move_us, "µs");
        table_.time(id, row, "of that boxes and pairs", f.broad_us, "µs");
        table_.time(id, row, "of that hulls", f.hull_us, "µs");
        table_.time(id, row, "of that trees", f.tree_us, "µs");
        table_.time(id, row, "step, trees only", us(figures[1]), "µs");
    }

    const Options& options_;
    bool quick_;
    Table table_;
    Progress bar_;
    std::size_t wrong_ = 0;
};

}  // namespace

int run_papers(const Options& options) {
    pin();
    return Papers(options).run();
}

}  // namespace graze::bench
