// SPDX-License-Identifier: Apache-2.0
// Models and queries as a caller sees them; the agreement of trees with brute force is in agree/.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "counted_memory.hpp"
#include "graze/distance.hpp"
#include "graze/study.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Soup;

constexpr study::TreeKind kinds[] = {study::TreeKind::Wide, study::TreeKind::Binary};

Soup one_triangle(double z = 0) { return {{{0, 0, z}, {1, 0, z}, {0, 1, z}}, {0, 1, 2}}; }
Pose moved(const Vec3& by) { return *Pose::from_matrix({}, by); }
std::vector<Contact> sorted(std::vector<Contact> contacts) {
    std::ranges::sort(contacts);
    return contacts;
}

TEST(Model, Empty) {
    EXPECT_EQ(study::tree_settings(Model()).tree, study::TreeKind::Wide);
    for (const study::TreeKind kind : kinds) {
        const Model built = *study::build(Soup{}, {.tree = kind}), one = *study::build(one_triangle(), {.tree = kind});
        for (const Model& m : {Model(), built}) {
            EXPECT_EQ(m.triangle_count() + m.polygon_count() + m.point_count() + tree_depth(m) + m.bytes(), 0u);
            EXPECT_TRUE(m.validate().ok());
            EXPECT_FALSE(intersects(m, one, {}));
            EXPECT_FALSE(intersects(one, m, {}));
            EXPECT_TRUE(collide(m, m, {}).empty());
        }
        EXPECT_EQ(study::tree_settings(built).tree, kind);
    }
}

TEST(Model, OneTriangle) {
    for (const study::TreeKind kind : kinds) {
        const Model m = *study::build(one_triangle(), {.tree = kind});
        EXPECT_EQ(study::tree_settings(m).tree, kind);
        EXPECT_EQ(m.triangle_count(), 1u);
        EXPECT_EQ(m.polygon_count(), 1u);
        EXPECT_EQ(m.point_count(), 3u);
        EXPECT_EQ(tree_depth(m), 1u);
        EXPECT_GE(m.bytes(), 3 * sizeof(Vec3));
        EXPECT_EQ(m.triangle(0).b, (Vec3{1, 0, 0}));
        EXPECT_EQ(m.polygon_of(0), 0u);
        EXPECT_TRUE(m.validate().ok());
        EXPECT_EQ(collide(m, m, {}), (std::vector<Contact>{{{0, 0}, {0, 0}}}));
        EXPECT_TRUE(intersects(m, m, moved({1, 0, 0})));  // corner on corner
        EXPECT_FALSE(intersects(m, m, moved({std::nextafter(1.0, 2), 0, 0})));
        EXPECT_FALSE(intersects(m, m, moved({0, 0, 0x1p-1074})));
    }
}

TEST(Model, FaultsOfSoups) {
    Soup bad = one_triangle();
    bad.corners[1] = 3;
    for (const study::TreeKind kind : kinds) {
        const auto index = study::build(bad, {.tree = kind});
        ASSERT_FALSE(index.ok());
        EXPECT_EQ(index.fault().kind, FaultKind::BadIndex);
        Soup nan = one_triangle();
        nan.points[2].y = std::numeric_limits<double>::quiet_NaN();
        EXPECT_EQ(study::build(nan, {.tree = kind}).fault().kind, FaultKind::NotFinite);
    }
}

