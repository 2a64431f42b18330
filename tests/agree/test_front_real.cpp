// SPDX-License-Identifier: Apache-2.0
// A front never changes an answer along real motions (tests/read_motion.hpp): tori that fall linked, and robots on the
// ways that a planner found for them, some of them tight.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "agree/fronts.hpp"
#include "read_motion.hpp"
#include "scenes/reference.hpp"

namespace graze {
namespace {

using test::Mixture;
using test::Pairs;
using test::Question;

struct Counts {
    std::size_t frames = 0, touching = 0, contacts = 0;
};

/// Every frame, with a front for all contacts and one for the first, and some frames by brute force.
Counts follow(const scenes::Motion& m) {
    Counts counts;
    const Model a = test::built(m.environment, test::trees[0]), b = test::built(m.body, test::trees[0]);
    const scenes::Reference truth(m.environment, m.body);
    std::vector<Pairs> expected;
    const std::size_t every = std::max<std::size_t>(1, m.path.size() / (test::scaled(20) + 2));
    for (const Pose& p : m.path) {
        const std::size_t i = expected.size();
        expected.push_back(test::plain(a, b, p));
        counts.touching += !expected.back().empty();
        counts.contacts += expected.back().size();
        if (i % every == 0) {
            EXPECT_EQ(truth.all(p), expected.back()) << m.name << ", frame " << i;
        }
    }
    counts.frames = m.path.size();
    const std::size_t count = test::at_length() ? test::mixtures.size() : 4;
    for (std::size_t k = 0; k < count; ++k) {
        const Mixture& mixture = test::mixtures[k];
        const Model ma = test::built(m.environment, test::trees[mixture.a]);
        const Model mb = test::built(m.body, test::trees[mixture.b]);
        Front all, any;
        Scratch scratch;
        for (std::size_t i = 0; i < m.path.size(); ++i) {
            const QuerySettings options{.scratch = &scratch};
            if (!test::answers(expected[i], ma, mb, m.path[i], all, Question::All, options) ||
                !test::answers(expected[i], ma, mb, m.path[i], any, Question::Any, options)) {
                ADD_FAILURE() << m.name << ", frame " << i << ", " << test::name(mixture);
                return counts;
            }
        }
    }
    return counts;
}

/// The middle of a path, as much of it as a build under sanitizers has time for.
void shorten(std::vector<Pose>& path) {
    const std::size_t keep = std::max<std::size_t>(1, path.size() * std::min(100u, 2 * test::percent()) / 100);
    const auto first = path.begin() + static_cast<std::ptrdiff_t>((path.size() - keep) / 2);
    path = std::vector<Pose>(first, first + static_cast<std::ptrdiff_t>(keep));
}

TEST(FrontsOnRealMotions, FallingTori) {
    auto m = test::read_tori();
    if (!m) GTEST_SKIP() << "no " << test::shared_models << "unc-falling";
    EXPECT_EQ(m->environment.triangle_count(), 1332u);
    EXPECT_EQ(m->body.triangle_count(), 3240u);
    EXPECT_EQ(m->path.size(), 2398u);
    shorten(m->path);
    const Counts counts = follow(*m);
    EXPECT_GT(counts.touching, counts.frames / 20);
    EXPECT_LT(counts.touching, counts.frames);
}

/// The planner found ways without contact, at the steps that it looked at.
TEST(FrontsOnRealMotions, AlphaPuzzle) {
    auto m = test::read_alpha(test::at_length() ? 5e-4 : 0.01);
    if (!m) GTEST_SKIP() << "no " << test::shared_models << "ompl";
    EXPECT_EQ(m->environment.triangle_count(), 2016u);
    EXPECT_EQ(m->body.triangle_count(), 2016u);
    shorten(m->path);
    const Counts counts = follow(*m);
    EXPECT_LT(counts.touching, counts.frames / 20);
}

TEST(FrontsOnRealMotions, TwistyCooler) {
    auto m = test::read_cooler(test::at_length() ? 5e-4 : 0.02);
    if (!m) GTEST_SKIP() << "no " << test::shared_models << "ompl";
    EXPECT_EQ(m->environment.triangle_count(), 445u);
    EXPECT_EQ(m->body.triangle_count(), 96u);
    shorten(m->path);
    const Counts counts = follow(*m);
    EXPECT_LT(counts.touching, counts.frames / 20);
}

/// A little out of its way the robot scrapes along.
TEST(FrontsOnRealMotions, AlphaPuzzleOffItsWay) {
    auto m = test::read_alpha(test::at_length() ? 5e-4 : 0.02);
    if (!m) GTEST_SKIP() << "no " << test::shared_models << "ompl";
    shorten(m->path);
    const std::size_t period = std::min<std::size_t>(200, m->path.size() / 2);
    for (std::size_t i = 0; i < m->path.size(); ++i) {
        const double t = static_cast<double>(i % period) / static_cast<double>(period);
        Pose& p = m->path[i];
        p = scenes::placed(p, p.translation() + Vec3{6 * t, 4 * t * (1 - t), 0});
    }
    const Counts counts = follow(*m);
    EXPECT_GT(counts.touching, counts.frames / 50);
    EXPECT_LT(counts.touching, counts.frames);
}

}  // namespace
}  // namespace graze
