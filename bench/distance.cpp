// SPDX-License-Identifier: Apache-2.0
// Distances against FCL's OBBRSS trees, closest points against CGAL's AABB tree, `within` against `intersects`, and
// paths with and without a front. One process, turn by turn, answers compared.
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/harness.hpp"
#include "bench/peer_distance.hpp"
#include "bench/report.hpp"
#include "exact/triangle_distance.hpp"
#include "scenes/paths.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench {
namespace {

using scenes::Random;

/// Distances between the models, as fractions of B's radius.
struct Band {
    const char* name;
    double low, high;
};
constexpr Band bands[] = {{"near", 0.001, 0.01}, {"middle", 0.05, 0.3}, {"far", 1, 3}};

/// Random placements in a band of distances.
std::vector<Pose> placements_in(const Band& band, const Model& a, const Model& b, std::size_t count,
                                std::uint64_t seed) {
    const double radius_a = scenes::bounding_ball(a).radius, radius_b = scenes::bounding_ball(b).radius;
    Random random(seed);
    Scratch scratch;
    std::vector<Pose> poses;
    while (poses.size() < count) {
        const scenes::Course course = scenes::random_course(a, b, random);
        const double least = radius_b * band.low, most = radius_b * band.high;
        // From contact or too near to too far, halved until it is in the band.
        double in = 0, out = 2 * (radius_a + radius_b) + most;
        for (int i = 0; i < 60; ++i) {
            const double s = (in + out) / 2;
            const double d = distance(a, b, course.at(s), {.scratch = &scratch}).distance;
            if (d >= least && d <= most) {
                poses.push_back(course.at(s));
                break;
            }
            (d < least ? in : out) = s;
        }
    }
    return poses;
}

/// The least distance of all pairs of triangles.
double least_of_all(const Model& a, const Model& b, const Affine& m) {
    std::vector<Triangle> mapped;
    for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
        const Triangle t = b.triangle(j);
        mapped.push_back({m(t.a), m(t.b), m(t.c)});
    }
    double best = INFINITY;
    bool exact = false;
    for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
        for (const Triangle& t : mapped) {
            const detail::TriangleDistance d(a.triangle(i), t);
            if (d.low() <= best) best = std::min(best, d.rounded(best, exact));
        }
    return best;
}

void add_stats(Row& row, const QueryStats& stats) {
    const auto per_query = [&](std::uint64_t n) { return static_cast<double>(n) / static_cast<double>(row.queries); };
    row.box_tests = per_query(stats.box_tests);
    row.triangle_tests = per_query(stats.triangle_tests);
    row.more.emplace_back("double_tests", per_query(stats.double_tests));
    row.more.emplace_back("exact_tests", per_query(stats.exact_tests));
}

void add_times(Row& row, const Timing& t) {
    row.ours_us = t.ours_us;
    row.peer_us = t.peer_us;
    row.ratio = t.peer_us / t.ours_us;
    row.total = t.total;
}

Effort effort(const Options& options) {
    return options.size.quick ? Effort{3, 2, 9, options.by_cpu} : Effort{12, 3, 15, options.by_cpu};
}

/// Distances of two models in one band.
Row run_pair(const std::string& name, const scenes::Soup& a, const scenes::Soup& b, const Band& band,
             const Options& options) {
    Row row{.scenario = name + " " + band.name, .peer = "FCL-OBBRSS", .floor = 12, .aim = 38};
    const Model in_a = built(a), in_b = built(b);
    FclDistance peer(a, b);
    const std::vector<Pose> poses = placements_in(band, in_a, in_b, options.size.quick ? 200 : 1000, 5);
    row.queries = poses.size();
    Scratch scratch;
    std::vector<double> ours(poses.size()), theirs(poses.size());
    add_times(row, interleave(
                       poses.size(), effort(options),
                       [&](std::size_t i) {
                           ours[i] = distance(in_a, in_b, poses[i], {.scratch = &scratch}).distance;
                           return 0;
                       },
                       [&](std::size_t i) {
                           if (options.peer) theirs[i] = peer(poses[i]);
                           return 0;
                       }));
    QueryStats stats;
    for (std::size_t i = 0; i < poses.size(); ++i) {
        distance(in_a, in_b, poses[i], {.stats = &stats, .scratch = &scratch});
        row.differ += !(std::abs(ours[i] - theirs[i]) <= 1e-9 * scenes::bounding_ball(in_a).radius);
    }
    add_stats(row, stats);
    // All pairs of two large meshes would take minutes; there the peer is the only witness.
    const bool small = in_a.triangle_count() * in_b.triangle_count() < 100'000'000;
    const std::size_t checks = !small || !options.peer ? 0 : options.size.quick ? 1 : 3;
    for (std::size_t k = 0; k < checks; ++k) {
        const std::size_t i = k * poses.size() / checks;
        row.wrong += ours[i] != least_of_all(in_a, in_b, poses[i]);
        row.checked += 1;
    }
    return row;
}

