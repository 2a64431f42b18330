// SPDX-License-Identifier: Apache-2.0
#include "front/wide_front.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/simd_targets.hpp"
#include "front/motion.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "front/wide_front.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide_walk/wide_pair_walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

namespace {

constexpr float never = -std::numeric_limits<float>::infinity();
/// The due of a step that has no lanes left. It is beyond `FrontStep::due`.
constexpr float done = 0x1p101f;

/// Appends the entries whose claims have expired to the list. Returns the least due of all others.
float expired(const WideFront::Entries& entries, float reading, std::vector<std::uint32_t>& list) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d), n = entries.size;
    const float* due = entries.due.data();
    auto least = hn::Set(d, done);
    std::size_t found = list.size();
    list.resize(std::max(list.capacity(), found + n));
    const auto now = hn::Set(d, reading);
    // `reserve` leaves room for a vector past the end.
    for (std::size_t i = 0; i < n; i += lanes) {
        const auto inside = hn::FirstN(d, n - i);
        const auto v = hn::IfThenElse(inside, hn::LoadU(d, due + i), hn::Set(d, done));
        const auto over = hn::And(inside, hn::Not(hn::Gt(v, now)));
        least = hn::Min(least, hn::IfThenElse(over, hn::Set(d, done), v));
        if (HWY_LIKELY(hn::AllFalse(d, over))) continue;
        alignas(8) std::uint8_t b[8] = {};
        hn::StoreMaskBits(d, over, b);
        for (std::size_t l = 0; l < lanes; l += 8)
            for (unsigned m = b[l / 8]; m != 0; m &= m - 1)
                list[found++] = static_cast<std::uint32_t>(i + l + static_cast<unsigned>(std::countr_zero(m)));
    }
    list.resize(found);
    return hn::GetLane(hn::MinOfLanes(d, least));
}

/// The walk's policy for a query with a front: steps and leaf pairs become entries of the front, with the claims that
/// their gaps allow. When the stack is empty, it supplies the steps whose claims have expired.
template <WideKind kind>
struct WideRemembers {
    using Walk = WidePairWalk<kind, WideRemembers>;
    static constexpr bool keeps = true;
    static constexpr bool self = false;
    /// The inverse of an affine placement may turn a partner by more than the placement does, so no rows are kept.
    static constexpr bool has_rows = kind != WideKind::Affine;

    WideQuery& q;
    WideScratch& scratch;
    WideFront& f;
    float turn;            ///< `front.turn` rounded up
    double start;          ///< the odometer rounded down
    float scale[2];        ///< factor from a side's gaps to lengths of the odometer, rounded down
    std::size_t tested;    ///< index of the first new leaf pair
    std::size_t next = 0;  ///< index of the first of `scratch.steps` that is still to be taken up

    WideRemembers(WideQuery& query, WideScratch& memory, WideFront& front, const FrontStep& step)
        : q(query),
          scratch(memory),
          f(front),
          turn(static_cast<float>(front.turn)),
          start(step.odometer * (1 - 0x1p-22)),
          tested(front.leaves.size) {
        for (int x = 0; x < 2; ++x) scale[x] = static_cast<float>(q.side[x].length * step.inv_unit * (1 - 0x1p-20));
    }

    const WideBox& box(int x, std::uint32_t ref) const { return q.side[x].x->boxes[ref]; }

    /// `FrontStep::due` for a gap in the odometer's lengths.
    HWY_INLINE float due(float gap) {
        const float d = std::min(static_cast<float>(start + gap), 0x1p100f);
        f.soonest = std::min(f.soonest, d);
        return d;
    }

    /// The position of a point of the partner's tree in X's frame relative to another point, in units. Computed in
    /// double.
    HWY_INLINE static void moved(const WideQuery::Side& s, const double* p, const double* from, float* d) {
        const hn::CappedTag<double, 4> dd;
        const hn::Rebind<float, decltype(dd)> df;
        for (std::size_t l = 0; l < 4; l += hn::Lanes(dd))
            hn::Store(hn::DemoteTo(
                          df, hn::Mul(hn::Sub(placed(dd, s, p, l), hn::LoadU(dd, from + l)), hn::Set(dd, s.inv_unit))),
                      df, d + l);
    }
    template <class D>
    HWY_INLINE static hn::Vec<D> placed(D dd, const WideQuery::Side& s, const double* p, std::size_t l) {
        return hn::MulAdd(
            hn::Load(dd, s.column[0] + l), hn::Set(dd, p[0]),
            hn::MulAdd(hn::Load(dd, s.column[1] + l), hn::Set(dd, p[1]),
                       hn::MulAdd(hn::Load(dd, s.column[2] + l), hn::Set(dd, p[2]), hn::Load(dd, s.column[3] + l))));
    }

