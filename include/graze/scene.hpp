// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graze/distance.hpp"
#include "graze/query.hpp"
#include "graze/ray.hpp"

namespace graze {

/// How a scene finds the pairs of objects whose world boxes overlap.
enum class BroadPhaseKind : std::uint8_t {
    Auto,           ///< `Tree`, or `Sweep` in updates in which most objects move far: the default
    SweepAndPrune,  ///< three sorted lists of end points, kept from update to update (I-COLLIDE)
    Sweep,          ///< boxes sorted along one axis, anew in each update
    Tree,           ///< a tree of boxes, refitted in each update
};

/// How a scene makes the box of an object along the world's axes.
enum class ObjectBounds : std::uint8_t {
    OrientedBox,  ///< around the model's oriented bounding box: the quickest, and the default
    Hull,         ///< around the model's convex hull: the tightest (I-COLLIDE's dynamic bounding boxes)
    Cube,         ///< a cube that holds the object however it is turned: the largest (I-COLLIDE's fixed boxes)
};

/// Settings of a scene. None of them changes an answer. The defaults are the fastest by measurement in most scenes.
struct SceneSettings {
    unsigned threads = 0;  ///< number of threads of an update; 0 means one per core
    /// Whether pairs are first tested by their convex hulls. Pays where many parts lie close together without
    /// touching, update after update. `Scene::add` makes the hull of each new model.
    bool hulls = false;
    /// Whether pairs that move slowly keep a `Front`.
    bool fronts = false;
    BroadPhaseKind broad_phase = BroadPhaseKind::Auto;
    ObjectBounds bounds = ObjectBounds::OrientedBox;
};

/// Names an object of a scene. The id of a removed object is never used again.
struct ObjectId {
    std::uint32_t slot = ~std::uint32_t{0};
    std::uint32_t generation = 0;
    friend auto operator<=>(const ObjectId&, const ObjectId&) = default;
};

/// Settings of one object: which other objects it is tested against.
struct ObjectSettings {
    /// Two static objects are never tested against each other. Static objects may still be repositioned.
    bool is_static = false;
    std::uint64_t user_data = 0;             ///< any number of the caller's; the scene does not use it
    std::uint32_t layers = 1;                ///< bit set of the layers that the object is on
    std::uint32_t mask = ~std::uint32_t{0};  ///< bit set of the layers that it may touch; both objects must agree
};

/// Two objects. The one in the lower slot comes first.
struct ObjectPair {
    ObjectId a, b;
    friend auto operator<=>(const ObjectPair&, const ObjectPair&) = default;
};

/// An object that a ray hits, and where.
struct SceneHit {
    ObjectId object;
    RayHit hit;
    friend bool operator==(const SceneHit&, const SceneHit&) = default;
};

/// An object near another one, and where the two are closest; triangles and points of the other one come first.
struct NearObject {
    ObjectId object;
    ClosestTriangles closest;
    friend bool operator==(const NearObject&, const NearObject&) = default;
};

/// The result of an update: the pairs of objects that touch now or touched before it. Each list is in ascending order.
struct TouchingPairs {
    std::vector<ObjectPair> begun;       ///< pairs that touch now and did not touch at the last update
    std::vector<ObjectPair> persisting;  ///< pairs that touch now and touched at the last update
    std::vector<ObjectPair> ended;       ///< pairs that touched at the last update and do not touch now
};

/// How an update found a touching pair.
enum class TouchEvent : std::uint8_t { Began, Persists, Ended };
/// A function that a scene calls for touching pairs. It must not throw.
using TouchCallback = std::function<void(const ObjectPair&, TouchEvent)>;

/// Counts and times of one update, by stages. A pair passes the stages in order, until one of them decides it.
struct SceneStats {
    /// One stage: how many went in, and how many pairs it let through to the next.
    struct Stage {
        std::uint64_t in = 0;   ///< pairs that went in; for the broad phase, objects that changed
        std::uint64_t out = 0;  ///< pairs that came out
        double seconds = 0;     ///< time of the stage, summed over all threads

        Stage& operator+=(const Stage& o) {
            in += o.in;
            out += o.out;
            seconds += o.seconds;
            return *this;
        }
    };
    Stage broad_phase;              ///< lets pairs through whose world boxes overlap
    Stage hulls;                    ///< lets pairs through whose convex hulls are not certainly apart
    Stage trees;                    ///< the exact query; the pairs that come out touch
    std::uint64_t unmoved = 0;      ///< pairs that kept their answer because neither object changed
    std::uint64_t still_apart = 0;  ///< pairs that moved less than the gap between their hulls was
    std::uint64_t hull_hits = 0;    ///< touching pairs that the exact predicate found at the hulls' closest features

    SceneStats& operator+=(const SceneStats& o) {
        broad_phase += o.broad_phase;
        hulls += o.hulls;
        trees += o.trees;
        unmoved += o.unmoved;
        still_apart += o.still_apart;
        hull_hits += o.hull_hits;
        return *this;
    }
};

/// Many objects, and which of them touch. Two objects touch exactly when `intersects(a, b, relative(world_from_a,
/// world_from_b))` says so, a being the one in the lower slot. Changes take effect at the next update. One thread may
/// use a scene at a time; an update itself runs on several.
class Scene {
public:
    /// The largest absolute value of an entry of a placement's 3×3 matrix, and of its inverse. Within it, the relative
    /// placement of any two objects exists.
    static constexpr double max_scale = 0x1p9;

    explicit Scene(const SceneSettings& settings = {});
    ~Scene();
    Scene(Scene&&) noexcept;
    Scene& operator=(Scene&&) noexcept;

