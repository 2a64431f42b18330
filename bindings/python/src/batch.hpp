// SPDX-License-Identifier: Apache-2.0
// Many questions in one call, on threads and without the interpreter's lock.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "base/first_fault.hpp"

namespace graze::python {

/// Calls `work(first, last)` for pieces that together are [0, n), on up to `threads` threads; 0 means one per core. The
/// interpreter's lock is released meanwhile. Several times per second the lock is taken back: Ctrl-C ends the batch
/// with KeyboardInterrupt, and `progress(k)` hears how many more are done. With one thread the pieces come in order.
void run_batch(std::size_t n, unsigned threads, const py::object& progress,
               const std::function<void(std::size_t first, std::size_t last)>& work);

/// Runs a batch of the library: `run(progress)` passes `progress` on to it. The interpreter's lock is released
/// meanwhile, and Ctrl-C and `progress(k)` work as in `run_batch`.
void run_with_progress(const py::object& progress,
                       const std::function<Result<void>(const std::function<Step(std::size_t)>&)>& run);

/// Runs a batch of the library with these settings: `run(settings)` with their `progress` set.
template <class Settings, class F>
void run_library_batch(Settings settings, const py::object& progress, F&& run) {
    run_with_progress(progress, [&](const std::function<Step(std::size_t)>& told) {
        settings.progress = told;
        return run(std::as_const(settings));
    });
}

using graze::detail::FirstFault;
using graze::detail::numbered;

/// Throws the fault that threads have reported, if there is one.
inline void raise(const FirstFault& faults) {
    if (faults.any()) refuse(faults.fault().kind, faults.fault().message);
}

/// Lists of different lengths, one per index, that become one array and its offsets.
template <class T>
class Ragged {
public:
    explicit Ragged(std::size_t n) : offsets_(static_cast<py::ssize_t>(n + 1)), at_(offsets_.mutable_data()) {
        at_[0] = 0;
    }
    /// One piece of `run_batch` at a time: `fill(i, list)` appends what index i has.
    template <class F>
    void collect(std::size_t first, std::size_t last, F&& fill) {
        std::vector<T> list;
        for (std::size_t i = first; i < last; ++i) {
            const std::size_t before = list.size();
            fill(i, list);
            at_[i + 1] = static_cast<std::int64_t>(list.size() - before);
        }
        const std::lock_guard lock(mutex_);
        pieces_.emplace(first, std::move(list));
    }
    /// Everything in one list. The offsets are right from here on.
    std::vector<T> join() {
        for (py::ssize_t i = 1; i < offsets_.size(); ++i) at_[i] += at_[i - 1];
        std::vector<T> all;
        all.reserve(static_cast<std::size_t>(at_[offsets_.size() - 1]));
        for (auto& [first, list] : pieces_) {
            all.insert(all.end(), list.begin(), list.end());
            list = {};
        }
        return all;
    }
    /// List i is from offsets[i] to offsets[i + 1].
    const py::array_t<std::int64_t>& offsets() const { return offsets_; }

private:
    py::array_t<std::int64_t> offsets_;
    std::int64_t* at_;
    std::mutex mutex_;
    std::map<std::size_t, std::vector<T>> pieces_;
};

}  // namespace graze::python