    /// Completes a row. The partner is within `radius` of the centre, in its own units.
    HWY_INLINE void note(int x, const double* centre, float radius, WideRow& row) {
        const WideQuery::Side& s = q.side[x];
        const hn::CappedTag<double, 4> dd;
        // Stores four lanes. The last one is overwritten later.
        for (std::size_t l = 0; l < 4; l += hn::Lanes(dd)) hn::StoreU(placed(dd, s, centre, l), dd, row.at + l);
        for (int i = 0; i < 3; ++i) row.centre[i] = centre[i];
        row.radius = 1.06f * s.ratio * radius;
        row.turn = turn;
    }
    HWY_INLINE void note(int x, const WideBox& partner, WideRow& row) {
        const float* h = partner.half;
        note(x, partner.centre, std::sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]), row);
    }

    /// Converts a row in A's frame whose lanes are B's into B's frame: n · (M y + t − x) = Mᵀ n · (y − M⁻¹ (x − t)).
    HWY_INLINE void into_b(WideRow& row) {
        const WideQuery::Side& s = q.side[0];
        const V units = set(static_cast<float>(s.x->unit / q.side[1].x->unit));
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            const V x = load(row.axis[0] + l), y = load(row.axis[1] + l), z = load(row.axis[2] + l);
            for (int i = 0; i < 3; ++i) {
                const double* c = s.column[i];
                hn::Store(dot3(x, y, z, set(static_cast<float>(c[0])), set(static_cast<float>(c[1])),
                               set(static_cast<float>(c[2]))),
                          d8, row.axis[i] + l);
            }
            hn::Store(hn::Mul(load(row.gap + l), units), d8, row.gap + l);
        }
    }

    /// Moves the rows of a leaf pair to the front. `left` says that there are pairs of triangles that the rows do not
    /// cover.
    HWY_INLINE void note_leaves(const LeafPair& pair, bool left) {
        WideRow* const rows = f.leaf_rows.data() + 2 * pair.entry;
        for (int x = 0; x < 2; ++x) {
            if (pair.apart[x] != 0) {
                rows[x] = pair.row[x];
                if (x == 1) into_b(rows[x]);
                note(x, box(1 - x, f.leaves.ref[1 - x][pair.entry]), rows[x]);
            }
            rows[x].lanes = WideLanes::of(pair.apart[x], 0, left);
        }
    }

    /// The least gap that is left along the axes of a row, over the given lanes.
    HWY_INLINE float gap_left(int x, const WideRow& row, unsigned lanes) {
        const WideQuery::Side& s = q.side[x];
        alignas(16) float d[4];
        moved(s, row.centre, row.at, d);
        const float off = 2 * s.rounding + row.radius * (turn - row.turn + 0x1p-22f * turn) +
                          0x1p-18f * (std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]));
        V least = set(endless);
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            const V gap = hn::Sub(hn::Sub(load(row.gap + l), set(off)),
                                  dot3(load(row.axis[0] + l), load(row.axis[1] + l), load(row.axis[2] + l), set(d[0]),
                                       set(d[1]), set(d[2])));
            least = hn::Min(least, hn::IfThenElse(lanes_of(lanes >> l), gap, least));
        }
        return least_lane(least);
    }

    /// Keeps the entries of the list that are no longer apart along their axes, and renews the claims of the others.
    /// `gap(i)` is the remaining gap in the odometer's lengths. All gaps are computed first, so that no mispredicted
    /// branch waits for one.
    template <class F, class G>
    HWY_INLINE void settle(WideFront::Entries& e, std::vector<std::uint32_t>& list, F&& gap, G&& ahead) {
        if (scratch.gaps.size() < list.size()) scratch.gaps.resize(2 * list.size());
        float* const gaps = scratch.gaps.data();
        for (std::size_t k = 0; k < list.size(); ++k) {
            ahead(list[std::min(k + 4, list.size() - 1)]);
            gaps[k] = gap(list[k]);
        }
        std::size_t left = 0;
        for (std::size_t k = 0; k < list.size(); ++k) {
            const std::uint32_t i = list[k];
            if (gaps[k] > 0)
                e.due[i] = due(gaps[k]);
            else
                list[left++] = i;
        }
        q.stats.axis_tests += list.size() - left;
        list.resize(left);
    }
    void settle_steps(std::vector<std::uint32_t>& list) {
        settle(
            f.steps, list,
            [&](std::uint32_t i) HWY_ATTR {
                const WideLanes of = f.lanes[i];
                const float gap = gap_left(of.side, f.rows[i], of.lanes) * scale[of.side];
                return of.unsettled ? -1 : gap;
            },
            [&](std::uint32_t i) HWY_ATTR { prefetch(f.rows.data() + i); });
    }
    void settle_leaves(std::vector<std::uint32_t>& list) {
        settle(
            f.leaves, list,
            [&](std::uint32_t i) HWY_ATTR {
                const WideRow* const rows = f.leaf_rows.data() + 2 * i;
                if (rows[0].lanes.unsettled) return -1.0f;
                const unsigned in_a = rows[0].lanes.lanes, in_b = rows[1].lanes.lanes;
                const float a = in_a == 0 ? endless : gap_left(0, rows[0], in_a) * scale[0];
                const float b = in_b == 0 ? endless : gap_left(1, rows[1], in_b) * scale[1];
                return std::min(a, b);
            },
            [&](std::uint32_t i) HWY_ATTR { prefetch(f.leaf_rows.data() + 2 * i); });
    }

    void reserve(std::size_t steps) { f.reserve(steps, steps * node_children); }
    HWY_INLINE std::uint32_t* leaves(int x) { return f.leaves.ref[x].data(); }
    HWY_INLINE std::size_t& leaf_count() { return f.leaves.size; }
    HWY_INLINE void appended(std::size_t from) {
        for (std::size_t i = from; i < f.leaves.size; ++i) {
            f.leaves.due[i] = never;
            f.leaf_rows[2 * i].lanes = WideLanes::of(0, 0, true);
        }
    }
    HWY_INLINE std::size_t first_untested() const { return tested; }
    HWY_INLINE void all_tested() { tested = f.leaves.size; }

    /// Tests the lanes of a step. Returns those that are apart, and when the claim about them ends.
    template <bool rank>
    HWY_INLINE unsigned expand(Walk& walk, int x, std::uint32_t mine, std::uint32_t other, unsigned lanes, float& ends,
                               WideRow& row, std::uint32_t* deepest = nullptr) {
        WideApart apart{lanes, endless, &row};
        const unsigned alive = walk.template expand<rank>(walk.step(x, mine, other), lanes, &apart, deepest);
        note(x, walk.boxes[1 - x][other], row);
        ends = lanes == alive ? done : due(apart.gap * scale[x]);
        return lanes & ~alive;
    }

    HWY_INLINE void add(const std::uint32_t* pair, WideLanes lanes, float ends) {
        WideFront::Entries& e = f.steps;
        e.due[e.size] = ends;
        e.ref[0][e.size] = pair[0];
        e.ref[1][e.size] = pair[1];
        f.lanes[e.size] = lanes;
        ++e.size;
    }

    template <bool rank>
    HWY_INLINE bool open(Walk& walk, int x, const std::uint32_t* pair, std::uint32_t* deepest) {
        float ends;
        const unsigned lanes = walk.all_lanes(x, pair);
        const unsigned apart = expand<rank>(walk, x, pair[x], pair[1 - x], lanes, ends, f.rows[f.steps.size], deepest);
        add(pair, WideLanes::of(apart, x, !has_rows), ends);
        f.steps.size -= apart == 0;
        return apart != lanes;
    }

    HWY_INLINE bool has_more() const { return next < scratch.steps.size(); }
    /// Tests some of the steps whose claims have expired again.
    HWY_INLINE void take_more(Walk& walk) {
        const std::vector<std::uint32_t>& steps = scratch.steps;
        const std::size_t end = std::min<std::size_t>(next + steps_abreast, steps.size());
        for (std::size_t k = next; k < end; ++k) {
            const int x = f.lanes[steps[k]].side;
            const std::uint32_t mine = f.steps.ref[x][steps[k]];
            prefetch(walk.boxes[1 - x] + f.steps.ref[1 - x][steps[k]]);
            prefetch(walk.boxes[x] + mine);
            prefetch(walk.nodes[x] + mine);
        }
        for (; next < end; ++next) {
            const std::uint32_t i = steps[next];
            const int x = f.lanes[i].side;
            float ends;
            const unsigned apart =
                expand<false>(walk, x, f.steps.ref[x][i], f.steps.ref[1 - x][i], f.lanes[i].lanes, ends, f.rows[i]);
            f.lanes[i] = WideLanes::of(apart, x, !has_rows);
            f.steps.due[i] = ends;
        }
    }

    HWY_INLINE void prefetch_leaves(const WideBox& a, const WideBox& b) {
        prefetch(&a);
        prefetch(&b);
    }
    template <WideKind>
    HWY_INLINE bool prepare_leaves(const WideQuery&, std::uint32_t entry, const WideLeaf& leaf_a, const WideBox& a,
                                   const WideLeaf& leaf_b, const WideBox& b, const WidePartner& p, LeafPair& pair) {
        pair.entry = entry;
        if (prepare<kind, true>(q, leaf_a, a, leaf_b, b, p, pair) && separate(q, pair)) return true;
        f.leaves.due[entry] = due(pair.gap * scale[0]);
        if constexpr (has_rows) note_leaves(pair, false);
        return false;
    }
    HWY_INLINE void batch_tested(const LeafBatch& batch, unsigned n) {
        for (unsigned j = 0; j < n; ++j) {
            const LeafPair& pair = batch.pair[j];
            if constexpr (has_rows) note_leaves(pair, true);
            if (pair.gap > 0)
                f.leaves.due[pair.entry] = due(pair.gap * scale[0]);
            else
                f.leaves.due[pair.entry] = f.soonest = never;
        }
    }

    /// When the walk ends early, the pairs left on the stack become part of the front, untested.
    void keep_stack(Walk& walk) {
        if (f.leaves.size > tested || walk.top > 0) f.soonest = never;
        while (walk.top > 0) {
            walk.reserve(1);
            std::uint32_t pair[2];
            walk.pop(pair);
            if (walk.both_leaves(pair)) {
                walk.add_leaves(pair);
            } else {
                const int x = walk.opened(pair);
                add(pair, WideLanes::of(walk.all_lanes(x, pair), x, true), never);
            }
        }
    }
};

