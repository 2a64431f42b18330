// SPDX-License-Identifier: Apache-2.0
// The features of a hull, their colours, and the cases that have names. tests/agree/test_hull_agree.cpp tests distances
// on random input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "graze/graze.hpp"
#include "graze/hull.hpp"
#include "graze/study.hpp"
#include "hull/closest_features.hpp"
#include "hull/closest_features_red.hpp"
#include "hull/convex_hull.hpp"
#include "hull_oracle.hpp"
#include "model/access.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze {
namespace {

using Kind = Feature::Kind;
using scenes::Random;
constexpr double infinity = std::numeric_limits<double>::infinity();

Hull hull_of(const std::vector<Vec3>& points) { return *Hull::around(points); }
Hull hull_of(const scenes::Soup& soup) { return Hull(*Model::build(soup)); }
Affine at(const Vec3& t) { return *Pose::from_matrix({}, t); }

std::vector<Feature> features(const Hull& hull) {
    std::vector<Feature> out;
    for (std::uint32_t i = 0; i < hull.vertex_count(); ++i) out.push_back({Kind::Vertex, i});
    for (std::uint32_t i = 0; i < hull.edge_count(); ++i) out.push_back({Kind::Edge, i});
    for (std::uint32_t i = 0; i < hull.face_count(); ++i) out.push_back({Kind::Face, i});
    return out;
}
int red(const Hull& hull, Kind kind) {
    return static_cast<int>(
        std::ranges::count_if(features(hull), [&](const Feature& f) { return f.kind == kind && study::red(hull, f); }));
}

/// Neighbours are mutual, and the surface closed.
void expect_consistent(const Hull& hull) {
    for (const Feature& f : features(hull))
        for (const Feature& g : study::neighbours(hull, f)) {
            const auto back = study::neighbours(hull, g);
            EXPECT_NE(std::ranges::find(back, f), back.end());
        }
    if (hull.dimension() == 3) {
        EXPECT_EQ(hull.vertex_count() + hull.face_count(), hull.edge_count() + 2);
    }
}

TEST(Hull, OfABox) {
    const Hull hull = hull_of(scenes::box({1, 2, 3}));
    EXPECT_EQ(hull.dimension(), 3);
    EXPECT_EQ(hull.vertex_count(), 8u);
    EXPECT_EQ(hull.edge_count(), 12u);
    EXPECT_EQ(hull.face_count(), 6u);  // two triangles each, merged
    expect_consistent(hull);
    for (std::uint32_t f = 0; f < 6; ++f) {
        EXPECT_EQ(hull.face(f).size(), 4u);
        const Vec3 n = hull.normal(f);
        EXPECT_NEAR(dot(n, hull.vertex(hull.face(f)[0])), std::abs(dot(n, {1, 2, 3})), 1e-15);
        const Vec3 p = hull.vertex(hull.face(f)[0]), q = hull.vertex(hull.face(f)[1]), r = hull.vertex(hull.face(f)[2]);
        EXPECT_GT(dot(n, cross(q - p, r - q)), 0);  // anticlockwise
    }
    EXPECT_LE(hull.slack(), 1e-14);
    EXPECT_GT(hull.bytes(), 100u);
}

TEST(Hull, OfFewPoints) {
    EXPECT_EQ(Hull().dimension(), -1);
    EXPECT_EQ(hull_of(std::vector<Vec3>{}).dimension(), -1);
    EXPECT_EQ(hull_of(std::vector<Vec3>{{1, 2, 3}}).dimension(), 0);
    EXPECT_EQ(hull_of(std::vector<Vec3>(5, {1, 2, 3})).dimension(), 0);
    const Hull segment = hull_of(std::vector<Vec3>{{0, 0, 0}, {3, 3, 3}, {1, 1, 1}, {3, 3, 3}});
    EXPECT_EQ(segment.dimension(), 1);
    EXPECT_EQ(segment.vertex_count(), 2u);
    EXPECT_EQ(segment.edge_count(), 1u);
    const Hull flat = hull_of(std::vector<Vec3>{{0, 0, 1}, {2, 0, 1}, {1, 0, 1}, {2, 2, 1}, {1, 1, 1}, {0, 2, 1}});
    EXPECT_EQ(flat.dimension(), 2);
    EXPECT_EQ(flat.vertex_count(), 4u);
    EXPECT_EQ(flat.edge_count(), 4u);
    EXPECT_EQ(flat.face_count(), 2u);
    for (const Hull& h : {segment, flat}) expect_consistent(h);
    EXPECT_EQ(Hull(Model()).dimension(), -1);
}

TEST(Hull, RefusesWhatAModelWould) {
    EXPECT_EQ(Hull::around(std::vector<Vec3>{{0, 0, 0}, {0, NAN, 0}}).fault().kind, FaultKind::NotFinite);
    EXPECT_EQ(Hull::around(std::vector<Vec3>{{0, 0, 1e305}}).fault().kind, FaultKind::OutOfRange);
    EXPECT_EQ(Hull::around(std::vector<double>{0, 0, 0, 1, 2}).fault().kind, FaultKind::BadIndex);
}

TEST(Hull, HoldsItsModelWithinTheSlack) {
    Random random(61);
    for (int round = 0; round < 40; ++round) {
        std::vector<Vec3> points;
        const Pose turn = scenes::random_rotation(random);
        for (int i = 0; i < 60; ++i) {  // much of it in faces and edges of a box, up to rounding
            Vec3 p = random.in_cube(-1, 1);
            for (int k = 0; k < 3; ++k)
                if (random.below(2) == 0) p[k] = p[k] < 0 ? -1 : 1;
            points.push_back(turn(p));
        }
        const Hull hull = hull_of(points);
        expect_consistent(hull);
        std::vector<Vec3> vertices;
        for (std::uint32_t i = 0; i < hull.vertex_count(); ++i) vertices.push_back(hull.vertex(i));
        for (const Vec3& p : points) {
            const auto out = test::hull_distance(test::widened(vertices), test::widened({p}));
            ASSERT_LE(static_cast<double>(out.low), hull.slack());
        }
        EXPECT_LE(hull.slack(), 1e-14);
        // No plane has a point above it, of which Qhull leaves some, by no rounding.
        for (const auto* planes : {&detail::Access::data(hull).faces, &detail::Access::data(hull).bevels})
            for (const detail::HullFace& f : *planes)
                for (const Vec3& p : points) {
                    const auto x = test::widened({detail::Access::data(hull).local(p)}), n = test::widened({f.normal});
                    ASSERT_LE(static_cast<double>(dot(n[0], x[0]) - f.outer), 0);
                }
    }
}

TEST(Hull, VoronoiRegionsHoldWhatIsNearest) {
    Random random(62);
    std::vector<Vec3> points;
    for (int i = 0; i < 30; ++i) points.push_back(random.in_cube(-1, 1));
    const std::vector<Vec3> polygon{{0, 0, 0}, {1, 0, 0}, {1.5, 1, 0}, {0, 2, 0}};
    for (const Hull& hull : {hull_of(points), hull_of(scenes::box()), hull_of(polygon)})
        for (int i = 0; i < 400; ++i) {
            const Vec3 p = random.in_cube(-3, 3);
            const ClosestFeatures c = closest_features(hull, hull_of(std::vector<Vec3>{p}), {});
            if (c.overlap) continue;
            for (const study::VoronoiPlane& plane : study::voronoi_region(hull, c.features.a))
                EXPECT_LE(dot(plane.normal, p), plane.offset + 1e-12);
            // And beyond a plane lies what is nearer there: the plane is also one of the neighbour's, from behind.
            for (const study::VoronoiPlane& plane : study::voronoi_region(hull, c.features.a)) {
                const auto theirs = study::voronoi_region(hull, plane.beyond);
                EXPECT_TRUE(std::ranges::any_of(theirs, [&](const study::VoronoiPlane& q) {
                    return q.beyond == c.features.a && length(plane.normal + q.normal) < 1e-9;
                }));
            }
        }
}

TEST(Hull, Colours) {
    const Hull box = hull_of(scenes::box());
    EXPECT_EQ(red(box, Kind::Vertex), 8);
    EXPECT_EQ(red(box, Kind::Edge), 12);
    EXPECT_EQ(red(box, Kind::Face), 6);
    // Two boxes apart: what spans the gap is made up.
    scenes::Soup far = scenes::box();
    for (Vec3& p : far.points) p.x += 5;
    const Hull two = hull_of(scenes::joined(scenes::box(), far));
    EXPECT_EQ(two.vertex_count(), 8u);
    EXPECT_EQ(red(two, Kind::Edge), 8);
    EXPECT_EQ(red(two, Kind::Face), 2);
    // An open box: the lid's edges are red, the lid is not.
    scenes::Soup open = scenes::box();
    const Vec3 top{0, 0, 1};
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < open.corners.size(); i += 3)
        if (!(open.points[open.corners[i]].z == 1 && open.points[open.corners[i + 1]].z == 1 &&
              open.points[open.corners[i + 2]].z == 1))
            kept.insert(kept.end(), open.corners.begin() + static_cast<std::ptrdiff_t>(i),
                        open.corners.begin() + static_cast<std::ptrdiff_t>(i + 3));
    open.corners = kept;
    const Hull lidless = hull_of(open);
    EXPECT_EQ(red(lidless, Kind::Edge), 12);
    EXPECT_EQ(red(lidless, Kind::Face), 5);
    for (const Feature& f : features(lidless)) {
        if (!study::red(lidless, f)) {
            EXPECT_EQ(f.kind, Kind::Face);
            EXPECT_GT(dot(lidless.normal(f.index), top), 0.9);
            EXPECT_FALSE(study::triangle_of(lidless, f));
        } else {
            EXPECT_LT(*study::triangle_of(lidless, f), open.triangle_count());
        }
    }
    // Half of a square is not the square.
    const Hull half = hull_of(scenes::Soup{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {0, 1, 2, 0, 0, 3}});
    EXPECT_EQ(half.dimension(), 2);
    EXPECT_EQ(red(half, Kind::Face), 0);
    EXPECT_EQ(red(half, Kind::Edge), 3);  // one by a triangle without area
    EXPECT_EQ(red(*Hull::around(scenes::box().points), Kind::Edge), 0);
}

