// SPDX-License-Identifier: Apache-2.0
// The intersection of two triangles against rational arithmetic, family by family. GRAZE_LONG=1000000 in the
// environment sets the number of pairs of each family.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "case_count.hpp"
#include "exact/dyadic.hpp"
#include "graze/triangle.hpp"
#include "oracle.hpp"
#include "triangle_families.hpp"

namespace graze::test {
namespace {

using Rational = Oracle::Rational;

mpq_class product(const Rational& a, const Rational& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Rational cross(const Rational& a, const Rational& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Rational minus(const Rational& a, const Rational& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Rational rational(const Vec3& v) { return {v.x, v.y, v.z}; }
Rational normal(const Triangle& t) {
    return cross(minus(rational(t.b), rational(t.a)), minus(rational(t.c), rational(t.a)));
}

/// The nearest double, ties to even.
double nearest(const mpq_class& x) {
    const double low = x.get_d();  // towards zero
    const double high = std::nextafter(low, sgn(x) < 0 ? -INFINITY : INFINITY);
    const mpq_class below = abs(x - low), above = abs(high - x);
    if (below != above) return below < above ? low : high;
    return std::bit_cast<std::uint64_t>(low) % 2 == 0 ? low : high;
}
Vec3 nearest(const Rational& p) { return {nearest(p[0]), nearest(p[1]), nearest(p[2])}; }

bool before(const Vec3& a, const Vec3& b) { return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z; }
std::vector<Vec3> sorted(std::vector<Vec3> points) {
    std::sort(points.begin(), points.end(), before);
    return points;
}
std::vector<Vec3> sorted(const Intersection& x) {
    return sorted(std::vector<Vec3>(x.points.begin(), x.points.begin() + x.count));
}

/// Twice the area of a polygon, times the length of n, which is normal to it.
mpq_class area(const std::vector<Rational>& polygon, const Rational& n) {
    mpq_class sum = 0;
    for (std::size_t i = 2; i < polygon.size(); ++i)
        sum += product(cross(minus(polygon[i - 1], polygon[0]), minus(polygon[i], polygon[0])), n);
    return sum;
}

/// The exact points in the order of the result. Empty when rounding has made some of them equal.
std::vector<Rational> exact_points(const Intersection& found, const std::vector<Rational>& exact) {
    std::vector<Rational> out;
    for (int i = 0; i < found.count; ++i) {
        const Rational* match = nullptr;
        for (const Rational& p : exact) {
            if (nearest(p) != found.points[i]) continue;
            if (match) return {};
            match = &p;
        }
        out.push_back(*match);
    }
    return out;
}

/// True when the order was checked.
bool check(const Triangle& s, const Triangle& t) {
    const std::vector<Rational> exact = Oracle::common(s, t);
    const Intersection found = intersection(s, t);
    EXPECT_EQ(found.meeting, meeting(s, t));
    EXPECT_EQ(found.count, static_cast<int>(exact.size()));
    EXPECT_EQ(found.meeting == Meeting::Overlapping, found.count > 2);
    std::vector<Vec3> rounded;
    for (const Rational& p : exact) rounded.push_back(nearest(p));
    EXPECT_EQ(sorted(found), sorted(rounded));
    EXPECT_EQ(sorted(found), sorted(intersection(t, s)));
    if (testing::Test::HasFailure()) return false;

    const std::vector<Rational> points = exact_points(found, exact);
    const Rational n = normal(s);
    if (points.size() == 2 && found.meeting == Meeting::Crossing) {
        EXPECT_EQ(sgn(product(minus(points[1], points[0]), cross(n, normal(t)))), 1);
        return true;
    }
    if (points.size() < 3) return false;
    EXPECT_TRUE(area(points, n) == abs(area(exact, n)));
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Rational &p = points[i], &q = points[(i + 1) % points.size()], &r = points[(i + 2) % points.size()];
        EXPECT_EQ(sgn(product(cross(minus(q, p), minus(r, q)), n)), 1);
    }
    return true;
}

int pair_count() { return case_count(1000, 200); }

class IntersectionFamily : public testing::TestWithParam<Family> {};

TEST_P(IntersectionFamily, IsTheTrueOneRounded) {
    Random random(31);
    for (int i = 0; i < pair_count(); ++i) {
        const TriangleTwo p = GetParam().make(random);
        check(p.s, p.t);
        ASSERT_FALSE(HasFailure()) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Intersection, IntersectionFamily, testing::ValuesIn(families),
                         [](const auto& instance) { return instance.param.name; });

/// Triangles, segments and points of a small grid, in one plane or not: every tie occurs, and polygons of all sizes.
TEST(Intersection, OnASmallGrid) {
    Random random(32);
    std::array<int, 7> counts{};
    int ordered = 0;
    for (int i = 0; i < 10 * pair_count(); ++i) {
        const int size = 3 + random.below(5), plane = random.below(3);
        // Heights over a tilted plane.
        const auto point = [&] {
            const int x = random.below(size), y = random.below(size);
            return Vec3{x * 1.0, y * 1.0, plane == 0 ? random.below(size) * 1.0 : x * (plane - 1) + 2.0 * y};
        };
        Triangle s{point(), point(), point()}, t{point(), point(), point()};
        for (Triangle* x : {&s, &t}) {
            if (random.below(8) == 0) x->b = x->a;
            if (random.below(8) == 0) x->c = x->b;
        }
        if (random.below(8) == 0) t.a = s.b;
        ordered += check(s, t);
        ++counts[static_cast<std::size_t>(intersection(s, t).count)];
        ASSERT_FALSE(HasFailure()) << i;
    }
    for (const int n : counts) EXPECT_GT(n, 0);
    EXPECT_GT(ordered, pair_count());
}

TEST(Intersection, IsWrittenOut) {
    const Triangle flat{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const Intersection apart = intersection(flat, {{0, 0, 1}, {4, 0, 1}, {0, 4, 1}});
    EXPECT_EQ(apart.count, 0);
    EXPECT_EQ(apart.meeting, Meeting::Apart);
    // An upright triangle, whose normal points to -y, crosses it along y = 1.
    const Intersection segment = intersection(flat, {{-1, 1, -1}, {5, 1, -1}, {2, 1, 5}});
    EXPECT_EQ(segment.meeting, Meeting::Crossing);
    ASSERT_EQ(segment.count, 2);
    EXPECT_EQ(segment.points[0], (Vec3{0, 1, 0}));
    EXPECT_EQ(segment.points[1], (Vec3{3, 1, 0}));
    const Intersection same = intersection(flat, flat);
    EXPECT_EQ(same.meeting, Meeting::Overlapping);
    EXPECT_EQ(sorted(same), sorted({flat.a, flat.b, flat.c}));
    const Intersection point = intersection(flat, {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}});
    ASSERT_EQ(point.count, 1);
    EXPECT_EQ(point.points[0], (Vec3{1, 1, 0}));
}

/// Quotients down to the smallest doubles, where a result has few bits.
TEST(Dyadic, QuotientsAreRoundedOnce) {
    Random random(33);
    for (int i = 0; i < 20'000; ++i) {
        const double n = std::ldexp(random.full(), -random.below(60)), d = random.full();
        const int down = random.below(1100);
        const detail::Dyadic small =
            detail::Dyadic(n) * std::ldexp(1.0, -down / 2) * std::ldexp(1.0, -(down - down / 2));
        mpq_class exact = mpq_class(n) / mpq_class(d);
        exact >>= static_cast<unsigned>(down);
        ASSERT_EQ(detail::quotient(small, d), nearest(exact)) << i;
    }
    // Just above the middle of two doubles below the normal ones.
    const detail::Dyadic bit = detail::Dyadic(0x1p-1000) * 0x1p-100;
    EXPECT_EQ(detail::quotient(detail::Dyadic(0x1p-1074) * 0.5 + bit, 1.0), 0x1p-1074);
    EXPECT_EQ(detail::quotient(detail::Dyadic(0x1p-1074) * 0.5, 1.0), 0);
}

}  // namespace
}  // namespace graze::test
