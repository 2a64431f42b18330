// SPDX-License-Identifier: Apache-2.0
// The walk over one tree of any kind, written once. Regions, rays and studies of a tree are visitors.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "walk/nearest_last.hpp"
#include "walk/pair_walk.hpp"

namespace graze::detail {

/// All that one query adds to the walk over one tree.
///
/// A `Task` waits on the stack: a node and whatever the visitor wants to know about it later. `bound` is called for
/// each child of an opened task. It fills in the child's task and returns a number below which no triangle under the
/// child comes. The child is dropped when that is above `limit()`, which may only shrink. For regions the bound is 0 or
/// infinity. A visitor that is `nearest_first` has a member `bound` in its tasks: the walk opens the nearest child
/// first, and drops tasks whose bound is above the limit by then.
template <class V>
concept TreeVisitor = requires(V& v, const typename V::Task& task, typename V::Task& next, std::uint32_t child,
                               std::span<const std::uint32_t> triangles) {
    { task.node } -> std::convertible_to<std::uint32_t>;
    { V::nearest_first } -> std::convertible_to<bool>;
    { v.limit() } -> std::same_as<double>;
    { v.bound(task, child, next) } -> std::same_as<double>;
    { v.leaf(task, triangles) } -> std::same_as<Step>;
};

/// Visits the leaves below the tasks on the stack until the visitor stops. False if it did. The stack has a vector's
/// functions and grows as needed.
template <PairTree Tree, class Stack, TreeVisitor Visitor>
bool walk_tree(const Tree& tree, Stack& stack, Visitor& visitor) {
    using Task = typename Visitor::Task;
    while (!stack.empty()) {
        const Task task = stack.back();
        stack.pop_back();
        if constexpr (Visitor::nearest_first)
            if (task.bound > visitor.limit()) continue;
        if (tree.leaf(task.node)) {
            if (visitor.leaf(task, tree.triangles(task.node)) == Step::Stop) return false;
            continue;
        }
        [[maybe_unused]] NearestLast<Task> children;
        for (const std::uint32_t child : tree.children(task.node)) {
            Task next;
            if (visitor.bound(task, child, next) > visitor.limit()) continue;
            if constexpr (Visitor::nearest_first)
                children.add(next);
            else
                stack.push_back(next);
        }
        if constexpr (Visitor::nearest_first)
            for (const Task& child : children.sorted()) stack.push_back(child);
    }
    return true;
}

}  // namespace graze::detail
