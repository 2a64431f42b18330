// SPDX-License-Identifier: Apache-2.0
// Distances of models against all pairs of their triangles: every tree and every path gives the same bits.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "exact/triangle_distance.hpp"
#include "golden.hpp"
#include "graze/graze.hpp"
#include "graze/study.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"
#include "triangle_families.hpp"

namespace graze {
namespace {

using scenes::Random;
using scenes::Soup;

const study::TreeSettings trees[] = {
    {.volume = study::Volume::Obb},
    {.volume = study::Volume::Aabb},
    {.tree = study::TreeKind::Binary, .volume = study::Volume::Obb},
    {.tree = study::TreeKind::Binary, .volume = study::Volume::Sphere},
};

struct Trees {
    std::vector<Model> by;

    explicit Trees(const Soup& soup) {
        for (const study::TreeSettings& settings : trees) by.push_back(*study::build(soup, settings));
    }
};

/// All pairs of triangles, one by one.
class EveryPair {
public:
    EveryPair(const Model& a, const Model& b, const Affine& m) : a_(a) {
        for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
            const Triangle t = b.triangle(j);
            b_.push_back({m(t.a), m(t.b), m(t.c)});
        }
    }

    double of_triangle(std::uint32_t i, double best = INFINITY) const {
        bool exact = false;
        for (const Triangle& t : b_) {
            const detail::TriangleDistance d(a_.triangle(i), t);
            if (d.low() <= best) best = std::min(best, d.rounded(best, exact));
        }
        return best;
    }
    double least() const {
        double best = INFINITY;
        for (std::uint32_t i = 0; i < a_.triangle_count(); ++i) best = of_triangle(i, best);
        return best;
    }
    std::set<TrianglePair> within(double length) const {
        bool exact = false;
        std::set<TrianglePair> out;
        for (std::uint32_t i = 0; i < a_.triangle_count(); ++i)
            for (std::uint32_t j = 0; j < b_.size(); ++j)
                if (detail::TriangleDistance(a_.triangle(i), b_[j]).within(length, exact)) out.insert({i, j});
        return out;
    }
    const Triangle& in_a(std::uint32_t j) const { return b_[j]; }

private:
    const Model& a_;
    std::vector<Triangle> b_;
};

/// Soups of some dozens of triangles: random ones, needles, degenerate ones, and surfaces on grids.
Soup soup_of(unsigned kind, std::uint64_t seed) {
    switch (kind % 6) {
        case 0:
            return scenes::random_soup(40, 0.2, seed);
        case 1:
            return scenes::needles(30, seed);
        case 2:
            return scenes::degenerate_mixture(30, seed);
        case 3:
            return scenes::torus(1, 0.4, 8, 5);
        case 4:
            return scenes::integer_ground(4, 3, seed);
        default:
            return scenes::cube_lattice(2);
    }
}

Soup resized(Soup soup, double by) {
    for (Vec3& p : soup.points) p = p * by;
    return soup;
}

/// Placements: rigid ones near and far, along the axes, affine ones.
Affine placement_of(unsigned kind, double size, Random& random) {
    const Vec3 t = random.in_cube(-1, 1) * size;
    const Mat3 r = scenes::random_rotation(random).rotation();
    switch (kind % 5) {
        case 0:
            return *Pose::from_matrix(r, t);
        case 1:
            return *Pose::from_matrix(r, t * 20);
        case 2:  // grid onto grid: many pairs are equally close
            return *Pose::from_matrix(scenes::axis_rotation(random.below(24)).rotation(),
                                      {std::round(t.x * 4) / 4, std::round(t.y * 4) / 4, std::round(t.z * 4) / 4});
        case 3:
            return *Affine::from_matrix({{r.row[0] * 0.3, r.row[1] * 2.0, r.row[2]}}, t * 2);
        default:
            return *Pose::from_matrix(r, t * 1e-3);
    }
}

void expect_distance(const Trees& a, const Trees& b, const Affine& m, bool fully) {
    const EveryPair truth(a.by[0], b.by[0], m);
    const double least = truth.least();
    Scratch scratch;
    for (std::size_t i = 0; i < std::size(trees); ++i)
        for (std::size_t j = 0; j < std::size(trees); ++j) {
            if (!fully && (i + j) % 3 != 0) continue;
            SCOPED_TRACE(4 * i + j);
            const Model &x = a.by[i], &y = b.by[j];
            const ClosestTriangles found = distance(x, y, m, {.scratch = &scratch});
            ASSERT_EQ(found.distance, least);
            ASSERT_EQ(found.distance == 0, intersects(x, y, m));
            const Triangle s = x.triangle(found.triangles.a), &t = truth.in_a(found.triangles.b);
            ASSERT_EQ(detail::triangle_distance(s, t), least);
            double size = 0;
            for (const Vec3* p : {&s.a, &s.b, &s.c, &t.a, &t.b, &t.c})
                size = std::max({size, std::abs(p->x), std::abs(p->y), std::abs(p->z)});
            ASSERT_LE(std::abs(length(found.point_a - found.point_b) - least), 1e-14 * size);
            if (i != j) continue;
            // Early answers.
            ASSERT_EQ(distance(x, y, m, {.max_distance = least * 0.99}).distance, least > 0 ? INFINITY : 0);
            ASSERT_EQ(distance(x, y, m, {.max_distance = least * 1.01}).distance, least);
            const double near = distance(x, y, m, {.relative_error = 0.1, .absolute_error = 0.01}).distance;
            ASSERT_TRUE(near >= least && near <= least * 1.1 + 0.0101) << near << " " << least;
            const double early = distance(x, y, m, {.stop_below = least * 1.5 + 0.01}).distance;
            ASSERT_TRUE(early >= least && early <= least * 1.5 + 0.01) << early << " " << least;
            // Within a distance, and one double below and above.
            for (const double d : {std::nextafter(least, 0), least, std::nextafter(least, 1e300), least * 1.2}) {
                const std::set<TrianglePair> expected = truth.within(d);
                ASSERT_EQ(within(x, y, m, d), !expected.empty()) << d;
                std::set<TrianglePair> pairs;
                ASSERT_TRUE(for_each_within(x, y, m, d, [&](const ClosestTriangles& c) {
                    EXPECT_TRUE(pairs.insert(c.triangles).second);
                    EXPECT_EQ(c.distance,
                              detail::triangle_distance(x.triangle(c.triangles.a), truth.in_a(c.triangles.b)));
                    return Step::Continue;
                }));
                ASSERT_EQ(pairs, expected) << d;
            }
        }
}

TEST(Distance, IsThatOfAllPairs) {
    Random random(5);
    for (unsigned i = 0; i < test::scaled(40); ++i) {
        SCOPED_TRACE(i);
        const Soup s = soup_of(random.below(6), i), t = soup_of(random.below(6), i + 1000);
        const Trees a(s), b(t);
        for (unsigned k = 0; k < 5; ++k) expect_distance(a, b, placement_of(k, 3, random), i % 8 == 0);
    }
}

/// B is far from the origin of its frame, and near A: a place along an axis is the difference of two large numbers. An
/// axis rounded to float32 would be off by a fraction of the models' size, and half of these distances would be wrong.
TEST(Distance, OfAModelFarFromItsOrigin) {
    Random random(11);
    const Soup soup = scenes::torus(1, 0.4, 20, 12);
    const Trees a(soup);
    for (unsigned i = 0; i < test::scaled(8); ++i) {
        SCOPED_TRACE(i);
        const Vec3 far = random.in_cube(-1, 1) * 1e7;
        Soup away = soup;
        for (Vec3& p : away.points) p = p + far;
        const Trees b(away);
        const Pose turn = scenes::random_rotation(random);
        const Pose m = scenes::placed(turn, Vec3{random.between(2.9, 4), 0, 0} - turn.rotation() * far);
        const double least = EveryPair(a.by[0], b.by[0], m).least();
        for (std::size_t k = 0; k < std::size(trees); ++k)
            EXPECT_EQ(distance(a.by[k], b.by[k], m).distance, least) << k;
    }
}

TEST(Distance, AtAnyScale) {
    Random random(6);
    for (const double scale : {1e-12, 1e12, 0x1p-1000, 0x1p990}) {
        SCOPED_TRACE(scale);
        const Soup s = scenes::torus(1, 0.4, 4, 3), t = scenes::random_soup(8, 0.2, 2);
        const Trees a(resized(s, scale)), b(resized(t, scale));
        expect_distance(a, b, *Pose::from_matrix(scenes::random_rotation(random).rotation(), Vec3{2, 1, 0.5} * scale),
                        true);
        // A small model near a large one, and a large one far from a small one.
        const Trees small(resized(t, scale * 1e-13));
        expect_distance(a, small, *Pose::from_translation(Vec3{1, 0.7, 0.2} * scale), true);
        expect_distance(small, a, *Pose::from_translation(Vec3{3, 0.7, 0.2} * scale), true);
    }
    const Trees a(scenes::random_soup(3, 1, 4));
    expect_distance(a, a, *Pose::from_translation({1e13, 2e13, 0}), true);
    expect_distance(a, a, *Pose::from_translation({0x1p900, 0, 0}), false);
}

/// Two triangles at a time, of every kind that is hard: the bounds in float32 must never exclude the truth.
TEST(Distance, OfPairsOfEveryFamily) {
    const auto model = [](const Triangle& t) { return Model::build(Soup{{t.a, t.b, t.c}, {0, 1, 2}}); };
    for (const test::Family& family : test::families) {
        SCOPED_TRACE(family.name);
        test::Random random(23);
        for (unsigned i = 0; i < test::scaled(150); ++i) {
            const test::TriangleTwo p = family.make(random);
            const Result<Model> in_s = model(p.s), in_t = model(p.t);
            if (!in_s || !in_t) continue;  // beyond the range of models
            const Model &s = *in_s, &t = *in_t;
            const double d = detail::triangle_distance(p.s, p.t);
            ASSERT_EQ(distance(s, t, Pose()).distance, d) << i;
            ASSERT_TRUE(within(s, t, Pose(), std::nextafter(d, INFINITY))) << i;
            bool exact = false;
            for (const double length : {d, std::nextafter(d, 0)}) {
                const bool truth = detail::TriangleDistance(p.s, p.t).within(length, exact);
                ASSERT_EQ(within(s, t, Pose(), length), truth) << i;
                ASSERT_EQ(study::within_by_contacts(s, t, Pose(), length), truth) << i;
            }
        }
    }
}

TEST(Distance, EmptyModelsAndOddSettings) {
    const Model none, torus = *Model::build(scenes::torus(1, 0.4, 8, 5));
    EXPECT_EQ(distance(none, torus, Pose()).distance, INFINITY);
    EXPECT_EQ(distance(torus, none, Pose()).distance, INFINITY);
    EXPECT_FALSE(within(none, torus, Pose(), INFINITY));
    EXPECT_TRUE(clearances(none, torus, Pose()).empty());
    EXPECT_EQ(clearances(torus, none, Pose()), std::vector<double>(torus.triangle_count(), INFINITY));
    EXPECT_EQ(closest_point(none, {}).distance, INFINITY);
    const Pose away = *Pose::from_translation({5, 0, 0});
    const double d = distance(torus, torus, away).distance;
    EXPECT_NEAR(d, 5 - 2.8, 0.3);
    EXPECT_EQ(distance(torus, torus, away, {.max_distance = NAN, .stop_below = NAN, .relative_error = -1}).distance, d);
    EXPECT_FALSE(within(torus, torus, away, -1));
    EXPECT_TRUE(within(torus, torus, away, NAN));
    EXPECT_TRUE(within(torus, torus, away, INFINITY));
    EXPECT_EQ(closest_point(torus, {NAN, 0, 0}).distance, INFINITY);
    EXPECT_EQ(closest_point(torus, {0x1p1010, 0, 0}).distance, INFINITY);
}

TEST(Distance, OfHullsHasTheSameForm) {
    const Model box = *Model::build(scenes::box());
    const Closest c = distance(Hull(box), Hull(box), *Pose::from_translation({4, 0, 0}));
    EXPECT_EQ(c.distance, 2);
    EXPECT_EQ(c.point_a.x, 1);
    EXPECT_EQ(c.point_b.x, 3);
}

TEST(Clearances, AreThoseOfEachTriangle) {
    Random random(7);
    for (unsigned i = 0; i < test::scaled(20); ++i) {
        SCOPED_TRACE(i);
        const Trees a(soup_of(random.below(6), i)), b(soup_of(random.below(6), i + 50));
        const Affine m = placement_of(i, 2, random);
        const EveryPair truth(a.by[0], b.by[0], m);
        std::vector<double> expected;
        for (std::uint32_t k = 0; k < a.by[0].triangle_count(); ++k) expected.push_back(truth.of_triangle(k));
        for (std::size_t k = 0; k < std::size(trees); ++k) EXPECT_EQ(clearances(a.by[k], b.by[k], m), expected) << k;
        double most = 0;
        for (double& d : expected) most = std::max(most, d);
        for (double& d : expected) d = d > most / 2 ? INFINITY : d;
        EXPECT_EQ(clearances(a.by[0], b.by[0], m, {.max_distance = most / 2, .threads = 2}), expected);
    }
}

TEST(ClosestPoint, IsThatOfAllTriangles) {
    Random random(8);
    for (unsigned i = 0; i < test::scaled(30); ++i) {
        const Trees a(resized(soup_of(i, i), i % 3 == 0 ? 1e-9 : 1));
        const Model& model = a.by[0];
        std::vector<Vec3> points;
        for (unsigned k = 0; k < 30; ++k)
            points.push_back(random.in_cube(-2, 2) * (k % 7 == 0 ? 1e4 : k % 5 ? 1 : 1e-9));
        points.push_back(model.points()[0]);  // on the surface
        points.push_back({0x1p990, 1, 2});
        std::vector<ClosestPoint> batch(points.size());
        closest_points(model, points, batch, {.threads = 2});
        for (std::size_t k = 0; k < points.size(); ++k) {
            double expected = INFINITY;
            bool exact = false;
            for (std::uint32_t t = 0; t < model.triangle_count(); ++t) {
                const detail::TriangleDistance d(points[k], model.triangle(t));
                if (d.low() <= expected) expected = std::min(expected, d.rounded(expected, exact));
            }
            for (const Model& tree : a.by) {
                const ClosestPoint found = closest_point(tree, points[k]);
                ASSERT_EQ(found.distance, expected) << i << " " << k;
                ASSERT_EQ(detail::TriangleDistance(points[k], model.triangle(found.triangle)).rounded(INFINITY, exact),
                          expected);
            }
            ASSERT_EQ(batch[k].distance, expected);
            if (expected > 0) {
                ASSERT_EQ(closest_point(model, points[k], {.max_distance = expected * 0.999}).distance, INFINITY);
            }
        }
    }
}

/// Along paths of small and large steps, with refits and other queries in between, a front changes no distance.
TEST(Distance, FromAFront) {
    Random random(9);
    const Soup soup = scenes::torus(1, 0.4, 24, 12);
    Model a = *Model::build(soup);
    const Trees others(scenes::torus(0.5, 0.2, 14, 9));
    for (const Model& b : others.by)
        for (const double step : {1e-5, 1e-3, 0.1}) {
            SCOPED_TRACE(step);
            Front front;
            Scratch scratch;
            QueryStats with, without;
            for (unsigned i = 0; i < test::scaled(300); ++i) {
                const double t = i * step;
                const Pose turn = *Pose::from_quaternion({std::sin(t), 0.3, std::sin(2 * t), 1}, {});
                const Pose m = scenes::placed(turn, {2.2 * std::cos(t), 2.2 * std::sin(t), std::sin(3 * t)});
                const ClosestTriangles plain = distance(a, b, m, {.stats = &without, .scratch = &scratch});
                const double limit = i % 5 == 3 ? plain.distance * random.between(0.5, 1.5) : INFINITY;
                const ClosestTriangles found =
                    distance(a, b, m, {.max_distance = limit, .stats = &with, .scratch = &scratch, .front = &front});
                ASSERT_EQ(found.distance, plain.distance <= limit ? plain.distance : INFINITY) << i;
                if (i % 7 == 5) {
                    ASSERT_EQ(intersects(a, b, m, {.front = &front}), plain.distance == 0);
                }
                if (i % 50 == 40) {
                    std::vector<Vec3> points = soup.points;
                    for (Vec3& p : points) p = p * random.between(0.99, 1.01);
                    ASSERT_TRUE(a.refit(points));
                }
            }
            if (step < 1e-4) {
                EXPECT_LE(with.box_tests, without.box_tests);
            }
        }
}

/// Two flat faces, one over the other: very many pairs are equally close.
TEST(Distance, OfParallelFaces) {
    const Soup ground = scenes::integer_ground(12, 0, 1);
    const Model flat = *Model::build(ground);
    const Pose above = *Pose::from_translation({0.25, 0.125, 0.5});
    EXPECT_EQ(distance(flat, flat, above).distance, 0.5);
    EXPECT_TRUE(within(flat, flat, above, 0.5));
    EXPECT_FALSE(within(flat, flat, above, std::nextafter(0.5, 0)));
}

}  // namespace
}  // namespace graze
