// SPDX-License-Identifier: Apache-2.0
// A front never changes an answer while models deform: refitted in place or as copies, in whole or in part, with new
// trees in between, and moved at the same time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "agree/fronts.hpp"
#include "scenes/deform.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;
using scenes::Soup;
using test::Mixture;
using test::Pairs;
using test::Question;
using Points = std::vector<Vec3>;

class FrontsOfDeforming : public testing::TestWithParam<std::size_t> {
protected:
    const Mixture& mixture() const { return test::mixtures[GetParam()]; }
    Model model_a(const Soup& s) const { return test::built(s, test::trees[mixture().a]); }
    Model model_b(const Soup& s) const { return test::built(s, test::trees[mixture().b]); }
};

Points moved(const Soup& soup, const Vec3& by) {
    Points out = soup.points;
    for (Vec3& p : out) p = p + by;
    return out;
}

/// How a model comes to its next shape.
enum class Way { InPlace, Copied, CopiedTwice };

void refit(Model& m, const Points& to, Way way, Rebuild rebuild, std::vector<Model>& kept, std::uint32_t first = 0) {
    kept.clear();
    for (int k = 0; k < (way == Way::CopiedTwice ? 2 : 1); ++k) {
        if (way != Way::InPlace) kept.push_back(m);  // alive while m is refitted: m becomes a copy
        ASSERT_TRUE(m.refit(to, {.first = first, .rebuild = rebuild}).ok());
    }
}

TEST_P(FrontsOfDeforming, WhileMoving) {
    const Soup sa = scenes::torus(1, 0.4, 18, 10), sb = scenes::torus(0.6, 0.2, 12, 8);
    std::size_t hits = 0, frames = 0, k = 0;
    for (const Rebuild rebuild : {Rebuild::Never, Rebuild::WhenItPays, Rebuild::Always})
        for (const Way way : {Way::InPlace, Way::Copied, Way::CopiedTwice})
            for (const int who : {1, 2, 3}) {  // A, B, both
                if (++k % 2 && rebuild != Rebuild::Never) continue;
                Model a = model_a(sa), b = model_b(sb);
                Soup now_a = sa, now_b = sb;
                Front all, any;
                std::vector<Model> kept_a, kept_b;
                for (unsigned i = 0; i < test::scaled(16) + 12; ++i) {
                    const double t = i * 0.02;
                    if (i % 4 != 3) {  // some frames only move
                        if (who & 1) refit(a, now_a.points = twisted(sa, 2 * t), way, rebuild, kept_a);
                        if (who & 2) refit(b, now_b.points = waved(sb, 0.1, 2, 3 * t), way, rebuild, kept_b);
                    }
                    const Pose p = *Pose::from_quaternion({t, 0, 0.2 * t, 1}, {0.9 - 0.3 * t, 0, 0.68 - 0.2 * t});
                    const Pairs expected = test::plain(a, b, p);
                    if (i % 16 == 5) {
                        ASSERT_EQ(scenes::Reference(now_a, now_b).all(p), expected) << i;
                    }
                    ++frames;
                    hits += !expected.empty();
                    ASSERT_TRUE(test::answers(expected, a, b, p, all) &&
                                test::answers(expected, a, b, p, any, Question::Any))
                        << "frame " << i << ", rebuild " << int(rebuild) << ", way " << int(way) << ", who " << who;
                }
            }
    EXPECT_GT(hits, frames / 10);
    EXPECT_LT(hits, frames);
}

/// Flat faces come together by refits, by motion, or by both, of A and of B: nothing is to spare (test_fronts.cpp).
TEST_P(FrontsOfDeforming, FlatFacesComeTogether) {
    const Soup sa = scenes::cube_lattice(2), sb = scenes::box({0.7, 0.7, 0.5});  // the lattice's top is z = 3
    Random random(21);
    std::size_t hits = 0;
    for (unsigned round = 0; round < test::scaled(100) + 20; ++round) {
        const double gap = std::pow(10, random.between(-7, -0.8));
        const int steps = 1 + static_cast<int>(random.below(6));
        const auto way = static_cast<Way>(random.below(2));
        const bool overlapping = random.below(2);  // the last step ends a bit beyond touching
        Model a = model_a(sa), b = model_b(sb);
        Front front = random.below(3) ? Front() : Front({.coherence = 10});
        std::vector<Model> kept_a, kept_b;
        const Vec3 at{0.5, 0.5, 3.5};
        double up = 0, down = 0, lower = 0, left = gap;
        for (int i = -3; i < steps; ++i) {
            const std::uint32_t who = 1 + random.below(7);  // A rises, B sinks in its frame, B is moved
            if (i >= 0) {
                double by = i + 1 == steps ? left : gap / steps;
                left -= by;
                if (i + 1 == steps && overlapping) by *= 1 + 1e-12;
                const double share = by / ((who & 1) + (who >> 1 & 1) + (who >> 2 & 1));
                if (who & 1) refit(a, moved(sa, {0, 0, up += share}), way, Rebuild::Never, kept_a);
                if (who & 2) refit(b, moved(sb, {0, 0, -(down += share)}), way, Rebuild::Never, kept_b);
                if (who & 4) lower += share;
            }
            const Pose p = *Pose::from_matrix({}, at + Vec3{0, 0, gap - lower});
            const Pairs expected = test::plain(a, b, p);
            hits += !expected.empty();
            const auto question = static_cast<Question>(i < 0 ? 0 : random.below(3));
            ASSERT_TRUE(test::answers(expected, a, b, p, front, question, {}, 3))
                << "round " << round << ", gap " << gap << ", steps " << steps << ", step " << i << ", who " << who;
        }
    }
    EXPECT_GT(hits, 10u);
}

