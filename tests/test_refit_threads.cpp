// SPDX-License-Identifier: Apache-2.0
// A refit works in place once all other copies are gone, whichever thread dropped them. Clean under TSan.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "graze/query.hpp"
#include "graze/study.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

TEST(RefitThreads, InPlaceAfterOtherThreadsDropTheirCopies) {
    constexpr unsigned thread_count = 4, rounds = 20;
    const scenes::Soup soup = scenes::torus(1, 0.4, 12, 8), shrunk = scenes::scale(soup, 0.5);
    const Model probe = *Model::build(soup, {.threads = 1});
    for (const study::TreeKind tree : {study::TreeKind::Wide, study::TreeKind::Binary}) {
        Model model = *study::build(soup, {.tree = tree, .threads = 1});
        std::atomic<unsigned> wrong = 0;
        for (unsigned round = 0; round < rounds; ++round) {
            // The counter is relaxed, so it orders nothing: only the model's own count of owners can.
            std::atomic<unsigned> dropped = 0;
            std::vector<std::thread> threads;
            for (unsigned t = 0; t < thread_count; ++t)
                threads.emplace_back([&wrong, &dropped, &probe, copy = model]() mutable {
                    {
                        const Model mine = std::move(copy);
                        wrong += !intersects(mine, probe, Pose());
                        wrong += mine.triangle(0).a == mine.triangle(0).b;
                    }
                    dropped.fetch_add(1, std::memory_order_relaxed);
                });
            while (dropped.load(std::memory_order_relaxed) < thread_count) std::this_thread::yield();
            const auto& points = round % 2 ? soup.points : shrunk.points;
            ASSERT_TRUE(model.refit(points, {.rebuild = Rebuild::Never}).ok());
            EXPECT_EQ(model.triangle(0).a, points[soup.corners[0]]);
            for (std::thread& t : threads) t.join();
        }
        EXPECT_EQ(wrong, 0u);
        EXPECT_TRUE(model.validate().ok());
    }
}

}  // namespace
}  // namespace graze
