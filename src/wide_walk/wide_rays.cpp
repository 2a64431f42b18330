// SPDX-License-Identifier: Apache-2.0
// A ray over a wide tree tests eight children or eight triangles at once, in float32.
//
// Lengths are in the tree's units. The ray is s + t·d, 0 ≤ t ≤ L, where d's largest component is in [1/2, 1), and s is
// the origin, or a point before the model when the origin is far, which keeps float32 accurate. Everything here only
// leaves out what the ray certainly misses; docs/exactness.md ("Rays") has the bounds.
#include "wide_walk/wide_rays.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide_walk/wide_rays.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide_walk/wide_ray_leaves-inl.hpp"
#include "wide_walk/wide_tree_walk-inl.hpp"

#ifndef GRAZE_WIDE_RAYS_ONCE
#define GRAZE_WIDE_RAYS_ONCE
namespace graze::detail {

/// Bounds all errors made in double, in units: a few roundings of numbers up to 2^6.
constexpr double double_error = 0x1p-44;
/// Bounds their effect on t. A unit of t is at most 2 units long.
constexpr double time_error = 0x1p-40;

/// The ray as the kernels see it.
struct WideRay : WideRayLine {
    const WideTree& tree;
    RaySearch& search;
    alignas(16) float df[4];     ///< d rounded to float
    alignas(16) float inv_d[4];  ///< 1 / |df|, where a rate counts as at least 2^-60; for aligned boxes
    alignas(16) float sign[4];   ///< sign bits of d; for aligned boxes
    double scale, offset = 0;    ///< t here is the caller's t · scale − offset
    double length;               ///< L
    double begin;                ///< hits before this t do not matter; 0 unless the caller's t_min is beyond it
    float near;                  ///< begin as a float
    double sure_begin;           ///< hits from this t on are certainly not before t_min
    double sure_end;             ///< hits up to this t are certainly on the ray

    /// No t beyond this matters. Rounded up.
    double end() const {
        return std::min(length, search.limit * scale * (1 + 0x1p-50) - offset * (1 - 0x1p-50) + time_error);
    }
};

}  // namespace graze::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

namespace {

constexpr float u = float_u;

/// The children that [begin, end] may enter, and where it enters them. Along axis i a child is |t r_i − q_i| ≤ h_i.
template <bool aligned>
HWY_INLINE unsigned test_children(const WideRay& r, const WideNode& node, const WideBox& own, float end,
                                  float near_at[wide]) {
    alignas(16) float o[4];
    for (std::size_t l = 0; l < 4; l += hn::Lanes(D4()))
        hn::Store(hn::DemoteTo(F4(), from_centre(r, own, l)), F4(), o + l);
    // If the ray meets a point below, |o|₁ is at most 2 reach + 3 end. The slack uses that bound, so it need not wait
    // for o.
    const float slack = 48 * u * node.reach + (64 * u * end + static_cast<float>(4 * double_error));
    unsigned alive = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const V w[3] = {hn::Sub(load(node.centre[0] + l), set(o[0])), hn::Sub(load(node.centre[1] + l), set(o[1])),
                        hn::Sub(load(node.centre[2] + l), set(o[2]))};
        V near = set(r.near), far = set(end);
        for (int i = 0; i < 3; ++i) {
            // Counted along the ray: a slab's middle, times the sign of the rate, and 1 / |rate|.
            V q, inv, radius;
            if constexpr (aligned) {
                q = hn::Xor(w[i], set(r.sign[i]));
                inv = set(r.inv_d[i]);
                radius = hn::MulAdd(load(node.half[i] + l), set(axis_unit), set(slack));
            } else {
                const V ax = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i] + l)));
                const V ay = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 1] + l)));
                const V az = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 2] + l)));
                const V rate = dot3(ax, ay, az, set(r.df[0]), set(r.df[1]), set(r.df[2]));
                q = hn::Xor(dot3(ax, ay, az, w[0], w[1], w[2]), hn::And(rate, hn::SignBit(d8)));
                inv = hn::Div(set(1), hn::Max(hn::Abs(rate), set(0x1p-45f)));
                radius =
                    hn::MulAdd(load(node.half[i] + l), set(axis_unit * axis_unit), set(slack * (axis_unit * 1.0001f)));
            }
            const V middle = hn::Mul(q, inv), reach = hn::Mul(radius, inv);
            near = hn::Max(near, hn::Sub(middle, reach));
            far = hn::Min(far, hn::Add(middle, reach));
        }
        hn::Store(near, d8, near_at + l);
        alive |= bits(hn::Not(hn::Gt(near, far))) << l;
    }
    return alive & ((1u << own.count) - 1);
}

/// The triangles of a leaf that the ray may hit by `end`, those among them that it certainly hits, and the range of t:
/// from at + low to at + high.
struct WideRayHits {
    unsigned possible = 0, sure = 0;
    double at;  ///< t of a point of the ray near the leaf
    alignas(32) float low[wide];
    alignas(32) float high[wide];
};

