// SPDX-License-Identifier: Apache-2.0
// Solids: how their surfaces are connected, what is inside, how two of them lie to each other and how deep.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "blocks.hpp"
#include "case_count.hpp"
#include "graze/solid.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;
using scenes::Soup;
using test::at;
using test::block;

Solid solid_of(const Soup& soup) { return Solid(*Model::build(soup)); }

Soup turned_over(Soup soup) {
    for (std::size_t i = 0; i < soup.corners.size(); i += 3) std::swap(soup.corners[i], soup.corners[i + 1]);
    return soup;
}

Soup sheet() {
    Soup soup;
    for (const Vec3& p : {Vec3{-1, -1, 0}, Vec3{1, -1, 0}, Vec3{1, 1, 0}, Vec3{-1, 1, 0}}) soup.add(p);
    soup.add_quad(0, 1, 2, 3);
    return soup;
}

TEST(Surface, CountsEdgesShellsAndWhatHasNoArea) {
    const Solid box = solid_of(scenes::box());
    EXPECT_TRUE(box.closed());
    EXPECT_EQ(box.edge_count(), 18u);
    EXPECT_EQ(box.shell_count(), 1u);
    EXPECT_EQ(box.volume(), 8);
    // Each triangle with points of its own, as many files have them.
    Soup loose;
    const Soup sphere = scenes::sphere(80);
    for (const std::uint32_t c : sphere.corners) loose.corners.push_back(loose.add(sphere.points[c]));
    EXPECT_TRUE(solid_of(loose).closed());
    EXPECT_EQ(solid_of(loose).edge_count(), 120u);
    EXPECT_EQ(solid_of(sheet()).open_edge_count(), 4u);
    EXPECT_FALSE(solid_of(sheet()).closed());
    EXPECT_FALSE(solid_of({}).closed());
    // A fin on an edge of a box: three triangles there.
    Soup fin = scenes::box();
    const std::uint32_t tip = fin.add({5, 5, 5});
    fin.add_triangle(fin.corners[0], fin.corners[1], tip);
    EXPECT_EQ(solid_of(fin).crowded_edge_count(), 1u);
    EXPECT_EQ(solid_of(fin).open_edge_count(), 2u);
    EXPECT_FALSE(solid_of(fin).closed());
    Soup two = scenes::joined(scenes::box(), scenes::transformed(scenes::box(), at(5, 0, 0)));
    two.add_triangle(0, 0, 1);
    two.add_triangle(two.add({9, 9, 9}), two.add({9.5, 9, 9}), two.add({10, 9, 9}));
    EXPECT_EQ(solid_of(two).degenerate_count(), 2u);
    EXPECT_EQ(solid_of(two).shell_count(), 4u);
}

TEST(Surface, ZeroAreaIsExact) {
    // Rounded cross products would underflow, be off, or overflow.
    for (const double s : {0x1p-600, 0.1, 0x1p900}) {
        Soup line;
        line.add_triangle(line.add({s, 2 * s, 4 * s}), line.add({2 * s, 4 * s, 8 * s}),
                          line.add({8 * s, 16 * s, 32 * s}));
        EXPECT_EQ(solid_of(line).degenerate_count(), 1u) << s;
        line.points[2].y = std::nextafter(line.points[2].y, 0);
        EXPECT_EQ(solid_of(line).degenerate_count(), 0u) << s;
    }
}

