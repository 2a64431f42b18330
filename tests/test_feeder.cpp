// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "graze/study.hpp"
#include "scenes/dynamics.hpp"
#include "scenes/feeder.hpp"
#include "scenes/parts.hpp"

namespace graze::scenes {
namespace {

/// Six times the volume; surfaces that look outwards have a positive one.
double volume(const Soup& s) {
    double sum = 0;
    for (std::size_t i = 0; i < s.corners.size(); i += 3)
        sum += dot(s.points[s.corners[i]], cross(s.points[s.corners[i + 1]], s.points[s.corners[i + 2]]));
    return sum;
}

TEST(Parts, AreClosedAndOfAboutTheSizeAskedFor) {
    for (const std::uint32_t triangles : {200u, 1000u, 5000u})
        for (const Soup& s : parts(triangles)) {
            EXPECT_GT(s.triangle_count(), triangles * 6 / 10);
            EXPECT_LT(s.triangle_count(), triangles * 17 / 10);
            std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
            for (std::size_t i = 0; i < s.corners.size(); ++i) {
                const std::uint32_t a = s.corners[i], b = s.corners[i % 3 == 2 ? i - 2 : i + 1];
                edges[std::minmax(a, b)] += a < b ? 1 : -1;
            }
            for (const auto& [edge, sum] : edges) ASSERT_EQ(sum, 0);
            EXPECT_GT(volume(s), 0.3);
            double most = 0;
            for (const Vec3& p : s.points) most = std::max(most, length(p));
            EXPECT_NEAR(most, 1, 1e-12);
        }
}

TEST(Crowd, StaysInItsRoomAndComesOutTheSame) {
    Crowd crowd({.count = 100, .room = 2.1, .speed = 0.2, .spin = 0.3}, parts(200));
    for (int i = 0; i < 200; ++i) crowd.step();
    const double edge = 2.1 * 4.6416;
    for (const Pose& p : crowd.objects().placed)
        for (int k = 0; k < 3; ++k) {
            EXPECT_GE(p.translation()[k], 0);
            EXPECT_LE(p.translation()[k], edge);
        }
    EXPECT_EQ(fingerprint(crowd.objects().placed), 1336988061169949245u);
}

TEST(Feeder, KeepsItsParts) {
    Feeder feeder({.count = 50, .triangles = 300});
    double most = 0, kinetic = 0;
    std::size_t touching = 0;
    for (int i = 0; i < 400; ++i) {
        feeder.step();
        kinetic = 0;
        for (const Rigid& part : feeder.parts()) {
            ASSERT_TRUE(feeder.holds(part)) << i;
            kinetic += part.kinetic();
        }
        most = std::max(most, kinetic);
        touching += feeder.scene().stats().trees.out;
    }
    // They have come down, and lie.
    EXPECT_GT(touching, 400u * 15);
    EXPECT_LT(kinetic, most / 10);
    EXPECT_GT(feeder.contacts(), 100u);
}

TEST(Feeder, ComesOutTheSameWhateverTheScene) {
    const auto path = [](const SceneSettings& scene) {
        Feeder feeder({.count = 12, .triangles = 200, .scene = scene});
        for (int i = 0; i < 150; ++i) feeder.step();
        return feeder.objects().placed;
    };
    const std::vector<Pose> one = path(FeederSettings{}.scene);
    EXPECT_EQ(fingerprint(one), 16505113087493531518u);
    EXPECT_EQ(one, path({.threads = 2,
                         .hulls = true,
                         .fronts = true,
                         .broad_phase = BroadPhaseKind::SweepAndPrune,
                         .bounds = ObjectBounds::Cube}));
    EXPECT_EQ(one, path({.threads = 4, .broad_phase = BroadPhaseKind::Sweep}));
}

}  // namespace
}  // namespace graze::scenes
