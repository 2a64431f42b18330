// SPDX-License-Identifier: Apache-2.0
// Users of clash tools and mesh libraries complain of these: touches that are reported as clashes, clashes that are
// missed where faces are flush, parts inside others that are not seen, neighbours that are reported as contacts,
// answers that change with the unit.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "blocks.hpp"
#include "graze/graze.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Soup;
using test::at;
using test::block;

/// Adds the corners of a regular polygon at two heights.
void add_rings(Soup& soup, double radius, double low, double high, std::uint32_t n) {
    for (const double z : {low, high})
        for (std::uint32_t i = 0; i < n; ++i) {
            const double angle = 2 * M_PI * i / n;
            soup.add({radius * std::cos(angle), radius * std::sin(angle), z});
        }
}

/// A prism over a regular polygon with n corners, from z = low to high.
Soup prism(double radius, double low, double high, std::uint32_t n = 16) {
    Soup soup;
    add_rings(soup, radius, low, high, n);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t k = (i + 1) % n;
        soup.add_quad(i, k, n + k, n + i);
        if (i > 0 && k > 0) {
            soup.add_triangle(0, k, i);
            soup.add_triangle(n, n + i, n + k);
        }
    }
    return soup;
}

/// A prism with a hole along its axis.
Soup tube(double inner, double outer, double low, double high, std::uint32_t n = 16) {
    Soup soup;
    for (const double radius : {outer, inner}) add_rings(soup, radius, low, high, n);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t k = (i + 1) % n;
        soup.add_quad(i, k, n + k, n + i);
        soup.add_quad(2 * n + k, 2 * n + i, 3 * n + i, 3 * n + k);
        soup.add_quad(k, i, 2 * n + i, 2 * n + k);
        soup.add_quad(n + i, n + k, 3 * n + k, 3 * n + i);
    }
    return soup;
}

Relation related(const Soup& a, const Soup& b, const Affine& a_from_b = {}) {
    return relation(Solid(*Model::build(a)), Solid(*Model::build(b)), a_from_b).relation;
}

TEST(KindsOfContact, WallsInOneLineThatOverlapBy50Millimetres) {
    // No pair of triangles crosses: the sides are flush. It is a clash.
    const Soup wall = block({0, 0, 0}, {3000, 200, 2500}), next = block({2950, 0, 0}, {6000, 200, 2500});
    EXPECT_EQ(related(wall, next), Relation::Crossing);
    EXPECT_NEAR(overlap(Solid(*Model::build(wall)), Solid(*Model::build(next)), {}).volume, 50.0 * 200 * 2500, 1e-4);
}

TEST(KindsOfContact, BoxesThatShareAFaceAnEdgeOrACornerTouch) {
    const Soup box = block({0, 0, 0}, {1, 1, 1});
    EXPECT_EQ(related(box, box, at(1, 0, 0)), Relation::Touching);
    EXPECT_EQ(related(box, box, at(1, 0.3, 0.3)), Relation::Touching);
    EXPECT_EQ(related(box, box, at(1, 1, 0)), Relation::Touching);
    EXPECT_EQ(related(box, box, at(1, 1, 1)), Relation::Touching);
}

TEST(KindsOfContact, APipeThatExactlyFillsAHoleTouches) {
    const Soup plate = tube(10, 50, 0, 20);
    EXPECT_EQ(related(plate, prism(10, 0, 20)), Relation::Touching) << "flush with the plate";
    EXPECT_EQ(related(plate, prism(10, -30, 60)), Relation::Touching) << "longer than the hole";
    EXPECT_EQ(related(plate, prism(10 + 1e-9, 0, 20)), Relation::Crossing);
    EXPECT_EQ(related(plate, prism(10 + 1e-9, -30, 60)), Relation::Crossing);
    EXPECT_EQ(related(plate, prism(10 - 1e-9, -30, 60)), Relation::Disjoint);
}

TEST(KindsOfContact, ABoltInsideAFoundationIsSeen) {
    const Soup foundation = block({-100, -100, -100}, {100, 100, 0});
    EXPECT_EQ(related(foundation, prism(2, -50, -10)), Relation::BInsideA);
    EXPECT_EQ(related(foundation, prism(2, -50, 0)), Relation::BInsideA) << "its end flush with the top";
    EXPECT_EQ(related(foundation, prism(2, -50, 10)), Relation::Crossing);
}

TEST(KindsOfContact, IdenticalPartsAreEqual) {
    const Soup part = tube(1, 2, 0, 5);
    EXPECT_EQ(related(part, part), Relation::Equal);
    // The same shape with other triangles.
    EXPECT_EQ(related(block({0, 0, 0}, {1, 1, 1}),
                      scenes::joined(block({0, 0, 0}, {0.5, 1, 1}), block({0.5, 0, 0}, {1, 1, 1}))),
              Relation::Equal);
}

TEST(KindsOfContact, ATriangleWithoutAreaDoesNotMeetEverything) {
    Soup needle;
    needle.add_triangle(needle.add({0, 0, 0}), needle.add({1, 0, 0}), needle.add({3, 0, 0}));
    const Soup box = block({0, 1, 0}, {1, 2, 1});
    EXPECT_EQ(related(box, needle), Relation::Disjoint);
    EXPECT_FALSE(intersects(*Model::build(box), *Model::build(needle), {}));
    EXPECT_EQ(related(box, needle, at(0, 1, 0)), Relation::Touching);
}

TEST(KindsOfContact, ParallelPipesThatOverlapOnlyAtTheirEnds) {
    const Soup pipe = tube(9, 10, 0, 1000);
    EXPECT_EQ(related(pipe, pipe, at(0, 0, 1000)), Relation::Touching);
    EXPECT_EQ(related(pipe, pipe, at(0, 0, 990)), Relation::Crossing);
    EXPECT_EQ(related(pipe, pipe, at(0, 0, 1001)), Relation::Disjoint);
    EXPECT_EQ(related(pipe, pipe, at(5, 0, 995)), Relation::Crossing);
}

TEST(KindsOfContact, TheUnitAndTheAxesDoNotMatter) {
    // Two boxes in one mesh that touch in part of a face, and a third one apart.
    const Soup mesh = scenes::joined(scenes::joined(block({0, 0, 0}, {2, 2, 2}), block({2, 1, 1}, {4, 3, 3})),
                                     block({6, 0, 0}, {7, 1, 1}));
    const auto pairs = [](const Soup& soup) {
        std::vector<TrianglePair> out;
        for (const Contact& c : self_contacts(*Model::build(soup))) out.push_back(c.triangles);
        std::sort(out.begin(), out.end());
        return out;
    };
    const auto expected = pairs(mesh);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(pairs(scenes::scale(mesh, 10)), expected);
    EXPECT_EQ(pairs(scenes::scale(mesh, 1e-3)), expected);
    const Pose quarter = *Pose::from_matrix({{Vec3{0, -1, 0}, Vec3{1, 0, 0}, Vec3{0, 0, 1}}}, {});
    EXPECT_EQ(pairs(scenes::transformed(mesh, quarter)), expected);
}

TEST(KindsOfContact, NeighboursInASoupOfLooseTrianglesAreNotReported) {
    const Soup ball = scenes::sphere(26'000);
    Soup loose;
    for (const std::uint32_t c : ball.corners) loose.corners.push_back(loose.add(ball.points[c]));
    EXPECT_GT(loose.triangle_count(), 25'000u);
    EXPECT_TRUE(self_contacts(*Model::build(loose)).empty());
    EXPECT_EQ(Solid(*Model::build(loose)).flaw(), Flaw::None);
}

}  // namespace
}  // namespace graze