/// A few points pulled out far: the way of the longest counts, and the rest of the tree is as it was.
TEST_P(FrontsOfDeforming, InParts) {
    const Soup sa = scenes::torus(1, 0.4, 24, 12), sb = scenes::sphere(180, 0.5);
    Random random(22);
    Model a = model_a(sa), b = model_b(sb);
    Soup now = sa;
    Front all, some;
    std::vector<Model> kept;
    std::size_t hits = 0, frames = test::scaled(60) + 80;
    for (std::size_t i = 0; i < frames; ++i) {
        const std::uint32_t first = random.below(24 * 12 - 3), count = 1 + random.below(3);
        Points to;
        for (std::uint32_t j = 0; j < count; ++j) {
            Vec3& p = now.points[first + j];
            const double reach = std::pow(10, random.between(-5, -0.3));
            p = random.below(3) ? sa.points[first + j] + random.in_cube(-reach, reach) : sa.points[first + j];
            to.push_back(p);
        }
        refit(a, to, static_cast<Way>(random.below(2)), Rebuild::Never, kept, first);
        const Pose p = *Pose::from_matrix({}, {1, 0, 0.905 + 0.02 * std::sin(0.1 * static_cast<double>(i))});
        const Pairs expected = test::plain(a, b, p);
        if (i % 16 == 5) {
            ASSERT_EQ(scenes::Reference(now, sb).all(p), expected) << i;
        }
        hits += !expected.empty();
        ASSERT_TRUE(test::answers(expected, a, b, p, all) &&
                    test::answers(expected, a, b, p, some, Question::Some, {}, 2))
            << "frame " << i;
    }
    EXPECT_GT(hits, frames / 20);
    EXPECT_LT(hits, frames);
}

/// Copies that go their own ways, and their ancestors, all with one front; two fronts that see some of it each.
TEST_P(FrontsOfDeforming, DivergingCopies) {
    const Soup sa = scenes::cube_lattice(2), sb = scenes::box({0.7, 0.7, 0.5});
    Random random(23);
    std::size_t hits = 0, asked = 0;
    for (unsigned round = 0; round < test::scaled(20) + 4; ++round) {
        std::vector<Model> as(3, model_a(sa)), bs(2, model_b(sb));
        std::vector<double> height_a(3, 0), height_b(2, 0);
        Front fronts[2];
        Vec3 at{0.5, 0.5, 3.52};
        for (int step = 0; step < 40; ++step) {
            const std::uint32_t i = random.below(3), j = random.below(2);
            const double by = random.below(3) ? std::pow(10, random.between(-4, -1)) : 0;
            const auto rebuild = random.below(10) ? Rebuild::Never : Rebuild::Always;
            switch (random.below(6)) {
                case 0:
                    ASSERT_TRUE(as[i].refit(moved(sa, {0, 0, height_a[i] = by}), {.rebuild = rebuild}).ok());
                    break;
                case 1:
                    ASSERT_TRUE(bs[j].refit(moved(sb, {0, 0, -(height_b[j] = by)}), {.rebuild = rebuild}).ok());
                    break;
                case 2: {
                    const std::uint32_t from = random.below(3);
                    as[i] = as[from], height_a[i] = height_a[from];
                    break;
                }
                case 3:
                    at.z = 3.5 + std::pow(10, random.between(-4, -1));
                    break;
                default:
                    break;
            }
            const std::uint32_t x = random.below(3), y = random.below(2);
            const Pose p = *Pose::from_matrix({}, at);
            const Pairs expected = test::plain(as[x], bs[y], p);
            ++asked;
            hits += !expected.empty();
            ASSERT_TRUE(test::answers(expected, as[x], bs[y], p, fronts[random.below(2)],
                                      static_cast<Question>(random.below(3))))
                << "round " << round << ", step " << step << ", models " << x << " " << y << " at " << height_a[x]
                << " and " << height_b[y];
        }
    }
    EXPECT_GT(hits, asked / 20);
    EXPECT_LT(hits, asked - asked / 20);
}

/// A copy stayed where the other was before it sank: what is known of the latter is not true of the copy.
TEST_P(FrontsOfDeforming, BackToACopy) {
    const Soup sa = scenes::cube_lattice(2), sb = scenes::box({0.7, 0.7, 0.5});
    Model a = model_a(sa), copy = a;
    const Model b = model_b(sb);
    ASSERT_TRUE(copy.refit(sa.points, {.rebuild = Rebuild::Never}).ok());
    ASSERT_TRUE(a.refit(moved(sa, {0, 0, -0.05}), {.rebuild = Rebuild::Never}).ok());
    const Pose p = *Pose::from_matrix({}, {0.5, 0.5, 3.48});
    Front front;
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(test::answers({}, a, b, p, front));
    const Pairs expected = test::plain(copy, b, p);
    EXPECT_FALSE(expected.empty());
    EXPECT_TRUE(test::answers(expected, copy, b, p, front));
}

INSTANTIATE_TEST_SUITE_P(Trees, FrontsOfDeforming, testing::Range<std::size_t>(0, test::mixtures.size()),
                         [](const auto& p) { return test::label(test::mixtures[p.param]); });

}  // namespace
}  // namespace graze
