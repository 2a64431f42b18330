// SPDX-License-Identifier: Apache-2.0
// Fronts of binary trees: that a plane kept never claims too much, what each stage does to a front, and that queries
// from fronts answer as plain ones do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "exact/triangle_distance.hpp"
#include "front/plane_test.hpp"
#include "graze/distance.hpp"
#include "graze/front.hpp"
#include "graze/study.hpp"
#include "scenes/deform.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"
#include "tree/aabb.hpp"
#include "tree/obb.hpp"

namespace graze::detail {
namespace {

using scenes::Random;
using scenes::Soup;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr graze::study::Volume kinds[] = {graze::study::Volume::Obb,    graze::study::Volume::Aabb,
                                          graze::study::Volume::Sphere, graze::study::Volume::Dop14,
                                          graze::study::Volume::Dop18,  graze::study::Volume::Dop26};

/// Turned by about the angle, about some axis, and shifted.
Pose moved(Random& random, const Pose& pose, double angle, double shift) {
    const Vec3 axis = scenes::random_direction(random);
    const double s = std::sin(angle / 2);
    const Pose turn = *Pose::from_quaternion({axis.x * s, axis.y * s, axis.z * s, std::cos(angle / 2)}, {});
    const Vec3 by = scenes::random_direction(random) * shift;
    return scenes::placed(compose(turn, pose), pose.translation() + by);
}

Affine stretched(Random& random, const Pose& pose) {
    Mat3 m = pose.rotation();
    for (Vec3& row : m.row) row = row + random.in_cube(-0.3, 0.3);
    return *Affine::from_matrix(m, pose.translation());
}

/// Corners of a triangle, or a cloud of points, in a frame.
std::vector<Vec3> some_points(Random& random, int count) {
    const Vec3 middle = random.in_cube(-0.5, 0.5);
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) points.push_back(middle + random.in_cube(-0.2, 0.2));
    return points;
}

/// A side as a plane test takes it.
template <class Side>
Side side_of(const std::vector<Vec3>& p) {
    if constexpr (std::same_as<Side, TriangleSide>)
        return {{p[0], p[1], p[2]}};
    else
        return Side::around(p, {});
}

/// Notes planes between A's points and B's, moves B on, and compares the gaps with those of the points.
template <class Side>
void check_planes(bool rigid, double margin, std::uint64_t seed) {
    Random random(seed);
    int apart = 0, kept = 0;
    for (int round = 0; round < 3000; ++round) {
        const int count = std::same_as<Side, TriangleSide> ? 3 : 8;
        const auto a = some_points(random, count), b = some_points(random, count);
        const Side side_a = side_of<Side>(a), side_b = side_of<Side>(b);
        Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-1, 1));
        SeparatingPlane plane;
        std::optional<PlaneTest> last;
        for (int step = 0; step < 6; ++step) {
            const Affine map = rigid ? Affine(pose) : stretched(random, pose);
            const PlaneTest test({}, {}, map, margin, last ? &*last : nullptr);
            Vec3 between{};
            for (int i = 0; i < count; ++i) between = between + map(b[i]) - a[i];
            if (step == 0) plane = test.note(between * (1 / length(between)), side_a, side_b);
            if (last && !test.same_units(*last)) test.look(plane, side_a, side_b);
            const double gap = test.gap(plane);
            double least = infinity;
            for (const Vec3& p : a)
                for (const Vec3& q : b) least = std::min(least, length(map(q) - p));
            if (std::same_as<Side, TriangleSide>)
                least = std::min(least, triangle_distance({a[0], a[1], a[2]}, {map(b[0]), map(b[1]), map(b[2])}));
            ASSERT_LE(gap, std::max(0.0, least - margin) + 1e-12) << round << " " << step;
            // A look at the sides can only show more.
            SeparatingPlane again = plane;
            test.look(again, side_a, side_b);
            ASSERT_GE(test.gap(again), gap - 1e-5);
            apart += gap > 0;
            kept += step > 0 && gap > 0;
            last = test;
            pose = moved(random, pose, random.between(0, 0.02), random.between(0, 0.02));
        }
    }
    EXPECT_GT(apart, 1000);
    EXPECT_GT(kept, 500);
}

TEST(PlaneTest, NeverClaimsMoreThanThereIs) {
    for (const bool rigid : {true, false})
        for (const double margin : {0.0, 0.05}) {
            check_planes<TriangleSide>(rigid, margin, 1);
            check_planes<Obb>(rigid, margin, 2);
            check_planes<Aabb>(rigid, margin, 3);
        }
}

