// SPDX-License-Identifier: Apache-2.0
// graze against FCL's tree of oriented boxes: one process, turn by turn, answers compared.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/cases.hpp"
#include "bench/harness.hpp"
#include "bench/peer_fcl.hpp"
#include "bench/report.hpp"
#include "scenes/reference.hpp"

namespace graze::bench {
namespace {

constexpr const char* fcl = "FCL-OBB";

class Peer {
public:
    Peer(const SoupView& a, const SoupView& b) : a_(a), b_(b) {}

    std::size_t operator()(Ask ask, const Pose& pose) {
        return ask == Ask::First ? query_.first(a_, b_, pose) : query_.all(a_, b_, pose);
    }
    std::vector<TrianglePair> pairs() const { return query_.pairs(); }

private:
    FclModel a_, b_;
    FclQuery query_;
};

/// Wrong verdicts or pairs of one side at one pose.
template <class Side>
std::size_t wrong_at(Side& side, Ask ask, const Pose& pose, bool truth_first,
                     const std::vector<TrianglePair>& truth_all) {
    const std::size_t answer = side(ask, pose);
    return ask == Ask::First ? (answer != 0) != truth_first : scenes::differing(side.pairs(), truth_all);
}

/// Compares both sides with brute force at poses spread over the pool.
void check(const Case& c, Ask ask, std::size_t checks, Ours& ours, Peer* peer, Row& row) {
    const scenes::Reference reference(c.a, c.b);
    checks = std::min(checks, c.poses.size());
    for (std::size_t i = 0; i < checks; ++i) {
        const Pose& pose = c.poses[i * c.poses.size() / checks];
        const bool first = ask == Ask::First && reference.first(pose);
        const auto all = ask == Ask::All ? reference.all(pose) : std::vector<TrianglePair>{};
        row.wrong += wrong_at(ours, ask, pose, first, all);
        if (peer) row.peer_wrong += wrong_at(*peer, ask, pose, first, all);
    }
    row.checked += checks;
}

/// Runs all cases of a scenario. Times are geometric means over the cases, and the ratio is that of the worst.
Row run(const Scenario& s, const Options& options) {
    Row row{.scenario = s.name, .peer = fcl, .floor = s.floor, .aim = s.aim};
    const std::vector<Case> cases = s.make(options.size);
    const double n = static_cast<double>(cases.size());
    const Effort effort =
        options.size.quick ? Effort{8 / n, 2, 9, options.by_cpu} : Effort{40 / n, 3, 15, options.by_cpu};
    double log_ours = 0, log_peer = 0;
    QueryStats stats;

    for (const Case& c : cases) {
        Ours ours(built(c.a), built(c.b));
        const auto ask_ours = [&](std::size_t i) { return ours(s.ask, c.poses[i]); };
        std::unique_ptr<Peer> peer;
        Timing t;
        if (options.peer) {
            peer = std::make_unique<Peer>(c.a, c.b);
            const auto ask_peer = [&](std::size_t i) { return (*peer)(s.ask, c.poses[i]); };
            t = s.cold ? interleave_cold(c.poses.size(), effort, ask_ours, ask_peer)
                       : interleave(c.poses.size(), effort, ask_ours, ask_peer);
            log_peer += std::log(t.peer_us) / n;
            row.ratio = std::min(row.ratio.value_or(t.peer_us / t.ours_us), t.peer_us / t.ours_us);
        } else {
            t = s.cold ? interleave_cold(c.poses.size(), effort, ask_ours, [](std::size_t) { return 0u; })
                       : alone(c.poses.size(), effort, ask_ours);
        }
        row.total += t.total;
        log_ours += std::log(t.ours_us) / n;

        for (const Pose& pose : c.poses) ours(s.ask, pose, &stats);
        std::size_t hits = 0, differ = 0;
        for (std::size_t i = 0; i < c.poses.size(); ++i) {
            hits += t.ours_answers[i] != 0;
            differ += peer && t.ours_answers[i] != t.peer_answers[i];
        }
        check(c, s.ask, options.size.quick ? s.quick_checks : s.checks, ours, peer.get(), row);
        row.queries += c.poses.size();
        row.hits += hits;
        row.differ += differ;

        std::printf("  %-33s %6zu x %-6zu %6zu poses %5.1f%% hit  ours %10.3f us", c.name.c_str(), c.a.triangle_count(),
                    c.b.triangle_count(), c.poses.size(),
                    100.0 * static_cast<double>(hits) / static_cast<double>(c.poses.size()), t.ours_us);
        if (peer) std::printf("  FCL %10.2f us  %6.2fx  (%d rounds)", t.peer_us, t.peer_us / t.ours_us, t.rounds);
        std::printf("\n");
        std::fflush(stdout);
    }
    row.ours_us = std::exp(log_ours);
    if (options.peer) {
        row.peer_us = std::exp(log_peer);
        row.more.emplace_back("mean_ratio", *row.peer_us / row.ours_us);
    }
    row.box_tests = static_cast<double>(stats.box_tests) / static_cast<double>(row.queries);
    row.triangle_tests = static_cast<double>(stats.triangle_tests) / static_cast<double>(row.queries);
    return row;
}

/// Builds of one large model, turn by turn, and its size.
void run_build(const Options& options, bool want_build, bool want_bytes, std::vector<Row>& rows) {
    const scenes::Soup soup = million(options.size);
    const double n = static_cast<double>(soup.triangle_count());
    std::vector<double> ours, peer;
    std::size_t bytes = 0;
    Span total;
    const int rounds = !want_build ? 1 : options.size.quick ? 2 : 4;
    for (int i = 0; i < rounds; ++i) {
        const auto keep = [&](std::vector<double>& samples, const Span& span) {
            samples.push_back(span.seconds(options.by_cpu));
            total += span;
        };
        const auto build_ours = [&] {
            const Stopwatch watch;
            const Model model = built(soup);
            keep(ours, watch.elapsed());
            bytes = model.bytes();
        };
        build_ours();
        if (options.peer && want_build) keep(peer, FclModel(soup).build_time());
        build_ours();
    }
    if (want_build) {
        Row row{
            .scenario = "build-1m", .peer = fcl, .ours_us = median(ours) * 1e6, .floor = 14, .aim = 18, .total = total};
        std::printf("  %.0f triangles, one thread: ours %.0f ns a triangle", n, median(ours) / n * 1e9);
        if (!peer.empty()) {
            row.peer_us = median(peer) * 1e6;
            row.ratio = median(peer) / median(ours);
            std::printf(", FCL %.0f", median(peer) / n * 1e9);
        }
        std::printf("\n");
        row.queries = ours.size();
        const Case c = million_check(options.size);
        Ours checked(built(c.a), built(c.b));
        std::unique_ptr<Peer> checked_peer;
        if (options.peer) checked_peer = std::make_unique<Peer>(c.a, c.b);
        check(c, Ask::All, c.poses.size(), checked, checked_peer.get(), row);
        rows.push_back(row);
    }
    if (want_bytes)
        rows.push_back({.scenario = "bytes-per-triangle",
                        .peer = fcl,
                        .floor = 65,
                        .aim = 55,
                        .value = static_cast<double>(bytes) / n});
}

void print(const std::vector<Row>& rows) {
    std::printf("\n%-19s %7s %6s %12s %12s %8s %6s %6s %11s %11s %6s %10s %8s\n", "scenario", "queries", "hit %",
                "ours us", "FCL us", "worst", "floor", "aim", "box tests", "tri tests", "wrong", "FCL wrong",
                "checked");
    for (const Row& r : rows) {
        if (r.value) {
            std::printf("%-19s %54.1f value %6.0f %6.0f (no more than)\n", r.scenario.c_str(), *r.value, r.floor,
                        r.aim);
            continue;
        }
        const double hit = r.queries ? 100.0 * static_cast<double>(r.hits) / static_cast<double>(r.queries) : 0;
        std::printf("%-19s %7zu %6.1f %12.3f %12.2f %7.2fx %5.1fx %5.1fx %11.1f %11.1f %6zu %10zu %8zu\n",
                    r.scenario.c_str(), r.queries, hit, r.ours_us, r.peer_us.value_or(0), r.ratio.value_or(0), r.floor,
                    r.aim, r.box_tests, r.triangle_tests, r.wrong, r.peer_wrong, r.checked);
    }
    for (const Row& r : rows)
        if (r.differ)
            std::printf("%s: the two sides differ at %zu of %zu poses\n", r.scenario.c_str(), r.differ, r.queries);
}

int usage(int code) {
    std::printf(
        "bench_core [--quick] [--only SCENARIO] [--no-peer] [--cpu-time] [--json FILE] [--scale FACTOR]\nscenarios:");
    for (const Scenario& s : scenarios()) std::printf(" %s", s.name);
    std::printf(" build-1m bytes-per-triangle\n");
    return code;
}

int run_all(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) return usage(argc == 2 && std::string(argv[1]) == "--help" ? 0 : 2);
    std::vector<Row> rows;
    for (const Scenario& s : scenarios())
        if (options->wanted(s.name)) {
            std::printf("%s\n", s.name);
            std::fflush(stdout);
            rows.push_back(run(s, *options));
        }
    const bool want_build = options->wanted("build-1m"), want_bytes = options->wanted("bytes-per-triangle");
    if (want_build || want_bytes) {
        std::printf("build-1m\n");
        run_build(*options, want_build, want_bytes, rows);
    }
    if (rows.empty()) return usage(2);
    print(rows);
    print_disturbed(rows, options->by_cpu);
    std::printf("FCL is the distribution's, built for the baseline processor.\n");
    return finish(rows, *options);
}

}  // namespace
}  // namespace graze::bench

int main(int argc, char** argv) { return graze::bench::run_all(argc, argv); }
