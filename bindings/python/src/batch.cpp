// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include <atomic>
#include <chrono>
#include <exception>

#include "base/parallel.hpp"

namespace graze::python {

void run_batch(std::size_t n, unsigned threads, const py::object& progress,
               const std::function<void(std::size_t, std::size_t)>& work) {
    using Clock = std::chrono::steady_clock;
    constexpr double turn = 0.1;  // seconds between two looks at the interpreter
    std::exception_ptr thrown;
    std::mutex mutex;
    std::atomic<bool> failed{false};
    std::size_t size = 128;  // of a turn; grows until it takes as long as it should
    for (std::size_t done = 0; done < n;) {
        const std::size_t count = std::min(size, n - done);
        const auto begin = Clock::now();
        {
            const py::gil_scoped_release release;
            // Small pieces even out threads, and are large enough for their start not to matter.
            const std::size_t piece = std::clamp<std::size_t>(count / 256, 1, 1024);
            detail::parallel_for((count + piece - 1) / piece, threads, [&](std::size_t k) {
                if (failed) return;
                try {
                    work(done + k * piece, done + std::min(count, (k + 1) * piece));
                } catch (...) {
                    const std::lock_guard lock(mutex);
                    if (!failed.exchange(true)) thrown = std::current_exception();
                }
            });
        }
        if (thrown) std::rethrow_exception(thrown);
        done += count;
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        if (seconds < turn / 2) size *= 4;
        if (seconds > 2 * turn) size = std::max<std::size_t>(size / 2, 16);
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!progress.is_none()) progress(count);
    }
}

}  // namespace graze::python
