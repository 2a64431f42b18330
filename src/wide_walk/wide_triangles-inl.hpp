// SPDX-License-Identifier: Apache-2.0
// The float filter on eight pairs of triangles, and culling of triangles by a box.
#if defined(GRAZE_WIDE_TRIANGLES_INL) == defined(HWY_TARGET_TOGGLE)  // once per target
#ifdef GRAZE_WIDE_TRIANGLES_INL
#undef GRAZE_WIDE_TRIANGLES_INL
#else
#define GRAZE_WIDE_TRIANGLES_INL
#endif

#include <algorithm>
#include <bit>
#include <cmath>

#include "wide_walk/wide_boxes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

/// The triangles that may reach into a box, given as three slabs |axis · (x − centre)| ≤ radius + slack. The centre is
/// the origin if it is null. v[3k + j] is coordinate j of corner k. If `gaps` is set, also stores how far the other
/// triangles are beyond the box, along which axis, and the least of these gaps.
template <bool gaps = false, class Centre>
HWY_INLINE unsigned cull(const float (*v)[wide], const float (*axis)[4], Centre centre, const float* radius,
                         float slack, [[maybe_unused]] WideRow* row = nullptr, [[maybe_unused]] float* gap = nullptr) {
    [[maybe_unused]] V least = set(endless);
    unsigned alive = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        V out = set(-1);
        [[maybe_unused]] WideGapAxes axes;
        if constexpr (gaps) axes.n[0] = axes.n[1] = axes.n[2] = hn::Zero(d8);
        for (int i = 0; i < 3; ++i) {
            const V ax = set(axis[i][0]), ay = set(axis[i][1]), az = set(axis[i][2]);
            const V s0 = dot3(ax, ay, az, load(v[0] + l), load(v[1] + l), load(v[2] + l));
            const V s1 = dot3(ax, ay, az, load(v[3] + l), load(v[4] + l), load(v[5] + l));
            const V s2 = dot3(ax, ay, az, load(v[6] + l), load(v[7] + l), load(v[8] + l));
            const V lo = hn::Min(s0, hn::Min(s1, s2)), hi = hn::Max(s0, hn::Max(s1, s2));
            V above = lo, below = hn::Neg(hi);
            if constexpr (!std::is_null_pointer_v<Centre>) {
                const V at = dot3(ax, ay, az, set(centre[0]), set(centre[1]), set(centre[2]));
                above = hn::Sub(lo, at), below = hn::Sub(at, hi);
            }
            const V beyond = hn::Sub(hn::Max(above, below), hn::Add(set(radius[i]), set(slack)));
            if constexpr (gaps)
                axes.widen(out, beyond, hn::Sub(above, below), ax, ay, az);
            else
                out = hn::Max(out, beyond);
        }
        const M beyond = hn::Gt(out, hn::Zero(d8));
        alive |= bits(hn::Not(beyond)) << l;
        if constexpr (gaps) {
            least = hn::Min(least, hn::IfThenElse(beyond, out, least));
            hn::Store(out, d8, row->gap + l);
            for (int i = 0; i < 3; ++i) hn::Store(axes.n[i], d8, row->axis[i] + l);
        }
    }
    if constexpr (gaps) *gap = least_lane(least);
    return alive;
}

/// Lanes that certainly meet, and lanes left to the exact predicate; the rest is certainly apart.
struct LaneVerdict {
    unsigned meets = 0, unsure = 0;
    unsigned near = 0;    ///< lanes that no plane separates, those above included
    float gap = endless;  ///< lower bound of the distance of the other lanes, if asked for
};

/// The error of a determinant of differences up to D, in units of D² times the error of a coordinate. Derived in
/// docs/exactness.md ("Triangles").
constexpr float filter_error = 72;

struct LaneTriangles {
    V x[3], y[3], z[3];
};

HWY_INLINE V norm(V x, V y, V z) { return max3(hn::Abs(x), hn::Abs(y), hn::Abs(z)); }

/// Triangles as seen from their corners that are alone on one side of the other's plane. Only the sign bits of the last
/// two members count.
struct LoneCorners {
    V at[3];
    V to[2][3];  ///< edges to the other two corners, in the order of the corners
    V middle;    ///< negative when the corner is the second, so that the edges are in the reverse of the cyclic order
    V below;     ///< negative when the corner is below the plane
};