TEST(Surface, FlawsAreNamed) {
    EXPECT_EQ(solid_of({}).flaw(), Flaw::None);
    EXPECT_EQ(solid_of(scenes::torus()).flaw(), Flaw::None);
    EXPECT_EQ(solid_of(sheet()).flaw(), Flaw::Open);
    Soup one = scenes::torus();
    std::swap(one.corners[30], one.corners[31]);
    EXPECT_EQ(solid_of(one).flaw(), Flaw::Misoriented);
    EXPECT_EQ(solid_of(one).misoriented_count(), 1u);
    EXPECT_NEAR(solid_of(one).volume(), solid_of(scenes::torus()).volume(), 1e-12);
    const Solid inverted = solid_of(turned_over(scenes::box()));
    EXPECT_EQ(inverted.flaw(), Flaw::Misoriented);
    EXPECT_EQ(inverted.misoriented_count(), 12u);
    EXPECT_EQ(inverted.volume(), 8);
    EXPECT_EQ(solid_of(scenes::joined(scenes::box(), scenes::transformed(scenes::box(), at(1, 0.5, 0.5)))).flaw(),
              Flaw::SelfCrossing);
    const Soup cavity = scenes::joined(scenes::box(), turned_over(scenes::box({0.5, 0.5, 0.5})));
    EXPECT_EQ(solid_of(cavity).flaw(), Flaw::None);
    EXPECT_EQ(solid_of(cavity).volume(), 7);
    // Klein's bottle: a tube whose ends are joined the wrong way round.
    Soup bottle;
    constexpr std::uint32_t n = 12, m = 8;
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t k = 0; k < m; ++k) {
            const double u = 2 * M_PI * i / n, v = 2 * M_PI * k / m;
            const double r = 2 + std::cos(u / 2) * std::sin(v) - std::sin(u / 2) * std::sin(2 * v);
            bottle.add(
                {r * std::cos(u), r * std::sin(u), std::sin(u / 2) * std::sin(v) + std::cos(u / 2) * std::sin(2 * v)});
        }
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t k = 0; k < m; ++k) {
            const auto point = [&](std::uint32_t x, std::uint32_t y) {
                return x < n ? x * m + y % m : (2 * m - y % m) % m;
            };
            bottle.add_quad(point(i, k), point(i, k + 1), point(i + 1, k + 1), point(i + 1, k));
        }
    EXPECT_TRUE(solid_of(bottle).closed());
    EXPECT_FALSE(solid_of(bottle).has_inside());
    EXPECT_EQ(solid_of(bottle).flaw(), Flaw::Unorientable);
    EXPECT_STREQ(name(Flaw::SelfCrossing), "self-crossing");
}

TEST(SideOf, IsThatOfTheShape) {
    Random random(9);
    const Solid ring = solid_of(scenes::torus(1, 0.4, 40, 24));
    std::vector<Vec3> points;
    std::vector<Side> expected;
    for (int i = 0; i < 3000; ++i) {
        Vec3 p = random.in_cube(-1.5, 1.5);
        // In planes of symmetry a ray along x runs through corners and edges.
        if (i % 3 == 0) p.z = 0;
        if (i % 5 == 0) p.y = 0;
        const double r = std::hypot(std::hypot(p.x, p.y) - 1, p.z);
        if (std::abs(r - 0.4) < 0.02) continue;  // between the facets and the torus
        points.push_back(p);
        expected.push_back(r < 0.4 ? Side::Inside : Side::Outside);
        const ClosestPoint closest = signed_distance(ring, p);
        EXPECT_EQ(closest.distance < 0, r < 0.4);
        EXPECT_EQ(std::abs(closest.distance), closest_point(ring.model(), p).distance);
    }
    std::vector<Side> sides(points.size());
    sides_of(ring, points, sides, {.threads = 2});
    EXPECT_EQ(sides, expected);
    std::vector<ClosestPoint> closest(points.size());
    signed_distances(ring, points, closest, {.threads = 2});
    for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_TRUE(closest[i] == signed_distance(ring, points[i])) << "point " << i;
    EXPECT_GT(std::ranges::count(sides, Side::Inside), 100);
    // Right on edges and planes of a lattice.
    const Solid cubes = solid_of(scenes::cube_lattice(4));
    for (int i = 0; i < 343; ++i) {
        const Vec3 p{0.5 * (i % 7) + 0.5, 0.5 * (i / 7 % 7) + 0.5, 0.5 * (i / 49) + 0.5};
        bool on = false, in = true;
        for (int d = 0; d < 3; ++d) {
            const double x = std::fmod(p[d], 2);
            in = in && x <= 1;
            on = on || x == 0 || x == 1;
        }
        EXPECT_EQ(side_of(cubes, p), !in ? Side::Outside : on ? Side::OnSurface : Side::Inside) << i;
    }
    // One double beside the surface.
    const Solid box = solid_of(scenes::box());
    EXPECT_EQ(side_of(box, {1, 0.25, 0.25}), Side::OnSurface);
    EXPECT_EQ(side_of(box, {std::nextafter(1.0, 0.0), 0.25, 0.25}), Side::Inside);
    EXPECT_EQ(side_of(box, {std::nextafter(1.0, 2.0), 0.25, 0.25}), Side::Outside);
    EXPECT_EQ(side_of(box, {NAN, 0, 0}), Side::Outside);
    EXPECT_EQ(side_of(solid_of(sheet()), {0, 0, 1e-9}), Side::Outside);
    EXPECT_EQ(side_of(solid_of({}), {}), Side::Outside);
}

