// SPDX-License-Identifier: Apache-2.0
// Pairs of leaves: which of their triangles meet, or are within a margin.
#if defined(GRAZE_WIDE_LEAVES_INL) == defined(HWY_TARGET_TOGGLE)  // once per target
#ifdef GRAZE_WIDE_LEAVES_INL
#undef GRAZE_WIDE_LEAVES_INL
#else
#define GRAZE_WIDE_LEAVES_INL
#endif

#include <utility>

#include "wide_walk/wide_distances-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

/// Maps the triangles of Y's leaf into X's leaf frame.
HWY_INLINE void map_leaf(const WideQuery::Side& s, const WideLeaf& y, const WidePartner& p, float out[9][wide]) {
    for (int j = 0; j < 3; ++j) {
        const V m0 = set(s.map[0][j]), m1 = set(s.map[1][j]), m2 = set(s.map[2][j]), d = set(p.d[j]);
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES)
            for (int k = 0; k < 3; ++k)
                hn::Store(
                    hn::MulAdd(m0, load(y.v[3 * k] + l),
                               hn::MulAdd(m1, load(y.v[3 * k + 1] + l), hn::MulAdd(m2, load(y.v[3 * k + 2] + l), d))),
                    d8, out[3 * k + j] + l);
    }
}

/// Two leaves in the frame of A's leaf. Some triangles of each reach into the slabs of the other's box.
struct LeafPair {
    alignas(64) float b[9][wide];  ///< B's triangles, mapped
    LaneNormals normals_a, normals_b;
    const WideLeaf *leaf_a, *leaf_b;
    unsigned in_a, in_b;  ///< lanes of the triangles left
    float eps;            ///< bounds the error of every coordinate
    float eta_a, eta_b;   ///< bound the error of the triangles' edges, see `LaneNormals`
    // The members below are used by fronts only.
    std::uint32_t entry;
    float gap;          ///< how far the two are apart; they may touch if it is not positive
    float reach;        ///< bounds the 1-norm of corners and of their differences
    unsigned apart[2];  ///< triangles apart from all of the other leaf's, except those apart from all of this leaf's
    WideRow row[2];     ///< the separation of the triangles, in A's frame
    bool a_lanes;       ///< true when A's triangles fill the lanes and B's go one by one; otherwise the reverse
};

/// Bounds the errors of two leaves' corners in the frame of A's leaf.
HWY_INLINE void bound_errors(const WideQuery::Side& s, const WideBox& a, const WidePartner& p, LeafPair& out) {
    const float half_a = a.half[0] + a.half[1] + a.half[2];
    const float r_b = std::sqrt(p.half[0] * p.half[0] + p.half[1] * p.half[1] + p.half[2] * p.half[2]);
    const float d_max = std::max({std::abs(p.d[0]), std::abs(p.d[1]), std::abs(p.d[2])});
    out.eps = s.rounding + 9 * 0x1p-24f * (r_b + d_max) + 0x1p-23f * half_a;
    out.eta_a = s.rounding + 0x1p-23f * half_a;
    out.eta_b = s.rounding + 9 * 0x1p-24f * r_b;
}

/// Brings all triangles of two leaves into the frame of A's leaf.
template <WideKind kind>
HWY_INLINE void bring_together(const WideQuery& q, const WideLeaf& leaf_a, const WideBox& a, const WideLeaf& leaf_b,
                               const WideBox& b, LeafPair& out) {
    const WidePartner p = place<kind>(q.side[0], a, b);
    map_leaf(q.side[0], leaf_b, p, out.b);
    bound_errors(q.side[0], a, p, out);
    out.leaf_a = &leaf_a;
    out.leaf_b = &leaf_b;
    out.in_a = (1u << a.count) - 1;
    out.in_b = (1u << b.count) - 1;
}

