// SPDX-License-Identifier: Apache-2.0
// The seam to threads, and what loops over it share.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/first_fault.hpp"
#include "base/parallel.hpp"

namespace graze::detail {
namespace {

TEST(ParallelFor, CallsEachIndexOnce) {
    for (const LoopWork work : {LoopWork::Computes, LoopWork::Waits})
        for (const unsigned threads : {0u, 1u, 2u, 7u})
            for (const std::size_t n : {0u, 1u, 2u, 1000u}) {
                std::vector<std::atomic<int>> calls(n);
                parallel_for(n, threads, [&](std::size_t i) { ++calls[i]; }, work);
                for (const auto& count : calls) EXPECT_EQ(count, 1) << threads << " threads, n = " << n;
            }
}

TEST(ParallelFor, WorkThatWaitsHasAsManyThreadsAsAreWanted) {
    const unsigned wanted = std::thread::hardware_concurrency() + 3;
    std::atomic<unsigned> inside{0};
    std::atomic<bool> late{false};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto wait_for_all = [&](std::size_t) {
        ++inside;
        while (inside < wanted && !late) {
            late = late || std::chrono::steady_clock::now() > deadline;
            std::this_thread::yield();
        }
    };
    parallel_for(wanted, wanted, wait_for_all, LoopWork::Waits);
    EXPECT_FALSE(late) << inside << " of " << wanted << " threads";
}

TEST(ParallelFor, AThreadInAnInnerLoopTakesNothingOfTheOuterOne) {
    thread_local bool busy = false;
    std::atomic<int> sum{0}, entered_twice{0};
    parallel_for(64, 4, [&](std::size_t) {
        entered_twice += busy;
        busy = true;
        parallel_for(50, 4, [&](std::size_t i) {
            if (i % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
            ++sum;
        });
        busy = false;
    });
    EXPECT_EQ(sum, 64 * 50);
    EXPECT_EQ(entered_twice, 0);
}

TEST(FirstFault, IsTheOneOfTheLeastIndex) {
    FirstFault faults;
    EXPECT_FALSE(faults.any());
    parallel_for(100, 4, [&](std::size_t i) {
        if (i >= 17 && i % 2 == 1) faults.report(i, {FaultKind::BadIndex, std::to_string(i)});
    });
    ASSERT_TRUE(faults.any());
    EXPECT_EQ(faults.at(), 17u);
    EXPECT_EQ(faults.fault().message, "17");
    EXPECT_EQ(numbered("ray", 17, faults.fault()).message, "ray 17: 17");
}

}  // namespace
}  // namespace graze::detail
