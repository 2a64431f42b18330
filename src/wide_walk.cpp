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
HWY_INLINE V max3(V a, V b, V c) { return hn::Max(a, hn::Max(b, c)); }
HWY_INLINE V dot3(V ax, V ay, V az, V bx, V by, V bz) { return hn::MulAdd(az, bz, hn::MulAdd(ay, by, hn::Mul(ax, bx))); }
HWY_INLINE unsigned bits(M m) {
    std::uint8_t b[8] = {};
    hn::StoreMaskBits(d8, m, b);
    return b[0] & ((1u << GRAZE_LANES) - 1);
}

/// A partner's box in X's axes, relative to a centre of X, in X's units.
struct Partner {
    alignas(16) float d[4];        ///< its centre
    alignas(16) float axis[3][4];  ///< unit vectors
    float half[3];
    float half_sum;
};

HWY_INLINE Partner place(const WideQuery::Side& s, const WideBox& x, const WideBox& y) {
    Partner p;
    // Four lanes each, the last one idle: centre[3] is followed by other numbers of the box.
    const hn::CappedTag<double, 4> dd;
    const hn::Rebind<float, decltype(dd)> df;
    for (std::size_t l = 0; l < 4; l += hn::Lanes(dd)) {
        const auto at = hn::MulAdd(hn::Load(dd, s.column[0] + l), hn::Set(dd, y.centre[0]),
                                   hn::MulAdd(hn::Load(dd, s.column[1] + l), hn::Set(dd, y.centre[1]),
                                              hn::MulAdd(hn::Load(dd, s.column[2] + l), hn::Set(dd, y.centre[2]),
                                                         hn::Load(dd, s.column[3] + l))));
        const auto d = hn::Mul(hn::Sub(at, hn::LoadU(dd, x.centre + l)), hn::Set(dd, s.inv_unit));
        hn::Store(hn::DemoteTo(df, d), df, p.d + l);
    }
    const hn::CappedTag<float, 4> d4;
    for (int i = 0; i < 3; ++i) {
        const float q0 = y.axes[3 * i], q1 = y.axes[3 * i + 1], q2 = y.axes[3 * i + 2];
        for (std::size_t l = 0; l < 4; l += hn::Lanes(d4))
            hn::Store(hn::MulAdd(hn::Load(d4, s.axes[0] + l), hn::Set(d4, q0),
                                 hn::MulAdd(hn::Load(d4, s.axes[1] + l), hn::Set(d4, q1),
                                            hn::Mul(hn::Load(d4, s.axes[2] + l), hn::Set(d4, q2)))),
                      d4, p.axis[i] + l);
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
    [[maybe_unused]] std::int32_t deepest = -1;
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
            // The lane in the low bits of the depth: its bits as an integer order as it does.
            const auto depth = hn::BitCast(i32, hn::Max(hn::Neg(sep), hn::Zero(d8)));
            const auto key = hn::Or(hn::And(depth, hn::Set(i32, ~7)), hn::Iota(i32, static_cast<std::int32_t>(l)));
            const auto live = hn::IfThenElse(hn::RebindMask(i32, hn::Le(sep, hn::Zero(d8))), key, hn::Set(i32, -1));
            deepest = std::max(deepest, hn::GetLane(hn::MaxOfLanes(i32, live)));
        }
    }
    if constexpr (rank) best = static_cast<unsigned>(deepest) & 7;
    return alive & ((1u << own.count) - 1);
}

