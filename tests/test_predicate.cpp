// SPDX-License-Identifier: Apache-2.0
// The predicate against an independent exact one, family by family. GRAZE_LONG=1000000 in the
// environment sets the number of pairs a family; the default is 10,000.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include "case_count.hpp"
#include "exact/exact_sign.hpp"
#include "exact/predicate.hpp"
#include "exact/triangle_distance.hpp"
#include "graze/triangle.hpp"
#include "oracle.hpp"
#include "triangle_families.hpp"

namespace graze::test {
namespace {

std::string text(const Triangle& t) {
    std::ostringstream out;
    out << std::hexfloat << '{';
    for (const Vec3* v : {&t.a, &t.b, &t.c}) out << '{' << v->x << ", " << v->y << ", " << v->z << "}, ";
    out << '}';
    return out.str();
}

std::string text(const Triangle& s, const Triangle& t) { return text(s) + "\n" + text(t); }

Triangle permuted(const Triangle& t, int i) {
    switch (i) {
        case 0:
            return {t.a, t.b, t.c};
        case 1:
            return {t.b, t.c, t.a};
        case 2:
            return {t.c, t.a, t.b};
        case 3:
            return {t.b, t.a, t.c};
        case 4:
            return {t.a, t.c, t.b};
        default:
            return {t.c, t.b, t.a};
    }
}

int pair_count() { return case_count(10000, 3000); }

class PredicateFamily : public testing::TestWithParam<Family> {};

TEST_P(PredicateFamily, AgreesWithTheOracle) {
    Random random(2024);
    std::map<Meeting, int> seen;
    for (int i = 0; i < pair_count(); ++i) {
        const TriangleTwo p = GetParam().make(random);
        const Meeting expected = Oracle::meeting(p.s, p.t);
        ++seen[expected];
        bool used_exact = false;
        ASSERT_EQ(meeting(p.s, p.t), expected) << i << '\n' << text(p.s, p.t);
        ASSERT_EQ(meet(p.s, p.t), expected != Meeting::Apart) << i << '\n' << text(p.s, p.t);
        ASSERT_EQ(detail::meet(p.s, p.t, used_exact), expected != Meeting::Apart) << i << '\n' << text(p.s, p.t);
        // One other order of the corners for each pair, all 36 both ways round for some.
        const int first = i % 100 ? i % 36 : 0, last = i % 100 ? first + 1 : 36;
        for (int k = first; k < last; ++k) {
            const Triangle s = permuted(p.s, k / 6), t = permuted(p.t, k % 6);
            ASSERT_EQ(meeting(t, s), expected) << i << '\n' << text(t, s);
            ASSERT_EQ(meeting(s, t), expected) << i << '\n' << text(s, t);
            ASSERT_EQ(meet(t, s), expected != Meeting::Apart) << i << '\n' << text(t, s);
        }
    }
    // Pairs that nearly all answer the same would test little.
    for (const auto& [kind, count] : seen) EXPECT_LT(count, pair_count() * 0.98) << static_cast<int>(kind);
}

INSTANTIATE_TEST_SUITE_P(All, PredicateFamily, testing::ValuesIn(families),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Predicate, ByHand) {
    const Triangle floor{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const auto check = [&](const Triangle& t, Meeting expected) {
        EXPECT_EQ(meeting(floor, t), expected) << text(t);
        EXPECT_EQ(meeting(t, floor), expected) << text(t);
        EXPECT_EQ(meet(floor, t), expected != Meeting::Apart) << text(t);
        EXPECT_EQ(Oracle::meeting(floor, t), expected) << text(t);
    };
    // Proper, in another plane: through the inside, a corner on it, a corner on the rim, above.
    check({{1, 1, -1}, {1, 1, 1}, {2, 1, 1}}, Meeting::Crossing);
    check({{1, 1, 0}, {1, 1, 1}, {2, 1, 1}}, Meeting::Touching);
    check({{2, 2, 0}, {2, 2, 1}, {3, 2, 1}}, Meeting::Touching);
    check({{1, 1, 1}, {1, 1, 2}, {2, 1, 2}}, Meeting::Apart);
    // An edge within the inside; through the corner (4, 0, 0) only; past it.
    check({{1, 1, 0}, {2, 1, 0}, {1, 1, 1}}, Meeting::Touching);
    check({{4, 0, -1}, {4, 0, 1}, {5, 0, 0}}, Meeting::Touching);
    check({{5, 0, -1}, {5, 0, 1}, {6, 0, 0}}, Meeting::Apart);
    // Upright in the plane of the edge y = 0: the insides do not meet.
    check({{1, 0, -1}, {2, 0, -1}, {1, 0, 1}}, Meeting::Touching);
    // Same plane: inside, across, by an edge, by a corner, apart, the same.
    check({{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, Meeting::Overlapping);
    check({{1, 1, 0}, {9, 1, 0}, {9, 2, 0}}, Meeting::Overlapping);
    check({{1, 0, 0}, {3, 0, 0}, {2, -1, 0}}, Meeting::Touching);
    check({{4, 0, 0}, {5, 0, 0}, {5, 1, 0}}, Meeting::Touching);
    check({{3, 2, 0}, {5, 0, 0}, {5, 5, 0}}, Meeting::Apart);
    check(floor, Meeting::Overlapping);
    // Segments: through the inside, through the rim, ending on it, within the plane, beside.
    check({{1, 1, -1}, {1, 1, 1}, {1, 1, 0}}, Meeting::Crossing);
    check({{2, 2, -1}, {2, 2, 1}, {2, 2, 0}}, Meeting::Touching);
    check({{1, 1, 0}, {1, 1, 1}, {1, 1, 1}}, Meeting::Touching);
    check({{1, 1, 0}, {9, 9, 0}, {1, 1, 0}}, Meeting::Touching);
    check({{3, 3, 0}, {9, 9, 0}, {4, 4, 0}}, Meeting::Apart);
    check({{3, 3, -1}, {3, 3, 1}, {3, 3, 0}}, Meeting::Apart);
    check({{-1, 2, 0}, {2, -1, 0}, {0, 1, 0}}, Meeting::Touching);
    check({{-2, 1, 0}, {1, -2, 0}, {0, -1, 0}}, Meeting::Apart);
    // Points: inside, corner, beside, above.
    check({{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}, Meeting::Touching);
    check({{4, 0, 0}, {4, 0, 0}, {4, 0, 0}}, Meeting::Touching);
    check({{3, 3, 0}, {3, 3, 0}, {3, 3, 0}}, Meeting::Apart);
    check({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, Meeting::Apart);
}

TEST(Predicate, SegmentsAndPoints) {
    const auto segment = [](const Vec3& a, const Vec3& b) { return Triangle{a, b, a}; };
    const Triangle x = segment({0, 0, 0}, {4, 0, 0});
    const auto check = [&](const Triangle& t, Meeting expected) {
        EXPECT_EQ(meeting(x, t), expected) << text(t);
        EXPECT_EQ(meeting(t, x), expected) << text(t);
        EXPECT_EQ(Oracle::meeting(x, t), expected) << text(t);
    };
    check(segment({1, -1, 0}, {1, 1, 0}), Meeting::Touching);  // across
    check(segment({1, 0, 0}, {1, 1, 0}), Meeting::Touching);   // a T
    check(segment({4, 0, 0}, {5, 0, 0}), Meeting::Touching);   // end to end
    check(segment({1, 0, 0}, {2, 0, 0}), Meeting::Touching);   // within
    check(segment({5, 0, 0}, {6, 0, 0}), Meeting::Apart);      // further on
    check(segment({0, 1, 0}, {4, 1, 0}), Meeting::Apart);      // parallel
    check(segment({1, -1, 1}, {1, 1, 1}), Meeting::Apart);     // skew
    check(segment({5, -1, 0}, {5, 1, 0}), Meeting::Apart);     // would cross the line
    check(segment({2, 0, 0}, {2, 0, 0}), Meeting::Touching);   // a point of it
    check(segment({2, 1, 0}, {2, 1, 0}), Meeting::Apart);
    check(segment({5, 0, 0}, {5, 0, 0}), Meeting::Apart);
    EXPECT_EQ(meeting(segment({1, 2, 3}, {1, 2, 3}), segment({1, 2, 3}, {1, 2, 3})), Meeting::Touching);
    EXPECT_EQ(meeting(segment({1, 2, 3}, {1, 2, 3}), segment({1, 2, 4}, {1, 2, 4})), Meeting::Apart);
    // The zeros are the same number.
    EXPECT_TRUE(meet(segment({0, 0, 0}, {0, 0, 0}), segment({-0.0, -0.0, -0.0}, {-0.0, 0, 0})));
}

TEST(Predicate, AgreesOneUlpToEitherSideOfATie) {
    Random random(7);
    std::map<Meeting, int> seen;
    const auto walk = [&](TriangleTwo p) {
        Vec3* corners[] = {&p.s.a, &p.s.b, &p.s.c, &p.t.a, &p.t.b, &p.t.c};
        for (Vec3* corner : corners)
            for (int axis = 0; axis < 3; ++axis) {
                const double x = (*corner)[axis];
                for (const double towards : {-INFINITY, INFINITY}) {
                    (*corner)[axis] = std::nextafter(x, towards);
                    const Meeting expected = Oracle::meeting(p.s, p.t);
                    ++seen[expected];
                    ASSERT_EQ(meeting(p.s, p.t), expected) << text(p.s, p.t);
                    ASSERT_EQ(meet(p.t, p.s), expected != Meeting::Apart) << text(p.s, p.t);
                }
                (*corner)[axis] = x;
            }
    };
    for (const Family& f : families) {
        const std::string name = f.name;
        if (name == "magnitudes" || name == "random" || name == "needles") continue;
        for (int found = 0, tries = 0; found < 40 && tries < 100000; ++tries) {
            const TriangleTwo p = f.make(random);
            if (meeting(p.s, p.t) != Meeting::Touching) continue;
            ++found;
            ASSERT_NO_FATAL_FAILURE(walk(p));
        }
    }
    for (const Meeting m : {Meeting::Apart, Meeting::Touching, Meeting::Crossing}) EXPECT_GT(seen[m], 1000);
}

TEST(ExactSign, EveryWidthAgreesWithGmp) {
    Random random(3);
    // Spreads of exponents that need one, two, four and all limbs.
    for (const int spread : {1, 6, 40, 60, 150, 2000})
        for (int i = 0; i < 3000; ++i) {
            const auto number = [&] {
                return random.below(12) ? std::ldexp(random.full(), random.below(spread) - spread / 2) : 0.0;
            };
            const auto point = [&] { return Vec3{number(), number(), number()}; };
            const Vec3 a = point(), b = point(), c = point();
            Vec3 d = point();
            // In or near the plane: a combination whose rounding error is all that is left.
            const int how = random.below(4);
            if (how == 0) d = a + (b - a) * random.unit() + (c - a) * random.unit();
            if (how == 1) d = (a + b) * 0.5;
            if (how == 2) d = {a.x, b.y, c.z};
            const int expected = Oracle::orient3d(a, b, c, d);
            bool used_exact = false;
            ASSERT_EQ(detail::orient3d_exact(a, b, c, d), expected) << text({a, b, c}, {d, d, d});
            ASSERT_EQ(detail::orient3d(a, b, c, d, used_exact), expected) << text({a, b, c}, {d, d, d});
            // In the plane z = 0 seen from (0, 0, 1) it is the two-dimensional one.
            const Vec3 e{a.x, a.y, 0}, f{b.x, b.y, 0}, g{how ? d.x : c.x, how ? d.y : c.y, 0}, up{0, 0, 1};
            const int turn = Oracle::orient3d(e, f, g, up);
            ASSERT_EQ(detail::orient2d_exact({e.x, e.y}, {f.x, f.y}, {g.x, g.y}), turn);
            ASSERT_EQ(detail::orient2d({e.x, e.y}, {f.x, f.y}, {g.x, g.y}, used_exact), turn);
        }
}

TEST(ExactSign, TheFilterDecidesPlainSignsAlone) {
    bool used_exact = false;
    EXPECT_EQ(detail::orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, used_exact), 1);
    EXPECT_EQ(detail::orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 7, 0}, used_exact), 0);
    EXPECT_EQ(detail::orient2d({0, 0}, {1, 0}, {0, 1}, used_exact), 1);
    EXPECT_FALSE(used_exact);
    EXPECT_EQ(detail::orient3d({0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {3, 4, 7}, used_exact), 0);
    EXPECT_TRUE(used_exact);
}

TEST(ExactSign, LargestAndSmallestDoubles) {
    const double big = std::numeric_limits<double>::max(), small = std::numeric_limits<double>::denorm_min();
    bool used_exact = false;
    EXPECT_EQ(detail::orient3d({-big, -big, -big}, {big, big, big}, {0, small, 0}, {0, 0, small}, used_exact), 1);
    EXPECT_EQ(Oracle::orient3d({-big, -big, -big}, {big, big, big}, {0, small, 0}, {0, 0, small}), 1);
    EXPECT_EQ(detail::orient3d({0, 0, 0}, {small, 0, 0}, {0, small, 0}, {0, 0, -small}, used_exact), -1);
    EXPECT_EQ(detail::orient2d({-big, -big}, {big, big}, {small, 0}, used_exact), -1);
    EXPECT_EQ(detail::orient2d({-big, -big}, {big, big}, {small, small}, used_exact), 0);
}

TEST(TriangleDistance, ByHand) {
    const Triangle floor{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const auto check = [&](const Triangle& t, double expected) {
        EXPECT_NEAR(detail::triangle_distance(floor, t), expected, 1e-14 * (1 + expected)) << text(t);
        EXPECT_NEAR(detail::triangle_distance(t, floor), expected, 1e-14 * (1 + expected)) << text(t);
    };
    check({{1, 1, 2}, {1, 1, 3}, {2, 1, 3}}, 2);                // corner over the inside
    check({{7, 4, 0}, {9, 4, 1}, {9, 9, 0}}, std::sqrt(24.5));  // corner to the slanted edge
    check({{-3, 2, -1}, {-3, 2, 1}, {-5, 2, 0}}, 3);            // edge to edge
    check({{5, 0, 0}, {6, 0, 0}, {6, 1, 0}}, 1);                // corner to corner
    check({{1, 1, 5}, {1, 1, 5}, {1, 1, 5}}, 5);                // a point
    check({{-1, -1, 2}, {6, 6, 2}, {2, 2, 2}}, 2);              // a segment, parallel
    check({{4, 0, 0}, {5, 0, 0}, {5, 1, 0}}, 0);
    EXPECT_EQ(detail::triangle_distance({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}), 0);
}

TEST(TriangleDistance, ScalesAndIsSymmetric) {
    Random random(11);
    for (int i = 0; i < 2000; ++i) {
        const Family& f = families[static_cast<std::size_t>(random.below(12))];
        const TriangleTwo p = f.make(random);
        const double d = detail::triangle_distance(p.s, p.t);
        ASSERT_TRUE(std::isfinite(d) && d >= 0);
        ASSERT_NEAR(detail::triangle_distance(p.t, p.s), d, 1e-13) << text(p.s, p.t);
        ASSERT_NEAR(detail::triangle_distance(permuted(p.s, i % 6), permuted(p.t, i / 6 % 6)), d, 1e-13);
        for (const double by : {0x1p-900, 0x1p900}) {
            const auto scale = [&](const Vec3& v) { return v * by; };
            ASSERT_EQ(detail::triangle_distance(family::each(p.s, scale), family::each(p.t, scale)), d * by);
        }
        // No two points of theirs are nearer, unless they cross.
        double sampled = INFINITY;
        for (int k = 0; k < 200; ++k) {
            const auto any_point = [&](const Triangle& t) {
                const double u = random.unit(), v = random.unit() * (1 - u);
                return family::at(t, u, v);
            };
            sampled = std::min(sampled, length(any_point(p.s) - any_point(p.t)));
        }
        if (meeting(p.s, p.t) == Meeting::Crossing) continue;
        ASSERT_LE(d, sampled + 1e-13) << text(p.s, p.t);
    }
}

TEST(TriangleDistance, TouchingPairsAreNearZeroApart) {
    Random random(12);
    int found = 0;
    for (int i = 0; i < 20000; ++i) {
        const Family& f = families[static_cast<std::size_t>(random.below(12))];
        const TriangleTwo p = f.make(random);
        if (meeting(p.s, p.t) != Meeting::Touching) continue;
        ++found;
        ASSERT_LT(detail::triangle_distance(p.s, p.t), 1e-12) << f.name << '\n' << text(p.s, p.t);
    }
    EXPECT_GT(found, 2000);
}

}  // namespace
}  // namespace graze::test
