// SPDX-License-Identifier: Apache-2.0
// Spheres, capsules and boxes against squared distances in rational arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "case_count.hpp"
#include "distance_oracle.hpp"
#include "graze/shapes.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;
using test::DistanceOracle;
constexpr double infinity = std::numeric_limits<double>::infinity();

Pose any_pose(Random& random, double reach) {
    return *Pose::from_quaternion({random.unit() - 0.5, random.unit() - 0.5, random.unit() - 0.5, 0.2},
                                  random.in_cube(-reach, reach));
}

Triangle placed(const Triangle& t, const Pose& pose) { return {pose(t.a), pose(t.b), pose(t.c)}; }

/// The squared distance of two cores' surfaces.
mpq_class squared(const Model& a, const Model& b, const Pose& a_from_b) {
    mpq_class best = -1;
    for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
        for (std::uint32_t k = 0; k < b.triangle_count(); ++k) {
            const mpq_class d = DistanceOracle::squared(a.triangle(i), placed(b.triangle(k), a_from_b));
            if (best < 0 || d < best) best = d;
        }
    return best;
}

bool reach(const mpq_class& squared, double a, double b, double c = 0) {
    const mpq_class sum = mpq_class(a) + mpq_class(b) + mpq_class(c);
    return squared <= sum * sum;
}

/// Whether the surfaces are no further apart than `radius`. Triangles whose boxes are further apart are left out.
bool meets(const Model& a, const Model& b, const Pose& a_from_b, double radius) {
    for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
        for (std::uint32_t k = 0; k < b.triangle_count(); ++k) {
            const Triangle s = a.triangle(i), t = placed(b.triangle(k), a_from_b);
            bool near = true;
            for (int d = 0; d < 3; ++d) {
                near &= std::min({s.a[d], s.b[d], s.c[d]}) <= std::max({t.a[d], t.b[d], t.c[d]}) + radius + 1e-9;
                near &= std::min({t.a[d], t.b[d], t.c[d]}) <= std::max({s.a[d], s.b[d], s.c[d]}) + radius + 1e-9;
            }
            if (near && reach(DistanceOracle::squared(s, t), radius, 0)) return true;
        }
    return false;
}

/// A core of few triangles, on a grid when distances should often be equal to sums of radii.
Shape any_core(Random& random, bool grid) {
    const auto point = [&] {
        const Vec3 p = random.in_cube(-2, 2);
        return grid ? Vec3{std::round(p.x), std::round(p.y), std::round(p.z)} : p;
    };
    switch (random.below(3)) {
        case 0:
            return *Shape::sphere(point(), 0);
        case 1:
            return *Shape::capsule(point(), point(), 0);
        default:
            return *Shape::triangle({point(), point(), point()});
    }
}

TEST(Shapes, RoundShapesAgreeWithRationals) {
    Random random(17);
    int meet = 0, apart = 0, equal = 0;
    const int n = test::case_count(10000, 1000);
    for (int i = 0; i < n; ++i) {
        const bool grid = i % 2 == 0;
        const Pose pose =
            grid ? *Pose::from_translation({random.below(7) - 3.0, random.below(7) - 3.0, 1}) : any_pose(random, 3);
        Shape a = any_core(random, grid), b = any_core(random, grid);
        const mpq_class d = squared(a.core(), b.core(), pose);
        // Radii whose sum is about the distance: as near as doubles get, and not a double itself.
        const double size = std::sqrt(d.get_d());
        double ra = 0, rb = 0;
        if (size > 0) switch (random.below(4)) {
                case 0:
                    ra = random.unit() * 2 * size, rb = random.unit() * size;
                    break;
                case 1:
                    ra = size;
                    break;
                case 2:
                    ra = size * random.unit(), rb = size - ra;
                    break;
                default:
                    ra = std::nextafter(size, random.below(2) ? 0 : infinity), rb = std::ldexp(size, -60);
            }
        a = *a.with_radius(ra);
        b = *b.with_radius(rb);
        const bool expected = reach(d, ra, rb);
        ASSERT_EQ(intersects(a, b, pose), expected) << ra << ' ' << rb;
        meet += expected;
        apart += !expected;
        equal += d == (mpq_class(ra) + rb) * (mpq_class(ra) + rb) && d != 0;
        const double length = random.unit() * size;
        ASSERT_EQ(within(a, b, pose, length), reach(d, ra, rb, length));
        const Closest closest = distance(a, b, pose);
        ASSERT_EQ(closest.distance == 0, expected);
        if (!expected) {
            ASSERT_NEAR(closest.distance, size - ra - rb, 4e-15 * (size + ra + rb));
            ASSERT_NEAR(graze::length(closest.point_a - closest.point_b), closest.distance, 1e-13);
        } else {
            // A common point.
            const Triangle at{closest.point_a, closest.point_a, closest.point_a};
            ASSERT_EQ(closest.point_a, closest.point_b);
            ASSERT_LE(std::sqrt(DistanceOracle::squared(at, a.core().triangle(0)).get_d()), ra + 1e-12);
            ASSERT_LE(std::sqrt(DistanceOracle::squared(at, placed(b.core().triangle(0), pose)).get_d()), rb + 1e-12);
        }
    }
    EXPECT_GT(meet, n / 5);
    EXPECT_GT(apart, n / 5);
    EXPECT_GT(equal, n / 100);
}

