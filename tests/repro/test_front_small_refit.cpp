// SPDX-License-Identifier: Apache-2.0
// A refit so small that everything a front knows still holds: what it noted about volumes, though, is of the old shape,
// and a motion after that must not be judged by it.
#include <gtest/gtest.h>

#include <vector>

#include "graze/front.hpp"
#include "graze/study.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

class SmallRefit : public testing::TestWithParam<study::TreeKind> {};

TEST_P(SmallRefit, ThenAMotion) {
    scenes::Soup ground = scenes::cube_lattice(2);  // its top is z = 3
    Model a = *study::build(ground, {.tree = GetParam()});
    const Model b = *study::build(scenes::box({0.7, 0.7, 0.5}), {.tree = GetParam()});
    const auto at = [](double gap) { return *Pose::from_matrix({}, {0.5, 0.5, 3.5 + gap}); };
    const double gap = 0x1p-6, rise = 0x1p-8;
    Front front;
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(collide(a, b, at(gap), {.front = &front}).empty());
    for (Vec3& p : ground.points) p.z += rise;
    ASSERT_TRUE(a.refit(ground.points, {.rebuild = Rebuild::Never}).ok());
    EXPECT_TRUE(collide(a, b, at(gap), {.front = &front}).empty());
    // Half of the way that is left, then all of it.
    EXPECT_TRUE(collide(a, b, at((gap + rise) / 2), {.front = &front}).empty());
    EXPECT_FALSE(collide(a, b, at(rise), {.front = &front}).empty());
}

INSTANTIATE_TEST_SUITE_P(Trees, SmallRefit, testing::Values(study::TreeKind::Wide, study::TreeKind::Binary));

}  // namespace
}  // namespace graze
