// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "scenes/arm.hpp"
#include "scenes/paths.hpp"
#include "scenes/pipes.hpp"
#include "scenes/placements.hpp"
#include "scenes/plant.hpp"
#include "scenes/random.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"
#include "scenes/trig.hpp"

namespace graze::scenes {
namespace {

Model build(const Soup& soup) {
    Result<Model> model = Model::build(soup);
    EXPECT_TRUE(model.ok());
    return *model;
}

double edge_length(const Triangle& t) {
    const Vec3 ab = t.b - t.a, bc = t.c - t.b, ca = t.a - t.c;
    return std::sqrt(std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)}));
}

Triangle triangle(const Soup& s, std::size_t i) {
    return {s.points[s.corners[3 * i]], s.points[s.corners[3 * i + 1]], s.points[s.corners[3 * i + 2]]};
}

double area(const Triangle& t) {
    const Vec3 n = cross(t.b - t.a, t.c - t.a);
    return std::sqrt(dot(n, n)) / 2;
}

/// Every directed edge once, and once the other way.
bool is_closed(const Soup& s) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::size_t i = 0; i < s.corners.size(); i += 3)
        for (std::size_t k = 0; k < 3; ++k)
            if (!edges.insert({s.corners[i + k], s.corners[i + (k + 1) % 3]}).second) return false;
    return std::ranges::all_of(edges, [&](const auto& e) { return edges.contains({e.second, e.first}); });
}

/// Positive when the triangles of a closed surface look outwards.
double volume(const Soup& s) {
    double v = 0;
    for (std::size_t i = 0; i < s.triangle_count(); ++i) {
        const Triangle t = triangle(s, i);
        v += dot(t.a, cross(t.b, t.c)) / 6;
    }
    return v;
}

struct Case {
    std::string name;
    std::function<Soup()> make;
    std::size_t low, high;  ///< triangles
    std::uint64_t fingerprint;
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"sphere", [] { return sphere(); }, 32'000, 32'000, 0xe9d8951c5a2dcdebu},
        {"sphere 5000", [] { return sphere(5000, 3); }, 4'800, 5'200, 0x3e1de5dcb7809ca8u},
        {"torus", [] { return torus(); }, 5'000, 5'000, 0xdd01bad20ea1145cu},
        {"wrinkled torus", [] { return wrinkled_torus(); }, 20'000, 20'000, 0x6a6cc8db4fc3dd9bu},
        {"landscape", [] { return landscape(); }, 97'000, 99'000, 0x93cbd968f27fd15fu},
        {"pipes", [] { return pipes(); }, 142'000, 146'000, 0xcf82e8c6528ad285u},
        {"teapot", [] { return teapot(); }, 6'320, 6'320, 0xf61b47aae83dc5ffu},
        {"box", [] { return box(); }, 12, 12, 0x2ab47c6b31b6e445u},
        {"integer ground", [] { return integer_ground(30, 3); }, 1'800, 1'800, 0xfd12ed4c9c334d6au},
        {"cube lattice", [] { return cube_lattice(4); }, 768, 768, 0x044ff3b965157b56u},
        {"random soup", [] { return random_soup(1000, 0.05, 1); }, 1'000, 1'000, 0xb0f1c866ee7a5de4u},
        {"needles", [] { return needles(1000, 1); }, 1'000, 1'000, 0xbffd2cb80600ea5bu},
        {"degenerate mixture", [] { return degenerate_mixture(1000, 1); }, 1'000, 1'000, 0x4c33a2235e11e1d7u},
        {"tiny", [] { return tiny(9, 1); }, 9, 9, 0x27fe543fc6fbdfcau},
    };
    return all;
}

TEST(Scenes, ModelsAreSound) {
    for (const Case& c : cases()) {
        SCOPED_TRACE(c.name);
        const Soup s = c.make();
        EXPECT_GE(s.triangle_count(), c.low);
        EXPECT_LE(s.triangle_count(), c.high);
        EXPECT_EQ(s.corners.size() % 3, 0u);
        EXPECT_TRUE(std::ranges::all_of(s.corners, [&](std::uint32_t i) { return i < s.points.size(); }));
        EXPECT_TRUE(std::ranges::all_of(
            s.points, [](const Vec3& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }));
        EXPECT_TRUE(s == c.make());
    }
}

