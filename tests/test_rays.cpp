// SPDX-License-Identifier: Apache-2.0
// A ray and a triangle against an independent exact answer, family by family, and the faults. GRAZE_LONG=1000000
// in the environment tries that many of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "case_count.hpp"
#include "exact/ray_exact.hpp"
#include "graze/graze.hpp"
#include "ray_oracle.hpp"
#include "triangle_families.hpp"

namespace graze::test {
namespace {

using detail::ExactRay;
using detail::HitTime;

constexpr double infinity = std::numeric_limits<double>::infinity();

int ray_count() { return case_count(1000); }

std::string text(const Ray& r, const Triangle& t) {
    char buffer[1024];
    const Vec3* v[] = {&r.origin(), &r.direction(), &t.a, &t.b, &t.c};
    std::string out;
    for (const Vec3* p : v) {
        std::snprintf(buffer, sizeof buffer, "{%a, %a, %a}\n", p->x, p->y, p->z);
        out += buffer;
    }
    std::snprintf(buffer, sizeof buffer, "t_min %a t_max %a\n", r.t_min(), r.t_max());
    return out + buffer;
}

/// A point of the triangle, as near as double says: a corner, one of an edge or of the inside.
Vec3 aim(Random& r, const Triangle& t) {
    switch (r.below(4)) {
        case 0:
            return t.a;
        case 1:
            return t.b * 0.5 + t.c * 0.5;
        case 2: {
            const double s = r.unit();
            return t.a * s + t.b * (1 - s);
        }
        default: {
            const double s = r.unit() / 2, q = r.unit() / 2;
            return t.a * s + t.b * q + t.c * (1 - s - q);
        }
    }
}

/// A ray made of s, at random towards t or in its plane.
RayParts make_ray(Random& r, const Triangle& s, const Triangle& t) {
    RayParts ray{s.a, s.b - s.a};
    switch (r.below(6)) {
        case 0:
            ray.direction = s.b;
            break;
        case 1:
            ray.direction = aim(r, t) - s.a;
            break;
        case 2:
            ray = {aim(r, t), s.b};
            break;
        case 3:
            ray = {t.a + (t.b - t.c), r.flip() ? t.c - t.b : t.c - t.a};
            break;
        case 4:
            ray.direction[r.below(3)] = 0;
            ray.direction[r.below(3)] = 0;
            break;
        default:
            break;
    }
    const double ends[] = {infinity, 1, 0, 0.5, 2, r.unit(), std::ldexp(r.unit(), r.below(2000) - 1000)};
    ray.t_max = ends[r.below(7)];
    if (r.below(3) == 0) ray.t_min = std::min({r.unit(), ray.t_max, 0x1p1000});
    if (r.below(8) == 0) ray.direction = ray.direction * std::ldexp(1, r.below(600) - 300);
    for (Vec3* v : {&ray.origin, &ray.direction})
        for (int i = 0; i < 3; ++i)
            if (!(std::abs((*v)[i]) <= max_coordinate)) (*v)[i] = 0;
    if (ray.direction == Vec3{}) ray.direction = {0, 0x1p-1074, 0};
    return ray;
}

class RayFamily : public testing::TestWithParam<Family> {};

TEST_P(RayFamily, AgreesWithTheOracle) {
    Random random(77);
    int hits = 0, filtered = 0;
    for (int i = 0; i < ray_count(); ++i) {
        const TriangleTwo p = GetParam().make(random);
        RayParts ray = make_ray(random, p.s, p.t);
        auto expected = RayOracle::first(ray, p.t);
        if (expected && random.flip()) {
            // An end next to the hit or on it.
            double end = expected->get_d();
            if (random.flip()) end = std::nextafter(end, random.flip() ? infinity : 0);
            if (random.flip() || std::isinf(end))
                ray.t_max = std::max(end, ray.t_min);
            else
                ray.t_min = std::min(end, ray.t_max);
            expected = RayOracle::first(ray, p.t);
        }
        HitTime time;
        bool exact = false;
        const ExactRay test(ray);
        ASSERT_EQ(test.hits(p.t, time, exact), expected.has_value()) << i << '\n' << text(ray, p.t);
        filtered += !exact;
        if (!expected) continue;
        ++hits;
        if (std::isfinite(time.t)) {
            ASSERT_TRUE(abs(*expected - mpq_class(time.t)) <= mpq_class(time.error)) << i << '\n' << text(ray, p.t);
        }
        // The order of two hits: of s or a neighbour of t.
        Triangle other = random.flip() ? p.s : Triangle{p.t.b, p.t.a, p.s.c};
        const auto second = RayOracle::first(ray, other);
        if (!second) continue;
        const int order = cmp(*expected, *second);
        ASSERT_EQ(test.compare(p.t, other), (order > 0) - (order < 0)) << i << '\n' << text(ray, p.t);
        ASSERT_EQ(test.compare(other, p.t), (order < 0) - (order > 0)) << i << '\n' << text(ray, p.t);
    }
    EXPECT_GT(hits, ray_count() / 50);
    EXPECT_LT(hits, ray_count());
    RecordProperty("filtered", filtered);
}

INSTANTIATE_TEST_SUITE_P(All, RayFamily, testing::ValuesIn(families), [](const auto& i) { return i.param.name; });

Model one(const Triangle& t) {
    const Vec3 points[] = {t.a, t.b, t.c};
    const std::uint32_t corners[] = {0, 1, 2};
    return *Model::build(SoupView(std::span<const Vec3>(points), corners));
}

TEST(Rays, Faults) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto kind = [](const Vec3& origin, const Vec3& direction, double t_min = 0, double t_max = infinity) {
        return Ray::from_direction(origin, direction, t_min, t_max).fault().kind;
    };
    EXPECT_EQ(kind({0, 0, nan}, {0, 0, 1}), FaultKind::NotFinite);
    EXPECT_EQ(kind({0, 0, 1}, {0, infinity, 1}), FaultKind::NotFinite);
    EXPECT_EQ(kind({0, 0, 1}, {0, 0, 1}, 0, nan), FaultKind::NotFinite);
    EXPECT_EQ(kind({0, 0, 1}, {0, 0, 1}, nan, 1), FaultKind::NotFinite);
    EXPECT_EQ(kind({0, 0, 1}, {0, 0, 1}, 0, -1), FaultKind::OutOfRange);
    EXPECT_EQ(kind({0, 0, 1}, {0, 0, 1}, -1, 1), FaultKind::OutOfRange);
    EXPECT_EQ(kind({0, 0, 1}, {0, 0, 1}, 2, 1), FaultKind::OutOfRange);
    EXPECT_EQ(kind({0, 0, 1}, {0, 0, 1}, infinity, infinity), FaultKind::OutOfRange);
    EXPECT_EQ(kind({0, 0x1p1001, 1}, {0, 0, 1}), FaultKind::OutOfRange);
    EXPECT_EQ(kind({0, 0, 1}, {0, -0x1p1001, 1}), FaultKind::OutOfRange);
    EXPECT_EQ(kind({0, 0, 1}, {0, -0.0, 0}), FaultKind::Singular);
    EXPECT_EQ(Ray::between({1, 2, 3}, {1, 2, 3}).fault().kind, FaultKind::Singular);
}

TEST(Rays, PlainCases) {
    const Model m = one({{0, 0, 0}, {2, 0, 0}, {0, 2, 0}});
    QueryStats stats;
    const auto ray = [](const Vec3& origin, const Vec3& direction, double t_min = 0, double t_max = infinity) {
        return *Ray::from_direction(origin, direction, t_min, t_max);
    };
    EXPECT_EQ(*nearest_hit(m, ray({0.5, 0.5, 3}, {0, 0, -2}), {.stats = &stats}), (RayHit{0, 0, 1.5, 0.25, 0.25}));
    EXPECT_GT(stats.double_tests, 0u);
    EXPECT_FALSE(nearest_hit(m, ray({0.5, 0.5, 3}, {0, 0, 2})));
    EXPECT_FALSE(any_hit(m, ray({0.5, 0.5, 3}, {0, 0, -2}, 0, std::nextafter(1.5, 0))));
    EXPECT_TRUE(any_hit(m, ray({0.5, 0.5, 3}, {0, 0, -2}, 0, 1.5)));
    EXPECT_TRUE(any_hit(m, ray({0.5, 0.5, 3}, {0, 0, -2}, 1.5)));
    EXPECT_FALSE(any_hit(m, ray({0.5, 0.5, 3}, {0, 0, -2}, std::nextafter(1.5, 2))));
    EXPECT_TRUE(any_hit(m, *Ray::between({0.5, 0.5, 3}, {0.5, 0.5, 0})));
    EXPECT_FALSE(any_hit(m, *Ray::between({0.5, 0.5, 3}, {0.5, 0.5, 0.1})));
    // In its plane, from outside, from inside, and from a t_min inside; along an edge; through a corner.
    EXPECT_EQ(*nearest_hit(m, ray({-1, 0.5, 0}, {1, 0, 0})), (RayHit{0, 0, 1, 0, 0.25}));
    EXPECT_EQ(*nearest_hit(m, ray({0.5, 0.5, 0}, {1, 0, 0})), (RayHit{0, 0, 0, 0.25, 0.25}));
    EXPECT_EQ(*nearest_hit(m, ray({-1, 0.5, 0}, {1, 0, 0}, 1.5)), (RayHit{0, 0, 1.5, 0.25, 0.25}));
    EXPECT_FALSE(nearest_hit(m, ray({-1, 0.5, 0}, {1, 0, 0}, 2.75)));
    EXPECT_EQ(*nearest_hit(m, ray({3, 0, 0}, {-1, 0, 0})), (RayHit{0, 0, 1, 1, 0}));
    EXPECT_EQ(*nearest_hit(m, ray({1, 1, 0}, {1, 1, 1})), (RayHit{0, 0, 0, 0.5, 0.5}));
    EXPECT_EQ(*nearest_hit(m, ray({0, 0, -1}, {0, 0, 0x1p-1000})), (RayHit{0, 0, 0x1p1000, 0, 0}));
    EXPECT_EQ(*nearest_hit(m, ray({0, 0, -0x1p900}, {0, 0, 0x1p-1000})), (RayHit{0, 0, infinity, 0, 0}));
    EXPECT_FALSE(nearest_hit(Model(), ray({0, 0, 0}, {1, 0, 0})));
    // Triangles without area: a segment and a point.
    const Model segment = one({{0, 0, 0}, {4, 0, 0}, {2, 0, 0}}), point = one({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
    EXPECT_EQ(*nearest_hit(segment, ray({1, 0, 1}, {0, 0, -1})), (RayHit{0, 0, 1, 0.25, 0}));
    EXPECT_EQ(*nearest_hit(point, ray({1, 1, 3}, {0, 0, -1})), (RayHit{0, 0, 2, 0, 0}));
}

}  // namespace
}  // namespace graze::test
