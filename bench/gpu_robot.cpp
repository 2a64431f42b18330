// SPDX-License-Identifier: Apache-2.0
// A robot arm at random configurations, against itself and a world of 100,000 triangles: on the GPU, and on all cores
// of the CPU. One process, answers compared configuration by configuration.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "checks/robot_gpu.hpp"
#include "graze/gpu.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench {
namespace {

using checks::RobotAsk;
using checks::RobotCheck;
using Clock = std::chrono::steady_clock;

template <class T>
T sure(Result<T> result) {
    if (!result.ok()) {
        std::fprintf(stderr, "bench_gpu_robot: %s\n", result.fault().message.c_str());
        std::exit(1);
    }
    return *std::move(result);
}

template <class F>
double seconds(const F& f) {
    const auto start = Clock::now();
    f();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A floor, and twenty rings of 5,000 triangles within the arm's reach.
std::vector<checks::WorldObject> world() {
    scenes::Random random(11);
    scenes::Soup all = scenes::transformed(scenes::box({1.5, 1.5, 0.05}), *Pose::from_translation({0, 0, -0.06}));
    const scenes::Soup ring = scenes::scale(scenes::torus(), 0.1);
    for (int i = 0; i < 20; ++i) {
        const double far = random.between(0.45, 0.95), around = random.between(-3.14, 3.14);
        const Vec3 at{far * std::cos(around), far * std::sin(around), random.between(0.1, 1.0)};
        const std::array<double, 4> turn{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), 1};
        all = scenes::joined(all, scenes::transformed(ring, *Pose::from_quaternion(turn, at)));
    }
    return {{"cell", sure(Model::build(all))}};
}

/// Returns how many answers differ from the CPU's.
std::size_t run(const char* name, const RobotCheck& check, std::size_t n, std::size_t on_cpu) {
    const gpu::Robot robot = sure(gpu::Robot::make(check.prepared()));
    const std::vector<double> values = checks::random_values(check.robot(), n, 1);
    std::vector<std::uint32_t> found(n), bits(n * robot.words());
    std::size_t left = 0, left_of_all = 0;
    double free_s = 1e9, pairs_s = 1e9;
    for (int i = 0; i < 4; ++i) {
        free_s = std::min(free_s, seconds([&] { left = sure(robot.any_pair(values, found)); }));
        pairs_s = std::min(pairs_s, seconds([&] { left_of_all = sure(robot.all_pairs(values, bits)); }));
    }
    const std::size_t joints = check.robot().active.size();
    const std::span<const double> some = std::span(values).first(on_cpu * joints);
    checks::RobotAnswers free, pairs;
    const double cpu_s = seconds([&] { free = sure(checks::check_all(check, on_cpu, some, RobotAsk::Free)); });
    pairs = sure(checks::check_all(check, on_cpu, some, RobotAsk::Pairs));
    std::size_t wrong = 0, hits = 0;
    for (std::size_t i = 0; i < n; ++i) hits += found[i] != gpu::Robot::none;
    for (std::size_t i = 0; i < on_cpu; ++i) {
        std::vector<std::uint32_t> expected(robot.words());
        for (const checks::BodyHit& hit : pairs.of(i)) expected[hit.pair / 32] |= 1u << (hit.pair % 32);
        const bool same = (found[i] == gpu::Robot::none) == free.of(i).empty() &&
                          std::memcmp(expected.data(), &bits[i * expected.size()], 4 * expected.size()) == 0;
        wrong += !same;
    }
    const auto rate = [](std::size_t count, double s) { return static_cast<double>(count) / s / 1e6; };
    std::printf("%-22s %10zu %6.1f %% %8zu %10.1f %10.1f %10.3f %9.4f %% %9.4f %% %6zu\n", name, n,
                100.0 * static_cast<double>(hits) / static_cast<double>(n), check.pairs().size(), rate(n, free_s),
                rate(n, pairs_s), rate(on_cpu, cpu_s), 100.0 * static_cast<double>(left) / static_cast<double>(n),
                100.0 * static_cast<double>(left_of_all) / static_cast<double>(n), wrong);
    std::fflush(stdout);
    return wrong;
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) {
    using namespace graze;
    std::string folder = GRAZE_BENCH_PANDA;
    bool quick = false;
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], "--quick") == 0)
            quick = true;
        else
            folder = argv[i];
    if (!std::filesystem::exists(folder)) {
        std::printf("left out: the Panda's files are not at %s; another folder may be given\n", folder.c_str());
        return 0;
    }
    const files::Robot robot = bench::sure(files::read_robot(folder + "/urdf/panda.urdf"));
    const files::RobotSemantics semantics = bench::sure(files::read_semantics(folder + "/srdf/panda.srdf", robot));
    std::printf("%s; rates in millions of configurations per second, from the host and back\n",
                bench::sure(gpu::device_name()).c_str());
    std::printf("%-22s %10s %8s %8s %10s %10s %10s %11s %11s %6s\n", "robot", "count", "hit", "pairs", "any pair",
                "all pairs", "CPU", "left", "of all", "wrong");
    const std::size_t n = quick ? 1'000'000 : 8'000'000, on_cpu = quick ? 50'000 : 300'000;
    std::size_t wrong = 0;
    const auto alone = bench::sure(checks::RobotCheck::make(robot, &semantics));
    const auto in_cell = bench::sure(checks::RobotCheck::make(robot, &semantics, bench::world()));
    for (const std::size_t size : {std::size_t{1'000}, std::size_t{100'000}, n}) {
        wrong += bench::run("panda", alone, size, std::min(size, on_cpu));
        wrong += bench::run("panda in a cell", in_cell, size, std::min(size, on_cpu));
    }
    return wrong != 0;
}
