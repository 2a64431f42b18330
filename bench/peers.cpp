// SPDX-License-Identifier: Apache-2.0
// graze beside the libraries that one might take instead of it: one process, turn by turn, answers compared.
#include "bench/peers.hpp"

#include <cstdio>
#include <cstring>

namespace graze::bench {
namespace {

/// graze as a side like the others. Scratch and result are kept between queries.
class OurPair : public PairPeer {
public:
    OurPair(const scenes::Soup& a, const scenes::Soup& b) : ours_(built(a), built(b)) {}

    bool first(const Pose& a_from_b) override { return ours_(Ask::First, a_from_b) != 0; }
    std::size_t all(const Pose& a_from_b) override { return ours_(Ask::All, a_from_b); }
    std::vector<TrianglePair> pairs() const override { return ours_.pairs(); }

private:
    Ours ours_;
};

const Experiment experiments[] = {
    // Before any library has threads or devices: the families are asked in processes of their own.
    {"peers-ties", 21, 21, peers_ties},
    {"peers-random-first", 10, 7, peers_random_first},
    {"peers-random-all", 10, 7, peers_random_all},
    {"peers-spheres", 4, 4, peers_spheres},
    {"peers-real", 30, 6, peers_real},
    {"peers-path", 3, 3, peers_path},
    {"peers-build", 2, 1, peers_build},
    {"peers-memory", 2, 1, peers_memory},
    {"peers-refit", 1, 1, peers_refit},
    {"peers-rays", 4, 4, peers_rays},
    {"peers-distance", 8, 8, peers_distance},
    {"peers-scene", 2, 2, peers_scene},
    {"peers-robot", 2, 2, peers_robot},
};

int usage(int code) {
    std::printf("bench_peers [--quick] [--only EXPERIMENT] [--cpu-time] [--csv FILE]\nEXPERIMENT is one of");
    for (const Experiment& e : experiments) std::printf(" %s", e.name);
    std::printf("\n");
    return code;
}

/// Says which libraries the build did not find.
void print_missing() {
    const auto missing = [](const char* library, const char* package) {
        std::printf("%s (%s) was not found and is left out.\n", library, package);
    };
#ifndef GRAZE_BENCH_BULLET
    missing("Bullet", "libbullet-dev");
#endif
#ifndef GRAZE_BENCH_ODE
    missing("ODE", "libode-dev");
#endif
#ifndef GRAZE_BENCH_CGAL
    missing("CGAL", "libcgal-dev");
#endif
#ifndef GRAZE_BENCH_EMBREE
    missing("Embree 3", "libembree-dev");
#endif
#ifndef GRAZE_BENCH_FCL
    missing("FCL", "libfcl-dev");
#endif
    (void)missing;
}

int run_all(int argc, char** argv) {
    std::string csv;
    std::vector<char*> rest;
    for (int i = 0; i < argc; ++i) {
        if (std::strcmp(argv[i], "--csv") == 0 && i + 1 < argc)
            csv = argv[++i];
        else
            rest.push_back(argv[i]);
    }
    const auto options = parse(static_cast<int>(rest.size()), rest.data());
    if (!options) return usage(rest.size() == 2 && std::strcmp(rest[1], "--help") == 0 ? 0 : 2);
    pin();
    print_missing();
    int steps = 0;
    for (const Experiment& e : experiments)
        if (options->wanted(e.name)) steps += options->size.quick ? e.quick_steps : e.steps;
    if (steps == 0) return usage(2);
    Table table;
    std::size_t wrong = 0;
    {
        Progress progress(steps);
        Study study{*options, table, progress};
        for (const Experiment& e : experiments) {
            if (!options->wanted(e.name)) continue;
            e.run(study);
            // After each experiment: what was measured outlives a run that is ended early.
            if (!csv.empty() && !table.write(csv)) return 1;
        }
        wrong = study.wrong;
    }
    table.print();
    if (wrong > 0) std::printf("\n%zu answers of graze are wrong\n", wrong);
    return wrong > 0 ? 1 : 0;
}

}  // namespace

std::vector<PeerKind> pair_peers() {
    std::vector<PeerKind> out{{"graze", Share::Whole, Share::Whole, true,
                               [](const scenes::Soup& a, const scenes::Soup& b) -> std::unique_ptr<PairPeer> {
                                   return std::make_unique<OurPair>(a, b);
                               }}};
#ifdef GRAZE_BENCH_FCL
    for (PeerKind& kind : fcl_pairs()) out.push_back(std::move(kind));
#endif
#ifdef GRAZE_BENCH_BULLET
    out.push_back(gimpact_pairs());
#endif
#ifdef GRAZE_BENCH_ODE
    out.push_back(ode_pairs());
#endif
#ifdef GRAZE_BENCH_CGAL
    out.push_back(cgal_pairs());
#endif
#ifdef GRAZE_BENCH_EMBREE
    out.push_back(embree_pairs());
#endif
    return out;
}

std::vector<double> seconds_per_query(const Study& study, const std::vector<Side>& sides, double seconds) {
    const Effort effort = study.quick() ? Effort{seconds / 10, 1, 5} : Effort{seconds, 3, 15};
    Span total;
    const std::vector<Span> spans = take_turns(sides.size(), effort, total, [&](std::size_t s) {
        for (std::size_t i = 0; i < sides[s].queries; ++i) sides[s].ask(i);
    });
    std::vector<double> out;
    for (std::size_t s = 0; s < sides.size(); ++s)
        out.push_back(spans[s].seconds(study.options.by_cpu) / static_cast<double>(sides[s].queries));
    return out;
}

}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
