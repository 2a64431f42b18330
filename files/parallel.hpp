// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace graze::files {

/// Calls f(i) for every i in [0, n) on up to `threads` threads and waits for all of them; 0 means one thread per core.
/// Each thread takes the next i that is left. The calling thread works too, so everything is done even when the system
/// refuses to start another. f must not throw.
template <class F>
void parallel_for(std::size_t n, unsigned threads, F&& f) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i; (i = next.fetch_add(1)) < n;) f(i);
    };
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t helpers = std::min<std::size_t>(threads, std::max<std::size_t>(n, 1)) - 1;
    std::vector<std::thread> pool;
    pool.reserve(helpers);
    try {
        while (pool.size() < helpers) pool.emplace_back(work);
    } catch (const std::system_error&) {
    }
    work();
    for (std::thread& thread : pool) thread.join();
}

}  // namespace graze::files