TEST(Model, Polygons) {
    // A square and a triangle beside it.
    const std::vector<Vec3> points{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
    const std::vector<std::uint32_t> corners{0, 1, 2, 3, 4, 5, 6}, offsets{0, 4, 7};
    const SoupView soup = SoupView(points, corners).with_polygons(offsets);
    for (const study::TreeKind kind : kinds) {
        const Model m = *study::build(soup, {.tree = kind}), probe = *study::build(one_triangle(), {.tree = kind});
        EXPECT_EQ(m.triangle_count(), 3u);
        EXPECT_EQ(m.polygon_count(), 2u);
        EXPECT_EQ(m.polygon_of(0), 0u);
        EXPECT_EQ(m.polygon_of(1), 0u);
        EXPECT_EQ(m.polygon_of(2), 1u);
        EXPECT_EQ(m.triangle(2).a, points[4]);
        EXPECT_EQ(collide(m, probe, moved({5, 0, 0})), (std::vector<Contact>{{{2, 0}, {1, 0}}}));
        EXPECT_EQ(collide(probe, m, moved({-5, 0, 0})), (std::vector<Contact>{{{0, 2}, {0, 1}}}));
        for (const Contact& c : collide(m, probe, {})) EXPECT_EQ(c.polygons, (TrianglePair{0, 0}));
    }
}

TEST(Model, CopiesShare) {
    const Soup soup = scenes::torus(1, 0.4, 20, 10);
    const Model m = *Model::build(soup);
    const Model copy = m;
    EXPECT_EQ(copy.points().data(), m.points().data());
    Model other;
    other = copy;
    EXPECT_EQ(other.triangle_count(), 400u);
}

TEST(Model, BuildSettingsReachTheTree) {
    const Soup soup = scenes::torus(1, 0.4, 25, 21);
    const auto depth = [&](const study::TreeSettings& s) { return tree_depth(*study::build(soup, s)); };
    EXPECT_EQ(depth({.tree = study::TreeKind::Binary, .split = study::Split::Median}), 12u);  // 2^10 < 1050 ≤ 2^11
    const Soup ground = scenes::landscape(20);
    EXPECT_EQ(tree_depth(*study::build(ground, {.tree = study::TreeKind::Binary, .split = study::Split::Median})), 11u);
    EXPECT_GT(tree_depth(*study::build(ground, {.tree = study::TreeKind::Binary, .split = study::Split::Mean})), 11u);
    EXPECT_LT(depth({.tree = study::TreeKind::Wide}), 8u);
    const Model wide = *Model::build(soup), binary = *study::build(soup, {.tree = study::TreeKind::Binary});
    EXPECT_LT(wide.bytes(), binary.bytes());
    EXPECT_TRUE(wide.validate().ok());
    EXPECT_TRUE(binary.validate().ok());
}

TEST(Model, EveryFitOfAWideTreeGivesTheSameContacts) {
    const Soup soup = scenes::torus(1, 0.4, 25, 21);
    const Model usual = *Model::build(soup);
    scenes::Random random(2);
    std::vector<Pose> poses;
    for (int i = 0; i < 20; ++i) poses.push_back(scenes::placed(scenes::random_rotation(random), {1.2, 0.1 * i, 0}));
    for (const study::Fit fit : {study::Fit::Vertices, study::Fit::HullVertices, study::Fit::HullSurface})
        for (const bool refine : {false, true}) {
            const Model model = *study::build(soup, {.fit = fit, .refine = refine});
            EXPECT_TRUE(model.validate().ok());
            std::size_t contacts = 0;
            for (const Pose& pose : poses) {
                const std::vector<Contact> expected = sorted(collide(usual, usual, pose));
                EXPECT_EQ(sorted(collide(model, usual, pose)), expected);
                contacts += expected.size();
            }
            EXPECT_GT(contacts, 100u);
        }
}

TEST(Model, ThreadsGiveTheSameModel) {
    const Soup soup = scenes::wrinkled_torus();
    scenes::Random random(1);
    for (const study::TreeKind kind : kinds) {
        const Model one = *study::build(soup, {.tree = kind, .threads = 1});
        const Model two = *study::build(soup, {.tree = kind, .threads = 2});
        EXPECT_EQ(one.bytes(), two.bytes());
        EXPECT_EQ(tree_depth(one), tree_depth(two));
        for (int k = 0; k < 5; ++k) {
            const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-1, 1));
            QueryStats stats_one, stats_two;
            EXPECT_EQ(collide(one, one, pose, {.stats = &stats_one}), collide(two, two, pose, {.stats = &stats_two}));
            EXPECT_EQ(stats_one.box_tests, stats_two.box_tests);
        }
    }
}