/// Selects by the sign bit of any pattern, be it a zero or not a number. On x86 it compiles to one blend.
HWY_INLINE V if_negative(V pattern, V yes, V no) {
    return hn::IfThenElse(hn::RebindMask(d8, hn::Lt(hn::BitCast(i32, pattern), hn::Zero(i32))), yes, no);
}

/// `corner(k, j)` is coordinate j of corner k, and h are the corners' heights over the other's plane, not all on one
/// side and none of them zero. Selects by sign bits, because a product of heights may underflow.
template <class Corner>
HWY_INLINE LoneCorners lone_corners(Corner&& corner, const V (&h)[3]) {
    LoneCorners out;
    const V not_third = hn::Xor(h[0], h[1]), not_second = hn::Xor(h[0], h[2]);
    const V first = hn::And(not_third, not_second);
    for (int j = 0; j < 3; ++j) {
        const V a = corner(0, j), b = corner(1, j), c = corner(2, j);
        const V at = if_negative(not_third, if_negative(not_second, a, b), c);
        out.at[j] = at;
        out.to[0][j] = hn::Sub(if_negative(first, b, a), at);
        out.to[1][j] = hn::Sub(if_negative(not_third, c, b), at);
    }
    out.middle = hn::AndNot(not_second, not_third);
    out.below = hn::Xor(not_third, h[2]);  // the other two signs are equal
    return out;
}

/// u · (w × v): six times the volume that two edges span, where w leads from the start of u to the start of v.
HWY_INLINE V across(const V (&u)[3], const V (&w)[3], const V (&v)[3]) {
    return dot3(minor(w[1], w[2], v[1], v[2]), minor(w[2], w[0], v[2], v[0]), minor(w[0], w[1], v[0], v[1]), u[0], u[1],
                u[2]);
}

/// The normals of eight triangles (not of unit length), and the largest component of their edges.
struct LaneNormals {
    alignas(32) float n[3][wide];
    alignas(32) float offset[wide];  ///< n times the first corner: the plane is n · x = offset
    alignas(32) float edge[wide];
    // The height of a corner over a plane, n · x − offset, is off by at most base + slope · m, where m bounds its
    // distance from the plane's triangle.
    alignas(32) float base[wide];
    alignas(32) float slope[wide];
};

/// Computes the planes of triangles whose edges are mapped by a matrix, given by columns, and whose first corners are
/// `corner` once mapped. `eps` bounds the error of every coordinate, `eta` half the error of an edge and its rounding.
/// docs/exactness.md ("Triangles") derives the errors.
template <bool mapped>
HWY_INLINE LaneNormals normals(const float (*v)[wide], const float (*corner)[wide], const float (*map)[3], float eps,
                               float eta) {
    LaneNormals out;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        V e[2][3];
        for (int k = 0; k < 2; ++k) {
            V own[3];
            for (int j = 0; j < 3; ++j) own[j] = hn::Sub(load(v[3 * k + 3 + j] + l), load(v[j] + l));
            for (int j = 0; j < 3; ++j)
                e[k][j] =
                    mapped ? dot3(set(map[0][j]), set(map[1][j]), set(map[2][j]), own[0], own[1], own[2]) : own[j];
        }
        const V nx = minor(e[0][1], e[0][2], e[1][1], e[1][2]), ny = minor(e[0][2], e[0][0], e[1][2], e[1][0]);
        const V nz = minor(e[0][0], e[0][1], e[1][0], e[1][1]);
        const V edge = hn::Max(norm(e[0][0], e[0][1], e[0][2]), norm(e[1][0], e[1][1], e[1][2]));
        const V slope = hn::Mul(hn::Add(edge, set(2 * eta)), set(37 * eta));
        const V size = hn::Add(hn::Abs(nx), hn::Add(hn::Abs(ny), hn::Abs(nz)));
        hn::Store(nx, d8, out.n[0] + l);
        hn::Store(ny, d8, out.n[1] + l);
        hn::Store(nz, d8, out.n[2] + l);
        hn::Store(dot3(nx, ny, nz, load(corner[0] + l), load(corner[1] + l), load(corner[2] + l)), d8, out.offset + l);
        hn::Store(edge, d8, out.edge + l);
        hn::Store(slope, d8, out.slope + l);
        hn::Store(hn::MulAdd(size, set(6.5f * eps), hn::MulAdd(slope, set(2.001f * eps), set(0x1p-100f))), d8,
                  out.base + l);
    }
    return out;
}

