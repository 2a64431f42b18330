// SPDX-License-Identifier: Apache-2.0
// The walk over one wide tree, written once. Regions and rays are visitors.
#if defined(GRAZE_WIDE_TREE_WALK_INL) == defined(HWY_TARGET_TOGGLE)  // once per target
#ifdef GRAZE_WIDE_TREE_WALK_INL
#undef GRAZE_WIDE_TREE_WALK_INL
#else
#define GRAZE_WIDE_TREE_WALK_INL
#endif

#include <bit>
#include <concepts>
#include <cstdint>

#include "graze/query.hpp"
#include "walk/nearest_last.hpp"
#include "wide/wide_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

/// All that one query adds to the walk over one wide tree.
///
/// A `Task` waits on the stack. `test` returns a bit for each child that is worth a visit and fills in `Lanes`, from
/// which `child` makes the task of one of them. A visitor that is `nearest_first` has a member `bound` in its tasks and
/// a `limit()` that may only shrink: the walk opens the nearest child first, and drops tasks whose bound is above the
/// limit by then.
template <class V>
concept WideTreeVisitor = requires(V& v, const typename V::Task& task, typename V::Lanes& lanes, unsigned lane,
                                   const WideNode& node, const WideLeaf& leaf, const WideBox& box) {
    { task.node } -> std::convertible_to<std::uint32_t>;
    { V::nearest_first } -> std::convertible_to<bool>;
    { v.test(task, node, box, lanes) } -> std::same_as<unsigned>;
    { v.child(task, lanes, lane, task.node) } -> std::same_as<typename V::Task>;
    { v.leaf(task, leaf, box) } -> std::same_as<Step>;
    requires !V::nearest_first || requires { task.bound <= v.limit(); };
};

/// Visits the leaves below a task until the visitor stops. False if it did. The stack has a vector's functions.
template <class Stack, WideTreeVisitor Visitor>
HWY_INLINE bool walk_wide_tree(const WideTree& tree, typename Visitor::Task now, Stack& stack, Visitor& visitor) {
    using Task = typename Visitor::Task;
    const std::uint32_t first_leaf = tree.first_leaf();
    const WideBox* const boxes = tree.boxes.data();
    const WideNode* const nodes = tree.nodes.data();
    const WideLeaf* const leaves = tree.leaves.data();
    const auto worth = [&](const Task& task) HWY_ATTR {
        if constexpr (Visitor::nearest_first) return task.bound <= visitor.limit();
        return true;
    };
    for (;;) {
        if (worth(now)) {
            const WideBox& box = boxes[now.node];
            if (now.node < first_leaf) {
                const WideNode& node = nodes[now.node];
                typename Visitor::Lanes lanes;
                unsigned alive = visitor.test(now, node, box, lanes);
                const auto fetched = [&](unsigned lanes_left) HWY_ATTR {
                    const auto lane = static_cast<unsigned>(std::countr_zero(lanes_left));
                    const std::uint32_t ref = node.ref[lane];
                    prefetch(boxes + ref);
                    if (ref < first_leaf)
                        prefetch(nodes + ref);
                    else
                        prefetch(leaves + (ref - first_leaf));
                    return visitor.child(now, lanes, lane, ref);
                };
                if (alive != 0) {
                    // One child stays here, the nearest where that matters. The others go onto the stack.
                    Task child = fetched(alive);
                    alive &= alive - 1;
                    if constexpr (Visitor::nearest_first) {
                        if ((alive & (alive - 1)) != 0) {
                            NearestLast<Task> children;
                            children.add(child);
                            for (; alive != 0; alive &= alive - 1) children.add(fetched(alive));
                            const auto sorted = children.sorted();
                            for (const Task& waiting : sorted.first(sorted.size() - 1)) stack.push_back(waiting);
                            child = sorted.back();
                        } else if (alive != 0) {
                            const Task other = fetched(alive);
                            const bool nearer = other.bound < child.bound;
                            stack.push_back(nearer ? child : other);
                            child = nearer ? other : child;
                        }
                    } else {
                        for (; alive != 0; alive &= alive - 1) {
                            stack.push_back(child);
                            child = fetched(alive);
                        }
                    }
                    now = child;
                    continue;
                }
            } else if (visitor.leaf(now, leaves[now.node - first_leaf], box) == Step::Stop) {
                return false;
            }
        }
        if (stack.empty()) return true;
        now = stack.back();
        stack.pop_back();
    }
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per target
