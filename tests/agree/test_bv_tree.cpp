// SPDX-License-Identifier: Apache-2.0
// The binary tree's pairs against brute force over the same exact predicate.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "graze/study.hpp"
#include "tree/bv_tree.hpp"
#include "walk/pair_walk.hpp"

namespace graze::detail {
namespace {

struct Soup {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners;

    void add(const Vec3& a, const Vec3& b, const Vec3& c) {
        for (const Vec3& p : {a, b, c}) {
            corners.push_back(static_cast<std::uint32_t>(points.size()));
            points.push_back(p);
        }
    }
};

using Pairs = std::vector<TrianglePair>;

std::vector<detail::TreeSettings> all_settings() {
    std::vector<detail::TreeSettings> out;
    for (const detail::Fit fit : {detail::Fit::Vertices, detail::Fit::HullVertices, detail::Fit::HullSurface})
        for (const detail::Split split : {detail::Split::Mean, detail::Split::Median, detail::Split::Midpoint,
                                          detail::Split::Overlap, detail::Split::Area})
            for (const bool refine : {false, true})
                out.push_back({.tree = detail::TreeKind::Binary, .fit = fit, .refine = refine, .split = split});
    return out;
}

class Scene {
public:
    explicit Scene(unsigned seed) : random(seed) {}

    double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); }
    Vec3 vec(double r) { return {uniform(-r, r), uniform(-r, r), uniform(-r, r)}; }
    Pose pose(const Vec3& t) {
        std::normal_distribution<double> n;
        return *Pose::from_quaternion({n(random), n(random), n(random), n(random)}, t);
    }
    Soup soup(int count, double spread, double size) {
        Soup s;
        for (int i = 0; i < count; ++i) {
            const Vec3 c = vec(spread);
            s.add(c + vec(size), c + vec(size), c + vec(size));
        }
        return s;
    }
    /// A closed surface of 2·n·m triangles about the z axis.
    Soup torus(int n, int m, double major, double minor) {
        Soup s;
        const auto at = [&](int i, int j) {
            const double u = 6.283185307179586 * (i % n) / n, v = 6.283185307179586 * (j % m) / m;
            const double r = major + minor * std::cos(v);
            return Vec3{r * std::cos(u), r * std::sin(u), minor * std::sin(v)};
        };
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < m; ++j) {
                s.add(at(i, j), at(i + 1, j), at(i + 1, j + 1));
                s.add(at(i, j), at(i + 1, j + 1), at(i, j + 1));
            }
        return s;
    }

    std::mt19937 random;
};

Soup moved(Soup s, double scale, const Vec3& by) {
    for (Vec3& p : s.points) p = p * scale + by;
    return s;
}

Geometry geometry(const Soup& s) { return *make_geometry(SoupView(s.points, s.corners)); }

Pairs brute_force(const Geometry& a, const Geometry& b, const Pose& pose, double margin) {
    Pairs out;
    for (std::uint32_t j = 0; j < b.triangles.size(); ++j) {
        const Triangle own = b.triangle(j), t{pose(own.a), pose(own.b), pose(own.c)};
        for (std::uint32_t i = 0; i < a.triangles.size(); ++i)
            if (meet(a.triangle(i), t) || (margin > 0 && triangle_distance(a.triangle(i), t) <= margin))
                out.push_back({i, j});
    }
    std::sort(out.begin(), out.end());
    return out;
}

struct Built {
    Geometry geometry;
    std::vector<BvTree<Obb>> trees;

    Built(const Soup& s, std::span<const detail::TreeSettings> settings) : geometry(detail::geometry(s)) {
        for (const detail::TreeSettings& o : settings) {
            trees.push_back(BvTree<Obb>::build(geometry, o));
            EXPECT_EQ(trees.back().validate(geometry), "");
        }
    }
};

