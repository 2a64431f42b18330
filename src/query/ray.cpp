// SPDX-License-Identifier: Apache-2.0
#include "graze/ray.hpp"

#include <algorithm>
#include <cmath>

#include "base/float_environment.hpp"
#include "model/access.hpp"
#include "wide_walk/run.hpp"

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
    run(model, search);
    if (stats) *stats += search.stats;
}

/// Barycentric coordinates (u of b, v of c) of the triangle's point nearest to p. The triangle may have no area.
void barycentric(const Triangle& t, const Vec3& p, double& u, double& v) {
    Vec3 e = t.b - t.a, f = t.c - t.a, w = p - t.a;
    const double size =
        std::max({std::abs(e.x), std::abs(e.y), std::abs(e.z), std::abs(f.x), std::abs(f.y), std::abs(f.z)});
    if (!(size > 0)) return;
    // Products of four lengths neither overflow nor vanish in between.
    if (!(size > 0x1p-200 && size < 0x1p200))
        for (Vec3* x : {&e, &f, &w}) *x = {x->x / size, x->y / size, x->z / size};
    const Vec3 n = cross(e, f);
    const double area = dot(n, n);
    if (area > 0) {
        u = dot(cross(w, f), n) / area;
        v = dot(cross(e, w), n) / area;
    } else if (dot(e, e) >= dot(f, f)) {  // all corners are in line: measured along the longer edge
        u = dot(w, e) / dot(e, e);
    } else {
        v = dot(w, f) / dot(f, f);
    }
    // A point that overflowed gives NaN, which counts as 0.
    u = u > 0 ? std::min(u, 1.0) : 0;
    v = v > 0 ? std::min(v, 1 - u) : 0;
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

std::optional<RayHit> nearest_hit(const Model& model, const Ray& ray, const RaySettings& settings) {
    const detail::DefaultFloats floats;
    const detail::ModelData& data = detail::Access::data(model);
    RaySearch search(data.geometry, ray, RaySearch::Goal::Nearest);
    detail::cast(data, search, settings.stats);
    if (!search.hit) return std::nullopt;
    return detail::hit_of(search, search.nearest);
}

bool any_hit(const Model& model, const Ray& ray, const RaySettings& settings) {
    const detail::DefaultFloats floats;
    const detail::ModelData& data = detail::Access::data(model);
    RaySearch search(data.geometry, ray, RaySearch::Goal::Any);
    detail::cast(data, search, settings.stats);
    return search.hit;
}

std::vector<RayHit> all_hits(const Model& model, const Ray& ray, const RaySettings& settings) {
    const detail::DefaultFloats floats;
    const detail::ModelData& data = detail::Access::data(model);
    RaySearch search(data.geometry, ray, RaySearch::Goal::All);
    detail::cast(data, search, settings.stats);
    std::sort(search.all.begin(), search.all.end(), [&](const auto& a, const auto& b) { return search.before(a, b); });
    std::vector<RayHit> hits;
    for (const auto& found : search.all) hits.push_back(detail::hit_of(search, found));
    return hits;
}

}  // namespace graze