TEST(Shapes, SumOfRadiiIsNotRounded) {
    // The centers are 1 + 2^-52 apart, and 1 + 2^-54 is rounded down to 1 and 1 + 3·2^-54 up to 1 + 2^-52.
    const double gap = 1 + 0x1p-52;
    const Pose pose = *Pose::from_translation({gap, 0, 0});
    const auto sphere = [](double r) { return *Shape::sphere({}, r); };
    EXPECT_FALSE(intersects(sphere(1), sphere(0x1p-54), pose));
    EXPECT_FALSE(intersects(sphere(1), sphere(3 * 0x1p-54), pose));
    EXPECT_TRUE(intersects(sphere(1), sphere(0x1p-52), pose));
    EXPECT_TRUE(intersects(sphere(1), sphere(5 * 0x1p-54), pose));
    EXPECT_FALSE(within(sphere(1), sphere(0x1p-54), pose, 0x1p-54));
    EXPECT_TRUE(within(sphere(1), sphere(0x1p-54), pose, 3 * 0x1p-54));
    // A distance that is no double: the diagonal of a square. 1.4142135623730951 is above it.
    const double root = std::sqrt(2.0), below = std::nextafter(root, 0);
    const Pose diagonal = *Pose::from_translation({1, 1, 0});
    EXPECT_TRUE(intersects(sphere(root), sphere(0), diagonal));
    EXPECT_FALSE(intersects(sphere(below), sphere(0), diagonal));
    // sqrt(2) is below + 0.565… of a step of 2^-52.
    EXPECT_FALSE(intersects(sphere(below), sphere(0.56 * 0x1p-52), diagonal));
    EXPECT_TRUE(intersects(sphere(below), sphere(0.57 * 0x1p-52), diagonal));
}

/// Whether a point is in a closed box of the shape's frame, rounded by nothing.
bool in_box(const Box& box, const Vec3& p) {
    for (int i = 0; i < 3; ++i)
        if (p[i] < box.lo()[i] || p[i] > box.hi()[i]) return false;
    return true;
}

