// SPDX-License-Identifier: Apache-2.0
// Cost of the relation of two solids where they cross, against the query for all contacts: one process, turn by turn.
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/harness.hpp"
#include "bench/report.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench {
namespace {

/// Placements in which the solids cross.
std::vector<Pose> crossing(const Solid& solid, std::size_t count) {
    scenes::Random random(5);
    std::vector<Pose> poses;
    const double reach = length(solid.model().bounds().hi());
    while (poses.size() < count) {
        const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-reach, reach));
        if (relation(solid, solid, pose).relation == Relation::Crossing) poses.push_back(pose);
    }
    return poses;
}

Row run(const NamedSoup& named, const Options& options) {
    const Solid solid(built(named.soup));
    const std::vector<Pose> poses = crossing(solid, options.size.quick ? 20 : 200);
    Scratch scratch;
    std::vector<Contact> contacts;
    Row row{.scenario = named.name, .peer = "collide", .queries = poses.size(), .floor = 0.9, .aim = 1};
    const auto turn = [&](std::size_t side) {
        row.hits = 0;
        for (const Pose& pose : poses) {
            if (side == 0)
                row.hits += relation(solid, solid, pose, {.scratch = &scratch}).relation == Relation::Crossing;
            if (side == 1) collide(solid.model(), solid.model(), pose, contacts, {.scratch = &scratch});
            if (side == 2)
                row.hits += overlap(solid, solid, pose, {.scratch = &scratch}).volume > 0 || !solid.has_inside();
            if (side == 3) row.hits += !intersection_curves(solid, solid, pose, {.scratch = &scratch}).empty();
        }
        if (side != 1) row.wrong += poses.size() - row.hits;
    };
    const Effort effort = options.size.quick ? Effort{2, 3, 9, options.by_cpu} : Effort{4, 5, 51, options.by_cpu};
    const std::vector<Span> spans = take_turns(4, effort, row.total, turn);
    const auto per_query = [&](int side) {
        return spans[static_cast<std::size_t>(side)].seconds(options.by_cpu) * 1e6 / static_cast<double>(poses.size());
    };
    row.ours_us = per_query(0);
    row.peer_us = per_query(1);
    row.ratio = *row.peer_us / row.ours_us;
    row.checked = poses.size();
    row.more = {{"overlap_us", per_query(2)}, {"curves_us", per_query(3)}};
    std::printf("%-16s %9.1f %9.1f %7.2fx %9.1f %9.1f  %s\n", named.name.c_str(), row.ours_us, *row.peer_us, *row.ratio,
                per_query(2), per_query(3), row.wrong ? "WRONG" : "");
    std::fflush(stdout);
    return row;
}

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) {
        std::printf("bench_solid [--quick] [--only MESH] [--cpu-time] [--json FILE]\n");
        return argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2;
    }
    std::printf("%-16s %9s %9s %8s %9s %9s\n", "solid, itself", "relation", "collide", "ratio", "overlap", "curves");
    std::vector<NamedSoup> solids = meshes(options->size);
    solids.push_back({"torus", scenes::torus()});
    std::vector<Row> rows;
    for (const NamedSoup& named : solids)
        if (options->wanted(named.name)) rows.push_back(run(named, *options));
    std::printf("Times are microseconds per pair of solids that cross.\n");
    return finish(rows, *options);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
