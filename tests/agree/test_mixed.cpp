// SPDX-License-Identifier: Apache-2.0
// Trees of either kind, and wide trees as the pair walk sees them, against brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/distance.hpp"
#include "graze/study.hpp"
#include "model/access.hpp"
#include "model/model_data.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"
#include "walk/pair_walk.hpp"
#include "wide/wide_view.hpp"
#include "wide_walk/float_range.hpp"

namespace graze {
namespace {

using detail::WideView;
using scenes::Random;
using scenes::Soup;
using Pairs = std::vector<TrianglePair>;

/// A soup and its model by both trees.
struct Both {
    Soup soup;
    Model wide, binary;

    explicit Both(Soup s) : soup(std::move(s)) {
        wide = *study::build(soup, {.tree = study::TreeKind::Wide, .threads = 1});
        binary = *study::build(soup, {.tree = study::TreeKind::Binary, .threads = 1});
        EXPECT_TRUE(wide.validate().ok());
        EXPECT_TRUE(binary.validate().ok());
    }
};

Pairs pairs_of(const std::vector<Contact>& contacts) {
    Pairs out;
    for (const Contact& c : contacts) {
        EXPECT_EQ(c.polygons, c.triangles);
        out.push_back(c.triangles);
    }
    return out;
}

/// Compares every mixture with `expected`, sorted.
void expect_pairs(const Both& a, const Both& b, const Pose& pose, double margin, const Pairs& expected) {
    Scratch scratch;
    const QuerySettings options{.scratch = &scratch};
    const Model* of_a[] = {&a.wide, &a.wide, &a.binary, &a.binary};
    const Model* of_b[] = {&b.wide, &b.binary, &b.wide, &b.binary};
    for (int k = 0; k < 4; ++k) {
        SCOPED_TRACE(k);
        EXPECT_EQ(scenes::differing(pairs_of(collide_within(*of_a[k], *of_b[k], pose, margin, options)), expected), 0u);
        EXPECT_EQ(study::within_by_contacts(*of_a[k], *of_b[k], pose, margin, options), !expected.empty());
    }
    Pairs found;
    std::vector<detail::NodePair> stack;
    QueryStats stats;
    const detail::ModelData &da = detail::Access::data(a.wide), &db = detail::Access::data(b.wide);
    EXPECT_TRUE(detail::walk_triangles(WideView(da.wide), da.geometry, WideView(db.wide), db.geometry, pose, margin,
                                       stack, stats, [&](std::uint32_t i, std::uint32_t j) {
                                           found.push_back({i, j});
                                           return Step::Continue;
                                       }));
    EXPECT_EQ(scenes::differing(found, expected), 0u) << "views";
}

std::size_t expect_agreement(const Both& a, const Both& b, const Pose& pose) {
    const Pairs expected = scenes::Reference(a.soup, b.soup).all(pose);
    expect_pairs(a, b, pose, 0, expected);
    return expected.size();
}

Soup moved(Soup soup, const Vec3& by) {
    for (Vec3& p : soup.points) p = p + by;
    return soup;
}

/// B's origin onto a point of one of A's triangles.
Pose onto(const Soup& a, Random& random) {
    const std::uint32_t* t = &a.corners[3 * random.below(static_cast<std::uint32_t>(a.triangle_count()))];
    const Vec3 p = a.points[t[0]] * 0.25 + a.points[t[1]] * 0.25 + a.points[t[2]] * 0.5;
    return scenes::placed(scenes::random_rotation(random), p);
}

TEST(Mixed, EmptyAndTiny) {
    Random random(1);
    const Both none{Soup{}};
    EXPECT_EQ(expect_agreement(none, none, Pose()), 0u);
    std::size_t pairs = 0;
    for (std::uint32_t n = 1; n <= 9; ++n) {
        const Both a(scenes::tiny(n, n)), b(scenes::tiny(10 - n, 100 + n));
        for (int k = 0; k < 6; ++k) {
            // About the middle of the unit cube.
            const Pose turn = scenes::random_rotation(random);
            const Vec3 middle{0.5, 0.5, 0.5};
            pairs += expect_agreement(a, b, scenes::placed(turn, middle - turn(middle) + random.in_cube(-0.2, 0.2)));
        }
        EXPECT_EQ(expect_agreement(a, none, Pose()) + expect_agreement(none, a, Pose()), 0u);
    }
    EXPECT_GT(pairs, 100u);
}

TEST(Mixed, Surfaces) {
    Random random(2);
    const Both a(scenes::torus(1, 0.4, 40, 20)), b(scenes::sphere(1000, 0.8));
    std::size_t pairs = 0;
    for (int k = 0; k < 8; ++k) {
        pairs += expect_agreement(a, b, scenes::placed(scenes::random_rotation(random), random.in_cube(-1, 1)));
        pairs += expect_agreement(b, a, scenes::placed(scenes::random_rotation(random), random.in_cube(-1, 1)));
    }
    EXPECT_GT(pairs, 1000u);
    // One bit from touching.
    for (const scenes::Touch& touch : scenes::touching_placements(a.wide, b.wide, 3, 1)) {
        EXPECT_EQ(expect_agreement(a, b, touch.clear), 0u);
        EXPECT_GT(expect_agreement(a, b, touch.hit), 0u);
    }
}

TEST(Mixed, MixturesAreCulled) {
    Random random(3);
    const Both a(scenes::torus(1, 0.4, 40, 20)), b(scenes::torus(1, 0.3, 30, 20));
    const Pose pose = scenes::placed(scenes::random_rotation(random), {0.9, 0.4, 0});
    QueryStats stats;
    EXPECT_FALSE(collide(a.wide, b.binary, pose, {.stats = &stats}).empty());
    EXPECT_FALSE(collide(a.binary, b.wide, pose, {.stats = &stats}).empty());
    EXPECT_LT(stats.triangle_tests, 2u * 1600 * 1200 / 40);
    EXPECT_LT(stats.box_tests, 2u * 1600 * 1200 / 40);
}

TEST(Mixed, ExactTies) {
    const Both ground(scenes::integer_ground(6, 2)), cubes(scenes::cube_lattice(2));
    std::size_t pairs = 0;
    for (std::uint32_t k = 0; k < 24; k += 5) {
        const Pose pose = scenes::placed(scenes::axis_rotation(k), {1.0 + k % 3, 2, static_cast<double>(k % 2)});
        pairs += expect_agreement(ground, cubes, pose) + expect_agreement(cubes, cubes, pose);
    }
    EXPECT_GT(pairs, 500u);
}

TEST(Mixed, DegenerateAndThin) {
    Random random(4);
    const Both a(scenes::degenerate_mixture(120, 1)), b(scenes::needles(80, 2)), c(scenes::random_soup(150, 0.3, 3));
    std::size_t pairs = expect_agreement(a, a, Pose()) + expect_agreement(b, b, Pose());
    for (int k = 0; k < 4; ++k) {
        const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(0, 0.5));
        pairs += expect_agreement(a, b, pose) + expect_agreement(b, c, pose) + expect_agreement(c, a, pose);
    }
    EXPECT_GT(pairs, 500u);
}

TEST(Mixed, FarFromTheOrigin) {
    Random random(5);
    std::size_t pairs = 0;
    for (const double far : {1e3, 1e8, 1e13, 1e15, 3e15}) {
        const Vec3 at = random.in_cube(-far, far);
        const Both a(moved(scenes::random_soup(60, 0.4, 1), at)), b(moved(scenes::random_soup(60, 0.4, 2), -at));
        for (int k = 0; k < 3; ++k) {
            const Pose turn = scenes::random_rotation(random);
            pairs += expect_agreement(a, b, scenes::placed(turn, at - turn(-at) + random.in_cube(-0.5, 0.5)));
        }
    }
    EXPECT_GT(pairs, 200u);
}

TEST(Mixed, SizesThatDiffer) {
    Random random(6);
    std::size_t pairs = 0;
    for (const double ratio : {1e3, 1e6, 1e10, 0x1p35, 0x1p36, 0x1p37, 1e12, 1e17, 1e100, 1e300}) {
        SCOPED_TRACE(ratio);
        const Both large(scenes::scale(scenes::random_soup(40, 0.5, 7), ratio)), small(scenes::random_soup(30, 0.5, 8));
        for (int k = 0; k < 3; ++k) {
            const Pose pose = onto(large.soup, random);
            pairs += expect_agreement(large, small, pose);
            pairs += expect_agreement(small, large, inverse(pose));
        }
        // So that both walks are among those compared.
        const bool fits =
            detail::fits_float(detail::Access::data(large.wide).wide, detail::Access::data(small.wide).wide, Pose(), 0);
        if (ratio != 0x1p36) {
            EXPECT_EQ(fits, ratio < 0x1p36);
        }
        // Both tiny and large, as far apart in size as numbers go.
        const Both dust(scenes::scale(scenes::random_soup(20, 0.4, 9), 0x1p-1060));
        pairs += expect_agreement(large, dust, onto(large.soup, random));
        pairs += expect_agreement(dust, large, Pose());
    }
    EXPECT_GT(pairs, 200u);
}

TEST(Mixed, EveryScale) {
    Random random(7);
    std::size_t pairs = 0;
    for (const int e : {-1070, -1000, -960, -300, 300, 900, 999}) {
        SCOPED_TRACE(e);
        const double unit = std::ldexp(1, e);
        const Both a(scenes::scale(scenes::random_soup(60, 0.4, 1), unit)),
            b(scenes::scale(scenes::random_soup(60, 0.4, 2), unit));
        for (int k = 0; k < 3; ++k)
            pairs += expect_agreement(
                a, b, scenes::placed(scenes::random_rotation(random), random.in_cube(-0.3, 0.7) * unit));
        expect_agreement(a, b, scenes::placed(scenes::random_rotation(random), {0x1p999, -0x1p999, 0x1p999}));
    }
    EXPECT_GT(pairs, 200u);
}

TEST(Mixed, Margin) {
    Random random(8);
    const Both a(scenes::random_soup(60, 0.2, 1)), b(scenes::random_soup(50, 0.2, 2)),
        dust(scenes::scale(scenes::random_soup(50, 0.2, 3), 1e-13));
    for (const Both* partner : {&b, &dust})
        for (int k = 0; k < 3; ++k) {
            const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-0.7, 1.2));
            std::size_t last = 0;
            for (const double margin : {0.0, 1e-9, 0.05, 0.3, 10.0, 1e40, 1e300}) {
                SCOPED_TRACE(margin);
                Pairs expected;
                for (std::uint32_t i = 0; i < a.wide.triangle_count(); ++i)
                    for (std::uint32_t j = 0; j < partner->wide.triangle_count(); ++j) {
                        const Triangle s = a.wide.triangle(i), own = partner->wide.triangle(j);
                        const Triangle t{pose(own.a), pose(own.b), pose(own.c)};
                        if (meet(s, t) || (margin > 0 && detail::triangle_distance(s, t) <= margin))
                            expected.push_back({i, j});
                    }
                expect_pairs(a, *partner, pose, margin, expected);
                EXPECT_GE(expected.size(), last);
                last = expected.size();
            }
            EXPECT_EQ(last, 3000u);
        }
}

