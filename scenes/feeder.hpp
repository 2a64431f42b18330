// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graze/scene.hpp"
#include "scenes/crowd.hpp"
#include "scenes/meets.hpp"
#include "scenes/rigid.hpp"

namespace graze::scenes {

/// Lengths in radii of a part; a part falls by ½ in the first unit of time.
struct FeederSettings {
    std::size_t count = 300;
    std::uint32_t triangles = 1000;  ///< a part, about
    double stroke = 0.03;            ///< the bowl's vibration up and down; as far at its wall around the axis
    double frequency = 2;            ///< vibrations per time
    double restitution = 0.2;        ///< factor on the normal velocity; slow contacts do not bounce
    double friction = 0.3;           ///< Coulomb's, of the normal impulse
    double dt = 0.02;                ///< a step
    std::uint64_t seed = 1;
    SceneSettings scene{.threads = 1, .hulls = true, .fronts = true};  ///< hulls pay: most parts only lie close
};

/// A parts feeder: `parts` fall into a bowl that vibrates along a screw, pile up and wander. A small engine of many
/// bodies that exercises `Scene`: impulses at the contacts that it finds, one for each place where two parts meet.
/// Comes out the same whatever the scene's settings; no libm but square roots.
class Feeder {
public:
    explicit Feeder(const FeederSettings& settings = {});

    /// Finds the contacts, applies impulses and moves on by dt.
    void step();

    /// The bowl comes last, so that a part is model A where it meets the bowl.
    const Objects& objects() const { return objects_; }
    const Scene& scene() const { return scene_; }
    const std::vector<Rigid>& parts() const { return parts_; }
    /// Whether the part is inside the bowl, rim included.
    bool holds(const Rigid& part) const;
    /// Pairs of triangles that met in the last step.
    std::size_t contacts() const { return contacts_; }

private:
    /// Where two bodies meet. The normal parts them: B goes along it.
    struct Push {
        std::uint32_t a, b;
        Vec3 point, normal;
        double depth;
        double target = 0, pressed = 0;
        Vec3 rubbed;
    };

    bool is_bowl(std::uint32_t body) const { return body == parts_.size(); }
    Pose bowl_pose() const;
    Vec3 velocity_at(std::uint32_t body, const Vec3& point) const;
    void apply(std::uint32_t body, const Vec3& impulse, const Vec3& point);
    double softness(const Push& push, const Vec3& direction) const;
    Vec3 approach(const Push& push) const { return velocity_at(push.b, push.point) - velocity_at(push.a, push.point); }
    void find_pushes();
    void solve();
    void part();

    FeederSettings settings_;
    Objects objects_;
    std::vector<Model> models_;
    double radius_ = 0, rim_ = 0;  ///< the bowl's inner radius, and its height
    std::vector<Rigid> parts_;
    Scene scene_;
    std::vector<ObjectId> ids_;
    std::vector<Push> pushes_;
    std::size_t contacts_ = 0, steps_ = 0;
    Meets meets_;
};

}  // namespace graze::scenes
