// SPDX-License-Identifier: Apache-2.0
// Where the objects of a scene are: placements, how far objects have moved, and their boxes in the world.
#include <algorithm>
#include <cmath>
#include <limits>

#include "front/motion.hpp"
#include "scene/scene_impl.hpp"
#include "scene/world_box.hpp"

namespace graze {

namespace {

double largest_entry(const Mat3& m) {
    double most = 0;
    for (const Vec3& r : m.row) most = std::max({most, std::abs(r.x), std::abs(r.y), std::abs(r.z)});
    return most;
}

/// Bounds, in the world, how far a query may see the object's points from where they are. With matrix entries up to
/// 2^9 both ways, computing a relative placement and mapping points by it moves them by less than 2^-53 · 2^18 · 2^3
/// of all lengths involved. A factor of 2^-30 covers this object's half of a pair.
double slack_of(const detail::ObjectShape& shape, const Affine& placed) {
    const double reach = length(shape.box.centre) + length(shape.box.half);
    return 0x1p-30 * (3 * largest_entry(placed.linear()) * reach + length(placed.translation())) + 0x1p-1000;
}

}  // namespace

Result<void> Scene::Impl::place(detail::SceneObject& object, ObjectId id, const Affine& world_from_object) {
    const auto at = [&] { return "object " + std::to_string(id.slot) + ": "; };
    const Vec3& t = world_from_object.translation();
    constexpr double most = 0x1p900;
    if (!(std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)}) <= most))
        return Fault{FaultKind::OutOfRange, at() + "the translation is beyond 2^900"};
    const auto back = inverse(world_from_object);
    if (!back) return Fault{back.fault().kind, at() + back.fault().message};
    if (!(largest_entry(world_from_object.linear()) <= max_scale && largest_entry(back->linear()) <= max_scale))
        return Fault{FaultKind::OutOfRange, at() + "the matrix or its inverse has entries beyond 2^9"};
    object.placed = world_from_object;
    object.inverse = *back;
    return {};
}

void Scene::Impl::mark(std::uint32_t slot) {
    detail::SceneObject& o = objects[slot];
    ++states[slot].version;
    if (!o.stale) stale.push_back(slot);
    o.stale = true;
}

void Scene::Impl::model_changed(std::uint32_t slot) {
    detail::SceneObject& o = objects[slot];
    detail::ObjectState& state = states[slot];
    ++state.model_version;
    o.slack = slack_of(*o.shape, o.placed);
    o.extremes = {};
    state.size = 2 * o.shape->box.half.x * largest_entry(o.placed.linear());
    mark(slot);
}

void Scene::Impl::moved(std::uint32_t slot, const Affine& before) {
    detail::SceneObject& o = objects[slot];
    const detail::Obb& box = o.shape->box;
    o.slack = slack_of(*o.shape, o.placed);
    const double way = detail::motion_bound(before, o.placed, box.centre, length(box.half) * (1 + 0x1p-40));
    // Queries see the points where they are but for the slack, before and after the move.
    double& odometer = states[slot].odometer;
    odometer = std::nextafter(odometer + (way + 2 * o.slack), std::numeric_limits<double>::infinity());
    mark(slot);
}

detail::WorldBox Scene::Impl::box_of(detail::SceneObject& object) const {
    const detail::Obb& box = object.shape->box;
    const Mat3& m = object.placed.linear();
    Vec3 low, high;
    if (settings.bounds == ObjectBounds::Hull && object.shape->hull.dimension() >= 0) {
        const Box placed = placed_box(object.shape->hull, object.placed, object.extremes);
        low = placed.lo();
        high = placed.hi();
    } else {
        Vec3 half;
        if (settings.bounds == ObjectBounds::Cube) {
            const double radius = detail::spectral_bound(m) * length(box.half);
            half = {radius, radius, radius};
        } else {
            const Mat3 axes = m * transpose(box.axes);
            for (int i = 0; i < 3; ++i)
                half[i] = std::abs(axes.row[i].x) * box.half.x + std::abs(axes.row[i].y) * box.half.y +
                          std::abs(axes.row[i].z) * box.half.z;
        }
        const Vec3 centre = object.placed(box.centre);
        low = centre - half;
        high = centre + half;
    }
    detail::WorldBox out;
    for (int i = 0; i < 3; ++i) {
        out.low[i] = detail::world_low(low[i] - object.slack);
        out.high[i] = detail::world_high(high[i] + object.slack);
    }
    return out;
}

void Scene::Impl::update_boxes() {
    for (const std::uint32_t slot : stale) {
        detail::SceneObject& o = objects[slot];
        o.stale = false;
        const bool list = o.alive && !o.shape->empty;
        if (list)
            broad->set(slot, box_of(o), !o.settings.is_static);
        else if (o.listed)
            broad->remove(slot);
        o.listed = list;
    }
    stale.clear();
}

}  // namespace graze
