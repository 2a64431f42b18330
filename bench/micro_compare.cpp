// SPDX-License-Identifier: Apache-2.0
// Fixed work for `script/bench compare`, which runs it as built from two revisions:
// micro_compare SCENARIO counts a small pool of queries once, inside `compare_measured`, where callgrind counts along;
// micro_compare SCENARIO --seconds S times passes over a large pool.
// Only the public interface and scenes/ are used, so that the file also compiles in older revisions.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness.hpp"
#include "graze/graze.hpp"
#include "scenes/motions.hpp"
#include "scenes/paths.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

/// callgrind counts instructions in this function and in what it calls.
extern "C" [[gnu::noinline]] void compare_measured(const std::function<void()>& work) { work(); }

namespace {

using namespace graze;

Model built(const SoupView& soup, const BuildSettings& settings = {.threads = 1}) {
    auto model = Model::build(soup, settings);
    if (model) return std::move(*model);
    std::fprintf(stderr, "micro_compare: %s\n", model.fault().message.c_str());
    std::exit(1);
}

/// A sum over all answers. It does not depend on the order of contacts.
std::uint64_t mixed(std::uint64_t x) {
    scenes::Random random(x);
    return random.bits();
}

/// A pass over the pool, and what it found. Without `stats` nothing is counted.
struct Work {
    std::size_t queries = 0;
    std::function<std::uint64_t(QueryStats* stats)> pass;
};

enum class Ask { First, All, Distance };

Work queries(Model a, Model b, std::vector<Pose> poses, Ask ask, bool fronted = false) {
    const std::size_t count = poses.size();
    return {count, [=, a = std::move(a), b = std::move(b), poses = std::move(poses)](QueryStats* stats) {
                Scratch scratch;
                Front front;
                std::vector<Contact> contacts;
                std::uint64_t answer = 0;
                for (std::size_t i = 0; i < poses.size(); ++i) {
                    const QuerySettings settings{
                        .stats = stats, .scratch = &scratch, .front = fronted ? &front : nullptr};
                    if (ask == Ask::First) {
                        answer += mixed(2 * i + intersects(a, b, poses[i], settings));
                    } else if (ask == Ask::All) {
                        collide(a, b, poses[i], contacts, settings);
                        for (const Contact& c : contacts)
                            answer += mixed(i ^ mixed(c.triangles.a) ^ mixed(mixed(c.triangles.b)));
                    } else {
                        const double d = distance(a, b, poses[i], {.stats = stats, .scratch = &scratch}).distance;
                        std::uint64_t bits;
                        std::memcpy(&bits, &d, sizeof bits);
                        answer += mixed(bits);
                    }
                }
                return answer;
            }};
}

Work random_placements(std::size_t count, Ask ask) {
    const Model torus = built(scenes::torus());
    const double hit_rate = ask == Ask::Distance ? 0.1 : 0.5;
    return queries(torus, torus, scenes::placements_at_hit_rate(torus, torus, hit_rate, count, 1), ask);
}

/// The torus goes down to the ground and up again within this many frames.
constexpr std::size_t way = 400;

Work landscape(std::size_t count, Ask ask) {
    std::vector<Pose> poses = scenes::stalagmite_path(std::max(count, way), 1);
    for (std::size_t i = 0; i < count; ++i) poses[i] = poses[i * poses.size() / count];
    poses.resize(count);
    return queries(built(scenes::landscape()), built(scenes::wrinkled_torus()), std::move(poses), ask);
}

Work spheres(std::size_t count) {
    scenes::Random random(3);
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < count; ++i) poses.push_back(scenes::random_rotation(random));
    return queries(built(scenes::sphere(8000)), built(scenes::sphere(8000, 1 + 4e-3)), std::move(poses), Ask::All);
}

Work near(std::size_t count) {
    const Model teapot = built(scenes::teapot()), torus = built(scenes::wrinkled_torus());
    return queries(teapot, torus, scenes::placements_at_gap(teapot, torus, 2e-4, count, 4), Ask::First);
}

/// Small motions, from before the torus meets the ground.
Work fronts(std::size_t count) {
    const scenes::Soup torus = scenes::wrinkled_torus();
    std::vector<Pose> poses = scenes::resampled(scenes::stalagmite_path(way, 1), torus, 0.005);
    poses.erase(poses.begin(), poses.begin() + static_cast<std::ptrdiff_t>(poses.size() / 3));
    poses.resize(std::min(poses.size(), count));
    return queries(built(scenes::landscape()), built(torus), std::move(poses), Ask::All, true);
}

