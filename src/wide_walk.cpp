// SPDX-License-Identifier: Apache-2.0
#include "wide_walk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

// SSSE3 and the AVX-512 dialects add compile time and nothing else here.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide_walk.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Eight lanes, in as many vectors as the target needs.
const hn::CappedTag<float, wide> d8;
const hn::Rebind<std::int16_t, decltype(d8)> i16;
const hn::Rebind<std::int32_t, decltype(d8)> i32;
using V = hn::Vec<decltype(d8)>;
using M = hn::Mask<decltype(d8)>;
#define GRAZE_LANES hn::Lanes(d8)

HWY_INLINE V load(const float* p) { return hn::Load(d8, p); }
HWY_INLINE V set(float x) { return hn::Set(d8, x); }
HWY_INLINE V dot3(V ax, V ay, V az, V bx, V by, V bz) { return hn::MulAdd(az, bz, hn::MulAdd(ay, by, hn::Mul(ax, bx))); }
HWY_INLINE unsigned bits(M m) {
    std::uint8_t b[8] = {};
    hn::StoreMaskBits(d8, m, b);
    return b[0] & ((1u << GRAZE_LANES) - 1);
}

HWY_INLINE void prefetch_line(const void* p) { __builtin_prefetch(p); }

/// A partner's box in X's axes, relative to a centre of X, in X's units.
struct Partner {
    float d[3];        ///< its centre
    float axis[3][4];  ///< unit vectors
    float half[3];
    float half_sum;
};

HWY_INLINE Partner place(const WideQuery::Side& s, const WideBox& x, const WideBox& y) {
    Partner p;
    for (int j = 0; j < 3; ++j) {
        const double* r = s.rotation + 3 * j;
        const double at = r[0] * y.centre[0] + r[1] * y.centre[1] + r[2] * y.centre[2] + s.translation[j];
        p.d[j] = static_cast<float>((at - x.centre[j]) * s.inv_unit);
    }
    for (int i = 0; i < 3; ++i) {
        const float q0 = y.axes[3 * i], q1 = y.axes[3 * i + 1], q2 = y.axes[3 * i + 2];
        for (int j = 0; j < 3; ++j) p.axis[i][j] = s.axes[j] * q0 + s.axes[3 + j] * q1 + s.axes[6 + j] * q2;
        p.half[i] = y.half[i] * s.ratio;
    }
    p.half_sum = p.half[0] + p.half[1] + p.half[2];
    return p;
}

/// u times the operations between stored numbers and a comparison, in units of the lengths that
/// enter it; derived in docs/exactness.md ("boxes").
constexpr float box_error = 48 * 0x1p-24f;