/// The height of a point over a plane, n · x − offset.
HWY_INLINE V height(V nx, V ny, V nz, V offset, V x, V y, V z) {
    return hn::MulAdd(nx, x, hn::MulAdd(ny, y, hn::MulSub(nz, z, offset)));
}

/// Bounds the coordinates of all differences between a corner of p and a corner of q. The edges bound the differences
/// from their first corners; one of them includes `edge_error`.
HWY_INLINE V spread(const LaneTriangles& p, const LaneTriangles& q, V edge_p, V edge_q) {
    return hn::Add(hn::Add(edge_p, edge_q),
                   norm(hn::Sub(q.x[0], p.x[0]), hn::Sub(q.y[0], p.y[0]), hn::Sub(q.z[0], p.z[0])));
}
constexpr float edge_error = 16;  ///< times the error of a coordinate

/// The error of a determinant of differences between corners of p and q.
HWY_INLINE V interval_error(V spread, V edge_p, V edge_q, float eps) {
    // Two corners of one triangle differ by twice the edges from its first corner at most.
    const V most = max3(spread, hn::Add(edge_p, edge_p), hn::Add(edge_q, edge_q));
    return hn::MulAdd(hn::Mul(most, most), set(filter_error * eps), set(0x1p-100f));
}

/// 1 / |n|, rounded down by more than a product with it is rounded up, even where squares underflow.
HWY_INLINE V inverse_length(V nx, V ny, V nz) {
    return hn::Div(set(1 - 0x1p-20f), hn::Sqrt(hn::Add(dot3(nx, ny, nz, nx, ny, nz), set(0x1p-100f))));
}

