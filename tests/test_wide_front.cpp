// SPDX-License-Identifier: Apache-2.0
// The claims of two wide trees' front, against the distances of all pairs of triangles, and its answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "exact/triangle_distance.hpp"
#include "front/motion.hpp"
#include "front/wide_front.hpp"
#include "graze/distance.hpp"
#include "graze/front.hpp"
#include "graze/study.hpp"
#include "model/access.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;
using scenes::Soup;

/// Triangles all over a cube: small ones, large ones and needles.
Soup scattered(std::uint32_t n, double size, Random& random) {
    Soup soup;
    for (std::uint32_t i = 0; i < n; ++i) {
        const Vec3 at = random.in_cube(-1, 1), along = random.in_cube(-1, 1);
        const double long_side = size * random.between(0.2, 3), thin = random.below(3) == 0 ? 1e-3 : 1;
        soup.add_triangle(soup.add(at), soup.add(at + along * long_side),
                          soup.add(at + along * (long_side / 2) + random.in_cube(-1, 1) * (size * thin)));
    }
    return soup;
}

Mat3 turn(const Vec3& axis, double angle) {
    const Vec3 n = axis * (1 / length(axis));
    const double c = std::cos(angle), s = std::sin(angle);
    Mat3 m;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m.row[i][j] = (i == j ? c : 0) + (1 - c) * n[i] * n[j];
    m.row[0].y -= s * n.z, m.row[1].x += s * n.z;
    m.row[0].z += s * n.y, m.row[2].x -= s * n.y;
    m.row[1].z -= s * n.x, m.row[2].y += s * n.x;
    return m;
}

/// Which placements a walk goes through.
enum class Placing { Rigid, Skewed, Sheared };

/// A tumbling body that drifts back and forth; each step moves a point of the unit ball by about `step`.
struct Tumble {
    Placing placing;
    Random random;
    Vec3 at, heading, axis;
    Mat3 linear;

    Tumble(Placing p, std::uint64_t seed) : placing(p), random(seed) {
        heading = random.in_cube(-1, 1);
        axis = random.in_cube(-1, 1);
        linear = turn(axis, 1);
    }
    Affine next(double step) {
        if (random.below(6) == 0) heading = random.in_cube(-1, 1) - at, axis = random.in_cube(-1, 1);
        at = at + heading * (step / (2 * length(heading)));
        linear = turn(axis, step / 2) * linear;
        Mat3 m = linear;
        if (placing == Placing::Skewed) m = m * Mat3{{Vec3{1.002, 0.004, 0}, Vec3{0, 0.998, -0.004}, Vec3{0, 0, 1}}};
        if (placing == Placing::Sheared) m = m * Mat3{{Vec3{1.4, 0.3, 0}, Vec3{0, 0.6, 0.5}, Vec3{0.1, 0, -1}}};
        return placing == Placing::Sheared ? *Affine::from_matrix(m, at) : Affine(*Pose::from_matrix(m, at));
    }
};

void below(const detail::WideTree& tree, std::uint32_t ref, std::set<std::uint32_t>& out) {
    const std::uint32_t count = tree.boxes[ref].count;
    if (ref >= tree.first_leaf())
        for (std::uint32_t i = 0; i < count; ++i) out.insert(tree.leaves[ref - tree.first_leaf()].id[i]);
    else
        for (std::uint32_t i = 0; i < count; ++i) below(tree, tree.nodes[ref].ref[i], out);
}

/// A front without a `Front` around it: the odometer is kept here.
struct Bench {
    Model a, b;
    detail::WideFront front;
    detail::WideScratch scratch;
    detail::FrontStep step;
    Affine pose;
    double margin = 0;
    double radius = 0;  ///< radius of a ball around the origin that holds B
    QueryStats stats;
    std::uint64_t claims = 0;  ///< checked

