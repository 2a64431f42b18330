// SPDX-License-Identifier: Apache-2.0
#include "wide_walk/wide_regions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide_walk/wide_regions.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide_walk/wide_tree_walk-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

namespace {

/// The unit roundoff u times the number of operations between stored numbers and a comparison, relative to the lengths
/// involved. Against a slab, |along| < 2 per component: along · c takes 4 u · 2 |c|₁ (`along` rounded, three
/// operations); the radii Σ h_i |a_i · along| take 10 u · 1.74 · 2 |h|₁, as |a_i|₁ < 1.74; a corner of a leaf, off by u
/// of itself, takes 5 u · 2 · 1.74 |h|₁. Against a box, on a child's own axes, docs/exactness.md ("Boxes") has the
/// bound.
constexpr double region_error = 48 * 0x1p-24;

/// A slab relative to a node's or leaf's centre. Its bounds include the errors of all float operations and of their own
/// rounding.
struct WideNearSlab {
    float along[3];
    float lo_out, lo_in, hi_in, hi_out;

    /// `at` and the differences to it are off by less than 128 · 2^-53, because no centre is further than 6 from the
    /// root's. A placed slab has room for that.
    WideNearSlab(const PlacedSlab& s, const Vec3& centre, double reach) {
        for (int i = 0; i < 3; ++i) along[i] = static_cast<float>(s.along[i]);
        const double at = dot(s.along, centre), error = region_error * reach + 0x1p-100;
        const auto bound = [&](double b, double sign) {
            const double d = std::clamp(b - at, -0x1p100, 0x1p100);
            return static_cast<float>(d + sign * (error + 0x1p-23 * std::abs(d)));
        };
        lo_out = bound(s.lo_out, -1);
        lo_in = bound(s.lo_in, 1);
        hi_in = bound(s.hi_in, -1);
        hi_out = bound(s.hi_out, 1);
    }
};

/// The lanes of children or triangles that a test leaves.
struct WideRegionLanes {
    unsigned alive = 0;
    unsigned sure = 0;           ///< triangles that certainly meet the region
    unsigned inside[max_slabs];  ///< children within an open slab
};

template <bool aligned, bool boxed>
struct WideRegionVisitor {
    using Task = RegionTask;
    using Lanes = WideRegionLanes;
    static constexpr bool nearest_first = false;

    const WideTree& tree;
    const PlacedRegion& region;
    RegionQuery& q;
    const Vec3 root{tree.boxes[0].centre[0], tree.boxes[0].centre[1], tree.boxes[0].centre[2]};
    const double inv_unit = 1 / tree.unit;

    Vec3 in_frame(const WideBox& box) const {
        return (Vec3{box.centre[0], box.centre[1], box.centre[2]} - root) * inv_unit;
    }

