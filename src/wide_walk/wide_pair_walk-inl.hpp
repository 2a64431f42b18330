// SPDX-License-Identifier: Apache-2.0
// The walk over two wide trees, written once. Its policy says what is remembered of the steps: nothing (`WideForgets`),
// or all that a front needs (`WideRemembers` in src/front/wide_front.cpp).
#if defined(GRAZE_WIDE_PAIR_WALK_INL) == defined(HWY_TARGET_TOGGLE)  // once per target
#ifdef GRAZE_WIDE_PAIR_WALK_INL
#undef GRAZE_WIDE_PAIR_WALK_INL
#else
#define GRAZE_WIDE_PAIR_WALK_INL
#endif

#include <algorithm>
#include <bit>
#include <concepts>

#include "wide_walk/wide_boxes-inl.hpp"
#include "wide_walk/wide_leaves-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

/// All that one query adds to the walk over two wide trees: the list of leaf pairs, and a memory of steps.
/// `WideForgets` says what the functions are for.
///
/// A policy that sets `keeps` also opens pairs itself (`open`), through `WidePairWalk::expand`, and receives the gaps
/// and axes of everything that is apart. A policy that sets `self` walks one tree and itself, where every pair comes
/// once. It tests the leaf pairs itself (`test_leaves`).
template <class P>
concept WidePolicy = requires(P& p, std::size_t n, unsigned k, const WideBox& box, const LeafBatch& batch) {
    { P::keeps } -> std::convertible_to<bool>;
    { P::self } -> std::convertible_to<bool>;
    p.reserve(n);
    { p.leaves(0) } -> std::same_as<std::uint32_t*>;
    { p.leaf_count() } -> std::same_as<std::size_t&>;
    p.appended(n);
    { p.first_untested() } -> std::same_as<std::size_t>;
    p.all_tested();
    p.prefetch_leaves(box, box);
    p.batch_tested(batch, k);
    { p.has_more() } -> std::same_as<bool>;
};

/// The policy of a plain query: leaf pairs are dropped once they are tested, and steps leave no trace.
struct WideForgets {
    static constexpr bool keeps = false;
    static constexpr bool self = false;

    WideScratch& scratch;
    std::size_t found = 0;

    /// Makes room for what so many steps add.
    void reserve(std::size_t) {}
    /// The array to which new leaf pairs are appended, and their number.
    HWY_INLINE std::uint32_t* leaves(int x) { return scratch.leaves[x].data(); }
    HWY_INLINE std::size_t& leaf_count() { return found; }
    /// Takes note of the leaf pairs that were appended from this index on.
    HWY_INLINE void appended(std::size_t) {}
    /// Index of the first leaf pair that is still to be tested.
    HWY_INLINE std::size_t first_untested() const { return 0; }
    /// Called when all leaf pairs have been tested.
    HWY_INLINE void all_tested() { found = 0; }
    /// Prefetches further data for a leaf pair's test.
    HWY_INLINE void prefetch_leaves(const WideBox&, const WideBox&) {}
    /// Prepares a leaf pair for the batch. False when none of its triangles are left.
    template <WideKind kind>
    HWY_INLINE bool prepare_leaves(const WideQuery& q, std::uint32_t, const WideLeaf& leaf_a, const WideBox& a,
                                   const WideLeaf& leaf_b, const WideBox& b, const WidePartner& p, LeafPair& pair) {
        return prepare<kind>(q, leaf_a, a, leaf_b, b, p, pair);
    }
    /// Called when the first n pairs of the batch have been tested.
    HWY_INLINE void batch_tested(const LeafBatch&, unsigned) {}
    /// Whether there is work besides the stack, and a function that takes some of it.
    HWY_INLINE bool has_more() const { return false; }
    template <class Walk>
    HWY_INLINE void take_more(Walk&) {}
};

template <WideKind kind, class Policy>
struct WidePairWalk {
    WideQuery& q;
    WideScratch& scratch;
    Policy& policy;
    const WideNode* nodes[2];
    const WideBox* boxes[2];
    std::uint32_t first_leaf[2];
    float ratio;              ///< B's unit over A's
    std::uint32_t* stack[2];  ///< the pairs that wait: references into A and B
    std::size_t top = 0;      ///< their number
    LeafBatch batch;

    using Partner = std::conditional_t<kind == WideKind::Oriented && !Policy::keeps, WideSpread, WidePartner>;

