// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/meets.hpp"
#include "scenes/rigid.hpp"

namespace graze::scenes {

/// A small engine that makes motions and exercises collision queries: one moving body of mass 1
/// against one fixed environment, as in the OBBTree paper (section 7.2). Steps are of fixed length
/// and look at one instant: what moves further in a step than it is thick goes through. Both
/// surfaces must look outwards. No libm but square roots.
struct World {
    Model environment;
    Vec3 gravity;     ///< an acceleration, everywhere the same
    Vec3 centre;      ///< the point to which `pull` draws
    double pull = 0;  ///< acceleration towards the centre per distance from it, as inside an even ball
    double restitution =
        0.5;                ///< factor on the normal velocity; contacts slower than four steps of falling do not bounce
    double friction = 0.3;  ///< Coulomb's, of the normal impulse
    double dt = 0.01;       ///< a step
};

/// A hash of a path. Paths come out the same in every build with contraction off, so it may be
/// compared with a constant.
std::uint64_t fingerprint(std::span<const Pose> path);

struct SimulationStats {
    std::uint64_t frames = 0;
    std::uint64_t touching = 0;  ///< frames with contacts
    std::uint64_t contacts = 0;  ///< pairs of triangles, all frames together
};

class Simulation : public Rigid {
public:
    /// `start.position` is where the body's centre of mass is.
    Simulation(const Model& body, const World& world, const Body& start);

    World world;  ///< may be changed between steps

    /// Kinetic and potential. Neither contacts nor turning freely add kinetic energy. Being pushed
    /// out of what it has sunk into may lift the body, at the cost of its motion where it has any.
    double energy() const;
    /// Finds the contacts of `pose()`, applies impulses and moves on by dt.
    void step();
    /// `steps` of them; the poses whose contacts were found, in order.
    std::vector<Pose> run(std::size_t steps);

    /// Those found by the last step, sorted.
    const std::vector<Contact>& contacts() const { return contacts_; }
    const SimulationStats& stats() const { return stats_; }

private:
    Vec3 acceleration() const;
    void solve();
    void part();

    Model body_;
    std::vector<Contact> contacts_;
    Meets meets_;
    Scratch scratch_;
    SimulationStats stats_;
};

}  // namespace graze::scenes