/// Tests the children of `node` against the partner on the six face axes. Returns the lanes not
/// certainly apart; `best` is the lane that overlaps deepest.
template <bool rank>
HWY_INLINE unsigned step(const WideQuery::Side& s, const WideNode& node, const WideBox& own, const WideBox& y,
                         unsigned& best) {
    const Partner p = place(s, own, y);
    const float slack = s.slack + (s.slack_partner + box_error) * p.half_sum +
                        box_error * (std::abs(p.d[0]) + std::abs(p.d[1]) + std::abs(p.d[2]) + node.reach);
    const V k2 = set(axis_unit * axis_unit), inv_k = set(1 / axis_unit);
    const V slack_k = set(slack * (axis_unit * 1.0001f)), slack_1 = set(slack);
    const V h0 = set(p.half[0]), h1 = set(p.half[1]), h2 = set(p.half[2]);
    unsigned alive = 0;
    float deepest = -1;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const V wx = hn::Sub(load(node.centre[0] + l), set(p.d[0]));
        const V wy = hn::Sub(load(node.centre[1] + l), set(p.d[1]));
        const V wz = hn::Sub(load(node.centre[2] + l), set(p.d[2]));
        // Radii of the child along the partner's axes, summed up while going over its axes.
        V r0 = hn::Add(h0, slack_1), r1 = hn::Add(h1, slack_1), r2 = hn::Add(h2, slack_1);
        V sep = set(-1e38f);
        for (int i = 0; i < 3; ++i) {
            const V cx = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i] + l)));
            const V cy = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 1] + l)));
            const V cz = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 2] + l)));
            const V e = load(node.half[i] + l);
            const V a0 = hn::Abs(dot3(cx, cy, cz, set(p.axis[0][0]), set(p.axis[0][1]), set(p.axis[0][2])));
            const V a1 = hn::Abs(dot3(cx, cy, cz, set(p.axis[1][0]), set(p.axis[1][1]), set(p.axis[1][2])));
            const V a2 = hn::Abs(dot3(cx, cy, cz, set(p.axis[2][0]), set(p.axis[2][1]), set(p.axis[2][2])));
            const V radius = hn::MulAdd(e, k2, hn::MulAdd(h0, a0, hn::MulAdd(h1, a1, hn::MulAdd(h2, a2, slack_k))));
            const V gap = hn::Sub(hn::Abs(dot3(cx, cy, cz, wx, wy, wz)), radius);
            sep = hn::Max(sep, rank ? hn::Mul(gap, inv_k) : gap);
            r0 = hn::MulAdd(e, a0, r0);
            r1 = hn::MulAdd(e, a1, r1);
            r2 = hn::MulAdd(e, a2, r2);
        }
        sep = hn::Max(sep, hn::Sub(hn::Abs(dot3(wx, wy, wz, set(p.axis[0][0]), set(p.axis[0][1]), set(p.axis[0][2]))), r0));
        sep = hn::Max(sep, hn::Sub(hn::Abs(dot3(wx, wy, wz, set(p.axis[1][0]), set(p.axis[1][1]), set(p.axis[1][2]))), r1));
        sep = hn::Max(sep, hn::Sub(hn::Abs(dot3(wx, wy, wz, set(p.axis[2][0]), set(p.axis[2][1]), set(p.axis[2][2]))), r2));
        const unsigned m = bits(hn::Le(sep, hn::Zero(d8)));
        alive |= m << l;
        if constexpr (rank) {
            if (m != 0) {
                alignas(64) float depth[wide];
                hn::Store(hn::Neg(sep), d8, depth);
                for (unsigned r = m; r != 0; r &= r - 1) {
                    const auto lane = static_cast<unsigned>(std::countr_zero(r));
                    if (depth[lane] > deepest || deepest < 0) {
                        deepest = depth[lane];
                        best = static_cast<unsigned>(l) + lane;
                    }
                }
            }
        }
    }
    return alive & ((1u << own.count) - 1);
}

/// The lanes of a leaf of X that may reach into the partner's box: all three face slabs.
HWY_INLINE unsigned cull(const WideLeaf& leaf, unsigned count, const Partner& p, float slack) {
    unsigned alive = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        M keep = hn::Eq(hn::Zero(d8), hn::Zero(d8));
        for (int i = 0; i < 3; ++i) {
            const V ax = set(p.axis[i][0]), ay = set(p.axis[i][1]), az = set(p.axis[i][2]);
            const float at = p.axis[i][0] * p.d[0] + p.axis[i][1] * p.d[1] + p.axis[i][2] * p.d[2];
            const V s0 = dot3(ax, ay, az, load(leaf.v[0] + l), load(leaf.v[1] + l), load(leaf.v[2] + l));
            const V s1 = dot3(ax, ay, az, load(leaf.v[3] + l), load(leaf.v[4] + l), load(leaf.v[5] + l));
            const V s2 = dot3(ax, ay, az, load(leaf.v[6] + l), load(leaf.v[7] + l), load(leaf.v[8] + l));
            const V lo = hn::Min(s0, hn::Min(s1, s2)), hi = hn::Max(s0, hn::Max(s1, s2));
            const float r = p.half[i] + slack;
            keep = hn::And(keep, hn::And(hn::Le(lo, set(at + r)), hn::Ge(hi, set(at - r))));
        }
        alive |= bits(keep) << l;
    }
    return alive & ((1u << count) - 1);
}

/// The float filter on triangles in X's leaf frame: lanes of X (q) against one triangle of Y (p).
/// Sets the lanes that certainly meet and those left to the exact predicate; the rest is
/// certainly apart. `eps` bounds the error of every coordinate (docs/exactness.md, "triangles").
struct Verdict {
    unsigned meets = 0, unsure = 0;
};

struct Tri {
    V x[3], y[3], z[3];
};

HWY_INLINE V cross_x(V ay, V az, V by, V bz) { return hn::Sub(hn::Mul(ay, bz), hn::Mul(az, by)); }

