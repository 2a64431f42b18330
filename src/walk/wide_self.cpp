// SPDX-License-Identifier: Apache-2.0
// Contacts of a wide tree with itself: a policy of the walk over two wide trees, and a test of leaf pairs that knows
// which corners are shared.
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

const hn::Rebind<std::uint32_t, decltype(d8)> u32;

/// Computes what the tests of a leaf's triangles need. `rounding` is `WideQuery::Side::rounding`.
void prepare_leaf(const SelfSearch& search, const WideLeaf& leaf, const WideBox& box, float rounding, SelfLeaf& out) {
    for (unsigned l = 0; l < wide; ++l)
        for (int k = 0; k < 3; ++k) out.at[k][l] = search.first[search.model.geometry.triangles[leaf.id[l]][k]];
    out.half = box.half[0] + box.half[1] + box.half[2];
    out.lanes = (1u << box.count) - 1;
    const LaneNormals normal = normals<false>(leaf.v, nullptr, 0, rounding + 0x1p-23f * out.half);
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const V nx = load(normal.n[0] + l), ny = load(normal.n[1] + l), nz = load(normal.n[2] + l);
        for (int j = 0; j < 3; ++j) {
            const V a = load(leaf.v[j] + l), b = load(leaf.v[3 + j] + l), c = load(leaf.v[6 + j] + l);
            hn::Store(min3(a, b, c), d8, out.low[j] + l);
            hn::Store(max3(a, b, c), d8, out.high[j] + l);
            hn::Store(load(normal.n[j] + l), d8, out.normal[j] + l);
        }
        const V at = dot3(nx, ny, nz, load(leaf.v[0] + l), load(leaf.v[1] + l), load(leaf.v[2] + l));
        hn::Store(hn::Neg(at), d8, out.offset + l);
        hn::Store(hn::Add(hn::Abs(nx), hn::Add(hn::Abs(ny), hn::Abs(nz))), d8, out.size + l);
        hn::Store(load(normal.edge + l), d8, out.edge + l);
        hn::Store(load(normal.slope + l), d8, out.slope + l);
    }
    for (int j = 0; j < 3; ++j) {
        out.leaf_low[j] = *std::min_element(out.low[j], out.low[j] + wide);
        out.leaf_high[j] = *std::max_element(out.high[j], out.high[j] + wide);
    }
}

/// The corners of a leaf's triangles that are corners of another triangle, and the other way round.
struct Shared {
    M same[3][3];  ///< whether corner i of the lane's triangle q is corner j of the other triangle p
    M q[3], p[3];  ///< whether a corner is shared

    HWY_INLINE Shared(const SelfLeaf& lanes, const SelfLeaf& single, unsigned one, std::size_t l) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                same[i][j] =
                    hn::RebindMask(d8, hn::Eq(hn::Load(u32, lanes.at[i] + l), hn::Set(u32, single.at[j][one])));
        for (int i = 0; i < 3; ++i) {
            q[i] = hn::Or(same[i][0], hn::Or(same[i][1], same[i][2]));
            p[i] = hn::Or(same[0][i], hn::Or(same[1][i], same[2][i]));
        }
    }
    HWY_INLINE M any() const { return hn::Or(q[0], hn::Or(q[1], q[2])); }
    /// Whether all corners of one of the triangles are shared.
    HWY_INLINE M whole() const {
        return hn::Or(hn::And(q[0], hn::And(q[1], q[2])), hn::And(p[0], hn::And(p[1], p[2])));
    }
    /// Whether an odd number of corners is shared, which is one unless all are.
    HWY_INLINE static M odd(const M* m) { return hn::Xor(m[0], hn::Xor(m[1], m[2])); }
    /// Whether the two shared corners of each triangle follow each other in opposite orders, as in a surface with two
    /// sides.
    HWY_INLINE M opposite() const {
        M out = hn::And(hn::AndNot(q[1], same[0][0]), hn::Not(p[2]));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                out = hn::Or(out, hn::AndNot(q[(i + 1) % 3], hn::AndNot(p[(j + 2) % 3], same[i][j])));
        return out;
    }
};