TEST(Query, StopsWhenTold) {
    const Soup soup = scenes::torus(1, 0.4, 20, 10);
    for (const study::TreeKind a : kinds)
        for (const study::TreeKind b : kinds) {
            const Model ma = *study::build(soup, {.tree = a}), mb = *study::build(soup, {.tree = b});
            const std::size_t all = collide(ma, mb, {}).size();
            ASSERT_GT(all, 400u);
            for (const std::size_t limit : {std::size_t{1}, std::size_t{7}, all}) {
                std::size_t calls = 0;
                EXPECT_FALSE(for_each_contact(
                    ma, mb, {}, [&](const Contact&) { return ++calls == limit ? Step::Stop : Step::Continue; }));
                EXPECT_EQ(calls, limit);
            }
            std::size_t calls = 0;
            EXPECT_TRUE(for_each_contact(ma, mb, {}, [&](const Contact&) {
                ++calls;
                return Step::Continue;
            }));
            EXPECT_EQ(calls, all);
        }
}

TEST(Query, StatsAddUp) {
    const Soup soup = scenes::torus(1, 0.4, 20, 10);
    for (const study::TreeKind kind : kinds) {
        const Model m = *study::build(soup, {.tree = kind});
        const Pose pose = moved({0.7, 0.1, 0.2});
        QueryStats once, thrice;
        const auto contacts = collide(m, m, pose, {.stats = &once});
        EXPECT_GT(once.box_tests, 0u);
        EXPECT_GE(once.triangle_tests, contacts.size());
        EXPECT_GE(once.triangle_tests, once.double_tests);
        EXPECT_GE(once.double_tests, once.exact_tests);
        for (int k = 0; k < 3; ++k) collide(m, m, pose, {.stats = &thrice});
        EXPECT_EQ(thrice.box_tests, 3 * once.box_tests);
        EXPECT_EQ(thrice.triangle_tests, 3 * once.triangle_tests);
        EXPECT_EQ(thrice.double_tests, 3 * once.double_tests);
        EXPECT_EQ(thrice.exact_tests, 3 * once.exact_tests);
    }
}

TEST(Query, IntoAVectorOfTheCallers) {
    const Model m = *Model::build(scenes::box());
    std::vector<Contact> contacts(5, {{99, 99}, {99, 99}});
    collide(m, m, moved({1, 0.3, 0.2}), contacts);
    EXPECT_EQ(sorted(contacts), sorted(collide(m, m, moved({1, 0.3, 0.2}))));
    EXPECT_FALSE(contacts.empty());
    const std::size_t room = contacts.capacity();
    collide(m, m, moved({9, 0, 0}), contacts);
    EXPECT_TRUE(contacts.empty());
    EXPECT_EQ(contacts.capacity(), room);
}

TEST(Query, ScratchChangesNoAnswer) {
    const Soup soup = scenes::torus(1, 0.4, 30, 20);
    const Model wide = *Model::build(soup), binary = *study::build(soup, {.tree = study::TreeKind::Binary});
    Scratch scratch;
    scenes::Random random(3);
    for (int k = 0; k < 8; ++k) {
        const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-1, 1));
        const auto expected = sorted(collide(wide, wide, pose));
        for (const Model* a : {&wide, &binary})
            for (const Model* b : {&wide, &binary}) {
                EXPECT_EQ(sorted(collide(*a, *b, pose, {.scratch = &scratch})), expected);
                EXPECT_EQ(intersects(*a, *b, pose, {.scratch = &scratch}), !expected.empty());
            }
        Scratch taken = std::move(scratch);
        scratch = std::move(taken);
    }
}

