// SPDX-License-Identifier: Apache-2.0
// Rays, boxes and distances asked of a scene.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/float_environment.hpp"
#include "graze/region.hpp"
#include "scene/scene_impl.hpp"

namespace graze {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

bool holds_nothing(const detail::WorldBox& box) { return box.low[0] > box.high[0]; }

Result<void> check_range(const Ray& ray) {
    constexpr double most = 0x1p900, least = 0x1p-900;
    const double direction = largest(ray.direction());
    if (largest(ray.origin()) <= most && direction <= most && direction >= least) return {};
    return Fault{FaultKind::OutOfRange, "scene: the ray has coordinates beyond 2^900, or a direction below 2^-900"};
}

/// Whether a ray may hit what is in a box, and the least t at which it may.
///
/// Mapping a ray into an object's frame moves a point of it, seen from the world, by less than 2^-32 of all lengths
/// involved (see `slack_of` in scene_placement.cpp): the box has the object's share already, and t · direction is not
/// longer than origin and box together. The box grows by 2^-26 of these. That is also far more than the rounding here.
bool may_hit(const Ray& ray, const detail::WorldBox& box, double& enter) {
    double size = largest(ray.origin());
    for (int i = 0; i < 3; ++i) size = std::max({size, std::abs(double{box.low[i]}), std::abs(double{box.high[i]})});
    const double grow = size * 0x1p-26 + 0x1p-1000;
    double leave = ray.t_max();
    enter = ray.t_min();
    for (int i = 0; i < 3; ++i) {
        const double o = ray.origin()[i], d = ray.direction()[i];
        const double low = box.low[i] - grow - o, high = box.high[i] + grow - o;
        if (d == 0) {
            if (low > 0 || high < 0) return false;
            continue;
        }
        enter = std::max(enter, (d > 0 ? low : high) / d);
        leave = std::min(leave, (d > 0 ? high : low) / d);
    }
    return enter <= leave;
}

/// The ray in the frame of an object. Within the range that was checked it always exists.
Result<Ray> in_frame(const Ray& ray, const Affine& object_from_world) {
    return Ray::from_direction(object_from_world(ray.origin()), object_from_world.linear() * ray.direction(),
                               ray.t_min(), ray.t_max());
}

}  // namespace

void Scene::Impl::refresh_boxes() {
    boxes.resize(objects.size());
    box_versions.resize(objects.size());
    for (std::size_t slot = 0; slot < objects.size(); ++slot) {
        if (box_versions[slot] == states[slot].version) continue;
        box_versions[slot] = states[slot].version;
        constexpr float inf = std::numeric_limits<float>::infinity();
        detail::SceneObject& o = objects[slot];
        boxes[slot] = o.alive && !o.shape->empty ? box_of(o) : detail::WorldBox{{inf, inf, inf}, {-inf, -inf, -inf}};
    }
}

std::vector<std::pair<double, std::uint32_t>> Scene::Impl::ahead(const Ray& ray, std::uint32_t mask) {
    refresh_boxes();
    std::vector<std::pair<double, std::uint32_t>> out;
    for (std::uint32_t slot = 0; slot < boxes.size(); ++slot) {
        double enter = 0;
        if (!holds_nothing(boxes[slot]) && (states[slot].layers & mask) && may_hit(ray, boxes[slot], enter))
            out.emplace_back(enter, slot);
    }
    std::ranges::sort(out);
    return out;
}

Result<std::optional<SceneHit>> Scene::nearest_hit(const Ray& ray, std::uint32_t mask) {
    const detail::DefaultFloats floats;
    const auto checked = check_range(ray);
    if (!checked) return checked.fault();
    std::optional<SceneHit> best;
    for (const auto& [enter, slot] : impl_->ahead(ray, mask)) {
        if (best && enter > best->hit.t) break;
        const detail::SceneObject& o = impl_->objects[slot];
        const auto local = in_frame(ray, o.inverse);
        if (!local) return local.fault();
        const std::optional<RayHit> hit = graze::nearest_hit(o.model, *local);
        const ObjectId id{slot, impl_->states[slot].generation};
        if (hit && (!best || hit->t < best->hit.t || (hit->t == best->hit.t && id < best->object)))
            best = SceneHit{id, *hit};
    }
    return best;
}

