// SPDX-License-Identifier: Apache-2.0
// A lone triangle without area is a sheet: a cube with one beside it was called closed and without flaw. A segment that
// enters a solid through an edge or a corner was called touching, since no triangle that it meets tells the sides of
// it.
#include <gtest/gtest.h>

#include "blocks.hpp"
#include "graze/solid.hpp"

namespace graze {
namespace {

using scenes::Soup;

Soup segment(const Vec3& from, const Vec3& to) {
    Soup soup;
    soup.add_triangle(soup.add(from), soup.add(to), soup.add(to));
    return soup;
}

/// A segment as a triangle whose corners differ.
Soup flat_segment(const Vec3& from, const Vec3& to) {
    Soup soup;
    soup.add_triangle(soup.add(from), soup.add(to), soup.add((from + to) * 0.5));
    return soup;
}

Relation related(const Soup& a, const Soup& b) {
    const Solid x(*Model::build(a)), y(*Model::build(b));
    const Relation found = relation(x, y, {}).relation, other = relation(y, x, {}).relation;
    EXPECT_EQ(other, found == Relation::AInsideB   ? Relation::BInsideA
                     : found == Relation::BInsideA ? Relation::AInsideB
                                                   : found);
    EXPECT_EQ(relation_from(x, y, {}, collide(x.model(), y.model(), {})).relation, found);
    return found;
}

TEST(TrianglesWithoutArea, AreSheetsWhereTheyAreAlone) {
    const Soup cube = test::block({0, 0, 0}, {1, 1, 1});
    for (const Soup& lone : {segment({5, 5, 5}, {6, 5, 5}), segment({5, 5, 5}, {5, 5, 5}),
                             segment({0, 0, 0}, {1, 1, 1}), flat_segment({5, 5, 5}, {6, 5, 5})}) {
        const Solid solid(*Model::build(scenes::joined(cube, lone)));
        EXPECT_FALSE(solid.closed());
        EXPECT_EQ(solid.flaw(), Flaw::Open);
        EXPECT_TRUE(solid.has_inside());
        EXPECT_EQ(solid.volume(), 1);
        EXPECT_EQ(solid.shell_count(), 2u);
        EXPECT_EQ(solid.degenerate_count(), 1u);
        EXPECT_FALSE(relation(solid, solid, {}).inside_known);
    }
    EXPECT_EQ(Solid(*Model::build(segment({0, 0, 0}, {1, 0, 0}))).open_edge_count(), 1u);
    // Twice the same one: no edge has an odd number of triangles, but nothing is closed either.
    const Soup line = flat_segment({5, 5, 5}, {6, 5, 5});
    EXPECT_FALSE(Solid(*Model::build(scenes::joined(cube, scenes::joined(line, line)))).closed());
}

TEST(TrianglesWithoutArea, AddNothingOnASurface) {
    const Soup cube = test::block({0, 0, 0}, {1, 1, 1});
    for (const Soup& on : {segment({0, 0, 0}, {1, 0, 0}), segment({1, 1, 1}, {1, 1, 1})}) {
        const Solid solid(*Model::build(scenes::joined(cube, on)));
        EXPECT_TRUE(solid.closed());
        EXPECT_EQ(solid.flaw(), Flaw::None);
        EXPECT_EQ(solid.edge_count(), 18u);
        EXPECT_EQ(related(scenes::joined(cube, on), cube), Relation::Equal);
    }
}

TEST(TrianglesWithoutArea, EnterThroughEdgesAndCorners) {
    const Soup cube = test::block({0, 0, 0}, {1, 1, 1});
    const Vec3 middle{0.5, 0.5, 0.5}, edge{0, 0, 0.3}, corner{0, 0, 0};
    for (const auto make : {segment, flat_segment}) {
        for (const Vec3& at : {edge, corner}) {
            EXPECT_EQ(related(cube, make(at * 2 - middle, middle)), Relation::Crossing) << "to the middle";
            EXPECT_EQ(related(cube, make(at * 2 - middle, at)), Relation::Touching);
            EXPECT_EQ(related(cube, make(at, middle)), Relation::BInsideA);
            EXPECT_EQ(related(cube, make(at, middle * 2 - at)), Relation::BInsideA) << "from one end to the other";
            EXPECT_EQ(related(cube, make(at * 2 - middle, middle * 3 - at * 2)), Relation::Crossing) << "through it";
        }
        EXPECT_EQ(related(cube, make({-1, 0, 0}, {2, 0, 0})), Relation::Touching) << "along an edge";
        EXPECT_EQ(related(cube, make({0.25, 0, 0}, {0.5, 0, 0})), Relation::Touching) << "within an edge";
        EXPECT_EQ(related(cube, make({-1, -1, 0}, {2, 2, 0})), Relation::Touching) << "along a face";
        EXPECT_EQ(related(cube, make({-1, 1, 0}, {1, -1, 0})), Relation::Touching) << "by a corner";
        EXPECT_EQ(related(cube, make({-1, 1, 0.5}, {1, -1, 0.5})), Relation::Touching) << "by an edge";
        // Thirds are not doubles.
        EXPECT_EQ(related(cube, make({-1, -1, 0.5}, {2, 2, 0.5})), Relation::Crossing);
        EXPECT_EQ(related(cube, make({-1, -1, -1}, {2, 2, 2})), Relation::Crossing);
    }
    EXPECT_EQ(related(segment({0, 0, 0}, {1, 1, 1}), segment({0, 0, 0}, {1, 1, 1})), Relation::Equal);
    EXPECT_EQ(related(segment({0, 0, 0}, {1, 1, 1}), segment({0, 0, 0}, {2, 2, 2})), Relation::Touching);
    EXPECT_EQ(related(segment({0, 0, 0}, {1, 1, 1}), segment({-1, -1, -1}, {0.5, 0.5, 0.5})), Relation::Touching);
}

}  // namespace
}  // namespace graze