    /// A pair of which a node of side x is opened.
    struct Opened {
        int x;
        std::uint32_t other;  ///< the partner
        const WideNode* node;
        const WideBox *own, *partner;  ///< boxes of the node and of the partner
    };

    WidePairWalk(WideQuery& query, WideScratch& memory, Policy& with)
        : q(query), scratch(memory), policy(with), ratio(query.side[0].ratio) {
        static_assert(WidePolicy<Policy>);  // not in the template's head: a policy may name its walk
        for (int x = 0; x < 2; ++x) {
            const WideTree& t = *q.side[x].x;
            nodes[x] = t.nodes.data();
            boxes[x] = t.boxes.data();
            first_leaf[x] = t.first_leaf();
        }
        make_room(1024);
    }

    HWY_INLINE void make_room(std::size_t pairs) {
        scratch.reserve(pairs);
        stack[0] = scratch.pairs[0].data(), stack[1] = scratch.pairs[1].data();
    }

    /// The side to open: the one with the larger box, but never a leaf while the other is a node.
    HWY_INLINE int opened(const std::uint32_t* pair) const {
        return boxes[0][pair[0]].size < boxes[1][pair[1]].size * ratio;
    }
    HWY_INLINE bool both_leaves(const std::uint32_t* pair) const {
        // One condition and one branch: that one of them is a leaf is unpredictable.
        return ((pair[0] >= first_leaf[0]) & (pair[1] >= first_leaf[1])) != 0;
    }

    HWY_INLINE Opened step(int x, std::uint32_t mine, std::uint32_t other) const {
        return {x, other, nodes[x] + mine, boxes[x] + mine, boxes[1 - x] + other};
    }
    HWY_INLINE void prefetch_opened(const std::uint32_t* pair) const {
        const int x = opened(pair);
        prefetch(nodes[x] + pair[x]);
    }