/// Brings two leaves together and culls the triangles that do not reach into the slabs of the other's box. B's box is
/// placed as p. False when none are left. If `gaps` is set, records the gaps of the pairs of which one triangle was
/// culled.
template <WideKind kind, bool gaps = false>
HWY_INLINE bool prepare(const WideQuery& q, const WideLeaf& leaf_a, const WideBox& a, const WideLeaf& leaf_b,
                        const WideBox& b, const WidePartner& p, LeafPair& out) {
    const WideQuery::Side& s = q.side[0];
    const float half_a = a.half[0] + a.half[1] + a.half[2];
    // Bounds the 1-norm of every vector below: corners of A, mapped corners of B, and their differences. Times
    // `box_error`, 48u, it bounds the errors made in float: 11u for a mapped corner, 19u for an axis of B (2u for one
    // of A), 3u for each of two products, and 3u for the comparison.
    const float reach = std::abs(p.d[0]) + std::abs(p.d[1]) + std::abs(p.d[2]) + 2 * p.half_sum + half_a;
    const float slack = s.slack + (s.slack_partner + box_error) * reach;
    out.in_a = cull<gaps>(leaf_a.v, p.normals<kind>(), p.d, p.slabs<kind>(), slack, &out.row[0], &out.gap) &
               ((1u << a.count) - 1);
    if constexpr (gaps) {
        out.apart[0] = ((1u << a.count) - 1) & ~out.in_a;
        out.apart[1] = 0;
        out.reach = reach;
    }
    if (out.in_a == 0) return false;
    map_leaf(s, leaf_b, p, out.b);
    alignas(16) float axis[3][4];
    for (int i = 0; i < 3; ++i) hn::Store(hn::Mul(stored_axis(a, i), hn::Set(d4, 1 / axis_unit)), d4, axis[i]);
    [[maybe_unused]] float gap_b;
    out.in_b = cull<gaps>(out.b, axis, nullptr, a.half, slack, &out.row[1], &gap_b) & ((1u << b.count) - 1);
    if constexpr (gaps) {
        out.apart[1] = ((1u << b.count) - 1) & ~out.in_b;
        if (out.in_b == 0) out.apart[0] = 0, out.gap = endless;
        out.gap = std::min(out.gap, gap_b);
    }
    bound_errors(s, a, p, out);
    out.leaf_a = &leaf_a;
    out.leaf_b = &leaf_b;
    return out.in_b != 0;
}

/// The triangles v among the lanes whose own planes have all the `others` of w on one side, beyond the margin. Stores
/// the planes in the row. Lanes that were culled keep what they have, which is about the whole other box.
///
/// A value n · b − n · a is off by 2ε |n|₁ from the corners and by 14u |n|₁ reach from rounding. The latter is at most
/// 7ε |n|₁, as reach ≤ 3 |d|∞ + 3.5 r + |h_A|₁. The rest is derived in `LaneNormals`.
HWY_INLINE unsigned planes(const float (*v)[wide], const LaneNormals& m, unsigned lanes, const float (*w)[wide],
                           unsigned others, float reach, float eps, float margin, WideRow& row) {
    unsigned apart = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const V nx = load(m.n[0] + l), ny = load(m.n[1] + l), nz = load(m.n[2] + l);
        const V off = hn::Neg(dot3(nx, ny, nz, load(v[0] + l), load(v[1] + l), load(v[2] + l)));
        V lo = set(endless), hi = set(-endless);
        for (unsigned j = others; j != 0; j &= j - 1) {
            const auto one = static_cast<unsigned>(std::countr_zero(j));
            for (int k = 0; k < 3; ++k) {
                const V at =
                    hn::MulAdd(nx, set(w[3 * k][one]),
                               hn::MulAdd(ny, set(w[3 * k + 1][one]), hn::MulAdd(nz, set(w[3 * k + 2][one]), off)));
                lo = hn::Min(lo, at);
                hi = hn::Max(hi, at);
            }
        }
        const V size = hn::Add(hn::Abs(nx), hn::Add(hn::Abs(ny), hn::Abs(nz)));
        const V err = hn::MulAdd(size, set(4 * eps), hn::MulAdd(load(m.slope + l), set(reach), load(m.base + l)));
        const V unit = inverse_length(nx, ny, nz);
        const V gap = hn::Sub(hn::Mul(hn::Sub(hn::Max(lo, hn::Neg(hi)), err), unit), set(margin));
        const M beyond = hn::And(hn::Gt(gap, hn::Zero(d8)), lanes_of(lanes >> l));
        apart |= bits(beyond) << l;
        // If lo is positive the other triangles are above the plane, so the axis towards this triangle points down.
        const V towards = hn::CopySign(unit, hn::Neg(lo));
        hn::BlendedStore(gap, beyond, d8, row.gap + l);
        hn::BlendedStore(hn::Mul(nx, towards), beyond, d8, row.axis[0] + l);
        hn::BlendedStore(hn::Mul(ny, towards), beyond, d8, row.axis[1] + l);
        hn::BlendedStore(hn::Mul(nz, towards), beyond, d8, row.axis[2] + l);
    }
    return apart;
}

