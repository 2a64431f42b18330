// SPDX-License-Identifier: Apache-2.0
// Fronts: what they say of themselves, that they save work, and the bounds that their claims rest on. That they change
// no answer is tested in agree/test_front*.cpp.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "agree/fronts.hpp"
#include "front/motion.hpp"
#include "graze/front.hpp"
#include "model/access.hpp"
#include "model/model_data.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using detail::Lineage;
using scenes::Random;
using test::Mixture;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A sphere above a torus, not far from it.
struct Scene {
    Model a, b;
    Pose clear = *Pose::from_matrix({}, {1, 0, 0.95}), hit = *Pose::from_matrix({}, {1, 0, 0.8});

    explicit Scene(const Mixture& m)
        : a(test::built(scenes::torus(1, 0.4, 40, 24), test::trees[m.a])),
          b(test::built(scenes::sphere(500, 0.5), test::trees[m.b])) {}

    /// Round and round, clear of each other.
    std::vector<Affine> coherent_path(std::size_t frames) const {
        std::vector<Affine> out;
        for (std::size_t i = 0; i < frames; ++i) {
            const double t = 0.02 * static_cast<double>(i);
            out.push_back(
                *Pose::from_quaternion({0.1 * t, 0, t, 8}, {1 + 0.02 * std::sin(t), 0.02 * std::cos(t), 0.95}));
        }
        return out;
    }
};

class FrontOf : public testing::TestWithParam<std::size_t> {
protected:
    const Mixture& mixture() const { return test::mixtures[GetParam()]; }
};

TEST(Front, StartsCold) {
    Front front;
    EXPECT_FALSE(front.warm());
    EXPECT_EQ(front.size(), 0u);
    EXPECT_GT(front.bytes(), 0u);
    EXPECT_LT(front.bytes(), 4096u);
}

TEST_P(FrontOf, GetsWarmAndCold) {
    const Scene s(mixture());
    Front front;
    const std::size_t cold = front.bytes();
    for (int i = 0; i < 3; ++i) collide(s.a, s.b, s.clear, {.front = &front});
    EXPECT_TRUE(front.warm());
    EXPECT_GT(front.size(), 0u);
    EXPECT_GT(front.bytes(), cold);

    // It moves with what it holds.
    const std::size_t size = front.size();
    Front other = std::move(front);
    EXPECT_EQ(other.size(), size);
    front = std::move(other);
    EXPECT_EQ(front.size(), size);

    front.clear();
    EXPECT_FALSE(front.warm());
    EXPECT_EQ(front.size(), 0u);
    EXPECT_EQ(front.bytes(), cold);
    for (int i = 0; i < 3; ++i) collide(s.a, s.b, s.clear, {.front = &front});
    EXPECT_TRUE(front.warm());

    // Other models make it start over: nothing is left of the first.
    const Model far = test::built(scenes::box(), test::trees[mixture().b]);
    collide(s.a, far, *Pose::from_matrix({}, {10, 0, 0}), {.front = &front});
    EXPECT_LT(front.size(), size);
}

TEST_P(FrontOf, StaysWithinItsMemory) {
    const Scene s(mixture());
    const std::vector<Affine> path = s.coherent_path(40);
    Front usual;
    const std::size_t cold = usual.bytes();
    std::size_t most = 0;
    for (const Affine& p : path) collide(s.a, s.b, p, {.front = &usual}), most = std::max(most, usual.bytes() - cold);
    EXPECT_GT(most, 0u);
    EXPECT_LT(most, FrontSettings().max_bytes);
    for (const std::size_t limit : {std::size_t{0}, most / 4, most - 1}) {
        Front front({.max_bytes = limit});
        for (const Affine& p : path) {
            ASSERT_TRUE(test::answers({}, s.a, s.b, p, front));
            ASSERT_LE(front.bytes(), cold + limit);
        }
    }
}

/// On a coherent path most pairs are settled without a test, or with one axis.
TEST_P(FrontOf, SavesWork) {
    const Scene s(mixture());
    QueryStats with, without;
    Front front;
    for (const Affine& p : s.coherent_path(200)) {
        collide(s.a, s.b, p, {.stats = &with, .front = &front});
        collide(s.a, s.b, p, {.stats = &without});
    }
    EXPECT_GT(with.kept + with.axis_tests, 0u);
    EXPECT_LT(2 * with.box_tests, without.box_tests);
    EXPECT_LE(with.triangle_tests, without.triangle_tests);
    EXPECT_EQ(without.kept + without.axis_tests, 0u);
}