/// Walks on from the entries in `scratch` whose claims have expired, or from the roots to fill an empty front.
template <WideKind kind>
bool search_from_front(WideQuery& q, WideScratch& scratch, WideFront& front, const FrontStep& step, bool fill) {
    using Policy = WideRemembers<kind>;
    Policy policy(q, scratch, front, step);
    typename Policy::Walk walk(q, scratch, policy);
    std::vector<std::uint32_t>& leaves = scratch.expired_leaves;
    if (fill) walk.push_roots();
    bool all = !fill || !q.first || walk.run_eagerly();
    if (all) {
        if constexpr (Policy::has_rows) policy.settle_leaves(leaves);
        all = walk.test_leaves(leaves.size(), [&](std::size_t i) { return leaves[i]; }) == Step::Continue;
    }
    if (all) {
        if constexpr (Policy::has_rows) policy.settle_steps(scratch.steps);
        all = walk.template run_batches<steps_abreast>(q.first ? 8 : leaves_waiting);
    }
    if (!all) policy.keep_stack(walk);
    return all;
}

}  // namespace

bool wide_front_walk(const Search& search, const FrontStep& step, WideFront& front, WideScratch& scratch,
                     QueryStats& stats) {
    const float reading = step.reading();
    if (step.prune) front.clear();
    const bool fill = front.empty();
    if (step.reshaped || search.margin != front.margin) front.forget_rows();
    front.margin = search.margin;
    std::vector<std::uint32_t>&steps = scratch.steps, &leaves = scratch.expired_leaves;
    steps.clear();
    leaves.clear();
    if (fill) {
        front.soonest = done;
    } else {
        if (reading < front.soonest) {
            stats.kept += front.size();
            return true;
        }
        const float a = expired(front.steps, reading, steps), b = expired(front.leaves, reading, leaves);
        front.soonest = std::min(a, b);
        stats.kept += front.size() - steps.size() - leaves.size();
        if (steps.empty() && leaves.empty()) return true;
    }
    WideQuery q;
    if (fill) front.skew = WideFront::least_skew;
    const double gap = q.set_up(search, front.skew);
    if (gap > 0) {
        stats += q.stats;
        front.clear();
        front.add_root(search, step.due(gap * (1 - 0x1p-20) * step.inv_unit));
        return true;
    }
    // The axes that were kept allow for less skew than this pose has. The new limit is twice the skew, because poses
    // printed with a few digits all have a little more or less of it.
    if (q.largest_skew > front.skew) {
        front.skew = std::max(q.largest_skew, std::min(2 * q.largest_skew, Pose::tolerance));
        front.forget_rows();
        q.set_up(search, front.skew);
    }
    if (fill) {
        front.turn = 0;
    } else {
        Mat3 change;
        for (int i = 0; i < 3; ++i) change.row[i] = search.a_from_b.linear().row[i] - front.linear.row[i];
        front.turn += spectral_bound(change) * (1 + 0x1p-40) + 0x1p-50;
    }
    front.linear = search.a_from_b.linear();
    const bool all = q.kind == WideKind::Aligned ? search_from_front<WideKind::Aligned>(q, scratch, front, step, fill)
                     : q.kind == WideKind::Affine
                         ? search_from_front<WideKind::Affine>(q, scratch, front, step, fill)
                         : search_from_front<WideKind::Oriented>(q, scratch, front, step, fill);
    if (!all) front.soonest = never;
    stats += q.stats;
    return all;
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_front_walk);

