// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace graze::python {

namespace {

/// Work, and whether it has ended.
class Task {
public:
    explicit Task(std::function<void()> work) : work_(std::move(work)) {}

    void run() {
        std::exception_ptr thrown;
        try {
            work_();
        } catch (...) {
            thrown = std::current_exception();
        }
        work_ = nullptr;  // its memory is freed before anyone hears of the end
        const std::lock_guard lock(mutex_);
        thrown_ = std::move(thrown);
        ended_ = true;
        end_.notify_all();
    }
    /// Waits for the end, for a short time.
    bool wait() {
        std::unique_lock lock(mutex_);
        return end_.wait_for(lock, std::chrono::milliseconds(50), [&] { return ended_; });
    }
    bool ended() {
        const std::lock_guard lock(mutex_);
        return ended_;
    }
    /// After the end.
    void raise() {
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

private:
    std::function<void()> work_;
    std::mutex mutex_;
    std::condition_variable end_;
    bool ended_ = false;
    std::exception_ptr thrown_;
};

/// Work that goes on after its call was interrupted, and what it uses.
struct Abandoned {
    std::shared_ptr<Task> task;
    py::object kept;
};

/// Threads that run one task after another. There are as many as were ever needed at a time, because oneTBB 2021.8
/// never frees some kilobytes of each thread that has called it.
class Workers {
public:
    std::vector<Abandoned> abandoned;  ///< needs the interpreter's lock

    void run(std::shared_ptr<Task> task) {
        {
            const std::lock_guard lock(mutex_);
            ++busy_;
            if (idle_ > waiting_.size()) {
                waiting_.push_back(std::move(task));
                wake_.notify_one();
                return;
            }
        }
        try {
            std::thread([this, task] { serve(task); }).detach();
        } catch (const std::system_error&) {
            task->run();  // the system refuses another thread
            ended();
        }
    }
    void wait_for_all() {
        std::unique_lock lock(mutex_);
        all_ended_.wait(lock, [&] { return busy_ == 0; });
    }

private:
    void serve(std::shared_ptr<Task> task) {
        for (;;) {
            task->run();
            task.reset();
            ended();
            std::unique_lock lock(mutex_);
            ++idle_;
            wake_.wait(lock, [&] { return !waiting_.empty(); });
            --idle_;
            task = std::move(waiting_.front());
            waiting_.pop_front();
        }
    }
    void ended() {
        const std::lock_guard lock(mutex_);
        if (--busy_ == 0) all_ended_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable wake_, all_ended_;
    std::deque<std::shared_ptr<Task>> waiting_;
    std::size_t idle_ = 0, busy_ = 0;
};

/// Never destroyed: its threads wait for work until the process ends. A forked process has none of them, and begins
/// anew.
Workers* all_workers = nullptr;

Workers& workers() {
    // Abandoned work must not outlive what the process destroys when it exits.
    struct Exit {
        Exit() {
            all_workers = new Workers;
            pthread_atfork(nullptr, nullptr, [] { all_workers = new Workers; });
        }
        ~Exit() { all_workers->wait_for_all(); }
    };
    static const Exit exit;
    return *all_workers;
}

/// Lets go of what ended work has used. Needs the interpreter's lock.
void forget_ended() {
    std::vector<Abandoned>& all = workers().abandoned;
    const auto ended = std::partition(all.begin(), all.end(), [](const Abandoned& one) { return !one.task->ended(); });
    // Objects may run code of anyone when they go, so the list is in order before.
    const std::vector<Abandoned> gone(std::make_move_iterator(ended), std::make_move_iterator(all.end()));
    all.erase(ended, all.end());
}

}  // namespace

void run_interruptibly(Watch& watch, std::function<void()> work, const Waiting& waiting) {
    forget_ended();
    const auto task = std::make_shared<Task>(std::move(work));
    std::size_t told = 0;
    const auto tell = [&] {
        const std::size_t done = watch.done;
        if (waiting.progress.is_none() || done <= told) return;
        waiting.progress(done - told);
        told = done;
    };
    try {
        for (bool started = false, ended = false; !ended;) {
            {
                const py::gil_scoped_release release;
                if (!std::exchange(started, true)) workers().run(task);
                ended = task->wait();
            }
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            if (!ended) tell();
        }
    } catch (...) {
        watch.stop = true;
        workers().abandoned.push_back({task, waiting.kept});
        throw;
    }
    task->raise();
    tell();
}

}  // namespace graze::python
