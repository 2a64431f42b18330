// SPDX-License-Identifier: Apache-2.0
#include "wide/wide_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide/wide_fit.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide/wide_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

constexpr float huge = std::numeric_limits<float>::max();

void range_along(const float* axes, const WideLeaf* leaves, const Vec3* at, std::size_t n, Range* out) {
    const hn::CappedTag<float, wide> d;
    for (int a = 0; a < 3; ++a) out->lo[a] = huge, out->hi[a] = -huge;
    for (std::size_t l = 0; l < wide; l += hn::Lanes(d)) {
        auto lo0 = hn::Set(d, huge), hi0 = hn::Set(d, -huge), lo1 = lo0, lo2 = lo0, hi1 = hi0, hi2 = hi0;
        for (std::size_t i = 0; i < n; ++i) {
            float base[3];
            for (int a = 0; a < 3; ++a)
                base[a] =
                    static_cast<float>(axes[3 * a] * at[i].x + axes[3 * a + 1] * at[i].y + axes[3 * a + 2] * at[i].z);
            for (int k = 0; k < 3; ++k) {
                const auto x = hn::Load(d, leaves[i].v[3 * k] + l), y = hn::Load(d, leaves[i].v[3 * k + 1] + l),
                           z = hn::Load(d, leaves[i].v[3 * k + 2] + l);
                const auto along = [&](int a) HWY_ATTR {
                    return hn::MulAdd(hn::Set(d, axes[3 * a]), x,
                                      hn::MulAdd(hn::Set(d, axes[3 * a + 1]), y,
                                                 hn::MulAdd(hn::Set(d, axes[3 * a + 2]), z, hn::Set(d, base[a]))));
                };
                const auto s0 = along(0), s1 = along(1), s2 = along(2);
                lo0 = hn::Min(lo0, s0), hi0 = hn::Max(hi0, s0);
                lo1 = hn::Min(lo1, s1), hi1 = hn::Max(hi1, s1);
                lo2 = hn::Min(lo2, s2), hi2 = hn::Max(hi2, s2);
            }
        }
        out->lo[0] = std::min(out->lo[0], hn::GetLane(hn::MinOfLanes(d, lo0)));
        out->lo[1] = std::min(out->lo[1], hn::GetLane(hn::MinOfLanes(d, lo1)));
        out->lo[2] = std::min(out->lo[2], hn::GetLane(hn::MinOfLanes(d, lo2)));
        out->hi[0] = std::max(out->hi[0], hn::GetLane(hn::MaxOfLanes(d, hi0)));
        out->hi[1] = std::max(out->hi[1], hn::GetLane(hn::MaxOfLanes(d, hi1)));
        out->hi[2] = std::max(out->hi[2], hn::GetLane(hn::MaxOfLanes(d, hi2)));
    }
}

void triangle_boxes(const Vec3* points, const Corners* triangles, std::size_t first, std::size_t last,
                    const Vec3& origin, double inv_unit, Box4* out, Bounds& all) {
    const D4 d;
    const F4 f;
    for (std::size_t l = 0; l < 4; l += hn::Lanes(d)) {
        const auto from = load3(d, &origin.x, l), scale = hn::Set(d, inv_unit);
        auto all_lo = hn::LoadU(d, all.lo + l), all_hi = hn::LoadU(d, all.hi + l);
        for (std::size_t i = first; i < last; ++i) {
            const Corners& t = triangles[i];
            const auto a = load3(d, &points[t[0]].x, l), b = load3(d, &points[t[1]].x, l),
                       c = load3(d, &points[t[2]].x, l);
            const auto lo = hn::Min(a, hn::Min(b, c)), hi = hn::Max(a, hn::Max(b, c));
            all_lo = hn::Min(all_lo, lo), all_hi = hn::Max(all_hi, hi);
            hn::StoreU(hn::DemoteTo(f, hn::Mul(hn::Sub(lo, from), scale)), f, out[i - first].lo + l);
            hn::StoreU(hn::DemoteTo(f, hn::Mul(hn::Sub(hi, from), scale)), f, out[i - first].hi + l);
        }
        hn::StoreU(all_lo, d, all.lo + l);
        hn::StoreU(all_hi, d, all.hi + l);
    }
}