    /// Tests the children of a node against the open slabs. If the region is a usable box, tests all three slabs and
    /// each child's own axes, along which the box has the radius Σ half_j |a_i · axis_j|.
    HWY_INLINE void test_children(const WideNode& node, const WideBox& own, std::uint64_t open,
                                  WideRegionLanes& out) const {
        const Vec3 centre = in_frame(own);
        [[maybe_unused]] float d[3], slack_k = 0;
        if constexpr (boxed) {
            const PlacedBox& b = region.box;
            const Vec3 to = b.centre - centre;
            for (int i = 0; i < 3; ++i) d[i] = static_cast<float>(to[i]);
            const double lengths =
                std::abs(to.x) + std::abs(to.y) + std::abs(to.z) + node.reach + b.half[0] + b.half[1] + b.half[2];
            slack_k = static_cast<float>((b.slack + region_error * lengths + 0x1p-100) * (axis_unit * 1.0001));
        }
        const V k2 = set(axis_unit * axis_unit);
        out.alive = (1u << own.count) - 1;
        for (std::uint64_t left = open; left != 0; left &= left - 1) out.inside[std::countr_zero(left)] = 0;
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            const V x = load(node.centre[0] + l), y = load(node.centre[1] + l), z = load(node.centre[2] + l);
            V a[9], e[3], radius[3];
            for (int i = 0; i < 3; ++i) {
                e[i] = load(node.half[i] + l);
                if constexpr (boxed) radius[i] = hn::MulAdd(e[i], k2, set(slack_k));
            }
            if constexpr (!aligned)
                for (int i = 0; i < 9; ++i)
                    a[i] = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[i] + l)));
            M apart = hn::Lt(e[0], hn::Zero(d8));  // empty lane
            const auto along_axis = [&](int i, const float* v) {
                return aligned ? set(std::abs(v[i]) * axis_unit)
                               : hn::Abs(dot3(a[3 * i], a[3 * i + 1], a[3 * i + 2], set(v[0]), set(v[1]), set(v[2])));
            };
            for (std::uint64_t left = open; left != 0; left &= left - 1) {
                const int k = std::countr_zero(left);
                const WideNearSlab s(region.slabs[k], centre, node.reach);
                V r = hn::Zero(d8);
                for (int i = 0; i < 3; ++i) r = hn::MulAdd(e[i], along_axis(i, s.along), r);
                const V at = dot3(x, y, z, set(s.along[0]), set(s.along[1]), set(s.along[2]));
                const V low = hn::Sub(at, r), high = hn::Add(at, r);
                apart = hn::Or(apart, hn::Or(hn::Lt(high, set(s.lo_out)), hn::Gt(low, set(s.hi_out))));
                const M in = hn::And(hn::Ge(low, set(s.lo_in)), hn::Le(high, set(s.hi_in)));
                out.inside[k] |= bits(in) << l;
            }
            if constexpr (boxed) {
                const PlacedBox& b = region.box;
                for (int j = 0; j < b.thick; ++j) {
                    const float axis[3] = {static_cast<float>(b.axis[j].x), static_cast<float>(b.axis[j].y),
                                           static_cast<float>(b.axis[j].z)};
                    const V h = set(round_up(b.half[j]));
                    for (int i = 0; i < 3; ++i) radius[i] = hn::MulAdd(h, along_axis(i, axis), radius[i]);
                }
                const V wx = hn::Sub(x, set(d[0])), wy = hn::Sub(y, set(d[1])), wz = hn::Sub(z, set(d[2]));
                for (int i = 0; i < 3; ++i) {
                    const V at = aligned ? hn::Mul(i == 0   ? wx
                                                   : i == 1 ? wy
                                                            : wz,
                                                   set(axis_unit))
                                         : dot3(a[3 * i], a[3 * i + 1], a[3 * i + 2], wx, wy, wz);
                    apart = hn::Or(apart, hn::Gt(hn::Abs(at), radius[i]));
                }
            }
            out.alive &= ~(bits(apart) << l);
        }
    }

    /// Tests the triangles of a leaf against the open slabs. A triangle reaches into a slab if one corner is on or
    /// above its lower bound and one on or below its upper bound. It certainly reaches into a box if a corner is
    /// inside.
    HWY_INLINE void filter(const WideLeaf& leaf, const WideBox& own, std::uint64_t open, WideRegionLanes& out) const {
        const Vec3 centre = in_frame(own);
        const double reach = static_cast<double>(own.half[0]) + own.half[1] + own.half[2];
        out.alive = out.sure = (1u << own.count) - 1;
        for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
            const V zero = hn::Zero(d8);
            M apart = hn::Gt(zero, zero), sure = hn::Not(apart);
            M corner_in[3] = {sure, sure, sure};
            for (std::uint64_t left = open; left != 0; left &= left - 1) {
                const WideNearSlab s(region.slabs[std::countr_zero(left)], centre, reach);
                const V gx = set(s.along[0]), gy = set(s.along[1]), gz = set(s.along[2]);
                V at[3];
                for (int c = 0; c < 3; ++c) {
                    at[c] = dot3(load(leaf.v[3 * c] + l), load(leaf.v[3 * c + 1] + l), load(leaf.v[3 * c + 2] + l), gx,
                                 gy, gz);
                    const M in = hn::And(hn::Ge(at[c], set(s.lo_in)), hn::Le(at[c], set(s.hi_in)));
                    corner_in[c] = hn::And(corner_in[c], in);
                }
                const V low = min3(at[0], at[1], at[2]), high = max3(at[0], at[1], at[2]);
                apart = hn::Or(apart, hn::Or(hn::Lt(high, set(s.lo_out)), hn::Gt(low, set(s.hi_out))));
                sure = hn::And(sure, hn::And(hn::Ge(high, set(s.lo_in)), hn::Le(low, set(s.hi_in))));
            }
            if (q.box != nullptr) sure = hn::Or(corner_in[0], hn::Or(corner_in[1], corner_in[2]));
            const unsigned block = ((1u << GRAZE_LANES) - 1) << l;
            out.alive &= ~(bits(apart) << l);
            out.sure &= (bits(sure) << l) | ~block;
        }
    }

    HWY_INLINE unsigned test(const Task& task, const WideNode& node, const WideBox& own, Lanes& lanes) {
        if (task.open == 0) return (1u << own.count) - 1;
        test_children(node, own, task.open, lanes);
        q.stats.box_tests += own.count;
        return lanes.alive;
    }
    HWY_INLINE Task child(const Task& task, const Lanes& lanes, unsigned lane, std::uint32_t node) const {
        std::uint64_t open = task.open;
        for (std::uint64_t k = task.open; k != 0; k &= k - 1)
            if (lanes.inside[std::countr_zero(k)] >> lane & 1) open &= ~(k & -k);
        return {node, open};
    }

    Step leaf(const Task& task, const WideLeaf& leaf, const WideBox& box) {
        const std::uint64_t open = task.open;
        WideRegionLanes lanes;
        lanes.alive = lanes.sure = (1u << box.count) - 1;
        if (open != 0) {
            filter(leaf, box, open, lanes);
            q.stats.triangle_tests += box.count;
        }
        for (unsigned left = lanes.alive; left != 0; left &= left - 1) {
            const int l = std::countr_zero(left);
            const Step step = lanes.sure >> l & 1 ? q.report(leaf.id[l]) : q.decide(leaf.id[l], open);
            if (step == Step::Stop) return step;
        }
        return Step::Continue;
    }
};

