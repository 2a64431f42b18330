// SPDX-License-Identifier: Apache-2.0
// One pose on its way through two trees, as one lane of a warp sees it. Compiles for a GPU and for the CPU; float
// operations are fused where `fmaf` says so and nowhere else, so both compute the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "exact/integer_sign.hpp"
#include "exact/inverse.hpp"
#include "exact/triangle_meeting.hpp"
#include "gpu/device_tree.hpp"
#include "gpu/half.hpp"

#ifdef __CUDACC__
#include <cuda_fp16.h>
#define GRAZE_LANE __device__ __forceinline__
#else
#define GRAZE_LANE inline
#endif

namespace graze::gpu {

struct Vec3f {
    float x, y, z;
};
GRAZE_LANE float dot(const Vec3f& a, const Vec3f& b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }
GRAZE_LANE float sum_of_sizes(const Vec3f& a) { return fabsf(a.x) + fabsf(a.y) + fabsf(a.z); }
/// Σ k_j |v_j|.
GRAZE_LANE float radius(const Vec3f& k, const Vec3f& v) {
    return fmaf(k.x, fabsf(v.x), fmaf(k.y, fabsf(v.y), k.z * fabsf(v.z)));
}

inline constexpr float float_u = 0x1p-24f;          ///< unit roundoff of float
inline constexpr float box_error = 48 * float_u;    ///< docs/exactness.md, "Boxes"
inline constexpr float centre_error = 8 * float_u;  ///< docs/exactness.md, "On a GPU"

/// A box whose numbers are unpacked.
struct OpenBox {
    Vec3f centre, axis[3], half;
    std::uint32_t ref;
};

GRAZE_LANE void unpack(const Box* from, OpenBox& out) {
    std::uint32_t w[8];
#ifdef __CUDA_ARCH__
    const uint4 *words = reinterpret_cast<const uint4*>(from), lo = __ldg(words), hi = __ldg(words + 1);
    w[3] = lo.w, w[7] = hi.w;
    const auto halves = [](std::uint32_t v) { return __half22float2(*reinterpret_cast<const __half2*>(&v)); };
    const float2 p = halves(hi.x), q = halves(hi.y), r = halves(hi.z);
    out.axis[0] = {p.x, p.y, q.x}, out.axis[1] = {q.y, r.x, r.y};
    const auto number = [](std::uint32_t bits) { return __uint_as_float(bits); };
    out.centre = {number(lo.x), number(lo.y), number(lo.z)};
#else
    w[3] = from->ref, w[7] = from->half;
    const auto half = [&](int k) { return half_to_float(from->axes[k / 2] >> 16 * (k % 2) & 0xffff); };
    out.axis[0] = {half(0), half(1), half(2)}, out.axis[1] = {half(3), half(4), half(5)};
    const auto number = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
    out.centre = {from->centre[0], from->centre[1], from->centre[2]};
#endif
    out.ref = w[3];
    // Products of two halves are exact in float, so each component is rounded once.
    const Vec3f &a = out.axis[0], &b = out.axis[1];
    out.axis[2] = {fmaf(a.y, b.z, -(a.z * b.y)), fmaf(a.z, b.x, -(a.x * b.z)), fmaf(a.x, b.y, -(a.y * b.x))};
    out.half = {number((w[7] & 0x7ff) << 17) * half_unit, number((w[7] >> 11 & 0x7ff) << 17) * half_unit,
                number(w[7] >> 22 << 18) * half_unit};
}

/// The partner of a test in the frame of the boxes that are opened.
struct Partner {
    Vec3f centre, half;
    Vec3f generator[3];  ///< axes of the zonotope
    Vec3f normal[3];     ///< normals of the slabs
    Vec3f slab;          ///< extents of the slabs
    float slack;
    float error;  ///< `box_error`, or more where the normals are known less well
};

/// How far a box and its partner are apart on the face normal where that is most, less all errors: above 0 they are
/// certainly apart. The lower it is, the deeper the boxes overlap.
template <bool General>
GRAZE_LANE float gap(const OpenBox& box, const Partner& p) {
    const Vec3f d{box.centre.x - p.centre.x, box.centre.y - p.centre.y, box.centre.z - p.centre.z};
    const float slack =
        fmaf(General ? p.error : box_error, sum_of_sizes(d) + (box.half.x + box.half.y + box.half.z), p.slack);
    float r[3][3];
    const float h[3] = {box.half.x, box.half.y, box.half.z};
    float most = -0x1p100f;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int j = 0; j < 3; ++j) r[i][j] = dot(box.axis[i], p.generator[j]);
        most = fmaxf(most, fabsf(dot(box.axis[i], d)) - (radius(p.half, {r[i][0], r[i][1], r[i][2]}) + h[i]));
    }
    const float slab[3] = {p.slab.x, p.slab.y, p.slab.z};
