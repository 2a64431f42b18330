// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "exact/decide.hpp"
#include "graze/query.hpp"
#include "model/model_data.hpp"
#include "tree/obb.hpp"
#include "walk/nearest_last.hpp"

namespace graze::detail {

/// The interface of a tree that can be walked. Nodes are numbers and have at most `node_children` children. A volume
/// may be made on the fly.
template <class T>
concept PairTree = requires(const T& t, std::uint32_t node) {
    typename T::Volume;
    { t.empty() } -> std::same_as<bool>;
    { t.root() } -> std::same_as<std::uint32_t>;
    { t.leaf(node) } -> std::same_as<bool>;
    { t.volume(node) } -> std::convertible_to<typename T::Volume>;
    { t.children(node) } -> std::ranges::range;
    { t.triangles(node) } -> std::convertible_to<std::span<const std::uint32_t>>;
};

struct NodePair {
    std::uint32_t a, b;
};

/// Opens the larger of two nodes that are not both leaves: calls f(pair, a, b) for each of its children with the other
/// node, where a and b are the volumes as a test takes them. A placed volume is shared by the tests against its
/// partner's children.
template <PairTree A, PairTree B, class F>
void open_pair(const A& a, const B& b, const PairTest<typename A::Volume>& test, const NodePair& pair, F&& f) {
    const auto& in_a = a.volume(pair.a);
    const auto& in_b = b.volume(pair.b);
    if (b.leaf(pair.b) || (!a.leaf(pair.a) && test.a_larger(in_a, in_b))) {
        const auto placed = test.place_b(in_b);
        for (const std::uint32_t child : a.children(pair.a)) f(NodePair{child, pair.b}, a.volume(child), placed);
    } else {
        const auto placed = test.place_a(in_a);
        for (const std::uint32_t child : b.children(pair.b)) f(NodePair{pair.a, child}, placed, b.volume(child));
    }
}

/// A visitor's decision about a task.
enum class Arrival : std::uint8_t {
    Open,  ///< go on below it
    Done,  ///< nothing below it is left to do
    Stop,  ///< the search is over
};

/// All that one query adds to the walk over two trees.
///
/// A `Task` waits on the stack: a `NodePair` and whatever the visitor wants to know about it later. `bound` is called
/// for each child of an opened task, with the volumes as the test takes them. It fills in the child's task and returns
/// a number below which no pair of triangles under the child comes. The child is dropped when that is above `limit()`,
/// which may only shrink. For contacts the bound is 0 or infinity. A visitor that is `nearest_first` has a member
/// `bound` in its tasks: the walk opens the nearest child first, and drops tasks whose bound is above the limit by
/// then.
template <class V>
concept PairVisitor = requires(V& v, const typename V::Task& task, std::span<const std::uint32_t> triangles) {
    requires std::derived_from<typename V::Task, NodePair>;
    { V::nearest_first } -> std::convertible_to<bool>;
    { v.limit() } -> std::same_as<double>;
    { v.arrive(task) } -> std::same_as<Arrival>;
    { v.leaves(task, triangles, triangles) } -> std::same_as<Step>;
};

/// A visitor of one tree and itself: each node with itself, and each two nodes once.
template <class V>
concept SelfPairVisitor = PairVisitor<V> && requires { requires V::self; };

/// Opens a node and itself: calls f(pair, a, b) for each two children.
template <PairTree Tree, class F>
void open_self(const Tree& tree, const PairTest<typename Tree::Volume>& test, std::uint32_t node, F&& f) {
    const auto& children = tree.children(node);
    for (auto i = std::ranges::begin(children); i != std::ranges::end(children); ++i) {
        const auto& first = tree.volume(*i);
        const auto placed = test.place_a(first);
        for (auto j = std::ranges::next(i); j != std::ranges::end(children); ++j)
            f(NodePair{*i, *j}, placed, tree.volume(*j));
    }
}

/// Visits the pairs of leaves below the tasks on the stack until the visitor stops. False if it did; the tasks left on
/// the stack have then not been visited. The stack grows as needed.
template <PairTree A, PairTree B, PairVisitor Visitor>
    requires std::same_as<typename A::Volume, typename B::Volume>
bool walk_pairs(const A& a, const B& b, const PairTest<typename A::Volume>& test,
                std::vector<typename Visitor::Task>& stack, std::uint64_t& box_tests, Visitor& visitor) {
    using Task = typename Visitor::Task;
    std::uint64_t tests = 0;
    bool finished = true;
    while (!stack.empty() && finished) {
        const Task task = stack.back();
        stack.pop_back();
        if constexpr (Visitor::nearest_first)
            if (task.bound > visitor.limit()) continue;
        if (a.leaf(task.a) && b.leaf(task.b)) {
            finished = visitor.leaves(task, a.triangles(task.a), b.triangles(task.b)) == Step::Continue;
            continue;
        }
        if (const Arrival arrival = visitor.arrive(task); arrival != Arrival::Open) {
            finished = arrival == Arrival::Done;
            continue;
        }
        [[maybe_unused]] NearestLast<Task> children;
        const auto open = [&](const NodePair& child, const auto& in_a, const auto& in_b) {
            ++tests;
            Task next;
            if (visitor.bound(task, child, in_a, in_b, next) > visitor.limit()) return;
            if constexpr (Visitor::nearest_first)
                children.add(next);
            else
                stack.push_back(next);
        };
        if constexpr (SelfPairVisitor<Visitor>) {
            if (task.a == task.b) {
                for (const std::uint32_t child : a.children(task.a)) stack.push_back({child, child});
                open_self(a, test, task.a, open);
                continue;
            }
        }
        open_pair(a, b, test, task, open);
        if constexpr (Visitor::nearest_first)
            for (const Task& child : children.sorted()) stack.push_back(child);
    }
    box_tests += tests;
    return finished;
}

/// The part of a visitor that all queries for contacts share: two volumes may meet, or they are certainly apart.
/// Derived visitors handle pairs of leaves.
template <class Bv>
struct OverlapVisitor {
    using Task = NodePair;
    static constexpr bool nearest_first = false;

