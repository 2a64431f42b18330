// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Choices that experiments compare. The defaults are the fastest by measurement, and no choice changes an answer, so
/// programs that only want answers need nothing from here.
namespace graze::study {

/// How a scene finds the pairs of objects whose world boxes overlap.
enum class BroadPhase : std::uint8_t {
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

/// How a scene works inside. Pass a pointer to one in `graze::SceneSettings::study`.
struct SceneSettings {
    BroadPhase broad_phase = BroadPhase::Auto;
    ObjectBounds bounds = ObjectBounds::OrientedBox;
    /// Whether pairs are first tested by their convex hulls. `Scene::add` makes the hull of each new model, which
    /// costs more than it saves in a scene that is updated once only.
    bool hulls = true;
    /// Whether pairs that move slowly keep a `Front`.
    bool fronts = true;
};

}  // namespace graze::study