using Corner = const double* [wide];

HWY_INLINE void corners_of(const Vec3* points, const Corners* triangles, const WideLeaf& leaf, Corner corner[3]) {
    for (unsigned k = 0; k < wide; ++k)
        for (int v = 0; v < 3; ++v) corner[v][k] = &points[triangles[leaf.id[k]][v]].x;
}

/// Transposes: rows[j][k] = t[k][j] for three rows.
HWY_INLINE void transpose(const float (*t)[4], float (*rows)[wide]) {
    const hn::CappedTag<float, wide> d;
    for (std::size_t l = 0; l < wide; l += hn::Lanes(d)) {
        hn::Vec<decltype(d)> x, y, z, idle;
        hn::LoadInterleaved4(d, t[l], x, y, z, idle);
        hn::Store(x, d, rows[0] + l);
        hn::Store(y, d, rows[1] + l);
        hn::Store(z, d, rows[2] + l);
    }
}

HWY_INLINE void place(const Corner corner[3], const double* centre, double inv_unit, WideLeaf& leaf) {
    const D4 d;
    const F4 f;
    alignas(64) float t[3][wide][4];
    for (std::size_t l = 0; l < 4; l += hn::Lanes(d)) {
        const auto c = load3(d, centre, l), scale = hn::Set(d, inv_unit);
        for (int v = 0; v < 3; ++v)
            for (unsigned k = 0; k < wide; ++k) {
                const auto x = hn::Mul(hn::Sub(load3(d, corner[v][k], l), c), scale);
                hn::Store(hn::DemoteTo(f, x), f, t[v][k] + l);
            }
    }
    for (int v = 0; v < 3; ++v) transpose(t[v], leaf.v + 3 * v);
}

/// Constants of aligned extents. `wider` times the difference of two doubles, rounded to float, is no smaller than the
/// difference. `least`, in units, covers what vanishes below the smallest float or double (2⁻¹⁰⁷⁵ for units of 2⁻¹⁰⁰⁰).
constexpr double wider = 1 + 0x1p-22, least = 0x1p-72;

void fit_aligned_leaves(const WideParts& p, const Vec3* points, const Corners* triangles, std::size_t first,
                        std::size_t last, Bounds& all) {
    const D4 d;
    const F4 f;
    const double inv_unit = 1 / p.unit;
    for (std::size_t i = first; i < last; ++i) {
        WideLeaf& leaf = p.leaves[i];
        WideBox& box = p.boxes[p.first_leaf + i];
        alignas(64) double centre[4];
        alignas(64) float half[4];
        alignas(64) float t[3][wide][4];
        for (std::size_t l = 0; l < 4; l += hn::Lanes(d)) {
            hn::Vec<D4> x[3 * leaf_triangles];
            for (unsigned k = 0; k < wide; ++k) {
                const Corners& c = triangles[leaf.id[k]];
                for (int v = 0; v < 3; ++v) x[3 * k + v] = load3(d, &points[c[v]].x, l);
            }
            // Two chains of minima and two of maxima hide the latency of each operation.
            auto lo = x[0], hi = x[0], lo2 = x[1], hi2 = x[1];
            for (unsigned k = 2; k < 3 * leaf_triangles; k += 2) {
                lo = hn::Min(lo, x[k]), hi = hn::Max(hi, x[k]);
                lo2 = hn::Min(lo2, x[k + 1]), hi2 = hn::Max(hi2, x[k + 1]);
            }
            lo = hn::Min(lo, lo2), hi = hn::Max(hi, hi2);
            const auto c = hn::Add(hn::Mul(lo, hn::Set(d, 0.5)), hn::Mul(hi, hn::Set(d, 0.5)));
            const auto h = hn::Mul(hn::Max(hn::Sub(hi, c), hn::Sub(c, lo)), hn::Set(d, inv_unit));
            hn::Store(c, d, centre + l);
            hn::Store(hn::DemoteTo(f, hn::Add(hn::Mul(h, hn::Set(d, wider)), hn::Set(d, least))), f, half + l);
            hn::StoreU(hn::Min(lo, hn::LoadU(d, all.lo + l)), d, all.lo + l);
            hn::StoreU(hn::Max(hi, hn::LoadU(d, all.hi + l)), d, all.hi + l);
            for (unsigned k = 0; k < wide; ++k)
                for (int v = 0; v < 3; ++v)
                    hn::Store(hn::DemoteTo(f, hn::Mul(hn::Sub(x[3 * k + v], c), hn::Set(d, inv_unit))), f, t[v][k] + l);
        }
        for (int j = 0; j < 3; ++j) box.centre[j] = centre[j], box.half[j] = half[j];
        for (int v = 0; v < 3; ++v) transpose(t[v], leaf.v + 3 * v);
    }
}