TEST(Shapes, ModelsAgreeWithRationals) {
    Random random(23);
    const Model torus = *Model::build(scenes::torus(2, 0.5, 10, 6));
    const Model dust = [&] {  // many small triangles, some inside of anything
        std::vector<Vec3> points;
        std::vector<std::uint32_t> corners;
        for (std::uint32_t i = 0; i < 60; ++i) {
            const Vec3 at = random.in_cube(-2, 2);
            for (int k = 0; k < 3; ++k) points.push_back(at + random.in_cube(-0.05, 0.05));
            for (std::uint32_t k = 0; k < 3; ++k) corners.push_back(3 * i + k);
        }
        return *Model::build(SoupView(points, corners));
    }();
    int meet = 0, apart = 0, inside = 0;
    for (int i = 0; i < 400; ++i) {
        const Model& model = i % 2 ? torus : dust;
        const Pose pose = any_pose(random, 2);
        const double radius = random.unit() * 0.6;
        const Vec3 half = random.in_cube(0.05, 0.7);
        const Box box = *Box::between(-half, half);
        const bool is_box = i % 3 == 0;
        const Shape shape = is_box       ? *Shape::box(box, random.below(2) ? radius / 4 : 0)
                            : i % 3 == 1 ? *Shape::sphere(random.in_cube(-1, 1), radius)
                                         : *Shape::capsule(random.in_cube(-1, 1), random.in_cube(-1, 1), radius);
        bool expected = meets(model, shape.core(), pose, shape.radius());
        if (is_box && !expected) {
            // Corners in the box's frame. Away from its surface, rounding does not matter.
            const Pose back = inverse(pose);
            for (const Vec3& p : model.points()) expected |= in_box(box, back(p));
            inside += expected;
        }
        ASSERT_EQ(intersects(model, shape, pose), expected) << i;
        ASSERT_EQ(distance(Shape(model), shape, pose).distance == 0, expected);
        meet += expected;
        apart += !expected;
        // The shape first, the model placed.
        bool other = meets(shape.core(), model, pose, shape.radius());
        if (is_box && !other)
            for (const Vec3& p : model.points()) other |= in_box(box, pose(p));
        ASSERT_EQ(intersects(shape, model, pose), other) << i;
    }
    EXPECT_GT(meet, 60);
    EXPECT_GT(apart, 60);
    EXPECT_GT(inside, 3);
}

TEST(Shapes, InsideOfSolids) {
    const Model cube = *Model::build(scenes::box({2, 2, 2})), open = *Model::build(scenes::torus(1, 0.1, 8, 6));
    const Solid solid(cube);
    const Shape ball = *Shape::sphere({}, 1), box = *Shape::box(*Box::between({-1, -1, -1}, {1, 1, 1}));
    const Pose here, beside = *Pose::from_translation({3.5, 0, 0});
    for (const Shape* small : {&ball, &box}) {
        EXPECT_FALSE(intersects(cube, *small, here));  // the surface alone
        EXPECT_TRUE(intersects(solid, *small, here));
        EXPECT_TRUE(intersects(*small, solid, here));
        EXPECT_FALSE(intersects(solid, *small, beside));
        EXPECT_EQ(distance(cube, *small, here).distance, 1);
        EXPECT_EQ(distance(solid, *small, here).distance, 0);
        EXPECT_EQ(distance(solid, *small, here, {.max_distance = 0.1}).distance, 0);
        EXPECT_EQ(distance(solid, *small, beside).distance, 0.5);
        EXPECT_EQ(distance(solid, *small, beside, {.max_distance = 0.4}).distance, infinity);
        EXPECT_EQ(distance(cube, *small, beside, {.max_distance = 0.5}).distance, 0.5);
        EXPECT_TRUE(within(*small, solid, beside, 0.5));
        EXPECT_FALSE(within(*small, solid, beside, std::nextafter(0.5, 0)));
    }
    // A solid around a solid, a sheet within a solid, and the other way round.
    EXPECT_TRUE(intersects(Shape(solid), Shape(Solid(open)), here));
    EXPECT_TRUE(intersects(Shape(Solid(open)), Shape(solid), here));
    EXPECT_TRUE(intersects(Shape(open), Shape(solid), here));
    EXPECT_FALSE(intersects(Shape(open), Shape(cube), here));
    EXPECT_TRUE(intersects(*Shape::box(*Box::between({-5, -5, -5}, {5, 5, 5})), open, here));
    // A ball in a cavity touches nothing.
    std::vector<Vec3> points(cube.points().begin(), cube.points().end());
    std::vector<std::uint32_t> corners;
    for (const auto& t : cube.triangles()) corners.insert(corners.end(), t.begin(), t.end());
    const std::size_t n = points.size(), m = corners.size();
    for (std::size_t i = 0; i < n; ++i) points.push_back(points[i] * 2);
    for (std::size_t i = 0; i < m; ++i) corners.push_back(corners[i] + static_cast<std::uint32_t>(n));
    const Solid hollow(*Model::build(SoupView(points, corners)));
    EXPECT_FALSE(intersects(hollow, ball, here));
    EXPECT_TRUE(intersects(hollow, ball, *Pose::from_translation({3, 0, 0})));
    EXPECT_EQ(distance(hollow, ball, here).distance, 1);
}