/// Tests the triangles of a leaf.
HWY_INLINE void test_leaf(const WideRay& r, const WideLeaf& leaf, const WideBox& box, double end, WideRayHits& hits) {
    const RayAtLeaf o(r, box);
    const double at = o.at;
    const V err = set(o.error);
    hits.at = at;
    hits.possible = hits.sure = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const RayWeights weights(r, o, leaf.v, l);
        const V least = min3(weights.w[0], weights.w[1], weights.w[2]),
                greatest = max3(weights.w[0], weights.w[1], weights.w[2]);
        const unsigned here = bits(hn::Or(hn::Ge(least, hn::Neg(err)), hn::Le(greatest, err)));
        if (here == 0) continue;
        // The ends of the ray relative to `at`, moved outwards and inwards by more than the rounding to float.
        const double sure_last = r.sure_end - at;
        const double spare = 0x1p-23 * (std::abs(at) + std::abs(end) + r.sure_begin) + time_error;
        const V first_out = set(static_cast<float>(r.begin - at - spare));
        const V last_out = set(static_cast<float>(end - at + spare));
        const V first_in = set(static_cast<float>(r.sure_begin - at + spare));
        const V last_in = set(static_cast<float>(sure_last - spare - 0x1p-23 * std::abs(sure_last)));
        const RayTimes t(r, o, weights);
        hn::Store(t.low, d8, hits.low + l);
        hn::Store(t.high, d8, hits.high + l);
        const unsigned outside = bits(hn::Or(hn::Gt(t.low, last_out), hn::Lt(t.high, first_out)));
        const unsigned inside = bits(hn::And(hn::Gt(t.low, first_in), hn::Lt(t.high, last_in)));
        const unsigned through = bits(hn::And(t.steep, hn::Or(hn::Gt(least, err), hn::Lt(greatest, hn::Neg(err)))));
        hits.possible |= (here & ~outside) << l;
        hits.sure |= (here & inside & through & ~outside) << l;
    }
    hits.possible &= (1u << box.count) - 1;
    hits.sure &= hits.possible;
}

/// The visitor of a ray. In a search for the nearest triangle, certain hits are set aside until the end. They already
/// shorten the ray, so few are left, and their exact corners are fetched meanwhile.
template <bool aligned>
struct WideRayVisitor {
    struct Task {
        float bound;  ///< where the ray enters the box
        std::uint32_t node;
    };
    struct Lanes {
        alignas(32) float bound[wide];
    };
    struct Candidate {
        double low;  ///< the triangle is not hit before this t
        std::uint32_t triangle;
    };
    static constexpr bool nearest_first = true;
    static constexpr unsigned room = 64;

    WideRay& r;
    RaySearch& search;
    double end;
    float end_up;
    Candidate pending[room];
    unsigned waiting = 0;

    explicit WideRayVisitor(WideRay& ray) : r(ray), search(ray.search) { set_end(ray.end()); }

    HWY_INLINE float limit() const { return end_up; }
    HWY_INLINE unsigned test(const Task&, const WideNode& node, const WideBox& box, Lanes& lanes) {
        search.stats.box_tests += box.count;
        return test_children<aligned>(r, node, box, end_up, lanes.bound);
    }
    HWY_INLINE Task child(const Task&, const Lanes& lanes, unsigned lane, std::uint32_t node) const {
        return {lanes.bound[lane], node};
    }

    HWY_INLINE void set_end(double to) {
        end = to;
        end_up = static_cast<float>(to + std::abs(to) * 0x1p-22);
    }

    void decide_pending() {
        while (waiting > 0) {
            const Candidate& c = pending[--waiting];
            if (c.low > end) continue;
            search.decide(c.triangle);
            set_end(std::min(end, r.end()));
        }
    }

    HWY_INLINE Step leaf(const Task&, const WideLeaf& leaf, const WideBox& box) {
        WideRayHits hits;
        if (search.goal == RaySearch::Goal::Nearest)
            for (const std::uint32_t id : leaf.id) __builtin_prefetch(&search.geometry.triangles[id]);
        test_leaf(r, leaf, box, end, hits);
        search.stats.triangle_tests += box.count;
        if (hits.possible == 0) return Step::Continue;
        if (search.goal == RaySearch::Goal::Any && hits.sure != 0) {
            search.hit = true;
            return Step::Stop;
        }
        for (unsigned left = hits.possible; left != 0; left &= left - 1) {
            const auto k = static_cast<unsigned>(std::countr_zero(left));
            const double low = hits.at + hits.low[k] - time_error;
            if (low > end) continue;
            if (search.goal != RaySearch::Goal::Nearest || !(hits.sure >> k & 1)) {
                if (search.decide(leaf.id[k]) == Step::Stop) return Step::Stop;
                set_end(std::min(end, r.end()));
                continue;
            }
            set_end(std::min(end, hits.at + hits.high[k] + time_error));
            if (waiting == room) decide_pending();
            pending[waiting++] = {low, leaf.id[k]};
            const Corners& c = search.geometry.triangles[leaf.id[k]];
            for (const std::uint32_t point : c) __builtin_prefetch(&search.geometry.points[point]);
        }
        return Step::Continue;
    }
};

