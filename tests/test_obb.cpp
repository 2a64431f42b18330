// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "graze/study.hpp"
#include "tree/fit.hpp"
#include "tree/obb.hpp"

namespace graze::detail {
namespace {

class Draw {
public:
    explicit Draw(unsigned seed) : random_(seed) {}
    double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }
    Vec3 vec(double r) { return {uniform(-r, r), uniform(-r, r), uniform(-r, r)}; }
    Pose pose(const Vec3& t) {
        std::normal_distribution<double> n;
        return *Pose::from_quaternion({n(random_), n(random_), n(random_), n(random_)}, t);
    }
    Obb box() {
        const Mat3 r = pose({}).rotation();
        return {orthonormal(r.row[0], r.row[1]), vec(0.4), {uniform(0, 0.5), uniform(0, 0.3), uniform(0, 0.1)}};
    }

private:
    std::mt19937 random_;
};

std::vector<Vec3> corners(const Obb& b) {
    std::vector<Vec3> out;
    for (int i = 0; i < 8; ++i)
        out.push_back(b.centre + transpose(b.axes) * Vec3{i & 1 ? b.half.x : -b.half.x, i & 2 ? b.half.y : -b.half.y,
                                                          i & 4 ? b.half.z : -b.half.z});
    return out;
}

/// The separating axes of two boxes, the second one's axes mapped: normals of faces, and products of two edges.
std::vector<Vec3> fifteen(const Obb& a, const Obb& b, const Mat3& m) {
    Vec3 edge[3];
    for (int j = 0; j < 3; ++j) edge[j] = m * b.axes.row[j];
    std::vector<Vec3> axes;
    for (int i = 0; i < 3; ++i) axes.push_back(a.axes.row[i]);
    for (int j = 0; j < 3; ++j) axes.push_back(cross(edge[(j + 1) % 3], edge[(j + 2) % 3]));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) axes.push_back(cross(axes[i], edge[j]));
    return axes;
}

/// The widest gap along the 15 axes, from the corners; below zero when they overlap.
double gap(const Obb& a, const Obb& b, const Affine& a_from_b) {
    const std::vector<Vec3> axes = fifteen(a, b, a_from_b.linear());
    auto in_a = corners(a), in_b = corners(b);
    for (Vec3& p : in_b) p = a_from_b(p);
    double most = -1e300;
    for (Vec3 axis : axes) {
        if (length(axis) < 1e-6) continue;
        axis = axis * (1 / length(axis));
        std::array<double, 2> low{1e300, 1e300}, high{-1e300, -1e300};
        for (const Vec3& p : in_a) low[0] = std::min(low[0], dot(axis, p)), high[0] = std::max(high[0], dot(axis, p));
        for (const Vec3& p : in_b) low[1] = std::min(low[1], dot(axis, p)), high[1] = std::max(high[1], dot(axis, p));
        most = std::max({most, low[1] - high[0], low[0] - high[1]});
    }
    return most;
}

TEST(Obb, ApartAlongFifteenAxes) {
    // As tight as the paper's test but for rounding, from either side, and with a margin.
    Draw draw(1);
    int apart = 0, close = 0;
    for (int round = 0; round < 20000; ++round) {
        const Obb a = draw.box(), b = draw.box();
        const Pose pose = draw.pose(draw.vec(0.6));
        const double margin = round % 4 == 0 ? draw.uniform(0, 0.1) : 0;
        const PairTest<Obb> test({}, {}, pose, margin);
        const double g = gap(a, b, pose);
        const bool found = test.apart(a, test.place_b(b));
        EXPECT_EQ(found, test.apart(test.place_a(a), b));
        // On an edge axis the margin counts in full although the axis is shorter than 1.
        if (margin == 0) {
            EXPECT_EQ(found, g > 0) << g;
        }
        if (g < margin) {
            EXPECT_FALSE(found) << g;
        }
        apart += found;
        close += std::abs(g) < 1e-2;
    }
    EXPECT_GT(apart, 4000);
    EXPECT_LT(apart, 19000);
    EXPECT_GT(close, 100);
}

TEST(Obb, TouchingIsNotApart) {
    // B is put so that a corner of it meets one of A across each of the 15 directions, where the test
    // is tightest; its matrix may be a mirror image, off orthonormal by the tolerance.
    Draw draw(4);
    int off = 0;
    for (int round = 0; round < 6000; ++round) {
        const Obb a = draw.box(), b = draw.box();
        Mat3 m = draw.pose({}).rotation();
        for (Vec3& row : m.row) row = row + draw.vec(round % 3 == 0 ? 0 : 0.004);
        if (round % 2) m.row[1] = -m.row[1];
        if (!Pose::from_matrix(m, {})) continue;
        ++off;
        for (const Vec3& axis : fifteen(a, b, m)) {
            Vec3 in_a = corners(a)[0], in_b = m * corners(b)[0];
            for (const Vec3& p : corners(a))
                if (dot(axis, p) > dot(axis, in_a)) in_a = p;
            for (const Vec3& p : corners(b))
                if (dot(axis, m * p) < dot(axis, in_b)) in_b = m * p;
            const PairTest<Obb> test({}, {}, *Pose::from_matrix(m, in_a - in_b), 0);
            EXPECT_FALSE(test.apart(a, b));
            EXPECT_FALSE(test.apart(test.place_a(a), b));
        }
    }
    EXPECT_GT(off, 3000);
}