/// The least gap of some lanes of a row.
HWY_INLINE float least_gap(const WideRow& row, unsigned lanes) {
    V least = set(endless);
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES)
        least = hn::Min(least, hn::IfThenElse(lanes_of(lanes >> l), load(row.gap + l), least));
    return least_lane(least);
}

/// Removes the triangles whose own planes separate them from everything left of the other leaf. False when nothing is
/// left.
HWY_INLINE bool separate(const WideQuery& q, LeafPair& m) {
    m.normals_a = normals<false>(m.leaf_a->v, m.leaf_a->v, nullptr, m.eps, m.eta_a);
    m.normals_b = normals<true>(m.leaf_b->v, m.b, q.side[0].map, m.eps, m.eta_b);
    const float margin = (q.side[0].slack - q.side[0].rounding) * (1 + 0x1p-20f);
    const auto a_planes = [&]() HWY_ATTR {
        const unsigned apart = planes(m.leaf_a->v, m.normals_a, m.in_a, m.b, m.in_b, m.reach, m.eps, margin, m.row[0]);
        m.in_a &= ~apart;
        m.apart[0] |= apart;
        return m.in_a != 0;
    };
    const auto b_planes = [&]() HWY_ATTR {
        const unsigned apart = planes(m.b, m.normals_b, m.in_b, m.leaf_a->v, m.in_a, m.reach, m.eps, margin, m.row[1]);
        m.in_b &= ~apart;
        m.apart[1] |= apart;
        return m.in_b != 0;
    };
    // The side with fewer corners comes first.
    const bool left =
        std::popcount(m.in_a) >= std::popcount(m.in_b) ? a_planes() && b_planes() : b_planes() && a_planes();
    m.gap = std::min(least_gap(m.row[0], m.apart[0]), least_gap(m.row[1], m.apart[1]));
    return left;
}

/// Calls `f(lane_a, lane_b)` for each pair of the triangles left of two leaves whose boxes are not certainly further
/// apart than the limit, which f may shrink, until f returns Stop. `least` receives a lower bound of the other pairs'
/// squared distances.
template <class F>
HWY_INLINE Step each_near(const LeafPair& m, const LaneFrame& frame, const float& squared_limit, float& least, F&& f) {
    V least_lanes = set(endless);
    LaneBoxes a, b;
    a.fit(m.leaf_a->v, frame);
    b.fit(m.b, frame);
    const bool a_lanes = std::popcount(m.in_a) >= std::popcount(m.in_b);
    for (unsigned k = a_lanes ? m.in_b : m.in_a; k != 0; k &= k - 1) {
        const auto one = static_cast<unsigned>(std::countr_zero(k));
        for (unsigned r = near_boxes(a_lanes ? a : b, a_lanes ? b : a, one, m.eps, squared_limit, least_lanes) &
                          (a_lanes ? m.in_a : m.in_b);
             r != 0; r &= r - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(r));
            if (f(a_lanes ? lane : one, a_lanes ? one : lane) == Step::Stop) return Step::Stop;
        }
    }
    least = least_lane(least_lanes);
    return Step::Continue;
}