    Bench(const Soup& sa, const Soup& sb, study::Volume volume)
        : a(*study::build(sa, {.volume = volume})), b(*study::build(sb, {.volume = volume})) {
        for (const Vec3& p : sb.points) radius = std::max(radius, length(p) + 0.2);
    }

    void advance(const Affine& to, double more = 0, bool reshaped = false) {
        const double motion = detail::motion_bound(pose, to, {}, radius) + more;
        pose = to;
        step.odometer += motion;
        step.motion = motion;
        step.reshaped = reshaped;
    }

    std::vector<TrianglePair> ask(bool first = false, std::size_t most = std::size_t(-1)) {
        struct Seen {
            std::vector<TrianglePair> pairs;
            std::size_t most;
        } seen{{}, first ? 1 : most};
        const auto sink = [](void* c, const Contact& contact) {
            Seen& s = *static_cast<Seen*>(c);
            s.pairs.push_back(contact.triangles);
            return s.pairs.size() >= s.most ? Step::Stop : Step::Continue;
        };
        const detail::Search search{
            detail::Access::data(a), detail::Access::data(b), pose, {nullptr, sink, &seen}, first, margin};
        wide_front_search(search, step, front, scratch, stats);
        std::sort(seen.pairs.begin(), seen.pairs.end());
        return seen.pairs;
    }

    std::vector<TrianglePair> plain() const {
        std::vector<TrianglePair> out;
        for (const Contact& c : collide_within(a, b, pose, margin)) out.push_back(c.triangles);
        std::sort(out.begin(), out.end());
        return out;
    }

    /// All pairs of triangles are below some entry, and those of an entry whose claim holds are as far apart as it
    /// says.
    void check() {
        const detail::WideTree &ta = detail::Access::data(a).wide, &tb = detail::Access::data(b).wide;
        const std::uint32_t na = a.triangle_count(), nb = b.triangle_count();
        std::vector<double> far(std::size_t(na) * nb);
        for (std::uint32_t j = 0; j < nb; ++j) {
            const Triangle t = b.triangle(j), mapped{pose(t.a), pose(t.b), pose(t.c)};
            for (std::uint32_t i = 0; i < na; ++i)
                far[std::size_t(i) * nb + j] =
                    meet(a.triangle(i), mapped) ? 0 : detail::triangle_distance(a.triangle(i), mapped);
        }
        std::vector<char> covered(far.size());
        const auto claim = [&](const std::set<std::uint32_t>& in_a, const std::set<std::uint32_t>& in_b, float due) {
            const bool holds = step.reading() < due;
            claims += holds;
            for (const std::uint32_t i : in_a)
                for (const std::uint32_t j : in_b) {
                    covered[std::size_t(i) * nb + j] = 1;
                    const double gap = (far[std::size_t(i) * nb + j] - margin) * step.inv_unit;
                    if (holds) {
                        ASSERT_GE(gap + 1e-13, static_cast<double>(due) - step.odometer) << i << " " << j;
                    }
                }
        };
        for (std::size_t e = 0; e < front.steps.size; ++e) {
            const int x = front.lanes[e].side;
            const detail::WideTree& opened = x == 0 ? ta : tb;
            std::set<std::uint32_t> mine, other;
            for (unsigned l = 0; l < 8; ++l)
                if (front.lanes[e].lanes >> l & 1) below(opened, opened.nodes[front.steps.ref[x][e]].ref[l], mine);
            below(x == 0 ? tb : ta, front.steps.ref[1 - x][e], other);
            claim(x == 0 ? mine : other, x == 0 ? other : mine, front.steps.due[e]);
            if (testing::Test::HasFatalFailure()) return;
        }
        for (std::size_t e = 0; e < front.leaves.size; ++e) {
            std::set<std::uint32_t> in_a, in_b;
            below(ta, front.leaves.ref[0][e], in_a);
            below(tb, front.leaves.ref[1][e], in_b);
            claim(in_a, in_b, front.leaves.due[e]);
            if (testing::Test::HasFatalFailure()) return;
        }
        ASSERT_EQ(std::count(covered.begin(), covered.end(), 0), 0);
    }
};

