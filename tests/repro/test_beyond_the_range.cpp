// SPDX-License-Identifier: Apache-2.0
// Solids whose mapped points lie beyond 2^1000, as far as an affine placement takes them. The ray that tells what is
// inside ended at 2^1000, so that nested solids were disjoint.
#include <gtest/gtest.h>

#include "blocks.hpp"
#include "graze/solid.hpp"

namespace graze {
namespace {

Affine scaled(double by, const Vec3& to = {}) {
    return *Affine::from_matrix({{Vec3{by, 0, 0}, Vec3{0, by, 0}, Vec3{0, 0, by}}}, to);
}

Solid box(double half) { return Solid(*Model::build(scenes::box({half, half, half}))); }

TEST(BeyondTheRange, NestedSolidsAreInside) {
    const Solid small = box(0.5), large = box(0x1p1000);
    const Solid part(*Model::build(test::block({0x1p998, 0x1p998, 0x1p998}, {0x1p999, 0x1p999, 0x1p999})));
    for (const double by : {1.0, 2.0, 0x1p20}) {
        EXPECT_EQ(relation(small, large, scaled(by)).relation, Relation::AInsideB) << by;
        EXPECT_EQ(relation(part, large, scaled(by)).relation, Relation::AInsideB) << by;
        EXPECT_EQ(relation(large, small, *inverse(scaled(by))).relation, Relation::BInsideA) << by;
        EXPECT_EQ(relation(large, part, scaled(by)).relation, by < 4 ? Relation::BInsideA : Relation::Disjoint) << by;
    }
    for (const double by : {0x1p9, 0x1p12, 0x1p20})
        EXPECT_EQ(relation(part, box(0x1p990), scaled(by, {0x1p998, 0x1p998, 0x1p998})).relation, Relation::AInsideB);
}

TEST(BeyondTheRange, CavitiesAreOutside) {
    const Solid room(*Model::build(
        scenes::joined(scenes::box({0x1p1000, 0x1p1000, 0x1p1000}), scenes::box({0x1p980, 0x1p980, 0x1p980}))));
    EXPECT_EQ(relation(box(0.5), room, scaled(0x1p20)).relation, Relation::Disjoint);
    EXPECT_EQ(relation(box(0x1p999), room, scaled(0x1p20)).relation, Relation::Disjoint);
    EXPECT_EQ(relation(box(0x1p1000), room, scaled(0x1p20)).relation, Relation::Touching);
    EXPECT_EQ(relation(box(0x1p1000), room, scaled(0x1p19)).relation, Relation::Crossing);
    EXPECT_EQ(relation(box(0x1p970), room, scaled(0x1p10)).relation, Relation::Disjoint);
    EXPECT_EQ(relation(box(0x1p900), room, scaled(0x1p10, {0x1p991, 0, 0})).relation, Relation::AInsideB);
}

}  // namespace
}  // namespace graze