/// The triangles (v[3k + j]: corner k's coordinate j) that may reach into a box: three slabs
/// |axis · x − at| ≤ radius.
HWY_INLINE unsigned cull(const float (*v)[wide], const float (*axis)[4], const float* at, const float* radius) {
    unsigned alive = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        V out = set(-1);
        for (int i = 0; i < 3; ++i) {
            const V ax = set(axis[i][0]), ay = set(axis[i][1]), az = set(axis[i][2]);
            const V s0 = dot3(ax, ay, az, load(v[0] + l), load(v[1] + l), load(v[2] + l));
            const V s1 = dot3(ax, ay, az, load(v[3] + l), load(v[4] + l), load(v[5] + l));
            const V s2 = dot3(ax, ay, az, load(v[6] + l), load(v[7] + l), load(v[8] + l));
            const V lo = hn::Min(s0, hn::Min(s1, s2)), hi = hn::Max(s0, hn::Max(s1, s2));
            out = max3(out, hn::Sub(lo, set(at[i] + radius[i])), hn::Sub(set(at[i] - radius[i]), hi));
        }
        alive |= bits(hn::Le(out, hn::Zero(d8))) << l;
    }
    return alive;
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

HWY_INLINE V minor(V ay, V az, V by, V bz) { return hn::MulSub(ay, bz, hn::Mul(az, by)); }

/// det(b − a, c − a, d − a).
HWY_INLINE V orient(V ax, V ay, V az, V bx, V by, V bz, V cx, V cy, V cz, V dx, V dy, V dz) {
    const V ux = hn::Sub(bx, ax), uy = hn::Sub(by, ay), uz = hn::Sub(bz, az);
    const V vx = hn::Sub(cx, ax), vy = hn::Sub(cy, ay), vz = hn::Sub(cz, az);
    const V wx = hn::Sub(dx, ax), wy = hn::Sub(dy, ay), wz = hn::Sub(dz, az);
    return dot3(minor(uy, uz, vy, vz), minor(uz, ux, vz, vx), minor(ux, uy, vx, vy), wx, wy, wz);
}

HWY_INLINE V norm(V x, V y, V z) { return max3(hn::Abs(x), hn::Abs(y), hn::Abs(z)); }

/// Of numbers that are not zero. By their sign bits: a product may vanish.
HWY_INLINE M same_sign(V a, V b) {
    return hn::RebindMask(d8, hn::Gt(hn::Xor(hn::BitCast(i32, a), hn::BitCast(i32, b)), hn::Set(i32, -1)));
}

/// Turns the corners so that the one alone on its side of the other's plane comes first.
HWY_INLINE void turn(Tri& t, V s0, V s1, V s2, V& lone) {
    const M third = same_sign(s0, s1), second = same_sign(s0, s2);
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

/// Normals of eight triangles (not of unit length) and the largest component of their edges.
struct Normals {
    alignas(64) float n[3][wide];
    alignas(64) float edge[wide];
};

HWY_INLINE Normals normals(const float (*v)[wide]) {
    Normals out;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const V x = load(v[0] + l), y = load(v[1] + l), z = load(v[2] + l);
        const V ux = hn::Sub(load(v[3] + l), x), uy = hn::Sub(load(v[4] + l), y), uz = hn::Sub(load(v[5] + l), z);
        const V vx = hn::Sub(load(v[6] + l), x), vy = hn::Sub(load(v[7] + l), y), vz = hn::Sub(load(v[8] + l), z);
        hn::Store(minor(uy, uz, vy, vz), d8, out.n[0] + l);
        hn::Store(minor(uz, ux, vz, vx), d8, out.n[1] + l);
        hn::Store(minor(ux, uy, vx, vy), d8, out.n[2] + l);
        hn::Store(hn::Max(norm(ux, uy, uz), norm(vx, vy, vz)), d8, out.edge + l);
    }
    return out;
}