/// All triangles below a node of a view.
void below(const WideView& view, std::uint32_t node, std::vector<std::uint32_t>& out) {
    if (view.leaf(node)) {
        for (const std::uint32_t t : view.triangles(node)) out.push_back(t);
    } else {
        for (const std::uint32_t child : view.children(node)) below(view, child, out);
    }
}

TEST(Mixed, ViewsHoldTheirTriangles) {
    Random random(9);
    for (const Soup& soup : {scenes::torus(1, 0.4, 30, 20), scenes::degenerate_mixture(200, 1), scenes::needles(200, 1),
                             scenes::scale(scenes::random_soup(100, 0.3, 1), 0x1p-1065),
                             scenes::scale(scenes::random_soup(100, 0.3, 1), 0x1p999),
                             moved(scenes::random_soup(100, 0.3, 1), {1e9, -1e15, 3}), scenes::tiny(1, 1)}) {
        const Both model(soup);
        const detail::ModelData& data = detail::Access::data(model.wide);
        const WideView view(data.wide);
        double volume = 0;
        for (std::uint32_t n = 0; n < data.wide.boxes.size(); ++n) {
            const detail::Obb box = view.volume(n);
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) {
                    const auto term = [&](int k) {
                        return static_cast<long double>(box.axes.row[i][k]) * box.axes.row[j][k];
                    };
                    EXPECT_LE(std::abs(static_cast<double>(term(0) + term(1) + term(2) - (i == j))), 0x1p-50);
                }
            EXPECT_GE(box.half.x, box.half.y);
            EXPECT_GE(box.half.y, box.half.z);
            EXPECT_LE(box.half.x, 1);
            std::vector<std::uint32_t> triangles;
            below(view, n, triangles);
            for (const std::uint32_t t : triangles)
                for (const std::uint32_t c : data.geometry.triangles[t])
                    EXPECT_TRUE(box.holds(view.frame.local(data.geometry.points[c]))) << n << " " << t;
            if (n == 0) {
                EXPECT_EQ(triangles.size(), soup.triangle_count());
            }
            volume += n == 0 ? 0 : box.half.x * box.half.y * box.half.z;
        }
        EXPECT_LT(volume, 2);  // boxes are hardly larger than need be
    }
}

}  // namespace
}  // namespace graze
