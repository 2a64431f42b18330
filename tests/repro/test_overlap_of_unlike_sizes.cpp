// SPDX-License-Identifier: Apache-2.0
// The overlap of a small part with a large one. The sums had terms of the size of the large triangles, which
// cancelled: a part of size 1 in a ground of 1e7 had a volume off by half a percent, and in one of 1e160 none at all.
#include <gtest/gtest.h>

#include <cmath>

#include "blocks.hpp"
#include "graze/solid.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"

namespace graze::test {
namespace {

Solid solid_of(const scenes::Soup& soup) { return Solid(*Model::build(soup)); }

Overlap turned_over(const Solid& a, const Solid& b, const Pose& a_from_b) {
    return overlap(b, a, *inverse(Affine(a_from_b)));
}

TEST(OverlapOfUnlikeSizes, IsThatOfAPartInAGround) {
    const Solid part = solid_of(scenes::box({0.5, 0.5, 0.5})), ball = solid_of(scenes::sphere(500));
    scenes::Random random(1);
    for (int i = 0; i < 8; ++i) {
        // The middle of the part is on the ground, so that half of it is within.
        const Pose pose = scenes::placed(scenes::random_rotation(random), {random.unit(), random.unit(), 0});
        const Solid floor = solid_of(block({-4, -4, -4}, {4, 4, 0}));
        const double area = overlap(floor, part, pose).area;
        const Overlap of_ball = overlap(floor, ball, pose);
        for (const double size : {1e1, 1e3, 1e5, 1e6, 1e7, 1e8, 1e12, 1e16, 1e50, 1e100, 1e160}) {
            const Solid ground = solid_of(block({-size, -size, -size}, {size, size, 0}));
            EXPECT_NEAR(overlap(ground, part, pose).volume, 0.5, 1e-13) << size;
            EXPECT_NEAR(overlap(ground, part, pose).area, area, 1e-12) << size;
            if (size > 1e16) continue;  // thousand-bit integers decide
            EXPECT_NEAR(overlap(ground, ball, pose).volume, of_ball.volume, 1e-13) << size;
            EXPECT_NEAR(overlap(ground, ball, pose).area, of_ball.area, 1e-12) << size;
            if (size > 1e6) continue;  // beyond, the ground loses digits by its placement
            EXPECT_NEAR(turned_over(ground, part, pose).volume, 0.5, 1e-14 * size) << size;
        }
    }
}

TEST(OverlapOfUnlikeSizes, LeavesOutFacesThatOnlyTouch) {
    for (std::uint32_t i = 0; i < 24; ++i) {
        const Pose turn = scenes::axis_rotation(i);
        for (const double size : {4.0, 1e3, 1e5, 1e7}) {
            // A plate lies on the ground, and a pin below it is in the ground.
            const Solid ground = solid_of(scenes::transformed(block({-size, -size, -size}, {size, size, 0}), turn));
            const Solid plate = solid_of(scenes::transformed(
                scenes::joined(block({-size, -2, 0}, {size / 2, 2, 1}), block({0.25, 0.5, -1}, {1.25, 1.5, 0})), turn));
            const Overlap found = overlap(ground, plate, {}), other = overlap(plate, ground, {});
            EXPECT_NEAR(found.volume, 1, 1e-15 * size + 1e-14) << i << " " << size;
            EXPECT_NEAR(other.volume, 1, 1e-15 * size + 1e-14) << i << " " << size;
            EXPECT_NEAR(found.area, 6, 1e-14 * size) << i << " " << size;
            EXPECT_NEAR(other.area, 6, 1e-14 * size) << i << " " << size;
        }
    }
}

}  // namespace
}  // namespace graze::test