TEST_P(FrontOf, KnowsAPoseThatItSaw) {
    const Scene s(mixture());
    Front front;
    for (int i = 0; i < 3; ++i) collide(s.a, s.b, s.clear, {.front = &front});
    QueryStats again, plain;
    EXPECT_TRUE(collide(s.a, s.b, s.clear, {.stats = &again, .front = &front}).empty());
    EXPECT_TRUE(collide(s.a, s.b, s.clear, {.stats = &plain}).empty());
    EXPECT_LE(again.box_tests + again.axis_tests, plain.box_tests / 20 + 1);
    EXPECT_LE(again.triangle_tests, plain.triangle_tests / 20);
    EXPECT_GT(again.kept, 0u);

    // The front of a yes-or-no query keeps the pair that met.
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(intersects(s.a, s.b, s.hit, {.front = &front}));
    again = {};
    EXPECT_TRUE(intersects(s.a, s.b, s.hit, {.stats = &again, .front = &front}));
    EXPECT_EQ(again.box_tests, 0u);
    EXPECT_EQ(again.triangle_tests, 1u);
}

/// However large the motions that it is asked to follow.
TEST_P(FrontOf, WorksWithoutAThreshold) {
    const Scene s(mixture());
    Front front({.coherence = infinity});
    QueryStats with, without;
    for (const Affine& p : s.coherent_path(50)) {
        collide(s.a, s.b, p, {.stats = &with, .front = &front});
        collide(s.a, s.b, p, {.stats = &without});
    }
    EXPECT_GT(with.kept + with.axis_tests, 0u);
    EXPECT_LT(2 * with.box_tests, without.box_tests);
    EXPECT_TRUE(front.warm());
}

/// Nothing is coherent then.
TEST_P(FrontOf, RestsAtThresholdZero) {
    const Scene s(mixture());
    Front front({.coherence = 0});
    for (const Affine& p : s.coherent_path(10)) {
        collide(s.a, s.b, p, {.front = &front});
        EXPECT_FALSE(front.warm());
    }
}

TEST_P(FrontOf, RefitsCountAsMotion) {
    Scene s(mixture());
    scenes::Soup soup = scenes::torus(1, 0.4, 40, 24);
    Front front;
    for (int i = 0; i < 3; ++i) collide(s.a, s.b, s.clear, {.front = &front});
    QueryStats stats;
    for (int i = 0; i < 5; ++i) {
        for (Vec3& p : soup.points) p.z += 1e-4;
        const Model kept = s.a;  // refitted as a copy
        ASSERT_TRUE(s.a.refit(soup.points, {.rebuild = Rebuild::Never}).ok());
        collide(s.a, s.b, s.clear, {.stats = &stats, .front = &front});
        EXPECT_TRUE(front.warm());
    }
    EXPECT_GT(stats.kept + stats.axis_tests, 0u);
}

INSTANTIATE_TEST_SUITE_P(Trees, FrontOf, testing::Range<std::size_t>(0, test::mixtures.size()),
                         [](const auto& p) { return test::label(test::mixtures[p.param]); });

// ---- Lineage ------------------------------------------------------------------------------------------------------