/// `within` a length beside `intersects` where as little is missing: models that are ε apart, and models that are ε
/// further apart than the length. The peer is our own `intersects`.
Row run_within(const std::string& name, const scenes::Soup& a, const scenes::Soup& b, double length,
               const Options& options) {
    Row row{.scenario = name, .peer = "intersects", .floor = 1 / 1.5, .aim = 1};
    const Model in_a = built(a), in_b = built(b);
    const double radius = scenes::bounding_ball(in_b).radius;
    const std::size_t count = options.size.quick ? 300 : 2000;
    const Band gap{"", 0.001, 0.002};
    const std::vector<Pose> apart = placements_in(gap, in_a, in_b, count, 7);
    const std::vector<Pose> further = placements_in({"", length + gap.low, length + gap.high}, in_a, in_b, count, 7);
    row.queries = count;
    Scratch scratch;
    const Timing t = interleave(
        count, effort(options),
        [&](std::size_t i) { return within(in_a, in_b, further[i], length * radius, {.scratch = &scratch}); },
        [&](std::size_t i) { return intersects(in_a, in_b, apart[i], {.scratch = &scratch}); });
    add_times(row, t);
    QueryStats stats, of_intersects;
    for (std::size_t i = 0; i < count; ++i) {
        row.wrong += t.ours_answers[i] != 0;
        within(in_a, in_b, further[i], length * radius, {.stats = &stats, .scratch = &scratch});
        intersects(in_a, in_b, apart[i], {.stats = &of_intersects, .scratch = &scratch});
    }
    row.checked = count;
    add_stats(row, stats);
    row.more.emplace_back("box_tests_intersects",
                          static_cast<double>(of_intersects.box_tests) / static_cast<double>(count));
    return row;
}

/// Closest points, near the surface and around it.
Row run_points(const NamedSoup& mesh, double reach, const Options& options) {
    Row row{
        .scenario = "points " + mesh.name + (reach < 0.1 ? " near" : " around"), .peer = "CGAL", .floor = 3, .aim = 6};
    const Model model = built(mesh.soup);
    const CgalPoints peer(mesh.soup);
    const scenes::Ball ball = scenes::bounding_ball(model);
    Random random(9);
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < (options.size.quick ? 4000u : 20000u); ++i) {
        const Vec3 at =
            reach < 0.1 ? model.points()[random.below(static_cast<std::uint32_t>(model.points().size()))] : ball.centre;
        points.push_back(at + random.in_cube(-1, 1) * (reach * ball.radius));
    }
    row.queries = points.size();
    std::vector<double> ours(points.size()), theirs(points.size());
    add_times(row, interleave(
                       points.size(), effort(options),
                       [&](std::size_t i) {
                           ours[i] = closest_point(model, points[i]).distance;
                           return 0;
                       },
                       [&](std::size_t i) {
                           theirs[i] = std::sqrt(peer.squared_distance(points[i]));
                           return 0;
                       }));
    QueryStats stats;
    bool exact = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
        closest_point(model, points[i], {.stats = &stats});
        row.differ += !(std::abs(ours[i] - theirs[i]) <= 1e-9 * ball.radius);
        if (i % (points.size() / 20) != 0) continue;
        double best = INFINITY;
        for (std::uint32_t t = 0; t < model.triangle_count(); ++t)
            best = std::min(best, detail::TriangleDistance(points[i], model.triangle(t)).rounded(best, exact));
        row.wrong += best != ours[i];
        row.checked += 1;
    }
    add_stats(row, stats);
    return row;
}

