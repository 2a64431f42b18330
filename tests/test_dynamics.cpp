// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graze/study.hpp"
#include "scenes/dynamics.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"

namespace graze::scenes {
namespace {

Model build(const Soup& soup, const study::TreeSettings& settings = {}) {
    Result<Model> model = study::build(soup, settings);
    EXPECT_TRUE(model.ok());
    return *model;
}

/// z = 0 over [-50, 50]², looking up.
Soup plane() {
    Soup s{{{-50, -50, 0}, {50, -50, 0}, {50, 50, 0}, {-50, 50, 0}}, {}};
    s.add_quad(0, 1, 2, 3);
    return s;
}

/// The inside of a box.
Soup room(double half) {
    Soup s = box({half, half, half});
    for (std::size_t i = 0; i < s.corners.size(); i += 3) std::swap(s.corners[i], s.corners[i + 1]);
    return s;
}

World on_plane(double dt) {
    World world;
    world.environment = build(plane());
    world.gravity = {0, 0, -1};
    world.dt = dt;
    return world;
}

double lowest(const Soup& soup, const Pose& pose) {
    double z = 1e300;
    for (const Vec3& p : soup.points) z = std::min(z, pose(p).z);
    return z;
}

TEST(Dynamics, MassOfKnownShapes) {
    const Mass ball = surface_mass(build(transformed(sphere(32'000, 2), *Pose::from_matrix({}, {1, 2, 3}))));
    for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(ball.centre[i], i + 1, 1e-9);
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(ball.inertia.row[i][j], i == j ? 2.0 / 3 * 4 : 0, 0.02);
    }
    // Faces at ±1 of a cube of edge 2: ∫x² is (2·4·1 + 4·4/3) / 24 of the mass, twice that about an axis.
    const Mass cube = surface_mass(build(box()));
    EXPECT_NEAR(cube.inertia.row[0].x, 2 * (8 + 16.0 / 3) / 24, 3e-3);
    // No area, and nothing at all.
    const Soup line{{{0, 0, 0}, {2, 0, 0}}, {0, 1, 1}};
    EXPECT_EQ(surface_mass(build(line)).centre, (Vec3{1, 0, 0}));
    EXPECT_GT(surface_mass(Model()).inertia.row[0].x, 0);
}

TEST(Dynamics, FallsFreely) {
    World world = on_plane(0.001);
    world.environment = Model();
    Simulation s(build(box({0.3, 0.2, 0.1})), world, {{0, 0, 5}, {0, 0, 0, 1}, {1, 0, 0}, {0.3, 2, 0.1}});
    const double before = s.energy();
    s.run(2000);
    EXPECT_NEAR(s.state.position.x, 2, 1e-9);
    EXPECT_NEAR(s.state.position.z, 5 - 2, 0.01);
    EXPECT_NEAR(s.energy(), before, 0.01 * before);
    EXPECT_EQ(s.stats().touching, 0u);
    EXPECT_EQ(s.stats().frames, 2000u);
}

TEST(Dynamics, DrawnToTheCentreItSwings) {
    World world;
    world.pull = 1;
    world.dt = 0.001;
    Simulation s(build(box()), world, {{2, 0, 0}});
    s.run(3142);  // half a period
    EXPECT_NEAR(s.state.position.x, -2, 0.01);
}

TEST(Dynamics, BallBouncesToRestitutionSquared) {
    for (const double restitution : {0.9, 0.6, 0.3}) {
        World world = on_plane(0.002);
        world.restitution = restitution;
        Simulation s(build(sphere(1280, 0.2)), world, {{0, 0, 1.2}});
        bool hit = false;
        double peak = 0;
        // Down in √2, up again in as much times the restitution.
        for (int i = 0; i < 700 + static_cast<int>(1400 * restitution); ++i) {
            s.step();
            hit = hit || !s.contacts().empty();
            if (hit && s.state.velocity.z > 0) peak = std::max(peak, s.state.position.z - 0.2);
        }
        EXPECT_NEAR(peak, restitution * restitution, 0.05 * restitution * restitution) << restitution;
    }
}

TEST(Dynamics, FrictionSlowsSliding) {
    for (const double friction : {0.0, 0.2, 0.4}) {
        World world = on_plane(0.005);
        world.friction = friction;
        Simulation s(build(box({0.5, 0.5, 0.1})), world, {{0, 0, 0.0999}, {0, 0, 0, 1}, {1, 0, 0}});
        s.run(200);
        EXPECT_NEAR(s.state.velocity.x, 1 - friction, 0.06) << friction;
        s.run(800);
        EXPECT_NEAR(s.state.velocity.x, friction > 0 ? 0 : 1, 0.02) << friction;
    }
}

TEST(Dynamics, ComesToRestAndDoesNotSinkIn) {
    const Soup soup = box({0.3, 0.2, 0.1});
    Simulation s(build(soup), on_plane(0.01), {{0, 0, 1}, {0.3, 0.2, 0.1, 0.9}, {0.2, 0, 0}, {1, 2, 0}});
    const double start = s.energy();
    double deepest = 0;
    for (int i = 0; i < 3000; ++i) {
        s.step();
        deepest = std::min(deepest, lowest(soup, s.pose()));
        ASSERT_LE(s.energy(), start * 1.01) << i;
    }
    EXPECT_GT(deepest, -0.03);
    EXPECT_LT(length(s.state.velocity), 0.05);
    EXPECT_GT(lowest(soup, s.pose()), -0.01);
    const double z = s.state.position.z;  // on one of its faces
    EXPECT_LT(std::min({std::abs(z - 0.1), std::abs(z - 0.2), std::abs(z - 0.3)}), 0.01);
}

TEST(Dynamics, WhatIsStuckInIsPushedOut) {
    const Soup needle = box({0.02, 0.02, 0.5});
    Simulation s(build(needle), on_plane(0.01), {{0, 0, 0.3}});
    s.world.gravity = {};
    s.run(2000);
    EXPECT_GT(lowest(needle, s.pose()), -1e-3);
    EXPECT_LT(length(s.state.velocity), 1e-9);
}

TEST(Dynamics, StaysInItsRoomAndGainsNoEnergy) {
    World world;
    world.environment = build(room(1));
    world.gravity = {0.1, 0.2, -1};
    world.restitution = 1;
    world.friction = 0;
    world.dt = 0.005;
    const Soup body = torus(0.3, 0.1, 12, 8);
    Simulation s(build(body), world, {{0, 0, 0}, {0, 0, 0, 1}, {0.7, 0.9, 0.3}, {3, 2, 1}});
    const double start = s.energy();
    for (int i = 0; i < 5000; ++i) {
        s.step();
        ASSERT_LT(s.energy(), start + 0.002) << i;
        for (int k = 0; k < 3; ++k) ASSERT_LT(std::abs(s.state.position[k]), 1) << i;
    }
    EXPECT_GT(s.stats().touching, 30u);
    EXPECT_GT(s.energy(), start / 4);
}

TEST(Dynamics, DegenerateTrianglesAreNoHarm) {
    World world = on_plane(0.01);
    world.environment = build(degenerate_mixture(300, 3));
    world.centre = {0.5, 0.5, 0.5};
    world.gravity = {};
    world.pull = 1;
    Simulation s(build(scale(degenerate_mixture(60, 4), 0.3)), world, {{0.6, 0.5, 0.9}, {0, 0, 0, 1}, {}, {1, 2, 3}});
    s.run(1000);
    EXPECT_GT(s.stats().contacts, 0u);
    EXPECT_LT(length(s.state.position), 10);
}

TEST(Dynamics, TheSameInEveryBuildAndByEveryTree) {
    const auto path = [](const study::TreeSettings& settings) {
        World world;
        world.environment = build(landscape(40), settings);
        world.gravity = {0, 0, -1};
        world.pull = 0.3;
        Simulation s(build(torus(1, 0.4, 40, 20), settings), world, {{0, 0.1, 3}, {0.1, 0, 0, 1}, {}, {0.5, 1, 0}});
        const std::vector<Pose> poses = s.run(1000);
        EXPECT_GT(s.stats().touching, 20u);
        return poses;
    };
    const std::vector<Pose> wide = path({});
    EXPECT_EQ(fingerprint(wide), 0x86c5610daaeb3d90u);
    EXPECT_EQ(wide, path({.tree = study::TreeKind::Binary}));
    EXPECT_EQ(wide, path({.volume = study::Volume::Sphere}));
}

}  // namespace
}  // namespace graze::scenes
