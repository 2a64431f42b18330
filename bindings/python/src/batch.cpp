// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include <atomic>
#include <chrono>
#include <exception>

#include "files/parallel.hpp"

namespace graze::python {

void run_batch(std::size_t n, unsigned threads, const py::object& progress,
               const std::function<void(std::size_t, std::size_t)>& work) {
    using Clock = std::chrono::steady_clock;
    constexpr double turn = 0.1;         // seconds between two looks at the interpreter
    constexpr double worth_it = 0.3e-3;  // seconds of work that pay for starting threads
    std::exception_ptr thrown;
    std::mutex mutex;
    std::atomic<bool> failed{false};
    double each = 0;       // seconds that an index took in the last turn
    std::size_t size = 8;  // size of the next turn
    for (std::size_t done = 0; done < n;) {
        const std::size_t count = std::min(size, n - done);
        const auto begin = Clock::now();
        {
            const py::gil_scoped_release release;
            const bool alone = each * static_cast<double>(count) < worth_it;
            // Small pieces even out threads, and are large enough for their start not to matter.
            const std::size_t piece = std::clamp<std::size_t>(count / 256, 1, 1024);
            files::parallel_for((count + piece - 1) / piece, alone ? 1 : threads, [&](std::size_t k) {
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
        each = std::chrono::duration<double>(Clock::now() - begin).count() / static_cast<double>(count);
        // The next indices may take far longer than these, so turns grow step by step.
        size = static_cast<std::size_t>(std::clamp(turn / each, 8.0, 16.0 * static_cast<double>(count)));
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!progress.is_none()) progress(count);
    }
}

void run_library_batch(graze::BatchSettings settings, const py::object& progress,
                       const std::function<Result<void>(const graze::BatchSettings&)>& run) {
    std::exception_ptr thrown;
    std::size_t told = 0;
    // The library knows no exceptions. An exception thrown here waits until the batch has ended.
    settings.progress = [&](std::size_t done) {
        const py::gil_scoped_acquire acquire;
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (!progress.is_none()) progress(done - told);
            told = done;
            return Step::Continue;
        } catch (...) {
            thrown = std::current_exception();
            return Step::Stop;
        }
    };
    Result<void> done;
    {
        const py::gil_scoped_release release;
        done = run(settings);
    }
    if (thrown) std::rethrow_exception(thrown);
    take(std::move(done));
}

}  // namespace graze::python