struct Setting {
    study::Volume volume;
    Placing placing;
    double scale_a, scale_b;  ///< the larger model is opened more
};

class WideFrontClaims : public testing::TestWithParam<Setting> {};

TEST_P(WideFrontClaims, AreTrue) {
    const Setting& s = GetParam();
    Random random(7);
    std::uint64_t claims = 0;
    QueryStats stats;
    for (int round = 0; round < 3; ++round) {
        const Soup sa = round == 0 ? scenes::torus(1, 0.4, 12, 8) : scattered(100, 0.15, random);
        const Soup sb = round == 1 ? scenes::torus(1, 0.3, 10, 8) : scattered(80, 0.2, random);
        Bench bench(scale(sa, s.scale_a), scale(sb, s.scale_b), s.volume);
        Tumble path(s.placing, 100 + static_cast<unsigned>(round));
        bench.pose = path.next(0.1);
        bench.step.inv_unit = round == 2 ? 0.25 : 1;
        for (int frame = 0; frame < 24; ++frame) {
            bench.advance(path.next(frame % 10 == 9 ? 0.3 : frame % 2 == 0 ? 0.002 : 0.02));
            // Motion bounds are in A's lengths, the odometer in those times inv_unit, which is 1 or less.
            bench.step.prune = frame == 15;
            const bool first = frame % 7 == 3;
            const auto expected = bench.plain();
            const auto seen = bench.ask(first);
            if (first)
                ASSERT_EQ(seen.empty(), expected.empty());
            else
                ASSERT_EQ(seen, expected);
            bench.check();
            if (HasFatalFailure()) return;
        }
        claims += bench.claims;
        stats += bench.stats;
    }
    EXPECT_GT(claims, 500u);
    EXPECT_GT(stats.kept, 100u);
    EXPECT_EQ(stats.axis_tests > 100, s.placing != Placing::Sheared);
}

constexpr Setting settings[] = {
    {study::Volume::Obb, Placing::Rigid, 1, 1},     {study::Volume::Obb, Placing::Rigid, 0.3, 1},
    {study::Volume::Obb, Placing::Rigid, 1, 0.3},   {study::Volume::Obb, Placing::Skewed, 1, 0.7},
    {study::Volume::Obb, Placing::Skewed, 0.5, 1},  {study::Volume::Obb, Placing::Sheared, 1, 0.5},
    {study::Volume::Obb, Placing::Sheared, 0.5, 1}, {study::Volume::Aabb, Placing::Rigid, 1, 0.6},
    {study::Volume::Aabb, Placing::Rigid, 0.6, 1},  {study::Volume::Aabb, Placing::Skewed, 1, 1},
    {study::Volume::Aabb, Placing::Sheared, 1, 1},
};
INSTANTIATE_TEST_SUITE_P(All, WideFrontClaims, testing::ValuesIn(settings));

TEST(WideFront, KeepsItsClaimsThroughRefitsAndMargins) {
    Random random(3);
    Soup sa = scattered(100, 0.2, random), sb = scenes::torus(0.6, 0.2, 10, 8);
    Bench bench(sa, sb, study::Volume::Obb);
    Tumble path(Placing::Rigid, 5);
    bench.pose = path.next(0.1);
    for (int frame = 0; frame < 60; ++frame) {
        double more = 0;
        bool reshaped = false;
        if (frame % 5 == 2) {
            Soup& soup = frame % 2 == 0 ? sa : sb;
            for (Vec3& p : soup.points) p = p + random.in_cube(-0.01, 0.01);
            const auto done = (frame % 2 == 0 ? bench.a : bench.b).refit(soup.points, {.rebuild = Rebuild::Never});
            ASSERT_TRUE(done.ok());
            more += done->moved * 1.001;
            reshaped = true;
        }
        if (frame % 8 == 6) {
            const double margin = frame % 16 == 6 ? random.between(0, 0.05) : 0;
            more += std::max(0.0, margin - bench.margin);
            bench.margin = margin;
        }
        bench.advance(path.next(0.01), more, reshaped);
        ASSERT_EQ(bench.ask(), bench.plain()) << frame;
        bench.check();
        if (HasFatalFailure()) return;
    }
}

