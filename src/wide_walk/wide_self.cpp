// SPDX-License-Identifier: Apache-2.0
// Contacts of a wide tree with itself: a policy of the walk over two wide trees.
#include "wide_walk/wide_self.hpp"

#include "base/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide_walk/wide_self.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide_walk/wide_pair_walk-inl.hpp"
#include "wide_walk/wide_self_leaves-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

namespace {

/// The walk's policy for one tree and itself.
struct WideSelf : WideForgets {
    static constexpr bool self = true;

    SelfLeafTest& test;
    /// Leaf pairs: those that wait, those that a round of steps adds, and room for one vector. A node and itself add
    /// the most.
    std::uint32_t pairs[2][leaves_waiting + steps_abreast * (node_children * (node_children + 1) / 2) + 64];

    HWY_INLINE std::uint32_t* leaves(int x) { return pairs[x]; }
    Step test_leaves() {
        for (std::size_t i = 0; i < found; ++i) {
            const std::size_t ahead = std::min(i + 2, found - 1);
            for (int x = 0; x < 2; ++x) test.fetch(pairs[x][ahead]);
            test.add(pairs[0][i], pairs[1][i]);
            if ((test.pairs == SelfLeafTest::most || i + 1 == found) && test.run() == Step::Stop) return Step::Stop;
        }
        return Step::Continue;
    }
};

template <WideKind kind>
bool search_self(SelfLeafTest& test, WideScratch& scratch) {
    WideSelf policy{{scratch}, test, {}};
    WidePairWalk<kind, WideSelf> walk(test.query, scratch, policy);
    walk.push_roots();
    return walk.template run_batches<steps_abreast>(leaves_waiting);
}

}  // namespace

bool wide_self_pairs(WideQuery& q, const SelfSearch& search, std::vector<SelfLeaf>& leaves, WideScratch& scratch) {
    const WideTree& tree = search.model.wide;
    leaves.resize(tree.leaves.size());
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        for (const std::uint32_t id : tree.leaves[std::min(i + 6, leaves.size() - 1)].id)
            prefetch(&search.model.geometry.triangles[id]);
        prepare_leaf(search, tree.leaves[i], tree.boxes[tree.first_leaf() + i], q.side[0].rounding, leaves[i]);
    }
    SelfLeafTest test{q, search, leaves.data(), {}, 0, {}, 0};
    return q.kind == WideKind::Aligned ? search_self<WideKind::Aligned>(test, scratch)
                                       : search_self<WideKind::Oriented>(test, scratch);
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_self_pairs);

bool wide_self_search(const SelfSearch& search, std::vector<SelfLeaf>& leaves, WideScratch& scratch,
                      QueryStats& stats) {
    if (search.model.wide.empty()) return true;
    const Affine same;
    WideQuery q;
    q.set_up({search.model, search.model, same, {}, false, 0});
    const bool all = HWY_DYNAMIC_DISPATCH(wide_self_pairs)(q, search, leaves, scratch);
    stats += q.stats;
    return all;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