TEST(PlaneTest, FollowsAShift) {
    Random random(4);
    for (int round = 0; round < 200; ++round) {
        const TriangleSide a = side_of<TriangleSide>(some_points(random, 3));
        const TriangleSide b = side_of<TriangleSide>(some_points(random, 3));
        const Pose turn = scenes::random_rotation(random);
        const Vec3 way = scenes::random_direction(random);
        const PlaneTest first({}, {}, scenes::placed(turn, way * 3), 0, nullptr);
        const SeparatingPlane plane = first.note(way, a, b);
        const double gap = first.gap(plane);
        EXPECT_GT(gap, 0);
        PlaneTest last = first;
        for (const double by : {0.5, -0.25, 1.0, 0.0}) {
            const PlaneTest test({}, {}, scenes::placed(turn, way * (3 + by)), 0, &last);
            EXPECT_NEAR(test.gap(plane), gap + by, 1e-4);
            last = test;
        }
    }
}

TEST(PlaneTest, AxesOfTriangles) {
    Random random(5);
    int found = 0, apart = 0;
    for (int round = 0; round < 2000; ++round) {
        const auto p = some_points(random, 3), q = some_points(random, 3);
        const Vec3 a[3] = {p[0], p[1], p[2]}, b[3] = {q[0], q[1], q[2]};
        Vec3 axis;
        const double distance = triangle_distance({a[0], a[1], a[2]}, {b[0], b[1], b[2]});
        const bool hit = meet({a[0], a[1], a[2]}, {b[0], b[1], b[2]});
        apart += !hit && distance > 1e-9;
        if (!separating_axis(a, b, axis)) continue;
        ++found;
        EXPECT_FALSE(hit);
        EXPECT_NEAR(length(axis), 1, 1e-12);
        const double gap = std::min({dot(axis, b[0]), dot(axis, b[1]), dot(axis, b[2])}) -
                           std::max({dot(axis, a[0]), dot(axis, a[1]), dot(axis, a[2])});
        EXPECT_LE(gap, distance * (1 + 1e-12));
        EXPECT_GT(gap, 0);
    }
    EXPECT_EQ(found, apart);
    Vec3 axis;
    const Vec3 point[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    EXPECT_FALSE(separating_axis(point, point, axis));
}

std::vector<Contact> sorted(std::vector<Contact> contacts) {
    std::sort(contacts.begin(), contacts.end());
    return contacts;
}

Model model_of(const Soup& soup, graze::study::Volume volume, study::TreeKind tree = study::TreeKind::Binary) {
    return *study::build(soup.view(), {.tree = tree, .volume = volume, .threads = 1});
}

/// A walk of B around A, small steps and now and then a jump, a shift or a rest.
std::vector<Pose> wander(Random& random, int frames, double size, double reach) {
    std::vector<Pose> path;
    Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-reach, reach));
    for (int i = 0; i < frames; ++i) {
        const std::uint32_t what = random.below(20);
        const double step = size * random.between(0, 1);
        if (what == 0)
            pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-reach, reach));
        else if (what < 6)
            pose = scenes::placed(pose, pose.translation() + scenes::random_direction(random) * step);
        else if (what < 19)
            pose = moved(random, pose, step, step);
        if (length(pose.translation()) > 2 * reach) pose = scenes::placed(pose, random.in_cube(-reach, reach));
        path.push_back(pose);
    }
    return path;
}

/// Contacts from the front and without, along a path.
void expect_same(const Model& a, const Model& b, const std::vector<Affine>& path, Front& front, double margin = 0,
                 QueryStats* stats = nullptr) {
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto plain = sorted(collide_within(a, b, path[i], margin));
        const auto fronted = sorted(collide_within(a, b, path[i], margin, {.stats = stats, .front = &front}));
        ASSERT_EQ(fronted, plain) << "frame " << i;
    }
}
std::vector<Affine> affine(const std::vector<Pose>& path) { return {path.begin(), path.end()}; }

const FrontSettings always{.coherence = 1e9};