TEST(Scenes, ModelsAreTheSameInEveryBuild) {
    for (const Case& c : cases()) EXPECT_EQ(fingerprint(c.make()), c.fingerprint) << c.name;
}

TEST(Scenes, ClosedSurfacesAreClosedAndLookOutwards) {
    PipeSettings few;
    few.cells = 5;
    for (const Soup& s : {sphere(), sphere(20), torus(), wrinkled_torus(), pipes(few), box(), cube_lattice(2)}) {
        EXPECT_TRUE(is_closed(s));
        EXPECT_GT(volume(s), 0);
    }
    EXPECT_FALSE(is_closed(landscape(20)));
}

TEST(Scenes, ShapesHaveTheirSizes) {
    for (const Vec3& p : sphere(2000, 3).points) ASSERT_NEAR(dot(p, p), 9, 1e-13);
    for (const Vec3& p : torus(2, 0.5).points) {
        const double d = std::sqrt(p.x * p.x + p.y * p.y) - 2;
        ASSERT_NEAR(d * d + p.z * p.z, 0.25, 1e-13);
    }
    double hole = 9, outside = 0;
    for (const Vec3& p : wrinkled_torus().points) {
        hole = std::min(hole, std::sqrt(p.x * p.x + p.y * p.y));
        outside = std::max(outside, std::sqrt(p.x * p.x + p.y * p.y));
    }
    EXPECT_NEAR(hole, 0.56, 0.02);
    EXPECT_NEAR(outside, 1.44, 0.02);
    double peak = 0;
    for (const Vec3& p : landscape().points) {
        const double d = std::sqrt(p.x * p.x + p.y * p.y);
        if (d < 0.1) peak = std::max(peak, p.z);
        // Under the torus, around the stalagmite, the ground has no teeth.
        if (d > 0.6 && d < 1) {
            ASSERT_LT(p.z, 0.8);
        }
    }
    EXPECT_GT(peak, 2);
    for (const Vec3& p : pipes().points)
        for (int i = 0; i < 3; ++i) ASSERT_LT(std::abs(p[i]), 0.5);
    EXPECT_NEAR(volume(box({1, 2, 3})), 48, 1e-12);
}

TEST(Scenes, PipesHaveLongThinTriangles) {
    const Soup s = pipes();
    double longest = 0;
    for (std::size_t i = 0; i < s.triangle_count(); ++i) longest = std::max(longest, edge_length(triangle(s, i)));
    EXPECT_GT(longest, 0.4);
}

/// Edges of one triangle only.
std::size_t border_edges(const Soup& s) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (std::size_t i = 0; i < s.corners.size(); i += 3)
        for (std::size_t k = 0; k < 3; ++k) ++edges[std::minmax({s.corners[i + k], s.corners[i + (k + 1) % 3]})];
    std::size_t borders = 0;
    for (const auto& [edge, uses] : edges) borders += uses == 1;
    return borders;
}

TEST(Scenes, TeapotIsWelded) {
    // Border edges are left only around the rim, the lid and the ends of handle and spout.
    const Soup s = teapot(4);
    EXPECT_TRUE(welded(s) == s);
    EXPECT_EQ(border_edges(s), 4u * 16);
    const Soup uneven = teapot(8, {8, 6}, {9, 5});
    EXPECT_EQ(uneven.triangle_count(), 3752u);
    EXPECT_EQ(border_edges(uneven), 2u * 32 + 4 * 6 + 4 * 5);
}

TEST(Scenes, IntegerModelsHaveIntegerCoordinates) {
    for (const Soup& s : {integer_ground(20, 3), cube_lattice(3)})
        for (const Vec3& p : s.points)
            for (int i = 0; i < 3; ++i) ASSERT_EQ(p[i], std::floor(p[i]));
}