/// Compares all ways of building; returns the number of pairs.
std::size_t expect_agreement(const Built& a, const Built& b, const Pose& pose, double margin = 0,
                             QueryStats* stats = nullptr) {
    const Pairs expected = brute_force(a.geometry, b.geometry, pose, margin);
    std::vector<NodePair> stack;
    QueryStats sum;
    for (std::size_t k = 0; k < a.trees.size(); ++k) {
        Pairs found;
        const auto& tree_b = b.trees[(k * 5 + 1) % b.trees.size()];
        EXPECT_TRUE(walk_triangles(a.trees[k], a.geometry, tree_b, b.geometry, pose, margin, stack, sum,
                                   [&](std::uint32_t i, std::uint32_t j) {
                                       found.push_back({i, j});
                                       return Step::Continue;
                                   }));
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected);
        int calls = 0;
        EXPECT_EQ(walk_triangles(a.trees[k], a.geometry, tree_b, b.geometry, pose, margin, stack, sum,
                                 [&](std::uint32_t, std::uint32_t) { return ++calls, Step::Stop; }),
                  expected.empty());
        EXPECT_EQ(calls, expected.empty() ? 0 : 1);
    }
    if (stats) *stats += sum;
    return expected.size();
}

TEST(BvTree, EmptyAndTiny) {
    Scene scene(1);
    const auto settings = all_settings();
    const Built none(Soup{}, settings);
    EXPECT_EQ(none.trees[0].depth, 0u);
    std::size_t pairs = 0;
    for (int n = 1; n <= 9; ++n) {
        const Built a(scene.soup(n, 0.3, 1), settings), b(scene.soup(10 - n, 0.3, 1), settings);
        for (int round = 0; round < 4; ++round) pairs += expect_agreement(a, b, scene.pose(scene.vec(0.5)));
        expect_agreement(a, none, Pose());
        expect_agreement(none, a, Pose());
        if (n == 1) {
            EXPECT_EQ(a.trees[0].depth, 1u);
        }
    }
    EXPECT_GT(pairs, 100u);
}

TEST(BvTree, RandomSoups) {
    Scene scene(2);
    const auto settings = all_settings();
    std::size_t pairs = 0;
    for (int round = 0; round < 6; ++round) {
        const Built a(scene.soup(60, 1, 0.3), settings), b(scene.soup(90, 1, 0.2), settings);
        for (int k = 0; k < 4; ++k) pairs += expect_agreement(a, b, scene.pose(scene.vec(1)));
    }
    EXPECT_GT(pairs, 100u);
}

TEST(BvTree, SurfacesAreCulled) {
    Scene scene(3);
    const auto settings = all_settings();
    const Built a(scene.torus(20, 12, 1, 0.4), settings), b(scene.torus(16, 10, 0.9, 0.3), settings);
    QueryStats stats;
    std::size_t pairs = 0, queries = 0;
    for (int k = 0; k < 8; ++k, queries += 2 * settings.size())
        pairs += expect_agreement(a, b, scene.pose(scene.vec(1.2)), 0, &stats);
    EXPECT_GT(pairs, 50u);
    // Far fewer tests than the 480 × 320 pairs.
    EXPECT_LT(stats.triangle_tests, queries * 480 * 320 / 100);
    EXPECT_LT(stats.box_tests, queries * 480 * 320 / 20);
    EXPECT_EQ(stats.double_tests, stats.triangle_tests);
}

TEST(BvTree, ExactTies) {
    // Integer lattices that share planes, edges and corners, axis-aligned poses.
    Scene scene(4);
    const auto settings = all_settings();
    Soup s;
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) {
            const auto z = [&] { return static_cast<double>(scene.random() % 2); };
            const double x = i, y = j;
            s.add({x, y, z()}, {x + 1, y, z()}, {x + 1, y + 1, z()});
            s.add({x, y, z()}, {x + 1, y + 1, z()}, {x, y + 1, z()});
        }
    const Built a(s, settings);
    std::size_t pairs = 0;
    for (int k = 0; k < 6; ++k) {
        const Vec3 t{static_cast<double>(k % 3), static_cast<double>(k / 3), static_cast<double>(k % 2)};
        pairs += expect_agreement(a, a, *Pose::from_matrix(Mat3{}, t));
        pairs += expect_agreement(a, a, *Pose::from_matrix({{Vec3{0, -1, 0}, Vec3{1, 0, 0}, Vec3{0, 0, 1}}}, t));
    }
    EXPECT_GT(pairs, 1000u);
}

