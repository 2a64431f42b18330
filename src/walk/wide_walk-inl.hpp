// SPDX-License-Identifier: Apache-2.0
// The walk over two wide trees.
#if defined(GRAZE_WIDE_WALK_INL) == defined(HWY_TARGET_TOGGLE)  // once a target
#ifdef GRAZE_WIDE_WALK_INL
#undef GRAZE_WIDE_WALK_INL
#else
#define GRAZE_WIDE_WALK_INL
#endif

#include <algorithm>
#include <bit>

#include "walk/wide_boxes-inl.hpp"
#include "walk/wide_triangles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

template <WideKind kind>
struct Walk {
    WideQuery& q;
    WideScratch& scratch;
    const WideNode* nodes[2];
    const WideBox* boxes[2];
    std::uint32_t first_leaf[2];
    float ratio;  ///< B's unit / A's
    std::size_t top = 0, found = 0;
    LeafBatch batch;

    Walk(WideQuery& query, WideScratch& memory) : q(query), scratch(memory), ratio(query.side[0].ratio) {
        for (int x = 0; x < 2; ++x) {
            const WideTree& t = *q.side[x].x;
            nodes[x] = t.nodes.data();
            boxes[x] = t.boxes.data();
            first_leaf[x] = t.first_leaf();
        }
    }

    /// The side to open: the larger box, never a leaf while the other is a node.
    HWY_INLINE int opened(const std::uint32_t* pair) const {
        return boxes[0][pair[0]].size < boxes[1][pair[1]].size * ratio;
    }
    HWY_INLINE bool both_leaves(const std::uint32_t* pair) const {
        return pair[0] >= first_leaf[0] && pair[1] >= first_leaf[1];
    }

    HWY_INLINE void prefetch_opened(const std::uint32_t* pair) const {
        const int x = opened(pair);
        prefetch(nodes[x] + pair[x]);
    }

    /// Appends the pairs of `other` with the children of the lanes; x says which side these are of.
    HWY_INLINE void append(const WideNode& node, unsigned lanes, int x, std::uint32_t other,
                           std::uint32_t* const list[2], std::size_t& size) const {
        const hn::CappedTag<std::uint32_t, wide> du;
        for (std::size_t l = 0; l < wide; l += hn::Lanes(du)) {
            const std::uint8_t b[8] = {static_cast<std::uint8_t>(lanes >> l & ((1u << hn::Lanes(du)) - 1))};
            hn::StoreU(hn::Set(du, other), du, list[1 - x] + size);
            // In a register first: compressing to memory is microcoded on some processors.
            hn::StoreU(hn::Compress(hn::Load(du, node.ref + l), hn::LoadMaskBits(du, b)), du, list[x] + size);
            size += static_cast<unsigned>(std::popcount(b[0]));
        }
    }

    /// The lanes whose children are leaves.
    HWY_INLINE static unsigned leaf_lanes(const WideNode& node, std::uint32_t first) {
        const hn::CappedTag<std::uint32_t, wide> du;
        unsigned lanes = 0;
        for (std::size_t l = 0; l < wide; l += hn::Lanes(du)) {
            std::uint8_t b[8] = {};
            hn::StoreMaskBits(du, hn::Not(hn::Lt(hn::Load(du, node.ref + l), hn::Set(du, first))), b);
            lanes |= (b[0] & ((1u << hn::Lanes(du)) - 1)) << l;
        }
        return lanes;
    }

