// SPDX-License-Identifier: Apache-2.0
// Queries on trees of every kind.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "bench/volumes.hpp"
#include "graze/study.hpp"
#include "graze/tree.hpp"
#include "scenes/deform.hpp"
#include "scenes/placements.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"
#ifdef GRAZE_BENCH_FCL
#include "bench/peer_fcl.hpp"
#endif

namespace graze::bench {
namespace {

/// One side of a comparison: a pair of models at the poses of a pool.
struct Side {
    Ours ours;
    std::vector<Affine> poses;
    std::vector<std::uint32_t> answers{};
    double us = 0;  ///< a query
    QueryStats stats{};
    std::size_t wrong = 0;

    void run(Ask ask) {
        answers.resize(poses.size());
        for (std::size_t i = 0; i < poses.size(); ++i) answers[i] = static_cast<std::uint32_t>(ours(ask, poses[i]));
    }
    /// Compared with what brute force finds at one pose.
    void check(Ask ask, std::size_t pose, const std::vector<TrianglePair>& truth) {
        const std::size_t answer = ours(ask, poses[pose]);
        wrong += ask == Ask::First ? (answer != 0) == truth.empty() : scenes::differing(ours.pairs(), truth);
    }
};

std::vector<TrianglePair> truth(const scenes::Soup& a, const scenes::Soup& b, const Affine& a_from_b) {
    return scenes::Reference(a, b).all(a_from_b);
}

Effort effort_of(const Options& options, double share) {
    return options.size.quick ? Effort{8 * share, 2, 9} : Effort{40 * share, 3, 15};
}

/// Times the sides and counts their tests.
void measure(std::vector<Side>& sides, Ask ask, const Options& options, double share, Span& total) {
    const auto spans =
        take_turns(sides.size(), effort_of(options, share), total, [&](std::size_t s) { sides[s].run(ask); });
    for (std::size_t s = 0; s < sides.size(); ++s) {
        Side& side = sides[s];
        side.us = spans[s].seconds(options.by_cpu) * 1e6 / static_cast<double>(side.poses.size());
        for (const Affine& pose : side.poses) side.ours(ask, pose, &side.stats);
    }
}

/// A side's tests and answers as a row.
Row row_of(std::string scenario, const Side& side, std::size_t checked) {
    const auto n = static_cast<double>(side.poses.size());
    return {.scenario = std::move(scenario),
            .queries = side.poses.size(),
            .hits = static_cast<std::size_t>(std::ranges::count_if(side.answers, [](auto a) { return a != 0; })),
            .checked = checked,
            .ours_us = side.us,
            .box_tests = static_cast<double>(side.stats.box_tests) / n,
            .triangle_tests = static_cast<double>(side.stats.triangle_tests) / n,
            .wrong = side.wrong};
}

void against(Row& row, const char* peer, double us) {
    row.peer = peer;
    row.peer_us = us;
    row.ratio = us / row.ours_us;
}

Case random_case(const Options& options, Ask ask, std::size_t which) {
    const auto& list = scenarios();
    const auto s = std::ranges::find_if(list, [&](const Scenario& x) {
        return std::string(x.name) == (ask == Ask::First ? "random-first" : "random-all");
    });
    return std::move(s->make(options.size)[which]);
}

#ifdef GRAZE_BENCH_FCL
/// FCL's time with aligned boxes, and where it answers otherwise; over fewer poses, as it is slow.
void add_fcl(const Case& c, Ask ask, const Options& options, const Side& ours, Row& row) {
    const FclModel a(c.a, FclBoxes::Aligned), b(c.b, FclBoxes::Aligned);
    FclQuery query;
    const std::size_t poses = std::min<std::size_t>(options.size.quick ? 100 : 300, c.poses.size());
    std::size_t differ = 0;
    const auto spans = take_turns(1, {1, 3, 3}, row.total, [&](std::size_t) {
        differ = 0;
        for (std::size_t i = 0; i < poses; ++i)
            differ +=
                (ask == Ask::First ? query.first(a, b, c.poses[i]) : query.all(a, b, c.poses[i])) != ours.answers[i];
    });
    const double us = spans[0].seconds(options.by_cpu) * 1e6 / static_cast<double>(poses);
    row.more.emplace_back("fcl_aabb_us", us);
    row.differ += differ;
    std::printf("    FCL with aligned boxes: %.1f us, %.0f times as long as wide-aabb\n", us, us / ours.us);
}
#endif

void run_random(const Options& options, Ask ask, Rows& rows) {
    constexpr const char* models[] = {"torus", "teapot"};
    std::vector<Row> sum(kinds().size());
    for (std::size_t m = 0; m < 2; ++m) {
        Case c = random_case(options, ask, m);
        const std::size_t most = ask == Ask::First    ? (options.size.quick ? 2000 : 6000)
                                 : options.size.quick ? 300
                                                      : 2000;
        c.poses.resize(std::min(c.poses.size(), most));
        std::vector<Side> sides;
        for (const Kind& k : kinds())
            sides.push_back({{built(c.a, k.settings), built(c.b, k.settings)}, {c.poses.begin(), c.poses.end()}});
        Span total;
        measure(sides, ask, options, 1, total);
        const std::size_t checks = std::min<std::size_t>(options.size.quick ? 20 : 100, c.poses.size());
        for (std::size_t i = 0; i < checks; ++i) {
            const std::size_t pose = i * c.poses.size() / checks;
            const auto right = truth(c.a, c.b, c.poses[pose]);
            for (Side& side : sides) side.check(ask, pose, right);
        }
        std::printf("  %s with itself, %zu triangles, %zu poses\n", models[m], c.a.triangle_count(), c.poses.size());
        for (std::size_t k = 0; k < kinds().size(); ++k) {
            Row row = row_of(std::string(ask == Ask::First ? "random-first-" : "random-all-") + kinds()[k].name,
                             sides[k], checks);
            row.total = total;
            against(row, "wide-obb", sides[0].us);
            std::printf("    %-10s %10.2f us %10.1f box tests %9.1f triangle tests, %zu differ\n", kinds()[k].name,
                        row.ours_us, row.box_tests, row.triangle_tests, row.wrong);
#ifdef GRAZE_BENCH_FCL
            if (options.peer && kinds()[k].settings.tree == study::TreeKind::Wide &&
                kinds()[k].settings.volume == study::Volume::Aabb)
                add_fcl(c, ask, options, sides[k], row);
#endif
            if (m == 0) {
                sum[k] = std::move(row);
                continue;
            }
            // Times are geometric means over the models, counts plain ones.
            Row& s = sum[k];
            s.queries += row.queries, s.hits += row.hits, s.checked += row.checked, s.wrong += row.wrong;
            s.differ += row.differ;
            s.total += row.total;
            s.ours_us = std::sqrt(s.ours_us * row.ours_us);
            s.peer_us = std::sqrt(*s.peer_us * *row.peer_us);
            s.ratio = *s.peer_us / s.ours_us;
            s.box_tests = (s.box_tests + row.box_tests) / 2;
            s.triangle_tests = (s.triangle_tests + row.triangle_tests) / 2;
            for (std::size_t i = 0; i < s.more.size(); ++i)
                s.more[i].second = std::sqrt(s.more[i].second * row.more[i].second);
            // The goal for wide trees of aligned boxes: within twice the time of oriented ones.
            if (k == 1) s.floor = 0.5, s.aim = 0.67;
        }
    }
    rows.insert(rows.end(), sum.begin(), sum.end());
}

}  // namespace

void run_random_first(const Options& options, Rows& rows) { run_random(options, Ask::First, rows); }
void run_random_all(const Options& options, Rows& rows) { run_random(options, Ask::All, rows); }

void run_deformed(const Options& options, Rows& rows) {
    const scenes::Soup soup = scenes::torus();
    const std::pair<const char*, std::vector<Vec3>> shapes[] = {{"twisted", scenes::twisted(soup, 0.25)},
                                                                {"waved", scenes::waved(soup, 0.3, 2)},
                                                                {"scattered", scenes::scattered(soup, 0.1, 1)}};
    for (const auto& [name, points] : shapes) {
        const scenes::Soup deformed{points, soup.corners};
        const Model model = built(deformed);
        const auto poses = scenes::placements_at_hit_rate(model, model, 0.5, options.size.quick ? 1500 : 5000, 1);
        for (std::size_t k = 0; k < 5; ++k) {
            const Kind& kind = kinds()[k];
            Model refitted = built(soup, kind.settings);
            const auto done = refitted.refit(points, {.rebuild = Rebuild::Never});
            const Model fresh = built(deformed, kind.settings);
            std::vector<Side> sides;
            for (const Model& m : {refitted, fresh}) sides.push_back({{m, m}, {poses.begin(), poses.end()}});
            Span total;
            measure(sides, Ask::First, options, 0.15, total);
            const std::size_t checks = options.size.quick ? 5 : 20;
            for (std::size_t i = 0; i < checks; ++i) {
                const std::size_t pose = i * poses.size() / checks;
                sides[0].check(Ask::First, pose, truth(deformed, deformed, poses[pose]));
            }
            Row row = row_of(std::string("deformed-") + name + "-" + kind.name, sides[0], checks);
            against(row, "new tree", sides[1].us);
            row.total = total;
            row.more = {{"decay", done ? done->decay : 0}, {"new_box_tests", row_of("", sides[1], 0).box_tests}};
            row.wrong += !done || !refitted.validate();
            rows.push_back(std::move(row));
        }
    }
}

void run_affine(const Options& options, Rows& rows) {
    Case c = random_case(options, Ask::First, 0);
    c.poses.resize(std::min<std::size_t>(c.poses.size(), options.size.quick ? 1000 : 6000));
    // B scaled along its own axes before it is placed; its volume stays.
    constexpr double factors[3] = {1.5, 1, 1 / 1.5};
    std::vector<Affine> scaled;
    for (const Pose& pose : c.poses) {
        Mat3 m = pose.rotation();
        for (Vec3& r : m.row) r = {r.x * factors[0], r.y * factors[1], r.z * factors[2]};
        scaled.push_back(*Affine::from_matrix(m, pose.translation()));
    }
    for (std::size_t k = 0; k < kinds().size(); ++k) {
        const Kind& kind = kinds()[k];
        const Model a = built(c.a, kind.settings), b = built(c.b, kind.settings);
        std::vector<Side> sides;
        sides.push_back({{a, b}, scaled});
        sides.push_back({{a, b}, {c.poses.begin(), c.poses.end()}});
        Span total;
        measure(sides, Ask::First, options, 0.3, total);
        const std::size_t checks = options.size.quick ? 10 : 40;
        for (std::size_t i = 0; i < checks; ++i) {
            const std::size_t pose = i * scaled.size() / checks;
            sides[0].check(Ask::First, pose, truth(c.a, c.b, scaled[pose]));
        }
        Row row = row_of(std::string("affine-first-") + kind.name, sides[0], checks);
        against(row, "rigid", sides[1].us);
        row.total = total;
        row.more = {{"rigid_box_tests", row_of("", sides[1], 0).box_tests}};
        std::printf("  %-10s %10.2f us scaled, %10.2f us rigid\n", kind.name, sides[0].us, sides[1].us);
        std::fflush(stdout);
        rows.push_back(std::move(row));
    }
}

/// Volumes at close proximity (OBBTree paper, section 7): one sphere in another, all contacts.
void run_spheres(const Options& options, Rows& rows) {
    const auto triangles = static_cast<std::uint32_t>((options.size.quick ? 8'000 : 32'000) * options.size.scale);
    scenes::Random random(3);
    std::vector<Affine> poses;
    for (int i = 0; i < 3; ++i) poses.emplace_back(scenes::random_rotation(random));
    const scenes::Soup inner = scenes::sphere(triangles);
    for (const char* gap : {"1e-1", "3e-2", "1e-2", "3e-3", "1e-3"}) {
        const scenes::Soup outer = scenes::sphere(triangles, 1 + std::atof(gap));
        const auto right = truth(inner, outer, poses[0]);
        for (std::size_t k = 2; k < kinds().size(); ++k) {
            const Kind& kind = kinds()[k];
            std::vector<Side> sides;
            sides.push_back({{built(inner, kind.settings), built(outer, kind.settings)}, poses});
            Span total;
            measure(sides, Ask::All, options, 0.02, total);
            sides[0].check(Ask::All, 0, right);
            rows.push_back(row_of(std::string("spheres-") + gap + "-" + kind.name, sides[0], 1));
            rows.back().total = total;
        }
    }
}

/// Where binary trees are cut: all contacts of the torus with itself.
void run_splits(const Options& options, Rows& rows) {
    Case c = random_case(options, Ask::All, 0);
    c.poses.resize(std::min<std::size_t>(c.poses.size(), options.size.quick ? 100 : 500));
    const auto right = truth(c.a, c.b, c.poses[0]);
    constexpr std::pair<const char*, study::Split> splits[] = {{"mean", study::Split::Mean},
                                                               {"median", study::Split::Median},
                                                               {"midpoint", study::Split::Midpoint},
                                                               {"overlap", study::Split::Overlap},
                                                               {"area", study::Split::Area}};
    for (std::size_t k = 2; k < kinds().size(); ++k)
        for (const auto& [name, split] : splits) {
            study::TreeSettings settings = kinds()[k].settings;
            settings.split = split;
            const Stopwatch watch;
            const Model model = built(c.a, settings);
            const Span built = watch.elapsed();
            std::vector<Side> sides;
            sides.push_back({{model, bench::built(c.b, settings)}, {c.poses.begin(), c.poses.end()}});
            Span total;
            measure(sides, Ask::All, options, 0.02, total);
            sides[0].check(Ask::All, 0, right);
            rows.push_back(row_of(std::string("splits-") + kinds()[k].name + "-" + name, sides[0], 1));
            rows.back().total = total;
            rows.back().more = {
                {"depth", tree_depth(model)},
                {"build_ns", built.seconds(options.by_cpu) * 1e9 / static_cast<double>(c.a.triangle_count())}};
        }
}

/// Geometric means over the nodes of each level, of spheres (OBBTree paper, section 6).
void run_tightness(const Options& options, Rows& rows) {
    const scenes::Soup soup = scenes::sphere(options.size.quick ? 8'000 : 32'000);
    const unsigned levels = options.size.quick ? 9 : 10;
    std::printf("  %-10s %5s %6s %9s %9s %9s %9s %9s\n", "volume", "level", "nodes", "triangles", "d", "tau", "tau/d",
                "off surface");
    for (std::size_t k = 2; k < kinds().size(); ++k) {
        study::TreeSettings settings = kinds()[k].settings;
        settings.split = study::Split::Median;
        const Model model = built(soup, settings);
        for (unsigned level = 3; level < levels; ++level) {
            const auto nodes = node_tightness(model, level, options.size.quick ? 0.02 : 0.01);
            double d = 0, tau = 0, off = 0, count = 0;
            const auto n = static_cast<double>(nodes.size());
            for (const NodeTightness& t : nodes) {
                d += std::log(t.diameter) / n, tau += std::log(t.tightness) / n, off += std::log(t.off_surface) / n;
                count += t.triangles / n;
            }
            d = std::exp(d), tau = std::exp(tau), off = std::exp(off);
            std::printf("  %-10s %5u %6zu %9.1f %9.5f %9.5f %9.5f %9.5f\n", kinds()[k].name, level, nodes.size(), count,
                        d, tau, tau / d, off);
            rows.push_back(
                {.scenario = std::string("tightness-") + kinds()[k].name,
                 .more = {{"level", level}, {"nodes", n}, {"diameter", d}, {"tightness", tau}, {"off_surface", off}}});
        }
    }
}

}  // namespace graze::bench