void place_corners(const WideParts& p, const Vec3* points, const Corners* triangles, std::size_t i) {
    Corner corner[3];
    corners_of(points, triangles, p.leaves[i], corner);
    place(corner, p.boxes[p.first_leaf + i].centre, 1 / p.unit, p.leaves[i]);
}

HWY_INLINE void fill(const WideParts& p, std::size_t i) {
    const D4 d;
    const F4 f;
    WideNode& node = p.nodes[i];
    const WideBox& own = p.boxes[i];
    alignas(64) float centre[wide][4] = {}, half[wide][4] = {};
    for (unsigned k = 0; k < own.count; ++k) {
        const WideBox& b = p.boxes[node.ref[k]];
        for (std::size_t l = 0; l < 4; l += hn::Lanes(d)) {
            const auto x = hn::Sub(load3(d, b.centre, l), load3(d, own.centre, l));
            hn::Store(hn::DemoteTo(f, hn::Mul(x, hn::Set(d, 1 / p.unit))), f, centre[k] + l);
        }
        for (int j = 0; j < 3; ++j) half[k][j] = b.half[j];
    }
    alignas(64) float h[3][wide];
    transpose(centre, node.centre);
    transpose(half, h);
    float reach = 0;
    for (std::size_t l = 0; l < wide; l += hn::Lanes(d8)) {
        const auto far =
            hn::Add(hn::Abs(hn::Load(d8, node.centre[0] + l)),
                    hn::Add(hn::Abs(hn::Load(d8, node.centre[1] + l)), hn::Abs(hn::Load(d8, node.centre[2] + l))));
        // The centre is rounded by half an ulp per coordinate, along an axis of length one: u·far, doubled. 8u covers
        // four more roundings and that of 1 / axis_unit.
        const auto off = hn::Mul(far, hn::Set(d8, 0x1p-23f));
        const auto live = hn::Lt(hn::Iota(d8, static_cast<float>(l)), hn::Set(d8, own.count));
        auto extent = far;
        for (int j = 0; j < 3; ++j) {
            const auto e = hn::Add(hn::Add(hn::Load(d8, h[j] + l), off), hn::Set(d8, 0x1p-120f));
            extent = hn::Add(extent, hn::Add(e, e));
            hn::Store(hn::IfThenElse(live, hn::Mul(e, hn::Set(d8, (1 + 0x1p-21f) / axis_unit)), hn::Set(d8, -1e30f)),
                      d8, node.half[j] + l);
        }
        reach = std::max(reach, hn::GetLane(hn::MaxOfLanes(d8, hn::IfThenElseZero(live, extent))));
    }
    node.reach = reach;
}

void fill_lanes(const WideParts& p, std::size_t i) { fill(p, i); }

