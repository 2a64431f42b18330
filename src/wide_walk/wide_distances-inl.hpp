// SPDX-License-Identifier: Apache-2.0
// Distances of triangles in float32, eight pairs at a time. They decide nothing by themselves: each lane has a lower
// and an upper bound.
#if defined(GRAZE_WIDE_DISTANCES_INL) == defined(HWY_TARGET_TOGGLE)  // once per target
#ifdef GRAZE_WIDE_DISTANCES_INL
#undef GRAZE_WIDE_DISTANCES_INL
#else
#define GRAZE_WIDE_DISTANCES_INL
#endif

#include "wide_walk/wide_triangles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

struct Lane3 {
    V x, y, z;
};

HWY_INLINE Lane3 operator-(const Lane3& a, const Lane3& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE V dot(const Lane3& a, const Lane3& b) { return dot3(a.x, a.y, a.z, b.x, b.y, b.z); }
HWY_INLINE Lane3 cross(const Lane3& a, const Lane3& b) {
    return {minor(a.y, a.z, b.y, b.z), minor(a.z, a.x, b.z, b.x), minor(a.x, a.y, b.x, b.y)};
}
/// a + b · s
HWY_INLINE Lane3 along(const Lane3& a, const Lane3& b, V s) {
    return {hn::MulAdd(b.x, s, a.x), hn::MulAdd(b.y, s, a.y), hn::MulAdd(b.z, s, a.z)};
}
HWY_INLINE Lane3 scaled(const Lane3& a, V s) { return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)}; }
HWY_INLINE Lane3 choose(M m, const Lane3& a, const Lane3& b) {
    return {hn::IfThenElse(m, a.x, b.x), hn::IfThenElse(m, a.y, b.y), hn::IfThenElse(m, a.z, b.z)};
}
HWY_INLINE V clamp01(V x) { return hn::Min(hn::Max(x, hn::Zero(d8)), set(1)); }

/// Three corners in each lane.
struct LaneCorners {
    Lane3 c[3];

    /// Lanes of triangles, from lane l on. v[3k + j] is coordinate j of corner k.
    static HWY_INLINE LaneCorners lanes(const float (*v)[wide], std::size_t l) {
        LaneCorners out;
        for (int k = 0; k < 3; ++k) out.c[k] = {load(v[3 * k] + l), load(v[3 * k + 1] + l), load(v[3 * k + 2] + l)};
        return out;
    }
};

/// A lower bound of the distance: the gap between the extents of p and q along n. It holds for every n, however it was
/// found. `eps` bounds the error of every coordinate.
///
/// A product n · c is off by |n|₁ ε from the corner, and by 3u |n|₁ |c|∞ from rounding, which is at most 1.5 ε |n|₁: ε
/// is at least 2u times the coordinates of A and 9u times those of B. The gap is off by twice that and its own
/// rounding, together by less than 6 ε |n|₁.
HWY_INLINE V gap_along(const Lane3& n, const LaneCorners& p, const LaneCorners& q, V eps) {
    const V p0 = dot(n, p.c[0]), p1 = dot(n, p.c[1]), p2 = dot(n, p.c[2]);
    const V q0 = dot(n, q.c[0]), q1 = dot(n, q.c[1]), q2 = dot(n, q.c[2]);
    const V gap = hn::Max(hn::Sub(min3(q0, q1, q2), max3(p0, p1, p2)), hn::Sub(min3(p0, p1, p2), max3(q0, q1, q2)));
    const V size = hn::Add(hn::Abs(n.x), hn::Add(hn::Abs(n.y), hn::Abs(n.z)));
    return hn::Mul(hn::NegMulAdd(size, hn::Mul(set(6), eps), gap), inverse_length(n.x, n.y, n.z));
}

/// The closest points found so far.
struct LaneNearest {
    V squared;
    Lane3 between;  ///< from one point to the other

    HWY_INLINE M add(const Lane3& d) {
        const V s = dot(d, d);
        const M nearer = hn::Lt(s, squared);
        squared = hn::Min(s, squared);
        between = choose(nearer, d, between);
        return nearer;
    }

