// SPDX-License-Identifier: Apache-2.0
// How two solids lie to each other, and how much they have in common, against solids of which it is known.
// GRAZE_LONG=100000 in the environment sets the number of cases.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <vector>

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

/// The oracle's statements about one case must fit together.
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
        // The surfaces of solids that touch or are equal meet; those of disjoint ones do not. Those of solids that
        // cross need not: one body may lie inside and another apart.
        bool meets = false;
        for (std::size_t s = 0; s < c.a.triangle_count(); ++s)
            for (std::size_t t = 0; t < c.b.triangle_count() && !meets; ++t) {
                const auto corner = [](const scenes::Soup& x, std::size_t n) { return x.points[x.corners[n]]; };
                const auto mapped = [&](std::size_t n) { return c.a_from_b(corner(c.b, n)); };
                meets = meet({corner(c.a, 3 * s), corner(c.a, 3 * s + 1), corner(c.a, 3 * s + 2)},
                             {mapped(3 * t), mapped(3 * t + 1), mapped(3 * t + 2)});
            }
        if (c.relation == SolidRelation::Disjoint) {
            ASSERT_FALSE(meets);
        }
        if (c.relation == SolidRelation::Touching || c.relation == SolidRelation::Equal) {
            ASSERT_TRUE(meets);
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

/// The sets of triangles that are connected by edges of two triangles.
std::vector<std::vector<std::size_t>> patches_of(const scenes::Soup& soup) {
    const std::size_t n = soup.triangle_count();
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> at;
    for (std::size_t i = 0; i < 3 * n; ++i)
        at[std::minmax(soup.corners[i], soup.corners[i % 3 == 2 ? i - 2 : i + 1])].push_back(i / 3);
    std::vector<std::vector<std::size_t>> neighbours(n), out;
    for (const auto& [edge, triangles] : at)
        if (triangles.size() == 2) {
            neighbours[triangles[0]].push_back(triangles[1]);
            neighbours[triangles[1]].push_back(triangles[0]);
        }
    std::vector<bool> seen(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (seen[i]) continue;
        seen[i] = true;
        std::vector<std::size_t> patch{i};
        for (std::size_t k = 0; k < patch.size(); ++k)
            for (const std::size_t t : neighbours[patch[k]])
                if (!seen[t]) {
                    seen[t] = true;
                    patch.push_back(t);
                }
        out.push_back(std::move(patch));
    }
    return out;
}

void turn_over(scenes::Soup& soup, std::size_t triangle) {
    std::swap(soup.corners[3 * triangle], soup.corners[3 * triangle + 1]);
}

/// Turns over patches or triangles at random. Returns how many triangles.
std::uint32_t turn_over_some(scenes::Soup& soup, scenes::Random& random) {
    std::uint32_t count = 0;
    if (random.below(3) != 0) {
        for (const std::vector<std::size_t>& patch : patches_of(soup))
            if (random.below(2) == 0) {
                for (const std::size_t t : patch) turn_over(soup, t);
                count += static_cast<std::uint32_t>(patch.size());
            }
    } else {
        for (std::size_t t = 0; t < soup.triangle_count(); ++t)
            if (random.below(2) == 0) {
                turn_over(soup, t);
                ++count;
            }
    }
    return count;
}

/// Divides triangles in two at the middle of an edge, and fills the gap with a triangle without area.
void divide_some(scenes::Soup& soup, scenes::Random& random) {
    for (std::uint32_t n = 1 + random.below(20); n > 0; --n) {
        const std::size_t t = 3 * random.below(static_cast<std::uint32_t>(soup.triangle_count()));
        const std::uint32_t k = random.below(3);
        const std::uint32_t p = soup.corners[t + k], q = soup.corners[t + (k + 1) % 3],
                            r = soup.corners[t + (k + 2) % 3];
        const std::uint32_t middle = soup.add((soup.points[p] + soup.points[q]) * 0.5);
        if (soup.points[middle] == soup.points[p] || soup.points[middle] == soup.points[q]) continue;
        soup.corners[t + (k + 1) % 3] = middle;
        soup.add_triangle(middle, q, r);
        soup.add_triangle(p, q, middle);
    }
}

/// How often the surface goes around a point, by the angles at which its triangles are seen. Nothing near the surface.
std::optional<int> turns_around(const scenes::Soup& soup, const Vec3& p) {
    double sum = 0;
    for (std::size_t i = 0; i < soup.corners.size(); i += 3) {
        const auto from_p = [&](std::size_t k) { return soup.points[soup.corners[i + k]] - p; };
        const Vec3 a = from_p(0), b = from_p(1), c = from_p(2);
        const double x = length(a), y = length(b), z = length(c);
        sum += 2 * std::atan2(dot(a, cross(b, c)), x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y);
    }
    const double turns = sum / (4 * M_PI);
    if (std::abs(turns - std::round(turns)) > 1e-3) return {};
    return static_cast<int>(std::round(turns));
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

/// Whichever way the patches of a surface face, and whether or not bodies share edges and corners, everything is as it
/// is for a surface that faces outwards.
TEST(Relation, DoesNotDependOnWhichWayTrianglesFace) {
    for (std::uint64_t i = 0; i < solid_cases(); ++i) {
        SCOPED_TRACE(i);
        scenes::Random random(i + 1000);
        SolidCase c = solid_case(i);
        const scenes::Soup outwards = c.a;
        // Neighbours of divided triangles meet in more than an edge, so that these surfaces have a flaw.
        const bool divided = i % 3 == 0;
        if (divided) divide_some(c.a, random);
        if (divided) divide_some(c.b, random);
        const std::uint32_t turned_a = turn_over_some(c.a, random), turned_b = turn_over_some(c.b, random);
        const Solid a(model_of(c.a, false, false)), b(model_of(c.b, i % 7 == 0, false));
        if (!divided) {
            EXPECT_EQ(a.misoriented_count(), turned_a);
            EXPECT_EQ(b.misoriented_count(), turned_b);
            EXPECT_EQ(a.flaw(), turned_a > 0 ? Flaw::Misoriented : Flaw::None);
            EXPECT_EQ(b.flaw(), turned_b > 0 ? Flaw::Misoriented : Flaw::None);
        }
        const Affine b_from_a = *inverse(c.a_from_b);
        EXPECT_EQ(static_cast<SolidRelation>(relation(a, b, c.a_from_b).relation), c.relation) << c.kind;
        EXPECT_EQ(static_cast<SolidRelation>(relation(b, a, b_from_a).relation), swapped(c.relation)) << c.kind;
        EXPECT_NEAR(a.volume(), c.volume_a, 1e-12 * c.volume_a);
        EXPECT_NEAR(b.volume() * growth(c.a_from_b), c.volume_b, 1e-12 * c.volume_b);
        if (!divided) {
            EXPECT_NEAR(overlap(a, b, c.a_from_b).volume, c.volume, 1e-12 * c.volume_a) << c.kind;
            for (const Curve& curve : intersection_curves(a, b, c.a_from_b)) EXPECT_TRUE(curve.closed);
        }
        for (int k = 0; k < 10; ++k) {
            const Vec3 p = random.in_cube(-0.5, 4.5);
            if (const std::optional<int> turns = turns_around(outwards, p)) {
                EXPECT_EQ(side_of(a, p) == Side::Inside, *turns != 0);
            }
        }
    }
}

}  // namespace
}  // namespace graze::test
