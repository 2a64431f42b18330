// SPDX-License-Identifier: Apache-2.0
// Distances of two triangles against rational arithmetic.
#include <gtest/gtest.h>

#include "case_count.hpp"
#include "distance_oracle.hpp"
#include "exact/triangle_distance.hpp"
#include "triangle_families.hpp"

namespace graze {
namespace {

using test::case_count;
using test::DistanceOracle;
using test::families;
using test::Family;
using test::Random;
using test::TriangleTwo;

std::string digits(const Triangle& t) {
    std::string out;
    char number[40];
    for (const Vec3* v : {&t.a, &t.b, &t.c})
        for (int i = 0; i < 3; ++i) {
            std::snprintf(number, sizeof number, " %.17g", (*v)[i]);
            out += number;
        }
    return out;
}

/// Exponent of the largest coordinate of the two.
double size_of(const TriangleTwo& p) {
    double most = 0;
    for (const Triangle* t : {&p.s, &p.t})
        for (const Vec3* v : {&t->a, &t->b, &t->c})
            most = std::max({most, std::abs(v->x), std::abs(v->y), std::abs(v->z)});
    return most;
}

TEST(TriangleDistance, IsTheTrueDistanceRounded) {
    for (const Family& family : families) {
        Random random(17);
        const int n = case_count(400, 50);
        int apart = 0, integers = 0;
        for (int i = 0; i < n; ++i) {
            const TriangleTwo p = family.make(random);
            const mpq_class d = DistanceOracle::squared(p.s, p.t);
            const detail::TriangleDistance distance(p.s, p.t);
            bool exact = false;
            const double r = distance.rounded(INFINITY, exact);
            apart += d != 0;
            integers += exact;
            ASSERT_TRUE(DistanceOracle::is_rounded_root(r, d))
                << family.name << digits(p.s) << " /" << digits(p.t) << ": " << r;
            if (distance.low() > 0) {
                ASSERT_LE(distance.low(), r * (1 + 0x1p-52));
            }
            ASSERT_GE(distance.high(), r * (1 - 0x1p-52));
            // Neither order matters.
            ASSERT_EQ(detail::triangle_distance({p.t.b, p.t.c, p.t.a}, {p.s.c, p.s.b, p.s.a}), r);
            // The three nearest doubles are told apart.
            for (const double length : {std::nextafter(r, 0), r, std::nextafter(r, INFINITY)}) {
                const mpq_class x = DistanceOracle::number(length);
                ASSERT_EQ(distance.within(length, exact), d <= x * x) << family.name;
            }
        }
        std::printf("%-18s %5d of %d apart, %d by integers\n", family.name, apart, n, integers);
    }
}

TEST(TriangleDistance, PointsAreOnTheTriangles) {
    for (const Family& family : families) {
        Random random(18);
        for (int i = 0; i < case_count(150, 20); ++i) {
            const TriangleTwo p = family.make(random);
            const detail::TriangleDistance distance(p.s, p.t);
            bool exact = false;
            const double r = distance.rounded(INFINITY, exact);
            const double room = 0x1p-50 * size_of(p) + 0x1p-1070;
            const Vec3 s = distance.on_s(), t = distance.on_t();
            ASSERT_LE(detail::triangle_distance({s, s, s}, p.s), room) << family.name << digits(p.s);
            ASSERT_LE(detail::triangle_distance({t, t, t}, p.t), room) << family.name << digits(p.t);
            ASSERT_NEAR(length(s - t), r, 0x1p-48 * size_of(p) + 0x1p-1070)
                << family.name << digits(p.s) << " /" << digits(p.t);
        }
    }
}

/// A corner above a face, an edge across an edge and so on, at a distance that is a double.
TEST(TriangleDistance, TiesAreExact) {
    Random random(19);
    for (int i = 0; i < case_count(2000, 250); ++i) {
        const double d = std::ldexp(1 + random.below(1 << 20), random.below(40) - 60);
        const Triangle floor{{-4, -4, 0}, {8, -4, 0}, {-4, 8, 0}};
        const Triangle cases[] = {
            {{0, 0, d}, {1, 0, d + 1}, {0, 1, d + 2}},         // a corner over the face
            {{-1, -1, d}, {2, 0, d}, {0, 1, d}},               // parallel
            {{-5, -4, 3 * d}, {-5, -4, -3 * d}, {-9, -9, 0}},  // an edge beside a corner
            {{0, -4 - d, 1}, {0, -4 - d, -1}, {0, -9, 0}},     // an edge across an edge
            {{8 + 3 * d, -4, 4 * d}, {9, -4, 9}, {9, -5, 9}},  // a corner near a corner: 5 d
        };
        const double expected[] = {d, d, 1, -1, 5 * d};
        for (std::size_t k = 0; k < std::size(cases); ++k) {
            if (k == 4 && !(3 * d < 1)) continue;
            const detail::TriangleDistance distance(floor, cases[k]);
            bool exact = false;
            // −4 − d and 8 + 3 d may round.
            const double e = k == 3 ? -4 - cases[k].a.y : k == 4 && 8 + 3 * d - 8 != 3 * d ? NAN : expected[k];
            if (std::isnan(e)) continue;
            ASSERT_EQ(distance.rounded(INFINITY, exact), e) << k << " " << d;
            ASSERT_TRUE(distance.within(e, exact));
            ASSERT_FALSE(distance.within(std::nextafter(e, 0), exact));
            ASSERT_TRUE(distance.within(std::nextafter(e, INFINITY), exact));
        }
    }
}

TEST(TriangleDistance, OfPoints) {
    Random random(20);
    for (int i = 0; i < case_count(2000, 250); ++i) {
        const TriangleTwo p =
            families[static_cast<std::size_t>(random.below(static_cast<int>(std::size(families))))].make(random);
        bool exact = false;
        ASSERT_EQ(detail::TriangleDistance(p.s.a, p.t).rounded(INFINITY, exact),
                  detail::triangle_distance({p.s.a, p.s.a, p.s.a}, p.t));
    }
}

}  // namespace
}  // namespace graze