TEST(Scenes, RandomSoupsAreWhatTheySay) {
    const Soup thin = needles(200, 3);
    for (std::size_t i = 0; i < thin.triangle_count(); ++i) {
        const Triangle t = triangle(thin, i);
        ASSERT_NEAR(edge_length(t), 1, 1e-3);
        ASSERT_LT(area(t), 1e-6);
        ASSERT_GT(area(t), 0);
    }
    const Soup mixture = degenerate_mixture(1000, 1);
    std::size_t points = 0, flat = 0, proper = 0;
    for (std::size_t i = 0; i < mixture.triangle_count(); ++i) {
        const Triangle t = triangle(mixture, i);
        points += t.a == t.b && t.b == t.c;
        flat += area(t) == 0;
        proper += area(t) > 1e-4;
    }
    EXPECT_GT(points, 150u);
    EXPECT_GT(flat, points + 200u);
    EXPECT_GT(proper, 200u);
    EXPECT_NE(random_soup(10, 0.1, 1), random_soup(10, 0.1, 2));
}

TEST(Scenes, HelpersMoveAndJoin) {
    const Soup s = box();
    EXPECT_TRUE(scale(s, 2) == box({2, 2, 2}));
    const Pose p = placed(axis_rotation(5), {1, 2, 3});
    const Soup moved = transformed(s, p);
    EXPECT_EQ(moved.points[3], p(s.points[3]));
    EXPECT_EQ(moved.corners, s.corners);
    const Soup two = joined(s, moved);
    EXPECT_EQ(two.triangle_count(), 24u);
    EXPECT_EQ(two.points[two.corners[36]], moved.points[moved.corners[0]]);
    EXPECT_TRUE(welded(joined(s, s)).points == s.points);
}

TEST(Scenes, SineAndCosine) {
    for (int i = -2000; i <= 2000; ++i) {
        const double turns = i / 700.0;
        const SinCos a = sin_cos(turns);
        ASSERT_NEAR(a.sin, std::sin(6.283185307179586 * turns), 1e-14);
        ASSERT_NEAR(a.cos, std::cos(6.283185307179586 * turns), 1e-14);
        ASSERT_NEAR(a.sin * a.sin + a.cos * a.cos, 1, 1e-15);
    }
    EXPECT_EQ(sin_cos(0.75).sin, -1);
    EXPECT_EQ(sin_cos(0.75).cos, 0);
}

TEST(Scenes, RotationsAreOrthonormalAndUniform) {
    Random random(7);
    Vec3 mean;
    double trace = 0;
    constexpr int n = 4000;
    for (int i = 0; i < n; ++i) {
        const Mat3 r = random_rotation(random).rotation();
        const Mat3 unit = transpose(r) * r;
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) ASSERT_NEAR(unit.row[j][k], j == k, 1e-14);
        ASSERT_NEAR(dot(r.row[0], cross(r.row[1], r.row[2])), 1, 1e-14);
        mean = mean + r * Vec3{1, 0, 0} * (1.0 / n);
        trace += (r.row[0].x + r.row[1].y + r.row[2].z) / n;
    }
    // A uniform direction's coordinate has the deviation 1/√3, a uniform rotation's trace has 1.
    for (int i = 0; i < 3; ++i) EXPECT_LT(std::abs(mean[i]), 4 / std::sqrt(3.0 * n));
    EXPECT_LT(std::abs(trace), 4 / std::sqrt(1.0 * n));
}

TEST(Scenes, AxisRotationsAreAllDifferent) {
    std::vector<Pose> seen;
    for (std::uint32_t i = 0; i < 24; ++i) {
        const Pose p = axis_rotation(i);
        const Mat3& r = p.rotation();
        EXPECT_EQ(dot(r.row[0], cross(r.row[1], r.row[2])), 1);
        EXPECT_EQ(std::ranges::count(seen, p), 0);
        seen.push_back(p);
    }
    EXPECT_EQ(axis_rotation(24), axis_rotation(0));
}

TEST(Scenes, BoundingBallHoldsTheModel) {
    const Soup s = random_soup(50, 0.3, 5);
    const Ball ball = bounding_ball(build(s));
    for (const Vec3& p : s.points) {
        const Vec3 d = p - ball.centre;
        EXPECT_LE(std::sqrt(dot(d, d)), ball.radius * (1 + 1e-15));
    }
    EXPECT_EQ(bounding_ball(Model()).radius, 0);
}

