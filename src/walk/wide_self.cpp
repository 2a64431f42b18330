// SPDX-License-Identifier: Apache-2.0
// Contacts of a wide tree with itself: a policy of the walk over two wide trees.
#include "walk/scratch.hpp"
#include "walk/self_search.hpp"
#include "wide/wide_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "walk/wide_self.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "walk/wide_pair_walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

namespace {

/// What two leaves of one tree have to do with each other.
struct SelfRelation {
    static constexpr bool self = true;

    const SelfSearch& search;
    const WideLeaf* leaves;      ///< the tree's first leaf
    const LeafCorners* corners;  ///< the corners of the first leaf

    HWY_INLINE SharedCorners between(const WideLeaf* lanes, const WideLeaf* single, unsigned one) const {
        return {corners[lanes - leaves].at, corners[single - leaves].at, one, search.neighbours};
    }
    HWY_INLINE Step report(WideQuery&, std::uint32_t i, std::uint32_t j) const { return search.report(i, j); }
    HWY_INLINE Step decide(WideQuery& q, std::uint32_t i, std::uint32_t j) const {
        return search.decide(i, j, q.stats);
    }
};

/// The walk's policy for one tree and itself.
struct WideSelf : WideForgets {
    static constexpr bool self = true;

    SelfRelation with;
    /// Leaf pairs: a batch of 32, what 8 steps add at 36 each, one vector.
    std::uint32_t pairs[2][384];

    HWY_INLINE std::uint32_t* leaves(int x) { return pairs[x]; }
    HWY_INLINE const SelfRelation& relation() const { return with; }
};

template <WideKind kind>
bool search_self(WideQuery& q, WideScratch& scratch, const SelfRelation& relation) {
    WideSelf policy{{scratch}, relation, {}};
    WidePairWalk<kind, WideSelf> walk(q, scratch, policy);
    walk.push_roots();
    return walk.template run_batches<8>(32);
}

}  // namespace

bool wide_self_pairs(WideQuery& q, const SelfSearch& search, const LeafCorners* corners, WideScratch& scratch) {
    const SelfRelation relation{search, search.model.wide.leaves.data(), corners};
    return q.kind == WideKind::Aligned ? search_self<WideKind::Aligned>(q, scratch, relation)
                                       : search_self<WideKind::Oriented>(q, scratch, relation);
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_self_pairs);

bool wide_self_search(const SelfSearch& search, Scratch::Impl& scratch, QueryStats& stats) {
    const WideTree& tree = search.model.wide;
    if (tree.empty()) return true;
    std::vector<LeafCorners>& corners = scratch.self.corners;
    corners.resize(tree.leaves.size());
    for (std::size_t i = 0; i < corners.size(); ++i)
        for (unsigned l = 0; l < wide; ++l)
            for (int k = 0; k < 3; ++k)
                corners[i].at[k][l] = search.first[search.model.geometry.triangles[tree.leaves[i].id[l]][k]];
    const Affine same;
    WideQuery q;
    q.set_up({search.model, search.model, same, {}, false, 0});
    const bool all = HWY_DYNAMIC_DISPATCH(wide_self_pairs)(q, search, corners.data(), scratch.wide);
    stats += q.stats;
    return all;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
