// SPDX-License-Identifier: Apache-2.0
// A ray against the eight triangles of a leaf, in float32. docs/exactness.md ("Rays") has the bounds.
#ifndef GRAZE_WIDE_RAY_LINE
#define GRAZE_WIDE_RAY_LINE

#include <algorithm>
#include <cmath>

namespace graze::detail {

/// The line of a ray over a wide tree: s + t·d. d's largest component is in [1/2, 1).
struct WideRayLine {
    alignas(32) double root[4];   ///< centre of the root, in the caller's lengths
    alignas(32) double start[4];  ///< s minus the root's centre, in the caller's lengths
    alignas(32) double d[4];
    double inv_unit;
    unsigned axis[3];    ///< x, y and z of the leaves' test: d is largest along the last
    float slope[2];      ///< how far x and y go per z
    double inv_fastest;  ///< 1 / d along z

    /// Chooses the leaves' axes for d.
    void set_axes() {
        const double size[3] = {std::abs(d[0]), std::abs(d[1]), std::abs(d[2])};
        const unsigned z = size[2] > std::max(size[0], size[1]) ? 2 : size[1] > size[0];
        axis[0] = 0x021 >> 4 * z & 3;
        axis[1] = 0x102 >> 4 * z & 3;
        axis[2] = z;
        inv_fastest = 1 / d[z];
        for (int i = 0; i < 2; ++i) slope[i] = static_cast<float>(d[axis[i]] * inv_fastest);
    }
};

}  // namespace graze::detail
#endif

#if defined(GRAZE_WIDE_RAY_LEAVES_INL) == defined(HWY_TARGET_TOGGLE)  // once per target
#ifdef GRAZE_WIDE_RAY_LEAVES_INL
#undef GRAZE_WIDE_RAY_LEAVES_INL
#else
#define GRAZE_WIDE_RAY_LEAVES_INL
#endif

#include "wide/wide_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

constexpr float float_u = 0x1p-24f;  ///< unit roundoff of float

/// Lanes of s minus the box's centre in units, in double.
HWY_INLINE hn::Vec<D4> from_centre(const WideRayLine& r, const WideBox& box, std::size_t l) {
    const D4 d;
    const auto between = hn::Sub(hn::Load(d, r.root + l), hn::LoadU(d, box.centre + l));
    return hn::Mul(hn::Add(between, hn::Load(d, r.start + l)), hn::Set(d, r.inv_unit));
}

/// A ray near a leaf.
struct RayAtLeaf {
    double at;    ///< t of the point of the ray whose z is that of the leaf's centre
    float x, y;   ///< that point minus the centre
    float most;   ///< bounds every |corner| + |point|
    float error;  ///< bounds the error of every weight

    HWY_INLINE RayAtLeaf(const WideRayLine& r, const WideBox& box) {
        const D4 d;
        alignas(32) double o[4];
        for (std::size_t l = 0; l < 4; l += hn::Lanes(d)) hn::Store(from_centre(r, box, l), d, o + l);
        at = -o[r.axis[2]] * r.inv_fastest;
        x = static_cast<float>(o[r.axis[0]] + at * r.d[r.axis[0]]);
        y = static_cast<float>(o[r.axis[1]] + at * r.d[r.axis[1]]);
        // 2^-16 converts errors in double into errors relative to this.
        most = (box.half[0] + box.half[1] + box.half[2]) * 1.001f + std::max(std::abs(x), std::abs(y)) + 0x1p-16f;
        error = 64 * float_u * most * most + 0x1p-100f;
    }
};

/// The weights of eight triangles' corners in the projection along the ray onto the plane of two axes (Woop, Benthin,
/// Wald 2013): there a corner is (x − slope_x z, y − slope_y z), where z is the axis along which the ray is fastest.
struct RayWeights {
    V w[3];
    V z[3];  ///< z of the corners

    HWY_INLINE RayWeights(const WideRayLine& r, const RayAtLeaf& o, const float (*v)[wide], std::size_t l) {
        const V slope_x = set(r.slope[0]), slope_y = set(r.slope[1]);
        V x[3], y[3];
        for (int k = 0; k < 3; ++k) {
            z[k] = load(v[3 * k + r.axis[2]] + l);
            x[k] = hn::NegMulAdd(slope_x, z[k], hn::Sub(load(v[3 * k + r.axis[0]] + l), set(o.x)));
            y[k] = hn::NegMulAdd(slope_y, z[k], hn::Sub(load(v[3 * k + r.axis[1]] + l), set(o.y)));
        }
        for (int k = 0; k < 3; ++k) w[k] = minor(x[(k + 1) % 3], y[(k + 1) % 3], x[(k + 2) % 3], y[(k + 2) % 3]);
    }
};

/// The range of t, relative to `RayAtLeaf::at`, in which the line crosses the triangles, if it does.
struct RayTimes {
    V low, high;
    M steep;  ///< whether the range comes from the weights' mean, otherwise from that of the corners

    HWY_INLINE RayTimes(const WideRayLine& r, const RayAtLeaf& o, const RayWeights& weights) {
        const V(&w)[3] = weights.w;
        const V inv = set(static_cast<float>(r.inv_fastest));
        const V a = hn::Mul(weights.z[0], inv), b = hn::Mul(weights.z[1], inv), c = hn::Mul(weights.z[2], inv);
        const V sum = hn::Add(w[0], hn::Add(w[1], w[2])), size = hn::Abs(sum);
        const V mean = hn::Div(dot3(w[0], w[1], w[2], a, b, c), sum);
        const V off = hn::Mul(set(64 * o.most), hn::Add(hn::Div(set(o.error), size), set(2 * float_u)));
        const V corners = set(32 * float_u * o.most);
        steep = hn::Gt(size, set(16 * o.error));
        low = hn::IfThenElse(steep, hn::Sub(mean, off), hn::Sub(min3(a, b, c), corners));
        high = hn::IfThenElse(steep, hn::Add(mean, off), hn::Add(max3(a, b, c), corners));
    }
};

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per target