template <bool aligned, bool boxed>
bool search_region(const WideTree& tree, const PlacedRegion& region, std::vector<RegionTask>& stack,
                   RegionQuery& query) {
    WideRegionVisitor<aligned, boxed> visitor{tree, region, query};
    stack.clear();
    return walk_wide_tree(tree, {0, region.open()}, stack, visitor);
}

}  // namespace

bool wide_region_walk(const WideTree& tree, const PlacedRegion& region, std::vector<RegionTask>& stack,
                      RegionQuery& query) {
    const auto search = tree.aligned        ? region.box.usable ? search_region<true, true> : search_region<true, false>
                               : region.box.usable ? search_region<false, true>
                                            : search_region<false, false>;
    return search(tree, region, stack, query);
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

HWY_EXPORT(wide_region_walk);

Frame wide_frame(const WideTree& tree) {
    if (tree.empty()) return {};
    const WideBox& root = tree.boxes[0];
    return {{root.centre[0], root.centre[1], root.centre[2]}, std::ilogb(tree.unit)};
}

bool wide_for_each_in_region(const WideTree& tree, const PlacedRegion& region, std::vector<RegionTask>& stack,
                             RegionQuery& query) {
    if (tree.empty()) return true;
    return HWY_DYNAMIC_DISPATCH(wide_region_walk)(tree, region, stack, query);
}

}  // namespace graze::detail
#endif  // HWY_ONCE
