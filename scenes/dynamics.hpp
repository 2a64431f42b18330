// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/placements.hpp"

namespace graze::scenes {

/// A small engine that makes motions and exercises collision queries: one moving body of mass 1
/// against one fixed environment, as in the OBBTree paper (section 7.2). Steps are of fixed length
/// and look at one instant: what moves further in a step than it is thick goes through. Both
/// surfaces must look outwards. No libm but square roots.
struct World {
    Model environment;
    Vec3 gravity;              ///< an acceleration, everywhere the same
    Vec3 centre;               ///< what `pull` draws to
    double pull = 0;           ///< acceleration towards the centre per distance from it, as inside an even ball
    double restitution = 0.5;  ///< of the normal velocity; contacts slower than four steps of falling do not bounce
    double friction = 0.3;     ///< Coulomb's, of the normal impulse
    double dt = 0.01;          ///< a step
};

/// Where the body is, by its centre of mass, and how it moves; all in the environment's frame.
struct Body {
    Vec3 position;
    Quaternion rotation{0, 0, 0, 1};
    Vec3 velocity;
    Vec3 spin;  ///< radians per time
};

/// Of the triangles' surface, evenly thin, as a mass of 1.
struct Mass {
    Vec3 centre;
    Mat3 inertia;  ///< about the centre
};
/// Lines and points weigh nothing; a body of no area gets its ball's centre and inertia.
Mass surface_mass(const Model& model);

/// A hash of a path. Paths come out the same in every build with contraction off, so it may be
/// compared with a constant.
std::uint64_t fingerprint(std::span<const Pose> path);

struct SimulationStats {
    std::uint64_t frames = 0;
    std::uint64_t touching = 0;  ///< frames with contacts
    std::uint64_t contacts = 0;  ///< pairs of triangles, all frames together
};

class Simulation {
public:
    /// `start.position` is where the body's centre of mass is.
    Simulation(const Model& body, const World& world, const Body& start);

    World world;  ///< may be changed between steps
    Body state;   ///< may be changed between steps

    /// `environment_from_body` for the body as it was built.
    Pose pose() const;
    /// Kinetic and potential. Neither contacts nor turning freely add kinetic energy. Being pushed
    /// out of what it has sunk into may lift the body, at the cost of its motion where it has any.
    double energy() const;
    /// Finds the contacts of `pose()`, applies impulses and moves on by dt.
    void step();
    /// `steps` of them; the poses whose contacts were found, in order.
    std::vector<Pose> run(std::size_t steps);

    const Mass& mass() const { return mass_; }
    /// Those found by the last step, sorted.
    const std::vector<Contact>& contacts() const { return contacts_; }
    const SimulationStats& stats() const { return stats_; }

private:
    /// A pair of triangles that meet: where, the direction that parts them, how far they must go.
    struct Meet {
        Vec3 from, to;  ///< ends of the segment in common, around the body counter-clockwise seen from outside
        Vec3 point, normal;
        double depth = 0;
        std::uint32_t group = 0;  ///< the first of those that share triangles, directly or through others
        double target = 0;        ///< normal velocity wanted
        double pressed = 0;       ///< sum of its normal impulses
        Vec3 rubbed;              ///< sum of its friction impulses
    };

    /// Those that share triangles, kept at the index of the first.
    struct Group {
        Vec3 area;        ///< that the segments go round, doubled
        double size = 0;  ///< sum of their shares' lengths
        Vec3 points;      ///< sum
        int count = 0;
        bool joined = false;  ///< all have the normal of `area`
        Vec3 arm;             ///< to the middle of the points
        double target = 0;
        double pressed = 0;  ///< what each has of the group's impulse
    };

    Meet meet_of(const TrianglePair& pair, const Pose& pose) const;
    Vec3 acceleration() const;
    double kinetic() const;
    Vec3 velocity_at(const Vec3& arm) const;
    void apply(const Vec3& impulse, const Vec3& arm);
    double softness(const Vec3& direction, const Vec3& arm) const;
    void find_meets(const Pose& pose);
    void join_normals();
    void solve();
    void part();
    void slow_down(double share);
    void turn();

    Model body_;
    Mass mass_;
    Mat3 inverse_;  ///< of the inertia, in the body's axes
    double radius_ = 0;
    Mat3 axes_, inverse_here_;  ///< rotation and inverse inertia of the current step, in the environment's frame
    std::vector<Contact> contacts_;
    std::vector<Meet> meets_;
    std::vector<Group> groups_;
    Scratch scratch_;
    SimulationStats stats_;
};

}  // namespace graze::scenes
