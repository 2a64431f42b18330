// SPDX-License-Identifier: Apache-2.0
// Long calls that Ctrl-C ends.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "arrays.hpp"

namespace graze::python {

/// Messages between a call and its work on another thread.
struct Watch {
    std::atomic<bool> stop{false};     ///< nobody waits for the answer any more
    std::atomic<std::size_t> done{0};  ///< steps done, for `progress`
};

/// How a call waits for its work.
struct Waiting {
    py::object progress = py::none();  ///< called with the number of further steps that are done
    py::object kept = py::none();      ///< lives as long as the work does
};

/// Runs `work` on another thread while this one waits, without the interpreter's lock. Throws what the work throws.
/// Within a tenth of a second Ctrl-C, or an exception of the callback, ends the wait and sets `watch.stop`. The work is
/// left to itself then. `watch` must live as long as `work` does.
void run_interruptibly(Watch& watch, std::function<void()> work, const Waiting& waiting);

/// The size of work that nobody can tell beforehand.
inline constexpr std::size_t unknown_size = std::numeric_limits<std::size_t>::max();

/// Returns the result of `work(watch)`. The work runs without the interpreter's lock, in a call that Ctrl-C ends. When
/// `size`, a number of triangles or points, is so small that it takes milliseconds, it runs in this thread. An
/// interrupted call returns while its work is still going on. The work must therefore own all that it uses; it may also
/// use what is `kept`.
template <class F>
auto interruptible(std::size_t size, F work, const Waiting& waiting = {}) {
    using Answer = std::invoke_result_t<F&, Watch&>;
    struct Job {
        F work;
        Watch watch;
        std::optional<Answer> answer;
    };
    if (size < 20'000) {
        Watch watch;
        Answer answer = [&] {
            const py::gil_scoped_release release;
            return work(watch);
        }();
        if (watch.done > 0 && !waiting.progress.is_none()) waiting.progress(watch.done.load());
        return answer;
    }
    const auto job = std::make_shared<Job>(std::move(work));
    run_interruptibly(job->watch, [job] { job->answer.emplace(job->work(job->watch)); }, waiting);
    return std::move(*job->answer);
}

}  // namespace graze::python
