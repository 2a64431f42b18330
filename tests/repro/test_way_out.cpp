// SPDX-License-Identifier: Apache-2.0
// How far a solid must move until it has left another. The search came in from afar by steps of the distance: it took
// faces that slide along each other for the end of the way, and near misses used up its steps. A box 0.1 deep in the
// wall of a room and flush with its floor had to move 10.1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "blocks.hpp"
#include "case_count.hpp"
#include "graze/solid.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "solid_oracle.hpp"

namespace graze::test {
namespace {

using namespace solid_oracle;

Solid solid_of(const Soup& soup) { return Solid(*Model::build(soup)); }

bool parted(const Solid& a, const Solid& b, const Affine& a_from_b, const Penetration& by) {
    const Affine there = *Affine::from_matrix(a_from_b.linear(), a_from_b.translation() + by.translation);
    const Relation r = relation(a, b, there).relation;
    return r == Relation::Disjoint || r == Relation::Touching;
}

/// A floor and a wall: the cubes of an L, ten long, in steps of 1.
Soup room() {
    Random random(1);
    Cubes cubes;
    for (int i = 0; i < 11; ++i)
        for (int k = 0; k < 10; ++k) {
            cubes.insert({i, k, -1});
            if (i < 10) cubes.insert({10, k, i});
        }
    return surface(cubes, random);
}

TEST(WayOut, OfAWallAlongTheFloor) {
    const Solid l = solid_of(room()), box = solid_of(block({0, 0, 0}, {1, 1, 1}));
    for (const double above : {0.0, 1e-3, 1e-9}) {
        const Pose pose = at(9.1, 4.3, above);
        EXPECT_NEAR(penetration_along(l, box, pose, {-1, 0, 0}).depth, 0.1, 1e-12) << above;
        EXPECT_NEAR(penetration(l, box, pose).depth, 0.1, 1e-12) << above;
        EXPECT_TRUE(parted(l, box, pose, penetration(l, box, pose)));
    }
    // Up to the end of the wall.
    EXPECT_NEAR(penetration_along(l, box, at(9.1, 4.3, 0), {0, 0, 1}).depth, 10, 1e-12);
    EXPECT_NEAR(penetration_along(l, box, at(9.1, 4.3, 0), {0, 1, 0}).depth, 5.7, 1e-12);
}

TEST(WayOut, OfAWallAlongAFloorThatIsFlushButForRounding) {
    Random random(2);
    for (int i = 0; i < 30; ++i) {
        const Pose turn = scenes::random_rotation(random);
        const Solid l = solid_of(scenes::transformed(room(), turn)), box = solid_of(block({0, 0, 0}, {1, 1, 1}));
        const Pose pose = scenes::placed(turn, turn(Vec3{9.1, 4.3, 0}));
        const Penetration along = penetration_along(l, box, pose, turn(Vec3{-1, 0, 0})),
                          any = penetration(l, box, pose);
        EXPECT_NEAR(along.depth, 0.1, 1e-9) << i;
        EXPECT_NEAR(any.depth, 0.1, 1e-9) << i;
        EXPECT_TRUE(parted(l, box, pose, along)) << i;
        EXPECT_TRUE(parted(l, box, pose, any)) << i;
    }
}

TEST(WayOut, OfSmallAndLargeBoxes) {
    const auto scaled = [](const Vec3& low, const Vec3& high, double s) { return solid_of(block(low * s, high * s)); };
    for (const double s : {0x1p-1000, 1e-200, 1e-50, 1.0, 1e50, 1e140, 0x1p990}) {
        const Solid a = scaled({0, 0, 0}, {4, 4, 4}, s), b = scaled({0, 0, 0}, {1, 1, 1}, s);
        const Pose pose = at(3.75 * s, 1 * s, 0.5 * s);
        EXPECT_NEAR(penetration_along(a, b, pose, {1, 0, 0}).depth / s, 0.25, 1e-9) << s;
        EXPECT_NEAR(penetration_along(a, b, pose, {0, 1, 0}).depth / s, 3, 1e-9) << s;
        EXPECT_NEAR(penetration(a, b, pose).depth / s, 0.25, 1e-9) << s;
        EXPECT_TRUE(parted(a, b, pose, penetration(a, b, pose)));
    }
    const Solid ground = solid_of(block({-1e8, -1e8, -1e8}, {1e8, 1e8, 0})),
                part = solid_of(block({0, 0, 0}, {1, 1, 1}));
    const Pose pose = scenes::placed(*Pose::from_quaternion({0.1, 0.2, 0.3, 1}, {}), {10, 20, -0.125});
    EXPECT_NEAR(penetration_along(ground, part, pose, {0, 0, 1}).depth, penetration(ground, part, pose).depth, 1e-6);
    EXPECT_LT(penetration(ground, part, pose).depth, 1);
}

/// The least t from which on cubes that move along a direction have no inner point in common with others. Every time
/// in which two cubes overlap counts as longer by `slack` at either end.
double least_way(const Cubes& a, const Cubes& b, const Vec3& shift, const Vec3& direction, double slack) {
    std::vector<std::pair<double, double>> times;
    for (const Int3& p : a)
        for (const Int3& q : b) {
            double in = -std::numeric_limits<double>::infinity(), out = -in;
            for (int d = 0; d < 3; ++d) {
                const double gap = q[d] + shift[d] - p[d], low = (-1 - gap) / direction[d],
                             high = (1 - gap) / direction[d];
                if (direction[d] != 0) {
                    in = std::max(in, std::min(low, high));
                    out = std::min(out, std::max(low, high));
                } else if (std::abs(gap) >= 1) {
                    in = out;
                }
            }
            if (in - slack < out + slack) times.emplace_back(in - slack, out + slack);
        }
    std::ranges::sort(times);
    double t = 0;
    for (const auto& [in, out] : times)
        if (in < t || (in < 0 && t == 0)) t = std::max(t, out);
    return t;
}

TEST(WayOut, OfCubes) {
    int longer = 0, too_long = 0;
    for (int i = 0; i < case_count(300, 30); ++i) {
        SCOPED_TRACE(i);
        Random random(static_cast<std::uint64_t>(i));
        const Cubes in_a = random_cubes(random), in_b = random_cubes(random);
        const Int3 halves = random_int3(random, -6, 6);
        const Vec3 shift = i % 2 ? vector(halves) * 0.5 : random.in_cube(-3, 3);
        Soup soup_a = surface(in_a, random);
        const Solid b = solid_of(surface(in_b, random));
        const Int3 steps = random_int3(random, -1, 1);
        Vec3 direction = i % 3 == 0 || steps == Int3{} ? scenes::random_direction(random) : vector(steps);
        const double size = length(direction);
        const bool exact = i % 2 && size == 1;
        Affine pose = at(shift.x, shift.y, shift.z);
        const double low = least_way(in_a, in_b, shift, direction * (1 / size), exact ? 0 : -1e-9),
                     high = least_way(in_a, in_b, shift, direction * (1 / size), exact ? 0 : 1e-9);
        // Turned solids are flush but for rounding. A space that B just fits into may have become too narrow.
        const bool turned = i % 5 == 0;
        if (turned) {
            const Pose turn = scenes::random_rotation(random);
            soup_a = scenes::transformed(soup_a, turn);
            pose = scenes::placed(turn, turn(shift));
            direction = turn(direction);
        }
        const Solid a = solid_of(soup_a);
        const Penetration along = penetration_along(a, b, pose, direction);
        EXPECT_TRUE(parted(a, b, pose, along));
        EXPECT_GE(along.depth, low - 1e-9);
        too_long += along.depth > high + 2e-8;
        EXPECT_TRUE(turned || along.depth <= high + 2e-8) << along.depth << " " << high;
        longer += low > 1;
        const Penetration any = penetration(a, b, pose);
        EXPECT_TRUE(parted(a, b, pose, any));
        double least = std::numeric_limits<double>::infinity();
        for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
            for (const Vec3& v : {axis, -axis}) least = std::min(least, least_way(in_a, in_b, shift, v, 1e-9));
        too_long += any.depth > least + 2e-8;
        EXPECT_TRUE(turned || any.depth <= least + 2e-8) << any.depth << " " << least;
    }
    EXPECT_GT(longer, case_count(300, 30) / 50);
    EXPECT_LE(too_long, 1 + case_count(300, 30) / 500);
}

}  // namespace
}  // namespace graze::test
