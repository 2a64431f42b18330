// SPDX-License-Identifier: Apache-2.0
#include "front/wide_distance.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "base/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "front/wide_distance.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide_walk/wide_pair_walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

namespace {

/// The walk towards the closest triangles. The stack holds a lower bound of the squared distance with each pair, in
/// squared units of A.
template <WideKind kind>
struct WideDistanceWalk : WidePairWalk<kind, WideForgets> {
    using Walk = WidePairWalk<kind, WideForgets>;
    using Claim = NearClaim::Kind;
    using Walk::boxes;
    using Walk::first_leaf;
    using Walk::nodes;
    using Walk::q;
    using Walk::scratch;
    using Walk::top;

    NearestSearch<ModelPairs>& search;
    double unit;             ///< unit of A
    float squared_units[2];  ///< from squared units of a side to squared units of A, rounded down
    float limit;             ///< the search's limit in units of A, rounded up
    float squared_limit;     ///< its square, rounded up
    double prune;            ///< nodes further apart than this are not opened
    float squared_prune;     ///< its square in squared units of A, rounded up
    NearFront* front = nullptr;
    unsigned lanes_of_a;  ///< the triangles of A's leaves that count
    LaneFrame frame;      ///< its first axis is about that of the shortest line known, in A's frame
    float axis[2][3];     ///< that axis in A's frame, and a unit vector along `mapped` in B's
    NearPairs waiting;
    float nearest = 1e38f;  ///< the nearest pair so far, which need not be within the limit

    /// How far a leaf reaches along the axis. The same few leaves are met in many pairs.
    struct Support {
        std::uint32_t leaf, version;
        double at;
    };
    static constexpr std::uint32_t keep = 64;
    Support supports[2][keep];
    std::uint32_t version = 0;  ///< version of the axis
    Vec3 mapped;                ///< times a point of B, plus `offset`: the axis times the point in A's frame
    double along_b, offset;     ///< length of `mapped`; the axis times the translation
    double error;               ///< error of values along the axis

    WideDistanceWalk(WideQuery& query, WideScratch& memory, WideForgets& with, NearestSearch<ModelPairs>& distances)
        : Walk(query, memory, with), search(distances), unit(query.side[0].x->unit) {
        for (int x = 0; x < 2; ++x) {
            // `Side::length` is for one axis. Three stored axes are orthonormal to 2^-13 only, so the squares of gaps
            // along them may add up to 1 + 3 · 2^-13 times a squared length. Rounding takes less than 2^-20.
            const double of_one = q.side[x].length / unit;
            squared_units[x] = static_cast<float>(of_one * of_one * (1 - 0x1p-11));
        }
        for (auto& side : supports)
            for (Support& s : side) s.version = 0;
        error = 4 * q.side[0].rounding * unit;
        set_limit();
    }

    void set_limit() {
        const double l = search.limit() / unit;
        limit = static_cast<float>(l * (1 + 0x1p-22) + 0x1p-100);
        squared_limit = static_cast<float>(l * l * (1 + 0x1p-20) + 0x1p-100);
        prune = search.limit() + (front ? front->grace : 0);
        const double p = prune / unit;
        squared_prune = static_cast<float>(p * p * (1 + 0x1p-20) + 0x1p-100);
    }

    HWY_INLINE void push_bound(std::uint32_t a, std::uint32_t b, float bound) {
        scratch.pairs[0][top] = a;
        scratch.pairs[1][top] = b;
        scratch.bounds[top++] = bound;
    }

    void reserve_bounds() {
        this->reserve(1);
        if (scratch.bounds.size() < scratch.pairs[0].size()) scratch.bounds.resize(scratch.pairs[0].size());
    }

