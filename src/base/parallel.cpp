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
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        const DefaultFloats floats;  // a worker may have another environment than the caller
        for (std::size_t i; (i = next.fetch_add(1)) < n;) f(context, i);
    };
    const std::size_t workers = std::min<std::size_t>(threads, n);
#ifdef GRAZE_TBB
    if (threads >= available) {
        tbb::parallel_for(
            std::size_t{0}, n,
            [&](std::size_t i) {
                const DefaultFloats floats;
                f(context, i);
            },
            tbb::simple_partitioner{});
    } else {
        // As many tasks as threads are wanted keep the limit. An arena of that size would too, but oneTBB 2021.8 never
        // frees some kilobytes of each new arena.
        tbb::parallel_for(std::size_t{0}, workers, [&](std::size_t) { work(); }, tbb::simple_partitioner{});
    }
#else
    std::vector<std::thread> pool;
    for (std::size_t k = 1; k < workers; ++k) pool.emplace_back(work);
    work();
    for (std::thread& t : pool) t.join();
#endif
}

}  // namespace graze::detail