/// Tests which of the triangles that are left of some leaf pairs are within the margin. Pairs that float32 cannot tell
/// are decided exactly.
struct MarginTest {
    WideQuery& q;
    double unit;
    float limit, squared_limit;
    LaneFrame frame;
    NearPairs waiting;

    explicit MarginTest(WideQuery& query) : q(query), unit(query.side[0].x->unit) {
        const double l = q.margin / unit;
        limit = static_cast<float>(l * (1 + 0x1p-22) + 0x1p-100);
        squared_limit = static_cast<float>(l * l * (1 + 0x1p-20) + 0x1p-100);
    }

    HWY_NOINLINE Step add(const LeafPair& m) {
        float others;
        return each_near(m, frame, squared_limit, others, [&](unsigned i, unsigned j) HWY_ATTR {
            ++q.stats.triangle_tests;
            waiting.id_p[waiting.count] = m.leaf_a->id[i];
            waiting.id_q[waiting.count] = m.leaf_b->id[j];
            waiting.add(m.leaf_a->v, i, m.b, j, m.eps);
            return waiting.full() ? finish() : Step::Continue;
        });
    }

    HWY_NOINLINE Step finish() {
        waiting.bound();
        const unsigned n = std::exchange(waiting.count, 0u);
        for (unsigned i = 0; i < n; ++i) {
            if (waiting.low[i] > limit) continue;
            const std::uint32_t ia = waiting.id_p[i], ib = waiting.id_q[i];
            const bool sure = waiting.high[i] * unit <= q.margin;
            if ((sure ? q.report(ia, ib) : q.decide(ia, ib)) == Step::Stop) return Step::Stop;
        }
        return Step::Continue;
    }
};

/// Pairs of triangles, collected without branches.
struct TriangleList {
    static constexpr unsigned room = 256;
    std::uint32_t a[room + wide], b[room + wide];
    unsigned size = 0;

    /// Adds the triangle `one` of one leaf with those in some lanes of the other.
    HWY_INLINE void add(const std::uint32_t* lane_ids, unsigned lanes, std::uint32_t one, bool a_lanes) {
        const hn::CappedTag<std::uint32_t, wide> du;
        std::uint32_t *mine = (a_lanes ? a : b) + size, *other = (a_lanes ? b : a) + size;
        for (std::size_t l = 0; l < wide; l += hn::Lanes(du)) {
            const std::uint8_t bits[8] = {static_cast<std::uint8_t>(lanes >> l & ((1u << hn::Lanes(du)) - 1))};
            hn::StoreU(hn::Compress(hn::Load(du, lane_ids + l), hn::LoadMaskBits(du, bits)), du, mine);
            hn::StoreU(hn::Set(du, one), du, other);
            const auto n = static_cast<unsigned>(std::popcount(bits[0]));
            mine += n, other += n, size += n;
        }
    }
};

/// Tests pairs of leaves triangle by triangle, in phases over the whole batch. Each phase is a plain loop, so that one
/// pair's outcome does not hold up the next.
struct LeafBatch {
    static constexpr unsigned most = 32;
    LeafPair pair[most];
    struct Job {
        std::uint8_t pair, one;  ///< index of a leaf pair, and its triangle that is tested against the lanes
    } jobs[most * leaf_triangles];
    TriangleList meets, unsure;

    static HWY_INLINE void fetch_corners(const Geometry& g, std::uint32_t triangle) {
        for (const std::uint32_t p : g.triangles[triangle]) __builtin_prefetch(&g.points[p]);
    }