void fit_aligned_nodes(const WideParts& p, std::size_t first, std::size_t last) {
    const D4 d;
    const F4 f;
    const double inv_unit = 1 / p.unit;
    for (std::size_t i = last; i-- > first;) {
        WideBox& box = p.boxes[i];
        const WideNode& node = p.nodes[i];
        alignas(64) double centre[4];
        alignas(64) float half[4];
        for (std::size_t l = 0; l < 4; l += hn::Lanes(d)) {
            // Coordinates are relative to the first child's centre. Far from the origin, a model may be smaller than
            // the rounding of its coordinates.
            const auto from = load3(d, p.boxes[node.ref[0]].centre, l);
            auto lo = hn::Set(d, std::numeric_limits<double>::infinity()), hi = hn::Neg(lo);
            for (unsigned k = 0; k < box.count; ++k) {
                const WideBox& b = p.boxes[node.ref[k]];
                // The lane after half[2] holds the size and is idle.
                const auto c = hn::Sub(load3(d, b.centre, l), from);
                const auto h = hn::Mul(hn::PromoteTo(d, hn::LoadU(f, b.half + l)), hn::Set(d, p.unit));
                lo = hn::Min(lo, hn::Sub(c, h)), hi = hn::Max(hi, hn::Add(c, h));
            }
            const auto c = hn::Add(from, hn::Add(hn::Mul(lo, hn::Set(d, 0.5)), hn::Mul(hi, hn::Set(d, 0.5))));
            const auto at = hn::Sub(c, from);
            // Each end is rounded twice, to 2⁻⁵³ of itself, and `at` once.
            const auto ends = hn::Mul(hn::Max(hn::Abs(at), hn::Max(hn::Abs(lo), hn::Abs(hi))), hn::Set(d, 0x1p-50));
            const auto h = hn::Mul(hn::Add(hn::Max(hn::Sub(hi, at), hn::Sub(at, lo)), ends), hn::Set(d, inv_unit));
            hn::Store(c, d, centre + l);
            hn::Store(hn::DemoteTo(f, hn::Add(hn::Mul(h, hn::Set(d, wider)), hn::Set(d, least))), f, half + l);
        }
        for (int j = 0; j < 3; ++j) box.centre[j] = centre[j], box.half[j] = half[j];
        box.size = half[0] + half[1] + half[2];
        fill(p, i);
    }
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

namespace {

HWY_EXPORT(range_along);
HWY_EXPORT(triangle_boxes);
HWY_EXPORT(fit_aligned_leaves);
HWY_EXPORT(fit_aligned_nodes);
HWY_EXPORT(place_corners);
HWY_EXPORT(fill_lanes);

}  // namespace

Range range_along(const float axes[9], std::span<const WideLeaf> leaves, const Vec3* at) {
    Range range;
    HWY_DYNAMIC_DISPATCH(range_along)(axes, leaves.data(), at, leaves.size(), &range);
    return range;
}

double Bounds::bound() const {
    double most = 0;
    for (int j = 0; j < 3; ++j) most = std::max({most, std::abs(lo[j]), std::abs(hi[j])});
    return most;
}

double Bounds::unit() const {
    double half = 0;
    for (int j = 0; j < 3; ++j) half = std::max(half, hi[j] / 2 - lo[j] / 2);
    const double size = half > 0 ? half : bound() > 0 ? bound() : 1;
    // Clamped, so that the inverse is finite too.
    return std::ldexp(1.0, std::clamp(std::ilogb(size) + 1, -1000, 1002));
}

Bounds bounds_of(std::span<const Vec3> points) {
    // Four points at a time: compilers turn such loops into vector code.
    Bounds all;
    double lo[12], hi[12];
    for (int k = 0; k < 12; ++k) lo[k] = all.lo[k % 3], hi[k] = all.hi[k % 3];
    std::size_t i = 0;
    for (; i + 4 <= points.size(); i += 4) {
        const double* p = &points[i].x;
        for (int k = 0; k < 12; ++k) lo[k] = p[k] < lo[k] ? p[k] : lo[k];
        for (int k = 0; k < 12; ++k) hi[k] = p[k] > hi[k] ? p[k] : hi[k];
    }
    for (int k = 0; k < 12; ++k) {
        all.lo[k % 3] = std::min(all.lo[k % 3], lo[k]);
        all.hi[k % 3] = std::max(all.hi[k % 3], hi[k]);
    }
    for (; i < points.size(); ++i)
        for (int j = 0; j < 3; ++j) {
            all.lo[j] = std::min(all.lo[j], points[i][j]);
            all.hi[j] = std::max(all.hi[j], points[i][j]);
        }
    return all;
}

Bounds triangle_boxes(const Geometry& g, std::size_t first, std::size_t last, const Vec3& origin, double unit,
                      Box4* out) {
    Bounds all;
    HWY_DYNAMIC_DISPATCH(triangle_boxes)
    (g.points.data(), g.triangles.data(), first, last, origin, 1 / unit, out, all);
    return all;
}

Bounds fit_aligned_leaves(const WideParts& parts, const Geometry& g, std::size_t first, std::size_t last) {
    Bounds all;
    HWY_DYNAMIC_DISPATCH(fit_aligned_leaves)(parts, g.points.data(), g.triangles.data(), first, last, all);
    return all;
}

void place_corners(const WideParts& parts, const Geometry& g, std::size_t leaf) {
    HWY_DYNAMIC_DISPATCH(place_corners)(parts, g.points.data(), g.triangles.data(), leaf);
}

void fit_aligned_nodes(const WideParts& parts, std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(fit_aligned_nodes)(parts, first, last);
}

void fill_lanes(const WideParts& parts, std::size_t node) { HWY_DYNAMIC_DISPATCH(fill_lanes)(parts, node); }

Vec3 middle(const WideBox& box, const double lo[3], const double hi[3]) {
    double q[9];
    axes_of(box, q);
    Vec3 c;
    for (int a = 0; a < 3; ++a) c = c + Vec3{q[3 * a], q[3 * a + 1], q[3 * a + 2]} * ((lo[a] + hi[a]) / 2);
    return c;
}

void set_extents(WideBox& box, const Vec3& centre, const double lo[3], const double hi[3], double error) {
    double q[9];
    axes_of(box, q);
    double slab[3];
    for (int a = 0; a < 3; ++a) {
        const double at = q[3 * a] * centre.x + q[3 * a + 1] * centre.y + q[3 * a + 2] * centre.z;
        slab[a] = std::max(hi[a] - at, at - lo[a]) + 2 * error;
    }
    // The zonotope's extents are s = G⁻¹ (a_i · x), with G = I + O(2⁻¹⁴) the Gram matrix of the axes. |G⁻¹| ≤ |2I − G|
    // + |I − G|² bounds them entry by entry; 2⁻²⁴ covers the terms left out.
    constexpr auto whole = static_cast<std::int64_t>(axis_unit) * static_cast<std::int64_t>(axis_unit);
    double off[3][3];  // |I − G| + 2⁻²⁴, from integers
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b <= a; ++b) {
            std::int64_t g = a == b ? -whole : 0;
            for (int j = 0; j < 3; ++j) g += box.axes[3 * a + j] * box.axes[3 * b + j];
            off[a][b] = off[b][a] = static_cast<double>(std::abs(g)) * (1.0 / whole) + 0x1p-24;
        }
    for (int a = 0; a < 3; ++a)
        box.half[a] = round_up(slab[a] + (off[a][0] * slab[0] + off[a][1] * slab[1] + off[a][2] * slab[2]));
    box.size = box.half[0] + box.half[1] + box.half[2];
}

}  // namespace graze::detail
#endif  // HWY_ONCE