HWY_INLINE Verdict filter(const float (*v)[wide], const Normals& n, unsigned lanes, const float (*w)[wide],
                          const Normals& m, unsigned one, float eps) {
    Verdict verdict;
    const V zero = hn::Zero(d8), tiny = set(0x1p-100f);
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const unsigned here = lanes >> l & ((1u << GRAZE_LANES) - 1);
        if (here == 0) continue;
        Tri q, p;
        for (int k = 0; k < 3; ++k) {
            q.x[k] = load(v[3 * k] + l), q.y[k] = load(v[3 * k + 1] + l), q.z[k] = load(v[3 * k + 2] + l);
            p.x[k] = set(w[3 * k][one]), p.y[k] = set(w[3 * k + 1][one]), p.z[k] = set(w[3 * k + 2][one]);
        }
        // q's corners against p's plane, and p's against q's.
        V s[3], t[3], most_p = set(m.edge[one]), most_q = load(n.edge + l);
        for (int k = 0; k < 3; ++k) {
            V x = hn::Sub(q.x[k], p.x[0]), y = hn::Sub(q.y[k], p.y[0]), z = hn::Sub(q.z[k], p.z[0]);
            most_p = hn::Max(most_p, norm(x, y, z));
            s[k] = dot3(set(m.n[0][one]), set(m.n[1][one]), set(m.n[2][one]), x, y, z);
            x = hn::Sub(p.x[k], q.x[0]), y = hn::Sub(p.y[k], q.y[0]), z = hn::Sub(p.z[k], q.z[0]);
            most_q = hn::Max(most_q, norm(x, y, z));
            t[k] = dot3(load(n.n[0] + l), load(n.n[1] + l), load(n.n[2] + l), x, y, z);
        }
        const V e = set(56 * eps);
        const V err_p = hn::MulAdd(hn::Mul(most_p, most_p), e, tiny), err_q = hn::MulAdd(hn::Mul(most_q, most_q), e, tiny);
        const V least_s = hn::Min(s[0], hn::Min(s[1], s[2])), least_t = hn::Min(t[0], hn::Min(t[1], t[2]));
        const V most_s = max3(s[0], s[1], s[2]), most_t = max3(t[0], t[1], t[2]);
        const unsigned left = here & ~bits(hn::Or(hn::Gt(hn::Max(least_s, hn::Neg(most_s)), err_p),
                                                  hn::Gt(hn::Max(least_t, hn::Neg(most_t)), err_q)));
        if (left == 0) continue;
        // Certain signs on both sides, or the exact predicate.
        const V sure_s = hn::Min(hn::Abs(s[0]), hn::Min(hn::Abs(s[1]), hn::Abs(s[2])));
        const V sure_t = hn::Min(hn::Abs(t[0]), hn::Min(hn::Abs(t[1]), hn::Abs(t[2])));
        const unsigned sure = left & bits(hn::And(hn::Gt(sure_s, err_p), hn::Gt(sure_t, err_q)));
        // Intervals on the common line (Devillers and Guigue 2002).
        V lone_p, lone_q;
        turn(p, t[0], t[1], t[2], lone_p);
        turn(q, s[0], s[1], s[2], lone_q);
        swap_if(hn::Lt(lone_p, zero), q);
        swap_if(hn::Lt(lone_q, zero), p);
        const V f = orient(p.x[0], p.y[0], p.z[0], p.x[1], p.y[1], p.z[1], q.x[0], q.y[0], q.z[0], q.x[1], q.y[1], q.z[1]);
        const V g = orient(p.x[0], p.y[0], p.z[0], p.x[2], p.y[2], p.z[2], q.x[2], q.y[2], q.z[2], q.x[0], q.y[0], q.z[0]);
        const V near = hn::Min(most_p, most_q);
        const V err = hn::MulAdd(hn::Mul(near, near), set(224 * eps), tiny);
        const V greater = hn::Max(f, g);
        const unsigned out = bits(hn::Gt(greater, err)), in = bits(hn::Lt(greater, hn::Neg(err)));
        verdict.meets |= (sure & in) << l;
        verdict.unsure |= (left & ~(sure & (in | out))) << l;
    }
    return verdict;
}