    /// Opens one pair and keeps its survivors, without branches on which these are: they would be
    /// guessed wrong as often as not. Ranked: all go on the stack, the deepest on top. Otherwise
    /// pairs of leaves go to a list of their own.
    template <bool rank>
    HWY_INLINE void open(const std::uint32_t* pair) {
        const int x = opened(pair);
        const std::uint32_t mine = pair[x], other = pair[1 - x];
        const WideNode& node = nodes[x][mine];
        const WideBox& own = boxes[x][mine];
        unsigned best = 0;
        const unsigned alive = step<kind, rank>(q.side[x], node, own, boxes[1 - x][other], best);
        q.stats.box_tests += own.count;
        std::uint32_t* const stack[2] = {scratch.pairs[0].data(), scratch.pairs[1].data()};
        if constexpr (rank) {
            append(node, alive & ~(1u << best), x, other, stack, top);
            stack[x][top] = node.ref[best];
            stack[1 - x][top] = other;
            top += alive != 0;
        } else {
            std::uint32_t* const list[2] = {scratch.leaves[0].data(), scratch.leaves[1].data()};
            const unsigned last = other >= first_leaf[1 - x] ? alive & leaf_lanes(node, first_leaf[x]) : 0;
            append(node, alive & ~last, x, other, stack, top);
            append(node, last, x, other, list, found);
        }
    }

    bool run() {
        scratch.reserve(1024);
        scratch.pairs[0][0] = scratch.pairs[1][0] = 0;
        top = 1;
        return q.first ? run_first() : run_batches<8, 32>();
    }

    Step test_leaves(const std::uint32_t* a, const std::uint32_t* b, std::size_t n) {
        const WideLeaf *la = q.side[0].x->leaves.data(), *lb = q.side[1].x->leaves.data();
        for (std::size_t i = 0; i < n;) {
            unsigned left = 0;
            for (; i < n && left < LeafBatch::most; ++i) {
                const std::size_t ahead = std::min(i + 2, n - 1);
                prefetch(la + (a[ahead] - first_leaf[0]));
                prefetch(lb + (b[ahead] - first_leaf[1]));
                left += prepare<kind>(q, la[a[i] - first_leaf[0]], boxes[0][a[i]], lb[b[i] - first_leaf[1]],
                                      boxes[1][b[i]], batch.pair[left]);
            }
            if (batch.test(q, left) == Step::Stop) return Step::Stop;
        }
        return Step::Continue;
    }

    /// Depth first towards the deepest overlap, a step at a time. What finds nothing there is likely
    /// clear: it goes on in small batches, which hide one step's latency behind another's, and then
    /// as a search for all.
    bool run_first() {
        constexpr unsigned eager = 14, patience = 200;
        for (unsigned steps = 0; top > 0; ++steps) {
            if (steps == eager) return run_batches<4, 1>(patience) && run_batches<8, 32>();
            scratch.reserve(top + wide);
            --top;
            const std::uint32_t pair[2] = {scratch.pairs[0][top], scratch.pairs[1][top]};
            if (!both_leaves(pair))
                open<true>(pair);
            else if (test_leaves(&pair[0], &pair[1], 1) == Step::Stop)
                return false;
        }
        return true;
    }

    /// Opens up to `abreast` pairs at a time, and tests pairs of leaves once there are `leaf_batch`;
    /// until nothing is left or, given patience, for that many rounds. False when told to stop.
    template <unsigned abreast, unsigned leaf_batch>
    bool run_batches(unsigned patience = 0) {
        for (unsigned round = 0; top > 0 || found > 0; ++round) {
            if (patience != 0 && round == patience) return true;
            if (found >= leaf_batch || top == 0) {
                if (test_leaves(scratch.leaves[0].data(), scratch.leaves[1].data(), found) == Step::Stop) return false;
                found = 0;
                continue;
            }
            scratch.reserve(top + abreast * wide);
            std::uint32_t pairs[abreast][2];
            unsigned n = 0;
            while (n < abreast && top > 0) {
                --top;
                std::uint32_t* pair = pairs[n];
                pair[0] = scratch.pairs[0][top];
                pair[1] = scratch.pairs[1][top];
                if (both_leaves(pair)) {
                    scratch.leaves[0][found] = pair[0];
                    scratch.leaves[1][found++] = pair[1];
                    if (found >= leaf_batch) break;
                    continue;
                }
                ++n;
            }
            for (unsigned i = 0; i < n; ++i) prefetch_opened(pairs[i]);
            for (unsigned i = 0; i < n; ++i) open<false>(pairs[i]);
        }
        return true;
    }
};

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once a target