HWY_INLINE V pick(const M* m, V a, V b, V c) { return hn::IfThenElse(m[0], a, hn::IfThenElse(m[1], b, c)); }

/// The leaf pairs' test. Its triangles are in the frame of the lanes' leaf, which is the model's frame moved.
struct SelfTest {
    WideQuery& query;
    const SelfSearch& search;
    const SelfLeaf* leaves;

    /// A triangle of the other leaf, moved into the lanes' frame.
    struct Single {
        float v[9];
        float normal[3], offset, size, edge, slope;
        float low[3], high[3];
    };
    /// Bounds for a pair of leaves (docs/exactness.md, "Triangles").
    struct Bounds {
        float eps;    ///< of the error of every coordinate
        float reach;  ///< of the 1-norm of corners and of their differences
    };

    HWY_INLINE Step decide(std::uint32_t i, std::uint32_t j, bool sure) const {
        return sure ? search.report(i, j) : search.decide(i, j, query.stats);
    }

    HWY_INLINE static Single moved(const WideLeaf& leaf, const SelfLeaf& more, unsigned one, const float* by) {
        Single p;
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) p.v[3 * k + j] = leaf.v[3 * k + j][one] + by[j];
            p.normal[j] = more.normal[j][one];
            p.low[j] = more.low[j][one] + by[j];
            p.high[j] = more.high[j][one] + by[j];
        }
        p.offset = -(p.normal[2] * p.v[2] + (p.normal[1] * p.v[1] + p.normal[0] * p.v[0]));
        p.size = more.size[one];
        p.edge = more.edge[one];
        p.slope = more.slope[one];
        return p;
    }

    /// The lanes whose boxes are not certainly apart from a box. Boxes are off by eps each.
    HWY_INLINE static unsigned near_box(const SelfLeaf& lanes, const float* low, const float* high, float eps) {
        unsigned out = 0;
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            V gap = set(-1);
            for (int j = 0; j < 3; ++j)
                gap = max3(gap, hn::Sub(load(lanes.low[j] + l), set(high[j] + 2 * eps)),
                           hn::Sub(set(low[j] - 2 * eps), load(lanes.high[j] + l)));
            out |= bits(hn::Not(hn::Gt(gap, hn::Zero(d8)))) << l;
        }
        return out;
    }

    /// The float filter for triangles that share no corner.
    HWY_NOINLINE LaneVerdict unshared(const WideLeaf& leaf, const SelfLeaf& more, unsigned lanes, const Single& p,
                                      float eps) const {
        LaneNormals n, m;
        alignas(64) float w[9][wide];
        const auto base = [&](float size, float slope) { return 6.5f * eps * size + 2.001f * eps * slope + 0x1p-100f; };
        for (unsigned l = 0; l < wide; ++l) {
            for (int j = 0; j < 3; ++j) n.n[j][l] = more.normal[j][l];
            n.edge[l] = more.edge[l];
            n.slope[l] = more.slope[l];
            n.base[l] = base(more.size[l], more.slope[l]) * (1 + 0x1p-20f);
        }
        for (int j = 0; j < 9; ++j) w[j][0] = p.v[j];
        for (int j = 0; j < 3; ++j) m.n[j][0] = p.normal[j];
        m.edge[0] = p.edge;
        m.slope[0] = p.slope;
        m.base[0] = base(p.size, p.slope) * (1 + 0x1p-20f);
        return filter<false>(leaf.v, n, lanes, w, m, 0, eps);
    }

    /// The lanes of triangles that share one corner v with p and nothing else, because a plane through v has the other
    /// corners of p strictly on one side and theirs strictly on the other. Any vector may be tried as its normal. Here
    /// it is the sum m of the unit vectors from v to their corners minus that of p's, which parts the triangles of a
    /// flat or bent fan. Each product with m is off by |m|₁ (2ε + 5u reach), where |m|₁ < 7 and 5u reach < 1.7ε.
    HWY_INLINE static M parted(const WideLeaf& leaf, const Single& p, const Shared& shared, float eps, std::size_t l) {
        V side[4][3];  // from v to the two others of q, and of p
        for (int j = 0; j < 3; ++j) {
            const V q0 = load(leaf.v[j] + l), q1 = load(leaf.v[3 + j] + l), q2 = load(leaf.v[6 + j] + l);
            const V p0 = set(p.v[j]), p1 = set(p.v[3 + j]), p2 = set(p.v[6 + j]);
            const V vq = pick(shared.q, q0, q1, q2), vp = pick(shared.p, p0, p1, p2);
            side[0][j] = hn::Sub(pick(shared.q, q1, q2, q0), vq);
            side[1][j] = hn::Sub(pick(shared.q, q2, q0, q1), vq);
            side[2][j] = hn::Sub(pick(shared.p, p1, p2, p0), vp);
            side[3][j] = hn::Sub(pick(shared.p, p2, p0, p1), vp);
        }
        V m[3] = {hn::Zero(d8), hn::Zero(d8), hn::Zero(d8)};
        for (int k = 0; k < 4; ++k) {
            const V inverse = inverse_length(side[k][0], side[k][1], side[k][2]);
            for (int j = 0; j < 3; ++j)
                m[j] = k < 2 ? hn::MulAdd(side[k][j], inverse, m[j]) : hn::NegMulAdd(side[k][j], inverse, m[j]);
        }
        V at[4];
        for (int k = 0; k < 4; ++k) at[k] = dot3(m[0], m[1], m[2], side[k][0], side[k][1], side[k][2]);
        return hn::Gt(hn::Min(hn::Min(at[0], at[1]), hn::Neg(hn::Max(at[2], at[3]))), set(28 * eps));
    }

    /// Tests the triangles in some lanes of a leaf against p, triangle `one` of another leaf.
    ///
    /// Corners that are shared lie in both planes. If all others of one triangle are beyond the other's plane, nothing
    /// else is common. The errors are those of `planes` in wide_leaves-inl.hpp.
    HWY_INLINE LaneVerdict test(const WideLeaf& leaf, const SelfLeaf& more, unsigned lanes, const Single& p,
                                const SelfLeaf& single, unsigned one, const Bounds& bounds) const {
        LaneVerdict verdict;
        unsigned others = 0;
        const float eps = bounds.eps, per_size = 10.5f * eps, per_slope = bounds.reach + 2.001f * eps;
        const V px = set(p.normal[0]), py = set(p.normal[1]), pz = set(p.normal[2]);
        const V err_p = set(per_size * p.size + per_slope * p.slope + 0x1p-100f);
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            const unsigned here = lanes >> l & ((1u << GRAZE_LANES) - 1);
            if (here == 0) continue;
            const Shared shared(more, single, one, l);
            const V nx = load(more.normal[0] + l), ny = load(more.normal[1] + l), nz = load(more.normal[2] + l);
            const V off_p = set(p.offset), off_q = load(more.offset + l);
            V s[3], t[3], s_low[3], t_low[3], s_high[3], t_high[3];
            for (int k = 0; k < 3; ++k) {
                s[k] = hn::MulAdd(
                    px, load(leaf.v[3 * k] + l),
                    hn::MulAdd(py, load(leaf.v[3 * k + 1] + l), hn::MulAdd(pz, load(leaf.v[3 * k + 2] + l), off_p)));
                t[k] = hn::MulAdd(nx, set(p.v[3 * k]),
                                  hn::MulAdd(ny, set(p.v[3 * k + 1]), hn::MulAdd(nz, set(p.v[3 * k + 2]), off_q)));
                s_low[k] = hn::IfThenElse(shared.q[k], set(endless), s[k]);
                s_high[k] = hn::IfThenElse(shared.q[k], set(-endless), s[k]);
                t_low[k] = hn::IfThenElse(shared.p[k], set(endless), t[k]);
                t_high[k] = hn::IfThenElse(shared.p[k], set(-endless), t[k]);
            }
            const V err_q = hn::MulAdd(set(per_size), load(more.size + l),
                                       hn::MulAdd(set(per_slope), load(more.slope + l), set(0x1p-100f)));
            const V beyond_p =
                hn::Max(min3(s_low[0], s_low[1], s_low[2]), hn::Neg(max3(s_high[0], s_high[1], s_high[2])));
            const V beyond_q =
                hn::Max(min3(t_low[0], t_low[1], t_low[2]), hn::Neg(max3(t_high[0], t_high[1], t_high[2])));
            const M apart = hn::AndNot(shared.whole(), hn::Or(hn::Gt(beyond_p, err_p), hn::Gt(beyond_q, err_q)));
            unsigned left = here & ~bits(apart);
            if (left == 0) continue;
            const unsigned near = left & bits(shared.any());
            others |= (left & ~near) << l;
            if (near == 0 || !search.neighbours) continue;
            // Triangles that share one corner: the signs decide if they are certain (src/exact/self_predicate.cpp).
            const M odd = hn::And(Shared::odd(shared.q), Shared::odd(shared.p));
            const M certain = hn::And(hn::Gt(min3(hn::Abs(s_low[0]), hn::Abs(s_low[1]), hn::Abs(s_low[2])), err_p),
                                      hn::Gt(min3(hn::Abs(t_low[0]), hn::Abs(t_low[1]), hn::Abs(t_low[2])), err_q));
            const unsigned fans = near & bits(hn::AndNot(shared.whole(), odd)), decided = fans & bits(certain);
            const unsigned alike = bits(same_sign(pick(shared.q, s[1], s[2], s[0]), pick(shared.p, t[1], t[2], t[0])));
            verdict.meets |= (decided & ~alike) << l;
            unsigned unsure = near & ~decided;
            if ((unsure & fans) != 0) unsure &= ~(fans & bits(parted(leaf, p, shared, eps, l)));
            // Triangles that share an edge: the normals tell if they are bent by less than a right angle.
            const unsigned wings =
                unsure & ~bits(hn::Or(Shared::odd(shared.q), hn::Or(Shared::odd(shared.p), shared.whole())));
            if (wings != 0) {
                const V along = dot3(nx, ny, nz, px, py, pz), size = load(more.size + l), slope = load(more.slope + l);
                const V err = hn::MulAdd(size, set(p.slope + 0x1p-22f * p.size),
                                         hn::MulAdd(slope, set(p.size + p.slope), set(0x1p-100f)));
                const V flat = hn::IfThenElse(shared.opposite(), along, hn::Neg(along));
                unsure &= ~(wings & bits(hn::Gt(flat, err)));
            }
            verdict.unsure |= unsure << l;
        }
        if (others != 0) {
            const LaneVerdict more_lanes = unshared(leaf, more, others, p, eps);
            verdict.meets |= more_lanes.meets;
            verdict.unsure |= more_lanes.unsure;
        }
        return verdict;
    }

    /// Tests two leaves, or a leaf and itself.
    Step operator()(std::uint32_t a, std::uint32_t b) const {
        const WideTree& tree = search.model.wide;
        const std::uint32_t first = tree.first_leaf();
        const WideBox* box[2] = {&tree.boxes[a], &tree.boxes[b]};
        const WideLeaf* leaf[2] = {&tree.leaves[a - first], &tree.leaves[b - first]};
        const SelfLeaf* more[2] = {leaves + (a - first), leaves + (b - first)};
        const WideQuery::Side& side = query.side[0];
        float to[2][3], low[3], high[3], far = 0, sum = 0;  // the way from a to b, and back
        for (int j = 0; j < 3; ++j) {
            to[0][j] = static_cast<float>((box[1]->centre[j] - box[0]->centre[j]) * side.inv_unit);
            to[1][j] = -to[0][j];
            far = std::max(far, std::abs(to[0][j]));
            sum += std::abs(to[0][j]);
        }
        const float half = more[0]->half + more[1]->half;
        const Bounds bounds{side.rounding + 9 * 0x1p-24f * (half + far), sum + 2 * half};
        unsigned in[2] = {more[0]->lanes, more[1]->lanes};
        if (a != b)
            for (int x = 0; x < 2; ++x) {
                for (int j = 0; j < 3; ++j) {
                    low[j] = more[1 - x]->leaf_low[j] + to[x][j];
                    high[j] = more[1 - x]->leaf_high[j] + to[x][j];
                }
                in[x] &= near_box(*more[x], low, high, bounds.eps);
                if (in[x] == 0) return Step::Continue;
            }
        const int x = std::popcount(in[0]) < std::popcount(in[1]);  // the side with more triangles fills the lanes
        for (unsigned k = in [1 - x]; k != 0; k &= k - 1) {
            const auto one = static_cast<unsigned>(std::countr_zero(k));
            const Single p = moved(*leaf[1 - x], *more[1 - x], one, to[x]);
            unsigned lanes = in[x] & near_box(*more[x], p.low, p.high, bounds.eps);
            if (a == b) lanes &= ~1u << one;
            if (lanes == 0) continue;
            query.stats.triangle_tests += static_cast<unsigned>(std::popcount(lanes));
            const LaneVerdict v = test(*leaf[x], *more[x], lanes, p, *more[1 - x], one, bounds);
            for (unsigned r = v.meets | v.unsure; r != 0; r &= r - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(r));
                if (decide(leaf[x]->id[lane], leaf[1 - x]->id[one], (v.meets >> lane & 1) != 0) == Step::Stop)
                    return Step::Stop;
            }
        }
        return Step::Continue;
    }
};