TEST(Hull, DistancesWithNames) {
    const Hull box = hull_of(scenes::box());
    const auto gap = [&](const Vec3& t) { return distance(box, box, at(t)).distance; };
    EXPECT_EQ(gap({5, 0, 0}), 3);  // faces
    EXPECT_EQ(gap({5, 6, 0}), 5);  // edges
    EXPECT_NEAR(gap({3, 4, 4}), 3, 1e-15);
    EXPECT_EQ(gap({2, 0, 0}), 0);  // touching
    EXPECT_EQ(gap({2, 2, 2}), 0);
    EXPECT_EQ(gap({}), 0);
    EXPECT_EQ(gap({0.5, 0.25, 0}), 0);
    EXPECT_NEAR(gap({2 + 1e-9, 0, 0}), 1e-9, 1e-24 + 1e-16);
    const ClosestFeatures c = closest_features(box, box, at({5, 6, 0.5}));
    EXPECT_FALSE(c.overlap);
    EXPECT_EQ(c.point_a.x, 1);
    EXPECT_EQ(c.point_a.y, 1);
    EXPECT_EQ(c.point_b.x, 4);
    EXPECT_EQ(c.point_b.y, 5);
    EXPECT_NEAR(c.separation, 5, 1e-12);
    EXPECT_LT(c.separation, 5);
    EXPECT_TRUE(closest_features(box, box, at({1, 0, 0})).overlap);
    EXPECT_EQ(closest_features(box, box, at({1, 0, 0})).separation, 0);
    EXPECT_EQ(distance(box, Hull(), {}).distance, infinity);
    EXPECT_EQ(closest_features(Hull(), box, {}).separation, infinity);
    EXPECT_EQ(distance(hull_of(std::vector<Vec3>{{1, 2, 2}}), hull_of(std::vector<Vec3>{{0, 0, 0}}), {}).distance, 3);
}