TEST(BvTree, DegenerateTriangles) {
    Scene scene(5);
    const auto settings = all_settings();
    const auto mixture = [&](int n) {
        Soup s;
        for (int i = 0; i < n; ++i) {
            const Vec3 p = scene.vec(1), d = scene.vec(0.7);
            switch (i % 5) {
                case 0:
                    s.add(p, p, p);
                    break;
                case 1:
                    s.add(p, p, p + d);
                    break;
                case 2:
                    s.add(p, p + d * 0.5, p + d);
                    break;
                case 3:
                    s.add({0, 0, 0}, {1, 0, 0}, {0.25, 0, 0});
                    break;
                default:
                    s.add(p, p + d, p + scene.vec(0.7));
                    break;
            }
        }
        return s;
    };
    const Built a(mixture(60), settings), b(mixture(40), settings);
    std::size_t pairs = expect_agreement(a, a, Pose()) + expect_agreement(a, b, Pose());
    for (int k = 0; k < 4; ++k) pairs += expect_agreement(a, b, scene.pose(scene.vec(0.3)));
    EXPECT_GT(pairs, 200u);
    // All in one place, in one line, in one plane.
    Soup place, line, plane;
    for (int i = 0; i < 20; ++i) {
        const double x = i / 7.0;
        place.add({1, 2, 3}, {1, 2, 3}, {1, 2, 3});
        line.add({x, x, x}, {x + 1, x + 1, x + 1}, {x, x, x});
        plane.add({x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0});
    }
    const Built p(place, settings), l(line, settings), q(plane, settings);
    EXPECT_EQ(expect_agreement(p, p, Pose()), 400u);
    EXPECT_GT(expect_agreement(l, l, Pose()) + expect_agreement(q, q, Pose()) + expect_agreement(l, q, Pose()), 100u);
    expect_agreement(l, q, scene.pose({0.5, 0.5, 0}));
}

TEST(BvTree, FarFromTheOrigin) {
    // Rounding of the mapped vertices is up to the triangles' own size.
    Scene scene(6);
    const auto settings = all_settings();
    std::size_t pairs = 0;
    for (const double far : {1e3, 1e8, 1e13, 1e15, 3e15}) {
        const Vec3 ca = scene.vec(far), cb = scene.vec(far);
        const Built a(moved(scene.soup(50, 1, 0.4), 1, ca), settings),
            b(moved(scene.soup(50, 1, 0.4), 1, cb), settings);
        for (int k = 0; k < 4; ++k) {
            const Pose turn = scene.pose({0, 0, 0});
            pairs += expect_agreement(a, b, *Pose::from_matrix(turn.rotation(), ca - turn(cb) + scene.vec(0.5)));
        }
    }
    EXPECT_GT(pairs, 200u);
}

TEST(BvTree, EveryScale) {
    Scene scene(7);
    const auto settings = all_settings();
    std::size_t pairs = 0;
    for (const int e : {-1074, -1060, -1000, -300, 300, 900, 997}) {
        const double unit = std::ldexp(1, e);
        const Built a(moved(scene.soup(40, e < -1050 ? 3 : 1, 0.5), unit, {}), settings);
        const Built b(moved(scene.soup(40, e < -1050 ? 3 : 1, 0.5), unit, {}), settings);
        pairs += expect_agreement(a, b, Pose());
        for (int k = 0; k < 3; ++k) pairs += expect_agreement(a, b, scene.pose(scene.vec(0.5) * unit));
        // Far apart in every sense: found apart at the roots, without overflow.
        QueryStats stats;
        expect_agreement(a, b, scene.pose({0x1p999, 0, -0x1p998}), 0, &stats);
        if (e < 900) {
            EXPECT_EQ(stats.triangle_tests, 0u);
        }
    }
    EXPECT_GT(pairs, 300u);
}