/// det(b − a, c − a, d − a).
HWY_INLINE V orient(V ax, V ay, V az, V bx, V by, V bz, V cx, V cy, V cz, V dx, V dy, V dz) {
    const V ux = hn::Sub(bx, ax), uy = hn::Sub(by, ay), uz = hn::Sub(bz, az);
    const V vx = hn::Sub(cx, ax), vy = hn::Sub(cy, ay), vz = hn::Sub(cz, az);
    const V wx = hn::Sub(dx, ax), wy = hn::Sub(dy, ay), wz = hn::Sub(dz, az);
    return dot3(cross_x(uy, uz, vy, vz), cross_x(uz, ux, vz, vx), cross_x(ux, uy, vx, vy), wx, wy, wz);
}

HWY_INLINE V max3(V a, V b, V c) { return hn::Max(a, hn::Max(b, c)); }

HWY_INLINE V norm(V x, V y, V z) { return max3(hn::Abs(x), hn::Abs(y), hn::Abs(z)); }

/// Turns the corners so that the one alone on its side of the other's plane comes first.
HWY_INLINE void turn(Tri& t, V s0, V s1, V s2, V& lone) {
    const M third = hn::Gt(hn::Mul(s0, s1), hn::Zero(d8));
    const M second = hn::Gt(hn::Mul(s0, s2), hn::Zero(d8));
    lone = hn::IfThenElse(third, s2, hn::IfThenElse(second, s1, s0));
    V* c[3] = {t.x, t.y, t.z};
    for (V* v : c) {
        const V a = v[0], b = v[1], e = v[2];
        v[0] = hn::IfThenElse(third, e, hn::IfThenElse(second, b, a));
        v[1] = hn::IfThenElse(third, a, hn::IfThenElse(second, e, b));
        v[2] = hn::IfThenElse(third, b, hn::IfThenElse(second, a, e));
    }
}

HWY_INLINE void swap_if(M m, Tri& t) {
    V* c[3] = {t.x, t.y, t.z};
    for (V* v : c) {
        const V b = v[1];
        v[1] = hn::IfThenElse(m, v[2], b);
        v[2] = hn::IfThenElse(m, b, v[2]);
    }
}

