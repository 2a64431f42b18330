// SPDX-License-Identifier: Apache-2.0
// The exact tests of a triangle against a region, the short forms of the box test, and faults.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "agree/golden.hpp"
#include "counting.hpp"
#include "exact/region_exact.hpp"
#include "graze/region.hpp"
#include "region_oracle.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"
#include "tree/box_axes.hpp"

namespace graze {
namespace {

using scenes::Random;
using test::RegionOracle;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Small integers make ties of every kind, degenerate triangles included.
Vec3 small_integers(Random& random, std::uint32_t n) {
    const auto one = [&] { return static_cast<double>(random.below(2 * n + 1)) - n; };
    const double x = one(), y = one(), z = one();
    return {x, y, z};
}

/// Any box: each bound drawn, then with some chance made equal to the other or infinite.
template <class Draw>
Box any_box(Random& random, Draw&& draw) {
    test::BoxParts box;
    for (int i = 0; i < 3; ++i) {
        const double a = draw(), b = draw();
        box.lo[i] = std::min(a, b);
        box.hi[i] = std::max(a, b);
        const std::uint32_t kind = random.below(8);
        if (kind == 0 || kind == 1) box.lo[i] = -infinity;
        if (kind == 1 || kind == 2) box.hi[i] = infinity;
        if (kind == 3 || kind == 4) box.hi[i] = box.lo[i];
    }
    return box;
}

struct Tally {
    std::size_t meeting = 0, apart = 0, exact = 0;