TEST(PairFront, AnswersAsPlainQueriesDo) {
    Random random(11);
    const Soup a = scenes::torus(1, 0.4, 24, 16), b = scenes::torus(0.7, 0.25, 16, 12);
    for (const graze::study::Volume kind : kinds)
        for (const double prune : {0.0, 0.17, infinity}) {
            const Model ma = model_of(a, kind), mb = model_of(b, kind);
            Front front = Front({.coherence = 1e9, .prune = prune});
            QueryStats stats;
            expect_same(ma, mb, affine(wander(random, 60, 0.03, 1)), front, 0, &stats);
            EXPECT_GT(stats.kept, 0u);
            EXPECT_GT(stats.axis_tests, 0u);
            EXPECT_TRUE(front.warm());
        }
}

TEST(PairFront, TreesOfDifferentKinds) {
    Random random(12);
    const Soup a = scenes::torus(1, 0.4, 20, 12), b = scenes::torus(0.7, 0.25, 12, 10);
    const std::vector<Model> first = {model_of(a, graze::study::Volume::Obb, study::TreeKind::Wide),
                                      model_of(a, graze::study::Volume::Aabb)};
    const std::vector<Model> second = {model_of(b, graze::study::Volume::Sphere),
                                       model_of(b, graze::study::Volume::Obb)};
    for (const Model& ma : first)
        for (const Model& mb : second) {
            Front front(always);
            expect_same(ma, mb, affine(wander(random, 40, 0.03, 1)), front);
            Front other(always);
            expect_same(mb, ma, affine(wander(random, 40, 0.03, 1)), other);
        }
}

TEST(PairFront, AffinePlacementsAndMargins) {
    Random random(13);
    const Soup a = scenes::torus(1, 0.4, 20, 12), b = scenes::torus(0.7, 0.25, 12, 10);
    for (const graze::study::Volume kind : kinds) {
        const Model ma = model_of(a, kind), mb = model_of(b, kind);
        Front front(always);
        const auto path = wander(random, 40, 0.02, 1);
        Mat3 stretch{{Vec3{1.3, 0.1, 0}, Vec3{-0.2, 0.8, 0.3}, Vec3{0, 0, -1.1}}};
        for (std::size_t i = 0; i < path.size(); ++i) {
            const Affine map = *Affine::from_matrix(path[i].rotation() * stretch, path[i].translation());
            expect_same(ma, mb, {map}, front, i % 7 < 3 ? 0 : 0.02 * static_cast<double>(i % 5));
        }
    }
}

TEST(PairFront, ExtremeSizes) {
    Random random(14);
    const Soup a = scenes::torus(1, 0.4, 8, 6), b = scenes::torus(0.7, 0.25, 8, 6);
    for (const graze::study::Volume kind : kinds)
        for (const double scale : {1e-300, 1e250, 0x1p990}) {
            const Model ma = model_of(scenes::scale(a, scale), kind), mb = model_of(scenes::scale(b, scale), kind);
            Front front(always);
            auto path = wander(random, 20, 0.03, 1);
            for (Pose& pose : path) pose = scenes::placed(pose, pose.translation() * scale);
            expect_same(ma, mb, affine(path), front);
        }
    // Models of very different sizes, and far from the origin.
    const Model large = model_of(scenes::scale(a, 1e250), graze::study::Volume::Obb);
    const Model small = model_of(scenes::scale(b, 1e-300), graze::study::Volume::Obb);
    Front front(always);
    expect_same(large, small, affine(wander(random, 20, 0.03, 1)), front);
    const Model ma = model_of(a, graze::study::Volume::Aabb), mb = model_of(b, graze::study::Volume::Aabb);
    Front far(always);
    for (const double x : {0.0, 1.0, 1e3, 1e12, 1e100, 1e12, 1.5, 1.0})
        expect_same(ma, mb, {scenes::placed(Pose(), {x, 0, 0})}, far);
}

TEST(PairFront, OddTriangles) {
    Random random(15);
    const Soup soups[] = {scenes::degenerate_mixture(200, 1), scenes::needles(100, 2), scenes::tiny(100, 3),
                          scenes::random_soup(1, 0.5, 4), scenes::random_soup(120, 0.3, 5)};
    for (const graze::study::Volume kind : kinds)
        for (const Soup& a : soups)
            for (const Soup& b : soups) {
                Front front(always);
                expect_same(model_of(a, kind), model_of(b, kind), affine(wander(random, 8, 0.03, 0.5)), front);
            }
    const Model none = model_of({}, graze::study::Volume::Obb), one = model_of(soups[3], graze::study::Volume::Obb);
    Front front(always);
    expect_same(none, one, {Pose(), Pose()}, front);
    expect_same(one, none, {Pose(), Pose()}, front);
    EXPECT_FALSE(front.warm());
}