Work rays(std::size_t count) {
    std::vector<Ray> list;
    scenes::Random random(5);
    while (list.size() < count) {
        const Vec3 origin = random.in_cube(-2, 2), target = random.in_cube(-1, 1);
        if (auto ray = Ray::between(origin, target)) list.push_back(*ray);
    }
    return {count, [list = std::move(list), model = built(scenes::teapot(20))](QueryStats* stats) {
                std::uint64_t answer = 0;
                for (std::size_t i = 0; i < list.size(); ++i)
                    if (const auto hit = nearest_hit(model, list[i], {.stats = stats}))
                        answer += mixed(i ^ mixed(hit->triangle));
                return answer;
            }};
}

Work builds(bool aligned, std::uint32_t cells) {
    const BuildSettings settings{.volume = aligned ? Volume::Aabb : Volume::Obb, .threads = 1};
    return {2 * std::size_t{cells} * cells, [=, soup = scenes::landscape(cells)](QueryStats*) {
                return std::uint64_t{built(soup, settings).triangle_count()};
            }};
}

Work refits(std::uint32_t cells) {
    const scenes::Soup soup = scenes::landscape(cells);
    std::vector<Vec3> other = soup.points;
    scenes::Random random(6);
    for (Vec3& p : other) p = p + random.in_cube(-1e-3, 1e-3);
    return {2 * soup.triangle_count(),
            [=, model = built(soup, {.volume = Volume::Aabb, .threads = 1})](QueryStats*) mutable {
                for (const std::span<const Vec3> points :
                     {std::span<const Vec3>(other), std::span<const Vec3>(soup.points)})
                    if (!model.refit(PointView(points), {.rebuild = Rebuild::Never})) std::exit(1);
                return std::uint64_t{model.triangle_count()};
            }};
}

struct Scenario {
    const char* name;
    std::function<Work(bool large)> make;
};

const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> list = {
        {"random-first", [](bool l) { return random_placements(l ? 6000 : 300, Ask::First); }},
        {"random-all", [](bool l) { return random_placements(l ? 2000 : 40, Ask::All); }},
        {"landscape-first", [](bool l) { return landscape(l ? 6000 : 100, Ask::First); }},
        {"landscape-all", [](bool l) { return landscape(l ? 800 : 40, Ask::All); }},
        {"spheres", [](bool l) { return spheres(l ? 60 : 2); }},
        {"near-first", [](bool l) { return near(l ? 1000 : 40); }},
        {"fronts", [](bool l) { return fronts(l ? 1200 : 80); }},
        {"distance", [](bool l) { return random_placements(l ? 2000 : 60, Ask::Distance); }},
        {"rays", [](bool l) { return rays(l ? 20000 : 1000); }},
        {"build-obb", [](bool l) { return builds(false, l ? 200 : 60); }},
        {"build-aabb", [](bool l) { return builds(true, l ? 200 : 80); }},
        {"refit", [](bool l) { return refits(l ? 150 : 100); }},
    };
    return list;
}

/// Microseconds per query of the quickest pass: other programs make passes slower, never quicker.
double timed(const Work& work, double seconds) {
    std::vector<double> samples;
    double spent = 0;
    work.pass(nullptr);
    while (samples.size() < 3 || spent < seconds) {
        const bench::Stopwatch watch;
        work.pass(nullptr);
        samples.push_back(watch.elapsed().cpu);
        spent += samples.back();
    }
    return *std::min_element(samples.begin(), samples.end()) * 1e6 / static_cast<double>(work.queries);
}

int usage() {
    std::printf("micro_compare SCENARIO [--seconds S]\nscenarios:");
    for (const Scenario& s : scenarios()) std::printf(" %s", s.name);
    std::printf("\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "--list") {
        for (const Scenario& s : scenarios()) std::printf("%s\n", s.name);
        return 0;
    }
    const bool time = argc == 4 && std::string(argv[2]) == "--seconds";
    if (argc != 2 && !time) return usage();
    const auto& list = scenarios();
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const Scenario& s) { return argv[1] == std::string(s.name); });
    if (found == list.end()) return usage();
    const Work work = found->make(time);
    if (time) {
        std::printf("{\"us\": %.9g}\n", timed(work, std::atof(argv[3])));
        return 0;
    }
    QueryStats stats;
    const std::uint64_t answer = work.pass(&stats);
    bool same = true;
    compare_measured([&] { same = work.pass(nullptr) == answer; });
    if (!same) {
        std::fprintf(stderr, "micro_compare: %s: two passes differ\n", argv[1]);
        return 1;
    }
    std::printf("{\"queries\": %zu, \"box_tests\": %llu, \"triangle_tests\": %llu, \"answer\": \"%016llx\"}\n",
                work.queries, static_cast<unsigned long long>(stats.box_tests),
                static_cast<unsigned long long>(stats.triangle_tests), static_cast<unsigned long long>(answer));
    return 0;
}