/// Uneven scales from 2^-low to 2^low, maybe mirrored, between two rotations.
Mat3 stretched(Draw& draw, double low) {
    Mat3 m = draw.pose({}).rotation();
    for (Vec3& row : m.row) row = row * std::exp2(draw.uniform(-low, low));
    if (draw.uniform(-1, 1) < 0) m.row[0] = -m.row[0];
    return draw.pose({}).rotation() * m;
}

TEST(Obb, AffineIsAsTight) {
    Draw draw(5);
    int apart = 0, near = 0;
    for (int round = 0; round < 20000; ++round) {
        const Obb a = draw.box(), b = draw.box();
        const auto m = Affine::from_matrix(stretched(draw, round % 2 ? 1 : 5), draw.vec(0.7));
        const PairTest<Obb> test({}, {}, *m, 0);
        const double g = gap(a, b, *m);
        const bool found = test.apart(a, b);
        EXPECT_EQ(found, test.apart(test.place_a(a), b));
        // `gap` leaves out axes that are short; these are less exact too.
        if (std::abs(g) > 1e-6) {
            EXPECT_EQ(found, g > 0) << g;
        }
        apart += found;
        near += std::abs(g) < 1e-2;
    }
    EXPECT_GT(apart, 4000);
    EXPECT_LT(apart, 19000);
    EXPECT_GT(near, 100);
}

TEST(Obb, TouchingIsNotApartUnderAnyMatrix) {
    // Corner on corner across each axis; matrices from tame to nearly singular, of every size.
    Draw draw(6);
    for (int round = 0; round < 6000; ++round) {
        const Obb a = draw.box(), b = draw.box();
        Mat3 m = stretched(draw, round % 3 == 0 ? 1 : round % 3 == 1 ? 10 : 40);
        if (round % 5 == 0) m.row[2] = m.row[0] + m.row[1] * 0.5 + draw.vec(1e-15);
        const double size = std::ldexp(1, round % 7 == 0 ? -300 : round % 7 == 1 ? -1000 : 0);
        double most = 0;
        for (const Vec3& r : m.row) most = std::max({most, std::abs(r.x), std::abs(r.y), std::abs(r.z)});
        for (Vec3& r : m.row) r = r * (size / most);
        // A is as small as what B is mapped to, as far as frames go.
        const Frame frame{{}, std::max(-960, std::ilogb(size))};
        const double unit = std::ldexp(1, frame.exponent);
        for (const Vec3& axis : fifteen(a, b, m)) {
            Vec3 in_a = corners(a)[0] * unit, in_b = m * corners(b)[0];
            for (const Vec3& p : corners(a))
                if (dot(axis, p * unit) > dot(axis, in_a)) in_a = p * unit;
            for (const Vec3& p : corners(b))
                if (dot(axis, m * p) < dot(axis, in_b)) in_b = m * p;
            const auto placed = Affine::from_matrix(m, in_a - in_b);
            if (!placed) continue;
            const PairTest<Obb> test(frame, {}, *placed, 0);
            EXPECT_FALSE(test.apart(a, b)) << round;
            EXPECT_FALSE(test.apart(test.place_a(a), b)) << round;
            EXPECT_FALSE(test.find(a, b).gap > 0) << round;
        }
    }
}

/// The result of `find`, in the models' own lengths and with an axis of unit length.
struct Separation {
    Vec3 axis;
    double gap = 0;
};
Separation separation(const PairTest<Obb>& test, const Obb& a, const Obb& b) {
    const Finding found = test.find(a, b);
    if (!(found.gap > 0)) return {};
    return {found.axis * (1 / length(found.axis)), std::ldexp(found.gap, test.exponent())};
}

TEST(Obb, Separation) {
    Draw draw(7);
    int apart = 0;
    for (int round = 0; round < 20000; ++round) {
        const Obb a = draw.box(), b = draw.box();
        const Vec3 t = draw.vec(1.5);
        const Affine m = round % 2 ? Affine(draw.pose(t)) : *Affine::from_matrix(stretched(draw, 3), t);
        const Separation s = separation(PairTest<Obb>({}, {}, m, 0), a, b);
        EXPECT_EQ(s.gap > 0, PairTest<Obb>({}, {}, m, 0).apart(a, b));
        if (!(s.gap > 0)) continue;
        ++apart;
        EXPECT_NEAR(length(s.axis), 1, 1e-12);
        // The gap of the corners along the axis is that of the boxes.
        double high = -1e300, low = 1e300;
        for (const Vec3& p : corners(a)) high = std::max(high, dot(s.axis, p));
        for (const Vec3& p : corners(b)) low = std::min(low, dot(s.axis, m(p)));
        EXPECT_LE(s.gap, low - high + 1e-15);
        const double best = gap(a, b, m);
        EXPECT_LE(s.gap, best + 1e-12);
        // A margin within the gap leaves the rest of it, one beyond it nothing.
        const double margin = s.gap * draw.uniform(0.1, 0.9);
        EXPECT_FALSE(PairTest<Obb>({}, {}, m, best * (1 + 1e-9) + 1e-11).apart(a, b));
        const PairTest<Obb> wider({}, {}, m, margin);
        EXPECT_EQ(wider.apart(a, b), separation(wider, a, b).gap > 0);
        EXPECT_LE(separation(wider, a, b).gap, best - margin + 1e-11);
        // In models a million times as large, so is the gap.
        const auto large = Affine::from_matrix(m.linear(), m.translation() * 0x1p20);
        EXPECT_NEAR(separation(PairTest<Obb>({{}, 20}, {{}, 20}, *large, 0), a, b).gap, s.gap * 0x1p20, 1e-3);
    }
    EXPECT_GT(apart, 4000);
}

