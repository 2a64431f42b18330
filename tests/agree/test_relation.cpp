// SPDX-License-Identifier: Apache-2.0
// How two solids lie to each other, and how much they have in common, against solids of which it is known.
// GRAZE_LONG=100000 in the environment sets the number of cases.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "case_count.hpp"
#include "graze/solid.hpp"
#include "solid_oracle.hpp"

namespace graze::test {
namespace {

std::uint64_t solid_cases() { return static_cast<std::uint64_t>(case_count(1000, 100)); }

/// The volume within a surface that faces outwards. The solids here are small integers, so nothing is rounded.
double six_volumes(const scenes::Soup& soup) {
    double sum = 0;
    for (std::size_t i = 0; i < soup.corners.size(); i += 3) {
        const Vec3 &a = soup.points[soup.corners[i]], &b = soup.points[soup.corners[i + 1]],
                   &c = soup.points[soup.corners[i + 2]];
        sum += dot(a, cross(b, c));
    }
    return sum;
}

/// The factor by which a placement changes volumes.
double growth(const Affine& placement) {
    const Mat3& m = placement.linear();
    return std::abs(dot(m.row[0], cross(m.row[1], m.row[2])));
}

/// Every edge is passed as often one way as the other.
bool closed(const scenes::Soup& soup) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> ways;
    for (std::size_t i = 0; i < soup.corners.size(); ++i) {
        const std::uint32_t from = soup.corners[i], to = soup.corners[i % 3 == 2 ? i - 2 : i + 1];
        ++ways[{from, to}];
        --ways[{to, from}];
    }
    return std::ranges::all_of(ways, [](const auto& w) { return w.second == 0; });
}

/// What the oracle says of one case must fit together.
TEST(SolidOracle, IsConsistent) {
    std::map<std::pair<std::string, SolidRelation>, int> seen;
    for (std::uint64_t i = 0; i < solid_cases(); ++i) {
        SCOPED_TRACE(i);
        const SolidCase c = solid_case(i);
        ++seen[{c.kind, c.relation}];
        ASSERT_TRUE(closed(c.a));
        ASSERT_TRUE(closed(c.b));
        ASSERT_NEAR(six_volumes(c.a), 6 * c.volume_a, 1e-9);
        ASSERT_NEAR(six_volumes(c.b) * growth(c.a_from_b), 6 * c.volume_b, 1e-9);
        const bool overlap = c.relation != SolidRelation::Disjoint && c.relation != SolidRelation::Touching;
        ASSERT_EQ(c.volume > 0, overlap);
        ASSERT_LE(c.volume, c.volume_a);
        ASSERT_LE(c.volume, c.volume_b);
        const bool in_b = c.relation == SolidRelation::AInsideB || c.relation == SolidRelation::Equal;
        const bool in_a = c.relation == SolidRelation::BInsideA || c.relation == SolidRelation::Equal;
        ASSERT_EQ(c.volume == c.volume_a, in_b);
        ASSERT_EQ(c.volume == c.volume_b, in_a);
        // The surfaces of solids that touch, cross or are equal meet; those of disjoint ones do not.
        bool meets = false;
        for (std::size_t s = 0; s < c.a.triangle_count(); ++s)
            for (std::size_t t = 0; t < c.b.triangle_count() && !meets; ++t) {
                const auto corner = [](const scenes::Soup& x, std::size_t n) { return x.points[x.corners[n]]; };
                const auto mapped = [&](std::size_t n) { return c.a_from_b(corner(c.b, n)); };
                meets = meet({corner(c.a, 3 * s), corner(c.a, 3 * s + 1), corner(c.a, 3 * s + 2)},
                             {mapped(3 * t), mapped(3 * t + 1), mapped(3 * t + 2)});
            }
        if (c.relation != SolidRelation::AInsideB && c.relation != SolidRelation::BInsideA) {
            ASSERT_EQ(meets, c.relation != SolidRelation::Disjoint);
        }
    }
    // Every kind has every relation.
    if (solid_cases() >= 1000) {
        for (const char* kind : {"cubes", "cells", "two tetrahedra"})
            for (int r = 0; r < 6; ++r) EXPECT_GT((seen[{kind, static_cast<SolidRelation>(r)}]), 0) << kind << " " << r;
    }
}

SolidRelation swapped(SolidRelation r) {
    return r == SolidRelation::AInsideB   ? SolidRelation::BInsideA
           : r == SolidRelation::BInsideA ? SolidRelation::AInsideB
                                          : r;
}

/// The surface in other forms that mean the same: each triangle with points of its own, all triangles turned over.
Model model_of(const scenes::Soup& soup, bool apart, bool turned) {
    scenes::Soup out = soup;
    if (apart) {
        out.points.clear();
        for (std::uint32_t& corner : out.corners) corner = out.add(soup.points[corner]);
    }
    for (std::size_t i = 0; i < out.corners.size() && turned; i += 3) std::swap(out.corners[i], out.corners[i + 1]);
    return *Model::build(out);
}

TEST(Relation, IsThatOfTheSets) {
    for (std::uint64_t i = 0; i < solid_cases(); ++i) {
        SCOPED_TRACE(i);
        const SolidCase c = solid_case(i);
        const Solid a(model_of(c.a, i % 3 == 0, i % 5 == 0)), b(model_of(c.b, i % 7 == 0, i % 11 == 0));
        // Surfaces that were turned over have a flaw that changes no answer.
        EXPECT_TRUE(a.flaw() == Flaw::None || (i % 5 == 0 && a.flaw() == Flaw::Misoriented));
        EXPECT_TRUE(b.flaw() == Flaw::None || (i % 11 == 0 && b.flaw() == Flaw::Misoriented));
        const Affine b_from_a = *inverse(c.a_from_b);  // exact: the matrix has powers of two
        const auto of_ab = static_cast<SolidRelation>(relation(a, b, c.a_from_b).relation);
        const auto of_ba = static_cast<SolidRelation>(relation(b, a, b_from_a).relation);
        EXPECT_EQ(of_ab, c.relation) << c.kind;
        EXPECT_EQ(of_ba, swapped(c.relation)) << c.kind;
        EXPECT_NEAR(overlap(a, b, c.a_from_b).volume, c.volume, 1e-12 * c.volume_a) << c.kind;
        EXPECT_NEAR(overlap(b, a, b_from_a).volume * growth(c.a_from_b), c.volume, 1e-12 * c.volume_b) << c.kind;
        EXPECT_NEAR(a.volume(), c.volume_a, 1e-12 * c.volume_a);
        EXPECT_NEAR(b.volume() * growth(c.a_from_b), c.volume_b, 1e-12 * c.volume_b);
    }
}

}  // namespace
}  // namespace graze::test