Relation related(const Soup& a, const Soup& b, const Affine& a_from_b = {}) {
    const Solid x = solid_of(a), y = solid_of(b);
    const RelationResult found = relation(x, y, a_from_b);
    EXPECT_EQ(relation_from(x, y, a_from_b, collide(x.model(), y.model(), a_from_b)).relation, found.relation);
    // The same with the models exchanged.
    const Relation other = relation(y, x, *inverse(a_from_b)).relation;
    const Relation exchanged = found.relation == Relation::AInsideB   ? Relation::BInsideA
                               : found.relation == Relation::BInsideA ? Relation::AInsideB
                                                                      : found.relation;
    EXPECT_EQ(other, exchanged);
    return found.relation;
}

TEST(RelationOf, ShellsWithoutInsideAreSheets) {
    const Soup box = scenes::box(), flat = scenes::scale(sheet(), 0.5);
    EXPECT_EQ(related(box, flat), Relation::BInsideA);
    EXPECT_EQ(related(box, flat, at(0, 0, 1)), Relation::Touching);
    EXPECT_EQ(related(box, flat, at(0, 0, 1.5)), Relation::Disjoint);
    EXPECT_EQ(related(box, flat, at(1, 0, 0)), Relation::Crossing);
    EXPECT_EQ(related(box, flat, at(0.5, 0, 0)), Relation::BInsideA) << "with an edge on the wall";
    EXPECT_EQ(related(box, flat, at(1.5, 0, 0)), Relation::Touching) << "from outside";
    EXPECT_EQ(related(flat, flat), Relation::Equal);
    EXPECT_EQ(related(sheet(), flat), Relation::Touching);
    // An open bag holds nothing, and the answer says so.
    Soup bag = box;
    bag.corners.resize(bag.corners.size() - 6);
    const RelationResult held = relation(solid_of(bag), solid_of(scenes::box({0.1, 0.1, 0.1})), {});
    EXPECT_EQ(held.relation, Relation::Disjoint);
    EXPECT_FALSE(held.inside_known);
    EXPECT_TRUE(relation(solid_of(box), solid_of(box), at(1.5, 0, 0)).inside_known);
    EXPECT_EQ(relation(Solid(), solid_of(box), {}).relation, Relation::Disjoint);
}

TEST(RelationOf, CavitiesAndBodiesWithinThem) {
    const Soup hollow = scenes::joined(scenes::box({2, 2, 2}), turned_over(scenes::box()));
    EXPECT_EQ(related(hollow, scenes::box({0.5, 0.5, 0.5})), Relation::Disjoint);
    EXPECT_EQ(related(hollow, scenes::box()), Relation::Touching) << "it fills the cavity";
    EXPECT_EQ(related(hollow, scenes::box({1.5, 1.5, 1.5})), Relation::Crossing);
    EXPECT_EQ(related(hollow, scenes::box({2, 2, 2})), Relation::AInsideB);
    EXPECT_EQ(related(hollow, hollow), Relation::Equal);
    EXPECT_EQ(related(hollow, scenes::joined(hollow, scenes::box({0.5, 0.5, 0.5}))), Relation::AInsideB);
    EXPECT_EQ(related(hollow, block({1, -1, -1}, {2, 1, 1})), Relation::BInsideA) << "from the cavity to the wall";
}

TEST(RelationOf, MirroredAndSkewedPlacements) {
    const Affine mirror = *Affine::from_matrix({{Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}}, {});
    const Affine half = *Affine::from_matrix({{Vec3{0.5, 0.25, 0}, Vec3{0, 0.5, 0}, Vec3{0, 0, -1}}}, {});
    EXPECT_EQ(related(scenes::box(), scenes::box(), mirror), Relation::Equal);
    EXPECT_EQ(related(scenes::box(), scenes::box(), half), Relation::BInsideA);
    const Overlap o = overlap(solid_of(scenes::box()), solid_of(scenes::box()), half);
    EXPECT_NEAR(o.volume, 2, 1e-12);
}