Result<bool> Scene::any_hit(const Ray& ray, std::uint32_t mask) {
    const detail::DefaultFloats floats;
    const auto checked = check_range(ray);
    if (!checked) return checked.fault();
    for (const auto& [enter, slot] : impl_->ahead(ray, mask)) {
        const detail::SceneObject& o = impl_->objects[slot];
        const auto local = in_frame(ray, o.inverse);
        if (!local) return local.fault();
        if (graze::any_hit(o.model, *local)) return true;
    }
    return false;
}

std::vector<ObjectId> Scene::overlapping(const Box& box, std::uint32_t mask) {
    const detail::DefaultFloats floats;
    Impl& s = *impl_;
    s.refresh_boxes();
    std::vector<ObjectId> out;
    auto scratch = s.pool.take();
    for (std::uint32_t slot = 0; slot < s.boxes.size(); ++slot) {
        const detail::WorldBox& there = s.boxes[slot];
        bool near = (s.states[slot].layers & mask) != 0 && !holds_nothing(there);
        for (int i = 0; i < 3; ++i) near &= box.lo()[i] <= there.high[i] && there.low[i] <= box.hi()[i];
        if (near && intersects(box, s.objects[slot].model, s.objects[slot].placed, {.scratch = scratch.get()}))
            out.push_back({slot, s.states[slot].generation});
    }
    s.pool.give(std::move(scratch));
    return out;
}

Result<ClosestTriangles> Scene::Impl::distance(std::uint32_t a, std::uint32_t b, double max_distance) {
    const std::uint32_t low = std::min(a, b), high = std::max(a, b);
    if (!objects[low].placed.rigid() && !objects[high].placed.rigid())
        return Fault{FaultKind::NotRigid, "scene: neither object " + std::to_string(low) + " nor object " +
                                              std::to_string(high) + " has a rigid placement"};
    const std::uint32_t first = objects[low].placed.rigid() ? low : high, second = first == low ? high : low;
    const detail::SceneObject &f = objects[first], &g = objects[second];
    auto scratch = pool.take();
    ClosestTriangles out = graze::distance(f.model, g.model, *compose(f.inverse, g.placed),
                                           {.max_distance = max_distance, .scratch = scratch.get()});
    pool.give(std::move(scratch));
    if (out.distance == infinite) return ClosestTriangles{};
    out.point_a = f.placed(out.point_a);
    out.point_b = f.placed(out.point_b);
    if (first != a) {
        std::swap(out.point_a, out.point_b);
        std::swap(out.triangles.a, out.triangles.b);
    }
    return out;
}

Result<ClosestTriangles> Scene::distance(ObjectId a, ObjectId b, double max_distance) {
    const detail::DefaultFloats floats;
    for (const ObjectId id : {a, b})
        if (!contains(id)) return detail::no_such(id);
    return impl_->distance(a.slot, b.slot, max_distance);
}

Result<std::vector<NearObject>> Scene::objects_within(ObjectId object, double length, std::uint32_t mask) {
    const detail::DefaultFloats floats;
    if (!contains(object)) return detail::no_such(object);
    std::vector<NearObject> out;
    if (length < 0) return out;
    Impl& s = *impl_;
    s.refresh_boxes();
    const detail::WorldBox& here = s.boxes[object.slot];
    if (holds_nothing(here)) return out;
    // Lengths in the frame of a rigid placement are those in the world but for `Pose::tolerance`.
    const double reach = std::isnan(length) ? infinite : length * (1 + 4 * Pose::tolerance) + 0x1p-1000;
    for (std::uint32_t slot = 0; slot < s.boxes.size(); ++slot) {
        const detail::WorldBox& there = s.boxes[slot];
        if (slot == object.slot || holds_nothing(there) || !(s.states[slot].layers & mask)) continue;
        Vec3 gap;
        for (int i = 0; i < 3; ++i)
            gap[i] = std::max({0.0, double{there.low[i]} - here.high[i], double{here.low[i]} - there.high[i]});
        if (graze::length(gap) * (1 - 0x1p-40) > reach) continue;
        const auto closest = s.distance(object.slot, slot, length);
        if (!closest) return closest.fault();
        if (closest->distance < infinite) out.push_back({{slot, s.states[slot].generation}, *closest});
    }
    std::ranges::sort(out, [](const NearObject& x, const NearObject& y) {
        return x.closest.distance != y.closest.distance ? x.closest.distance < y.closest.distance : x.object < y.object;
    });
    return out;
}

}  // namespace graze
