// SPDX-License-Identifier: Apache-2.0
// The report of an update to the caller: the lists of touching pairs, and calls of the registered functions.
#include <algorithm>

#include "scene/scene_impl.hpp"

namespace graze {

void Scene::Impl::add_ended(const detail::TrackedPair& pair) {
    changes.push_back({pair.id, TouchEvent::Ended, {pair.layers[0], pair.layers[1]}});
}

void Scene::Impl::report() {
    for (const detail::TrackedPair& p : pairs) {
        if (p.touches)
            changes.push_back({p.id, p.touched ? TouchEvent::Persists : TouchEvent::Began, {p.layers[0], p.layers[1]}});
        else if (p.touched)
            add_ended(p);
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.id < b.id; });
    std::vector<ObjectPair>* const lists[] = {&touching.begun, &touching.persisting, &touching.ended};
    for (auto* list : lists) list->clear();
    for (const Change& c : changes) lists[static_cast<int>(c.event)]->push_back(c.id);
    // A callback may register more callbacks, so no reference into `listeners` is kept across a call.
    for (const Change& c : changes)
        for (std::size_t i = 0; i < listeners.size(); ++i) {
            const std::uint32_t a = listeners[i].a, b = listeners[i].b;
            if ((c.layers[0] & a && c.layers[1] & b) || (c.layers[0] & b && c.layers[1] & a)) {
                const TouchCallback callback = listeners[i].callback;
                callback(c.id, c.event);
            }
        }
}

}  // namespace graze