TEST(FrontLineage, OfTreesAndCopies) {
    const scenes::Soup box = scenes::box();
    const auto pulled = [&](double by) {
        std::vector<Vec3> points = box.points;
        points[0].x += by;
        return points;
    };
    const RefitSettings keep{.rebuild = Rebuild::Never};
    Model m = *Model::build(box);
    const auto now = [](const Model& of) { return detail::Access::data(of).lineage; };
    const Lineage first = now(m);
    EXPECT_EQ(now(m).since(first), 0);
    EXPECT_FALSE(now(*Model::build(box)).since(first));  // the same soup, another tree
    EXPECT_FALSE(first.since(Lineage()));
    EXPECT_FALSE(first.since(now(Model())));

    // In place: summed, never less than the way.
    ASSERT_TRUE(m.refit(pulled(0.5), keep).ok());
    ASSERT_TRUE(m.refit(pulled(0), keep).ok());
    EXPECT_GE(now(m).since(first), 1.0);
    EXPECT_LE(*now(m).since(first), 1.0 + 1e-12);
    const Lineage second = now(m);

    // A copy goes on from where they part; the other stays.
    Model copy = m;
    EXPECT_EQ(now(copy).since(second), 0);
    ASSERT_TRUE(copy.refit(pulled(0.25), keep).ok());
    EXPECT_GE(now(copy).since(second), 0.25);
    EXPECT_LE(*now(copy).since(second), 0.25 + 1e-12);
    EXPECT_GE(now(copy).since(first), 1.25);
    EXPECT_EQ(now(m).since(second), 0);
    EXPECT_FALSE(now(m).since(now(copy)));
    ASSERT_TRUE(m.refit(pulled(2), keep).ok());
    // From the other as it went on: back to where they parted, and on.
    if (const auto way = now(copy).since(now(m))) {
        EXPECT_GE(*way, 2.25);
    }
    Model sibling = m;
    ASSERT_TRUE(sibling.refit(pulled(-1), keep).ok());
    EXPECT_FALSE(now(sibling).since(now(copy)));
    EXPECT_FALSE(now(copy).since(now(sibling)));

    // A grandchild may be unknown, but never nearer than it is.
    Model grandchild = copy;
    ASSERT_TRUE(grandchild.refit(pulled(8), keep).ok());
    EXPECT_GE(now(grandchild).since(now(copy)), 7.75);
    if (const auto way = now(grandchild).since(second)) {
        EXPECT_GE(*way, 8);
    }

    // A new tree.
    const Lineage before = now(m);
    ASSERT_TRUE(m.refit(pulled(2), {.rebuild = Rebuild::Always}).ok());
    EXPECT_FALSE(now(m).since(before));
}

TEST(FrontLineage, SmallMotionsAfterLargeOnes) {
    Lineage l;
    const Lineage start = l;
    l.moved(1e30);
    const Lineage far = l;
    for (int i = 0; i < 1000; ++i) l.moved(1e-3);
    EXPECT_GE(l.since(far), 1.0);
    EXPECT_GE(l.since(start), 1e30);
}

// ---- The bound on motion ------------------------------------------------------------------------------------------

Eigen::Matrix3d eigen(const Mat3& m) {
    Eigen::Matrix3d out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out(i, j) = m.row[i][j];
    return out;
}

Mat3 random_matrix(Random& random, double scale) {
    Mat3 m;
    for (Vec3& row : m.row) row = random.in_cube(-scale, scale);
    switch (random.below(6)) {
        case 0:
            m.row[1] = m.row[0];  // singular
            break;
        case 1:
            m.row[2] = {};
            break;
        case 2:
            m.row[0] = m.row[0] * 1e-6;
            break;
        default:
            break;
    }
    return m;
}

TEST(FrontMotion, SpectralBound) {
    Random random(41);
    for (int i = 0; i < 20'000; ++i) {
        const double scale = std::ldexp(1, static_cast<int>(random.below(1800)) - 880);
        const Mat3 m = random_matrix(random, scale);
        const double truth = Eigen::JacobiSVD<Eigen::Matrix3d>(eigen(m) / scale).singularValues()[0] * scale;
        const double bound = detail::spectral_bound(m);
        ASSERT_GE(bound, truth * (1 - 1e-14)) << i;
        ASSERT_LE(bound, truth * 1.15) << i;
    }
    EXPECT_LE(detail::spectral_bound({{Vec3{}, Vec3{}, Vec3{}}}), 1e-200);
    const double tiny = 0x1p-1074;
    EXPECT_GE(detail::spectral_bound({{Vec3{tiny, 0, 0}, Vec3{0, tiny, 0}, Vec3{0, 0, tiny}}}), tiny);
}

/// A turn by `angle` about the axis.
Mat3 turn(const Vec3& axis, double angle) {
    const Vec3 v = axis * std::sin(angle / 2);
    return Pose::from_quaternion({v.x, v.y, v.z, std::cos(angle / 2)}, {})->rotation();
}

/// How far points of the ball go, among them the one that the difference moves furthest.
double farthest(const Affine& from, const Affine& to, const Vec3& centre, double radius, Random& random) {
    const Eigen::Matrix3d d = eigen(to.linear()) - eigen(from.linear());
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(d, Eigen::ComputeFullV);
    const Eigen::Vector3d v = svd.matrixV().col(0);
    double most = 0;
    for (int k = 0; k < 24; ++k) {
        Vec3 direction{v[0], v[1], v[2]};
        if (k == 1) direction = -direction;
        if (k > 1) direction = scenes::random_direction(random) * (k < 4 ? random.unit() : 1);
        const Vec3 p = centre + direction * (radius * (1 - 1e-15));
        const Vec3 way = to(p) - from(p);
        most = std::max(most, std::hypot(way.x, way.y, way.z));
    }
    return most;
}