TEST(Hull, EverySize) {
    const Hull unit = hull_of(scenes::box({1, 2, 3}));
    const Pose turn = *Pose::from_quaternion({0.1, 0.2, 0.3, 0.9}, {});
    const Vec3 t{7, 1, 2};
    const double truth = distance(unit, unit, *Pose::from_matrix(turn.rotation(), t)).distance;
    EXPECT_GT(truth, 1);
    for (const int e : {990, 500, 30, -30, -500, -900}) {
        const double s = std::ldexp(1, e);
        const Hull hull = hull_of(scenes::scale(scenes::box({1, 2, 3}), s));
        EXPECT_EQ(hull.face_count(), 6u);
        const ClosestFeatures c = closest_features(hull, hull, *Pose::from_matrix(turn.rotation(), t * s));
        EXPECT_EQ(c.distance, truth * s) << e;
        EXPECT_GT(c.separation, 0.99 * truth * s);
        // Far larger, or far smaller, than what it is compared with.
        const ClosestFeatures mixed = closest_features(unit, hull, at({std::ldexp(1.0, 995), 0, 0}));
        EXPECT_GT(mixed.distance, std::ldexp(1.0, 993)) << e;
        EXPECT_LE(mixed.separation, mixed.distance);
        EXPECT_TRUE(closest_features(unit, hull, {}).overlap);
    }
    const double least = std::numeric_limits<double>::denorm_min();
    const Hull tiny = hull_of(scenes::scale(scenes::box({1, 2, 3}), least));
    EXPECT_EQ(tiny.dimension(), 3);
    EXPECT_EQ(distance(tiny, tiny, at({least * 5, 0, 0})).distance, 3 * least);
    EXPECT_LE(closest_features(tiny, tiny, at({least * 5, 0, 0})).separation, 3 * least);
    // Small things far away from the origin, but close to each other.
    scenes::Soup away = scenes::box();
    for (Vec3& p : away.points) p = p + Vec3{0x1p40, -0x1p41, 0x1p39};
    EXPECT_EQ(distance(hull_of(away), hull_of(away), at({5, 6, 0})).distance, 5);
    EXPECT_NEAR(closest_features(hull_of(away), hull_of(away), at({5, 6, 0})).separation, 5,
                0.3);  // as mapped points round
}