/// Maps the triangles of Y's leaf into X's leaf frame.
HWY_INLINE void map_leaf(const WideQuery::Side& s, const WideLeaf& y, const Partner& p, float out[9][wide]) {
    for (int j = 0; j < 3; ++j) {
        const V m0 = set(s.map[0][j]), m1 = set(s.map[1][j]), m2 = set(s.map[2][j]), d = set(p.d[j]);
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES)
            for (int k = 0; k < 3; ++k)
                hn::Store(hn::MulAdd(m0, load(y.v[3 * k] + l),
                                     hn::MulAdd(m1, load(y.v[3 * k + 1] + l), hn::MulAdd(m2, load(y.v[3 * k + 2] + l), d))),
                          d8, out[3 * k + j] + l);
    }
}

/// Two leaves whose boxes' slabs some triangles of both reach into, in the frame of A's leaf.
struct Meeting8 {
    alignas(64) float b[9][wide];  ///< B's triangles, mapped
    Normals normals_a, normals_b;
    const WideLeaf *leaf_a, *leaf_b;
    unsigned in_a, in_b;           ///< triangles left
    float eps;                     ///< bounds the error of every coordinate
    bool a_lanes;                  ///< A's triangles fill the lanes, B's go one by one; or the other way
};

/// Culls the triangles of two leaves against each other's box. False when none are left.
HWY_INLINE bool prepare(const WideQuery& q, const WideLeaf& leaf_a, const WideBox& a, const WideLeaf& leaf_b,
                        const WideBox& b, Meeting8& out) {
    const WideQuery::Side& s = q.side[0];
    const Partner p = place(s, a, b);
    const float half_a = a.half[0] + a.half[1] + a.half[2];
    // Bounds the 1-norm of every vector below: corners of A, of B as mapped, and their differences.
    const float reach = std::abs(p.d[0]) + std::abs(p.d[1]) + std::abs(p.d[2]) + 2 * p.half_sum + half_a;
    const float slack = s.slack + (s.slack_partner + box_error) * reach;
    float at[3], radius[3];
    for (int i = 0; i < 3; ++i) {
        at[i] = p.axis[i][0] * p.d[0] + p.axis[i][1] * p.d[1] + p.axis[i][2] * p.d[2];
        radius[i] = p.half[i] + slack;
    }
    out.in_a = cull(leaf_a.v, p.axis, at, radius) & ((1u << a.count) - 1);
    if (out.in_a == 0) return false;
    map_leaf(s, leaf_b, p, out.b);
    float axis[3][4];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) axis[i][j] = a.axes[3 * i + j];
        at[i] = 0;
        radius[i] = (a.half[i] + slack) * axis_unit;
    }
    out.in_b = cull(out.b, axis, at, radius) & ((1u << b.count) - 1);
    const float r_b = std::sqrt(p.half[0] * p.half[0] + p.half[1] * p.half[1] + p.half[2] * p.half[2]);
    const float d_max = std::max({std::abs(p.d[0]), std::abs(p.d[1]), std::abs(p.d[2])});
    out.eps = s.slack + 9 * 0x1p-24f * (r_b + d_max) + 0x1p-23f * half_a;
    out.leaf_a = &leaf_a;
    out.leaf_b = &leaf_b;
    return out.in_b != 0;
}

/// Every triangle left with every other, decided by the exact triangles: queries with a margin.
Step decide_all(WideQuery& q, const Meeting8& m) {
    for (unsigned i = m.in_a; i != 0; i &= i - 1)
        for (unsigned j = m.in_b; j != 0; j &= j - 1)
            if (q.decide(m.leaf_a->id[std::countr_zero(i)], m.leaf_b->id[std::countr_zero(j)]) == Step::Stop) return Step::Stop;
    return Step::Continue;
}

/// Tests pairs of leaves, triangle by triangle. In phases over the whole batch, each a plain loop,
/// so that one pair's outcome does not hold up the next.
struct LeafBatch {
    static constexpr unsigned most = 32;
    Meeting8 meeting[most];
    struct Job {
        std::uint8_t meeting, one;  ///< the triangle that goes against the lanes
    } jobs[most * wide];

