// SPDX-License-Identifier: Apache-2.0
#include "front/wide_front.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "front/motion.hpp"
#include "wide/wide_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "front/wide_front.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "walk/wide_walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

constexpr float never = -std::numeric_limits<float>::infinity();
/// What a step that has no lanes left is due at: beyond `FrontStep::due`.
constexpr float done = 0x1p101f;

/// Appends the entries whose claims have ended to the list; the least of all other dues.
float expired(const WideFront::Entries& entries, float reading, std::vector<std::uint32_t>& list) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d), n = entries.size;
    const float* due = entries.due.data();
    auto least = hn::Set(d, done);
    std::size_t found = list.size();
    list.resize(std::max(list.capacity(), found + n));
    const auto now = hn::Set(d, reading);
    // `reserve` leaves a vector past the end.
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

template <WideKind kind>
struct FrontWalk : Walk<kind> {
    using Base = Walk<kind>;
    using Base::batch, Base::boxes, Base::first_leaf, Base::nodes, Base::q, Base::scratch, Base::top;
    static constexpr unsigned abreast = 8;

    WideFront& f;
    /// An affine placement's inverse may turn a partner by more than the placement does.
    static constexpr bool has_rows = kind != WideKind::Affine;
    static constexpr unsigned no_row = has_rows ? 0 : 0x200;

    float turn;          ///< `front.turn`, rounded up
    double start;        ///< the odometer, rounded down
    float scale[2];      ///< what turns a side's gaps into its lengths, the same
    std::size_t tested;  ///< pairs of leaves from here on are new

    FrontWalk(WideQuery& query, WideScratch& memory, WideFront& front, const FrontStep& step)
        : Base(query, memory),
          f(front),
          turn(static_cast<float>(front.turn)),
          start(step.odometer * (1 - 0x1p-22)),
          tested(front.leaves.size) {
        for (int x = 0; x < 2; ++x) scale[x] = static_cast<float>(q.side[x].length * step.inv_unit * (1 - 0x1p-20));
    }

    /// As `FrontStep::due`, of a gap in the odometer's lengths.
    HWY_INLINE float due(float gap) {
        const float d = std::min(static_cast<float>(start + gap), 0x1p100f);
        f.soonest = std::min(f.soonest, d);
        return d;
    }

    /// A point of the partner's tree in X's frame, relative to another, both in double; in units.
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