HWY_INLINE Verdict filter(const WideLeaf& leaf, unsigned lanes, const float* y, std::size_t stride, float eps) {
    Verdict verdict;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const unsigned here = lanes >> l & ((1u << GRAZE_LANES) - 1);
        if (here == 0) continue;
        Tri q, p;
        for (int k = 0; k < 3; ++k) {
            q.x[k] = load(leaf.v[3 * k] + l), q.y[k] = load(leaf.v[3 * k + 1] + l), q.z[k] = load(leaf.v[3 * k + 2] + l);
            p.x[k] = set(y[3 * k * stride]), p.y[k] = set(y[(3 * k + 1) * stride]), p.z[k] = set(y[(3 * k + 2) * stride]);
        }
        const V zero = hn::Zero(d8);
        // q's corners against p's plane.
        V ux = hn::Sub(p.x[1], p.x[0]), uy = hn::Sub(p.y[1], p.y[0]), uz = hn::Sub(p.z[1], p.z[0]);
        V vx = hn::Sub(p.x[2], p.x[0]), vy = hn::Sub(p.y[2], p.y[0]), vz = hn::Sub(p.z[2], p.z[0]);
        V nx = cross_x(uy, uz, vy, vz), ny = cross_x(uz, ux, vz, vx), nz = cross_x(ux, uy, vx, vy);
        V most = hn::Max(norm(ux, uy, uz), norm(vx, vy, vz));
        V s[3];
        for (int k = 0; k < 3; ++k) {
            const V wx = hn::Sub(q.x[k], p.x[0]), wy = hn::Sub(q.y[k], p.y[0]), wz = hn::Sub(q.z[k], p.z[0]);
            most = hn::Max(most, norm(wx, wy, wz));
            s[k] = dot3(nx, ny, nz, wx, wy, wz);
        }
        const V e = set(eps);
        const V err_p = hn::MulAdd(hn::Mul(hn::Mul(most, most), e), set(56), set(0x1p-100f));
        M apart = hn::Or(hn::Gt(hn::Min(s[0], hn::Min(s[1], s[2])), err_p),
                         hn::Lt(max3(s[0], s[1], s[2]), hn::Neg(err_p)));
        unsigned left = here & ~bits(apart);
        if (left == 0) continue;
        // p's corners against q's plane.
        ux = hn::Sub(q.x[1], q.x[0]), uy = hn::Sub(q.y[1], q.y[0]), uz = hn::Sub(q.z[1], q.z[0]);
        vx = hn::Sub(q.x[2], q.x[0]), vy = hn::Sub(q.y[2], q.y[0]), vz = hn::Sub(q.z[2], q.z[0]);
        nx = cross_x(uy, uz, vy, vz), ny = cross_x(uz, ux, vz, vx), nz = cross_x(ux, uy, vx, vy);
        V most_q = hn::Max(norm(ux, uy, uz), norm(vx, vy, vz));
        V t[3];
        for (int k = 0; k < 3; ++k) {
            const V wx = hn::Sub(p.x[k], q.x[0]), wy = hn::Sub(p.y[k], q.y[0]), wz = hn::Sub(p.z[k], q.z[0]);
            most_q = hn::Max(most_q, norm(wx, wy, wz));
            t[k] = dot3(nx, ny, nz, wx, wy, wz);
        }
        const V err_q = hn::MulAdd(hn::Mul(hn::Mul(most_q, most_q), e), set(56), set(0x1p-100f));
        apart = hn::Or(hn::Gt(hn::Min(t[0], hn::Min(t[1], t[2])), err_q),
                       hn::Lt(max3(t[0], t[1], t[2]), hn::Neg(err_q)));
        left &= ~bits(apart);
        if (left == 0) continue;
        // Certain signs on both sides, or the exact predicate.
        const V least_s = hn::Min(hn::Abs(s[0]), hn::Min(hn::Abs(s[1]), hn::Abs(s[2])));
        const V least_t = hn::Min(hn::Abs(t[0]), hn::Min(hn::Abs(t[1]), hn::Abs(t[2])));
        const unsigned sure = left & bits(hn::And(hn::Gt(least_s, err_p), hn::Gt(least_t, err_q)));
        verdict.unsure |= (left & ~sure) << l;
        if (sure == 0) continue;
        // Intervals on the common line (Devillers and Guigue 2002).
        V lone_p, lone_q;
        turn(p, t[0], t[1], t[2], lone_p);
        turn(q, s[0], s[1], s[2], lone_q);
        swap_if(hn::Lt(lone_p, zero), q);
        swap_if(hn::Lt(lone_q, zero), p);
        const V f = orient(p.x[0], p.y[0], p.z[0], p.x[1], p.y[1], p.z[1], q.x[0], q.y[0], q.z[0], q.x[1], q.y[1], q.z[1]);
        const V g = orient(p.x[0], p.y[0], p.z[0], p.x[2], p.y[2], p.z[2], q.x[2], q.y[2], q.z[2], q.x[0], q.y[0], q.z[0]);
        const V near = hn::Min(most, most_q);
        const V err = hn::MulAdd(hn::Mul(hn::Mul(near, near), e), set(224), set(0x1p-100f));
        const unsigned out = bits(hn::Or(hn::Gt(f, err), hn::Gt(g, err)));
        const unsigned in = bits(hn::And(hn::Lt(f, hn::Neg(err)), hn::Lt(g, hn::Neg(err))));
        verdict.meets |= (sure & in) << l;
        verdict.unsure |= (sure & ~in & ~out) << l;
    }
    return verdict;
}

/// Maps the triangles of Y's leaf into X's leaf frame.
HWY_INLINE void map_leaf(const WideQuery::Side& s, const WideLeaf& y, const Partner& p, float out[9][wide]) {
    for (int j = 0; j < 3; ++j) {
        const V m0 = set(s.axes[j] * (axis_unit * s.ratio)), m1 = set(s.axes[3 + j] * (axis_unit * s.ratio)),
                m2 = set(s.axes[6 + j] * (axis_unit * s.ratio)), d = set(p.d[j]);
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES)
            for (int k = 0; k < 3; ++k)
                hn::Store(hn::MulAdd(m0, load(y.v[3 * k] + l),
                                     hn::MulAdd(m1, load(y.v[3 * k + 1] + l), hn::MulAdd(m2, load(y.v[3 * k + 2] + l), d))),
                          d8, out[3 * k + j] + l);
    }
}

HWY_INLINE float extent(const WideBox& b) { return b.half[0] + b.half[1] + b.half[2]; }