    /// Appends the pairs of `other` with the children in these lanes. The children are on side x.
    HWY_INLINE void append(const WideNode& node, unsigned lanes, int x, std::uint32_t other,
                           std::uint32_t* const list[2], std::size_t& size) const {
        const hn::CappedTag<std::uint32_t, wide> du;
        std::uint32_t *mine = list[x] + size, *theirs = list[1 - x] + size;
        size += static_cast<unsigned>(std::popcount(lanes));
        for (std::size_t l = 0; l < wide; l += hn::Lanes(du)) {
            const std::uint8_t b[8] = {static_cast<std::uint8_t>(lanes >> l & ((1u << hn::Lanes(du)) - 1))};
            hn::StoreU(hn::Set(du, other), du, theirs);
            // Compressed in a register first, because compressing to memory is microcoded on some processors.
            hn::StoreU(hn::CompressBits(hn::Load(du, node.ref + l), b), du, mine);
            const auto n = std::popcount(b[0]);
            mine += n, theirs += n;
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

    HWY_INLINE void push(const std::uint32_t* pair) {
        stack[0][top] = pair[0];
        stack[1][top++] = pair[1];
    }
    HWY_INLINE void pop(std::uint32_t* pair) {
        --top;
        pair[0] = stack[0][top];
        pair[1] = stack[1][top];
    }
    HWY_INLINE unsigned all_lanes(int x, const std::uint32_t* pair) const {
        return (1u << boxes[x][pair[x]].count) - 1;
    }
    void push_roots() {
        const std::uint32_t roots[2] = {0, 0};
        push(roots);
    }
    void add_leaves(const std::uint32_t* pair) {
        std::size_t& n = policy.leaf_count();
        policy.leaves(0)[n] = pair[0];
        policy.leaves(1)[n] = pair[1];
        policy.appended(n++);
    }

    HWY_INLINE void place(const Opened& o, Partner& p) const {
        place_step<kind>(q.side[o.x], *o.node, *o.own, *o.partner, p);
    }

    /// Tests the children of an opened node against its partner, placed as p, and keeps the survivors. Branch-free,
    /// because which children survive is unpredictable. If `rank` is set, all survivors go on the stack except the
    /// deepest, which goes to `next`. Otherwise pairs of leaves go to the policy's list. A policy for one tree, or one
    /// that keeps steps, may test some of the lanes only; the latter learns about those that are apart. Returns the
    /// survivors.
    template <bool rank>
    HWY_INLINE unsigned expand(const Opened& o, const Partner& p, [[maybe_unused]] unsigned lanes,
                               [[maybe_unused]] WideApart* apart, [[maybe_unused]] std::uint32_t* next = nullptr) {
        const int x = o.x;
        const unsigned count = o.own->count;
        if constexpr (rank)  // one of these boxes is next
            for (const std::uint32_t child : o.node->ref) prefetch(boxes[x] + child);
        unsigned best = 0;
        unsigned alive = test_children<kind, rank, Policy::keeps>(*o.node, count, p, best, apart);
        if constexpr (Policy::keeps || Policy::self) {
            alive &= lanes;
            q.stats.box_tests += static_cast<unsigned>(std::popcount(lanes));
        } else {
            q.stats.box_tests += count;
        }
        if constexpr (rank) {
            append(*o.node, alive & ~(1u << best), x, o.other, stack, top);
            next[x] = o.node->ref[best];
            next[1 - x] = o.other;
        } else {
            unsigned inner = alive;
            if (o.other >= first_leaf[1 - x]) {
                std::uint32_t* const list[2] = {policy.leaves(0), policy.leaves(1)};
                const unsigned last = alive & leaf_lanes(*o.node, first_leaf[x]);
                const std::size_t from = policy.leaf_count();
                append(*o.node, last, x, o.other, list, policy.leaf_count());
                policy.appended(from);
                inner &= ~last;
            }
            append(*o.node, inner, x, o.other, stack, top);
        }
        return alive;
    }

    /// Places the partner of a step and tests.
    template <bool rank>
    HWY_INLINE unsigned expand(const Opened& o, [[maybe_unused]] unsigned lanes, [[maybe_unused]] WideApart* apart,
                               [[maybe_unused]] std::uint32_t* next = nullptr) {
        Partner p;
        place(o, p);
        return expand<rank>(o, p, lanes, apart, next);
    }

    /// Opens a pair. If `rank` is set, `next` receives the deepest of the pairs that survive; false if none does.
    template <bool rank>
    HWY_INLINE bool open(const std::uint32_t* pair, [[maybe_unused]] std::uint32_t* next = nullptr) {
        const int x = opened(pair);
        if constexpr (Policy::keeps) {
            return policy.template open<rank>(*this, x, pair, next);
        } else {
            // A branch for each side, because a processor that guesses the side reads ahead.
            return (x == 0 ? expand<rank>(step(0, pair[0], pair[1]), 0, nullptr, next)
                           : expand<rank>(step(1, pair[1], pair[0]), 0, nullptr, next)) != 0;
        }
    }

    /// Opens a node of one tree and itself: each child and itself, and each two children once.
    HWY_INLINE void open_self(std::uint32_t mine) {
        const std::uint32_t* child = nodes[0][mine].ref;
        const std::uint32_t all[2] = {mine, mine};
        const unsigned lanes = all_lanes(0, all);
        for (unsigned i = 0; i < boxes[0][mine].count; ++i) {
            const std::uint32_t twice[2] = {child[i], child[i]};
            if (child[i] >= first_leaf[0])
                add_leaves(twice);
            else
                push(twice);
            if (const unsigned others = lanes & ~1u << i) expand<false>(step(0, mine, child[i]), others, nullptr);
        }
    }

    /// Opens up to `abreast` pairs. In three loops: a step is a long chain of dependent operations, and a processor
    /// sees little further than the next one.
    template <unsigned abreast>
    HWY_INLINE void open_all(const std::uint32_t (&pairs)[abreast][2], unsigned n) {
        const auto itself = [&](unsigned i) { return Policy::self && pairs[i][0] == pairs[i][1]; };
        Opened steps[abreast];
        for (unsigned i = 0; i < n; ++i) {
            const int x = opened(pairs[i]);
            steps[i] = step(x, pairs[i][x], pairs[i][1 - x]);
            prefetch(steps[i].node);
        }
        Partner partners[abreast];
        for (unsigned i = 0; i < n; ++i)
            if (!itself(i)) place(steps[i], partners[i]);
        for (unsigned i = 0; i < n; ++i) {
            if (itself(i))
                open_self(pairs[i][0]);
            else
                expand<false>(steps[i], partners[i], Policy::self ? all_lanes(steps[i].x, pairs[i]) : 0, nullptr);
        }
    }

    void reserve(std::size_t steps) {
        // A node with n children has n (n + 1) / 2 pairs of them, each with itself included.
        make_room(top + steps * (Policy::self ? node_children * (node_children + 1) / 2 : node_children));
        policy.reserve(steps);
    }

    /// Tests n leaf pairs of the policy's list. `entry(i)` is the index of one of them.
    template <class Entry>
    HWY_INLINE Step test_leaves(std::size_t n, Entry&& entry) {
        const WideLeaf *la = q.side[0].x->leaves.data(), *lb = q.side[1].x->leaves.data();
        const std::uint32_t *in_a = policy.leaves(0), *in_b = policy.leaves(1);
        constexpr std::size_t together = 8;
        for (std::size_t from = 0; from < n;) {
            unsigned left = 0;
            while (from < n && left + together <= LeafBatch::most) {
                const std::size_t to = std::min(n, from + together);
                // In two loops, as in `run_batches`.
                WidePartner partners[together];
                for (std::size_t i = from; i < to; ++i) {
                    const std::size_t k = entry(i);
                    prefetch(la + (in_a[k] - first_leaf[0]));
                    prefetch(lb + (in_b[k] - first_leaf[1]));
                    policy.prefetch_leaves(boxes[0][in_a[k]], boxes[1][in_b[k]]);
                    partners[i - from] = HWY_NAMESPACE::place<kind>(q.side[0], boxes[0][in_a[k]], boxes[1][in_b[k]]);
                }
                for (std::size_t i = from; i < to; ++i) {
                    const std::size_t k = entry(i);
                    const std::uint32_t a = in_a[k], b = in_b[k];
                    left += policy.template prepare_leaves<kind>(
                        q, static_cast<std::uint32_t>(k), la[a - first_leaf[0]], boxes[0][a], lb[b - first_leaf[1]],
                        boxes[1][b], partners[i - from], batch.pair[left]);
                }
                from = to;
            }
            if (batch.template test<Policy::keeps>(q, left) == Step::Stop) return Step::Stop;
            policy.batch_tested(batch, left);
        }
        return Step::Continue;
    }
    Step test_new_leaves() {
        const std::size_t from = policy.first_untested();
        if constexpr (Policy::self) {
            if (policy.test_leaves() == Step::Stop) return Step::Stop;
        } else if (test_leaves(policy.leaf_count() - from, [=](std::size_t i) { return from + i; }) == Step::Stop) {
            return Step::Stop;
        }
        policy.all_tested();
        return Step::Continue;
    }

    /// The first steps of a search for one contact: depth first towards the deepest overlap, one step at a time. False
    /// when told to stop.
    bool run_eagerly() {
        constexpr unsigned eager = 14;
        if (top == 0) return true;
        // The pair to open is not on the stack, because the way through memory takes longer.
        std::uint32_t pair[2];
        pop(pair);
        reserve(eager + 1);
        for (unsigned steps = 0; steps < eager; ++steps) {
            if (both_leaves(pair)) {
                add_leaves(pair);
                if (test_new_leaves() == Step::Stop) return false;
            } else {
                std::uint32_t next[2];
                if (open<true>(pair, next)) {
                    pair[0] = next[0], pair[1] = next[1];
                    continue;
                }
            }
            if (top == 0) return true;
            pop(pair);
        }
        push(pair);
        return true;
    }

    /// Opens up to `abreast` pairs at a time and tests pairs of leaves once there are `leaf_batch`. Goes on until
    /// nothing is left or, given patience, for that many rounds. False when told to stop.
    template <unsigned abreast>
    bool run_batches(std::size_t leaf_batch, unsigned patience = 0) {
        for (unsigned round = 0; patience == 0 || round < patience; ++round) {
            const std::size_t waiting = policy.leaf_count() - policy.first_untested();
            if (waiting >= leaf_batch || (top == 0 && !policy.has_more())) {
                if (waiting == 0) return true;
                if (test_new_leaves() == Step::Stop) return false;
                continue;
            }
            reserve(abreast);
            if (top == 0) {
                policy.take_more(*this);
                continue;
            }
            std::uint32_t pairs[abreast][2];
            unsigned n = 0;
            while (n < abreast && top > 0) {
                pop(pairs[n]);
                if (!both_leaves(pairs[n])) {
                    ++n;
                    continue;
                }
                add_leaves(pairs[n]);
                if (policy.leaf_count() - policy.first_untested() >= leaf_batch) break;
            }
            if constexpr (Policy::keeps) {
                for (unsigned i = 0; i < n; ++i) prefetch_opened(pairs[i]);
                for (unsigned i = 0; i < n; ++i) open<false>(pairs[i]);
            } else {
                open_all(pairs, n);
            }
        }
        return true;
    }
};

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per target
