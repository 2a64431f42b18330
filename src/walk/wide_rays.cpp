// SPDX-License-Identifier: Apache-2.0
// A ray over a wide tree tests eight children or eight triangles at once, in float32.
//
// Lengths are in the tree's units. The ray is s + t·d, 0 ≤ t ≤ L, where d's largest component is in [1/2, 1), and s is
// the origin, or a point before the model when the origin is far, which keeps float32 accurate. Everything here only
// leaves out what the ray certainly misses; docs/exactness.md ("Rays") has the bounds.
#include "walk/wide_rays.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "wide/wide_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "walk/wide_rays.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "walk/wide_tree_walk-inl.hpp"

#ifndef GRAZE_WIDE_RAYS_ONCE
#define GRAZE_WIDE_RAYS_ONCE
namespace graze::detail {

/// Bounds all errors made in double, in units: a few roundings of numbers up to 2^6.
constexpr double double_error = 0x1p-44;
/// Bounds their effect on t. A unit of t is at most 2 units long.
constexpr double time_error = 0x1p-40;

/// The ray as the kernels see it.
struct WideRay {
    const WideTree& tree;
    RaySearch& search;
    alignas(32) double root[4];   ///< centre of the root, in the caller's lengths
    alignas(32) double start[4];  ///< s minus the root's centre, in the caller's lengths
    alignas(32) double d[4];
    alignas(16) float df[4];  ///< d rounded to float
    float inv_d[3];           ///< 1 / df, where a rate counts as at least 2^-60; for aligned boxes
    double inv_unit, inv_dd;  ///< 1 / unit, 1 / d²
    double scale, offset;     ///< t here is the caller's t · scale − offset
    double length;            ///< L
    double begin;             ///< hits before this t do not matter; 0 unless the caller's t_min is beyond it
    double sure_begin;        ///< hits from this t on are certainly not before t_min
    double sure_end;          ///< hits up to this t are certainly on the ray

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

constexpr float u = 0x1p-24f;

/// Computes s minus the box's centre in units, in double.
HWY_INLINE void from_centre(const WideRay& r, const WideBox& box, double out[4]) {
    const hn::CappedTag<double, 4> dd;
    for (std::size_t l = 0; l < 4; l += hn::Lanes(dd))
        hn::Store(hn::Mul(hn::Add(hn::Sub(hn::Load(dd, r.root + l), hn::LoadU(dd, box.centre + l)),
                                  hn::Load(dd, r.start + l)),
                          hn::Set(dd, r.inv_unit)),
                  dd, out + l);
}

/// The reciprocal of a rate, whose magnitude counts as at least `least`.
HWY_INLINE V inverse(V rate, V least) { return hn::Div(set(1), hn::CopySign(hn::Max(hn::Abs(rate), least), rate)); }

/// The children that [begin, end] may enter, and where it enters them. Along axis i a child is |t r_i − q_i| ≤ h_i.
template <bool aligned>
HWY_INLINE unsigned test_children(const WideRay& r, const WideNode& node, const WideBox& own, float end,
                                  float near_at[wide]) {
    alignas(32) double o[4];
    from_centre(r, own, o);
    const auto ox = static_cast<float>(o[0]), oy = static_cast<float>(o[1]), oz = static_cast<float>(o[2]);
    // If the ray meets a point below, |o|₁ is at most 2 reach + 3 end. The slack uses that bound, so it need not wait
    // for o.
    const float slack = 16 * u * (3 * node.reach + 4 * end) + static_cast<float>(4 * double_error);
    unsigned alive = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const V w[3] = {hn::Sub(load(node.centre[0] + l), set(ox)), hn::Sub(load(node.centre[1] + l), set(oy)),
                        hn::Sub(load(node.centre[2] + l), set(oz))};
        V near = set(static_cast<float>(r.begin)), far = set(end);
        for (int i = 0; i < 3; ++i) {
            V q, inv, radius;
            if constexpr (aligned) {
                q = w[i];
                inv = set(r.inv_d[i]);
                radius = hn::MulAdd(load(node.half[i] + l), set(axis_unit), set(slack));
            } else {
                const V ax = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i] + l)));
                const V ay = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 1] + l)));
                const V az = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 2] + l)));
                q = dot3(ax, ay, az, w[0], w[1], w[2]);
                inv = inverse(dot3(ax, ay, az, set(r.df[0]), set(r.df[1]), set(r.df[2])), set(0x1p-45f));
                radius =
                    hn::MulAdd(load(node.half[i] + l), set(axis_unit * axis_unit), set(slack * axis_unit * 1.0001f));
            }
            const V middle = hn::Mul(q, inv), reach = hn::Mul(radius, hn::Abs(inv));
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
    double at;  ///< t of the point of the ray that is nearest to the leaf's centre
    alignas(32) float low[wide];
    alignas(32) float high[wide];
};

