// SPDX-License-Identifier: Apache-2.0
// Eight float lanes, in as many vectors as the target needs.
#if defined(GRAZE_WIDE_LANES_INL) == defined(HWY_TARGET_TOGGLE)  // once per target
#ifdef GRAZE_WIDE_LANES_INL
#undef GRAZE_WIDE_LANES_INL
#else
#define GRAZE_WIDE_LANES_INL
#endif

#include <hwy/highway.h>

#include "wide/wide_tree.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

const hn::CappedTag<float, wide> d8;
const hn::Rebind<std::int16_t, decltype(d8)> i16;
const hn::Rebind<std::int32_t, decltype(d8)> i32;
using V = hn::Vec<decltype(d8)>;
using M = hn::Mask<decltype(d8)>;
#define GRAZE_LANES hn::Lanes(d8)

/// ay bz − az by, a minor of order two.
HWY_INLINE V minor(V ay, V az, V by, V bz) { return hn::MulSub(ay, bz, hn::Mul(az, by)); }

HWY_INLINE V load(const float* p) { return hn::Load(d8, p); }
HWY_INLINE V set(float x) { return hn::Set(d8, x); }
HWY_INLINE V min3(V a, V b, V c) { return hn::Min(a, hn::Min(b, c)); }
HWY_INLINE V max3(V a, V b, V c) { return hn::Max(a, hn::Max(b, c)); }
HWY_INLINE V dot3(V ax, V ay, V az, V bx, V by, V bz) {
    return hn::MulAdd(az, bz, hn::MulAdd(ay, by, hn::Mul(ax, bx)));
}
HWY_INLINE unsigned bits(M m) {
    std::uint8_t b[8] = {};
    hn::StoreMaskBits(d8, m, b);
    return b[0] & ((1u << GRAZE_LANES) - 1);
}
HWY_INLINE float least_lane(V v) { return hn::GetLane(hn::MinOfLanes(d8, v)); }
/// A mask from the lowest bits of a number.
HWY_INLINE M lanes_of(unsigned lanes) {
    const std::uint8_t b[8] = {static_cast<std::uint8_t>(lanes & ((1u << GRAZE_LANES) - 1))};
    return hn::LoadMaskBits(d8, b);
}

using D4 = hn::CappedTag<double, 4>;
using F4 = hn::Rebind<float, D4>;

/// Lanes l and up of three doubles and one idle lane. No more than the three doubles are read.
template <class D>
HWY_INLINE hn::Vec<D> load3(D d, const double* p, std::size_t l) {
    if (hn::Lanes(d) == 4) return hn::MaskedLoad(hn::FirstN(d, 3), d, p);
    return l == 0 ? hn::LoadU(d, p) : hn::Set(d, p[2]);
}

/// Makes the compiler read numbers behind p from memory again, where they are operands of instructions, instead of
/// keeping them in registers that others then lack.
HWY_INLINE void reread([[maybe_unused]] const void* p) {
#if defined(__GNUC__)
    asm volatile("" : : "r"(p) : "memory");
#endif
}

template <class T>
HWY_INLINE void prefetch(const T* p) {
    for (std::size_t k = 0; k < sizeof(T); k += 64) __builtin_prefetch(reinterpret_cast<const char*>(p) + k);
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per target