/// A path of small steps, with a front and without. The peer is our own call without one.
Row run_path(const std::string& name, const scenes::Soup& a, const scenes::Soup& b, const std::vector<Pose>& path,
             const Options& options) {
    Row row{.scenario = "path " + name, .peer = "no front", .floor = 5, .aim = 10};
    const Model in_a = built(a), in_b = built(b);
    row.queries = path.size();
    Scratch scratch;
    Front front;
    std::vector<double> ours(path.size()), theirs(path.size());
    add_times(row, interleave(
                       path.size(), effort(options),
                       [&](std::size_t i) {
                           ours[i] = distance(in_a, in_b, path[i], {.scratch = &scratch, .front = &front}).distance;
                           return 0;
                       },
                       [&](std::size_t i) {
                           theirs[i] = distance(in_a, in_b, path[i], {.scratch = &scratch}).distance;
                           return 0;
                       }));
    QueryStats stats;
    for (std::size_t i = 0; i < path.size(); ++i) {
        distance(in_a, in_b, path[i], {.stats = &stats, .scratch = &scratch, .front = &front});
        row.wrong += ours[i] != theirs[i];
    }
    row.checked = path.size();
    add_stats(row, stats);
    return row;
}

/// B turns and goes around A. A frame moves it by about `step` times the models' size.
std::vector<Pose> passing_path(const Model& a, const Model& b, double step, std::size_t frames) {
    const scenes::Ball ball = scenes::bounding_ball(a), other = scenes::bounding_ball(b);
    std::vector<Pose> out;
    for (std::size_t i = 0; i < frames; ++i) {
        const double t = static_cast<double>(i) * step;
        const Vec3 at = Vec3{std::cos(t), std::sin(t), 0.3 * std::sin(1.7 * t)} * (ball.radius + 0.3 * other.radius);
        const std::array<double, 4> turn{std::sin(0.6 * t), 0.3 * std::sin(0.4 * t), 0.2, std::cos(0.6 * t)};
        const Pose pose = *Pose::from_quaternion(turn, {});
        out.push_back(scenes::placed(pose, ball.centre + at - pose.rotation() * other.centre));
    }
    return out;
}

void print(const std::vector<Row>& rows) {
    std::printf("\n%-40s %-11s %11s %11s %8s %6s %10s %10s %8s %7s %6s %7s\n", "scenario", "peer", "ours us", "peer us",
                "ratio", "floor", "box tests", "tri tests", "double", "exact", "wrong", "differ");
    for (const Row& r : rows)
        std::printf("%-40s %-11s %11.3f %11.2f %7.2fx %5.1fx %10.1f %10.1f %8.2f %7.3f %6zu %7zu\n", r.scenario.c_str(),
                    r.peer.c_str(), r.ours_us, r.peer_us.value_or(0), r.ratio.value_or(0), r.floor, r.box_tests,
                    r.triangle_tests, r.more[0].second, r.more[1].second, r.wrong, r.differ);
}

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) {
        std::printf("bench_distance [--quick] [--only torus|meshes|within|points|path] [--cpu-time] [--json FILE]\n");
        return 2;
    }
    const scenes::Soup torus = scenes::torus(1, 0.4, 50, 50);
    const std::vector<NamedSoup> list = meshes(options->size);
    std::vector<Row> rows;
    if (options->wanted("torus"))
        for (const Band& band : bands) rows.push_back(run_pair("torus with itself", torus, torus, band, *options));
    if (options->wanted("meshes"))
        for (std::size_t i = 0; i < list.size(); ++i)
            for (const Band& band : bands) {
                const NamedSoup &a = list[i], &b = list[(i + 1) % list.size()];
                rows.push_back(run_pair(a.name + ", " + b.name, a.soup, b.soup, band, *options));
            }
    if (options->wanted("within"))
        for (const double length : {0.001, 0.03, 0.3}) {
            const std::string of = " within " + std::to_string(length).substr(0, 5);
            rows.push_back(run_within("torus" + of, torus, torus, length, *options));
            rows.push_back(
                run_within(list[0].name + ", " + list[1].name + of, list[0].soup, list[1].soup, length, *options));
        }
    if (options->wanted("points"))
        for (const NamedSoup& mesh : list)
            for (const double reach : {0.02, 2.0}) rows.push_back(run_points(mesh, reach, *options));
    if (options->wanted("path"))
        for (const double step : {1e-4, 1e-3})
            for (std::size_t i = 0; i < 2; ++i) {
                const NamedSoup &a = list[i], &b = list[i + 1];
                char name[100];
                std::snprintf(name, sizeof name, "%s, %s step %g", a.name.c_str(), b.name.c_str(), step);
                const auto path = passing_path(built(a.soup), built(b.soup), step, options->size.quick ? 1000 : 4000);
                rows.push_back(run_path(name, a.soup, b.soup, path, *options));
            }
    print(rows);
    print_disturbed(rows, options->by_cpu);
    return finish(rows, *options);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) {
    graze::bench::pin();
    return graze::bench::run_all(argc, argv);
}
