// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include <atomic>
#include <exception>

#include "base/batch_loop.hpp"

namespace graze::python {

namespace {

/// Hears of a batch several times per second, as the library tells it: without the interpreter's lock. The library
/// knows no exceptions, so what is thrown waits until the batch has ended.
class Listener {
public:
    explicit Listener(const py::object& progress) : progress_(progress) {}

    Step operator()(std::size_t done) {
        const py::gil_scoped_acquire acquire;
        try {
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (!progress_.is_none()) progress_(done - told_);
            told_ = done;
            return Step::Continue;
        } catch (...) {
            thrown_ = std::current_exception();
            return Step::Stop;
        }
    }
    /// After the batch.
    void raise() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    const py::object& progress_;
    std::size_t told_ = 0;
    std::exception_ptr thrown_;
};

}  // namespace

void run_batch(std::size_t n, unsigned threads, const py::object& progress,
               const std::function<void(std::size_t, std::size_t)>& work) {
    Listener listener(progress);
    std::exception_ptr thrown;
    std::mutex mutex;
    std::atomic<bool> failed{false};
    const auto tell = [&](std::size_t done) { return failed ? Step::Stop : listener(done); };
    const auto work_or_keep = [&](std::size_t first, std::size_t last) {
        if (failed) return;
        try {
            work(first, last);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failed.exchange(true)) thrown = std::current_exception();
        }
    };
    {
        const py::gil_scoped_release release;
        graze::detail::run_pieces(n, threads, tell, work_or_keep);
    }
    if (thrown) std::rethrow_exception(thrown);
    listener.raise();
}

void run_with_progress(const py::object& progress,
                       const std::function<Result<void>(const std::function<Step(std::size_t)>&)>& run) {
    Listener listener(progress);
    const auto tell = [&](std::size_t done) { return listener(done); };
    Result<void> done;
    {
        const py::gil_scoped_release release;
        done = run(tell);
    }
    listener.raise();
    take(std::move(done));
}

}  // namespace graze::python