TEST(RelationOf, SpikesWithoutAreaBoundNothing) {
    // A triangle without area that sticks out of a box along an edge, into the box beside it.
    Soup spiky = scenes::box();
    const std::uint32_t a = spiky.corners[0], b = spiky.corners[1];
    const Vec3 way = spiky.points[b] - spiky.points[a];
    const std::uint32_t tip = spiky.add(spiky.points[b] + way);
    spiky.add_triangle(a, b, tip);
    const Vec3 to = way * 1.25;
    EXPECT_NE(related(spiky, scenes::box({0.5, 0.5, 0.5}), at(to.x, to.y, to.z)), Relation::Equal);
    EXPECT_EQ(solid_of(spiky).degenerate_count(), 1u);
}

/// The whole length of curves.
double length_of(const std::vector<Curve>& curves) {
    double sum = 0;
    for (const Curve& curve : curves)
        for (std::size_t i = 0; i < curve.triangles.size(); ++i)
            sum += length(curve.points[(i + 1) % curve.points.size()] - curve.points[i]);
    return sum;
}

TEST(Curves, RunThroughCornersAndAlongEdges) {
    const Solid box = solid_of(block({0, 0, 0}, {1, 1, 1}));
    const auto of = [&](const Affine& pose) { return intersection_curves(box, box, pose); };
    EXPECT_TRUE(of(at(1, 0, 0)).empty()) << "touching";
    EXPECT_TRUE(of({}).empty()) << "equal";
    ASSERT_EQ(of(at(0.5, 0.5, 0.5)).size(), 1u);
    EXPECT_TRUE(of(at(0.5, 0.5, 0.5))[0].closed);
    EXPECT_EQ(length_of(of(at(0.5, 0.5, 0.5))), 3);
    // Sides flush: the curve runs around the box at one of the two ends of what is common, or from one to the other.
    for (const Curve& curve : of(at(0.5, 0, 0))) EXPECT_TRUE(curve.closed);
    EXPECT_GE(length_of(of(at(0.5, 0, 0))), 4);
    // A bar through a plate has two curves, a sheet through a box an open one for each time it comes out.
    const Solid bar = solid_of(block({0.25, 0.25, -1}, {0.75, 0.75, 2}));
    EXPECT_EQ(intersection_curves(box, bar, {}).size(), 2u);
    EXPECT_EQ(length_of(intersection_curves(box, bar, {})), 4);
    const std::vector<Curve> open = intersection_curves(box, solid_of(sheet()), at(-0.5, 0.5, 0.5));
    ASSERT_EQ(open.size(), 1u);
    EXPECT_FALSE(open[0].closed);
    EXPECT_EQ(length_of(open), 2);
}

/// In every frame: a crossing has a curve, closed models have closed curves, and what is common has a volume exactly
/// for those that cross, hold each other or are equal. GRAZE_LONG sets the number of frames.
TEST(RelationOf, AgreesWithCurvesAndVolumesInMotion) {
    Random random(3);
    const std::array solids{solid_of(scenes::torus(1, 0.4, 24, 12)), solid_of(scenes::torus(0.6, 0.3, 17, 9)),
                            solid_of(scenes::box({0.1, 0.2, 0.3})), solid_of(scenes::sphere(200, 0.9))};
    std::array<int, 6> seen{};
    for (int i = 0; i < test::case_count(600, 60); ++i) {
        SCOPED_TRACE(i);
        const Solid &a = solids[random.below(4)], &b = solids[random.below(4)];
        Pose pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-1.5, 1.5));
        if (i % 4 == 0) pose = at(random.between(-1.5, 1.5), 0, 0);
        if (i % 4 == 1)
            pose = *Pose::from_matrix(
                {{Vec3{0, 1, 0}, Vec3{-1, 0, 0}, Vec3{0, 0, 1}}},
                {random.below(17) / 8.0 - 1, random.below(17) / 8.0 - 1, random.below(17) / 8.0 - 1});
        const Relation found = relation(a, b, pose).relation;
        ++seen[static_cast<int>(found)];
        const Overlap common = overlap(a, b, pose);
        const std::vector<Curve> curves = intersection_curves(a, b, pose);
        ASSERT_EQ(common.volume > 0, found != Relation::Disjoint && found != Relation::Touching);
        ASSERT_LE(common.volume, std::min(a.volume(), b.volume()) * (1 + 1e-12));
        if (found == Relation::AInsideB) {
            ASSERT_NEAR(common.volume, a.volume(), 1e-12);
        }
        if (found == Relation::BInsideA) {
            ASSERT_NEAR(common.volume, b.volume(), 1e-12);
        }
        ASSERT_EQ(!curves.empty(), found == Relation::Crossing);
        for (const Curve& curve : curves) {
            ASSERT_TRUE(curve.closed);
            ASSERT_EQ(curve.points.size(), curve.triangles.size());
            for (std::size_t k = 0; k < curve.points.size(); ++k) {
                // Each end of a segment is on both of its triangles but for rounding.
                const Vec3& p = curve.points[k];
                const auto& [s, t] = curve.triangles[k];
                const Triangle u = b.model().triangle(t);
                const std::array<Vec3, 3> points{pose(u.a), pose(u.b), pose(u.c)};
                const Model other = *Model::build(SoupView(points, std::array<std::uint32_t, 3>{0, 1, 2}));
                ASSERT_LT(closest_point(other, p).distance, 1e-14);
                const Triangle v = a.model().triangle(s);
                const std::array<Vec3, 3> own{v.a, v.b, v.c};
                ASSERT_LT(
                    closest_point(*Model::build(SoupView(own, std::array<std::uint32_t, 3>{0, 1, 2})), p).distance,
                    1e-14);
            }
            if (i % 8 != 0) break;
        }
    }
    EXPECT_GT(seen[static_cast<int>(Relation::Disjoint)], 0);
    EXPECT_GT(seen[static_cast<int>(Relation::Crossing)], 0);
    EXPECT_GT(seen[static_cast<int>(Relation::BInsideA)] + seen[static_cast<int>(Relation::AInsideB)], 0);
}

