// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "exact/decide.hpp"
#include "graze/query.hpp"
#include "model/model_data.hpp"
#include "tree/obb.hpp"

namespace graze::detail {

/// What a tree has to show for the pair walk. Nodes go by number; a volume may be made on the fly.
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

/// Opens the larger of two nodes, not both leaves: calls f(pair, a, b) for each of its children with the other, a and b
/// being the volumes as a test takes them. A placed volume is shared by the tests against its partner's children.
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

/// Visits the pairs of leaves below those of the stack, which are not apart, whose volumes, and all in between, the
/// test does not find apart, until the visitor stops; false if it did. The stack grows as needed.
template <PairTree A, PairTree B, class Visitor>
    requires std::same_as<typename A::Volume, typename B::Volume>
bool walk_pairs(const A& a, const B& b, const PairTest<typename A::Volume>& test, std::vector<NodePair>& stack,
                std::uint64_t& box_tests, Visitor& visit) {
    std::uint64_t tests = 0;
    bool finished = true;
    while (!stack.empty()) {
        const NodePair pair = stack.back();
        stack.pop_back();
        if (a.leaf(pair.a) && b.leaf(pair.b)) {
            if (visit(a.triangles(pair.a), b.triangles(pair.b)) == Step::Continue) continue;
            finished = false;
            break;
        }
        open_pair(a, b, test, pair, [&](const NodePair& child, const auto& in_a, const auto& in_b) {
            ++tests;
            if (!test.apart(in_a, in_b)) stack.push_back(child);
        });
    }
    box_tests += tests;
    return finished;
}

/// A visitor: decides pairs of triangles exactly, or within the margin, and passes them on to
/// `found(i, j)`, which says whether to go on.
template <class Found>
class TriangleVisitor {
public:
    TriangleVisitor(const Geometry& a, const Geometry& b, const Affine& a_from_b, double margin, QueryStats& stats,
                    Found& found)
        : a_(a), b_(b), pose_(a_from_b), margin_(margin), stats_(stats), found_(found) {}

    Step operator()(std::span<const std::uint32_t> in_a, std::span<const std::uint32_t> in_b) {
        for (const std::uint32_t j : in_b) {
            const Triangle own = b_.triangle(j);
            const Triangle t{pose_(own.a), pose_(own.b), pose_(own.c)};
            for (const std::uint32_t i : in_a) {
                ++stats_.triangle_tests;  // all of them in double: there is no float filter here
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

/// All pairs of triangles that meet or are within the margin, each once: calls `found(i, j)` with the
/// callers' indices until it returns Stop; false if it did. Adds to `stats`. Inline in the caller's
/// file, so that a query costs no indirect call.
template <PairTree A, PairTree B, class Found>
    requires std::same_as<std::invoke_result_t<Found&, std::uint32_t, std::uint32_t>, Step>
bool walk_triangles(const A& tree_a, const Geometry& a, const B& tree_b, const Geometry& b, const Affine& a_from_b,
                    double margin, std::vector<NodePair>& stack, QueryStats& stats, Found&& found) {
    const PairTest<typename A::Volume> test(tree_a.frame, tree_b.frame, a_from_b, margin);
    TriangleVisitor visitor(a, b, a_from_b, margin, stats, found);
    stack.clear();
    if (tree_a.empty() || tree_b.empty()) return true;
    ++stats.box_tests;
    const NodePair roots{tree_a.root(), tree_b.root()};
    if (!test.apart(tree_a.volume(roots.a), tree_b.volume(roots.b))) stack.push_back(roots);
    return walk_pairs(tree_a, tree_b, test, stack, stats.box_tests, visitor);
}

}  // namespace graze::detail
