// SPDX-License-Identifier: Apache-2.0
#include "wide_fit.hpp"

#include <algorithm>
#include <limits>

#include "wide_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wide_fit.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr float huge = std::numeric_limits<float>::max();

/// areas[k]: of the rectangle around the points (u, v) at angle k.
void turn_areas(const float* u, const float* v, std::size_t n, const float* cosine, const float* sine,
                std::size_t angles, float* areas) {
    const hn::CappedTag<float, 8> d;
    for (std::size_t k = 0; k < angles; k += hn::Lanes(d)) {
        const auto c = hn::Load(d, cosine + k), s = hn::Load(d, sine + k);
        auto lo_u = hn::Set(d, huge), hi_u = hn::Set(d, -huge), lo_v = lo_u, hi_v = hi_u;
        for (std::size_t i = 0; i < n; ++i) {
            const auto a = hn::Set(d, u[i]), b = hn::Set(d, v[i]);
            const auto x = hn::MulAdd(c, a, hn::Mul(s, b)), y = hn::MulSub(c, b, hn::Mul(s, a));
            lo_u = hn::Min(lo_u, x);
            hi_u = hn::Max(hi_u, x);
            lo_v = hn::Min(lo_v, y);
            hi_v = hn::Max(hi_v, y);
        }
        hn::Store(hn::Mul(hn::Sub(hi_u, lo_u), hn::Sub(hi_v, lo_v)), d, areas + k);
    }
}

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

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {

namespace {

HWY_EXPORT(turn_areas);
HWY_EXPORT(range_along);

constexpr std::size_t turns = 16;
/// Of k · 90° / 16.
alignas(64) constexpr float cosine[turns] = {
    1,           0.99518473f, 0.98078528f, 0.95694034f, 0.92387953f, 0.88192126f, 0.83146961f, 0.77301045f,
    0.70710678f, 0.63439328f, 0.55557023f, 0.47139674f, 0.38268343f, 0.29028468f, 0.19509032f, 0.09801714f};
alignas(64) constexpr float sine[turns] = {0,           0.09801714f, 0.19509032f, 0.29028468f, 0.38268343f, 0.47139674f,
                                           0.55557023f, 0.63439328f, 0.70710678f, 0.77301045f, 0.83146961f, 0.88192126f,
                                           0.92387953f, 0.95694034f, 0.98078528f, 0.99518473f};

}  // namespace

Mat3 turned(const Mat3& axes, std::span<const float> u, std::span<const float> v) {
    alignas(64) float areas[turns];
    HWY_DYNAMIC_DISPATCH(turn_areas)(u.data(), v.data(), u.size(), cosine, sine, turns, areas);
    const auto k = std::min_element(areas, areas + turns) - areas;
    const double c = cosine[k], s = sine[k];
    return {{axes.row[0] * c + axes.row[1] * s, axes.row[1] * c - axes.row[0] * s, axes.row[2]}};
}

Range range_along(const float axes[9], std::span<const WideLeaf> leaves, const Vec3* at) {
    Range range;
    HWY_DYNAMIC_DISPATCH(range_along)(axes, leaves.data(), at, leaves.size(), &range);
    return range;
}

}  // namespace graze::detail
#endif  // HWY_ONCE
