// SPDX-License-Identifier: Apache-2.0
// Refits and builds of trees.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/mesh_peer.hpp"
#include "bench/volumes.hpp"
#include "graze/study.hpp"
#include "scenes/deform.hpp"
#include "scenes/placements.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"

namespace graze::bench {
namespace {

std::vector<std::unique_ptr<MeshPeer>> mesh_peers([[maybe_unused]] const scenes::Soup& soup,
                                                  [[maybe_unused]] Shapes shapes, bool wanted) {
    std::vector<std::unique_ptr<MeshPeer>> out;
    if (!wanted) return out;
#ifdef GRAZE_BENCH_FCL
    out.push_back(fcl_mesh(soup, shapes));
#endif
#ifdef GRAZE_BENCH_BULLET
    out.push_back(gimpact_mesh(soup, shapes));
    out.push_back(bullet_mesh(soup, shapes));
#endif
#ifdef GRAZE_BENCH_EMBREE
    out.push_back(embree_mesh(soup, shapes));
#endif
    return out;
}

/// Whether the tree's root fits the points, up to single precision, and to a percent where it is quantised.
bool fits(const std::pair<Vec3, Vec3>& bounds, std::span<const Vec3> points) {
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points)
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    const double size = length(high - low);
    for (int k = 0; k < 3; ++k) {
        if (bounds.first[k] > low[k] + 1e-6 * size || bounds.second[k] < high[k] - 1e-6 * size) return false;
        if (bounds.first[k] < low[k] - 2e-2 * size || bounds.second[k] > high[k] + 2e-2 * size) return false;
    }
    return true;
}

/// Differences from brute force of `a` against a torus placed on it.
void check(const scenes::Soup& soup, const Model& a, std::size_t count, Row& row) {
    const scenes::Soup b = scenes::torus(1, 0.4, 20, 20);
    const scenes::Reference reference(soup, b);
    Ours ours(a, built(b));
    scenes::Random random(7);
    for (std::size_t i = 0; i < count; ++i) {
        const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-1, 1));
        ours(Ask::All, pose);
        row.wrong += scenes::differing(ours.pairs(), reference.all(pose));
    }
    row.wrong += !a.validate();
    row.checked += count;
}

/// The quickest peer becomes the row's; each is noted in nanoseconds a triangle.
void compare(const std::vector<std::unique_ptr<MeshPeer>>& peers, std::span<const Span> spans, double triangles,
             bool by_cpu, Row& row) {
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const double us = spans[i].seconds(by_cpu) * 1e6;
        std::printf(", %s %.1f", peers[i]->name(), us * 1e3 / triangles);
        row.more.emplace_back(std::string(peers[i]->name()) + "_ns", us * 1e3 / triangles);
        if (row.peer_us && *row.peer_us <= us) continue;
        row.peer = peers[i]->name();
        row.peer_us = us;
        row.ratio = us / row.ours_us;
    }
    std::printf("\n");
}

}  // namespace

