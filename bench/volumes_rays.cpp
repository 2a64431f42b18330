// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "bench/volumes.hpp"
#include "graze/ray.hpp"
#include "graze/study.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#ifdef GRAZE_BENCH_EMBREE
#include "bench/peer_embree.hpp"
#endif

namespace graze::bench {
namespace {

constexpr std::uint32_t none = 0xffffffff;

float single(double x) { return static_cast<float>(x); }
Vec3 single(const Vec3& p) { return {single(p.x), single(p.y), single(p.z)}; }

/// From outside of a model's ball to a point within, and on beyond the model within t = 1; all numbers are those
/// of single precision, so that both sides are asked the same.
std::vector<Ray> random_rays(const Model& model, std::size_t count, std::uint64_t seed) {
    const scenes::Ball ball = scenes::bounding_ball(model);
    scenes::Random random(seed);
    std::vector<Ray> rays;
    while (rays.size() < count) {
        const Vec3 origin = single(ball.centre + scenes::random_direction(random) * (1.5 * ball.radius));
        const Vec3 target = ball.centre + random.in_cube(-ball.radius, ball.radius);
        if (length(target - ball.centre) > ball.radius) continue;
        const Vec3 way = target - origin;
        const auto ray = Ray::from_direction(origin, single(way * (4 * ball.radius / length(way))));
        if (!ray) continue;
        // The check's end point has to be exact. It nearly always is: 24 bits each, of like size.
        const Vec3 end = ray->origin() + ray->direction();
        if (end - ray->origin() == ray->direction() && end - ray->direction() == ray->origin()) rays.push_back(*ray);
    }
    return rays;
}

/// The parameter at which the ray meets the triangle's plane.
double parameter(const Ray& ray, const Triangle& t) {
    const Vec3 n = cross(t.b - t.a, t.c - t.a);
    return dot(n, t.a - ray.origin()) / dot(n, ray.direction());
}

/// Differences from brute force with the exact predicate, the ray as a triangle without area: what is hit, and that
/// no other hit comes before the one that is called nearest.
std::size_t wrong_at(const Model& model, const Ray& ray) {
    const Vec3 end = ray.origin() + ray.direction();
    std::vector<std::uint32_t> truth, found;
    double first = HUGE_VAL;
    for (std::uint32_t i = 0; i < model.triangle_count(); ++i) {
        const Triangle t = model.triangle(i);
        if (!meet({ray.origin(), end, end}, t)) continue;
        truth.push_back(i);
        first = std::min(first, parameter(ray, t));
    }
    for (const RayHit& hit : all_hits(model, ray)) found.push_back(hit.triangle);
    std::ranges::sort(found);
    const auto nearest = nearest_hit(model, ray);
    std::size_t wrong = found != truth;
    wrong += any_hit(model, ray) == truth.empty();
    wrong += nearest.has_value() == truth.empty();
    if (nearest && !truth.empty())
        wrong += !std::ranges::binary_search(truth, nearest->triangle) || std::abs(nearest->t - first) > 1e-9 ||
                 parameter(ray, model.triangle(nearest->triangle)) > first + 1e-9;
    return wrong;
}

}  // namespace

void run_rays(const Options& options, Rows& rows) {
    const auto side = static_cast<std::uint32_t>(std::max(3.0, 224 * std::sqrt(options.size.scale)));
    const std::pair<const char*, scenes::Soup> models[] = {
        {"sphere", scenes::sphere(static_cast<std::uint32_t>(100'000 * options.size.scale))},
        {"landscape", scenes::landscape(side)}};
    for (auto [name, soup] : models) {
        for (Vec3& p : soup.points) p = single(p);
        for (const study::Volume volume : {study::Volume::Obb, study::Volume::Aabb}) {
            const Model model = built(soup, {.volume = volume, .threads = 1});
            const auto rays = random_rays(model, options.size.quick ? 20'000 : 100'000, 1);
#ifdef GRAZE_BENCH_EMBREE
            const EmbreeRays embree(soup);
            std::vector<FloatRay> float_rays;
            for (const Ray& r : rays)
                float_rays.push_back({{single(r.origin().x), single(r.origin().y), single(r.origin().z)},
                                      {single(r.direction().x), single(r.direction().y), single(r.direction().z)}});
#endif
            std::size_t wrong = 0;
            const std::size_t checks = options.size.quick ? 40 : 200;
            for (std::size_t i = 0; i < checks; ++i) wrong += wrong_at(model, rays[i * rays.size() / checks]);

            for (const bool any : {false, true}) {
                const auto ours = [&](std::size_t i) -> std::uint32_t {
                    if (any) return any_hit(model, rays[i]);
                    const auto hit = nearest_hit(model, rays[i]);
                    return hit ? hit->triangle : none;
                };
                const Effort effort =
                    options.size.quick ? Effort{1, 3, 9, options.by_cpu} : Effort{5, 5, 25, options.by_cpu};
                Row row{.scenario = std::string(any ? "rays-any-" : "rays-nearest-") + name +
                                    (volume == study::Volume::Obb ? "-obb" : "-aabb"),
                        .queries = rays.size(),
                        .checked = checks,
                        .wrong = wrong};
                Timing t;
#ifdef GRAZE_BENCH_EMBREE
                if (options.peer) {
                    t = interleave(rays.size(), effort, ours, [&](std::size_t i) -> std::uint32_t {
                        return any ? embree.any(float_rays[i]) : embree.nearest(float_rays[i]);
                    });
                    row.peer = "Embree";
                    row.peer_us = t.peer_us;
                    row.ratio = t.peer_us / t.ours_us;
                    for (std::size_t i = 0; i < rays.size(); ++i) row.differ += t.ours_answers[i] != t.peer_answers[i];
                } else
#endif
                    t = alone(rays.size(), effort, ours);
                row.ours_us = t.ours_us;
                row.total = t.total;
                row.hits = static_cast<std::size_t>(
                    std::ranges::count_if(t.ours_answers, [&](auto a) { return any ? a != 0 : a != none; }));
                QueryStats stats;
                for (const Ray& r : rays)
                    if (any)
                        any_hit(model, r, {.stats = &stats});
                    else
                        nearest_hit(model, r, {.stats = &stats});
                const auto n = static_cast<double>(rays.size());
                row.box_tests = static_cast<double>(stats.box_tests) / n;
                row.triangle_tests = static_cast<double>(stats.triangle_tests) / n;
                row.more = {{"hit_percent", 100 * static_cast<double>(row.hits) / n}, {"Mrays", 1 / row.ours_us}};
                if (row.peer_us) row.more.emplace_back("peer_Mrays", 1 / *row.peer_us);
                rows.push_back(std::move(row));
            }
        }
    }
}

}  // namespace graze::bench