TEST(Scenes, HitRateIsMet) {
    const Model a = build(box({1, 2, 3})), b = build(sphere(80));
    for (const double wanted : {0.1, 0.5}) {
        const std::vector<Pose> poses = placements_at_hit_rate(a, b, wanted, 1000, 11);
        ASSERT_EQ(poses.size(), 1000u);
        const auto hits = std::ranges::count_if(poses, [&](const Pose& p) { return intersects(a, b, p); });
        EXPECT_NEAR(static_cast<double>(hits) / 1000, wanted, 0.06);
        EXPECT_EQ(poses, placements_at_hit_rate(a, b, wanted, 1000, 11));
    }
}

TEST(Scenes, GapIsMet) {
    const Model a = build(torus(1, 0.4, 12, 8)), b = build(box({0.3, 0.2, 0.1}));
    Random random(3);
    for (const double gap : {1e-1, 1e-3, 1e-6}) {
        const Course course = random_course(a, b, random);
        const std::optional<Pose> p = placement_at_gap(a, b, course, gap);
        ASSERT_TRUE(p.has_value());
        EXPECT_FALSE(intersects(a, b, *p));
        // The contact lies within the gap along the way.
        EXPECT_TRUE(intersects(a, b, placed(*p, p->translation() - course.direction * (gap * 1.01 + 1e-12))));
    }
    const std::vector<Pose> many = placements_at_gap(a, b, 1e-2, 5, 9);
    EXPECT_EQ(many.size(), 5u);
    for (const Pose& p : many) EXPECT_FALSE(intersects(a, b, p));
}

TEST(Scenes, CentralCourseOfSpheresEndsAtTheSumOfRadii) {
    const Model a = build(sphere(320)), b = build(sphere(320, 0.5));
    const std::optional<Approach> way = approach(a, b, central_course(a, b, Pose(), {0, 0, 1}));
    ASSERT_TRUE(way.has_value());
    EXPECT_NEAR(way->hit, 1.5, 0.03);
    EXPECT_EQ(std::nextafter(way->hit, 9.0), way->clear);
}

TEST(Scenes, GapHoldsForWhatWasSteppedOver) {
    // Steps of about 0.022 jump over a thin plate that stands just outside of a box.
    const Soup plate = transformed(box({1e-4, 1, 1}), placed(Pose(), {1.05, 0, 0}));
    const Model a = build(joined(box(), plate)), b = build(box({1e-4, 1, 1}));
    const Course course{Pose(), {1, 0, 0}, {}, {}};
    const std::optional<Pose> before = placement_at_gap(a, b, course, 0.03);
    ASSERT_TRUE(before.has_value());
    EXPECT_NEAR(before->translation().x, 1.0301, 1e-9);
    // This gap would end in the plate.
    const std::optional<Pose> beyond = placement_at_gap(a, b, course, 0.05);
    ASSERT_TRUE(beyond.has_value());
    EXPECT_NEAR(beyond->translation().x, 1.1002, 1e-9);
    EXPECT_FALSE(intersects(a, b, *beyond));
}

TEST(Scenes, TouchesDifferByOneBitOfTheWay) {
    const Model a = build(torus(1, 0.4, 12, 8)), b = build(box({0.3, 0.2, 0.1}));
    const std::vector<Touch> touches = touching_placements(a, b, 5, 4);
    EXPECT_EQ(touches.size(), 5u);
    for (const Touch& t : touches) {
        EXPECT_FALSE(intersects(a, b, t.clear));
        EXPECT_TRUE(intersects(a, b, t.hit));
        const Vec3 d = t.clear.translation() - t.hit.translation();
        EXPECT_LT(dot(d, d), 1e-30);
    }
}

TEST(Scenes, NothingIsTouchedByNothing) {
    EXPECT_FALSE(approach(Model(), build(box()), Course{Pose(), {1, 0, 0}}).has_value());
    EXPECT_TRUE(touching_placements(build(box()), Model(), 3, 1).empty());
}

