// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scenes/placements.hpp"

namespace graze::scenes {

/// Where a body is, by its centre of mass, and how it moves; all in the world's frame.
struct Body {
    Vec3 position;
    Quaternion rotation{0, 0, 0, 1};
    Vec3 velocity;
    Vec3 spin;  ///< radians per time
};

/// Centre and inertia of a unit mass spread evenly over the triangles' surface.
struct Mass {
    Vec3 centre;
    Mat3 inertia;  ///< about the centre
};
/// Lines and points weigh nothing; a body of no area gets its ball's centre and inertia.
Mass surface_mass(const Model& model);

/// `q` turned on by the angle whose half is the length of `half`, about its direction: q + half·q, normalised, which is
/// short of the angle by two thirds of the half's cube. Square roots only.
Quaternion turned_by(const Vec3& half, const Quaternion& q);

/// A body of mass 1 in motion: what engines do to it.
class Rigid {
public:
    /// `start.position` is where the centre of mass is.
    Rigid(const Model& model, const Body& start);

    Body state;  ///< may be changed between steps

    /// `world_from_body` for the body as it was built.
    Pose pose() const;
    const Mass& mass() const { return mass_; }
    double radius() const { return radius_; }
    double kinetic() const;

    /// Before impulses of a step: looks at the rotation.
    void begin_step();
    Vec3 velocity_at(const Vec3& arm) const { return state.velocity + cross(state.spin, arm); }
    void apply(const Vec3& impulse, const Vec3& arm);
    /// The velocity along a direction that a unit impulse along it gives the point.
    double softness(const Vec3& direction, const Vec3& arm) const;
    void slow_down(double share);
    /// By the spin, and the spin such that the angular momentum stays. Energy that discrete steps would gain is taken
    /// out.
    void turn(double dt);

private:
    Mass mass_;
    Mat3 inverse_;  ///< inverse of the inertia, in the body's axes
    double radius_ = 0;
    Mat3 axes_, inverse_here_;  ///< rotation and inverse inertia of the current step, in the world's frame
};

}  // namespace graze::scenes