TEST(Query, WarmQueriesDoNotAllocate) {
    const Soup soup = scenes::torus(1, 0.4, 30, 20);
    const Model wide = *Model::build(soup), binary = *study::build(soup, {.tree = study::TreeKind::Binary}),
                far = *Model::build(scenes::scale(soup, 1e13));
    Scratch scratch;
    std::vector<Contact> contacts;
    long long before = 0;
    for (int round = 0; round < 2; ++round) {
        before = test::allocations;
        for (const Model* a : {&wide, &binary, &far})
            for (const Model* b : {&wide, &binary})
                for (const double x : {0.0, 0.5, 1.2}) {
                    collide(*a, *b, moved({x, 0.1, 0.2}), contacts, {.scratch = &scratch});
                    within(*a, *b, moved({x, 0.1, 0.2}), 0.01, {.scratch = &scratch});
                }
        EXPECT_EQ(test::allocations > before, round == 0);
    }
}

TEST(Query, MarginFindsNearPairs) {
    // Parallel triangles three apart, and one that is three and a quarter away along x.
    Soup upper = one_triangle(3);
    const std::uint32_t first = upper.add({4.25, 0, 0});
    upper.add({5, 0, 0});
    upper.add({5, 1, 0});
    upper.add_triangle(first, first + 1, first + 2);
    for (const study::TreeKind a : kinds)
        for (const study::TreeKind b : kinds) {
            const Model ma = *study::build(one_triangle(), {.tree = a}), mb = *study::build(upper, {.tree = b});
            const auto count = [&](double margin) { return collide_within(ma, mb, {}, margin).size(); };
            EXPECT_EQ(count(0), 0u);
            EXPECT_EQ(count(2.99999), 0u);
            EXPECT_EQ(count(3), 1u);
            EXPECT_EQ(count(3.24999), 1u);
            EXPECT_EQ(count(3.25), 2u);
            EXPECT_EQ(count(1e300), 2u);
            EXPECT_FALSE(study::within_by_contacts(ma, mb, {}, 2.99999));
            EXPECT_TRUE(study::within_by_contacts(ma, mb, {}, 3));
        }
}

void expect_near(const Mat3& m, const Mat3& wanted) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(m.row[i][j], wanted.row[i][j], 1e-15) << i << j;
}

/// A rotation, or a mirrored one, whose columns are off by nearly as much as a pose's may be.
Pose sloppy(scenes::Random& random) {
    const Pose turn = scenes::random_rotation(random);
    Mat3 skew;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) skew.row[i][j] += random.between(-0.0045, 0.0045);
    if (random.between(0, 1) < 0.25) skew.row[0] = -skew.row[0];
    return *Pose::from_matrix(turn.rotation() * skew, random.in_cube(-10, 10));
}

double off_orthonormal(const Pose& pose) {
    double most = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            most = std::max(most, std::abs(dot(pose.rotation().column(i), pose.rotation().column(j)) - (i == j)));
    return most;
}

TEST(Pose, ProductsOfSloppyPosesArePoses) {
    scenes::Random random(17);
    std::size_t taken = 0, kept = 0;
    Pose chain;
    for (int n = 0; n < 2000; ++n) {
        const Pose a = sloppy(random), b = sloppy(random);
        const Vec3 p = random.in_cube(-1, 1);
        const auto check = [&](const Pose& product, const Mat3& matrix, const Vec3& wanted) {
            const bool same = product.rotation() == matrix;
            ++(same ? kept : taken);
            EXPECT_LE(off_orthonormal(product), same ? Pose::tolerance : 1e-15);
            EXPECT_LE(length(product(p) - wanted), same ? 1e-13 : length(p) / 32);
            EXPECT_EQ(dot(cross(product.rotation().row[0], product.rotation().row[1]), product.rotation().row[2]) < 0,
                      dot(cross(matrix.row[0], matrix.row[1]), matrix.row[2]) < 0);
        };
        check(compose(a, b), a.rotation() * b.rotation(), a(b(p)));
        const Affine b_from_a = *inverse(Affine(a)), a_from_b = *relative(Affine(a), Affine(b));
        check(relative(a, b), a_from_b.linear(), a_from_b(p));
        const Pose back = inverse(a);
        if (back.rotation() == b_from_a.linear())
            EXPECT_EQ(back.translation(), b_from_a.translation());
        else
            EXPECT_LE(off_orthonormal(back), 1e-15);
        EXPECT_LE(length(back(a(p)) - p), length(p) / 32);
        // However long a chain is, its matrix stays within the tolerance.
        chain = compose(chain, a);
        EXPECT_LE(off_orthonormal(chain), Pose::tolerance);
    }
    EXPECT_GT(taken, 100u);
    EXPECT_GT(kept, 100u);
}

