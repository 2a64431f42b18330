// SPDX-License-Identifier: Apache-2.0
// The experiments of two papers on our own library: OBBTree (Gottschalk, Lin, Manocha 1996) and AABB trees (van den
// Bergen 1998). The counts are the same in every run; times are processor time, medians of interleaved turns.
#include "bench/papers.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graze::bench::papers {
namespace {

struct Experiment {
    std::vector<std::string> names;  ///< names of the tables that it fills
    const char* what;
    void (*make)(Run& run);
};

const std::vector<Experiment>& experiments() {
    static const std::vector<Experiment> list = {
        {{"obb-table1"}, "operations of a box test", operation_counts},
        {{"obb-table2"}, "box tests by other methods", box_overlap_methods},
        {{"obb-fig5", "obb-fig5-slopes"}, "concentric spheres", [](Run& run) { close_proximity(run, true); }},
        {{"obb-fig6"}, "neighbouring spheres", [](Run& run) { close_proximity(run, false); }},
        {{"obb-table3"}, "simulations", simulations},
        {{"obb-fig9"}, "levels of trees over a torus", tree_levels},
        {{"obb-tightness"}, "tightness of volumes", tightness},
        {{"obb-cost"}, "the cost equation", cost_equation},
        {{"obb-memory"}, "memory", memory},
        {{"obb-rapid"}, "counts of the paper's program", rapid},
        {{"aabb-fig2"}, "separating axes", separating_axes},
        {{"aabb-table1"}, "random placements, 15 axes", [](Run& run) { placements(run, false); }},
        {{"aabb-table2"}, "random placements, 6 axes", [](Run& run) { placements(run, true); }},
        {{"aabb-table3"}, "builds, refits and queries", operations},
    };
    return list;
}

struct Arguments {
    bool quick = false;
    std::string only, csv, pictures;
};

/// Nothing when the arguments are not understood, or ask for help.
std::optional<Arguments> arguments(int argc, char** argv) {
    Arguments out;
    for (int i = 1; i < argc; ++i) {
        const std::string_view arg = argv[i];
        std::string* const value = arg == "--only"       ? &out.only
                                   : arg == "--csv"      ? &out.csv
                                   : arg == "--pictures" ? &out.pictures
                                                         : nullptr;
        if (arg == "--quick")
            out.quick = true;
        else if (value != nullptr && i + 1 < argc)
            *value = argv[++i];
        else
            return {};
    }
    return out;
}

int usage(int code) {
    std::printf("bench_papers [--quick] [--only EXPERIMENT] [--csv FILE] [--pictures FOLDER]\nexperiments:\n");
    for (const Experiment& e : experiments())
        for (const std::string& name : e.names) std::printf("  %-16s %s\n", name.c_str(), e.what);
    return code;
}

int run_all(int argc, char** argv) {
    const auto given = arguments(argc, argv);
    if (!given) return usage(argc == 2 && std::string_view(argv[1]) == "--help" ? 0 : 2);
    std::vector<const Experiment*> wanted;
    for (const Experiment& e : experiments())
        if (std::ranges::any_of(e.names,
                                [&](const std::string& name) { return given->only.empty() || given->only == name; }))
            wanted.push_back(&e);
    if (wanted.empty()) return usage(2);

    pin();
    Table table;
    Run run{given->quick, given->pictures, table};
    {
        Progress progress(static_cast<int>(wanted.size()));
        for (const Experiment* e : wanted) {
            progress.step(e->names[0] + ", " + e->what);
            e->make(run);
        }
    }
    table.print();
    if (run.wrong > 0) {
        std::fprintf(stderr, "bench_papers: %zu answers differ where all must agree\n", run.wrong);
        run.failed = true;
    }
    if (!given->csv.empty() && !table.write(given->csv)) run.failed = true;
    return run.failed ? 1 : 0;
}

}  // namespace

const std::vector<NamedTree>& trees() {
    static const std::vector<NamedTree> list = {
        {"OBB", paper_tree(study::Volume::Obb)},
        {"AABB", paper_tree(study::Volume::Aabb)},
        {"sphere", paper_tree(study::Volume::Sphere)},
        {"wide OBB", {.volume = study::Volume::Obb, .threads = 1}},
    };
    return list;
}

}  // namespace graze::bench::papers

int main(int argc, char** argv) { return graze::bench::papers::run_all(argc, argv); }
