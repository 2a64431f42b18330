// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "base/float_environment.hpp"

#ifdef GRAZE_TBB
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace graze::detail {

namespace {

/// The number of cores that the process may use. An affinity mask can make them fewer than the machine has.
unsigned cores() {
#ifdef GRAZE_TBB
    return static_cast<unsigned>(tbb::info::default_concurrency());
#else
    return std::max(1u, std::thread::hardware_concurrency());
#endif
}

/// Starts threads that run `work`, fewer when the system refuses more.
template <class F>
std::vector<std::thread> start(std::size_t count, const F& work) {
    std::vector<std::thread> pool;
    pool.reserve(count);
#ifdef __cpp_exceptions
    try {
        while (pool.size() < count) pool.emplace_back(work);
    } catch (const std::system_error&) {
        return pool;
    }
#else
    while (pool.size() < count) pool.emplace_back(work);
#endif
    return pool;
}

}  // namespace

void parallel_for_erased(std::size_t n, unsigned threads, LoopWork kind, void (*f)(void*, std::size_t), void* context) {
    const unsigned available = cores();
    if (threads == 0) threads = available;
    if (threads == 1 || n <= 1) {
        for (std::size_t i = 0; i < n; ++i) f(context, i);
        return;
    }
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        const DefaultFloats floats;  // a worker may have another environment than the caller
        for (std::size_t i; (i = next.fetch_add(1)) < n;) f(context, i);
    };
    const std::size_t workers = std::min<std::size_t>(threads, n);
#ifdef GRAZE_TBB
    if (kind == LoopWork::Computes) {
        // Isolated: a thread that waits for the end takes no task of a loop outside.
        tbb::this_task_arena::isolate([&] {
            if (threads >= available) {
                tbb::parallel_for(
                    std::size_t{0}, n,
                    [&](std::size_t i) {
                        const DefaultFloats floats;
                        f(context, i);
                    },
                    tbb::simple_partitioner{});
            } else {
                // As many tasks as threads are wanted keep the limit. An arena of that size would too, but oneTBB
                // 2021.8 never frees some kilobytes of each new arena.
                tbb::parallel_for(std::size_t{0}, workers, [&](std::size_t) { work(); }, tbb::simple_partitioner{});
            }
        });
        return;
    }
#endif
    static_cast<void>(kind);
    std::vector<std::thread> pool = start(workers - 1, work);
    work();
    for (std::thread& t : pool) t.join();
}

}  // namespace graze::detail
