// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "graze/query.hpp"

namespace graze::detail {

/// Calls `work(first, last)` for pieces that together are [0, n). Pieces begin in order, on up to `threads` threads (0
/// means one per core). `progress(done)`, if there is one, is called in the calling thread several times per second,
/// when the first `done` inputs are finished. Returns false when `progress` stopped the batch.
///
/// The first turn is short and tells how long an input takes. Threads then get pieces that are worth their start, and
/// turns end several times per second if somebody wants to hear of them.
template <class F>
bool run_pieces(std::size_t n, unsigned threads, const std::function<Step(std::size_t)>& progress, F&& work) {
    using Clock = std::chrono::steady_clock;
    constexpr double turn = 0.1, piece = 50e-6;  // seconds
    std::size_t count = 8;
    double each = 1;  // seconds that an input took in the last turn
    for (std::size_t done = 0; done < n;) {
        count = std::min(count, n - done);
        const auto start = Clock::now();
        const auto pieces_of =
            static_cast<std::size_t>(std::clamp(piece / each, 1.0, std::max(1.0, static_cast<double>(count) / 64)));
        const std::size_t pieces = done == 0 ? 1 : (count + pieces_of - 1) / pieces_of;
        const std::size_t length = done == 0 ? count : pieces_of;
        std::atomic<std::size_t> next{0};
        parallel_for(pieces, threads, [&](std::size_t) {
            const std::size_t first = done + length * next++;
            work(first, std::min(first + length, done + count));
        });
        done += count;
        each = std::max(1e-9, std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(count));
        if (!progress) {
            count = n - done;
            continue;
        }
        // The next inputs may take far longer than these, so turns grow step by step.
        count = static_cast<std::size_t>(std::clamp(turn / each, 8.0, 16.0 * static_cast<double>(count)));
        if (progress(done) == Step::Stop) return false;
    }
    return true;
}

/// Hands out lanes: the working memory and the findings of a thread, which outlive the pieces of a batch. Each thread
/// has one at a time.
template <class Lane>
class Lanes {
public:
    Lane& take() {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return *all_.emplace_back(std::make_unique<Lane>());
        Lane* lane = idle_.back();
        idle_.pop_back();
        return *lane;
    }
    void give(Lane& lane) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(&lane);
    }
    /// All lanes. No thread may have one.
    std::span<const std::unique_ptr<Lane>> all() const { return all_; }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Lane>> all_;
    std::vector<Lane*> idle_;
};

/// Runs pieces as the function above does. `work(lane, first, last)` gets a lane that no other thread has.
template <class Lane, class F>
bool run_pieces(std::size_t n, unsigned threads, const std::function<Step(std::size_t)>& progress, Lanes<Lane>& lanes,
                F&& work) {
    return run_pieces(n, threads, progress, [&](std::size_t first, std::size_t last) {
        Lane& lane = lanes.take();
        work(lane, first, last);
        lanes.give(lane);
    });
}

}  // namespace graze::detail