TEST(Obb, FramesOfAnySize) {
    // The same boxes in models of other sizes and places: only the scale of the question changes.
    Draw draw(2);
    for (int round = 0; round < 3000; ++round) {
        const Obb a = draw.box(), b = draw.box();
        const Pose pose = draw.pose(draw.vec(0.6));
        const bool expected = PairTest<Obb>({}, {}, pose, 0).apart(a, b);
        if (std::abs(gap(a, b, pose)) < 1e-6) continue;
        for (const int e : {-950, -100, 100, 990}) {
            const double unit = std::ldexp(1, e);
            const auto same = Pose::from_matrix(pose.rotation(), pose.translation() * unit);
            EXPECT_EQ(PairTest<Obb>({{}, e}, {{}, e}, *same, 0).apart(a, b), expected);
        }
        const Vec3 ca = draw.vec(1000), cb = draw.vec(1000);
        const Pose turn = *Pose::from_matrix(pose.rotation(), {});
        const auto moved = Pose::from_matrix(pose.rotation(), ca + pose.translation() - turn(cb));
        EXPECT_EQ(PairTest<Obb>({ca, 0}, {cb, 0}, *moved, 0).apart(a, b), expected);
    }
}

TEST(Obb, NeverOverflows) {
    const Obb box{{}, {0.1, 0.2, 0.3}, {1, 1, 1}};
    const auto far = Pose::from_matrix({}, {max_coordinate, -max_coordinate, max_coordinate});
    const auto here = Pose();
    for (const int ea : {-960, 0, 1001})
        for (const int eb : {-960, 0, 1001})
            for (const double c : {0.0, 1.0, max_coordinate}) {
                const Frame a{{c, c, c}, ea}, b{{c, c, c}, eb};
                EXPECT_FALSE(PairTest<Obb>(a, b, here, 0).apart(box, box));
                EXPECT_FALSE(PairTest<Obb>(a, b, *far, 1.7e308).apart(box, box));
                if (ea < 1001 && eb < 1001) {
                    EXPECT_TRUE(PairTest<Obb>(a, b, *far, 0).apart(box, box));
                }
            }
}

TEST(Obb, HoldsItsPoints) {
    Draw draw(3);
    for (int round = 0; round < 3000; ++round) {
        std::vector<Vec3> p;
        const Vec3 at = draw.vec(0.5);
        const double size = std::ldexp(0.25, -(round % 50));
        for (int i = 0; i < 3 * (1 + round % 5); ++i) p.push_back(at + draw.vec(size));
        const Obb b = Obb::around(p, {.fit = static_cast<detail::Fit>(round % 3), .refine = round % 2 == 0});
        for (const Vec3& v : p) EXPECT_TRUE(b.holds(v));
        EXPECT_GE(b.half.x, b.half.y - 1e-14);
        EXPECT_GE(b.half.y, b.half.z - 1e-14);
        EXPECT_LE(b.half.x, 2 * size + 1e-14);
        // And not much more: each side touches a point.
        for (int k = 0; k < 3; ++k) {
            double most = 0;
            for (const Vec3& v : p) most = std::max(most, std::abs(dot(b.axes.row[k], v - b.centre)));
            EXPECT_LE(b.half[k], most + 0x1p-47);
        }
    }
}

TEST(Frame, HoldsTheModelInTheUnitCube) {
    for (const double s : {1e-300, 1e-5, 1.0, 1e7, 1e300}) {
        const std::vector<Vec3> p{{5 * s, 0, s}, {-s, 2 * s, s}, {s, -3 * s, 0}};
        const Frame f = Frame::around(p);
        double most = 0;
        for (const Vec3& v : p) {
            const Vec3 q = f.local(v);
            most = std::max({most, std::abs(q.x), std::abs(q.y), std::abs(q.z)});
        }
        EXPECT_LE(most, 1);
        EXPECT_GE(most, s > 1e-280 ? 0.5 : 1e-15);
    }
    EXPECT_EQ(Frame::around({}).exponent, 0);
    const std::vector<Vec3> one{{7, 8, 9}};
    EXPECT_EQ(Frame::around(one).local(one[0]), Vec3{});
}

}  // namespace
}  // namespace graze::detail