HWY_INLINE void test_leaf(const WideRay& r, const WideLeaf& leaf, const WideBox& box, double end, WideRayHits& hits) {
    alignas(32) double o[4];
    from_centre(r, box, o);
    const double at = -(o[0] * r.d[0] + o[1] * r.d[1] + o[2] * r.d[2]) * r.inv_dd;
    const auto ox = static_cast<float>(o[0] + at * r.d[0]), oy = static_cast<float>(o[1] + at * r.d[1]),
               oz = static_cast<float>(o[2] + at * r.d[2]);
    // Bounds every |corner − o|. 2^-18 converts errors in double into errors relative to this.
    const float most = (box.half[0] + box.half[1] + box.half[2]) * 1.001f +
                       std::max({std::abs(ox), std::abs(oy), std::abs(oz)}) + 0x1p-18f;
    const float error = 64 * u * most * most + 0x1p-100f;
    const V err = set(error);
    // The ends of the ray relative to this point, moved outwards and inwards by more than the rounding to float.
    const double first = r.begin - at, last = end - at, sure_last = r.sure_end - at;
    const double spare = 0x1p-23 * (std::abs(at) + std::abs(end) + r.sure_begin) + time_error;
    const V first_out = set(static_cast<float>(first - spare)), last_out = set(static_cast<float>(last + spare));
    const V first_in = set(static_cast<float>(r.sure_begin - at + spare));
    const V last_in = set(static_cast<float>(sure_last - spare - 0x1p-23 * std::abs(sure_last)));
    const V dx = set(r.df[0]), dy = set(r.df[1]), dz = set(r.df[2]);
    const V inv_dd = set(static_cast<float>(r.inv_dd));
    hits.at = at;
    hits.possible = hits.sure = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const V ax = hn::Sub(load(leaf.v[0] + l), set(ox)), ay = hn::Sub(load(leaf.v[1] + l), set(oy)),
                az = hn::Sub(load(leaf.v[2] + l), set(oz));
        const V bx = hn::Sub(load(leaf.v[3] + l), set(ox)), by = hn::Sub(load(leaf.v[4] + l), set(oy)),
                bz = hn::Sub(load(leaf.v[5] + l), set(oz));
        const V cx = hn::Sub(load(leaf.v[6] + l), set(ox)), cy = hn::Sub(load(leaf.v[7] + l), set(oy)),
                cz = hn::Sub(load(leaf.v[8] + l), set(oz));
        const V wa = dot3(minor(by, bz, cy, cz), minor(bz, bx, cz, cx), minor(bx, by, cx, cy), dx, dy, dz);
        const V wb = dot3(minor(cy, cz, ay, az), minor(cz, cx, az, ax), minor(cx, cy, ax, ay), dx, dy, dz);
        const V wc = dot3(minor(ay, az, by, bz), minor(az, ax, bz, bx), minor(ax, ay, bx, by), dx, dy, dz);
        const V least = min3(wa, wb, wc), greatest = max3(wa, wb, wc);
        const unsigned here = bits(hn::Or(hn::Ge(least, hn::Neg(err)), hn::Le(greatest, err)));
        if (here == 0) continue;
        // The t of each corner, and their mean by the weights where these are certain enough.
        const V ta = hn::Mul(dot3(ax, ay, az, dx, dy, dz), inv_dd), tb = hn::Mul(dot3(bx, by, bz, dx, dy, dz), inv_dd),
                tc = hn::Mul(dot3(cx, cy, cz, dx, dy, dz), inv_dd);
        const V sum = hn::Add(wa, hn::Add(wb, wc)), size = hn::Abs(sum);
        const V mean = hn::Div(dot3(wa, wb, wc, ta, tb, tc), sum);
        const V off = hn::Mul(set(64 * most), hn::Add(hn::Div(err, size), set(2 * u)));
        const M steep = hn::Gt(size, set(16 * error));
        const V corners = set(32 * u * most);
        const V low = hn::IfThenElse(steep, hn::Sub(mean, off), hn::Sub(min3(ta, tb, tc), corners));
        const V high = hn::IfThenElse(steep, hn::Add(mean, off), hn::Add(max3(ta, tb, tc), corners));
        hn::Store(low, d8, hits.low + l);
        hn::Store(high, d8, hits.high + l);
        const unsigned outside = bits(hn::Or(hn::Gt(low, last_out), hn::Lt(high, first_out)));
        const unsigned inside = bits(hn::And(hn::Gt(low, first_in), hn::Lt(high, last_in)));
        const unsigned through = bits(hn::And(steep, hn::Or(hn::Gt(least, err), hn::Lt(greatest, hn::Neg(err)))));
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
    if (walk_wide_tree(r.tree, {static_cast<float>(r.begin), 0}, stack, visitor)) visitor.decide_pending();
}

}  // namespace