    /// Completes a row: the partner is within `radius` of the centre, in its own units.
    HWY_INLINE void note(int x, const double* centre, float radius, WideRow& row) {
        const WideQuery::Side& s = q.side[x];
        const hn::CappedTag<double, 4> dd;
        // Four lanes, the last of which is overwritten.
        for (std::size_t l = 0; l < 4; l += hn::Lanes(dd)) hn::StoreU(placed(dd, s, centre, l), dd, row.at + l);
        for (int i = 0; i < 3; ++i) row.centre[i] = centre[i];
        row.radius = 1.06f * s.ratio * radius;
        row.turn = turn;
    }
    HWY_INLINE void note(int x, const WideBox& partner, WideRow& row) {
        const float* h = partner.half;
        note(x, partner.centre, std::sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]), row);
    }

    /// Brings a row in A's frame whose lanes are B's into B's frame: n · (M y + t − x) = Mᵀ n · (y − M⁻¹ (x − t)).
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

    /// Moves the rows of a pair of leaves to the front. `left`: there are pairs of triangles that they are not about.
    HWY_INLINE void note_leaves(const LeafPair& pair, bool left) {
        WideRow* const rows = f.leaf_rows.data() + 2 * pair.entry;
        for (int x = 0; x < 2; ++x) {
            rows[x].lanes = pair.apart[x];
            if (pair.apart[x] == 0) continue;
            rows[x] = pair.row[x];
            rows[x].lanes = pair.apart[x];
            if (x == 1) into_b(rows[x]);
            note(x, boxes[1 - x][f.leaves.ref[1 - x][pair.entry]], rows[x]);
        }
        rows[0].lanes |= left ? 0x100u : 0;
    }

    /// The least gap that is left along the axes of a row, for the lanes.
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

    /// Of the entries in the list, keeps those that are no longer apart along the axes noted, and notes how long the
    /// others will be. `gap(i)` is what is left, in the odometer's lengths. First all gaps, then what follows from
    /// them: a branch that was guessed wrong would wait for the former.
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
                const unsigned lanes = f.lanes[i];
                const int x = lanes >> 8 & 1;
                const float gap = gap_left(x, f.rows[i], lanes & 0xff) * scale[x];
                return (lanes & 0x200) != 0 ? -1 : gap;
            },
            [&](std::uint32_t i) HWY_ATTR { prefetch(f.rows.data() + i); });
    }
    void settle_leaves(std::vector<std::uint32_t>& list) {
        settle(
            f.leaves, list,
            [&](std::uint32_t i) HWY_ATTR {
                const WideRow* const rows = f.leaf_rows.data() + 2 * i;
                const unsigned lanes = rows[0].lanes;
                if ((lanes & 0x100) != 0) return -1.0f;
                const float a = lanes == 0 ? endless : gap_left(0, rows[0], lanes) * scale[0];
                const float b = rows[1].lanes == 0 ? endless : gap_left(1, rows[1], rows[1].lanes) * scale[1];
                return std::min(a, b);
            },
            [&](std::uint32_t i) HWY_ATTR { prefetch(f.leaf_rows.data() + 2 * i); });
    }

    /// Tests the lanes of a step; those that are not apart go on the stack or to the pairs of leaves, which have room
    /// for them. Returns the others, and when the claim about them ends.
    template <bool rank>
    HWY_INLINE unsigned expand(int x, std::uint32_t mine, std::uint32_t other, unsigned lanes, float& ends,
                               WideRow& row) {
        const WideNode& node = nodes[x][mine];
        const WideBox& own = boxes[x][mine];
        unsigned best = 0;
        Apart apart{lanes, endless, &row};
        const unsigned alive = lanes & step<kind, rank, true>(q.side[x], node, own, boxes[1 - x][other], best, &apart);
        q.stats.box_tests += static_cast<unsigned>(std::popcount(lanes));
        std::uint32_t* const stack[2] = {scratch.pairs[0].data(), scratch.pairs[1].data()};
        if constexpr (rank) {
            this->append(node, alive & ~(1u << best), x, other, stack, top);
            stack[x][top] = node.ref[best];
            stack[1 - x][top] = other;
            top += alive != 0;
        } else {
            std::uint32_t* const list[2] = {f.leaves.ref[0].data(), f.leaves.ref[1].data()};
            const unsigned last = other >= first_leaf[1 - x] ? alive & Base::leaf_lanes(node, first_leaf[x]) : 0;
            this->append(node, alive & ~last, x, other, stack, top);
            std::size_t i = f.leaves.size;
            this->append(node, last, x, other, list, f.leaves.size);
            for (; i < f.leaves.size; ++i) {
                f.leaves.due[i] = never;
                f.leaf_rows[2 * i].lanes = 0x100;
            }
        }
        note(x, boxes[1 - x][other], row);
        ends = lanes == alive ? done : due(apart.gap * scale[x]);
        return lanes & ~alive;
    }

    HWY_INLINE void add(int x, const std::uint32_t* pair, unsigned lanes, float ends) {
        WideFront::Entries& e = f.steps;
        e.due[e.size] = ends;
        e.ref[0][e.size] = pair[0];
        e.ref[1][e.size] = pair[1];
        f.lanes[e.size] = static_cast<std::uint16_t>(lanes | static_cast<unsigned>(x) << 8);
        ++e.size;
    }
    void add_leaves(const std::uint32_t* pair) {
        WideFront::Entries& e = f.leaves;
        e.due[e.size] = never;
        e.ref[0][e.size] = pair[0];
        e.ref[1][e.size] = pair[1];
        f.leaf_rows[2 * e.size++].lanes = 0x100;
    }
    /// A pair that is still to be opened.
    void add_closed(const std::uint32_t* pair) {
        const int x = this->opened(pair);
        add(x, pair, ((1u << boxes[x][pair[x]].count) - 1) | 0x200, never);
    }

    template <bool rank>
    HWY_INLINE void open(const std::uint32_t* pair) {
        const int x = this->opened(pair);
        float ends;
        const unsigned apart =
            expand<rank>(x, pair[x], pair[1 - x], (1u << boxes[x][pair[x]].count) - 1, ends, f.rows[f.steps.size]);
        add(x, pair, apart | no_row, ends);
        f.steps.size -= apart == 0;
    }
    HWY_INLINE void redo(std::uint32_t i) {
        const int x = f.lanes[i] >> 8 & 1;
        float ends;
        const unsigned apart =
            expand<false>(x, f.steps.ref[x][i], f.steps.ref[1 - x][i], f.lanes[i] & 0xff, ends, f.rows[i]);
        f.lanes[i] = static_cast<std::uint16_t>(apart | no_row | static_cast<unsigned>(x) << 8);
        f.steps.due[i] = ends;
    }

    /// Room for what `abreast` steps add.
    void reserve() {
        scratch.reserve(top + abreast * wide);
        f.reserve(abreast, abreast * wide);
    }

    /// Tests n pairs of leaves: those of the list, or where there is none, from the first on.
    Step test(const std::uint32_t* list, std::size_t first, std::size_t n) {
        const WideLeaf *la = q.side[0].x->leaves.data(), *lb = q.side[1].x->leaves.data();
        const WideFront::Entries& e = f.leaves;
        const auto entry = [&](std::size_t i) {
            return list != nullptr ? list[i] : static_cast<std::uint32_t>(first + i);
        };
        for (std::size_t i = 0; i < n;) {
            unsigned left = 0;
            for (; i < n && left < LeafBatch::most; ++i) {
                const std::uint32_t ahead = entry(std::min(i + 2, n - 1)), k = entry(i);
                prefetch(la + (e.ref[0][ahead] - first_leaf[0]));
                prefetch(lb + (e.ref[1][ahead] - first_leaf[1]));
                prefetch(boxes[0] + e.ref[0][ahead]);
                prefetch(boxes[1] + e.ref[1][ahead]);
                const std::uint32_t a = e.ref[0][k], b = e.ref[1][k];
                LeafPair& pair = batch.pair[left];
                pair.entry = k;
                if (prepare<kind, true>(q, la[a - first_leaf[0]], boxes[0][a], lb[b - first_leaf[1]], boxes[1][b],
                                        pair) &&
                    separate(q, pair)) {
                    ++left;
                } else {
                    f.leaves.due[k] = due(pair.gap * scale[0]);
                    if constexpr (has_rows) note_leaves(pair, false);
                }
            }
            if (batch.template test<true>(q, left) == Step::Stop) return Step::Stop;
            for (unsigned j = 0; j < left; ++j) {
                const LeafPair& pair = batch.pair[j];
                if constexpr (has_rows) note_leaves(pair, true);
                if (pair.gap > 0)
                    f.leaves.due[pair.entry] = due(pair.gap * scale[0]);
                else
                    f.leaves.due[pair.entry] = f.soonest = never;
            }
        }
        return Step::Continue;
    }

    /// Fills a front that is empty, as `Walk::run_first` goes.
    bool fill_first() {
        constexpr unsigned eager = 14;
        for (unsigned steps = 0; top > 0 && steps < eager; ++steps) {
            reserve();
            --top;
            const std::uint32_t pair[2] = {scratch.pairs[0][top], scratch.pairs[1][top]};
            if (!this->both_leaves(pair)) {
                open<true>(pair);
            } else {
                add_leaves(pair);
                if (test(nullptr, tested, 1) == Step::Stop) return false;
                ++tested;
            }
        }
        return true;
    }

    bool search(std::vector<std::uint32_t>& steps, std::vector<std::uint32_t>& leaves) {
        const std::size_t leaf_batch = q.first ? 8 : 32;
        if constexpr (has_rows) settle_leaves(leaves);
        if (test(leaves.data(), 0, leaves.size()) == Step::Stop) return false;
        if constexpr (has_rows) settle_steps(steps);
        for (std::size_t next = 0;;) {
            const std::size_t fresh = f.leaves.size - tested;
            if (fresh >= leaf_batch || (fresh > 0 && top == 0 && next == steps.size())) {
                if (test(nullptr, tested, fresh) == Step::Stop) return false;
                tested += fresh;
                continue;
            }
            reserve();
            if (top > 0) {
                std::uint32_t pairs[abreast][2];
                unsigned n = 0;
                while (n < abreast && top > 0) {
                    --top;
                    std::uint32_t* pair = pairs[n];
                    pair[0] = scratch.pairs[0][top];
                    pair[1] = scratch.pairs[1][top];
                    if (!this->both_leaves(pair)) {
                        ++n;
                        continue;
                    }
                    add_leaves(pair);
                    if (f.leaves.size - tested >= leaf_batch) break;
                }
                for (unsigned i = 0; i < n; ++i) this->prefetch_opened(pairs[i]);
                for (unsigned i = 0; i < n; ++i) open<false>(pairs[i]);
            } else if (next < steps.size()) {
                const std::size_t n = std::min<std::size_t>(abreast, steps.size() - next);
                for (std::size_t i = next; i < next + n; ++i) {
                    const int x = f.lanes[steps[i]] >> 8 & 1;
                    const std::uint32_t mine = f.steps.ref[x][steps[i]];
                    prefetch(boxes[1 - x] + f.steps.ref[1 - x][steps[i]]);
                    prefetch(boxes[x] + mine);
                    prefetch(nodes[x] + mine);
                }
                for (std::size_t i = 0; i < n; ++i) redo(steps[next++]);
            } else
                return true;
        }
    }

    bool run(std::vector<std::uint32_t>& steps, std::vector<std::uint32_t>& leaves, bool fill) {
        scratch.reserve(1024);
        bool all = true;
        if (fill) {
            scratch.pairs[0][0] = scratch.pairs[1][0] = 0;
            top = 1;
            if (q.first) all = fill_first();
        }
        all = all && search(steps, leaves);
        // Where it was told to stop, what is on the stack becomes part of the front.
        if (!all && (f.leaves.size > tested || top > 0)) f.soonest = never;
        while (top > 0) {
            reserve();
            --top;
            const std::uint32_t pair[2] = {scratch.pairs[0][top], scratch.pairs[1][top]};
            if (this->both_leaves(pair))
                add_leaves(pair);
            else
                add_closed(pair);
        }
        return all;
    }
};