TEST(BvTree, SizesThatDiffer) {
    Scene scene(8);
    const auto settings = all_settings();
    std::size_t pairs = 0;
    for (const double ratio : {1e6, 1e12, 1e17, 1e300}) {
        const Soup large = moved(scene.soup(60, 1, 0.6), ratio, {}), small = scene.soup(60, 1, 0.6);
        const Built a(large, settings), b(small, settings);
        for (int k = 0; k < 4; ++k) {
            // B is put onto a point of one of A's triangles.
            const std::size_t t = 3 * (scene.random() % 60);
            const Vec3 on = large.points[t] * 0.25 + large.points[t + 1] * 0.25 + large.points[t + 2] * 0.5;
            const Pose pose = scene.pose(on);
            pairs += expect_agreement(a, b, pose);
            pairs += expect_agreement(b, a, inverse(pose));
        }
    }
    EXPECT_GT(pairs, 200u);
}

TEST(BvTree, MatricesThatAreNotQuiteRigid) {
    Scene scene(9);
    const auto settings = all_settings();
    const Built a(scene.torus(14, 8, 1, 0.4), settings), b(scene.soup(60, 1, 0.3), settings);
    std::size_t pairs = 0;
    int poses = 0;
    for (int k = 0; k < 200 && poses < 12; ++k) {
        Pose p = scene.pose(scene.vec(1));
        Mat3 m = p.rotation();
        for (Vec3& row : m.row) row = row + scene.vec(0.005);
        if (k % 2) m.row[0] = -m.row[0];  // a mirror image
        const auto off = Pose::from_matrix(m, p.translation());
        if (!off) continue;
        ++poses;
        pairs += expect_agreement(a, b, *off);
    }
    EXPECT_EQ(poses, 12);
    EXPECT_GT(pairs, 100u);
}

TEST(BvTree, Margin) {
    Scene scene(10);
    const auto settings = all_settings();
    const Built a(scene.soup(50, 1, 0.3), settings), b(scene.soup(50, 1, 0.3), settings);
    for (int k = 0; k < 4; ++k) {
        const Pose pose = scene.pose(scene.vec(2));
        std::size_t last = expect_agreement(a, b, pose, 0);
        for (const double margin : {1e-9, 0.05, 0.3, 2.0, 1e300}) {
            const std::size_t now = expect_agreement(a, b, pose, margin);
            EXPECT_GE(now, last);
            last = now;
        }
        EXPECT_EQ(last, 2500u);
    }
}

TEST(BvTree, LopsidedTrees) {
    // Positions that double: the mean cuts off a few at a time.
    Soup s;
    for (int i = 0; i < 45; ++i) {
        const double x = std::ldexp(1, i);
        s.add({x, 0, 0}, {x * 1.1, x * 0.1, 0}, {x, 0, x * 0.1});
    }
    const auto settings = all_settings();
    const Built a(s, settings);
    EXPECT_GT(a.trees[0].depth, 10u);
    EXPECT_GE(expect_agreement(a, a, Pose()), 45u);
    // A median keeps the depth at the logarithm.
    EXPECT_EQ(settings[2].split, detail::Split::Median);
    EXPECT_EQ(a.trees[2].depth, 7u);
}

TEST(BvTree, ValidateFindsDamage) {
    Scene scene(11);
    const Geometry g = geometry(scene.soup(20, 1, 0.3));
    const auto damaged = [&](auto change) {
        BvTree<Obb> t = BvTree<Obb>::build(g, {});
        std::vector<BvTree<Obb>::Node> nodes(t.nodes.begin(), t.nodes.end());
        change(nodes);
        t.nodes = std::move(nodes);
        return t.validate(g);
    };
    EXPECT_EQ(damaged([](auto&) {}), "");
    EXPECT_NE(damaged([](auto& n) { n[0].volume.half.y *= 0.99; }), "");
    EXPECT_NE(damaged([](auto& n) { n.back().volume.centre.x += 1e-9; }), "");
    EXPECT_NE(damaged([](auto& n) { n[1].child = n[0].child; }), "");
    EXPECT_NE(damaged([](auto& n) { n[0].child = 1u << 30; }), "");
    EXPECT_NE(damaged([](auto& n) { n.back().triangle ^= 1; }), "");
    EXPECT_NE(damaged([](auto& n) { n.back().triangle = 20; }), "");
    EXPECT_NE(damaged([](auto& n) { n.pop_back(); }), "");
}

}  // namespace
}  // namespace graze::detail