TEST(Hull, PlacementsThatAreNotRigid) {
    const Hull box = hull_of(scenes::box());
    const auto scaled = *Affine::from_matrix({{Vec3{3, 0, 0}, Vec3{0, 0.5, 0}, Vec3{0, 0, 1}}}, {9, 0, 0});
    EXPECT_EQ(distance(box, box, scaled).distance, 5);
    const auto mirrored = *Affine::from_matrix({{Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}}, {9, 0, 0});
    EXPECT_EQ(distance(box, box, mirrored).distance, 7);
    const auto sheared = *Affine::from_matrix({{Vec3{1, 2, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}}, {5, -4, 0});
    EXPECT_NEAR(distance(box, box, sheared).distance, 9 / std::sqrt(5.0), 1e-14);  // above the slanting face
}

TEST(Hull, AnyStartWillDo) {
    const Hull a = hull_of(scenes::sphere(320)), b = hull_of(scenes::box());
    const Affine pose = *Pose::from_quaternion({0.3, 0.1, -0.2, 0.9}, {2, 1.5, 1});
    const double truth = distance(a, b, pose).distance;
    Random random(63);
    for (int i = 0; i < 3000; ++i) {
        FeaturePair start{{static_cast<Kind>(random.below(3)), random.below(1000)},
                          {static_cast<Kind>(random.below(3)), random.below(15)}};
        const ClosestFeatures c = closest_features(a, b, pose, &start);
        EXPECT_NEAR(c.distance, truth, 1e-14);
        EXPECT_FALSE(c.fallback);
        const ClosestFeatures again = closest_features(a, b, pose, &start);
        EXPECT_EQ(again.steps, 0u);
        EXPECT_EQ(again.distance, c.distance);
    }
}

TEST(Hull, SupportsClimb) {
    const Hull hull = hull_of(scenes::teapot(6));
    Random random(64);
    std::uint32_t last = 0;
    for (int i = 0; i < 500; ++i) {
        const Vec3 d = scenes::random_direction(random);
        last = support(hull, d, last);
        double most = -infinity;
        for (std::uint32_t v = 0; v < hull.vertex_count(); ++v) most = std::max(most, dot(d, hull.vertex(v)));
        EXPECT_NEAR(dot(d, hull.vertex(last)), most, 1e-14);
    }
    std::array<std::uint32_t, 6> extremes{};
    EXPECT_EQ(placed_box(Hull(), {}, extremes).lo().x, infinity);
    const Box box = placed_box(hull_of(scenes::box({1, 2, 3})), at({10, 20, 30}), extremes);
    EXPECT_NEAR(box.lo().y, 18, 1e-12);
    EXPECT_NEAR(box.hi().z, 33, 1e-12);
    const auto shrunk = *Affine::from_matrix({{Vec3{0x1p-700, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}}, {});
    EXPECT_GE(placed_box(hull_of(scenes::box({1, 2, 3})), shrunk, extremes).hi().x, 0x1p-700);
}

/// The fallback on its own: it takes over rarely.
TEST(Hull, TheFallbackAgrees) {
    Random random(66);
    for (int i = 0; i < 2000; ++i) {
        std::vector<Vec3> p, q;
        for (std::uint32_t k = 0; k < 1 + random.below(20); ++k) p.push_back(random.in_cube(-1, 1));
        for (std::uint32_t k = 0; k < 1 + random.below(20); ++k) q.push_back(random.in_cube(-1, 1));
        const Hull a = hull_of(p), b = hull_of(q);
        const Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-2, 2));
        const detail::HullPair pair(detail::Access::data(a), detail::Access::data(b), pose);
        const detail::Nearest n = detail::gjk(pair);
        const double found = n.overlap ? 0 : std::ldexp(length(n.at_b - n.at_a), pair.exponent);
        EXPECT_NEAR(found, distance(a, b, pose).distance, 1e-12) << i;
    }
}

