// SPDX-License-Identifier: Apache-2.0
// The public functions of a scene. Where objects are is in scene_placement.cpp, how pairs are decided in
// scene_pairs.cpp, and what the caller is told in scene_events.cpp.
#include "graze/scene.hpp"

#include <algorithm>

#include "base/float_environment.hpp"
#include "scene/scene_impl.hpp"

namespace graze {

using detail::no_such;
using detail::SceneObject;

Fault detail::no_such(ObjectId id) {
    return {FaultKind::BadObject,
            "scene: there is no object " + std::to_string(id.slot) + " of generation " + std::to_string(id.generation)};
}

namespace {

Fault of_object(ObjectId id, const Fault& fault) {
    return {fault.kind, "object " + std::to_string(id.slot) + ": " + fault.message};
}

ObjectPair ordered(ObjectId a, ObjectId b) { return a < b ? ObjectPair{a, b} : ObjectPair{b, a}; }

}  // namespace

Scene::Scene(const SceneSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

Result<ObjectId> Scene::add(const Model& model, const Affine& world_from_object, const ObjectSettings& settings) {
    const detail::DefaultFloats floats;
    Impl& s = *impl_;
    const bool again = !s.free.empty();
    const auto slot = again ? s.free.back() : static_cast<std::uint32_t>(s.objects.size());
    SceneObject fresh;
    const ObjectId id{slot, again ? s.states[slot].generation + 1 : 0};
    const auto placed = s.place(fresh, id, world_from_object);
    if (!placed) return placed.fault();
    fresh.settings = settings;
    fresh.model = model;
    fresh.shape = s.shapes.acquire(model);
    fresh.alive = true;
    if (again) {
        s.free.pop_back();
        fresh.stale = s.objects[slot].stale;
        fresh.listed = s.objects[slot].listed;
        s.objects[slot] = std::move(fresh);
    } else {
        s.objects.push_back(std::move(fresh));
        s.states.emplace_back();
    }
    s.states[slot].generation = id.generation;
    s.states[slot].layers = settings.layers;
    s.states[slot].mask = settings.mask;
    s.model_changed(slot);
    ++s.count;
    return id;
}

Result<void> Scene::move(ObjectId object, const Affine& world_from_object) {
    const detail::DefaultFloats floats;
    SceneObject* const o = impl_->find(object);
    if (!o) return no_such(object);
    const Affine before = o->placed;
    if (before == world_from_object) return {};
    const auto placed = impl_->place(*o, object, world_from_object);
    if (placed) impl_->moved(object.slot, before);
    return placed;
}

Result<void> Scene::move(ObjectId object, const std::array<double, 12>& world_from_object) {
    const detail::DefaultFloats floats;
    if (!impl_->find(object)) return no_such(object);
    const auto placement = Affine::from_rows(world_from_object);
    if (!placement) return of_object(object, placement.fault());
    return move(object, *placement);
}

Result<Refit> Scene::refit(ObjectId object, const PointView& points, const RefitSettings& settings) {
    const detail::DefaultFloats floats;
    SceneObject* const o = impl_->find(object);
    if (!o) return no_such(object);
    auto done = o->model.refit(points, settings);
    if (!done) return of_object(object, done.fault());
    o->shape = impl_->shapes.refitted(o->shape, o->model);
    impl_->model_changed(object.slot);
    return done;
}

Result<Model> Scene::replace(ObjectId object, Model model) {
    const detail::DefaultFloats floats;
    SceneObject* const o = impl_->find(object);
    if (!o) return no_such(object);
    detail::ObjectShape* const shape = impl_->shapes.acquire(model);
    impl_->shapes.release(std::exchange(o->shape, shape));
    std::swap(o->model, model);
    impl_->model_changed(object.slot);
    return model;
}

Result<void> Scene::set_settings(ObjectId object, const ObjectSettings& settings) {
    SceneObject* const o = impl_->find(object);
    if (!o) return no_such(object);
    o->settings = settings;
    impl_->states[object.slot].layers = settings.layers;
    impl_->states[object.slot].mask = settings.mask;
    impl_->mark(object.slot);
    return {};
}

Result<void> Scene::remove(ObjectId object) {
    Impl& s = *impl_;
    SceneObject* const o = s.find(object);
    if (!o) return no_such(object);
    std::erase_if(s.ignored, [&](const auto& row) { return row.first.a == object || row.first.b == object; });
    o->alive = false;
    s.shapes.release(std::exchange(o->shape, nullptr));
    o->model = {};
    s.mark(object.slot);
    s.free.push_back(object.slot);
    --s.count;
    return {};
}

Result<void> Scene::ignore(ObjectId a, ObjectId b, std::string reason) {
    if (!contains(a)) return no_such(a);
    if (!contains(b)) return no_such(b);
    impl_->ignored[ordered(a, b)] = std::move(reason);
    return {};
}

Result<void> Scene::unignore(ObjectId a, ObjectId b) {
    if (!contains(a)) return no_such(a);
    if (!contains(b)) return no_such(b);
    impl_->ignored.erase(ordered(a, b));
    return {};
}

const std::string* Scene::ignored(ObjectId a, ObjectId b) const {
    const auto found = impl_->ignored.find(ordered(a, b));
    return found == impl_->ignored.end() ? nullptr : &found->second;
}

bool Scene::contains(ObjectId object) const { return impl_->find(object) != nullptr; }
std::size_t Scene::size() const { return impl_->count; }

Result<ObjectSettings> Scene::settings(ObjectId object) const {
    const SceneObject* const o = std::as_const(*impl_).find(object);
    if (!o) return no_such(object);
    return o->settings;
}
Result<Affine> Scene::placement(ObjectId object) const {
    const SceneObject* const o = std::as_const(*impl_).find(object);
    if (!o) return no_such(object);
    return o->placed;
}
Result<Model> Scene::model(ObjectId object) const {
    const SceneObject* const o = std::as_const(*impl_).find(object);
    if (!o) return no_such(object);
    return o->model;
}

const TouchingPairs& Scene::update() {
    const detail::DefaultFloats floats;
    Impl& s = *impl_;
    s.stats = {};
    s.changes.clear();

    const auto start = detail::SceneClock::now();
    s.stats.broad_phase.in = s.stale.size();
    s.update_boxes();
    const std::vector<detail::SlotPair>& candidates = s.broad->update(s.settings.threads);
    s.stats.broad_phase.out = candidates.size();
    s.match(candidates);
    s.stats.broad_phase.seconds = detail::seconds_since(start);

    s.decide();
    s.report();
    return s.touching;
}

const SceneStats& Scene::stats() const { return impl_->stats; }

std::size_t Scene::bytes() const {
    const Impl& s = *impl_;
    std::size_t sum =
        sizeof(Impl) + s.objects.capacity() * (sizeof(SceneObject) + sizeof(detail::ObjectState)) +
        (s.pairs.capacity() + s.next.capacity()) * sizeof(detail::TrackedPair) +
        s.undecided.capacity() * sizeof(detail::TrackedPair*) + s.changes.capacity() * sizeof(Impl::Change) +
        s.boxes.capacity() * (sizeof(detail::WorldBox) + sizeof(std::uint32_t)) + s.shapes.bytes() + s.broad->bytes();
    for (const detail::TrackedPair& p : s.pairs)
        if (p.front) sum += sizeof(Front) + p.front->bytes();
    return sum;
}

Result<std::vector<Contact>> Scene::contacts(ObjectId a, ObjectId b) {
    const detail::DefaultFloats floats;
    const SceneObject *const oa = impl_->find(a), *const ob = impl_->find(b);
    if (!oa) return no_such(a);
    if (!ob) return no_such(b);
    // Updates place the object in the higher slot relative to the one in the lower slot. Contacts must agree.
    const bool swap = b < a;
    const SceneObject &first = swap ? *ob : *oa, &second = swap ? *oa : *ob;
    auto scratch = impl_->pool.take();
    auto found = collide(first.model, second.model, *compose(first.inverse, second.placed), {.scratch = scratch.get()});
    impl_->pool.give(std::move(scratch));
    if (swap)
        for (Contact& c : found) c = {{c.triangles.b, c.triangles.a}, {c.polygons.b, c.polygons.a}};
    return found;
}

void Scene::on_touch(std::uint32_t a, std::uint32_t b, TouchCallback callback) {
    impl_->listeners.push_back({a, b, std::move(callback)});
}

}  // namespace graze