    template <class Region>
    void compare(const Triangle& t, const Region& region) {
        bool used_exact = false;
        const bool expected = RegionOracle::meet(t, region);
        ASSERT_EQ(detail::meet(t, region, used_exact), expected);
        (expected ? meeting : apart) += 1;
        exact += used_exact;
    }
    void expect_all(std::size_t least) const {
        EXPECT_GT(meeting, least);
        EXPECT_GT(apart, least);
        EXPECT_GT(exact, least);
    }
};

TEST(RegionExact, BoxesOfSmallIntegers) {
    Random random(1);
    Tally tally;
    const unsigned rounds = test::scaled(60000);
    for (unsigned k = 0; k < rounds; ++k) {
        const std::uint32_t n = 1 + random.below(6);
        const Triangle t{small_integers(random, n), small_integers(random, n), small_integers(random, n)};
        const auto draw = [&] { return static_cast<double>(random.below(2 * n + 1)) - n + 0.25 * random.below(2); };
        tally.compare(t, any_box(random, draw));
        if (HasFatalFailure()) return;
    }
    tally.expect_all(rounds / 50);
}

/// An edge or the plane of the triangle through a corner of the box up to one rounding, at every scale.
TEST(RegionExact, BoxesThatNearlyTouch) {
    Random random(2);
    Tally tally;
    const unsigned rounds = test::scaled(20000);
    for (unsigned k = 0; k < rounds; ++k) {
        const int e[] = {0, 0, 40, -40, 900, -900, 990, -1060};
        const double unit = std::ldexp(1, e[random.below(8)]);
        Triangle t{random.in_cube(-1, 1) * unit, random.in_cube(-1, 1) * unit, random.in_cube(-1, 1) * unit};
        if (random.below(4) == 0) t.c = t.a * 0.5 + t.b * 0.5;
        const double s = random.unit(), r = random.below(2) ? random.unit() * (1 - s) : 0;
        Vec3 corner = t.a * (1 - s - r) + t.b * s + t.c * r;
        if (random.below(2)) {
            const int i = static_cast<int>(random.below(3));
            corner[i] = std::nextafter(corner[i], random.below(2) ? infinity : -infinity);
        }
        test::BoxParts box{corner, corner};
        for (int i = 0; i < 3; ++i) {
            const std::uint32_t kind = random.below(5);
            const double by = random.unit() * unit;
            if (kind == 0) box.hi[i] += by;
            if (kind == 1) box.lo[i] -= by;
            if (kind == 2) box.hi[i] = infinity;
            if (kind == 3) box.lo[i] = -infinity;
        }
        tally.compare(t, Box(box));
        if (HasFatalFailure()) return;
    }
    tally.expect_all(rounds / 50);
}

TEST(RegionExact, Slabs) {
    Random random(3);
    Tally tally;
    const unsigned rounds = test::scaled(30000);
    for (unsigned k = 0; k < rounds; ++k) {
        const bool integers = random.below(2) != 0;
        const int e[] = {0, 0, 30, -30, 900, -900, -1060};
        const double unit = integers ? 1 : std::ldexp(1, e[random.below(7)]);
        const double length = integers ? 1 : std::ldexp(1, e[random.below(7)]);
        const auto point = [&] { return integers ? small_integers(random, 3) : random.in_cube(-1, 1) * unit; };
        const Triangle t{point(), point(), point()};
        Vec3 n = integers ? small_integers(random, 2) : scenes::random_direction(random) * length;
        if (n == Vec3{}) n.y = 1;
        // Through a corner as nearly as can be computed.
        double offset = dot(n, t.b);
        if (!std::isfinite(offset) || std::abs(offset) > max_coordinate) offset = unit;
        if (random.below(3) == 0) offset = std::nextafter(offset, random.below(2) ? infinity : -infinity);
        Slab slab = random.below(2) ? *Slab::plane(n, offset) : *Slab::half_space(n, offset);
        if (random.below(3) == 0) slab = *Slab::between(n, offset, random.below(2) ? infinity : std::abs(offset) * 2);
        tally.compare(t, slab);
        if (HasFatalFailure()) return;
        EXPECT_EQ(RegionOracle::visible(t, {&slab, 1}), RegionOracle::meet(t, slab));
    }
    tally.expect_all(rounds / 50);
}

/// Table 1 of the OBBTree paper, and what is left where only the axes are asked that a flat box needs. Bounds of
/// error cost an addition for each axis and for each |R_ij|.
TEST(BoxAxes, OperationCounts) {
    const auto row = [](const char* name, test::Counts found, int compare, int add, int multiply, int abs) {
        const int slack = compare, widen = abs - compare;
        std::printf("%-28s compare %2d  add %2d + %2d  multiply %2d  abs %2d\n", name, found.compare,
                    found.add - slack - widen, slack + widen, found.multiply, found.abs);
        EXPECT_EQ(found, (test::Counts{compare, add + slack + widen, multiply, abs})) << name;
    };
    row("box, box", test::count_overlapping<3, 3, true>(), 15, 60, 81, 24);
    row("box, rectangle (paper)", test::count_overlapping<3, 2, true>(), 15, 50, 72, 24);
    row("rectangle, rectangle (paper)", test::count_overlapping<2, 2, true>(), 15, 40, 63, 24);
    row("box, box", test::count_overlapping<3, 3, false>(), 15, 60, 81, 24);
    row("box, rectangle", test::count_overlapping<3, 2, false>(), 10, 28, 42, 19);
    row("box, segment", test::count_overlapping<3, 1, false>(), 6, 9, 15, 9);
    row("box, point", test::count_overlapping<3, 0, false>(), 3, 0, 0, 3);
}

template <int thick>
void expect_forms_agree(Random& random) {
    std::size_t apart = 0;
    constexpr int rounds = 20000;
    for (int k = 0; k < rounds; ++k) {
        const Mat3 turn = scenes::random_rotation(random).rotation();
        const Vec3 at = random.in_cube(-0.9, 0.9);
        double a[3], b[3] = {}, r[3][3];
        for (int i = 0; i < 3; ++i) {
            a[i] = random.unit();
            if (i < thick) b[i] = random.unit();
            for (int j = 0; j < 3; ++j) r[i][j] = turn.row[i][j];
        }
        const double t[3] = {at.x, at.y, at.z};
        const bool full = detail::boxes_apart<3, 3>(a, b, t, r, 0.0, 0.0);
        EXPECT_EQ((detail::boxes_apart<3, thick>(a, b, t, r, 0.0, 0.0)), full);
        EXPECT_EQ((detail::boxes_apart<3, thick, true>(a, b, t, r, 0.0, 0.0)), full);
        apart += full;
    }
    EXPECT_GT(apart, rounds / 10);
    EXPECT_LT(apart, rounds * 9 / 10);
}

TEST(BoxAxes, ShortFormsAgreeWithTheFullOne) {
    Random random(4);
    expect_forms_agree<0>(random);
    expect_forms_agree<1>(random);
    expect_forms_agree<2>(random);
    expect_forms_agree<3>(random);
}

template <class T>
void expect_fault(const Result<T>& result, FaultKind kind, const char* message) {
    ASSERT_FALSE(result.ok()) << message;
    EXPECT_EQ(result.fault().kind, kind) << result.fault().message;
    EXPECT_EQ(result.fault().message, message);
}

TEST(Regions, Faults) {
    const auto with = [](int i, double lo, double hi) {
        Vec3 low{-1, -1, -1}, high{1, 1, 1};
        low[i] = lo, high[i] = hi;
        return Box::between(low, high);
    };
    expect_fault(with(0, nan, 1), FaultKind::NotFinite, "box: its range in x is not a number");
    expect_fault(with(1, 0, nan), FaultKind::NotFinite, "box: its range in y is not a number");
    expect_fault(with(2, 1, 0), FaultKind::BadRegion, "box: its range in z is empty");
    expect_fault(with(2, infinity, infinity), FaultKind::BadRegion, "box: its range in z is empty");
    expect_fault(with(2, -infinity, -infinity), FaultKind::BadRegion, "box: its range in z is empty");
    expect_fault(with(0, -0x1p1001, 1), FaultKind::OutOfRange, "box: its range in x is beyond 2^1000");

    expect_fault(Slab::plane({0, 0, 0}, 1), FaultKind::Singular, "slab: the normal is zero");
    expect_fault(Slab::between({0, nan, 0}, 0, 1), FaultKind::NotFinite, "slab: entry 1 of the normal is not finite");
    expect_fault(Slab::between({0, 0, infinity}, 0, 1), FaultKind::NotFinite,
                 "slab: entry 2 of the normal is not finite");
    expect_fault(Slab::between({0x1p1001, 0, 1}, 0, 1), FaultKind::OutOfRange,
                 "slab: entry 0 of the normal is beyond 2^1000");
    expect_fault(Slab::between({0, 1, 0}, 2, 1), FaultKind::BadRegion, "slab: its range is empty");
    expect_fault(Slab::half_space({0, 1, 0}, nan), FaultKind::NotFinite, "slab: its range is not a number");
}

/// More slabs than a walk has bits for.
TEST(Regions, ManySlabs) {
    const Model model = *Model::build(scenes::torus(1, 0.4, 24, 16));
    Random random(9);
    std::vector<Slab> slabs;
    while (slabs.size() < 200) slabs.push_back(*Slab::half_space(scenes::random_direction(random), 0.9));
    for (const std::size_t n : {std::size_t{63}, std::size_t{64}, std::size_t{65}, slabs.size()}) {
        const auto some = std::span(slabs).first(n);
        std::vector<std::uint32_t> expected;
        for (std::uint32_t i = 0; i < model.triangle_count(); ++i)
            if (RegionOracle::visible(model.triangle(i), some)) expected.push_back(i);
        EXPECT_EQ(visible(some, model), expected);
        EXPECT_GT(expected.size(), 10u);
        EXPECT_LT(expected.size(), model.triangle_count());
    }
}

TEST(Regions, ByHand) {
    // Twelve triangles about the origin, two a side: -x, +x, -y, +y, -z, +z in some order.
    const Model cube = *Model::build(scenes::box());
    const auto size = [](const std::vector<std::uint32_t>& r) { return r.size(); };
    const auto plane = [](const Vec3& n, double d) { return *Slab::plane(n, d); };
    const auto half_space = [](const Vec3& n, double d) { return *Slab::half_space(n, d); };
    EXPECT_EQ(size(overlapping(*Box::between({-2, -2, -2}, {2, 2, 2}), cube)), 12u);
    EXPECT_EQ(size(overlapping(*Box::between({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}), cube)), 0u);  // in the hollow
    EXPECT_EQ(size(overlapping(plane({1, 0, 0}, 1.5), cube)), 0u);
    EXPECT_EQ(size(overlapping(*Box::between({-infinity, -infinity, -infinity}, {infinity, infinity, infinity}), cube)),
              12u);
    // A line along z through the middle of a quarter of the faces: one triangle of each of the two faces.
    EXPECT_EQ(size(overlapping(*Box::between({0.5, 0.25, -infinity}, {0.5, 0.25, infinity}), cube)), 2u);
    // The half of it that ends in the hollow.
    EXPECT_EQ(size(overlapping(*Box::between({0.5, 0.25, 0}, {0.5, 0.25, infinity}), cube)), 1u);
    // The plane of a face: its two triangles, and all that touch it along an edge or in a corner.
    std::size_t touching = 0;
    for (std::uint32_t i = 0; i < 12; ++i) {
        const Triangle t = cube.triangle(i);
        touching += t.a.x == 1 || t.b.x == 1 || t.c.x == 1;
    }
    EXPECT_EQ(size(overlapping(plane({1, 0, 0}, 1), cube)), touching);
    EXPECT_EQ(size(overlapping(half_space({-1, 0, 0}, -1), cube)), touching);
    EXPECT_EQ(size(overlapping(*Box::between({1, -infinity, -infinity}, {infinity, infinity, infinity}), cube)),
              touching);
    // Placed: the cube scaled by two and moved.
    const Affine place = *Affine::from_rows({2, 0, 0, 10, 0, 2, 0, 0, 0, 0, 2, 0});
    EXPECT_EQ(size(overlapping(plane({1, 0, 0}, 12), cube, place)), touching);
    EXPECT_FALSE(intersects(plane({1, 0, 0}, 12.5), cube, place));
    EXPECT_TRUE(intersects(*Box::between({11, 2, 1}, {11, 2, 1}), cube, place));
    EXPECT_EQ(size(visible({}, cube, place)), 12u);

    int calls = 0;
    const auto once = [&](std::uint32_t) { return ++calls, Step::Stop; };
    EXPECT_FALSE(for_each_overlapping(*Box::between({-2, -2, -2}, {2, 2, 2}), cube, {}, once));
    EXPECT_EQ(calls, 1);
    const auto count = [&](std::uint32_t) { return ++calls, Step::Continue; };
    EXPECT_TRUE(for_each_overlapping(half_space({0, 0, 1}, 5), cube, {}, count));
    EXPECT_EQ(calls, 13);

    EXPECT_EQ(size(overlapping(Box(), cube)), 0u);  // the empty box
    EXPECT_FALSE(intersects(Box(), cube));
    EXPECT_EQ(size(overlapping(Box(), Model())), 0u);
    EXPECT_EQ(size(overlapping(plane({1, 0, 0}, 0), Model())), 0u);
}

}  // namespace
}  // namespace graze