    Step test(WideQuery& q, unsigned n) {
        if (q.margin > 0) {
            for (unsigned i = 0; i < n; ++i) {
                q.stats.triangle_tests += static_cast<unsigned>(std::popcount(meeting[i].in_a) * std::popcount(meeting[i].in_b));
                if (decide_all(q, meeting[i]) == Step::Stop) return Step::Stop;
            }
            return Step::Continue;
        }
        unsigned n_jobs = 0;
        for (unsigned i = 0; i < n; ++i) {
            Meeting8& m = meeting[i];
            m.normals_a = normals(m.leaf_a->v);
            m.normals_b = normals(m.b);
            const int n_a = std::popcount(m.in_a), n_b = std::popcount(m.in_b);
            q.stats.triangle_tests += static_cast<unsigned>(n_a * n_b);
            // The side with more triangles left fills the lanes.
            m.a_lanes = n_a >= n_b;
            for (unsigned k = m.a_lanes ? m.in_b : m.in_a; k != 0; k &= k - 1)
                jobs[n_jobs++] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(std::countr_zero(k))};
        }
        for (unsigned j = 0; j < n_jobs; ++j) {
            const Meeting8& m = meeting[jobs[j].meeting];
            const unsigned one = jobs[j].one;
            const float(*lanes)[wide] = m.a_lanes ? m.leaf_a->v : m.b;
            const float(*single)[wide] = m.a_lanes ? m.b : m.leaf_a->v;
            const Normals &lane_n = m.a_lanes ? m.normals_a : m.normals_b, &single_n = m.a_lanes ? m.normals_b : m.normals_a;
            const Verdict v = filter(lanes, lane_n, m.a_lanes ? m.in_a : m.in_b, single, single_n, one, m.eps);
            const std::uint32_t *id_a = m.leaf_a->id, *id_b = m.leaf_b->id;
            for (unsigned r = v.meets | v.unsure; r != 0; r &= r - 1) {
                const auto lane = static_cast<unsigned>(std::countr_zero(r));
                const std::uint32_t ia = id_a[m.a_lanes ? lane : one], ib = id_b[m.a_lanes ? one : lane];
                if ((v.meets >> lane & 1 ? q.report(ia, ib) : q.decide(ia, ib)) == Step::Stop) return Step::Stop;
            }
        }
        return Step::Continue;
    }
};

template <class T>
HWY_INLINE void prefetch(const T* p) {
    for (std::size_t k = 0; k < sizeof(T); k += 64) __builtin_prefetch(reinterpret_cast<const char*>(p) + k);
}

struct Walk {
    WideQuery& q;
    WideScratch& scratch;
    const WideNode* nodes[2];
    const WideBox* boxes[2];
    std::uint32_t first_leaf[2];
    float ratio;                  ///< B's unit / A's
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

    /// Pushes the children of the lanes.
    HWY_INLINE void push(const WideNode& node, unsigned lanes, std::uint32_t* to_mine, std::uint32_t* to_other,
                         std::uint32_t other) {
        const hn::CappedTag<std::uint32_t, wide> du;
        for (std::size_t l = 0; l < wide; l += hn::Lanes(du)) {
            const std::uint8_t b[8] = {static_cast<std::uint8_t>(lanes >> l & ((1u << hn::Lanes(du)) - 1))};
            const auto m = hn::LoadMaskBits(du, b);
            hn::StoreU(hn::Set(du, other), du, to_other + top);
            // In a register first: compressing to memory is microcoded on some processors.
            hn::StoreU(hn::Compress(hn::Load(du, node.ref + l), m), du, to_mine + top);
            top += static_cast<unsigned>(std::popcount(b[0]));
        }
    }

