// SPDX-License-Identifier: Apache-2.0
// The triangles of a wide tree that are nearest to a point, eight boxes or triangles at a time, in float32. Lengths are
// in the tree's units. Everything here only leaves out what is certainly too far away.
#include "wide_walk/wide_nearest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide_walk/wide_nearest.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide_walk/wide_distances-inl.hpp"
#include "wide_walk/wide_tree_walk-inl.hpp"

#ifndef GRAZE_WIDE_NEAREST_ONCE
#define GRAZE_WIDE_NEAREST_ONCE
namespace graze::detail {

/// A point as the kernels see it.
struct WideNear {
    const WideTree& tree;
    NearestSearch<PointTriangles>& search;
    double point[3];  ///< in the model's lengths
    double inv_unit;
    float error;  ///< all errors made in double, in units
};

}  // namespace graze::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

namespace {

/// Bounds of the distances of a point and eight triangles.
struct LaneBounds {
    alignas(64) float low[wide];
    alignas(64) float high[wide];
};

/// Bounds the distances of a point in all lanes and eight triangles, as `NearPairs` does. Returns the lanes that are
/// not certainly beyond the limit.
HWY_INLINE unsigned point_bounds(const float (*v)[wide], unsigned lanes, const Lane3& point, float error, float limit,
                                 LaneBounds& out) {
    const LaneCorners p{{point, point, point}};
    const V eps = set(error);
    unsigned near = 0;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const unsigned here = lanes >> l & ((1u << GRAZE_LANES) - 1);
        if (here == 0) continue;
        const LaneCorners q = LaneCorners::lanes(v, l);
        const V zero = hn::Zero(d8), tiny = set(0x1p-120f);
        LaneNearest nearest{set(1e38f), {zero, zero, zero}};
        for (int j = 0; j < 3; ++j) {
            const Lane3 t = q.c[(j + 1) % 3] - q.c[j], w = q.c[j] - point;
            const V y = clamp01(hn::Div(hn::Neg(dot(w, t)), hn::Max(dot(t, t), tiny)));
            nearest.add(along(w, t, y));
        }
        const Lane3 e = q.c[1] - q.c[0], f = q.c[2] - q.c[0], n = cross(e, f);
        nearest.add_corners<1>(p, q.c[0], e, f, n);
        const V low = hn::Max(gap_along(nearest.between, p, q, eps), gap_along(n, p, q, eps));
        const V high = upper_bound(nearest.squared, eps);
        hn::Store(low, d8, out.low + l);
        hn::Store(high, d8, out.high + l);
        near |= (here & bits(hn::Not(hn::Gt(low, set(limit))))) << l;
    }
    return near;
}

struct WideNearVisitor {
    struct Task {
        float bound;  ///< lower bound of the squared distance
        std::uint32_t node;
    };
    struct Lanes {
        alignas(32) float bound[wide];
    };
    static constexpr bool nearest_first = true;

    const WideNear& near;
    NearestSearch<PointTriangles>& search;
    float end, squared_end;  ///< the limit and its square, rounded up

    explicit WideNearVisitor(const WideNear& n) : near(n), search(n.search) { set_end(); }

    void set_end() {
        const double l = search.limit() * near.inv_unit;
        end = static_cast<float>(l * (1 + 0x1p-22) + 0x1p-100);
        squared_end = static_cast<float>(l * l * (1 + 0x1p-20) + 0x1p-100);
    }
    HWY_INLINE float limit() const { return squared_end; }

    /// The point minus a box's centre, in units. Returns the sum of the coordinates.
    HWY_INLINE float from_centre(const WideBox& box, float out[3]) const {
        for (int i = 0; i < 3; ++i) out[i] = static_cast<float>((near.point[i] - box.centre[i]) * near.inv_unit);
        return std::abs(out[0]) + std::abs(out[1]) + std::abs(out[2]);
    }