/// The walk's policy for one tree and itself.
struct WideSelf : WideForgets {
    static constexpr bool self = true;

    const SelfTest& test;
    /// Leaf pairs: a batch of 32, what 8 steps add at 36 each, one vector.
    std::uint32_t pairs[2][384];

    HWY_INLINE std::uint32_t* leaves(int x) { return pairs[x]; }
    Step test_leaves() {
        for (std::size_t i = 0; i < found; ++i)
            if (test(pairs[0][i], pairs[1][i]) == Step::Stop) return Step::Stop;
        return Step::Continue;
    }
};

template <WideKind kind>
bool search_self(const SelfTest& test, WideScratch& scratch) {
    WideSelf policy{{scratch}, test, {}};
    WidePairWalk<kind, WideSelf> walk(test.query, scratch, policy);
    walk.push_roots();
    return walk.template run_batches<8>(32);
}

}  // namespace

bool wide_self_pairs(WideQuery& q, const SelfSearch& search, std::vector<SelfLeaf>& leaves, WideScratch& scratch) {
    const WideTree& tree = search.model.wide;
    leaves.resize(tree.leaves.size());
    for (std::size_t i = 0; i < leaves.size(); ++i)
        prepare_leaf(search, tree.leaves[i], tree.boxes[tree.first_leaf() + i], q.side[0].rounding, leaves[i]);
    const SelfTest test{q, search, leaves.data()};
    return q.kind == WideKind::Aligned ? search_self<WideKind::Aligned>(test, scratch)
                                       : search_self<WideKind::Oriented>(test, scratch);
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_self_pairs);

bool wide_self_search(const SelfSearch& search, Scratch::Impl& scratch, QueryStats& stats) {
    if (search.model.wide.empty()) return true;
    const Affine same;
    WideQuery q;
    q.set_up({search.model, search.model, same, {}, false, 0});
    const bool all = HWY_DYNAMIC_DISPATCH(wide_self_pairs)(q, search, scratch.self.leaves, scratch.wide);
    stats += q.stats;
    return all;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