void WideFront::Entries::reserve(std::size_t n) {
    if (due.size() >= size + n + 16) return;
    const std::size_t room = 2 * (size + n) + 64;
    due.resize(room);
    for (auto& r : ref) r.resize(room);
}

std::size_t WideFront::Entries::bytes() const {
    return due.capacity() * sizeof(float) + (ref[0].capacity() + ref[1].capacity()) * sizeof(std::uint32_t);
}

std::size_t WideFront::bytes() const {
    return steps.bytes() + leaves.bytes() + lanes.capacity() * sizeof(WideLanes) +
           (rows.capacity() + leaf_rows.capacity()) * sizeof(WideRow);
}

void WideFront::reserve(std::size_t n, std::size_t m) {
    steps.reserve(n);
    leaves.reserve(m);
    if (leaf_rows.size() < 2 * leaves.due.size()) leaf_rows.resize(2 * leaves.due.size());
    if (lanes.size() < steps.due.size()) lanes.resize(steps.due.size());
    if (rows.size() < steps.due.size()) rows.resize(steps.due.size());
}

void WideFront::forget_rows() {
    for (std::size_t i = 0; i < steps.size; ++i) lanes[i].unsettled = 1;
    for (std::size_t i = 0; i < leaves.size; ++i) leaf_rows[2 * i].lanes = WideLanes::of(0, 0, true);
}

void WideFront::clear() { steps.size = leaves.size = 0; }

void WideFront::add_root(const Search& search, float due) {
    const WideBox &a = search.a.wide.boxes[0], &b = search.b.wide.boxes[0];
    const bool both_leaves = search.a.wide.nodes.empty() && search.b.wide.nodes.empty();
    Entries& e = both_leaves ? leaves : steps;
    reserve(1, 1);
    if (!both_leaves) {
        const bool x = a.size < b.size * (search.b.wide.unit / search.a.wide.unit);
        lanes[0] = WideLanes::of((1u << (x ? b : a).count) - 1, x, true);
    }
    e.due[0] = soonest = due;
    e.ref[0][0] = e.ref[1][0] = 0;
    leaf_rows[0].lanes = WideLanes::of(0, 0, true);
    e.size = 1;
}

bool wide_front_search(const Search& search, const FrontStep& step, WideFront& front, WideScratch& scratch,
                       QueryStats& stats) {
    if (search.a.wide.empty() || search.b.wide.empty()) return true;
    return HWY_DYNAMIC_DISPATCH(wide_front_walk)(search, step, front, scratch, stats);
}

}  // namespace graze::detail
#endif  // HWY_ONCE
