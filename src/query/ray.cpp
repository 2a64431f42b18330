// SPDX-License-Identifier: Apache-2.0
#include "graze/ray.hpp"

#include <algorithm>
#include <cmath>

#include "base/float_environment.hpp"
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
        // Twice the error: the sum is rounded.
        limit = std::min(limit, here.time.t + 2 * here.time.error);
    }
    hit = true;
    return goal == Goal::Any ? Step::Stop : Step::Continue;
}

namespace {

std::optional<Fault> fault_of(const Ray& ray) {
    for (const Vec3* v : {&ray.origin, &ray.direction})
        for (int i = 0; i < 3; ++i) {
            if (!std::isfinite((*v)[i])) return Fault{FaultKind::NotFinite, "ray: a number is not finite"};
            if (std::abs((*v)[i]) > max_coordinate)
                return Fault{FaultKind::OutOfRange, "ray: a number is beyond 2^1000"};
        }
    if (std::isnan(ray.t_max)) return Fault{FaultKind::NotFinite, "ray: t_max is not a number"};
    if (ray.t_max < 0) return Fault{FaultKind::OutOfRange, "ray: t_max is negative"};
    if (ray.direction == Vec3{}) return Fault{FaultKind::Singular, "ray: the direction is zero"};
    return std::nullopt;
}

void cast(const ModelData& model, RaySearch& search, const QuerySettings& options) {
    ray_search(model, search);
    if (options.stats) *options.stats += search.stats;
}

RayHit hit_of(const Geometry& g, const RaySearch::Found& f) { return {f.triangle, g.polygon(f.triangle), f.time.t}; }

}  // namespace
}  // namespace detail

using detail::RaySearch;

Result<std::optional<RayHit>> nearest_hit(const Model& model, const Ray& ray, const QuerySettings& options) {
    const detail::DefaultFloats floats;
    if (auto fault = detail::fault_of(ray)) return *fault;
    const detail::ModelData& data = model.data();
    RaySearch search(data.geometry, ray, RaySearch::Goal::Nearest);
    detail::cast(data, search, options);
    if (!search.hit) return std::optional<RayHit>();
    return std::optional(detail::hit_of(data.geometry, search.nearest));
}

Result<bool> any_hit(const Model& model, const Ray& ray, const QuerySettings& options) {
    const detail::DefaultFloats floats;
    if (auto fault = detail::fault_of(ray)) return *fault;
    RaySearch search(model.data().geometry, ray, RaySearch::Goal::Any);
    detail::cast(model.data(), search, options);
    return search.hit;
}

Result<std::vector<RayHit>> all_hits(const Model& model, const Ray& ray, const QuerySettings& options) {
    const detail::DefaultFloats floats;
    if (auto fault = detail::fault_of(ray)) return *fault;
    const detail::ModelData& data = model.data();
    RaySearch search(data.geometry, ray, RaySearch::Goal::All);
    detail::cast(data, search, options);
    std::sort(search.all.begin(), search.all.end(), [&](const auto& a, const auto& b) { return search.before(a, b); });
    std::vector<RayHit> hits;
    for (const auto& f : search.all) hits.push_back(detail::hit_of(data.geometry, f));
    return hits;
}

}  // namespace graze