    /// The corners of one triangle against the face of another, whose first corner is `at` and whose edges from there
    /// are e and f. A foot counts only if its weights are not negative, so its point is on the triangle whatever the
    /// rounding. If `back` is set, the corners are those of the other triangle, and the way between the points is
    /// reversed.
    template <int count, bool back = false>
    HWY_INLINE void add_corners(const LaneCorners& corners, const Lane3& at, const Lane3& e, const Lane3& f,
                                const Lane3& n) {
        const V inv = hn::Div(set(1), dot(n, n));
        const Lane3 to_e = scaled(cross(f, n), inv), to_f = scaled(cross(n, e), inv);
        for (int k = 0; k < count; ++k) {
            const Lane3 w = corners.c[k] - at;
            const V x = dot(w, to_e), y = dot(w, to_f);
            const M inside = hn::And(hn::Ge(hn::Min(x, y), hn::Zero(d8)), hn::Le(hn::Add(x, y), set(1)));
            Lane3 d = along(along(w, e, hn::Neg(x)), f, hn::Neg(y));
            if constexpr (back) d = {hn::Neg(d.x), hn::Neg(d.y), hn::Neg(d.z)};
            const V s = hn::IfThenElse(inside, dot(d, d), squared);
            const M nearer = hn::Lt(s, squared);
            squared = hn::Min(s, squared);
            between = choose(nearer, d, between);
        }
    }
};

/// An upper bound of the distance of two triangles. Two points that are on the triangles as computed have this squared
/// distance.
///
/// A point a + s·u is off by ε from its corners and by 4u of the coordinates from rounding, which is at most 2 ε, in
/// each coordinate. The difference of two is off by 6 ε, in length by 11 ε. The code takes 16 ε. A square may
/// underflow.
HWY_INLINE V upper_bound(V squared, V eps) {
    return hn::MulAdd(hn::Sqrt(hn::Add(squared, set(0x1p-100f))), set(1 + 0x1p-20f), hn::Mul(set(16), eps));
}

/// Three orthonormal axes by which boxes of triangles are compared, up to rounding.
struct LaneFrame {
    float axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    LaneFrame() {}
    /// The first axis is n, which is not zero.
    explicit LaneFrame(const Vec3& n) {
        const Vec3 x = n * (1 / length(n));
        const int least = std::abs(x.x) < std::abs(x.y) ? (std::abs(x.x) < std::abs(x.z) ? 0 : 2)
                                                        : (std::abs(x.y) < std::abs(x.z) ? 1 : 2);
        const Vec3 along{least == 0 ? 1.0 : 0.0, least == 1 ? 1.0 : 0.0, least == 2 ? 1.0 : 0.0};
        Vec3 y = cross(x, along);
        y = y * (1 / length(y));
        const Vec3 z = cross(x, y);
        for (int j = 0; j < 3; ++j) {
            axis[0][j] = static_cast<float>(x[j]);
            axis[1][j] = static_cast<float>(y[j]);
            axis[2][j] = static_cast<float>(z[j]);
        }
    }
};

/// Boxes around eight triangles in a frame.
struct LaneBoxes {
    alignas(64) float low[3][wide];
    alignas(64) float high[3][wide];

    HWY_INLINE void fit(const float (*v)[wide], const LaneFrame& frame) {
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES)
            for (int i = 0; i < 3; ++i) {
                const V x = set(frame.axis[i][0]), y = set(frame.axis[i][1]), z = set(frame.axis[i][2]);
                const V a = dot3(x, y, z, load(v[0] + l), load(v[1] + l), load(v[2] + l));
                const V b = dot3(x, y, z, load(v[3] + l), load(v[4] + l), load(v[5] + l));
                const V c = dot3(x, y, z, load(v[6] + l), load(v[7] + l), load(v[8] + l));
                hn::Store(min3(a, b, c), d8, low[i] + l);
                hn::Store(max3(a, b, c), d8, high[i] + l);
            }
    }
};

/// The lanes whose boxes are not certainly further than a limit from box `one` of w. `eps` bounds the error of every
/// coordinate. `least` is lowered to the squared distances of the other lanes.
///
/// A gap is off by 6 ε |n|₁ as in `gap_along`, which is below 11 ε. The axes are orthonormal to 2^-21, which the factor
/// below covers.
HWY_INLINE unsigned near_boxes(const LaneBoxes& v, const LaneBoxes& w, unsigned one, float eps, float squared_limit,
                               V& least) {
    unsigned near = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        V squared = hn::Zero(d8);
        for (int i = 0; i < 3; ++i) {
            const V gap = hn::Sub(hn::Max(hn::Sub(load(v.low[i] + l), set(w.high[i][one])),
                                          hn::Sub(set(w.low[i][one]), load(v.high[i] + l))),
                                  set(11 * eps));
            const V positive = hn::Max(gap, hn::Zero(d8));
            squared = hn::MulAdd(positive, positive, squared);
        }
        squared = hn::Mul(squared, set(1 - 0x1p-18f));
        const M beyond = hn::Gt(squared, set(squared_limit));
        least = hn::Min(least, hn::IfThenElse(beyond, squared, least));
        near |= bits(hn::Not(beyond)) << l;
    }
    return near;
}

