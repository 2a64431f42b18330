// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "walk/pair_walk.hpp"

namespace graze::detail {

/// A node still to visit, and what is still to be asked of all below it: a bit for each question.
struct NodeTask {
    std::uint32_t node;
    std::uint64_t open;
};

/// Visits the leaves of one tree whose volumes, and all above them, the test lets pass, until the
/// visitor stops; false if it did.
///
///     bool test(const Volume&, std::uint64_t& open);   false: certainly apart. Clears the bits of
///         questions that have the answer "certainly inside" for all below; without any left open,
///         what is below is not tested.
///     Step visit(std::span<const std::uint32_t> triangles, std::uint64_t open);
///
/// `open` is what the root starts with. `stack` is working memory; it grows as needed.
template <PairTree Tree, class Test, class Visitor>
bool walk_tree(const Tree& tree, std::uint64_t open, std::vector<NodeTask>& stack, std::uint64_t& box_tests,
               Test&& test, Visitor&& visit) {
    if (tree.empty()) return true;
    std::uint64_t tests = 0;
    const auto push = [&](std::uint32_t node, std::uint64_t questions) {
        if (questions != 0) {
            ++tests;
            if (!test(tree.volume(node), questions)) return;
        }
        stack.push_back({node, questions});
    };
    bool finished = true;
    stack.clear();
    push(tree.root(), open);
    while (!stack.empty()) {
        const NodeTask task = stack.back();
        stack.pop_back();
        if (!tree.leaf(task.node)) {
            for (const std::uint32_t child : tree.children(task.node)) push(child, task.open);
        } else if (visit(tree.triangles(task.node), task.open) == Step::Stop) {
            finished = false;
            break;
        }
    }
    box_tests += tests;
    return finished;
}

}  // namespace graze::detail