    /// Along axis i a child is |x_i − q_i| ≤ h_i. A dot product is off by 5u (|c|₁ + |o|₁), the rest by less; the slack
    /// is three times that. Three stored axes are orthonormal to 2^-13 only, so the squares of gaps along them may add
    /// up to 1 + 3 · 2^-13 times a squared distance.
    HWY_INLINE unsigned test(const Task&, const WideNode& node, const WideBox& box, Lanes& lanes) {
        search.stats.box_tests += box.count;
        float o[3];
        const float far = from_centre(box, o);
        const float slack = 16 * 0x1p-24f * (node.reach + far) + near.error;
        unsigned alive = 0;
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            const V wx = hn::Sub(set(o[0]), load(node.centre[0] + l)),
                    wy = hn::Sub(set(o[1]), load(node.centre[1] + l)),
                    wz = hn::Sub(set(o[2]), load(node.centre[2] + l));
            V squares = hn::Zero(d8);
            for (int i = 0; i < 3; ++i) {
                const V ax = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i] + l)));
                const V ay = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 1] + l)));
                const V az = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 2] + l)));
                const V at = hn::Abs(dot3(ax, ay, az, wx, wy, wz));
                const V radius =
                    hn::MulAdd(load(node.half[i] + l), set(axis_unit * axis_unit), set(slack * axis_unit * 1.0001f));
                const V gap = hn::Mul(hn::Sub(at, radius), set(1 / axis_unit));
                const V positive = hn::Max(gap, hn::Zero(d8));
                squares = hn::MulAdd(positive, positive, squares);
            }
            squares = hn::Mul(squares, set(1 - 0x1p-11f));
            hn::Store(squares, d8, lanes.bound + l);
            alive |= bits(hn::Not(hn::Gt(squares, set(squared_end)))) << l;
        }
        return alive & ((1u << box.count) - 1);
    }
    HWY_INLINE Task child(const Task&, const Lanes& lanes, unsigned lane, std::uint32_t node) const {
        return {lanes.bound[lane], node};
    }

    HWY_INLINE Step leaf(const Task&, const WideLeaf& leaf, const WideBox& box) {
        float o[3];
        const float far = from_centre(box, o);
        const float eps = 2 * 0x1p-24f * (far + box.half[0] + box.half[1] + box.half[2]) * 1.001f + near.error;
        const unsigned all = (1u << box.count) - 1;
        search.stats.triangle_tests += box.count;
        LaneBounds b;
        const unsigned left = point_bounds(leaf.v, all, {set(o[0]), set(o[1]), set(o[2])}, eps, end, b);
        if (left == 0) return Step::Continue;
        const double unit = near.tree.unit;
        float high = end;
        for (unsigned r = left; r != 0; r &= r - 1) high = std::min(high, b.high[std::countr_zero(r)]);
        if (high < end) {
            search.shrink(high * unit);
            set_end();
        }
        for (unsigned r = left; r != 0; r &= r - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(r));
            if (b.low[lane] > end) continue;
            const double before = search.limit();
            if (search.add(b.low[lane] * unit, leaf.id[lane]) == Step::Stop) return Step::Stop;
            if (search.limit() < before) set_end();
        }
        return Step::Continue;
    }
};

}  // namespace

void wide_near_point(const WideNear& near) {
    WideNearVisitor visitor(near);
    LocalStack<WideNearVisitor::Task> stack;
    walk_wide_tree(near.tree, {0, 0}, stack, visitor);
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_near_point);

bool wide_nearest(const WideTree& tree, NearestSearch<PointTriangles>& search) {
    const Vec3& p = search.candidates().point;
    WideNear near{tree, search, {p.x, p.y, p.z}, 1 / tree.unit, 0};
    double far = tree.bound;
    for (int i = 0; i < 3; ++i) {
        if (!(std::abs(p[i] - tree.boxes[0].centre[i]) * near.inv_unit <= 0x1p36)) return false;
        far = std::max(far, std::abs(p[i]));
    }
    // Differences in double are off by 2^-53 of the coordinates.
    near.error = static_cast<float>((0x1p-50 * far * near.inv_unit + 0x1p-100) * (1 + 0x1p-22));
    HWY_DYNAMIC_DISPATCH(wide_near_point)(near);
    return true;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
