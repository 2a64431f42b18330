// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graze/front.hpp"
#include "graze/hull.hpp"
#include "graze/scene.hpp"
#include "scene/broad_phase.hpp"
#include "scene/scene_shapes.hpp"

namespace graze::detail {

using SceneClock = std::chrono::steady_clock;
inline double seconds_since(SceneClock::time_point start) {
    return std::chrono::duration<double>(SceneClock::now() - start).count();
}

/// The fault of a question about an object that does not exist.
Fault no_such(ObjectId id);

struct SceneObject {
    ObjectSettings settings;
    Model model;
    ObjectShape* shape = nullptr;
    Affine placed;                            ///< world_from_object
    Affine inverse;                           ///< object_from_world
    double slack = 0;                         ///< see `slack_of` in scene_placement.cpp
    std::array<std::uint32_t, 6> extremes{};  ///< vertices of the hull, see `placed_box`
    bool alive = false;
    bool stale = false;   ///< the broad phase has an older box than that of the placement
    bool listed = false;  ///< the broad phase knows the slot
};

/// The part of an object that every pair reads. It is kept apart from the rest because pairs refer to objects all over
/// memory, and a `SceneObject` takes several cache lines.
struct ObjectState {
    std::uint32_t generation = 0;
    std::uint32_t version = 0;        ///< counts changes of model, placement and settings
    std::uint32_t model_version = 0;  ///< counts changes of the model
    std::uint32_t layers = 0, mask = 0;
    double odometer = 0;  ///< upper bound of the way of any point in the world, summed over all moves
    double size = 0;      ///< longest edge of the model's oriented box, in the world
};

/// The memory of a scene about two objects whose boxes overlap.
struct TrackedPair {
    ObjectPair id;
    /// The versions of both objects when the pair was decided last.
    std::uint32_t version[2] = {0, 0}, model_version[2] = {0, 0};
    std::uint32_t layers[2] = {0, 0};       ///< the objects' layers; callbacks need them even after a removal
    bool touched = false, touches = false;  ///< at the last update, and at this one
    std::uint8_t calm = 0;                  ///< number of updates in a row with a small motion
    double odometer = 0;                    ///< sum of both objects' odometers when the pair was decided last
    double due = -1;                        ///< the objects are apart while that sum is below this value
    FeaturePair features;                   ///< where the hulls were closest
    std::optional<TrianglePair> witness;    ///< two triangles that met
    std::unique_ptr<Front> front;

    SlotPair slots() const { return {id.a.slot, id.b.slot}; }
};

/// Working memory for queries, one `Scratch` for each thread that asks at the same time.
class ScratchPool {
public:
    std::unique_ptr<Scratch> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<Scratch>();
        auto last = std::move(free_.back());
        free_.pop_back();
        return last;
    }
    void give(std::unique_ptr<Scratch> scratch) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(scratch));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Scratch>> free_;
};

}  // namespace graze::detail

namespace graze {

struct Scene::Impl {
    explicit Impl(const SceneSettings& wanted)
        : settings(wanted),
          shapes(wanted.hulls || wanted.bounds == ObjectBounds::Hull),
          broad(detail::make_broad_phase(wanted.broad_phase)) {}

    SceneSettings settings;

    // Objects by slot.
    std::vector<detail::SceneObject> objects;
    std::vector<detail::ObjectState> states;
    std::vector<std::uint32_t> free, stale;  ///< slots
    std::size_t count = 0;
    detail::ShapeTable shapes;
    std::map<ObjectPair, std::string> ignored;

    // Pairs of objects, in ascending order.
    std::unique_ptr<detail::BroadPhase> broad;
    std::vector<detail::TrackedPair> pairs, next;
    std::vector<detail::TrackedPair*> undecided;  ///< pairs that this update has to decide

    // World boxes for questions between updates, by slot. A box is computed again when its object has another version.
    std::vector<detail::WorldBox> boxes;
    std::vector<std::uint32_t> box_versions;

    // Results.
    struct Change {
        ObjectPair id;
        TouchEvent event;
        std::uint32_t layers[2];
    };
    struct Listener {
        std::uint32_t a, b;  ///< layers
        TouchCallback callback;
    };
    std::vector<Change> changes;  ///< all pairs of `touching`
    std::vector<Listener> listeners;
    TouchingPairs touching;
    SceneStats stats;
    detail::ScratchPool pool;

    const detail::SceneObject* find(ObjectId id) const {
        if (id.slot >= objects.size()) return nullptr;
        const detail::SceneObject& o = objects[id.slot];
        return o.alive && states[id.slot].generation == id.generation ? &o : nullptr;
    }
    detail::SceneObject* find(ObjectId id) { return const_cast<detail::SceneObject*>(std::as_const(*this).find(id)); }

    // scene_placement.cpp
    /// Checks a placement and stores it.
    Result<void> place(detail::SceneObject& object, ObjectId id, const Affine& world_from_object);
    /// Marks an object as changed.
    void mark(std::uint32_t slot);
    /// To be called after the model of an object has changed.
    void model_changed(std::uint32_t slot);
    /// To be called after an object has moved from the placement `before`.
    void moved(std::uint32_t slot, const Affine& before);
    /// A box that holds the object as any query with a relative placement sees it.
    detail::WorldBox box_of(detail::SceneObject& object) const;
    /// Hands the boxes of changed objects to the broad phase.
    void update_boxes();

    // scene_queries.cpp
    /// Brings `boxes` up to date. Objects without triangles have boxes that hold nothing.
    void refresh_boxes();
    /// The slots of objects on these layers whose boxes a ray may hit, with the least t at which it may, in that order.
    std::vector<std::pair<double, std::uint32_t>> ahead(const Ray& ray, std::uint32_t mask);
    Result<ClosestTriangles> distance(std::uint32_t a, std::uint32_t b, double max_distance);

    // scene_pairs.cpp
    bool wanted(const detail::SlotPair& pair) const;
    /// Makes the list of pairs from the candidates of the broad phase. Keeps what is known of pairs that were there;
    /// touching pairs that are no candidates any more end.
    void match(const std::vector<detail::SlotPair>& candidates);
    /// Decides all pairs of which an object has changed.
    void decide();
    bool needs_decision(detail::TrackedPair& pair);
    void decide_block(detail::TrackedPair** begin, detail::TrackedPair** end, Scratch& scratch,
                      SceneStats& counted) const;
    bool decided_by_hulls(detail::TrackedPair& pair, const Affine& a_from_b, SceneStats& counted) const;
    bool meets(detail::TrackedPair& pair, const Affine& a_from_b, Scratch& scratch) const;
    void prefetch(const detail::TrackedPair& pair) const;

    // scene_events.cpp
    void add_ended(const detail::TrackedPair& pair);
    /// Fills `touching` and calls the listeners.
    void report();
};

}  // namespace graze