TEST(FrontMotion, BoundsEveryPoint) {
    Random random(42);
    int tight = 0;
    for (int i = 0; i < 30'000; ++i) {
        const int kind = static_cast<int>(random.below(5));
        const double radius = std::ldexp(1 + random.unit(), static_cast<int>(random.below(1500)) - 750);
        const double off = random.below(2) ? 0 : radius * std::pow(10, random.between(-3, 8));
        const Vec3 centre = scenes::random_direction(random) * off;
        const double step = std::pow(10, random.between(-17, 0.5));
        const Vec3 t = scenes::random_direction(random) * (radius * std::pow(10, random.between(-3, 6)));
        const Vec3 dt = scenes::random_direction(random) * (random.below(3) ? radius * step : 0);
        const Pose at = scenes::random_rotation(random);
        Mat3 m = at.rotation(), n = turn(scenes::random_direction(random), random.below(6) ? step : 0) * m;
        if (kind == 1) m.row[0] = -m.row[0], n.row[0] = -n.row[0];  // mirrored
        if (kind == 2) n = random_matrix(random, 1);
        if (kind == 3) m = random_matrix(random, 2e5), n = random_matrix(random, 2e5);
        if (kind == 4) {
            m = random_matrix(random, 1e-9);
            n = m;
            n.row[random.below(3)].y *= 1 + step;
        }
        const auto from = Affine::from_matrix(m, t), to = Affine::from_matrix(n, t + dt);
        if (!from || !to) continue;
        const double bound = detail::motion_bound(*from, *to, centre, radius);
        const double truth = farthest(*from, *to, centre, radius, random);
        ASSERT_GE(bound, truth) << i << ", kind " << kind << ", step " << step;
        // Told when it has enough, it says no more than that it has.
        const double enough = bound * std::pow(10, random.between(-2, 1));
        const double some = detail::motion_bound(*from, *to, centre, radius, enough);
        ASSERT_TRUE(some == bound || (some > enough && bound > enough)) << i;
        // The lengths of shift and turn are added, though they may be across: √2; and the norm is 2^(1/8) of its own.
        if (kind < 2 && truth > 1e-6 * radius && off < 1e3 * radius && length(t) < 1e3 * radius) {
            ++tight;
            ASSERT_LE(bound, truth * 1.2 * std::sqrt(2)) << i << ", step " << step;
        }
    }
    EXPECT_GT(tight, 500);
}

TEST(FrontMotion, IsTightForTurnsAndForShifts) {
    Random random(43);
    for (int i = 0; i < 2000; ++i) {
        const double radius = std::ldexp(1, static_cast<int>(random.below(200)) - 100);
        const Mat3 m = scenes::random_rotation(random).rotation();
        const Mat3 n = turn(scenes::random_direction(random), random.between(1e-3, 3.1)) * m;
        const Affine from = *Affine::from_matrix(m, {}), to = *Affine::from_matrix(n, {});
        const double turned = detail::motion_bound(from, to, {}, radius),
                     truth = farthest(from, to, {}, radius, random);
        ASSERT_GE(turned, truth);
        ASSERT_LE(turned, 1.2 * truth);
        const Vec3 shift = scenes::random_direction(random) * (radius * random.between(1e-3, 10));
        const double moved = detail::motion_bound(from, *Affine::from_matrix(m, shift), {}, radius);
        ASSERT_GE(moved, length(shift));
        ASSERT_LE(moved, length(shift) * 1.000001);
    }
    // No motion: rounding only.
    EXPECT_LT(detail::motion_bound({}, {}, {1, 2, 3}, 4), 1e-12);
}

TEST(FrontMotion, AtTheEdgeOfTheRange) {
    Random random(44);
    for (const double scale : {0x1p-1074, 0x1p-1030, 0x1p-1000, 0x1p990}) {
        for (int i = 0; i < 200; ++i) {
            const Pose from = scenes::placed(scenes::random_rotation(random), random.in_cube(-4, 4) * scale);
            const Pose to = scenes::placed(scenes::random_rotation(random), random.in_cube(-4, 4) * scale);
            const Vec3 centre = random.in_cube(-4, 4) * scale;
            const double bound = detail::motion_bound(from, to, centre, 2 * scale);
            for (int k = 0; k < 20; ++k) {
                const Vec3 p = centre + random.in_cube(-1.1, 1.1) * scale;
                ASSERT_GE(bound, length(to(p) - from(p)));
            }
        }
    }
}

}  // namespace
}  // namespace graze