template <bool aligned>
void cast(WideRay& r) {
    using Visitor = WideRayVisitor<aligned>;
    Visitor visitor(r);
    LocalStack<typename Visitor::Task> stack;
    if (walk_wide_tree(r.tree, {r.near, 0}, stack, visitor)) visitor.decide_pending();
}

}  // namespace

/// The rest of `wide_cast`. Loops go over four lanes, which the compiler turns into vectors; the fourth is always zero.
bool wide_cast_ray(const WideTree& tree, RaySearch& search, const ScaledDirection& scaled, int shift) {
    const Ray& ray = search.ray.ray();
    const WideBox& root = tree.boxes[0];
    const double inv_unit = 1 / tree.unit;
    WideRay r{{}, tree, search};
    r.inv_unit = inv_unit;
    r.scale = power_of_two(shift);
    // Finds where the ray enters and leaves a cube about the root's centre that holds the model. If the origin is up to
    // 2^40 units away, these are good to 2^-10 of a unit; the cube is larger by that. A rate counts as at least 2^-100.
    const double half = (static_cast<double>(root.half[0]) + root.half[1] + root.half[2]) * 1.001 + 0x1p-8;
    alignas(32) double origin[4] = {ray.origin().x, ray.origin().y, ray.origin().z, 0};
    alignas(32) double high[4], low[4];  // origin − centre, without error
    alignas(32) double enter[4], leave[4];
    alignas(16) float df[4];
    for (int i = 0; i < 3; ++i) r.root[i] = root.centre[i], r.d[i] = scaled.d[i];
    r.root[3] = r.d[3] = 0;
    for (int i = 0; i < 4; ++i) {
        const double o = origin[i], c = r.root[i], d = r.d[i];
        const double difference = o - c, b = difference - o;
        low[i] = ((o - (difference - b)) - (c + b)) * inv_unit;
        high[i] = difference * inv_unit;
        const double inv = 1 / std::copysign(std::max(std::abs(d), 0x1p-100), d);
        const double middle = -high[i] * inv, reach = half * std::abs(inv);
        enter[i] = middle - reach;
        leave[i] = middle + reach;
        df[i] = static_cast<float>(d);
    }
    for (int i = 0; i < 4; ++i) {
        r.start[i] = (high[i] + low[i]) * tree.unit;
        r.df[i] = df[i];
        r.inv_d[i] = 1 / std::max(std::abs(df[i]), 0x1p-60f);
        r.sign[i] = std::copysign(0.0f, df[i]);
    }
    const double entry = std::max({0.0, enter[0], enter[1], enter[2]});
    const double exit = std::min({0x1p60, leave[0], leave[1], leave[2]});
    const double far = std::max({std::abs(high[0]), std::abs(high[1]), std::abs(high[2])});
    if (!(far <= 0x1p40 && half <= 0x1p5)) return false;
    if (entry > exit) return true;
    // The start is moved only when that gains accuracy. The new point is as accurate as double allows.
    if (far > 8 && entry > 0) {
        r.offset = entry;
        for (int i = 0; i < 3; ++i) {
            const double way = r.offset * r.d[i], rest = std::fma(r.offset, r.d[i], -way);
            const double sum = high[i] + way, b = sum - high[i];
            r.start[i] = (sum + (((high[i] - (sum - b)) + (way - b)) + (rest + low[i]))) * tree.unit;
        }
    }
    r.set_axes();
    r.length = exit - r.offset + 0x1p-8;
    // Rounding to float may only lower the begin. A hit on its edge is decided exactly.
    const double from = ray.t_min() * r.scale - r.offset;
    const double spare = 0x1p-22 * (std::abs(from) + r.offset) + time_error;
    r.begin = std::max(0.0, from - spare);
    r.near = static_cast<float>(r.begin);
    r.sure_begin = ray.t_min() > 0 ? std::max(0.0, from + spare) : 0;
    if (r.end() < r.begin) return true;
    r.sure_end = std::min(ray.t_max() * r.scale * (1 - 0x1p-50), 0x1p60) - r.offset * (1 + 0x1p-50) - time_error;
    if (tree.aligned)
        cast<true>(r);
    else
        cast<false>(r);
    return true;
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_cast_ray);

bool wide_cast(const WideTree& tree, RaySearch& search) {
    if (tree.empty()) return true;
    const ScaledDirection scaled(search.ray.ray().direction());
    // The unit is a power of two and not subnormal.
    const int shift = scaled.exponent - (static_cast<int>(std::bit_cast<std::uint64_t>(tree.unit) >> 52) - 1023);
    if (std::abs(shift) > 900) return false;
    return HWY_DYNAMIC_DISPATCH(wide_cast_ray)(tree, search, scaled, shift);
}

}  // namespace graze::detail
#endif  // HWY_ONCE
