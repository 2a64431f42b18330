// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/float_environment.hpp"

#ifdef GRAZE_TBB
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace graze::detail {

void parallel_for_erased(std::size_t n, unsigned threads, void (*f)(void*, std::size_t), void* context) {
#ifdef GRAZE_TBB
    // The number of cores that the process may use. An affinity mask can make them fewer than the machine has.
    const auto available = static_cast<unsigned>(tbb::info::default_concurrency());
#else
    const unsigned available = std::max(1u, std::thread::hardware_concurrency());
#endif
    if (threads == 0) threads = available;
    if (threads == 1 || n <= 1) {
        for (std::size_t i = 0; i < n; ++i) f(context, i);
        return;
    }
#ifdef GRAZE_TBB
    const auto run = [&] {
        tbb::parallel_for(
            std::size_t{0}, n,
            [&](std::size_t i) {
                const DefaultFloats floats;  // a worker may have another environment than the caller
                f(context, i);
            },
            tbb::simple_partitioner{});
    };
    // oneTBB 2021.8 never frees some kilobytes of each new arena. The caller's own arena has all cores.
    if (threads >= available)
        run();
    else
        tbb::task_arena(static_cast<int>(threads)).execute(run);
#else
    std::atomic<std::size_t> next{0};
    auto work = [&] {
        const DefaultFloats floats;
        for (std::size_t i; (i = next.fetch_add(1)) < n;) f(context, i);
    };
    std::vector<std::thread> pool;
    for (std::size_t k = 1; k < std::min<std::size_t>(threads, n); ++k) pool.emplace_back(work);
    work();
    for (std::thread& t : pool) t.join();
#endif
}

}  // namespace graze::detail