TEST(Shapes, BoxesThatTouch) {
    const Shape box = *Shape::box(*Box::between({0, 0, 0}, {1, 2, 3})), sphere = *Shape::sphere({1.5, 1, 1}, 0.5);
    EXPECT_TRUE(intersects(box, sphere, {}));
    EXPECT_FALSE(intersects(box, *sphere.with_radius(std::nextafter(0.5, 0)), {}));
    EXPECT_FALSE(intersects(box, sphere, *Pose::from_translation({0x1p-52, 0, 0})));
    EXPECT_TRUE(intersects(*box.with_radius(0x1p-52), sphere, *Pose::from_translation({0x1p-52, 0, 0})));
    // Box in box, flat boxes and boxes that are a point.
    EXPECT_TRUE(intersects(box, *Shape::box(*Box::between({0.5, 0.5, 0.5}, {0.6, 0.6, 0.6})), {}));
    EXPECT_TRUE(intersects(*Shape::box(*Box::between({0.5, 0.5, 0.5}, {0.6, 0.6, 0.6})), box, {}));
    const Shape flat = *Shape::box(*Box::between({0, 0, 0}, {1, 1, 0})), dot = *Shape::box(*Box::between({}, {}));
    EXPECT_FALSE(intersects(flat, dot, *Pose::from_translation({0.5, 0.5, 5e-324})));
    EXPECT_TRUE(intersects(flat, dot, *Pose::from_translation({0.5, 0.5, 0})));
    EXPECT_TRUE(intersects(box, dot, *Pose::from_translation({0.5, 0.5, 0.5})));
    EXPECT_TRUE(intersects(dot, box, *Pose::from_translation({-0.5, -0.5, -0.5})));
}

TEST(Shapes, EmptyModelsAndBadNumbers) {
    const Shape ball = *Shape::sphere({}, 1);
    EXPECT_FALSE(intersects(Model(), ball, {}));
    EXPECT_FALSE(intersects(ball, Solid(), {}));
    EXPECT_FALSE(within(Model(), ball, {}, infinity));
    EXPECT_EQ(distance(ball, Model(), {}).distance, infinity);
    EXPECT_TRUE(within(ball, ball, *Pose::from_translation({1e99, 0, 0}), infinity));
    EXPECT_TRUE(within(ball, ball, *Pose::from_translation({1e99, 0, 0}), std::nan("")));
    EXPECT_TRUE(within(ball, *ball.with_radius(0x1p999), {}, std::numeric_limits<double>::max()));
    EXPECT_FALSE(within(ball, ball, {}, -1));
    EXPECT_EQ(Shape::sphere({}, -1).fault().kind, FaultKind::OutOfRange);
    EXPECT_EQ(Shape::sphere({}, infinity).fault().kind, FaultKind::NotFinite);
    EXPECT_EQ(Shape::sphere({}, std::nan("")).fault().kind, FaultKind::NotFinite);
    EXPECT_EQ(ball.with_radius(0x1p1001).fault().kind, FaultKind::OutOfRange);
    EXPECT_EQ(Shape::sphere({infinity, 0, 0}, 1).fault().kind, FaultKind::NotFinite);
    EXPECT_EQ(Shape::capsule({}, {0x1p1001, 0, 0}, 1).fault().kind, FaultKind::OutOfRange);
    EXPECT_FALSE(Shape::box(Box()).ok());
    EXPECT_FALSE(Shape::box(*Box::between({-infinity, 0, 0}, {0, 0, 0})).ok());
    EXPECT_EQ(ball.core().triangle_count(), 1u);
    EXPECT_FALSE(ball.core_is_solid());
    EXPECT_TRUE(Shape(Solid()).core_is_solid());
    // Far beyond floats, and radii far larger than cores.
    const Shape huge = *Shape::sphere({}, 0x1p999), tiny = *Shape::sphere({}, 5e-324);
    EXPECT_TRUE(intersects(huge, tiny, *Pose::from_translation({0x1p999, 0, 0})));
    EXPECT_FALSE(intersects(huge, tiny, *Pose::from_translation({std::nextafter(0x1p999, infinity), 0, 0})));
    EXPECT_TRUE(intersects(tiny, tiny, *Pose::from_translation({1e-323, 0, 0})));
    EXPECT_FALSE(intersects(tiny, tiny, *Pose::from_translation({1.5e-323, 0, 0})));
}

}  // namespace
}  // namespace graze