    /// Opens one pair: pushes its survivors, pairs of leaves onto their own list. Without branches
    /// on what survives: they would be guessed wrong as often as not.
    template <bool rank>
    HWY_INLINE void open(const std::uint32_t* pair) {
        const int x = opened(pair);
        const std::uint32_t mine = pair[x], other = pair[1 - x];
        const WideNode& node = nodes[x][mine];
        const WideBox& own = boxes[x][mine];
        unsigned best = 0;
        const unsigned alive = step<rank>(q.side[x], node, own, boxes[1 - x][other], best);
        q.stats.box_tests += own.count;
        std::uint32_t *to_mine = scratch.pairs[x].data(), *to_other = scratch.pairs[1 - x].data();
        if constexpr (rank) {
            // The deepest on top; leaves stay in order with the rest.
            push(node, alive & ~(1u << best), to_mine, to_other, other);
            to_mine[top] = node.ref[best];
            to_other[top] = other;
            top += alive != 0;
        } else {
            std::uint32_t *leaf_mine = scratch.leaves[x].data(), *leaf_other = scratch.leaves[1 - x].data();
            const hn::CappedTag<std::uint32_t, wide> du;
            const bool other_leaf = other >= first_leaf[1 - x];
            const auto limit = hn::Set(du, other_leaf ? first_leaf[x] : 0xffffffffu);
            for (std::size_t l = 0; l < wide; l += hn::Lanes(du)) {
                const auto ref = hn::Load(du, node.ref + l);
                const std::uint8_t lanes[8] = {static_cast<std::uint8_t>(alive >> l & ((1u << hn::Lanes(du)) - 1))};
                const auto live = hn::LoadMaskBits(du, lanes);
                const auto leaf = hn::Not(hn::Lt(ref, limit));
                const auto o = hn::Set(du, other);
                hn::StoreU(o, du, to_other + top);
                const auto inner = hn::And(live, hn::Not(leaf)), last = hn::And(live, leaf);
                // In a register first: compressing to memory is microcoded on some processors.
                hn::StoreU(hn::Compress(ref, inner), du, to_mine + top);
                top += hn::CountTrue(du, inner);
                hn::StoreU(o, du, leaf_other + found);
                hn::StoreU(hn::Compress(ref, last), du, leaf_mine + found);
                found += hn::CountTrue(du, last);
            }
        }
    }

    bool run() {
        scratch.reserve(1024);
        scratch.pairs[0][0] = scratch.pairs[1][0] = 0;
        top = 1;
        return q.first ? run_first() : run_all();
    }

    Step test_leaves(const std::uint32_t* a, const std::uint32_t* b, std::size_t n) {
        const WideLeaf *la = q.side[0].x->leaves.data(), *lb = q.side[1].x->leaves.data();
        for (std::size_t i = 0; i < n;) {
            unsigned left = 0;
            for (; i < n && left < LeafBatch::most; ++i) {
                const std::size_t ahead = std::min(i + 2, n - 1);
                prefetch(la + (a[ahead] - first_leaf[0]));
                prefetch(lb + (b[ahead] - first_leaf[1]));
                left += prepare(q, la[a[i] - first_leaf[0]], boxes[0][a[i]], lb[b[i] - first_leaf[1]], boxes[1][b[i]],
                                batch.meeting[left]);
            }
            if (batch.test(q, left) == Step::Stop) return Step::Stop;
        }
        return Step::Continue;
    }

    /// Depth first towards the deepest overlap; a query that finds nothing there for a while is
    /// likely clear, and goes on in batches.
    bool run_first() {
        constexpr unsigned patience = 96, eager = 10, abreast = 3;
        for (unsigned steps = 0; top > 0;) {
            if (steps > patience) return run_all();
            scratch.reserve(top + abreast * wide);
            const unsigned want = steps < eager ? 1 : abreast;
            std::uint32_t pairs[abreast][2];
            unsigned n = 0;
            while (n < want && top > 0) {
                --top;
                pairs[n][0] = scratch.pairs[0][top];
                pairs[n][1] = scratch.pairs[1][top];
                if (both_leaves(pairs[n])) {
                    if (test_leaves(&pairs[n][0], &pairs[n][1], 1) == Step::Stop) return false;
                    continue;
                }
                ++n;
            }
            steps += n;
            while (n > 0) open<true>(pairs[--n]);
        }
        return true;
    }

