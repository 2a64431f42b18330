// SPDX-License-Identifier: Apache-2.0
// Models are shared by threads: queries, builds and copies at the same time, clean under TSan.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <optional>
#include <thread>
#include <vector>

#include "graze/study.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

constexpr unsigned thread_count = 8;
using Pairs = std::vector<TrianglePair>;

Pairs sorted_pairs(const Model& a, const Model& b, const Pose& pose, Scratch* scratch) {
    Pairs out;
    for (const Contact& c : collide(a, b, pose, {.scratch = scratch})) out.push_back(c.triangles);
    std::sort(out.begin(), out.end());
    return out;
}

/// Runs `f(thread)` in all threads, which begin together.
template <class F>
void together(F f) {
    std::barrier start(thread_count);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < thread_count; ++t)
        threads.emplace_back([&start, &f, t] {
            start.arrive_and_wait();
            f(t);
        });
    for (std::thread& t : threads) t.join();
}

struct Shared {
    explicit Shared(study::TreeKind kind)
        : a(*study::build(scenes::torus(1, 0.4, 30, 20), {.tree = kind})),
          b(*study::build(scenes::random_soup(400, 0.2, 1), {.tree = kind})) {
        poses = scenes::placements_at_hit_rate(a, b, 0.5, 120, 1);
        for (const scenes::Touch& t : scenes::touching_placements(a, b, 15, 2)) {
            poses.push_back(t.clear);
            poses.push_back(t.hit);
        }
        for (const Pose& p : poses) expected.push_back(sorted_pairs(a, b, p, nullptr));
    }

    Model a, b;
    std::vector<Pose> poses;
    std::vector<Pairs> expected;
};

class Threads : public testing::TestWithParam<study::TreeKind> {};

TEST_P(Threads, QueryTheSameModels) {
    const Shared shared(GetParam());
    std::atomic<unsigned> wrong{0}, hits{0};
    together([&](unsigned t) {
        Scratch scratch;
        // Every second thread works without a scratch, and each in an order of its own.
        Scratch* const own = t % 2 ? &scratch : nullptr;
        for (std::size_t k = 0; k < shared.poses.size(); ++k) {
            const std::size_t i = (k * 7 + t * 31) % shared.poses.size();
            const Pairs& expected = shared.expected[i];
            wrong += sorted_pairs(shared.a, shared.b, shared.poses[i], own) != expected;
            const bool hit = intersects(shared.a, shared.b, shared.poses[i], {.scratch = own});
            wrong += hit != !expected.empty();
            hits += hit;
        }
    });
    EXPECT_EQ(wrong, 0u);
    EXPECT_GT(hits, thread_count);
}

TEST_P(Threads, BuildAtTheSameTime) {
    const Shared shared(GetParam());
    std::atomic<unsigned> wrong{0};
    const scenes::Soup soup = scenes::torus(1, 0.4, 30, 20);
    together([&](unsigned t) {
        for (unsigned round = 0; round < 3; ++round) {
            const auto a = study::build(soup, {.tree = GetParam(), .threads = 1 + (t + round) % 3});
            wrong += !a || !a->validate();
            if (!a) continue;
            for (std::size_t i = t; i < shared.poses.size(); i += 4 * thread_count)
                wrong += sorted_pairs(*a, shared.b, shared.poses[i], nullptr) != shared.expected[i];
        }
    });
    EXPECT_EQ(wrong, 0u);
}

TEST_P(Threads, CopiesComeAndGo) {
    std::optional<Shared> shared(std::in_place, GetParam());
    const std::vector<Pose> poses = shared->poses;
    const std::vector<Pairs> expected = shared->expected;
    // Each thread starts from copies of its own; the last one dropped frees the models.
    std::vector<Model> a(thread_count, shared->a), b(thread_count, shared->b);
    shared.reset();
    std::atomic<unsigned> wrong{0};
    together([&](unsigned t) {
        Model mine = std::move(a[t]), other = std::move(b[t]);
        for (std::size_t k = 0; k < poses.size(); ++k) {
            const Model copy = mine;
            Model again;
            again = other;
            if (k % 8 == t) wrong += sorted_pairs(copy, again, poses[k], nullptr) != expected[k];
            mine = copy;
            other = std::move(again);
        }
        mine = Model();
        wrong += intersects(mine, other, Pose());
    });
    EXPECT_EQ(wrong, 0u);
}

TEST_P(Threads, AScratchMovesBetweenThreads) {
    const Shared shared(GetParam());
    Scratch scratch;
    unsigned wrong = 0;
    for (unsigned t = 0; t < 4; ++t)
        std::thread([&] {
            Scratch here = std::move(scratch);
            for (std::size_t i = t; i < shared.poses.size(); i += 16)
                wrong += sorted_pairs(shared.a, shared.b, shared.poses[i], &here) != shared.expected[i];
            scratch = std::move(here);
        }).join();
    EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Trees, Threads, testing::Values(study::TreeKind::Wide, study::TreeKind::Binary),
                         [](const auto& test) { return test.param == study::TreeKind::Wide ? "Wide" : "Binary"; });

}  // namespace
}  // namespace graze
