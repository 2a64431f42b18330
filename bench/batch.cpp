// SPDX-License-Identifier: Apache-2.0
// Batches of placements against a loop of single queries: one process, turn by turn. One thread against the loop, and
// two threads against one.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/harness.hpp"
#include "bench/report.hpp"
#include "scenes/paths.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench {
namespace {

/// A motion of a model through itself that turns by so many degrees per frame. All frames collide.
std::vector<Pose> colliding_path(const Model& model, std::size_t count, double degrees) {
    const scenes::Ball ball = scenes::bounding_ball(model);
    const std::size_t key_count = 3 + static_cast<std::size_t>(static_cast<double>(count) * degrees / 60);
    scenes::Random random(7);
    std::vector<scenes::Keyframe> keys;
    scenes::Quaternion at = scenes::random_quaternion(random);
    for (std::size_t k = 0; k < key_count; ++k) {
        const Vec3 by = random.in_cube(-0.7, 0.7);
        at = {at[0] + by.x, at[1] + by.y, at[2] + by.z, at[3]};
        const double size = std::sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3]);
        for (double& x : at) x /= size;
        keys.push_back({random.in_cube(-0.7, 0.7) * ball.radius, at});
    }
    std::vector<Pose> poses;
    for (const Pose& pose : scenes::interpolate(keys, 2 * count))
        if (poses.size() < count && intersects(model, model, pose)) poses.push_back(pose);
    return poses;
}

/// Runs batches and the loop, and compares all answers.
Row run(const std::string& name, const Model& model, const std::vector<Pose>& poses, Ask ask, const Options& options) {
    Row row{.scenario = name, .peer = "loop of single queries", .queries = poses.size(), .floor = 0.95};
    std::vector<std::uint8_t> meets(poses.size());
    std::vector<std::uint32_t> counts(poses.size()), expected(poses.size());
    Ours single(model, model);
    for (std::size_t i = 0; i < poses.size(); ++i)
        row.hits += (expected[i] = static_cast<std::uint32_t>(single(ask, poses[i]))) > 0;
    const auto turn = [&](std::size_t side) {
        if (side == 0) {
            for (std::size_t i = 0; i < poses.size(); ++i)
                counts[i] = static_cast<std::uint32_t>(single(ask, poses[i]));
            return;
        }
        const BatchSettings settings{.threads = static_cast<unsigned>(side)};
        const Result<void> done = ask == Ask::First ? intersects(model, model, poses, meets, settings)
                                                    : count_contacts(model, model, poses, counts, settings);
        row.wrong += !done;
        for (std::size_t i = 0; i < poses.size(); ++i)
            row.wrong += expected[i] != (ask == Ask::First ? meets[i] : counts[i]);
    };
    const Effort effort = options.size.quick ? Effort{1, 5, 25, options.by_cpu} : Effort{4, 9, 101, options.by_cpu};
    const std::vector<Span> spans = take_turns(3, effort, row.total, turn);
    const auto per_query = [&](double seconds) { return seconds * 1e6 / static_cast<double>(poses.size()); };
    row.peer_us = per_query(spans[0].seconds(options.by_cpu));
    row.ours_us = per_query(spans[1].seconds(options.by_cpu));
    row.ratio = *row.peer_us / row.ours_us;
    row.checked = poses.size();
    const double two = spans[1].wall / spans[2].wall;
    row.more = {{"two_threads", two}};
    std::printf("%-30s %9.3f %9.3f %7.2fx %9.2fx %6.1f%%  %s\n", name.c_str(), *row.peer_us, row.ours_us, *row.ratio,
                two, 100.0 * static_cast<double>(row.hits) / static_cast<double>(poses.size()),
                row.wrong ? "WRONG" : "");
    std::fflush(stdout);
    return row;
}

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) {
        std::printf("bench_batch [--quick] [--only MESH] [--cpu-time] [--json FILE]\n");
        return argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2;
    }
    std::printf("%-30s %9s %9s %8s %10s %7s\n", "mesh, itself", "loop", "batch", "ratio", "2 threads", "hits");
    std::vector<NamedSoup> all = meshes(options->size);
    all.insert(all.begin(), {"torus", scenes::torus()});
    const std::size_t count = options->size.quick ? 4000 : 40000;
    std::vector<Row> rows;
    for (const NamedSoup& named : all) {
        if (!options->wanted(named.name)) continue;
        const Model model = built(named.soup);
        const std::vector<Pose> random = scenes::placements_at_hit_rate(model, model, 0.5, count, 1);
        const auto add = [&](const char* what, const std::vector<Pose>& poses, Ask ask) {
            rows.push_back(run(named.name + ", " + what, model, poses, ask, *options));
        };
        add("random", random, Ask::First);
        add("path, 0.1 degrees", colliding_path(model, count, 0.1), Ask::First);
        add("path, 1 degree", colliding_path(model, count, 1), Ask::First);
        add("random, contacts", {random.begin(), random.begin() + static_cast<std::ptrdiff_t>(count / 10)}, Ask::All);
    }
    std::printf(
        "Times are microseconds per placement. The last ratio is one thread's elapsed time over two threads'.\n");
    return finish(rows, *options);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
