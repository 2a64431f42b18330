// SPDX-License-Identifier: Apache-2.0
// How an update decides which pairs of objects touch: hulls first, then trees.
#include <algorithm>
#include <cassert>

#include "base/parallel.hpp"
#include "front/front.hpp"
#include "front/motion.hpp"
#include "hull/closest_features_red.hpp"
#include "model/access.hpp"
#include "scene/scene_impl.hpp"
#include "wide_walk/run.hpp"

namespace graze {

using detail::ObjectState;
using detail::SceneObject;
using detail::TrackedPair;

namespace {

constexpr std::size_t block = 64;      ///< pairs that a thread takes at a time
constexpr std::uint8_t calm_from = 3;  ///< small motions in a row from which on a front pays

}  // namespace

bool Scene::Impl::wanted(const detail::SlotPair& pair) const {
    const ObjectState &a = states[pair.a], &b = states[pair.b];
    if (!(a.layers & b.mask) || !(b.layers & a.mask)) return false;
    return ignored.empty() || !ignored.contains({{pair.a, a.generation}, {pair.b, b.generation}});
}

void Scene::Impl::match(const std::vector<detail::SlotPair>& candidates) {
    next.clear();
    std::size_t old = 0;
    const auto leave = [&](const TrackedPair& p) {
        if (p.touches) add_ended(p);
    };
    for (const detail::SlotPair& c : candidates) {
        while (old < pairs.size() && pairs[old].slots() < c) leave(pairs[old++]);
        const ObjectPair id{{c.a, states[c.a].generation}, {c.b, states[c.b].generation}};
        const bool in_slots = old < pairs.size() && pairs[old].slots() == c;
        const bool known = in_slots && pairs[old].id == id, stays = wanted(c);
        if (stays && known)
            next.push_back(std::move(pairs[old]));
        else if (stays)
            next.emplace_back().id = id;
        if (in_slots && !(stays && known)) leave(pairs[old]);
        old += in_slots;
    }
    while (old < pairs.size()) leave(pairs[old++]);
    pairs.swap(next);
}

/// Brings what the pair remembers up to date. False if the last answer still holds.
bool Scene::Impl::needs_decision(TrackedPair& p) {
    const ObjectState &a = states[p.id.a.slot], &b = states[p.id.b.slot];
    p.touched = p.touches;
    p.layers[0] = a.layers;
    p.layers[1] = b.layers;
    if (p.version[0] == a.version && p.version[1] == b.version) {
        ++stats.unmoved;
        return false;
    }
    p.version[0] = a.version;
    p.version[1] = b.version;
    if (p.model_version[0] != a.model_version || p.model_version[1] != b.model_version) {
        p = TrackedPair{.id = p.id,
                        .version = {a.version, b.version},
                        .model_version = {a.model_version, b.model_version},
                        .layers = {a.layers, b.layers},
                        .touched = p.touched,
                        .touches = p.touches};
    }
    const double odometer = a.odometer + b.odometer;
    if (odometer < p.due) {
        ++stats.still_apart;
        return false;
    }
    // A motion is small if it is so for the smaller object.
    const double motion = odometer - p.odometer;
    p.calm = motion < 0.01 * std::min(a.size, b.size) ? static_cast<std::uint8_t>(std::min(p.calm + 1, 100)) : 0;
    p.odometer = odometer;
    return true;
}

void Scene::Impl::decide() {
    undecided.clear();
    for (TrackedPair& p : pairs)
        if (needs_decision(p)) undecided.push_back(&p);
    std::vector<SceneStats> counted((undecided.size() + block - 1) / block);
    detail::parallel_for(counted.size(), settings.threads, [&](std::size_t i) {
        auto scratch = pool.take();
        TrackedPair** const begin = undecided.data() + i * block;
        decide_block(begin, undecided.data() + std::min(undecided.size(), (i + 1) * block), *scratch, counted[i]);
        pool.give(std::move(scratch));
    });
    for (const SceneStats& c : counted) stats += c;
}

void Scene::Impl::prefetch(const TrackedPair& pair) const {
    for (const std::uint32_t slot : {pair.id.a.slot, pair.id.b.slot}) {
        const auto* at = reinterpret_cast<const char*>(&objects[slot]);
        for (std::size_t i = 0; i < sizeof(SceneObject); i += 64) __builtin_prefetch(at + i);
    }
}

/// All pairs of a block pass one stage before the next begins, so that timing a stage takes two looks at the clock.
void Scene::Impl::decide_block(TrackedPair** begin, TrackedPair** end, Scratch& scratch, SceneStats& counted) const {
    std::array<Affine, block> placements;
    std::array<TrackedPair*, block> left;
    std::size_t n = 0;
    auto start = detail::SceneClock::now();
    for (TrackedPair** p = begin; p != end; ++p) {
        if (p + 12 < end) __builtin_prefetch(p[12]);
        if (p + 6 < end) prefetch(*p[6]);
        TrackedPair& pair = **p;
        const auto a_from_b = compose(objects[pair.id.a.slot].inverse, objects[pair.id.b.slot].placed);
        assert(a_from_b);
        pair.touches = false;
        if (decided_by_hulls(pair, *a_from_b, counted)) continue;
        placements[n] = *a_from_b;
        left[n++] = &pair;
    }
    counted.hulls.seconds = detail::seconds_since(start);
    start = detail::SceneClock::now();
    for (std::size_t i = 0; i < n; ++i) {
        left[i]->touches = meets(*left[i], placements[i], scratch);
        counted.trees.out += left[i]->touches;
    }
    counted.trees.in = n;
    counted.trees.seconds = detail::seconds_since(start);
}

/// The stage of the convex hulls. False if they leave the question open; otherwise `touches` has the answer.
bool Scene::Impl::decided_by_hulls(TrackedPair& pair, const Affine& a_from_b, SceneStats& counted) const {
    const SceneObject &a = objects[pair.id.a.slot], &b = objects[pair.id.b.slot];
    if (!settings.hulls || a.shape->hull.dimension() < 0 || b.shape->hull.dimension() < 0) return false;
    ++counted.hulls.in;
    const ClosestFeatures closest = closest_features(a.shape->hull, b.shape->hull, a_from_b, &pair.features);
    if (closest.separation > 0) {
        // The separation is in the frame of a. In the world it is no less than that over the norm of a's inverse.
        const double gap = closest.separation / detail::spectral_bound(a.inverse.linear());
        pair.due = pair.odometer + gap * (1 - 0x1p-20) - 2 * (a.slack + b.slack) - 0x1p-50 * pair.odometer;
        return true;
    }
    ++counted.hulls.out;
    if (pair.witness || !a.shape->red || !b.shape->red) return false;
    pair.witness = detail::red_overlap(a.shape->hull, a.model, b.shape->hull, b.model, a_from_b, pair.features);
    pair.touches = pair.witness.has_value();
    counted.hull_hits += pair.touches;
    return pair.touches;
}

/// The exact stage. Only a pair that moves slowly has a front: for others it would be filled in vain. Those try the
/// two triangles that met last before they walk the trees.
bool Scene::Impl::meets(TrackedPair& pair, const Affine& a_from_b, Scratch& scratch) const {
    const SceneObject &a = objects[pair.id.a.slot], &b = objects[pair.id.b.slot];
    if (settings.fronts && pair.calm >= calm_from) {
        if (!pair.front) pair.front = std::make_unique<Front>(FrontSettings{.max_bytes = std::size_t{1} << 18});
        return intersects(a.model, b.model, a_from_b, {.scratch = &scratch, .front = pair.front.get()});
    }
    pair.front.reset();
    QueryStats unused;
    detail::Search search{detail::Access::data(a.model), detail::Access::data(b.model), a_from_b, {}, true, 0};
    if (pair.witness && detail::still_meets(search, *pair.witness, unused)) return true;
    pair.witness.reset();
    search.sink = {nullptr,
                   [](void* witness, const Contact& contact) {
                       *static_cast<std::optional<TrianglePair>*>(witness) = contact.triangles;
                       return Step::Stop;
                   },
                   &pair.witness};
    detail::run(search, detail::Access::impl(scratch), unused);
    return pair.witness.has_value();
}

}  // namespace graze
