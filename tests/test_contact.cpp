// SPDX-License-Identifier: Apache-2.0
// Contact points against the hull of the Minkowski difference, found by trying the plane of any three of its points.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "distance_oracle.hpp"
#include "graze/contact.hpp"
#include "graze/distance.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;
using test::DistanceOracle;

Triangle moved(const Triangle& t, const Vec3& by) { return {t.a + by, t.b + by, t.c + by}; }
double size_of(const Triangle& s, const Triangle& t) {
    double most = 0;
    for (const Vec3* v : {&s.b, &s.c, &t.a, &t.b, &t.c}) most = std::max(most, length(*v - s.a));
    return most;
}

/// The distance from the origin, which is within it, to the boundary of the hull of the differences of corners.
long double least_translation(const Triangle& s, const Triangle& t) {
    struct V {
        long double x, y, z;
    };
    std::vector<V> p;
    for (const Vec3* a : {&s.a, &s.b, &s.c})
        for (const Vec3* b : {&t.a, &t.b, &t.c})
            p.push_back({static_cast<long double>(a->x) - b->x, static_cast<long double>(a->y) - b->y,
                         static_cast<long double>(a->z) - b->z});
    long double size = 0, best = INFINITY;
    for (const V& v : p) size = std::max({size, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
    bool solid = false;
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < i; ++j)
            for (std::size_t k = 0; k < j; ++k) {
                const V u{p[j].x - p[i].x, p[j].y - p[i].y, p[j].z - p[i].z};
                const V v{p[k].x - p[i].x, p[k].y - p[i].y, p[k].z - p[i].z};
                V n{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
                const long double norm = std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
                if (norm < 1e-9L * size * size) continue;
                n = {n.x / norm, n.y / norm, n.z / norm};
                const auto height = [&](const V& q) { return n.x * q.x + n.y * q.y + n.z * q.z; };
                const long double at = height(p[i]);
                long double low = 0, high = 0;
                for (const V& q : p) {
                    low = std::min(low, height(q) - at);
                    high = std::max(high, height(q) - at);
                }
                if (high - low > 1e-12L * size) solid = true;
                if (low < -1e-12L * size && high > 1e-12L * size) continue;  // it has points on both sides
                best = std::min(best, std::abs(at));
            }
    return solid ? best : 0;
}

/// Corners on a small grid make touching, flat and degenerate pairs common.
Triangle any_triangle(Random& random, int kind) {
    const auto corner = [&] {
        if (kind < 2) return random.in_cube(-1, 1);
        return Vec3{random.below(4) - 1.5, random.below(4) - 1.5, kind == 2 ? random.below(3) - 1.0 : 0.5};
    };
    return {corner(), corner(), corner()};
}

TEST(ContactPoint, PartsTrianglesByTheLeastTranslation) {
    Random random(7);
    int crossing = 0, touching = 0, flat = 0, apart = 0;
    for (int i = 0; i < 4000; ++i) {
        const Triangle s = any_triangle(random, i % 4), t = any_triangle(random, i % 4);
        const double size = size_of(s, t);
        const ContactPoint c = contact_point(s, t), back = contact_point(t, s);
        const Meeting how = meeting(s, t);
        ASSERT_NEAR(length(c.normal), 1, 1e-14);
        ASSERT_NEAR(c.depth, back.depth, 2e-12 * size);
        if (how == Meeting::Apart) {
            ++apart;
            ASSERT_TRUE(DistanceOracle::is_rounded_root(-c.depth, DistanceOracle::squared(s, t)));
            const Vec3 half = c.normal * (c.depth / 2);
            for (const auto& [at, triangle] : {std::pair{c.point + half, s}, {c.point - half, t}})
                ASSERT_LT(DistanceOracle::squared({at, at, at}, triangle).get_d(), 1e-20);
            continue;
        }
        crossing += how == Meeting::Crossing;
        touching += how == Meeting::Touching;
        flat += how == Meeting::Overlapping;
        ASSERT_NEAR(c.depth, static_cast<double>(least_translation(s, t)), 2e-12 * size + 1e-300);
        ASSERT_GE(c.depth, 0);
        if (how == Meeting::Overlapping) {
            ASSERT_LT(c.depth, 1e-12);
        }
        if (how == Meeting::Crossing && i % 4 == 2) {
            ASSERT_GT(c.depth, 0.01);
        }
        // Beyond the depth they are apart, in either order.
        const double more = 1e-9 * size + 1e-300;
        ASSERT_EQ(meeting(s, moved(t, c.normal * (c.depth + more))), Meeting::Apart);
        ASSERT_EQ(meeting(t, moved(s, back.normal * (back.depth + more))), Meeting::Apart);
        // The point is on both.
        const Triangle at{c.point, c.point, c.point};
        ASSERT_LT(DistanceOracle::squared(at, s).get_d(), 1e-20);
        ASSERT_LT(DistanceOracle::squared(at, t).get_d(), 1e-20);
    }
    EXPECT_GT(crossing, 200);
    EXPECT_GT(touching, 100);
    EXPECT_GT(flat, 100);
    EXPECT_GT(apart, 500);
}

TEST(ContactPoint, PointsFromAToB) {
    // A blade reaches a quarter through a floor from above.
    const Triangle floor{{-8, -8, 0}, {8, -8, 0}, {0, 8, 0}}, blade{{-1, 0, 2}, {1, 0, 2}, {0, 0, -0.25}};
    const ContactPoint c = contact_point(floor, blade), back = contact_point(blade, floor);
    EXPECT_EQ(c.normal, (Vec3{0, 0, 1}));
    EXPECT_DOUBLE_EQ(c.depth, 0.25);
    EXPECT_EQ(back.normal, (Vec3{0, 0, -1}));
    EXPECT_DOUBLE_EQ(back.depth, 0.25);
    EXPECT_NEAR(c.point.x, 0, 1e-15);
    EXPECT_EQ(c.point.y, 0);
    EXPECT_EQ(c.point.z, 0);
    // The orientation of the floor does not matter unless both ways are as short.
    const Triangle ceiling{floor.a, floor.c, floor.b};
    EXPECT_EQ(contact_point(ceiling, blade).normal, (Vec3{0, 0, 1}));
    EXPECT_EQ(contact_point(floor, floor).normal, (Vec3{0, 0, 1}));
    EXPECT_EQ(contact_point(ceiling, ceiling).normal, (Vec3{0, 0, -1}));
    // A point on the floor has no normal: it leaves against the floor's.
    EXPECT_EQ(contact_point({{}, {}, {}}, floor).normal, (Vec3{0, 0, -1}));
    EXPECT_EQ(contact_point({{}, {}, {}}, floor).depth, 0);
}

TEST(ContactPoint, WithoutAreaAndAtAnyScale) {
    const Vec3 o{}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    const Triangle points[] = {{o, o, o}, {x, x, x}}, segments[] = {{o, x, x}, {o, o, y}, {-x, x, o}, {x, z, x}};
    for (const Triangle* s : {&points[0], &segments[0], &segments[1], &segments[2]})
        for (const Triangle* t : {&points[0], &segments[0], &segments[1], &segments[2]}) {
            const ContactPoint c = contact_point(*s, *t);
            EXPECT_EQ(c.depth, 0);
            EXPECT_NEAR(length(c.normal), 1, 1e-15);
            EXPECT_EQ(meeting(*s, moved(*t, c.normal * 1e-9)), Meeting::Apart);
        }
    const ContactPoint gap = contact_point(points[0], points[1]);
    EXPECT_EQ(gap.depth, -1);
    EXPECT_EQ(gap.normal, x);
    EXPECT_EQ(gap.point, (Vec3{0.5, 0, 0}));
    const Triangle floor{{-8, -8, 0}, {8, -8, 0}, {0, 8, 0}}, blade{{-1, 0, 2}, {1, 0, 2}, {0, 0, -0.25}};
    for (const double scale : {0x1p-1000, 0x1p-300, 0x1p300, 0x1p990}) {
        const auto scaled = [&](const Triangle& t) { return Triangle{t.a * scale, t.b * scale, t.c * scale}; };
        const ContactPoint c = contact_point(scaled(floor), scaled(blade));
        EXPECT_EQ(c.normal, z);
        EXPECT_DOUBLE_EQ(c.depth, 0.25 * scale);
    }
}

TEST(ContactPoint, OfModelsInAPlacement) {
    const Model box = *Model::build(scenes::box({1, 1, 1}));
    const Pose pose = *Pose::from_translation({0.25, 0.125, 1.875});
    const std::vector<Contact> contacts = collide(box, box, pose);
    const std::vector<ContactPoint> points = contact_points(box, box, pose, contacts);
    ASSERT_EQ(points.size(), contacts.size());
    ASSERT_FALSE(points.empty());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const ContactPoint one = contact_point(box, box, pose, contacts[i]);
        EXPECT_EQ(one.point, points[i].point);
        EXPECT_EQ(one.normal, points[i].normal);
        EXPECT_EQ(one.depth, points[i].depth);
        EXPECT_LE(one.depth, 0.125 + 1e-12);
        EXPECT_NEAR(one.point.z, 0.9375, 0.0626);
    }
    // Pairs that are apart have a negative depth.
    const Pose above = *Pose::from_translation({0, 0, 2.5});
    for (const Contact& c : collide_within(box, box, above, 0.5)) {
        const ContactPoint p = contact_point(box, box, above, c);
        EXPECT_EQ(p.depth, -0.5);
        EXPECT_EQ(p.normal, (Vec3{0, 0, 1}));
        EXPECT_EQ(p.point.z, 1.25);
    }
}

}  // namespace
}  // namespace graze