#pragma unroll
    for (int j = 0; j < 3; ++j) {
        if (General) {
#pragma unroll
            for (int i = 0; i < 3; ++i) r[i][j] = dot(box.axis[i], p.normal[j]);
        }
        most = fmaxf(most, fabsf(dot(p.normal[j], d)) - (radius(box.half, {r[0][j], r[1][j], r[2][j]}) + slab[j]));
    }
    return most - slack;
}

/// A placement of B in A's frame as numbers of one kind, by rows.
template <class Real>
struct Rows {
    Real m[3][3], t[3];
};

/// Whether all numbers are those of an affine placement. NaN is none: it fails every comparison.
template <class Real>
GRAZE_LANE bool in_range(const Rows<Real>& r) {
    bool good = true;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int j = 0; j < 3; ++j) good = good && fabs(static_cast<double>(r.m[i][j])) <= Affine::max_entry;
        good = good && fabs(static_cast<double>(r.t[i])) <= max_coordinate;
    }
    return good;
}

/// Drops NaN, as `fmax` does.
GRAZE_LANE double largest(double a, double b, double c) { return fmax(fmax(fabs(a), fabs(b)), fabs(c)); }

/// The numbers of two trees that are the same for all poses.
struct Frames {
    TreeFrame a, b;
    int size_offset;  ///< added to B's sizes before they are compared with A's
    float s, inv_s;   ///< B's unit over A's, and the reverse: powers of two
};

/// Frames of two trees whose units are within 2^36 of each other.
inline Frames frames_of(const TreeFrame& a, const TreeFrame& b) {
    return {a, b, 2 * (std::ilogb(b.unit) - std::ilogb(a.unit)), static_cast<float>(b.unit / a.unit),
            static_cast<float>(a.unit / b.unit)};
}

/// How far a lane can decide a pose.
enum class Fitness : std::uint8_t { Good, FarApart, NotRigid, Beyond };

/// A rigid placement in float, for boxes. In units of A's tree, y = s R x + d; in units of B's, x = Rᵀ y / s + e.
struct RigidPlacement {
    float m[3][3], d[3], e[3];
    float slack_a, slack_b;  ///< where A's boxes are opened, and where B's are
    float skew;              ///< 8 δ: generators and normals are off by at most half of that

