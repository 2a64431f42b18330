// SPDX-License-Identifier: Apache-2.0
// Kinds of volumes against each other; refits, builds and rays against other libraries: one process, turn by
// turn, answers compared.
#include "bench/volumes.hpp"

#include <cstdio>
#include <cstdlib>

#include "graze/study.hpp"

namespace graze::bench {

const std::vector<Kind>& kinds() {
    const auto binary = [](study::Volume v) {
        return study::TreeSettings{.tree = study::TreeKind::Binary, .volume = v, .threads = 1};
    };
    static const std::vector<Kind> list = {
        {"wide-obb", {.volume = study::Volume::Obb, .threads = 1}},
        {"wide-aabb", {.volume = study::Volume::Aabb, .threads = 1}},
        {"obb", binary(study::Volume::Obb)},
        {"aabb", binary(study::Volume::Aabb)},
        {"sphere", binary(study::Volume::Sphere)},
        {"dop14", binary(study::Volume::Dop14)},
        {"dop18", binary(study::Volume::Dop18)},
        {"dop26", binary(study::Volume::Dop26)},
    };
    return list;
}

namespace {

struct Group {
    const char* name;
    void (*run)(const Options&, Rows&);
};
constexpr Group groups[] = {
    // First: told to use one thread, Embree holds all of the process to one, for good.
    {"build-aabb-2-threads", run_two_threads},
    {"build-aabb-1m", run_build},
    {"refit", run_refit},
    {"random-first", run_random_first},
    {"random-all", run_random_all},
    {"deformed-first", run_deformed},
    {"affine-first", run_affine},
    {"rays", run_rays},
    {"spheres", run_spheres},
    {"splits", run_splits},
    {"tightness", run_tightness},
};

void print(const Rows& rows) {
    std::printf("\n%-28s %7s %12s  %-14s %12s %8s %6s %6s %12s %11s %6s %7s %6s\n", "scenario", "queries", "ours us",
                "peer", "peer us", "ratio", "floor", "aim", "box tests", "tri tests", "wrong", "checked", "differ");
    for (const Row& r : rows) {
        std::printf("%-28s", r.scenario.c_str());
        if (r.value) {
            std::printf(" %57.1f value %6g %6g (no more than)", *r.value, r.floor, r.aim);
        } else if (r.ours_us > 0) {
            std::printf(" %7zu %12.3f", r.queries, r.ours_us);
            if (r.ratio)
                std::printf("  %-14s %12.3f %7.2fx", r.peer.c_str(), *r.peer_us, *r.ratio);
            else
                std::printf("  %36s", "");
            if (r.floor > 0)
                std::printf(" %5.3gx %5.3gx", r.floor, r.aim);
            else
                std::printf(" %13s", "");
            std::printf(" %12.1f %11.1f %6zu %7zu %6zu", r.box_tests, r.triangle_tests, r.wrong, r.checked, r.differ);
        }
        for (const auto& [name, figure] : r.more) std::printf("  %s %.4g", name.c_str(), figure);
        std::printf("\n");
    }
}

int usage(int code) {
    std::printf(
        "bench_volumes [--quick] [--only GROUP] [--no-peer] [--cpu-time] [--json FILE] [--scale FACTOR]\ngroups:");
    for (const Group& g : groups) std::printf(" %s", g.name);
    std::printf("\n");
    return code;
}

void print_missing() {
#ifndef GRAZE_BENCH_FCL
    std::printf("FCL is missing (libfcl-dev)\n");
#endif
#ifndef GRAZE_BENCH_BULLET
    std::printf("Bullet is missing (libbullet-dev)\n");
#endif
#ifndef GRAZE_BENCH_EMBREE
    std::printf("Embree is missing (libembree-dev)\n");
#endif
}

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) return usage(argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2);
    print_missing();
    Rows rows;
    for (const Group& g : groups) {
        if (&g == &groups[1]) pin();  // measurements on two threads are done
        if (options->wanted(g.name)) {
            std::printf("%s\n", g.name);
            std::fflush(stdout);
            g.run(*options, rows);
        }
    }
    if (rows.empty()) return usage(2);
    print(rows);
    print_disturbed(rows, options->by_cpu);
    return finish(rows, *options);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