    /// Adds an object. Objects that are copies of one model share its memory, so thousands of them cost one model.
    /// If `SceneSettings` ask for hulls, the first object of a model computes the model's convex hull. The hull goes
    /// with the last such object.
    Result<ObjectId> add(const Model& model, const Affine& world_from_object, const ObjectSettings& settings = {});
    /// Moves an object to a new placement.
    Result<void> move(ObjectId object, const Affine& world_from_object);
    /// Moves an object to a placement given as a 3×4 matrix, row by row. Numbers that are not finite are a fault,
    /// which names the object.
    Result<void> move(ObjectId object, const std::array<double, 12>& world_from_object);
    /// Deforms an object: moves points of its model as `Model::refit` does. Only this object changes. The scene refits
    /// its own model in place, so the cost of a step is that of the refit alone. The model is copied first while
    /// anything else holds it (another object of the scene, or a `Model` of the caller's); after that one copy the
    /// object owns its model, and later calls work in place again. A deformed object has no convex hull. After a fault
    /// nothing has changed.
    Result<Refit> refit(ObjectId object, const PointView& points, const RefitSettings& settings = {});
    /// Gives an object another model and returns the one that it had. A `Model` that the caller keeps after passing a
    /// copy of it costs a copy of the whole model at its next refit. To deform a model outside the scene without
    /// copies, keep two: refit the one at hand, `std::move` it into `replace`, and go on with the one returned.
    Result<Model> replace(ObjectId object, Model model);
    /// Changes the settings of an object.
    Result<void> set_settings(ObjectId object, const ObjectSettings& settings);
    /// Removes an object. Its touching pairs end at the next update.
    Result<void> remove(ObjectId object);

    /// Excludes a pair from all updates until `unignore`. A reason, if there is one, is kept for reports.
    Result<void> ignore(ObjectId a, ObjectId b, std::string reason = {});
    /// Includes an ignored pair again.
    Result<void> unignore(ObjectId a, ObjectId b);
    /// The reason why a pair is ignored, empty when none was given. Null for a pair that is not ignored.
    const std::string* ignored(ObjectId a, ObjectId b) const;

    /// True when the scene has this object.
    bool contains(ObjectId object) const;
    /// Number of objects.
    std::size_t size() const;
    Result<ObjectSettings> settings(ObjectId object) const;
    /// The placement world_from_object that was set last.
    Result<Affine> placement(ObjectId object) const;
    /// A copy of the object's model. It shares memory; while it lives, `refit` of the object copies the model.
    Result<Model> model(ObjectId object) const;

    /// Finds out which objects touch. The result is valid until the next update.
    const TouchingPairs& update();
    /// Counts and times of the last update.
    const SceneStats& stats() const;
    /// Memory in bytes that the scene holds besides the models, hulls included.
    std::size_t bytes() const;

    /// All contacts of two objects at their current placements, even if the pair is ignored or both are static. The
    /// triangles of a come first.
    Result<std::vector<Contact>> contacts(ObjectId a, ObjectId b);

    // Questions between updates. They see the current placements, also of pairs that are ignored and of static objects.
    // Only objects on one of the layers `mask` (a bit set) take part. The world boxes of all objects are looked at,
    // which takes a few nanoseconds each; the objects whose boxes qualify are asked.

    /// The object that a ray hits first, and the hit: of all objects the one whose hit has the least `t`, and among
    /// equals the one in the lowest slot. Nothing when none is hit.
    ///
    /// The ray is in the world. An object is asked as `graze::nearest_hit(model, ray)` with the ray's origin and
    /// direction mapped by the inverse of its placement, in double; `t` is the same in both frames. So which triangle
    /// of an object is hit is exact for the mapped ray, and hits of different objects are compared by their rounded
    /// `t`. A fault when a coordinate of origin or direction is beyond 2^900, or no coordinate of the direction reaches
    /// 2^-900.
    Result<std::optional<SceneHit>> nearest_hit(const Ray& ray, std::uint32_t mask = ~std::uint32_t{0});
    /// True when a ray hits an object. Stops at the first one found. A fault as for `nearest_hit`.
    Result<bool> any_hit(const Ray& ray, std::uint32_t mask = ~std::uint32_t{0});
    /// The objects of which a triangle overlaps a box in the world, in ascending order. Decided exactly for the
    /// triangles as the object's placement maps them into the world. An object wholly around the box does not overlap
    /// it.
    std::vector<ObjectId> overlapping(const Box& box, std::uint32_t mask = ~std::uint32_t{0});

    /// The least distance of two objects: `graze::distance` in the frame of the one in the lower slot if its placement
    /// is rigid, otherwise in that of the other one. A fault when neither placement is rigid, as distances in a scaled
    /// frame are not those in the world. The points are in the world, in double; the triangles of a come first.
    /// Infinite beyond `max_distance`.
    Result<ClosestTriangles> distance(ObjectId a, ObjectId b,
                                      double max_distance = std::numeric_limits<double>::infinity());
    /// The other objects no further from an object than `length`, the closest first and among equals in ascending
    /// order, each with its distance as above. At exactly that length they are included. A fault when an object that
    /// may be that near has no rigid placement, and the object itself has none either.
    Result<std::vector<NearObject>> objects_within(ObjectId object, double length,
                                                   std::uint32_t mask = ~std::uint32_t{0});

    /// Registers a function that is called at the end of each update, once for each pair of the result in which one
    /// object is on one of the layers `a` (a bit set) and the other on one of the layers `b`. Pairs come in ascending
    /// order; for each pair the functions are called in the order in which they were registered. A function may ask
    /// for contacts and change the scene; changes take effect at the next update.
    void on_touch(std::uint32_t a, std::uint32_t b, TouchCallback callback);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace graze
