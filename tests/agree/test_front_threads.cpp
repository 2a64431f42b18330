// SPDX-License-Identifier: Apache-2.0
// Threads, each with a front of its own, over the same models; clean under TSan.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "agree/fronts.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using test::Pairs;
using test::Question;

TEST(FrontsInThreads, EachItsOwn) {
    const scenes::Soup sa = scenes::torus(1, 0.4, 24, 16), sb = scenes::sphere(320, 0.6);
    scenes::Random random(31);
    std::vector<Affine> path{*Pose::from_matrix({}, {1, 0, 0.9})};
    while (path.size() < 120) path.push_back(test::nudged(path.back(), random.below(20) ? 0.005 : 0.2, random));
    for (const test::Mixture& mixture : test::mixtures) {
        Model a = test::built(sa, test::trees[mixture.a]);
        const Model b = test::built(sb, test::trees[mixture.b]);
        std::vector<Pairs> expected;
        for (const Affine& p : path) expected.push_back(test::plain(a, b, p));
        std::vector<Front> fronts(4);
        std::atomic<unsigned> wrong = 0;
        // The fronts go on to other threads in the second round.
        for (std::size_t round = 0; round < 2; ++round) {
            std::vector<std::thread> threads;
            for (std::size_t t = 0; t < 4; ++t)
                threads.emplace_back([&, t] {
                    Scratch scratch;
                    Front& front = fronts[(t + round) % 4];
                    // One of them has a copy that it deforms.
                    Model own = a;
                    if (t == 3) wrong += !own.refit(sa.points);
                    for (std::size_t i = 0; i < path.size(); ++i) {
                        const std::size_t k = t % 2 ? path.size() - 1 - i : i;
                        const auto question = t == 2 ? Question::Any : Question::All;
                        wrong += !test::answers(expected[k], own, b, path[k], front, question, {.scratch = &scratch});
                    }
                });
            for (std::thread& t : threads) t.join();
        }
        ASSERT_EQ(wrong, 0u) << test::name(mixture);
    }
}

}  // namespace
}  // namespace graze