TEST(OverlapOf, IsThatOfSimpleShapes) {
    const Solid box = solid_of(block({0, 0, 0}, {1, 1, 1}));
    const auto expect = [&](const Affine& pose, double volume, double area) {
        const Overlap found = overlap(box, box, pose);
        EXPECT_NEAR(found.volume, volume, 1e-14);
        EXPECT_NEAR(found.area, area, 1e-14);
    };
    expect({}, 1, 6);
    expect(at(0.5, 0, 0), 0.5, 4);
    expect(at(0.5, 0.25, 0), 0.375, 3.25);
    expect(at(0.5, 0.5, 0.5), 0.125, 1.5);
    expect(at(1, 0, 0), 0, 0);
    expect(at(2, 0, 0), 0, 0);
    // A part that only touches adds no area, on whichever side it is.
    const Soup corner = block({0.5, 0.5, 0.5}, {2, 2, 2});
    for (const Vec3& to : {Vec3{-1, 0, 0}, Vec3{0, -1, 0}, Vec3{0, 0, -1}, Vec3{1, -0.75, 0}, Vec3{0, 1, -0.75}}) {
        const Solid both = solid_of(scenes::joined(corner, block(to, to + Vec3{1, 1, 1})));
        EXPECT_NEAR(overlap(box, both, {}).area, 1.5, 1e-14) << to.x << to.y << to.z;
        EXPECT_NEAR(overlap(both, box, {}).area, 1.5, 1e-14) << to.x << to.y << to.z;
        EXPECT_NEAR(overlap(box, both, {}).volume, 0.125, 1e-14);
    }
    // A lens of two balls, as far as facets go: π/12 (4 r + d) (2 r − d)².
    const Solid ball = solid_of(scenes::sphere(20'000));
    EXPECT_NEAR(overlap(ball, ball, at(1, 0, 0)).volume, M_PI * 5 / 12, 0.005);
    // Far from the origin nothing is lost but what the coordinates lose.
    const Solid far = solid_of(scenes::transformed(block({0, 0, 0}, {1, 1, 1}), at(1e6, 1e6, 1e6)));
    EXPECT_NEAR(overlap(far, far, at(0.5, 0.5, 0.5)).volume, 0.125, 1e-9);
}

TEST(OverlapOf, AnySize) {
    for (const double s : {0x1p-330, 1e-30, 1e30, 0x1p330}) {
        const Solid box = solid_of(scenes::scale(block({0, 0, 0}, {1, 1, 1}), s));
        EXPECT_NEAR(overlap(box, box, at(s / 2, s / 4, 0)).volume / s / s / s, 0.375, 1e-14);
        EXPECT_NEAR(overlap(box, box, at(s / 2, s / 4, 0)).area / s / s, 3.25, 1e-14);
        EXPECT_NEAR(box.volume() / s / s / s, 1, 1e-14);
    }
    const Solid large = solid_of(scenes::box({1e300, 1e300, 1e300}));
    EXPECT_EQ(large.volume(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(overlap(large, large, at(1e299, 0, 0)).volume, std::numeric_limits<double>::infinity());
    EXPECT_EQ(inside_depth(solid_of(scenes::cube_lattice(4)), solid_of(scenes::cube_lattice(4)), at(0, 0, 1)).low, 0);
}

TEST(Depth, OfBoxesAndBalls) {
    const Solid box = solid_of(block({0, 0, 0}, {1, 1, 1}));
    EXPECT_EQ(inside_depth(box, box, at(2, 0, 0)).low, 0);
    EXPECT_EQ(inside_depth(box, box, at(1, 0, 0)).low, 0);
    EXPECT_NEAR(inside_depth(box, box, at(0.9, 0.2, 0.1)).low, 0.1, 0.001);
    EXPECT_TRUE(touching_within(box, box, at(0.9, 0.2, 0.1), 0.11));
    EXPECT_FALSE(touching_within(box, box, at(0.9, 0.2, 0.1), 0.09));
    EXPECT_FALSE(touching_within(box, box, at(2, 0, 0), 0.5)) << "they do not meet";
    const Solid ball = solid_of(scenes::sphere(2000));
    EXPECT_NEAR(inside_depth(ball, ball, at(1.9, 0, 0)).low, 0.1, 0.005);
    const Affine stretched = *Affine::from_matrix({{Vec3{2, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}}, {0.9, 0, 0});
    EXPECT_NEAR(inside_depth(box, box, stretched).low, 0.1, 0.001);
}

TEST(Depth, ErrorsBelowRoundingEndTheSearch) {
    const Solid box = solid_of(scenes::box({0.5, 0.5, 0.5})), large = solid_of(scenes::box({1e300, 1e300, 1e300}));
    const Solid speck = solid_of(scenes::box({1e-13, 1e-13, 1e-13}));
    EXPECT_TRUE(touching_within(box, box, at(1, 0, 0), 1e-300));
    EXPECT_NEAR(inside_depth(box, box, at(0.9, 0.2, 0.1), {.relative_error = 0, .absolute_error = 1e-300}).low, 0.1,
                1e-9);
    EXPECT_EQ(inside_depth(large, box, at(0, 0, 0)).low, 1e300);
    EXPECT_LT(inside_depth(box, speck, at(0.5, 0.2, 0.1)).low, 1e-12);
}

TEST(Depth, TranslationsPartTheSolids) {
    const Solid box = solid_of(block({0, 0, 0}, {1, 1, 1})), ring = solid_of(scenes::torus(1, 0.4, 30, 20));
    EXPECT_NEAR(penetration_along(box, box, at(0.9, 0.2, 0.1), {2, 0, 0}).depth, 0.1, 1e-9);
    EXPECT_NEAR(penetration_along(box, box, at(0.9, 0.2, 0.1), {1, 1, 1}).depth, 0.1 * std::sqrt(3), 1e-9);
    EXPECT_NEAR(penetration_along(box, box, {}, {0, 0, -1}).depth, 1, 1e-9);
    EXPECT_EQ(penetration_along(box, box, at(1, 0, 0), {1, 0, 0}).depth, 0);
    EXPECT_EQ(penetration_along(box, box, {}, {}).depth, std::numeric_limits<double>::infinity());
    EXPECT_NEAR(penetration(box, box, at(0.9, 0.2, 0.1)).depth, 0.1, 1e-9);
    EXPECT_EQ(penetration(box, box, at(3, 0, 0)).depth, 0);
    for (const Pose& pose : {at(2.7, 0, 0), at(0.3, 0, 0.2), at(0, 0, 0.5)}) {
        const Penetration out = penetration(ring, ring, pose);
        EXPECT_NEAR(length(out.translation), out.depth, 1e-12);
        const Vec3 to = pose.translation() + out.translation;
        const Relation after = relation(ring, ring, at(to.x, to.y, to.z)).relation;
        EXPECT_TRUE(after == Relation::Disjoint || after == Relation::Touching);
        EXPECT_LT(out.depth, 2);
    }
}

}  // namespace
}  // namespace graze