    bool run_all() {
        constexpr unsigned abreast = 8, leaf_batch = 32;
        while (top > 0 || found > 0) {
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

bool walk(WideQuery& q, WideScratch& scratch) { return Walk(q, scratch).run(); }

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "predicate.hpp"
#include "triangle_distance.hpp"

namespace graze::detail {

HWY_EXPORT(walk);

Step WideQuery::decide(std::uint32_t ia, std::uint32_t ib) {
    ++stats.double_tests;
    const Triangle s = a->triangle(ia), t0 = b->triangle(ib);
    const Triangle t{(*a_from_b)(t0.a), (*a_from_b)(t0.b), (*a_from_b)(t0.c)};
    bool exact = false;
    const bool hit = meet(s, t, exact) || (margin > 0 && triangle_distance(s, t) <= margin);
    stats.exact_tests += exact;
    return hit ? report(ia, ib) : Step::Continue;
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
    s.inv_unit = 1 / x.unit;
    for (int i = 0; i < 3; ++i) {
        s.column[3][i] = t[i];
        for (int j = 0; j < 3; ++j) {
            s.column[j][i] = r.row[i][j];
            s.axes[j][i] = static_cast<float>(r.row[i][j] / axis_unit);
            s.map[j][i] = static_cast<float>(r.row[i][j] * (y.unit * s.inv_unit));
        }
    }
    for (int j = 0; j < 4; ++j) s.column[j][3] = 0;
    for (int j = 0; j < 3; ++j) s.axes[j][3] = 0;
    s.ratio = static_cast<float>(y.unit * s.inv_unit);
    s.slack = up((error + margin * 1.001) * s.inv_unit + 0x1p-100);
    s.slack_partner = up(4 * skew);
    return s;
}

}  // namespace

bool wide_for_each_contact(const ModelData& a, const ModelData& b, const Pose& a_from_b, const Sink& sink,
                           bool first, double margin, WideScratch& scratch, QueryStats& stats) {
    const WideTree &ta = a.wide, &tb = b.wide;
    if (ta.empty() || tb.empty()) return true;
    const Mat3& r = a_from_b.rotation();
    const Vec3& t = a_from_b.translation();
    double skew = 0x1p-48;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) skew = std::max(skew, std::abs(dot(r.column(i), r.column(j)) - (i == j)));
    // The inverse by cofactors; the matrix is within a pose's tolerance of a rotation.
    const Vec3 c0 = cross(r.row[1], r.row[2]), c1 = cross(r.row[2], r.row[0]), c2 = cross(r.row[0], r.row[1]);
    const double s = 1 / dot(r.row[0], c0);
    const Mat3 inv = transpose({{c0 * s, c1 * s, c2 * s}});
    const Vec3 t_inv = -(inv * t);
    // Rounding of mapped vertices and centres, either way (docs/exactness.md, "boxes").
    const double error = 0x1p-47 * (ta.bound + tb.bound + std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)}));
    WideQuery q{{make_side(ta, tb, r, t, error, margin, skew), make_side(tb, ta, inv, t_inv, error, margin, skew)},
                &a.geometry, &b.geometry, &a_from_b, margin, first, sink, {}};
    const WideBox &ba = ta.boxes[0], &bb = tb.boxes[0];
    // A box about the roots' spheres, so that distances are bounded by sizes from here on.
    const Vec3 d = a_from_b({bb.centre[0], bb.centre[1], bb.centre[2]}) - Vec3{ba.centre[0], ba.centre[1], ba.centre[2]};
    const double far = std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
    const double ra = (static_cast<double>(ba.half[0]) + ba.half[1] + ba.half[2]) * ta.unit;
    const double rb = (static_cast<double>(bb.half[0]) + bb.half[1] + bb.half[2]) * tb.unit;
    ++q.stats.box_tests;
    const bool all = far > 1.02 * (ra + rb) + error * 2 + margin * 1.001 || HWY_DYNAMIC_DISPATCH(walk)(q, scratch);
    stats += q.stats;
    return all;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
