// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graze/query.hpp"

namespace graze {

/// How a scene finds the pairs of objects whose boxes overlap. All find the same.
enum class Broad : std::uint8_t {
    Auto,   ///< the fastest by measurement for what the scene holds
    Lists,  ///< three sorted lists of end points, kept from update to update (I-COLLIDE's sweep and prune)
    Sweep,  ///< sorted along one axis anew at each update
    Tree,   ///< a tree of boxes that changes with them
};

/// The box of an object along the world's axes.
enum class Boxes : std::uint8_t {
    Oriented,  ///< around the model's oriented box: the quickest
    Dynamic,   ///< around its hull, from the last extreme corners (I-COLLIDE): the tightest
    Fixed,     ///< a cube that holds the object however it is turned: the largest
};

/// How a scene works; none of it changes an answer.
struct SceneSettings {
    Broad broad = Broad::Auto;
    Boxes boxes = Boxes::Oriented;
    bool hulls = true;     ///< whether pairs go through the convex stage
    bool fronts = true;    ///< whether pairs that go on to the trees keep a `Front`
    unsigned threads = 0;  ///< of an update; 0: as many as the machine has
};

/// An object's name. Those of removed objects are never given again.
struct ObjectId {
    std::uint32_t slot = ~std::uint32_t{0};
    std::uint32_t generation = 0;
    friend auto operator<=>(const ObjectId&, const ObjectId&) = default;
};

/// What an object meets.
struct ObjectSettings {
    bool moving = true;                      ///< two standing objects are no pair, though they may be moved
    std::uint64_t user = 0;                  ///< the caller's own
    std::uint32_t layers = 1;                ///< bits: the layers that it is on
    std::uint32_t mask = ~std::uint32_t{0};  ///< bits: the layers that it meets; both objects must agree
};

/// Two objects, the one in the lower slot first.
struct ObjectPair {
    ObjectId a, b;
    friend auto operator<=>(const ObjectPair&, const ObjectPair&) = default;
};

/// Pairs that touch, or did at the last update, in ascending order.
struct Touching {
    std::vector<ObjectPair> begun, persisting, ended;
};

/// What the last update did, by stages. A pair that comes out of the last one touches.
struct SceneStats {
    /// What went in, what came out.
    struct Stage {
        std::uint64_t in = 0;   ///< objects that moved; pairs
        std::uint64_t out = 0;  ///< pairs
        double seconds = 0;     ///< of all threads together

        Stage& operator+=(const Stage& o) {
            in += o.in;
            out += o.out;
            seconds += o.seconds;
            return *this;
        }
    };
    Stage broad;  ///< boxes that overlap
    Stage hulls;  ///< hulls that are not certainly apart
    Stage trees;
    std::uint64_t unmoved = 0;  ///< pairs of which neither moved: the answer stands
    std::uint64_t kept = 0;     ///< pairs that cannot have come together since their hulls were found apart
    std::uint64_t red = 0;      ///< pairs that touch with features of their hulls: no tree was asked

    SceneStats& operator+=(const SceneStats& o) {
        broad += o.broad;
        hulls += o.hulls;
        trees += o.trees;
        unmoved += o.unmoved;
        kept += o.kept;
        red += o.red;
        return *this;
    }
};

/// Many objects, and which of them touch: exactly those pairs for which `intersects(a, b, relative(world_from_a,
/// world_from_b))` says so, a being the one in the lower slot. Changes take effect at the next update. Used by one
/// thread at a time; an update runs on many.
class Scene {
public:
    /// Largest entry of a placement's matrix, and of its inverse: relative placements then always exist.
    static constexpr double max_scale = 0x1p9;

    explicit Scene(const SceneSettings& settings = {});
    ~Scene();
    Scene(Scene&&) noexcept;
    Scene& operator=(Scene&&) noexcept;

    /// Copies of one model share its memory, so thousands of them cost one.
    Result<ObjectId> add(const Model& model, const Affine& world_from_object, const ObjectSettings& settings = {});
    /// Places it anew.
    Result<Done> move(ObjectId object, const Affine& world_from_object);
    /// A 3×4 matrix by rows, as it comes; the fault names the object.
    Result<Done> move(ObjectId object, const std::array<double, 12>& world_from_object);
    /// Another model, or the same one after a refit.
    Result<Done> replace(ObjectId object, const Model& model);
    /// Other settings.
    Result<Done> set(ObjectId object, const ObjectSettings& settings);
    /// Its pairs end at the next update.
    Result<Done> remove(ObjectId object);

    /// Leaves a pair out from now on. The reason is for the reader of reports; `ignored` returns it, or nothing.
    Result<Done> ignore(ObjectId a, ObjectId b, std::string reason);
    /// Takes it in again.
    Result<Done> attend(ObjectId a, ObjectId b);
    /// The reason; null for a pair that counts.
    const std::string* ignored(ObjectId a, ObjectId b) const;

    /// As last set, before the next update as well.
    bool contains(ObjectId object) const;
    std::size_t size() const;
    Result<ObjectSettings> settings(ObjectId object) const;
    Result<Affine> placement(ObjectId object) const;
    Result<Model> model(ObjectId object) const;

    /// Finds out which objects touch. What it returns lives until the next one.
    const Touching& update();
    /// Of the last update.
    const SceneStats& stats() const;
    /// Memory of the scene, without that of the models.
    std::size_t bytes() const;

    /// The contacts of two objects as they are placed now, whether they are a pair or not. Triangles of a come first.
    Result<std::vector<Contact>> contacts(ObjectId a, ObjectId b);

    /// What became of a pair in an update.
    enum class Touch : std::uint8_t { Began, Persists, Ended };
    /// A function of the caller's; it must not throw.
    using Response = std::function<void(const ObjectPair&, Touch)>;
    /// Calls `response` at the end of each update for each pair of which one object is on one of the layers `a` and the
    /// other on one of `b` (bits), in ascending order of pairs. Several responses may take a pair: first come, first
    /// called. They may ask the scene for contacts, and change it for the next update.
    void respond(std::uint32_t a, std::uint32_t b, Response response);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace graze