/// Tests two leaves, triangle by triangle.
HWY_INLINE Step leaves(WideQuery& q, std::uint32_t la, std::uint32_t lb) {
    const WideTree &ta = *q.side[0].x, &tb = *q.side[1].x;
    const WideLeaf* leaf[2] = {&ta.leaves[la], &tb.leaves[lb]};
    const WideBox* box[2] = {&ta.leaf_boxes[la], &tb.leaf_boxes[lb]};
    Partner partner[2];
    unsigned lanes[2];
    float reach[2];
    for (int x = 0; x < 2; ++x) {
        const WideQuery::Side& s = q.side[x];
        const Partner& p = partner[x] = place(s, *box[x], *box[1 - x]);
        reach[x] = std::abs(p.d[0]) + std::abs(p.d[1]) + std::abs(p.d[2]) + 2 * p.half_sum + extent(*box[x]);
        lanes[x] = cull(*leaf[x], box[x]->count, p, s.slack + (s.slack_partner + box_error) * reach[x]);
        if (lanes[x] == 0) return Step::Continue;
    }
    const int n0 = std::popcount(lanes[0]), n1 = std::popcount(lanes[1]);
    q.stats.triangle_tests += static_cast<unsigned>(n0 * n1);
    if (q.margin > 0) {
        for (unsigned i = lanes[0]; i != 0; i &= i - 1)
            for (unsigned j = lanes[1]; j != 0; j &= j - 1)
                if (q.decide(leaf[0]->id[std::countr_zero(i)], leaf[1]->id[std::countr_zero(j)]) == Step::Stop)
                    return Step::Stop;
        return Step::Continue;
    }
    // The side with more triangles left fills the lanes; the other's go one by one.
    const int x = n0 >= n1 ? 0 : 1;
    alignas(64) float mapped[9][wide];
    map_leaf(q.side[x], *leaf[1 - x], partner[x], mapped);
    const float eps = q.side[x].slack + 8 * 0x1p-24f * reach[x];
    for (unsigned i = lanes[1 - x]; i != 0; i &= i - 1) {
        const auto k = static_cast<unsigned>(std::countr_zero(i));
        const Verdict v = filter(*leaf[x], lanes[x], &mapped[0][k], wide, eps);
        const std::uint32_t other = leaf[1 - x]->id[k];
        for (unsigned m = v.meets | v.unsure; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(m));
            const std::uint32_t mine = leaf[x]->id[lane];
            const std::uint32_t ia = x == 0 ? mine : other, ib = x == 0 ? other : mine;
            const Step next = v.meets >> lane & 1 ? q.report(ia, ib) : q.decide(ia, ib);
            if (next == Step::Stop) return Step::Stop;
        }
    }
    return Step::Continue;
}

HWY_INLINE void prefetch(const WideTree& t, std::uint32_t ref, bool opened) {
    if (opened) {
        const auto* n = reinterpret_cast<const char*>(&t.nodes[ref]);
        for (std::size_t k = 0; k < sizeof(WideNode); k += 64) prefetch_line(n + k);
    }
    prefetch_line(ref & leaf_bit ? &t.leaf_boxes[ref & ~leaf_bit] : &t.node_boxes[ref]);
}

struct Walk {
    WideQuery& q;
    WideScratch& scratch;
    std::size_t top = 0;

    void reserve(std::size_t n) {
        if (scratch.a.size() < n) {
            scratch.a.resize(std::max(n, 2 * scratch.a.size()));
            scratch.b.resize(scratch.a.size());
        }
    }

    /// The side to open: the larger box, never a leaf.
    HWY_INLINE int opened(std::uint32_t a, std::uint32_t b) const {
        if (a & leaf_bit) return 1;
        if (b & leaf_bit) return 0;
        return q.side[0].x->node_boxes[a].size >= q.side[1].x->node_boxes[b].size * q.side[0].ratio ? 0 : 1;
    }