TEST(Pose, ProductsWithinTheToleranceKeepTheirBits) {
    scenes::Random random(18);
    for (int n = 0; n < 500; ++n) {
        const Pose a = scenes::placed(scenes::random_rotation(random), random.in_cube(-10, 10));
        const Pose b = scenes::placed(scenes::random_rotation(random), random.in_cube(-10, 10));
        EXPECT_EQ(Affine(compose(a, b)), *compose(Affine(a), Affine(b)));
        EXPECT_EQ(Affine(inverse(a)), *inverse(Affine(a)));
        EXPECT_EQ(Affine(relative(a, b)), *relative(Affine(a), Affine(b)));
        EXPECT_EQ(relative(a, b), compose(inverse(a), b));
    }
}

TEST(Query, TwoWorldPoses) {
    const Model m = *Model::build(scenes::box());
    const Pose a = scenes::placed(scenes::axis_rotation(7), {10, 20, 30});
    const Pose near = scenes::placed(scenes::axis_rotation(4), {11, 20, 30});
    const Pose far = scenes::placed(scenes::axis_rotation(4), {13, 20, 30});
    EXPECT_TRUE(intersects(m, m, relative(a, near)));
    EXPECT_FALSE(intersects(m, m, relative(a, far)));
    EXPECT_EQ(relative(a, near), *relative(Affine(a), Affine(near)));
    EXPECT_EQ(relative(a, a).translation(), (Vec3{0, 0, 0}));
    // Each off by as much as a pose may be: their product is off by more, so the nearest orthonormal matrix is taken.
    const double off = std::sqrt(1 + 0.9 * Pose::tolerance);
    const Pose large = *Pose::from_matrix({{Vec3{off, 0, 0}, Vec3{0, off, 0}, Vec3{0, 0, off}}}, {});
    const Pose small = *Pose::from_matrix({{Vec3{1 / off, 0, 0}, Vec3{0, 1 / off, 0}, Vec3{0, 0, 1 / off}}}, {});
    expect_near(relative(small, large).rotation(), Mat3{});
    EXPECT_FALSE(relative(Affine(small), Affine(large))->rigid());
    EXPECT_FALSE(intersects(m, m, *relative(Affine(small), Affine(large))));  // one shell within the other
    // The largest translations: a relative placement exists, and no mapped point overflows.
    const Pose here = *Pose::from_translation({0x1p1000, -0x1p1000, 0x1p1000});
    const Pose there = *Pose::from_translation({-0x1p1000, 0x1p1000, -0x1p1000});
    EXPECT_EQ(relative(here, there).translation(), (Vec3{-0x1p1000, 0x1p1000, -0x1p1000}));
    EXPECT_FALSE(intersects(m, m, relative(here, there)));
    // Beyond the range of placements.
    const Affine tiny = *Affine::from_matrix({{Vec3{0x1p-12, 0, 0}, Vec3{0, 0x1p-12, 0}, Vec3{0, 0, 0x1p-12}}}, {});
    const Affine huge = *Affine::from_matrix({{Vec3{0x1p12, 0, 0}, Vec3{0, 0x1p12, 0}, Vec3{0, 0, 0x1p12}}}, {});
    EXPECT_EQ(relative(tiny, huge).fault().kind, FaultKind::OutOfRange);
}