TEST(Scenes, InterpolationMeetsItsKeys) {
    Random random(2);
    std::vector<Keyframe> keys;
    for (int i = 0; i < 5; ++i) keys.push_back({random.in_cube(-1, 1), random_quaternion(random)});
    const std::vector<Pose> poses = interpolate(keys, 41);
    ASSERT_EQ(poses.size(), 41u);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Pose key = *Pose::from_quaternion(keys[i].rotation, keys[i].position);
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(poses[10 * i].translation()[k], key.translation()[k], 1e-14);
            for (int j = 0; j < 3; ++j)
                EXPECT_NEAR(poses[10 * i].rotation().row[k][j], key.rotation().row[k][j], 1e-14);
        }
    }
    EXPECT_TRUE(interpolate({}, 10).empty());
    EXPECT_EQ(interpolate(std::span(keys).first(1), 3).size(), 3u);
}

TEST(Scenes, PathsAreCoherent) {
    for (const std::vector<Pose>& path : {tumble_path(800, 1, 0.3), stalagmite_path(800, 1)}) {
        ASSERT_EQ(path.size(), 800u);
        for (std::size_t i = 1; i < path.size(); ++i) {
            const Vec3 d = path[i].translation() - path[i - 1].translation();
            ASSERT_LT(std::sqrt(dot(d, d)), 0.04) << i;
            const Mat3 turn = transpose(path[i - 1].rotation()) * path[i].rotation();
            ASSERT_GT(turn.row[0].x + turn.row[1].y + turn.row[2].z, 1 + 2 * std::cos(0.15)) << i;
        }
    }
    for (const Pose& p : tumble_path(800, 1, 0.3)) EXPECT_LT(dot(p.translation(), p.translation()), 0.45 * 0.45);
}

TEST(Scenes, PathsBothHitAndMiss) {
    PipeSettings few;
    few.cells = 4;
    few.sides = 6;
    few.elbow_pieces = 2;
    const Soup large = pipes(few);
    const Model a = build(large), b = build(scale(large, 1.0 / 15));
    const std::vector<Pose> path = tumble_path(100, 1, 0.4);
    const auto hits = std::ranges::count_if(path, [&](const Pose& p) { return intersects(a, b, p); });
    EXPECT_GT(hits, 5);
    EXPECT_LT(hits, 95);
}

/// How two soups meet, by all pairs of their triangles; nothing when they do not.
std::string meets(const Soup& a, const Soup& b) {
    const auto apart = [](const Triangle& s, const Triangle& t) {
        for (int d = 0; d < 3; ++d)
            if (std::max({s.a[d], s.b[d], s.c[d]}) < std::min({t.a[d], t.b[d], t.c[d]}) ||
                std::max({t.a[d], t.b[d], t.c[d]}) < std::min({s.a[d], s.b[d], s.c[d]}))
                return true;
        return false;
    };
    bool touching = false;
    for (std::size_t i = 0; i < a.triangle_count(); ++i)
        for (std::size_t j = 0; j < b.triangle_count(); ++j) {
            const Triangle s = triangle(a, i), t = triangle(b, j);
            if (apart(s, t)) continue;
            const Meeting meeting = graze::meeting(s, t);
            if (meeting == Meeting::Crossing) return "crossing";
            touching = touching || meeting != Meeting::Apart;
        }
    return touching ? "touching" : "";
}

std::pair<Vec3, Vec3> box_of(const Soup& s) {
    std::pair<Vec3, Vec3> box{s.points[0], s.points[0]};
    for (const Vec3& p : s.points)
        for (int d = 0; d < 3; ++d) {
            box.first[d] = std::min(box.first[d], p[d]);
            box.second[d] = std::max(box.second[d], p[d]);
        }
    return box;
}

bool boxes_meet(const std::pair<Vec3, Vec3>& a, const std::pair<Vec3, Vec3>& b) {
    for (int d = 0; d < 3; ++d)
        if (a.second[d] < b.first[d] || b.second[d] < a.first[d]) return false;
    return true;
}

/// How often a closed surface goes around the point: 1 inside, 0 outside.
double winding(const Soup& s, const Vec3& p) {
    double angle = 0;
    for (std::size_t i = 0; i < s.triangle_count(); ++i) {
        const Triangle t = triangle(s, i);
        const Vec3 a = t.a - p, b = t.b - p, c = t.c - p;
        const double la = length(a), lb = length(b), lc = length(c);
        angle += 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
    }
    return angle / (4 * 3.14159265358979323846);
}