    template <class Real>
    GRAZE_LANE Fitness set(const Frames& f, const Rows<Real>& rows) {
        if (!in_range(rows)) return Fitness::Beyond;
#pragma unroll
        for (int i = 0; i < 3; ++i)
#pragma unroll
            for (int j = 0; j < 3; ++j) m[i][j] = static_cast<float>(rows.m[i][j]);
        const double t = largest(rows.t[0], rows.t[1], rows.t[2]);
        float delta = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i)
#pragma unroll
            for (int j = i; j < 3; ++j) {
                const float entry =
                    fmaf(m[0][i], m[0][j], fmaf(m[1][i], m[1][j], fmaf(m[2][i], m[2][j], i == j ? -1.0f : 0.0f)));
                delta = fmaxf(delta, fabsf(entry));
            }
        if (!(delta <= 0.0125f)) return Fitness::NotRigid;
        delta += 8 * float_u;  // the entries are off by 4u from rounding m, and by 3u from rounding here
        const double inv_unit = 1 / f.a.unit;
        double offset[3];
#pragma unroll
        for (int i = 0; i < 3; ++i)
            offset[i] = (rows.m[i][0] * f.b.origin[0] + rows.m[i][1] * f.b.origin[1] + rows.m[i][2] * f.b.origin[2] +
                         rows.t[i] - f.a.origin[i]) *
                        inv_unit;
        const double far = largest(offset[0], offset[1], offset[2]);
        const double ratio = f.b.unit * inv_unit;
        // A is within 1 per coordinate of its origin and B within 2s, and s is at most 2^36.
        if (!(far <= 0x1p40)) return Fitness::FarApart;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            d[i] = static_cast<float>(offset[i]);
            e[i] = static_cast<float>(
                -(rows.m[0][i] * offset[0] + rows.m[1][i] * offset[1] + rows.m[2][i] * offset[2]) / ratio);
        }
        const double alpha = 0x1p-47 * (f.a.bound + f.b.bound + t) + 0x1p-1070;
        const auto along = static_cast<float>(far);
        slack_a =
            fmaf(centre_error, fmaf(1.05f * f.s, f.b.reach, along), static_cast<float>(alpha * inv_unit)) + 0x1p-100f;
        // The transpose is the inverse only to 3.1 δ, relative to what it is applied to.
        const float from_a = f.inv_s * (f.a.reach + 2 * along);
        slack_b = fmaf(centre_error, 1.05f * from_a, fmaf(6 * delta, from_a, static_cast<float>(alpha / f.b.unit))) +
                  0x1p-100f;
        skew = 8 * delta;
        return Fitness::Good;
    }

    /// B's box among A's boxes if `open_a`, else A's box among B's.
    GRAZE_LANE void place(const Frames& f, const OpenBox& box, bool open_a, Partner& out) const {
        const float k = open_a ? f.s : f.inv_s;
        const Vec3f at{open_a ? d[0] : e[0], open_a ? d[1] : e[1], open_a ? d[2] : e[2]};
        const Vec3f row[3] = {{m[0][0], open_a ? m[0][1] : m[1][0], open_a ? m[0][2] : m[2][0]},
                              {open_a ? m[1][0] : m[0][1], m[1][1], open_a ? m[1][2] : m[2][1]},
                              {open_a ? m[2][0] : m[0][2], open_a ? m[2][1] : m[1][2], m[2][2]}};
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            const Vec3f& a = box.axis[j];
            out.generator[j] = out.normal[j] = {dot(row[0], a), dot(row[1], a), dot(row[2], a)};
        }
        const Vec3f c{box.centre.x * k, box.centre.y * k, box.centre.z * k};  // exact: k is a power of two
        out.centre = {fmaf(row[0].x, c.x, fmaf(row[0].y, c.y, fmaf(row[0].z, c.z, at.x))),
                      fmaf(row[1].x, c.x, fmaf(row[1].y, c.y, fmaf(row[1].z, c.z, at.y))),
                      fmaf(row[2].x, c.x, fmaf(row[2].y, c.y, fmaf(row[2].z, c.z, at.z)))};
        out.half = out.slab = {box.half.x * k, box.half.y * k, box.half.z * k};
        out.slack = fmaf(box_error + skew, out.half.x + out.half.y + out.half.z, open_a ? slack_a : slack_b);
    }
};

/// Any invertible placement, for boxes. With powers of two σ and τ such that ‖G‖ ≤ 1 and ‖V‖ ≤ 1, y = σ G x + d in
/// units of A's tree and x = τ V y + e in units of B's.
struct GeneralPlacement {
    float g[3][3], v[3][3], d[3], e[3];
    float sigma, tau;
    float slack_a, slack_b;

    /// `Beyond` where float arithmetic would not do: see docs/exactness.md, "Range".
    template <class Real>
    GRAZE_LANE Fitness set(const Frames& f, const Rows<Real>& rows) {
        if (!in_range(rows)) return Fitness::Beyond;
        const Mat3 m{{Vec3{rows.m[0][0], rows.m[0][1], rows.m[0][2]}, Vec3{rows.m[1][0], rows.m[1][1], rows.m[1][2]},
                      Vec3{rows.m[2][0], rows.m[2][1], rows.m[2][2]}}};
        const double t = largest(rows.t[0], rows.t[1], rows.t[2]);
        const double size = detail::norm(m);
        if (!(size >= 0x1p-80 && size <= 0x1p23)) return Fitness::Beyond;
        const detail::Inverse inverse(m);
        const Mat3& w = inverse.matrix;
        const double inverse_size = detail::norm(w) * (1 + 0x1p-20);
        const double rho = inverse.residual(m);
        if (!(size * inverse_size <= 0x1p16 && rho <= 0x1p-23)) return Fitness::Beyond;
        const double ratio = f.b.unit / f.a.unit;
        const double up = detail::power_above(size), down = detail::power_above(inverse_size);
        if (!(up * ratio <= 0x1p36 && down / ratio <= 0x1p36 && inverse_size * (f.a.bound + t) <= 0x1p1000))
            return Fitness::Beyond;
        const Vec3 origin{f.b.origin[0], f.b.origin[1], f.b.origin[2]};
        double far_a = 0, far_b = 0, offset[3];
        for (int i = 0; i < 3; ++i) {
            offset[i] = (dot(m.row[i], origin) + rows.t[i] - f.a.origin[i]) / f.a.unit;
            far_a = fmax(far_a, fabs(offset[i]));
            d[i] = static_cast<float>(offset[i]);
        }
        for (int i = 0; i < 3; ++i) {
            const double back = -dot(w.row[i], {offset[0], offset[1], offset[2]}) / ratio;
            far_b = fmax(far_b, fabs(back));
            e[i] = static_cast<float>(back);
        }
        if (!(far_a <= 0x1p40 && far_b <= 0x1p40)) return Fitness::Beyond;
        for (int i = 0; i < 9; ++i) {
            g[i / 3][i % 3] = static_cast<float>(m.row[i / 3][i % 3] / up);
            v[i / 3][i % 3] = static_cast<float>(w.row[i / 3][i % 3] / down);
        }
        sigma = static_cast<float>(up * ratio);
        tau = static_cast<float>(down / ratio);
        const double alpha_a = 0x1p-47 * (f.a.bound + 2 * size * f.b.bound + t) + 0x1p-1070;
        const double alpha_b = inverse_size * (2 * alpha_a + 8 * rho * (f.a.bound + t));
        slack_a = centre_error * static_cast<float>(far_a + 1.05 * sigma * f.b.reach) +
                  static_cast<float>(1.0001 * alpha_a / f.a.unit) + 0x1p-100f;
        slack_b = centre_error * static_cast<float>(far_b + 1.05 * tau * f.a.reach) +
                  static_cast<float>(1.0001 * alpha_b / f.b.unit) + 0x1p-100f;
        return slack_a < 0x1p60f && slack_b < 0x1p60f ? Fitness::Good : Fitness::Beyond;
    }

