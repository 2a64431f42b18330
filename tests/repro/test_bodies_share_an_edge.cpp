// SPDX-License-Identifier: Apache-2.0
// Bodies that share an edge or a corner, one of which is turned inside out. They were one shell, of which one triangle
// told which way all of them face: the body that faces the other way counted as a negative one.
#include <gtest/gtest.h>

#include "blocks.hpp"
#include "graze/solid.hpp"

namespace graze {
namespace {

using scenes::Soup;
using test::block;

Soup turned_over(Soup soup) {
    for (std::size_t i = 0; i < soup.corners.size(); i += 3) std::swap(soup.corners[i], soup.corners[i + 1]);
    return soup;
}

Solid solid_of(const Soup& soup) { return Solid(*Model::build(soup)); }

TEST(BodiesShareAnEdge, OneTurnedInsideOut) {
    const Soup first = block({0, 0, 0}, {1, 1, 1});
    for (const Vec3& to : {Vec3{1, 1, 0}, Vec3{1, 0, 1}, Vec3{0, 1, 1}, Vec3{1, 1, 1}, Vec3{1, -1, 0}}) {
        const Soup second = block(to, to + Vec3{1, 1, 1});
        const Solid straight = solid_of(scenes::joined(first, second));
        EXPECT_EQ(straight.flaw(), Flaw::None);
        for (const Soup& soup :
             {scenes::joined(first, turned_over(second)), scenes::joined(turned_over(first), second)}) {
            const Solid both = solid_of(soup);
            EXPECT_EQ(both.flaw(), Flaw::Misoriented);
            EXPECT_EQ(both.misoriented_count(), 12u);
            EXPECT_EQ(both.shell_count(), straight.shell_count());
            EXPECT_EQ(both.volume(), 2);
            const Vec3 middle = to + Vec3{0.5, 0.5, 0.5};
            EXPECT_EQ(side_of(both, {0.5, 0.5, 0.5}), Side::Inside);
            EXPECT_EQ(side_of(both, middle), Side::Inside);
            EXPECT_EQ(side_of(both, {-0.5, 0.5, 0.5}), Side::Outside);
            EXPECT_EQ(relation(both, straight, {}).relation, Relation::Equal);
            EXPECT_EQ(relation(both, solid_of(first), {}).relation, Relation::BInsideA);
            EXPECT_EQ(relation(both, solid_of(second), {}).relation, Relation::BInsideA);
            EXPECT_EQ(relation(both, solid_of(block({0, 0, 1}, {1, 1, 2})), {}).relation, Relation::Touching);
            EXPECT_EQ(relation(both, solid_of(block({-1, -1, -1}, {3, 3, 3})), {}).relation, Relation::AInsideB);
            EXPECT_NEAR(overlap(both, straight, test::at(0.5, 0, 0)).volume,
                        overlap(straight, straight, test::at(0.5, 0, 0)).volume, 1e-14);
            EXPECT_NEAR(overlap(both, solid_of(block({-0.5, 0, 0}, {0.5, 1, 1})), {}).volume, 0.5, 1e-14);
        }
    }
}

TEST(BodiesShareAnEdge, CavitiesToo) {
    // Two cavities that share an edge.
    const Soup around = block({0, 0, 0}, {4, 4, 4});
    const Soup cavity = block({1, 1, 1}, {2, 2, 2}), other = block({2, 2, 1}, {3, 3, 2});
    for (const int flips : {0, 1, 2, 3}) {
        const Soup soup = scenes::joined(
            around, scenes::joined(flips & 1 ? turned_over(cavity) : cavity, flips & 2 ? turned_over(other) : other));
        const Solid solid = solid_of(soup);
        EXPECT_EQ(solid.volume(), 62) << flips;
        EXPECT_EQ(solid.misoriented_count(), (flips & 1 ? 0u : 12u) + (flips & 2 ? 0u : 12u));
        EXPECT_EQ(solid.flaw(), flips == 3 ? Flaw::None : Flaw::Misoriented);
        EXPECT_EQ(relation(solid, solid_of(cavity), {}).relation, Relation::Touching);
        EXPECT_EQ(relation(solid, solid_of(scenes::joined(cavity, other)), {}).relation, Relation::Touching);
        EXPECT_EQ(relation(solid, solid_of(around), {}).relation, Relation::AInsideB);
    }
}

TEST(BodiesShareAnEdge, RoomsWithWallsThatAreThereTwice) {
    // Three by three by three rooms. Other rooms have copies of all walls of the one in the middle.
    for (const bool turn : {false, true}) {
        Soup rooms;
        for (int n = 0; n < 27; ++n) {
            const Vec3 low{1.0 * (n % 3), 1.0 * (n / 3 % 3), 1.0 * (n / 9)};
            const Soup room = block(low, low + Vec3{1, 1, 1});
            rooms = scenes::joined(rooms, turn && n % 3 == n / 9 ? turned_over(room) : room);
        }
        const Solid house = solid_of(rooms);
        EXPECT_TRUE(house.closed());
        EXPECT_EQ(house.volume(), 27);
        EXPECT_EQ(house.shell_count(), 1u);
        if (!turn) {
            EXPECT_EQ(house.misoriented_count(), 0u);
        }
        for (int n = 0; n < 27; ++n)
            EXPECT_EQ(side_of(house, {n % 3 + 0.5, n / 3 % 3 + 0.25, n / 9 + 0.375}), Side::Inside);
        EXPECT_EQ(relation(house, solid_of(block({0, 0, 0}, {3, 3, 3})), {}).relation, Relation::Equal);
        EXPECT_EQ(relation(house, solid_of(block({1, 1, 1}, {2, 2, 2})), {}).relation, Relation::BInsideA);
        EXPECT_EQ(relation(house, solid_of(block({1, 1, 0}, {2, 2, 4})), {}).relation, Relation::Crossing);
        EXPECT_EQ(relation(house, solid_of(block({3, 0, 0}, {4, 1, 1})), {}).relation, Relation::Touching);
        EXPECT_EQ(relation(house, solid_of(block({1, 1, 3}, {2, 2, 4})), {}).relation, Relation::Touching);
        EXPECT_NEAR(overlap(house, solid_of(block({0.5, 0.5, 0.5}, {2.5, 2.5, 2.5})), {}).volume, 8, 1e-12);
    }
}

}  // namespace
}  // namespace graze