TEST(WideFront, MayBeStoppedAnywhere) {
    Random random(11);
    const Soup sa = scattered(200, 0.3, random), sb = scattered(150, 0.3, random);
    Bench bench(sa, sb, study::Volume::Obb);
    Tumble path(Placing::Rigid, 21);
    bench.pose = path.next(0.1);
    for (int frame = 0; frame < 60; ++frame) {
        bench.advance(path.next(0.004));
        const auto expected = bench.plain();
        if (frame % 3 == 2) {
            ASSERT_EQ(bench.ask(), expected);
        } else {
            const std::size_t most = frame % 3 == 0 ? 1 + random.below(20) : 1;
            const auto seen = bench.ask(frame % 3 == 1, most);
            ASSERT_EQ(seen.size(), std::min(most, expected.size()));
            ASSERT_TRUE(std::includes(expected.begin(), expected.end(), seen.begin(), seen.end()));
        }
        bench.check();
        if (HasFatalFailure()) return;
    }
}

TEST(WideFront, OfTinyModels) {
    Random random(17);
    for (std::uint32_t n = 1; n <= 9; ++n)
        for (const std::uint32_t m : {1u, 5u, 8u, 9u}) {
            Bench bench(scattered(n, 0.6, random), scattered(m, 0.6, random), study::Volume::Obb);
            Tumble path(Placing::Rigid, n * 16 + m);
            bench.pose = path.next(0.1);
            for (int frame = 0; frame < 20; ++frame) {
                // Far away and back: the roots alone are the front.
                path.at = path.at + (frame == 8 ? Vec3{20, 0, 0} : frame == 12 ? Vec3{-20, 0, 0} : Vec3{});
                bench.advance(path.next(0.02));
                ASSERT_EQ(bench.ask(), bench.plain());
                bench.check();
                if (HasFatalFailure()) return;
            }
        }
}

TEST(WideFront, AtAnyScale) {
    Random random(23);
    const Soup body = scattered(80, 0.25, random);
    for (const double scale : {0x1p-1040, 0x1p-500, 0x1p-20, 0x1p20, 0x1p500, 0x1p990}) {
        const Soup soup = scenes::scale(body, scale);
        const Model a = *Model::build(soup), b = a;
        Front front;
        Tumble path(Placing::Rigid, 9);
        for (int frame = 0; frame < 30; ++frame) {
            const Affine unit = path.next(0.003);
            const Affine pose = *Pose::from_matrix(unit.linear(), unit.translation() * (0.4 * scale));
            auto plain = collide(a, b, pose), fronted = collide(a, b, pose, {.front = &front});
            std::sort(plain.begin(), plain.end());
            std::sort(fronted.begin(), fronted.end());
            ASSERT_EQ(plain, fronted) << scale << " " << frame;
        }
    }
}

TEST(WideFront, NothingDueTouchesNothing) {
    const Soup soup = scenes::torus(1, 0.4, 20, 20);
    Bench bench(soup, soup, study::Volume::Obb);
    bench.pose = *Pose::from_matrix({}, {2.2, 0, 1.1});
    bench.ask(true);
    ASSERT_TRUE(bench.plain().empty());
    const QueryStats filled = bench.stats;
    bench.advance(*Pose::from_matrix({}, {2.2, 1e-7, 1.1}));
    EXPECT_TRUE(bench.ask(true).empty());
    EXPECT_EQ(bench.stats.box_tests, filled.box_tests);
    EXPECT_EQ(bench.stats.triangle_tests, filled.triangle_tests);
    EXPECT_EQ(bench.stats.kept - filled.kept, bench.front.size());
}

}  // namespace
}  // namespace graze