    const PairTest<Bv>& test;

    static constexpr double limit() { return 0; }
    static constexpr Arrival arrive(const NodePair&) { return Arrival::Open; }
    template <class InA, class InB>
    double bound(const NodePair&, const NodePair& child, const InA& in_a, const InB& in_b, NodePair& next) const {
        next = child;
        return test.apart(in_a, in_b) ? std::numeric_limits<double>::infinity() : 0;
    }
};

/// The visitor for contacts. It decides pairs of triangles exactly, or within the margin, and passes them to `found(i,
/// j)`, which says whether to go on.
template <class Bv, class Found>
class ContactVisitor : public OverlapVisitor<Bv> {
public:
    ContactVisitor(const PairTest<Bv>& pair_test, const Geometry& a, const Geometry& b, const Affine& a_from_b,
                   double margin, QueryStats& stats, Found& found)
        : OverlapVisitor<Bv>{pair_test}, a_(a), b_(b), pose_(a_from_b), margin_(margin), stats_(stats), found_(found) {}

    Step leaves(const NodePair&, std::span<const std::uint32_t> in_a, std::span<const std::uint32_t> in_b) {
        for (const std::uint32_t j : in_b) {
            const Triangle own = b_.triangle(j);
            const Triangle t{pose_(own.a), pose_(own.b), pose_(own.c)};
            for (const std::uint32_t i : in_a) {
                ++stats_.triangle_tests;  // all in double: there is no float filter here
                if (decide(a_.triangle(i), t, margin_, stats_) && found_(i, j) == Step::Stop) return Step::Stop;
            }
        }
        return Step::Continue;
    }

private:
    const Geometry& a_;
    const Geometry& b_;
    const Affine& pose_;
    double margin_;
    QueryStats& stats_;
    Found& found_;
};

/// Finds all pairs of triangles that meet or are within the margin, each once. Calls `found(i, j)` with the callers'
/// indices until it returns Stop; returns false if it did. Adds to `stats`. This is a template so that a query costs no
/// indirect call.
template <PairTree A, PairTree B, class Found>
    requires std::same_as<std::invoke_result_t<Found&, std::uint32_t, std::uint32_t>, Step>
bool walk_triangles(const A& tree_a, const Geometry& a, const B& tree_b, const Geometry& b, const Affine& a_from_b,
                    double margin, std::vector<NodePair>& stack, QueryStats& stats, Found&& found) {
    const PairTest<typename A::Volume> test(tree_a.frame, tree_b.frame, a_from_b, margin);
    ContactVisitor visitor(test, a, b, a_from_b, margin, stats, found);
    stack.clear();
    if (tree_a.empty() || tree_b.empty()) return true;
    ++stats.box_tests;
    const NodePair roots{tree_a.root(), tree_b.root()};
    if (!test.apart(tree_a.volume(roots.a), tree_b.volume(roots.b))) stack.push_back(roots);
    return walk_pairs(tree_a, tree_b, test, stack, stats.box_tests, visitor);
}

}  // namespace graze::detail
