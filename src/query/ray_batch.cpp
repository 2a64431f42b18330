// SPDX-License-Identifier: Apache-2.0
// Batches of rays and of distances.
#include "graze/batch.hpp"
#include "query/batch_inputs.hpp"

namespace graze {

namespace {

/// The working memory of one thread.
struct RayLane {
    QueryStats stats;
    detail::FoundLists<RayHit> found;
};
struct DistanceLane {
    QueryStats stats;
    Scratch scratch;
};

template <class Lane>
void add_stats(const detail::Lanes<Lane>& lanes, QueryStats* to) {
    if (to)
        for (const auto& lane : lanes.all()) *to += lane->stats;
}

/// Writes `f(lane, input)` to the caller's memory.
template <class Lane, class Inputs, class T, class Settings, class F>
Result<void> fill(const Inputs& inputs, const char* what, unsigned threads, std::span<T> answers,
                  const Settings& settings, F&& f) {
    if (auto fault = detail::no_room(answers.size(), inputs.size())) return *fault;
    detail::Lanes<Lane> lanes;
    const Result<bool> all =
        detail::for_each_input(inputs, what, threads, settings.progress, lanes,
                               [&](Lane& lane, std::size_t i, const auto& input) { answers[i] = f(lane, input); });
    add_stats(lanes, settings.stats);
    if (!all.ok()) return all.fault();
    return {};
}

template <class T, class F>
Result<void> fill(const Rays& rays, std::span<T> answers, const RayBatchSettings& settings, F&& f) {
    return fill<RayLane>(rays, "ray", settings.threads, answers, settings, f);
}

}  // namespace

Result<Rays> Rays::from_directions(const PointView& origins, const PointView& directions, double t_min, double t_max) {
    if (origins.coordinate_count() % 3 != 0 || directions.coordinate_count() % 3 != 0)
        return Fault{FaultKind::BadIndex, "rays: the number of coordinates is not a multiple of three"};
    const std::size_t n = origins.size(), m = directions.size();
    if (n != m && n != 1 && m != 1)
        return Fault{FaultKind::BadIndex,
                     "rays: " + std::to_string(n) + " origins and " + std::to_string(m) + " directions"};
    Rays out;
    out.size_ = n == 1 ? m : n;
    out.origins_ = origins;
    out.directions_ = directions;
    out.t_min_ = t_min;
    out.t_max_ = t_max;
    return out;
}

Result<Ray> Rays::operator[](std::size_t i) const {
    if (rays_) return rays_[i];
    return Ray::from_direction(origins_[origins_.size() == 1 ? 0 : i], directions_[directions_.size() == 1 ? 0 : i],
                               t_min_, t_max_);
}

Result<void> nearest_hits(const Model& model, const Rays& rays, std::span<std::optional<RayHit>> hits,
                          const RayBatchSettings& settings) {
    return fill(rays, hits, settings,
                [&](RayLane& lane, const Ray& ray) { return nearest_hit(model, ray, {.stats = &lane.stats}); });
}

Result<void> any_hits(const Model& model, const Rays& rays, std::span<std::uint8_t> answers,
                      const RayBatchSettings& settings) {
    return fill(rays, answers, settings, [&](RayLane& lane, const Ray& ray) -> std::uint8_t {
        return any_hit(model, ray, {.stats = &lane.stats});
    });
}

Result<void> all_hits(const Model& model, const Rays& rays, BatchHits& found, const RayBatchSettings& settings) {
    found.hits.clear();
    found.offsets.assign(rays.size() + 1, 0);
    detail::Lanes<RayLane> lanes;
    const Result<bool> all = detail::for_each_input(
        rays, "ray", settings.threads, settings.progress, lanes, [&](RayLane& lane, std::size_t i, const Ray& ray) {
            lane.found.begin(i);
            const std::vector<RayHit> hits = all_hits(model, ray, {.stats = &lane.stats});
            lane.found.items.insert(lane.found.items.end(), hits.begin(), hits.end());
            found.offsets[i + 1] = hits.size();
        });
    add_stats(lanes, settings.stats);
    if (!all.ok() || !*all) {
        found.offsets.clear();
        if (!all.ok()) return all.fault();
        return {};
    }
    detail::join(lanes, found.hits, found.offsets);
    return {};
}

Result<void> distances(const Model& a, const Model& b, const Poses& poses, std::span<ClosestTriangles> answers,
                       const DistanceBatchSettings& settings) {
    return fill<DistanceLane>(poses, "placement", settings.front ? 1 : settings.threads, answers, settings,
                              [&](DistanceLane& lane, const Affine& a_from_b) {
                                  return distance(a, b, a_from_b,
                                                  {.max_distance = settings.max_distance,
                                                   .stop_below = settings.stop_below,
                                                   .relative_error = settings.relative_error,
                                                   .absolute_error = settings.absolute_error,
                                                   .stats = &lane.stats,
                                                   .scratch = &lane.scratch,
                                                   .front = settings.front});
                              });
}

}  // namespace graze