TEST(Scenes, PlantMeetsAsItSays) {
    const Plant p = plant();
    for (std::size_t i = 0; i < p.shapes.size(); ++i) {
        EXPECT_TRUE(is_closed(p.shapes[i])) << i;
        EXPECT_GT(volume(p.shapes[i]), 0) << i;
    }
    std::vector<Soup> parts;
    std::set<std::string> names;
    for (const Plant::Part& part : p.parts) {
        EXPECT_TRUE(names.insert(part.name).second) << part.name;
        parts.push_back(transformed(p.shapes[part.shape], part.world_from_shape));
        for (const Vec3& v : parts.back().points)
            for (int d = 0; d < 3; ++d) ASSERT_EQ(v[d] * 0x1p16, std::floor(v[d] * 0x1p16)) << part.name;
    }
    const auto kind = [](const std::string& name) { return name.substr(0, name.rfind('-')) + "-*"; };
    std::set<std::string> found, used;
    for (std::size_t i = 0; i < parts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (!boxes_meet(box_of(parts[i]), box_of(parts[j]))) continue;
            std::string how = meets(parts[i], parts[j]);
            if (parts[i] == parts[j]) how = "duplicate";
            if (how.empty() && (std::abs(winding(parts[i], parts[j].points[0])) > 0.5 ||
                                std::abs(winding(parts[j], parts[i].points[0])) > 0.5))
                how = "inside";
            if (how.empty()) continue;
            std::string a = p.parts[i].name, b = p.parts[j].name;
            bool allowed = false;
            for (const Plant::Allowed& rule : p.allowed)
                if ((rule.a == kind(a) && rule.b == kind(b)) || (rule.a == kind(b) && rule.b == kind(a))) {
                    allowed = true;
                    used.insert(rule.a + " " + rule.b);
                }
            if (a > b) std::swap(a, b);
            if (!allowed) found.insert(a + " " + b + " " + how);
        }
    std::set<std::string> expected;
    for (const Plant::Mistake& m : p.mistakes) expected.insert(m.a + " " + m.b + " " + m.kind);
    EXPECT_EQ(found, expected);
    EXPECT_EQ(used.size(), p.allowed.size()) << "a rule for nothing";
}

TEST(Scenes, LargePlantsPartsDifferAndMeetAFew) {
    const LargePlant large(150, 500, 3);
    std::vector<Model> models;
    std::set<std::uint64_t> seen;
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < large.size(); ++i) {
        const Soup s = large.part(i);
        EXPECT_TRUE(is_closed(s)) << i;
        EXPECT_NEAR(static_cast<double>(s.triangle_count()), 500, 150) << i;
        seen.insert(fingerprint(s));
        names.insert(large.name(i));
        models.push_back(build(s));
    }
    EXPECT_EQ(seen.size(), 150u);
    EXPECT_EQ(names.size(), 150u);
    int meetings = 0;
    for (std::size_t i = 0; i < models.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) meetings += intersects(models[i], models[j], Pose());
    EXPECT_GE(meetings, 60);
    EXPECT_LE(meetings, 150);
    EXPECT_TRUE(LargePlant(150, 500, 3).part(7) == large.part(7));
    EXPECT_FALSE(LargePlant(150, 500, 4).part(7) == large.part(7));
}

TEST(Scenes, ArmStaysWithinItsLimits) {
    const Arm a = arm();
    std::vector<const Arm::Joint*> moving;
    for (const Arm::Joint& joint : a.joints)
        if (joint.kind != "fixed" && joint.follows.empty()) moving.push_back(&joint);
    ASSERT_EQ(moving.size(), ArmValues().size());
    for (const Arm::Link& link : a.links) {
        EXPECT_TRUE(is_closed(link.shape)) << link.name;
        EXPECT_GT(volume(link.shape), 0) << link.name;
    }
    const std::vector<ArmValues> path = arm_path();
    ASSERT_EQ(path.size(), 100u);
    EXPECT_EQ(path.front(), arm_home);
    EXPECT_EQ(path.back(), arm_home);
    for (const ArmValues& values : path)
        for (std::size_t k = 0; k < values.size(); ++k) {
            EXPECT_GE(values[k], moving[k]->lower);
            EXPECT_LE(values[k], moving[k]->upper);
        }
}

}  // namespace
}  // namespace graze::scenes