/// Up to eight pairs of triangles, each in a frame of its own, whose distances are bounded together.
struct NearPairs {
    alignas(64) float p[9][wide] = {};
    alignas(64) float q[9][wide] = {};
    alignas(64) float eps[wide] = {};  ///< bounds the error of every coordinate
    std::uint32_t id_p[wide], id_q[wide];
    unsigned count = 0;
    alignas(64) float low[wide], high[wide];  ///< set by `bound`
    alignas(64) float between[3][wide];       ///< from the closest point of p to that of q, set by `bound`

    HWY_INLINE void add(const float (*of_p)[wide], unsigned i, const float (*of_q)[wide], unsigned j, float error) {
        for (int k = 0; k < 9; ++k) {
            p[k][count] = of_p[k][i];
            q[k][count] = of_q[k][j];
        }
        eps[count++] = error;
    }
    bool full() const { return count == wide; }

    /// Bounds the distances from below and above.
    HWY_NOINLINE void bound() {
        for (std::size_t l = 0; l < count; l += GRAZE_LANES) bound(l);
    }

private:
    HWY_INLINE void bound(std::size_t l) {
        const LaneCorners s = LaneCorners::lanes(p, l), t = LaneCorners::lanes(q, l);
        const V error = load(eps + l), tiny = set(0x1p-120f), one = set(1), zero = hn::Zero(d8);
        const Lane3 u[3] = {s.c[1] - s.c[0], s.c[2] - s.c[1], s.c[0] - s.c[2]};
        const Lane3 v[3] = {t.c[1] - t.c[0], t.c[2] - t.c[1], t.c[0] - t.c[2]};
        const Lane3 n_s = cross(u[0], u[1]), n_t = cross(v[0], v[1]);
        LaneNearest nearest{set(1e38f), {zero, zero, zero}};
        Lane3 edge_s = nearest.between, edge_t = nearest.between;
        V vv[3], inv_vv[3];
        for (int j = 0; j < 3; ++j) {
            vv[j] = dot(v[j], v[j]);
            inv_vv[j] = hn::Div(one, hn::Max(vv[j], tiny));
        }
        for (int i = 0; i < 3; ++i) {
            const V uu = dot(u[i], u[i]), inv_uu = hn::Div(one, hn::Max(uu, tiny));
            for (int j = 0; j < 3; ++j) {
                const Lane3 way = t.c[j] - s.c[i];
                const V b = dot(u[i], v[j]), c = dot(way, u[i]), f = dot(way, v[j]);
                const V den = hn::Max(hn::NegMulAdd(b, b, hn::Mul(uu, vv[j])), tiny);
                const V x0 = clamp01(hn::Div(hn::NegMulAdd(b, f, hn::Mul(c, vv[j])), den));
                const V y = clamp01(hn::Mul(hn::MulSub(b, x0, f), inv_vv[j]));
                const V x = clamp01(hn::Mul(hn::MulAdd(b, y, c), inv_uu));
                const M nearer = nearest.add(along(along(way, v[j], y), u[i], hn::Neg(x)));
                edge_s = choose(nearer, u[i], edge_s);
                edge_t = choose(nearer, v[j], edge_t);
            }
        }
        // A face runs from its first corner along its first edge and the reverse of its last.
        const V minus = set(-1);
        nearest.add_corners<3, true>(s, t.c[0], v[0], scaled(v[2], minus), n_t);
        nearest.add_corners<3>(t, s.c[0], u[0], scaled(u[2], minus), n_s);
        hn::Store(
            hn::Max(hn::Max(gap_along(n_s, s, t, error), gap_along(n_t, s, t, error)),
                    hn::Max(gap_along(nearest.between, s, t, error), gap_along(cross(edge_s, edge_t), s, t, error))),
            d8, low + l);
        hn::Store(upper_bound(nearest.squared, error), d8, high + l);
        hn::Store(nearest.between.x, d8, between[0] + l);
        hn::Store(nearest.between.y, d8, between[1] + l);
        hn::Store(nearest.between.z, d8, between[2] + l);
    }
};

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per target