bool front_walk(const Search& search, const FrontStep& step, WideFront& front, WideScratch& scratch,
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
    const double gap = q.set_up(search);
    if (gap > 0) {
        stats += q.stats;
        front.clear();
        front.add_root(search, step.due(gap * (1 - 0x1p-20) * step.inv_unit));
        return true;
    }
    if (fill) {
        front.turn = 0;
    } else {
        Mat3 change;
        for (int i = 0; i < 3; ++i) change.row[i] = search.a_from_b.linear().row[i] - front.linear.row[i];
        front.turn += spectral_bound(change) * (1 + 0x1p-40) + 0x1p-50;
    }
    front.linear = search.a_from_b.linear();
    const auto run = [&](auto&& walk) HWY_ATTR { return walk.run(steps, leaves, fill); };
    const bool all = q.kind == WideKind::Aligned  ? run(FrontWalk<WideKind::Aligned>(q, scratch, front, step))
                     : q.kind == WideKind::Affine ? run(FrontWalk<WideKind::Affine>(q, scratch, front, step))
                                                  : run(FrontWalk<WideKind::Oriented>(q, scratch, front, step));
    if (!all) front.soonest = never;
    stats += q.stats;
    return all;
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(front_walk);

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
    return steps.bytes() + leaves.bytes() + lanes.capacity() * sizeof(std::uint16_t) +
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
    for (std::size_t i = 0; i < steps.size; ++i) lanes[i] |= 0x200;
    for (std::size_t i = 0; i < leaves.size; ++i) leaf_rows[2 * i].lanes = 0x100;
}

void WideFront::clear() { steps.size = leaves.size = 0; }

void WideFront::add_root(const Search& search, float due) {
    const WideBox &a = search.a.wide.boxes[0], &b = search.b.wide.boxes[0];
    const bool both_leaves = search.a.wide.nodes.empty() && search.b.wide.nodes.empty();
    Entries& e = both_leaves ? leaves : steps;
    reserve(1, 1);
    if (!both_leaves) {
        const bool x = a.size < b.size * (search.b.wide.unit / search.a.wide.unit);
        lanes[0] =
            static_cast<std::uint16_t>((0x200u | ((1u << (x ? b : a).count) - 1)) | static_cast<unsigned>(x) << 8);
    }
    e.due[0] = soonest = due;
    e.ref[0][0] = e.ref[1][0] = 0;
    leaf_rows[0].lanes = 0x100;
    e.size = 1;
}

bool wide_front_search(const Search& search, const FrontStep& step, WideFront& front, WideScratch& scratch,
                       QueryStats& stats) {
    if (search.a.wide.empty() || search.b.wide.empty()) return true;
    return HWY_DYNAMIC_DISPATCH(front_walk)(search, step, front, scratch, stats);
}

}  // namespace graze::detail
#endif  // HWY_ONCE
