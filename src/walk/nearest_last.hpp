// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tree/fan_out.hpp"

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
    Task tasks_[node_children];
    unsigned count_ = 0;
};

/// A stack with a vector's functions; ask `empty` before `back`. The last entries live on the machine's stack, so it
/// allocates only for trees of more than about a hundred levels.
template <class Task>
class LocalStack {
public:
    bool empty() { return size_ == 0 && !refill(); }
    const Task& back() const { return own_[size_ - 1]; }
    void push_back(const Task& task) {
        if (size_ == room) [[unlikely]] {
            more_.insert(more_.end(), own_, own_ + room);
            size_ = 0;
        }
        own_[size_++] = task;
    }
    void pop_back() { --size_; }

private:
    /// Takes entries back once the others are used up. False when there are none.
    bool refill() {
        if (more_.empty()) [[likely]]
            return false;
        std::copy(more_.end() - room, more_.end(), own_);
        more_.resize(more_.size() - room);
        size_ = room;
        return true;
    }

    static constexpr std::ptrdiff_t room = 768;
    Task own_[room];
    std::ptrdiff_t size_ = 0;
    std::vector<Task> more_;
};

}  // namespace graze::detail