    /// B's box among A's boxes if `open_a`, else A's box among B's.
    GRAZE_LANE void place(const Frames&, const OpenBox& box, bool open_a, Partner& out) const {
        const float grow = open_a ? sigma : tau, shrink = open_a ? tau : sigma;
        Vec3f row[3], column[3];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            row[i] = {open_a ? g[i][0] : v[i][0], open_a ? g[i][1] : v[i][1], open_a ? g[i][2] : v[i][2]};
            column[i] = {open_a ? v[0][i] : g[0][i], open_a ? v[1][i] : g[1][i], open_a ? v[2][i] : g[2][i]};
        }
        const float k[3] = {box.half.x, box.half.y, box.half.z};
        float slab[3], longest = 1;
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            const Vec3f& a = box.axis[j];
            out.generator[j] = {dot(row[0], a), dot(row[1], a), dot(row[2], a)};
            const Vec3f n{dot(column[0], a), dot(column[1], a), dot(column[2], a)};
            // The same factor on both sides of the test: its own error does not count.
            const float unit = 1 / sqrtf(dot(n, n));
            out.normal[j] = {n.x * unit, n.y * unit, n.z * unit};
            slab[j] = k[j] * (unit / shrink);
            longest = fmaxf(longest, 0.25f * unit);
        }
        const Vec3f c{box.centre.x * grow, box.centre.y * grow, box.centre.z * grow};  // exact: a power of two
        const Vec3f at{open_a ? d[0] : e[0], open_a ? d[1] : e[1], open_a ? d[2] : e[2]};
        out.centre = {fmaf(row[0].x, c.x, fmaf(row[0].y, c.y, fmaf(row[0].z, c.z, at.x))),
                      fmaf(row[1].x, c.x, fmaf(row[1].y, c.y, fmaf(row[1].z, c.z, at.y))),
                      fmaf(row[2].x, c.x, fmaf(row[2].y, c.y, fmaf(row[2].z, c.z, at.z)))};
        out.half = {k[0] * grow, k[1] * grow, k[2] * grow};
        out.slab = {slab[0], slab[1], slab[2]};
        out.error = box_error * longest;
        out.slack = fmaf(out.error, out.half.x + out.half.y + out.half.z, open_a ? slack_a : slack_b);
    }
};

/// The verdict on two triangles.
enum class Verdict : std::uint8_t { Apart, Meet, Undecided };

/// Asks nobody where double arithmetic does not decide.
struct NoTies {
    bool any = false;
};
constexpr int tie3d(NoTies& ties, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    ties.any = ties.any || !detail::coincide(a, b, c, d);
    return 0;
}

/// Asks integers of up to 256 bits, which is as much as a GPU's registers bear.
struct ShortTies {
    bool beyond = false;
};
#ifdef __CUDACC__
__noinline__
#endif
    constexpr int
    tie3d(ShortTies& ties, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    if (detail::coincide(a, b, c, d)) return 0;
    const int sign = detail::orient3d_integers<4>(a, b, c, d);
    if (sign != detail::too_wide) return sign;
    ties.beyond = true;
    return 0;
}
#ifdef __CUDACC__
__noinline__
#endif
    constexpr int
    tie2d(ShortTies& ties, const detail::Vec2& a, const detail::Vec2& b, const detail::Vec2& c) {
    const int sign = detail::orient2d_integers<4>(a, b, c);
    if (sign != detail::too_wide) return sign;
    ties.beyond = true;
    return 0;
}