TEST(PairFront, StopsAnywhere) {
    Random random(16);
    const Soup a = scenes::torus(1, 0.4, 24, 16), b = scenes::torus(0.7, 0.25, 16, 12);
    for (const graze::study::Volume kind :
         {graze::study::Volume::Obb, graze::study::Volume::Aabb, graze::study::Volume::Sphere}) {
        const Model ma = model_of(a, kind), mb = model_of(b, kind);
        Front front(always);
        for (const Pose& pose : wander(random, 80, 0.03, 1)) {
            std::uint32_t left = random.below(6);
            for_each_contact(ma, mb, pose, [&](const Contact&) { return left-- > 0 ? Step::Continue : Step::Stop; },
                             {.front = &front});
            EXPECT_EQ(intersects(ma, mb, pose, {.front = &front}), intersects(ma, mb, pose));
            if (random.below(3) == 0) expect_same(ma, mb, {pose}, front);
        }
    }
}

TEST(PairFront, SurvivesDeformation) {
    const Soup a = scenes::torus(1, 0.4, 24, 16), b = scenes::torus(0.7, 0.25, 16, 12);
    for (const graze::study::Volume kind : kinds) {
        Random random(17);
        Model ma = model_of(a, kind), mb = model_of(b, kind);
        Front front(always);
        const auto path = wander(random, 40, 0.02, 1);
        for (std::size_t i = 0; i < path.size(); ++i) {
            const auto phase = static_cast<double>(i);
            if (i % 3 == 1) {
                const auto points = scenes::waved(a, 0.02, 2, 0.05 * phase);
                ASSERT_TRUE(ma.refit(std::span<const Vec3>(points)));
            }
            if (i % 4 == 2) {
                const auto points = scenes::waved(b, 0.02, 1, 0.1 * phase);
                ASSERT_TRUE(mb.refit(std::span<const Vec3>(points)));
            }
            expect_same(ma, mb, {path[i]}, front);
        }
    }
}

TEST(PairFront, GrowsAndShrinks) {
    const Soup soup = scenes::torus(1, 0.4, 24, 16);
    for (const graze::study::Volume kind : kinds) {
        const Model a = model_of(soup, kind), b = model_of(soup, kind);
        const auto at = [](double x) { return scenes::placed(Pose(), {x, 0.1, 0.2}); };
        Front pruned = Front({.coherence = 1e9, .prune = 0}), kept = Front({.coherence = 1e9, .prune = infinity});
        for (Front* front : {&pruned, &kept}) {
            expect_same(a, b, {at(1), at(1), at(1)}, *front);  // filled after two small motions
            const std::size_t close = front->size();
            EXPECT_GT(close, 100u);
            // Nothing moves: all that is apart is known to be.
            QueryStats stats;
            expect_same(a, b, {at(1)}, *front, 0, &stats);
            EXPECT_EQ(front->size(), close);
            EXPECT_GT(stats.kept, close / 2);
            for (int i = 0; i <= 60; ++i) expect_same(a, b, {at(1 + 0.05 * i)}, *front);
            if (front == &pruned)
                EXPECT_LE(front->size(), 2u);
            else
                EXPECT_GE(front->size(), close);
        }
        // Once warm no memory is added.
        const std::size_t bytes = kept.bytes();
        for (int i = 0; i < 20; ++i) expect_same(a, b, {at(4 - 0.01 * i)}, kept);
        EXPECT_EQ(kept.bytes(), bytes);
    }
}

TEST(PairFront, SproutsDownToASize) {
    Random random(18);
    const Soup a = scenes::torus(1, 0.4, 24, 16), b = scenes::torus(0.7, 0.25, 16, 12);
    for (const graze::study::Volume kind : kinds) {
        const Model ma = model_of(a, kind), mb = model_of(b, kind);
        const auto path = wander(random, 30, 0.03, 0.5);
        std::size_t last = 0;
        for (const double sprout : {0.01, 0.1, infinity}) {
            Front front = Front({.coherence = 1e9, .prune = 0.1, .sprout = sprout});
            std::size_t most = 0;
            for (const Pose& pose : path) {
                expect_same(ma, mb, {pose}, front);
                most = std::max(most, front.size());
            }
            EXPECT_GE(most, last) << sprout;
            last = most;
        }
        EXPECT_GT(last, 50u);
    }
}

}  // namespace
}  // namespace graze::detail
