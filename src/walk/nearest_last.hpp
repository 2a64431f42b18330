// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "wide/wide_tree.hpp"

namespace graze::detail {

/// The children of one node that are worth a visit, for a walk that goes to the nearest first. They are sorted by
/// `bound`, the nearest last, so that it ends up on top of the stack.
template <class Task>
class NearestLast {
public:
    void add(const Task& task) { tasks_[count_++] = task; }

    std::span<const Task> sorted() {
        if (count_ == 2) {
            // Among children that are equally near, the first one goes on top.
            if (!(tasks_[1].bound < tasks_[0].bound)) std::swap(tasks_[0], tasks_[1]);
        } else {
            for (unsigned i = 1; i < count_; ++i)
                for (unsigned k = i; k > 0 && tasks_[k - 1].bound < tasks_[k].bound; --k)
                    std::swap(tasks_[k - 1], tasks_[k]);
        }
        return {tasks_, count_};
    }

private:
    Task tasks_[wide];
    unsigned count_ = 0;
};

/// A stack with a vector's functions. The first entries live on the machine's stack, so it allocates only for trees of
/// more than about a hundred levels.
template <class Task>
class LocalStack {
public:
    bool empty() const { return size_ == 0; }
    const Task& back() const { return size_ <= room ? own_[size_ - 1] : more_.back(); }
    void push_back(const Task& task) {
        if (size_ < room)
            own_[size_] = task;
        else
            more_.push_back(task);
        ++size_;
    }
    void pop_back() {
        if (size_ > room) more_.pop_back();
        --size_;
    }

private:
    static constexpr std::size_t room = 768;
    Task own_[room];
    std::size_t size_ = 0;
    std::vector<Task> more_;
};

}  // namespace graze::detail
