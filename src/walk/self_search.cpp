// SPDX-License-Identifier: Apache-2.0
#include "walk/self_search.hpp"

#include "walk/pair_search.hpp"

namespace graze::detail {

namespace {

/// The visitor of a walk over a tree and itself.
template <class Bv>
struct SelfVisitor : OverlapVisitor<Bv> {
    static constexpr bool self = true;

    const SelfSearch& search;
    QueryStats& stats;

    Step leaves(const NodePair& pair, std::span<const std::uint32_t> in_a, std::span<const std::uint32_t> in_b) {
        for (std::size_t i = 0; i < in_a.size(); ++i)
            for (std::size_t j = pair.a == pair.b ? i + 1 : 0; j < in_b.size(); ++j) {
                ++stats.triangle_tests;
                if (search.decide(in_a[i], in_b[j], stats) == Step::Stop) return Step::Stop;
            }
        return Step::Continue;
    }
};

}  // namespace

bool self_search(const SelfSearch& search, std::vector<NodePair>& stack, QueryStats& stats) {
    return with_trees(search.model, search.model, [&]<class Tree>(const Tree& tree, const Tree&) {
        using Bv = typename Tree::Volume;
        stack.clear();
        if (tree.empty()) return true;
        const PairTest<Bv> test(tree.frame, tree.frame, Affine(), 0);
        SelfVisitor<Bv> visitor{{test}, search, stats};
        stack.push_back({tree.root(), tree.root()});
        return walk_pairs(tree, tree, test, stack, stats.box_tests, visitor);
    });
}

}  // namespace graze::detail
