// SPDX-License-Identifier: Apache-2.0
#include "graze/ray.hpp"

#include <algorithm>
#include <cmath>

#include "base/float_environment.hpp"
#include "model/access.hpp"
#include "walk/ray_search.hpp"

namespace graze {
namespace detail {

bool RaySearch::before(const Found& a, const Found& b) const {
    if (a.time.t + a.time.error < b.time.t - b.time.error) return true;
    if (b.time.t + b.time.error < a.time.t - a.time.error) return false;
    const int order = ray.compare(geometry.triangle(a.triangle), geometry.triangle(b.triangle));
    return order < 0 || (order == 0 && a.triangle < b.triangle);
}

Step RaySearch::decide(std::uint32_t triangle) {
    Found here{triangle, {}};
    bool exact = false;
    const bool hits = ray.hits(geometry.triangle(triangle), here.time, exact);
    ++stats.double_tests;
    stats.exact_tests += exact;
    if (!hits) return Step::Continue;
    if (goal == Goal::All) all.push_back(here);
    if (goal == Goal::Nearest && (!hit || before(here, nearest))) {
        nearest = here;
        // Twice the error, because the sum is rounded.
        limit = std::min(limit, here.time.t + 2 * here.time.error);
    }
    hit = true;
    return goal == Goal::Any ? Step::Stop : Step::Continue;
}

namespace {

void cast(const ModelData& model, RaySearch& search, QueryStats* stats) {
    ray_search(model, search);
    if (stats) *stats += search.stats;
}

/// Barycentric coordinates (u of b, v of c) of the triangle's point nearest to p. The triangle may have no area.
void barycentric(const Triangle& t, const Vec3& p, double& u, double& v) {
    const Vec3 e = t.b - t.a, f = t.c - t.a, w = p - t.a;
    // In units of the longer edge, so that products neither overflow nor underflow.
    const double size = std::max(length(e), length(f));
    if (!(size > 0)) return;
    const auto scaled = [&](const Vec3& x) { return Vec3{x.x / size, x.y / size, x.z / size}; };
    const Vec3 g = scaled(e), h = scaled(f), q = scaled(w), n = cross(g, h);
    const double area = dot(n, n);
    if (area > 0) {
        u = dot(cross(q, h), n) / area;
        v = dot(cross(g, q), n) / area;
    } else if (dot(g, g) >= dot(h, h)) {  // all corners are in line: measured along the longer edge
        u = dot(q, g) / dot(g, g);
    } else {
        v = dot(q, h) / dot(h, h);
    }
    u = std::clamp(u, 0.0, 1.0);
    v = std::clamp(v, 0.0, 1 - u);
}

RayHit hit_of(const RaySearch& search, const RaySearch::Found& found) {
    const Ray& ray = search.ray.ray();
    RayHit hit{found.triangle, search.geometry.polygon(found.triangle), found.time.t};
    barycentric(search.geometry.triangle(found.triangle), ray.origin() + ray.direction() * hit.t, hit.u, hit.v);
    return hit;
}

}  // namespace
}  // namespace detail

using detail::RaySearch;

std::optional<RayHit> nearest_hit(const Model& model, const Ray& ray, QueryStats* stats) {
    const detail::DefaultFloats floats;
    const detail::ModelData& data = detail::Access::data(model);
    RaySearch search(data.geometry, ray, RaySearch::Goal::Nearest);
    detail::cast(data, search, stats);
    if (!search.hit) return std::nullopt;
    return detail::hit_of(search, search.nearest);
}

bool any_hit(const Model& model, const Ray& ray, QueryStats* stats) {
    const detail::DefaultFloats floats;
    const detail::ModelData& data = detail::Access::data(model);
    RaySearch search(data.geometry, ray, RaySearch::Goal::Any);
    detail::cast(data, search, stats);
    return search.hit;
}

std::vector<RayHit> all_hits(const Model& model, const Ray& ray, QueryStats* stats) {
    const detail::DefaultFloats floats;
    const detail::ModelData& data = detail::Access::data(model);
    RaySearch search(data.geometry, ray, RaySearch::Goal::All);
    detail::cast(data, search, stats);
    std::sort(search.all.begin(), search.all.end(), [&](const auto& a, const auto& b) { return search.before(a, b); });
    std::vector<RayHit> hits;
    for (const auto& found : search.all) hits.push_back(detail::hit_of(search, found));
    return hits;
}

}  // namespace graze