/// Infinite lengths, and what is not a number, never hide a contact.
TEST(Query, WithinAnyLength) {
    const Model m = *Model::build(scenes::box());
    const Affine apart = *Pose::from_translation({2.5, 0, 0}), touching = *Pose::from_translation({2, 0, 0});
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(within(m, m, apart, 0.4));
    EXPECT_FALSE(study::within_by_contacts(m, m, apart, 0.4));
    EXPECT_TRUE(collide_within(m, m, apart, 0.4).empty());
    for (const double length : {0.5, infinite, std::numeric_limits<double>::quiet_NaN()})
        for (const Affine& pose : {apart, touching}) {
            EXPECT_TRUE(within(m, m, pose, length)) << length;
            EXPECT_TRUE(study::within_by_contacts(m, m, pose, length)) << length;
        }
    for (const double length : {-0.5, -1e300, -infinite})
        for (const Affine& pose : {apart, touching}) {
            EXPECT_FALSE(within(m, m, pose, length)) << length;
            EXPECT_FALSE(study::within_by_contacts(m, m, pose, length)) << length;
            EXPECT_TRUE(collide_within(m, m, pose, length).empty()) << length;
        }
    EXPECT_EQ(sorted(collide_within(m, m, touching, 0)), sorted(collide(m, m, touching)));
    for (const double length : {infinite, std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_EQ(collide_within(m, m, apart, length).size(), 144u);
        EXPECT_EQ(collide_within(m, m, apart, length, {.max_contacts = 5}).size(), 5u);
    }
    EXPECT_FALSE(within(m, Model(), apart, infinite));
    EXPECT_TRUE(collide_within(m, Model(), apart, infinite).empty());
}

TEST(Query, AtMostSoManyContacts) {
    const Soup soup = scenes::torus(1, 0.4, 20, 10);
    for (const study::TreeKind kind : kinds) {
        const Model m = *study::build(soup, {.tree = kind});
        const Affine pose = *Pose::from_translation({0.5, 0.1, 0.2});
        const std::vector<Contact> all = sorted(collide(m, m, pose));
        ASSERT_GT(all.size(), 10u);
        for (const std::size_t most : {std::size_t{1}, std::size_t{7}, all.size(), all.size() + 1}) {
            Front front;
            for (Front* f : {static_cast<Front*>(nullptr), &front, &front}) {
                const std::vector<Contact> some = sorted(collide(m, m, pose, {.max_contacts = most, .front = f}));
                EXPECT_EQ(some.size(), std::min(most, all.size()));
                EXPECT_TRUE(std::ranges::includes(all, some));
            }
            std::size_t visited = 0;
            const auto count = [&](const Contact&) { return ++visited == most ? Step::Stop : Step::Continue; };
            EXPECT_EQ(for_each_contact(m, m, pose, count), most > all.size());
            EXPECT_EQ(visited, std::min(most, all.size()));
        }
        EXPECT_TRUE(intersects(m, m, pose));
    }
}

TEST(Model, WhatWasGiven) {
    Soup soup = scenes::torus(1, 0.4, 20, 10);
    soup.points.push_back({100, 0, 0});  // no triangle uses it
    for (const study::TreeKind kind : kinds) {
        const Model m = *study::build(soup, {.tree = kind});
        ASSERT_EQ(m.points().size(), soup.points.size());
        for (std::size_t i = 0; i < soup.points.size(); ++i) EXPECT_EQ(m.points()[i], soup.points[i]);
        ASSERT_EQ(m.triangles().size(), soup.triangle_count());
        for (std::size_t i = 0; i < m.triangles().size(); ++i)
            for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(m.triangles()[i][k], soup.corners[3 * i + k]);
        EXPECT_EQ(m.bounds().hi().x, 1.4);
        EXPECT_NEAR(m.bounds().lo().x, -1.4, 1e-12);
    }
    EXPECT_TRUE(Model().bounds().empty());
    EXPECT_TRUE(Model().points().empty());
}

}  // namespace
}  // namespace graze
