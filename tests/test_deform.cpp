// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "scenes/deform.hpp"
#include "scenes/shapes.hpp"

namespace graze::scenes {
namespace {

const Soup shape = torus(1, 0.4, 20, 12);  // x from -1.4 to 1.4

TEST(Deform, TwistKeepsDistancesFromTheAxis) {
    const auto points = twisted(shape, 0.25);
    ASSERT_EQ(points.size(), shape.points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 &p = shape.points[i], &q = points[i];
        EXPECT_EQ(q.x, p.x);
        EXPECT_NEAR(std::hypot(q.y, q.z), std::hypot(p.y, p.z), 1e-14);
        const double angle = (p.x + 1.4) / 2.8 * std::acos(0);
        EXPECT_NEAR(q.y, std::cos(angle) * p.y - std::sin(angle) * p.z, 1e-14);
    }
}

TEST(Deform, WaveMovesPointsUpAndDown) {
    const auto points = waved(shape, 0.1, 2, 0.25);
    double low = 1, high = -1;
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].x, shape.points[i].x);
        EXPECT_EQ(points[i].y, shape.points[i].y);
        const double up = points[i].z - shape.points[i].z;
        EXPECT_NEAR(up, 0.1 * std::cos(4 * std::acos(-1) * (shape.points[i].x + 1.4) / 2.8), 1e-14);
        low = std::min(low, up), high = std::max(high, up);
    }
    EXPECT_LT(low, -0.09);
    EXPECT_GT(high, 0.09);
}

TEST(Deform, ScatteredPointsStayNear) {
    const auto points = scattered(shape, 0.05, 1);
    EXPECT_EQ(points, scattered(shape, 0.05, 1));
    EXPECT_NE(points, scattered(shape, 0.05, 2));
    for (std::size_t i = 0; i < points.size(); ++i)
        for (int k = 0; k < 3; ++k) EXPECT_LE(std::abs(points[i][k] - shape.points[i][k]), 0.0501);
}

TEST(Deform, ShuffledPointsAreTheSamePoints) {
    auto points = shuffled(shape, 1), own = shape.points;
    EXPECT_EQ(points, shuffled(shape, 1));
    EXPECT_NE(points, own);
    const auto by_coordinates = [](const Vec3& p) { return std::tuple(p.x, p.y, p.z); };
    std::ranges::sort(points, {}, by_coordinates);
    std::ranges::sort(own, {}, by_coordinates);
    EXPECT_EQ(points, own);
}

TEST(Deform, NothingAndFlatSoups) {
    EXPECT_TRUE(twisted({}, 1).empty());
    EXPECT_TRUE(shuffled({}, 1).empty());
    const Soup flat{{{2, 0, 0}, {2, 1, 0}, {2, 0, 1}}, {0, 1, 2}};
    EXPECT_EQ(twisted(flat, 1), flat.points);
    EXPECT_EQ(waved(flat, 1, 3), flat.points);
}

}  // namespace
}  // namespace graze::scenes