/// The float filter tests eight triangles v (q below) with normals n, of which `lanes` count, against triangle `one` of
/// w (p below) with normals m. `eps` bounds the error of every coordinate.
///
/// Gaps: a separating determinant, divided by the length of its normal or cross product, is the distance along that
/// axis. This also holds in the interval stage. Let I and J be where the edges p0 p1 and q0 q1 cut the common line,
/// with J beyond I. Along the edges' cross product, p0, p1 and I are at one height and q0, q1 and J at another. The
/// rest of p's interval is on I's far side from J, so p2 is farther away than p1; the same holds for q2. Along a
/// computed axis, the corners of an edge that it was made from are not quite at one height. For a plane that error is
/// 36ηF², which its bound has room for. For two edges it is 36D²ε each, so their bound is subtracted twice
/// (docs/exactness.md).
template <bool gaps = false>
HWY_INLINE LaneVerdict filter(const float (*v)[wide], const LaneNormals& n, unsigned lanes, const float (*w)[wide],
                              const LaneNormals& m, unsigned one, float eps) {
    LaneVerdict verdict;
    [[maybe_unused]] V least = set(endless);
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const unsigned here = lanes >> l & ((1u << GRAZE_LANES) - 1);
        if (here == 0) continue;
        LaneTriangles q, p;
        for (int k = 0; k < 3; ++k) {
            q.x[k] = load(v[3 * k] + l), q.y[k] = load(v[3 * k + 1] + l), q.z[k] = load(v[3 * k + 2] + l);
            p.x[k] = set(w[3 * k][one]), p.y[k] = set(w[3 * k + 1][one]), p.z[k] = set(w[3 * k + 2][one]);
        }
        // Heights of q's corners over p's plane, and of p's corners over q's plane.
        V s[3], t[3];
        for (int k = 0; k < 3; ++k) {
            s[k] = height(set(m.n[0][one]), set(m.n[1][one]), set(m.n[2][one]), set(m.offset[one]), q.x[k], q.y[k],
                          q.z[k]);
            t[k] = height(load(n.n[0] + l), load(n.n[1] + l), load(n.n[2] + l), load(n.offset + l), p.x[k], p.y[k],
                          p.z[k]);
        }
        // How far all corners are beyond the plane on one side; negative if they are on both.
        const V beyond_p = hn::Max(min3(s[0], s[1], s[2]), hn::Neg(max3(s[0], s[1], s[2])));
        const V beyond_q = hn::Max(min3(t[0], t[1], t[2]), hn::Neg(max3(t[0], t[1], t[2])));
        const V edge_p = set(m.edge[one] + edge_error * eps), edge_q = load(n.edge + l);
        const V most = spread(p, q, edge_p, edge_q);
        const V err_p = hn::MulAdd(set(m.slope[one]), most, set(m.base[one]));
        const V err_q = hn::MulAdd(load(n.slope + l), most, load(n.base + l));
        const unsigned left = here & ~bits(hn::Or(hn::Gt(beyond_p, err_p), hn::Gt(beyond_q, err_q)));
        [[maybe_unused]] const auto keep = [&](V gap, unsigned lanes_here) HWY_ATTR {
            least = hn::Min(least, hn::IfThenElse(lanes_of(lanes_here), gap, least));
        };
        if constexpr (gaps) {
            const V inv_p = inverse_length(set(m.n[0][one]), set(m.n[1][one]), set(m.n[2][one]));
            const V inv_q = inverse_length(load(n.n[0] + l), load(n.n[1] + l), load(n.n[2] + l));
            keep(hn::Max(hn::Mul(hn::Sub(beyond_p, err_p), inv_p), hn::Mul(hn::Sub(beyond_q, err_q), inv_q)),
                 here & ~left);
        }
        if (left == 0) continue;
        verdict.near |= left << l;
        // If a sign on either side is uncertain, the exact predicate decides.
        const V sure_s = min3(hn::Abs(s[0]), hn::Abs(s[1]), hn::Abs(s[2]));
        const V sure_t = min3(hn::Abs(t[0]), hn::Abs(t[1]), hn::Abs(t[2]));
        const unsigned sure = left & bits(hn::And(hn::Gt(sure_s, err_p), hn::Gt(sure_t, err_q)));
        // Intervals on the common line (Devillers and Guigue 2002). They compare the edges p0 p1 with q0 q1 and p0 p2
        // with q0 q2, where the lone corners come first. The other corners are in cyclic order, and those of a triangle
        // whose partner's lone corner is below change places. If both triangles' edges are reversed, the two values
        // change places and signs, so that it is enough to reverse one triangle's.
        const LoneCorners lp = lone_corners([&](int k, int j) HWY_ATTR { return set(w[3 * k + j][one]); }, t);
        const LoneCorners lq = lone_corners([&](int k, int j) HWY_ATTR { return load(v[3 * k + j] + l); }, s);
        const V reverse_p = hn::Xor(lq.below, lp.middle), reverse_q = hn::Xor(lp.below, lq.middle);
        const V reverse = hn::Xor(reverse_p, reverse_q), sign = hn::And(reverse_p, hn::SignBit(d8));
        V between[3], edges[2][3];
        for (int j = 0; j < 3; ++j) {
            between[j] = hn::Sub(lq.at[j], lp.at[j]);
            edges[0][j] = if_negative(reverse, lq.to[1][j], lq.to[0][j]);
            edges[1][j] = if_negative(reverse, lq.to[0][j], lq.to[1][j]);
        }
        const V f = hn::Xor(across(lp.to[0], between, edges[0]), sign);
        const V g = hn::Neg(hn::Xor(across(lp.to[1], between, edges[1]), sign));
        const V err = interval_error(most, edge_p, edge_q, eps);
        const V greater = hn::Max(f, g);
        const unsigned out = bits(hn::Gt(greater, err)), in = bits(hn::Lt(greater, hn::Neg(err)));
        if constexpr (gaps) {
            const auto gap_of = [&](const V(&e)[3], const V(&o)[3], V det) HWY_ATTR {
                return hn::Mul(hn::Sub(det, hn::Add(err, err)),
                               inverse_length(minor(e[1], e[2], o[1], o[2]), minor(e[2], e[0], o[2], o[0]),
                                              minor(e[0], e[1], o[0], o[1])));
            };
            keep(hn::Max(gap_of(lp.to[0], edges[0], f), gap_of(lp.to[1], edges[1], g)), sure & out);
        }
        verdict.meets |= (sure & in) << l;
        verdict.unsure |= (left & ~(sure & (in | out))) << l;
    }
    if constexpr (gaps) verdict.gap = least_lane(least);
    return verdict;
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per target