GRAZE_LANE Vec3 pick(bool first, const Vec3& a, const Vec3& b) {
    return {first ? a.x : b.x, first ? a.y : b.y, first ? a.z : b.z};
}
/// A triangle with a lone corner first: the one whose sign differs from the two others. With `exchange` the others
/// trade places. Numbers are chosen and not addresses, so that all stay in registers.
GRAZE_LANE Triangle turned(const Triangle& t, const int (&side)[3], bool exchange) {
    const bool first = side[1] == side[2], second = side[0] == side[2];
    const Vec3 p = pick(first, t.a, pick(second, t.b, t.c));
    const Vec3 q = pick(first, t.b, pick(second, t.c, t.a));
    const Vec3 r = pick(first, t.c, pick(second, t.a, t.b));
    return {p, pick(exchange, r, q), pick(exchange, q, r)};
}

/// Decides two triangles by double arithmetic where no sign is close to zero, as `decide` does (triangle_meeting.hpp).
GRAZE_LANE Verdict quick_verdict(const Triangle& s, const Triangle& t) {
    NoTies ties;
    const detail::Plane t_plane(t.a, t.b, t.c);
    const int s_side[3] = {t_plane.side(s.a, ties), t_plane.side(s.b, ties), t_plane.side(s.c, ties)};
    const int s_sum = s_side[0] + s_side[1] + s_side[2];
    if (s_sum == 3 || s_sum == -3) return Verdict::Apart;
    const detail::Plane s_plane(s.a, s.b, s.c);
    const int t_side[3] = {s_plane.side(t.a, ties), s_plane.side(t.b, ties), s_plane.side(t.c, ties)};
    const int t_sum = t_side[0] + t_side[1] + t_side[2];
    if (t_sum == 3 || t_sum == -3) return Verdict::Apart;
    if (s_side[0] * s_side[1] * s_side[2] * t_side[0] * t_side[1] * t_side[2] == 0) return Verdict::Undecided;
    // Two corners share a side, so the sum has their sign and the lone corner the other one.
    const Triangle u = turned(s, s_side, t_sum > 0), v = turned(t, t_side, s_sum > 0);
    const int first = detail::Plane(u.a, u.b, v.a).side(v.b, ties);
    if (first > 0) return Verdict::Apart;
    const int second = detail::Plane(u.a, u.c, v.a).side(v.c, ties);
    if (second < 0) return Verdict::Apart;
    return first == 0 || second == 0 ? Verdict::Undecided : Verdict::Meet;
}

/// Decides two triangles, unless that takes more than 256 bits.
GRAZE_LANE Verdict thorough_verdict(const Triangle& s, const Triangle& t) {
    ShortTies ties;
    const Meeting m = detail::triangle_cases::decide(s, t, 0, ties);
    return ties.beyond ? Verdict::Undecided : m == Meeting::Apart ? Verdict::Apart : Verdict::Meet;
}

GRAZE_LANE Triangle load(const LeafTriangle* triangles, std::uint32_t i) {
    const double* c = triangles[i].corner;
#ifdef __CUDA_ARCH__
    const double2* p = reinterpret_cast<const double2*>(c);
    const double2 v0 = __ldg(p), v1 = __ldg(p + 1), v2 = __ldg(p + 2), v3 = __ldg(p + 3);
    return {{v0.x, v0.y, v1.x}, {v1.y, v2.x, v2.y}, {v3.x, v3.y, __ldg(c + 8)}};
#else
    return {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}, {c[6], c[7], c[8]}};
#endif
}

/// Maps a corner as every query does (docs/exactness.md): operations are rounded one by one.
template <class Real>
GRAZE_LANE Vec3 mapped(const Rows<Real>& r, const Vec3& p) {
    return {((r.m[0][0] * p.x + r.m[0][1] * p.y) + r.m[0][2] * p.z) + r.t[0],
            ((r.m[1][0] * p.x + r.m[1][1] * p.y) + r.m[1][2] * p.z) + r.t[1],
            ((r.m[2][0] * p.x + r.m[2][1] * p.y) + r.m[2][2] * p.z) + r.t[2]};
}

}  // namespace graze::gpu