    /// Opens one pair: pushes its survivors, leaf pairs too.
    template <bool rank>
    HWY_INLINE void open(std::uint32_t a, std::uint32_t b) {
        const int x = opened(a, b);
        const WideQuery::Side& s = q.side[x];
        const WideTree &tx = *s.x, &ty = *q.side[1 - x].x;
        const std::uint32_t mine = x == 0 ? a : b, other = x == 0 ? b : a;
        const WideNode& node = tx.nodes[mine];
        const WideBox& own = tx.node_boxes[mine];
        const WideBox& y = other & leaf_bit ? ty.leaf_boxes[other & ~leaf_bit] : ty.node_boxes[other];
        unsigned best = 0;
        unsigned m = step<rank>(s, node, own, y, best);
        bool to_best = false;
        q.stats.box_tests += own.count;
        std::uint32_t* to_mine = x == 0 ? scratch.a.data() : scratch.b.data();
        std::uint32_t* to_other = x == 0 ? scratch.b.data() : scratch.a.data();
        if (rank && m != 0) m &= ~(1u << best), to_best = true;
        for (; m != 0; m &= m - 1) {
            to_mine[top] = node.ref[std::countr_zero(m)];
            to_other[top++] = other;
        }
        if (rank && to_best) {
            to_mine[top] = node.ref[best];
            to_other[top++] = other;
        }
    }

    bool run() {
        const std::uint32_t ra = q.side[0].x->root(), rb = q.side[1].x->root();
        reserve(1024);
        scratch.a[0] = ra;
        scratch.b[0] = rb;
        top = 1;
        return q.first ? run_first() : run_all();
    }

    bool run_first() {
        unsigned steps = 0;
        while (top > 0) {
            if (++steps > 96) return run_all();
            reserve(top + 2 * wide);
            --top;
            const std::uint32_t a = scratch.a[top], b = scratch.b[top];
            if (a & b & leaf_bit) {
                if (leaves(q, a & ~leaf_bit, b & ~leaf_bit) == Step::Stop) return false;
                continue;
            }
            open<true>(a, b);
        }
        return true;
    }

    bool run_all() {
        constexpr unsigned batch = 8, leaf_batch = 32;
        std::uint32_t leaf_a[leaf_batch + batch * wide], leaf_b[leaf_batch + batch * wide];
        unsigned n_leaves = 0;
        while (top > 0 || n_leaves > 0) {
            if (n_leaves >= leaf_batch || top == 0) {
                for (unsigned i = 0; i < n_leaves; ++i)
                    if (leaves(q, leaf_a[i], leaf_b[i]) == Step::Stop) return false;
                n_leaves = 0;
                continue;
            }
            reserve(top + batch * wide);
            std::uint32_t pa[batch], pb[batch];
            unsigned n = 0;
            while (n < batch && top > 0) {
                --top;
                const std::uint32_t a = scratch.a[top], b = scratch.b[top];
                if (a & b & leaf_bit) {
                    leaf_a[n_leaves] = a & ~leaf_bit;
                    leaf_b[n_leaves++] = b & ~leaf_bit;
                    prefetch_leaf(a & ~leaf_bit, b & ~leaf_bit);
                    if (n_leaves >= leaf_batch) break;
                    continue;
                }
                pa[n] = a;
                pb[n++] = b;
                const int x = opened(a, b);
                prefetch(*q.side[0].x, a, x == 0);
                prefetch(*q.side[1].x, b, x == 1);
            }
            for (unsigned i = 0; i < n; ++i) open<false>(pa[i], pb[i]);
        }
        return true;
    }

    HWY_INLINE void prefetch_leaf(std::uint32_t la, std::uint32_t lb) const {
        const auto* a = reinterpret_cast<const char*>(&q.side[0].x->leaves[la]);
        const auto* b = reinterpret_cast<const char*>(&q.side[1].x->leaves[lb]);
        for (std::size_t k = 0; k < sizeof(WideLeaf); k += 64) {
            prefetch_line(a + k);
            prefetch_line(b + k);
        }
    }
};

bool walk(WideQuery& q, WideScratch& scratch) { return Walk{q, scratch}.run(); }

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "predicate.hpp"
#include "triangle_distance.hpp"