void run_refit(const Options& options, Rows& rows) {
    const auto side = static_cast<std::uint32_t>(std::max(3.0, 224 * std::sqrt(options.size.scale)));
    scenes::Soup soup = scenes::torus(1, 0.4, side, side);
    const auto n = static_cast<double>(soup.triangle_count());
    const std::vector<std::vector<Vec3>> shapes = {soup.points, scenes::twisted(soup, 0.25),
                                                   scenes::waved(soup, 0.2, 2)};
    auto peers = mesh_peers(soup, shapes, options.peer);
    Model refitted = built(soup, {.volume = study::Volume::Aabb, .threads = 1}), rebuilt = refitted;
    const auto move = [](Model& model, const std::vector<Vec3>& points, Rebuild rebuild) {
        if (!model.refit(points, {.rebuild = rebuild})) std::printf("a refit failed\n"), std::exit(1);
    };

    // Each turn goes through the shapes several times, so that every refit moves all points, and finds in the
    // caches what the one before left there and not what the other side did.
    constexpr std::size_t times = 10;
    Row row{.scenario = "refit", .queries = times * shapes.size(), .floor = 2.5, .aim = 4};
    const Effort effort = options.size.quick ? Effort{4, 5, 20} : Effort{20, 10, 60};
    const auto spans = take_turns(2 + peers.size(), effort, row.total, [&](std::size_t s) {
        for (std::size_t i = 0; i < times * shapes.size(); ++i)
            if (s == 0)
                move(refitted, shapes[i % shapes.size()], Rebuild::Never);
            else if (s > 1)
                peers[s - 2]->refit(i % shapes.size());
        for (std::size_t i = 0; s == 1 && i < shapes.size(); ++i) move(rebuilt, shapes[i], Rebuild::Always);
    });
    std::vector<Span> each(spans.begin(), spans.end());
    for (std::size_t s = 0; s < each.size(); ++s) {
        const auto n_turn = static_cast<double>(s == 1 ? shapes.size() : times * shapes.size());
        each[s].wall /= n_turn, each[s].cpu /= n_turn;
    }
    row.ours_us = each[0].seconds(options.by_cpu) * 1e6;
    const double rebuild_us = each[1].seconds(options.by_cpu) * 1e6;
    std::printf("  %.0f triangles, ns each: ours %.1f, our rebuild %.1f", n, row.ours_us * 1e3 / n,
                rebuild_us * 1e3 / n);
    compare(peers, std::span(each).subspan(2), n, options.by_cpu, row);

    for (std::size_t i = 0; i < shapes.size(); ++i) {
        move(refitted, shapes[i], Rebuild::Never);
        soup.points = shapes[i];
        check(soup, refitted, options.size.quick ? 3 : 10, row);
        for (auto& peer : peers) {
            peer->refit(i);
            if (fits(peer->bounds(), shapes[i])) continue;
            std::printf("  %s: the root of shape %zu does not fit\n", peer->name(), i);
            ++row.peer_wrong;
        }
    }
    rows.push_back(row);
    rows.push_back({.scenario = "refit-ns", .floor = 12, .aim = 8, .value = row.ours_us * 1e3 / n});
    rows.push_back({.scenario = "refit-or-rebuild",
                    .peer = "our rebuild",
                    .queries = 1,
                    .ours_us = row.ours_us,
                    .floor = 10,
                    .aim = 15,
                    .peer_us = rebuild_us,
                    .ratio = rebuild_us / row.ours_us,
                    .total = row.total});
}

namespace {

Model build_aligned(const scenes::Soup& soup, unsigned threads) {
    return built(soup, {.volume = study::Volume::Aabb, .threads = threads});
}

}  // namespace

void run_two_threads(const Options& options, Rows& rows) {
    const scenes::Soup soup = million(options.size);
    Row row{.scenario = "build-aabb-2-threads", .peer = "one thread", .floor = 1.7, .aim = 1.9};
    Model kept;  // so that freeing it is not part of the time
    Span total;
    const auto spans = take_turns(
        2, options.size.quick ? Effort{2, 5, 10} : Effort{20, 10, 60}, total,
        [&](std::size_t s) { kept = build_aligned(soup, static_cast<unsigned>(1 + s)); },
        [&](std::size_t) { kept = Model(); });
    // Always elapsed time: it is what a second core saves.
    row.ours_us = spans[1].wall * 1e6;
    row.peer_us = spans[0].wall * 1e6;
    row.ratio = spans[0].wall / spans[1].wall;
    row.total = spans[0];
    rows.push_back(row);
}

void run_build(const Options& options, Rows& rows) {
    const scenes::Soup soup = million(options.size);
    const auto n = static_cast<double>(soup.triangle_count());
    Model kept;  // so that freeing it is not part of the time
    auto peers = mesh_peers(soup, std::span(&soup.points, 1), options.peer);
    Row row{.scenario = "build-aabb-1m"};
    const auto spans = take_turns(
        1 + peers.size(), options.size.quick ? Effort{1, 3, 3} : Effort{60, 5, 10}, row.total,
        [&](std::size_t s) { s == 0 ? void(kept = build_aligned(soup, 1)) : peers[s - 1]->build(); },
        [&](std::size_t s) { s == 0 ? void(kept = Model()) : peers[s - 1]->clear(); });
    row.ours_us = spans[0].seconds(options.by_cpu) * 1e6;
    std::printf("  %.0f triangles, ns each: ours %.1f", n, row.ours_us * 1e3 / n);
    compare(peers, std::span(spans).subspan(1), n, options.by_cpu, row);
    Case c = million_check(options.size);
    const scenes::Reference reference(c.a, c.b);
    Ours checked(build_aligned(soup, 1), built(c.b));
    for (const Pose& pose : c.poses) {
        checked(Ask::All, pose);
        row.wrong += scenes::differing(checked.pairs(), reference.all(pose));
        ++row.checked;
    }
    rows.push_back(row);
    rows.push_back({.scenario = "build-aabb-1m-ns", .floor = 100, .aim = 70, .value = row.ours_us * 1e3 / n});
}

}  // namespace graze::bench