void wide_ray_walk(WideRay& r) {
    if (r.tree.aligned)
        cast<true>(r);
    else
        cast<false>(r);
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_ray_walk);

bool wide_cast(const WideTree& tree, RaySearch& search) {
    if (tree.empty()) return true;
    const Ray& ray = search.ray.ray();
    const WideBox& root = tree.boxes[0];
    const ScaledDirection scaled(ray.direction());
    // The unit is a power of two and not subnormal.
    const int shift = scaled.exponent - (static_cast<int>(std::bit_cast<std::uint64_t>(tree.unit) >> 52) - 1023);
    if (std::abs(shift) > 900) return false;
    WideRay r{tree, search, {}, {}, {}, {}, {}, 1 / tree.unit, 1 / dot(scaled.d, scaled.d), power_of_two(shift),
              0,    0,      0,  0,  0};
    // Finds where the ray enters and leaves a cube about the root's centre that holds the model. If the origin is up to
    // 2^40 units away, these are good to 2^-10 of a unit; the cube is larger by that.
    const double half = (static_cast<double>(root.half[0]) + root.half[1] + root.half[2]) * 1.001 + 0x1p-8;
    double entry = 0, exit = 0x1p60, far = 0;
    double high[3], low[3];  // origin − centre, without error
    for (int i = 0; i < 3; ++i) {
        const double o = ray.origin()[i], c = root.centre[i];
        high[i] = o - c;
        const double b = high[i] - o;
        low[i] = (o - (high[i] - b)) - (c + b);
        high[i] *= r.inv_unit;
        low[i] *= r.inv_unit;
        far = std::max(far, std::abs(high[i]));
        const double d = scaled.d[i];
        if (std::abs(d) < 0x1p-100) {
            if (std::abs(high[i]) > half + 0x1p-8) return std::abs(high[i]) <= 0x1p40;
            continue;
        }
        const double inv = 1 / d, middle = -high[i] * inv, reach = half * std::abs(inv);
        entry = std::max(entry, middle - reach);
        exit = std::min(exit, middle + reach);
    }
    if (!(far <= 0x1p40 && half <= 0x1p5)) return false;
    if (entry > exit) return true;
    // The start is moved only when that gains accuracy. The new point is as accurate as double allows.
    if (far > 8) r.offset = entry;
    for (int i = 0; i < 3; ++i) {
        double at = high[i] + low[i];
        if (r.offset > 0) {
            const double way = r.offset * scaled.d[i], rest = std::fma(r.offset, scaled.d[i], -way);
            const double sum = high[i] + way, b = sum - high[i];
            at = sum + (((high[i] - (sum - b)) + (way - b)) + (rest + low[i]));
        }
        r.root[i] = root.centre[i];
        r.start[i] = at * tree.unit;
        r.d[i] = scaled.d[i];
        r.df[i] = static_cast<float>(scaled.d[i]);
        r.inv_d[i] = 1 / std::copysign(std::max(std::abs(r.df[i]), 0x1p-60f), r.df[i]);
    }
    r.length = exit - r.offset + 0x1p-8;
    // Rounding to float may only lower the begin. A hit on its edge is decided exactly.
    const double from = ray.t_min() * r.scale - r.offset;
    const double spare = 0x1p-22 * (std::abs(from) + r.offset) + time_error;
    r.begin = std::max(0.0, from - spare);
    r.sure_begin = ray.t_min() > 0 ? std::max(0.0, from + spare) : 0;
    if (r.end() < r.begin) return true;
    r.sure_end = std::min(ray.t_max() * r.scale * (1 - 0x1p-50), 0x1p60) - r.offset * (1 + 0x1p-50) - time_error;
    HWY_DYNAMIC_DISPATCH(wide_ray_walk)(r);
    return true;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