namespace graze::detail {

HWY_EXPORT(walk);

Step WideQuery::report(std::uint32_t ia, std::uint32_t ib) {
    const TrianglePair t{ia, ib};
    const TrianglePair p{a->polygon_of.empty() ? ia : a->polygon_of[ia], b->polygon_of.empty() ? ib : b->polygon_of[ib]};
    return sink(context, {t, p});
}

Step WideQuery::decide(std::uint32_t ia, std::uint32_t ib) {
    ++stats.double_tests;
    const Triangle s = a->triangle(ia), t0 = b->triangle(ib);
    const Triangle t{(*a_from_b)(t0.a), (*a_from_b)(t0.b), (*a_from_b)(t0.c)};
    bool exact = false;
    const bool hit = meet(s, t, exact) || (margin > 0 && triangle_distance(s, t) <= margin);
    stats.exact_tests += exact;
    return hit ? report(ia, ib) : Step::Continue;
}

bool brute_for_each_contact(WideQuery& q) {
    for (std::uint32_t i = 0; i < q.a->triangles.size(); ++i)
        for (std::uint32_t j = 0; j < q.b->triangles.size(); ++j) {
            ++q.stats.triangle_tests;
            if (q.decide(i, j) == Step::Stop) return false;
        }
    return true;
}

namespace {

float up(double x) {
    const auto f = static_cast<float>(x);
    return f < x ? std::nextafter(f, HUGE_VALF) : f;
}

WideQuery::Side make_side(const WideTree& x, const WideTree& y, const Mat3& r, const Vec3& t, double error,
                          double margin, double skew) {
    WideQuery::Side s;
    s.x = &x;
    for (int i = 0; i < 3; ++i) {
        s.translation[i] = t[i];
        for (int j = 0; j < 3; ++j) {
            s.rotation[3 * i + j] = r.row[i][j];
            s.axes[3 * j + i] = static_cast<float>(r.row[i][j]) / axis_unit;
        }
    }
    s.inv_unit = 1 / x.unit;
    s.ratio = static_cast<float>(y.unit * s.inv_unit);
    s.slack = up((error + margin * 1.001) * s.inv_unit + 0x1p-100);
    s.slack_partner = up(4 * skew);
    return s;
}

}  // namespace

bool wide_for_each_contact(const ModelData& a, const ModelData& b, const Pose& a_from_b, ContactSink sink,
                           void* context, bool first, double margin, WideScratch& scratch, QueryStats& stats) {
    const WideTree &ta = a.wide, &tb = b.wide;
    if (ta.empty() || tb.empty()) return true;
    const Mat3& r = a_from_b.rotation();
    const Vec3& t = a_from_b.translation();
    double skew = 0x1p-48;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) skew = std::max(skew, std::abs(dot(r.column(i), r.column(j)) - (i == j)));
    // The inverse by cofactors; the matrix is within a pose's tolerance of a rotation.
    const Vec3 c0 = cross(r.row[1], r.row[2]), c1 = cross(r.row[2], r.row[0]), c2 = cross(r.row[0], r.row[1]);
    const double det = dot(r.row[0], c0);
    const Mat3 inv = transpose({{c0 * (1 / det), c1 * (1 / det), c2 * (1 / det)}});
    const Vec3 t_inv = -(inv * t);
    // Rounding of mapped vertices and centres, either way (docs/exactness.md, "boxes").
    const double error = 0x1p-47 * (ta.bound + tb.bound + std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)}));
    WideQuery q{{make_side(ta, tb, r, t, error, margin, skew), make_side(tb, ta, inv, t_inv, error, margin, skew)},
                &a.geometry, &b.geometry, &a_from_b, margin, first, sink, context, {}};
    // Within this ratio of sizes nothing in float32 overflows (docs/exactness.md, "range").
    const double ratio = tb.unit / ta.unit;
    bool all;
    if (!(ratio <= 0x1p36 && ratio >= 0x1p-36)) {
        all = brute_for_each_contact(q);
    } else {
        const WideBox& ba = ta.nodes.empty() ? ta.leaf_boxes[0] : ta.node_boxes[0];
        const WideBox& bb = tb.nodes.empty() ? tb.leaf_boxes[0] : tb.node_boxes[0];
        // Spheres about the roots, so that distances are bounded by sizes from here on.
        const Vec3 d = a_from_b({bb.centre[0], bb.centre[1], bb.centre[2]}) - Vec3{ba.centre[0], ba.centre[1], ba.centre[2]};
        const double far = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
        const double ra = (static_cast<double>(ba.half[0]) + ba.half[1] + ba.half[2]) * ta.unit;
        const double rb = (static_cast<double>(bb.half[0]) + bb.half[1] + bb.half[2]) * tb.unit;
        ++q.stats.box_tests;
        all = far > 1.01 * (ra + rb) + error * 2 + margin * 1.001 || HWY_DYNAMIC_DISPATCH(walk)(q, scratch);
    }
    stats += q.stats;
    return all;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