TEST(Hull, MergesWhatIsCoplanar) {
    EXPECT_EQ(hull_of(scenes::cube_lattice(4)).face_count(), 6u);
    Random random(67);
    for (int i = 0; i < 50; ++i) {  // flat only up to rounding
        const scenes::Soup turned = scenes::transformed(scenes::cube_lattice(3), scenes::random_rotation(random));
        const Hull hull = hull_of(turned);
        EXPECT_EQ(hull.face_count(), 6u);
        EXPECT_EQ(hull.vertex_count(), 8u);
    }
}

/// Red features give the tree's answers.
TEST(Hull, RedOverlapsAreContacts) {
    for (const scenes::Soup& soup :
         {scenes::box({1, 0.8, 0.6}), scenes::sphere(320), scenes::torus(), scenes::teapot(5)}) {
        const Model model = *Model::build(soup);
        const Hull hull(model);
        int overlaps = 0, hits = 0, found = 0;
        FeaturePair start;
        for (const Pose& pose : scenes::placements_at_hit_rate(model, model, 0.5, 400, 65)) {
            const ClosestFeatures c = closest_features(hull, hull, pose, &start);
            const bool hit = intersects(model, model, pose);
            if (hit) {
                EXPECT_EQ(c.separation, 0);
            }
            hits += hit;
            if (!c.overlap) continue;
            ++overlaps;
            const auto pair = detail::red_overlap(hull, model, hull, model, pose, c.features);
            if (!pair) continue;
            ++found;
            const Triangle t = model.triangle(pair->b);
            EXPECT_TRUE(meet(model.triangle(pair->a), {pose(t.a), pose(t.b), pose(t.c)}));
            EXPECT_TRUE(hit);
        }
        std::printf("%d overlaps, %d contacts, %d of them by red features\n", overlaps, hits, found);
        EXPECT_GT(found, 0);
        if (soup.triangle_count() == 12) {
            EXPECT_GT(found, hits * 9 / 10);
        }
    }
}

}  // namespace
}  // namespace graze