    /// Reports the pairs found so far. The exact corners of all that are unsure are fetched before one is decided.
    HWY_INLINE Step report(WideQuery& q) {
        const unsigned n = std::exchange(meets.size, 0u), left = std::exchange(unsure.size, 0u);
        if (n + left == 0) return Step::Continue;
        if (q.report(meets.a, meets.b, n) == Step::Stop) return Step::Stop;
        for (unsigned i = 0; i < left; ++i) {
            fetch_corners(*q.a, unsure.a[i]);
            fetch_corners(*q.b, unsure.b[i]);
        }
        for (unsigned i = 0; i < left; ++i)
            if (q.decide(unsure.a[i], unsure.b[i]) == Step::Stop) return Step::Stop;
        return Step::Continue;
    }

    /// If `gaps` is set, `separate` has already handled the pairs, and the gaps of what it left are recorded too.
    template <bool gaps = false>
    Step test(WideQuery& q, unsigned n) {
        if (q.margin > 0) {
            MarginTest margin(q);
            for (unsigned i = 0; i < n; ++i) {
                if (margin.add(pair[i]) == Step::Stop) return Step::Stop;
                if constexpr (gaps) pair[i].gap = -1;
            }
            return margin.finish();
        }
        unsigned n_jobs = 0;
        for (unsigned i = 0; i < n; ++i) {
            LeafPair& m = pair[i];
            if constexpr (!gaps) {
                m.normals_a = normals<false>(m.leaf_a->v, m.leaf_a->v, nullptr, m.eps, m.eta_a);
                m.normals_b = normals<true>(m.leaf_b->v, m.b, q.side[0].map, m.eps, m.eta_b);
            }
            const int n_a = std::popcount(m.in_a), n_b = std::popcount(m.in_b);
            q.stats.triangle_tests += static_cast<unsigned>(n_a * n_b);
            // The side with more triangles left fills the lanes.
            m.a_lanes = n_a >= n_b;
            for (unsigned k = m.a_lanes ? m.in_b : m.in_a; k != 0; k &= k - 1)
                jobs[n_jobs++] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(std::countr_zero(k))};
        }
        // A search for one contact ends at once.
        const unsigned most_kept = q.first ? 0 : TriangleList::room - wide;
        for (unsigned j = 0; j < n_jobs; ++j) {
            const LeafPair& m = pair[jobs[j].pair];
            const unsigned one = jobs[j].one;
            const float(*lanes)[wide] = m.a_lanes ? m.leaf_a->v : m.b;
            const float(*single)[wide] = m.a_lanes ? m.b : m.leaf_a->v;
            const LaneNormals &lane_n = m.a_lanes ? m.normals_a : m.normals_b,
                              &single_n = m.a_lanes ? m.normals_b : m.normals_a;
            const LaneVerdict v =
                filter<gaps>(lanes, lane_n, m.a_lanes ? m.in_a : m.in_b, single, single_n, one, m.eps);
            if constexpr (gaps) {
                float& gap = pair[jobs[j].pair].gap;
                gap = (v.meets | v.unsure) != 0 ? -1 : std::min(gap, v.gap);
            }
            if (v.near == 0) continue;
            const std::uint32_t* lane_ids = m.a_lanes ? m.leaf_a->id : m.leaf_b->id;
            const std::uint32_t single_id = (m.a_lanes ? m.leaf_b->id : m.leaf_a->id)[one];
            meets.add(lane_ids, v.meets, single_id, m.a_lanes);
            if (v.unsure != 0) {
                const unsigned from = unsure.size;
                unsure.add(lane_ids, v.unsure, single_id, m.a_lanes);
                for (unsigned i = from; i < unsure.size; ++i) {
                    __builtin_prefetch(&q.a->triangles[unsure.a[i]]);
                    __builtin_prefetch(&q.b->triangles[unsure.b[i]]);
                }
            }
            if (meets.size + unsure.size > most_kept && report(q) == Step::Stop) return Step::Stop;
        }
        return report(q);
    }
};

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per target