    /// Pushes the children of `mine`, a node of side x, in these lanes that may be near enough to `other`, the nearest
    /// on top.
    HWY_NOINLINE void expand_near(int x, std::uint32_t mine, std::uint32_t other, unsigned lanes) {
        const WideNode& node = nodes[x][mine];
        const WideBox& own = boxes[x][mine];
        const WideQuery::Side& s = q.side[x];
        WidePartner p;
        place_step<kind>(s, node, own, boxes[1 - x][other], p);
        alignas(64) float bound[wide];
        alignas(64) float key[wide];
        unsigned alive = 0;
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            V widest;
            const V squared = hn::Mul(squared_gaps<kind>(node, p, p.slack, l, axis[x], widest), set(squared_units[x]));
            alive |= bits(hn::Not(hn::Gt(squared, set(squared_prune)))) << l;
            hn::Store(squared, d8, bound + l);
            // Boxes that overlap are ranked by their depth.
            hn::Store(hn::IfThenElse(hn::Gt(squared, hn::Zero(d8)), squared, widest), d8, key + l);
        }
        search.stats.box_tests += own.count;
        lanes &= (1u << own.count) - 1;
        alive &= lanes;
        if (front && alive != lanes) {
            float least = endless;
            for (unsigned r = lanes & ~alive; r != 0; r &= r - 1) least = std::min(least, bound[std::countr_zero(r)]);
            claim(least, x == 0 ? mine : other, x == 0 ? other : mine, x == 0 ? Claim::StepA : Claim::StepB,
                  lanes & ~alive);
        }
        if (alive == 0) return;
        auto best = static_cast<unsigned>(std::countr_zero(alive));
        for (unsigned r = alive & (alive - 1); r != 0; r &= r - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(r));
            best = key[lane] < key[best] ? lane : best;
        }
        const auto push_lane = [&](unsigned lane) HWY_ATTR {
            const std::uint32_t ref = node.ref[lane];
            push_bound(x == 0 ? ref : other, x == 0 ? other : ref, bound[lane]);
        };
        for (unsigned r = alive & ~(1u << best); r != 0; r &= r - 1)
            push_lane(static_cast<unsigned>(std::countr_zero(r)));
        push_lane(best);
    }

    /// Takes two leaves' triangles that may be near enough.
    HWY_NOINLINE Step near_leaves(const std::uint32_t* pair) {
        const WideLeaf &leaf_a = q.side[0].x->leaves[pair[0] - first_leaf[0]],
                       &leaf_b = q.side[1].x->leaves[pair[1] - first_leaf[1]];
        LeafPair& m = this->batch.pair[0];
        bring_together<kind>(q, leaf_a, boxes[0][pair[0]], leaf_b, boxes[1][pair[1]], m);
        m.in_a &= lanes_of_a;
        float others;
        const std::uint64_t before = search.stats.triangle_tests;
        const Step step = each_near(m, frame, squared_limit, others, [&](unsigned i, unsigned j) HWY_ATTR {
            ++search.stats.triangle_tests;
            waiting.id_p[waiting.count] = leaf_a.id[i];
            waiting.id_q[waiting.count] = leaf_b.id[j];
            waiting.add(leaf_a.v, i, m.b, j, m.eps);
            return waiting.full() ? bound_waiting() : Step::Continue;
        });
        // Triangles that wait are looked at again next time.
        if (front && step == Step::Continue)
            claim(search.stats.triangle_tests == before ? others : 0, pair[0], pair[1], Claim::Pair, 0);
        return step;
    }

    /// Leaves a claim in the front: a squared distance, in squared units of A.
    HWY_INLINE void claim(float squared, std::uint32_t a, std::uint32_t b, NearClaim::Kind claimed, unsigned lanes) {
        front->add(std::sqrt(static_cast<double>(squared)) * unit * (1 - 0x1p-20), a, b, claimed, lanes);
    }

    /// Bounds the distances of the triangles that wait, and passes on those that may be the least.
    Step bound_waiting() {
        if (waiting.count == 0) return Step::Continue;
        waiting.bound();
        const unsigned n = std::exchange(waiting.count, 0u);
        unsigned best = 0;
        for (unsigned i = 1; i < n; ++i) best = waiting.high[i] < waiting.high[best] ? i : best;
        if (waiting.high[best] < nearest) {
            nearest = waiting.high[best];
            aim({waiting.between[0][best], waiting.between[1][best], waiting.between[2][best]});
        }
        if (waiting.high[best] < limit) {
            search.shrink(waiting.high[best] * unit);
            set_limit();
        }
        for (unsigned i = 0; i < n; ++i) {
            if (waiting.low[i] > limit) continue;
            const double before = search.limit();
            if (search.add(waiting.low[i] * unit, {waiting.id_p[i], waiting.id_q[i]}) == Step::Stop) return Step::Stop;
            if (search.limit() < before) set_limit();
        }
        return Step::Continue;
    }

    /// Bounds distances along this direction too, in A's frame: best where it is that of the shortest line.
    void aim(const Vec3& n) {
        if (!(length(n) > 0x1p-1000)) return;
        frame = LaneFrame(n);
        // The transpose of A from B takes a normal to B's frame.
        const Vec3 x{frame.axis[0][0], frame.axis[0][1], frame.axis[0][2]};
        ++version;
        mapped = transpose(q.a_from_b->linear()) * x;
        along_b = length(mapped);
        offset = dot(x, q.a_from_b->translation());
        for (int i = 0; i < 3; ++i) {
            axis[0][i] = frame.axis[0][i];
            axis[1][i] = static_cast<float>(mapped[i] / along_b);
        }
    }

    /// The least value of a leaf of B along the axis, or the greatest one of a leaf of A, in A's lengths. Rounding is
    /// on the safe side: a product is off by 4u of the corners' length from its own rounding, by 2u from that of the
    /// corners and by u from that of the axis. The code takes 16u.
    HWY_INLINE double support(int x, std::uint32_t leaf) {
        Support& kept = supports[x][leaf % keep];
        if (kept.leaf == leaf && kept.version == version) return kept.at;
        const WideTree& tree = *q.side[x].x;
        const WideBox& box = boxes[x][leaf];
        const float(*v)[wide] = tree.leaves[leaf - first_leaf[x]].v;
        const float* n = axis[x];
        V most = set(-1e38f);
        // Lanes past the count repeat the first triangle.
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES)
            for (int k = 0; k < 9; k += 3) {
                const V at =
                    dot3(load(v[k] + l), load(v[k + 1] + l), load(v[k + 2] + l), set(n[0]), set(n[1]), set(n[2]));
                most = hn::Max(most, x == 0 ? at : hn::Neg(at));
            }
        const float half = box.half[0] + box.half[1] + box.half[2];
        const double reach =
            (static_cast<double>(hn::GetLane(hn::MaxOfLanes(d8, most))) + 16 * 0x1p-24f * half) * tree.unit;
        // The centre may be far from the origin, where the rounding of B's axis to float32 would count.
        const double at = dot(x == 0 ? Vec3{n[0], n[1], n[2]} : mapped, {box.centre[0], box.centre[1], box.centre[2]});
        kept = {leaf, version, x == 0 ? at + reach : at + offset - reach * along_b};
        return kept.at;
    }

    /// How far two leaves are apart along the axis at least.
    HWY_INLINE double gap(const std::uint32_t* pair) {
        return (support(1, pair[1]) - support(0, pair[0])) * (1 - 0x1p-20) - error;
    }

    /// Works until the stack is empty.
    Step run_stack() {
        while (top > 0) {
            std::uint32_t pair[2];
            this->pop(pair);
            if (scratch.bounds[top] > squared_prune) {
                if (front) claim(scratch.bounds[top], pair[0], pair[1], Claim::Pair, 0);
                continue;
            }
            if (!this->both_leaves(pair)) {
                reserve_bounds();
                const int x = this->opened(pair);
                expand_near(x, pair[x], pair[1 - x], every_lane);
                continue;
            }
            const double far = gap(pair);
            if (far > prune) {
                if (front) front->add(far, pair[0], pair[1], Claim::Pair, 0);
                continue;
            }
            if (near_leaves(pair) == Step::Stop) return Step::Stop;
            // The first pair sets a limit for all others.
            if (limit > 1e30f && bound_waiting() == Step::Stop) return Step::Stop;
        }
        return Step::Continue;
    }

    /// Looks again wherever the front's claims have run out.
    Step run_front() {
        NearClaim claim;
        while (front->take(search.limit(), claim)) {
            reserve_bounds();
            if (claim.kind == Claim::Pair)
                push_bound(claim.a, claim.b, 0);
            else if (claim.kind == Claim::StepA)
                expand_near(0, claim.a, claim.b, claim.lanes);
            else
                expand_near(1, claim.b, claim.a, claim.lanes);
            if (run_stack() == Step::Stop) return Step::Stop;
        }
        return Step::Continue;
    }

    void run(const WideDistanceStart& start) {
        lanes_of_a = start.triangle == DistanceStart::all ? every_lane : 1u << start.triangle;
        front = start.front;
        set_limit();
        scratch.reserve(1024);
        reserve_bounds();
        const WideBox &in_a = boxes[0][start.node], &in_b = boxes[1][0];
        aim((*q.a_from_b)({in_b.centre[0], in_b.centre[1], in_b.centre[2]}) -
            Vec3{in_a.centre[0], in_a.centre[1], in_a.centre[2]});
        if (version == 0) aim({1, 0, 0});
        aim(start.aim);
        Step step;
        if (front && front->size() > 0) {
            step = run_front();
        } else {
            push_bound(start.node, 0, 0);
            step = run_stack();
        }
        if (step == Step::Continue) step = bound_waiting();
        // A search that stops early leaves places without a claim.
        if (front) step == Step::Stop ? front->clear() : front->settle();
    }
};

template <WideKind kind>
void search_near(WideQuery& q, const WideDistanceStart& start, WideScratch& scratch,
                 NearestSearch<ModelPairs>& search) {
    WideForgets policy{scratch};
    WideDistanceWalk<kind>(q, scratch, policy, search).run(start);
}

}  // namespace

void wide_near_search(WideQuery& q, const WideDistanceStart& start, WideScratch& scratch,
                      NearestSearch<ModelPairs>& search) {
    switch (q.kind) {
        case WideKind::Aligned:
            return search_near<WideKind::Aligned>(q, start, scratch, search);
        case WideKind::Affine:
            return search_near<WideKind::Affine>(q, start, scratch, search);
        default:
            return search_near<WideKind::Oriented>(q, start, scratch, search);
    }
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_near_search);

bool wide_distance(const Search& where, const WideDistanceStart& start, WideScratch& scratch,
                   NearestSearch<ModelPairs>& search) {
    WideQuery q;
    if (!q.set_up_far(where)) return false;
    HWY_DYNAMIC_DISPATCH(wide_near_search)(q, start, scratch, search);
    return true;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
