// SPDX-License-Identifier: Apache-2.0
// One step of the walk: the eight children of a node against a box of the other tree.
#if defined(GRAZE_WIDE_BOXES_INL) == defined(HWY_TARGET_TOGGLE)  // once a target
#ifdef GRAZE_WIDE_BOXES_INL
#undef GRAZE_WIDE_BOXES_INL
#else
#define GRAZE_WIDE_BOXES_INL
#endif

#include <algorithm>
#include <bit>
#include <cmath>

#include "wide_lanes-inl.hpp"
#include "wide_walk.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

/// A partner's box in X's axes, relative to a centre of X, in X's units.
struct Partner {
    alignas(16) float d[4];        ///< its centre
    alignas(16) float axis[3][4];  ///< unit vectors
    float half[3];
    float half_sum;
};

HWY_INLINE Partner place(const WideQuery::Side& s, const WideBox& x, const WideBox& y) {
    Partner p;
    // Four lanes each, the last one idle: centre[3] is followed by other numbers of the box.
    const hn::CappedTag<double, 4> dd;
    const hn::Rebind<float, decltype(dd)> df;
    for (std::size_t l = 0; l < 4; l += hn::Lanes(dd)) {
        const auto at = hn::MulAdd(hn::Load(dd, s.column[0] + l), hn::Set(dd, y.centre[0]),
                                   hn::MulAdd(hn::Load(dd, s.column[1] + l), hn::Set(dd, y.centre[1]),
                                              hn::MulAdd(hn::Load(dd, s.column[2] + l), hn::Set(dd, y.centre[2]),
                                                         hn::Load(dd, s.column[3] + l))));
        const auto d = hn::Mul(hn::Sub(at, hn::LoadU(dd, x.centre + l)), hn::Set(dd, s.inv_unit));
        hn::Store(hn::DemoteTo(df, d), df, p.d + l);
    }
    const hn::CappedTag<float, 4> d4;
    for (int i = 0; i < 3; ++i) {
        const float q0 = y.axes[3 * i], q1 = y.axes[3 * i + 1], q2 = y.axes[3 * i + 2];
        for (std::size_t l = 0; l < 4; l += hn::Lanes(d4))
            hn::Store(hn::MulAdd(hn::Load(d4, s.axes[0] + l), hn::Set(d4, q0),
                                 hn::MulAdd(hn::Load(d4, s.axes[1] + l), hn::Set(d4, q1),
                                            hn::Mul(hn::Load(d4, s.axes[2] + l), hn::Set(d4, q2)))),
                      d4, p.axis[i] + l);
        p.half[i] = y.half[i] * s.ratio;
    }
    p.half_sum = p.half[0] + p.half[1] + p.half[2];
    return p;
}

/// u times the operations between stored numbers and a comparison, in units of the lengths that
/// enter it; derived in docs/exactness.md ("Boxes").
constexpr float box_error = 48 * 0x1p-24f;

/// Tests the children of `node` against the partner on the six face axes. Returns the lanes not
/// certainly apart; `best` is the lane that overlaps deepest.
template <bool rank>
HWY_INLINE unsigned step(const WideQuery::Side& s, const WideNode& node, const WideBox& own, const WideBox& y,
                         unsigned& best) {
    const Partner p = place(s, own, y);
    const float slack = s.slack + (s.slack_partner + box_error) * p.half_sum +
                        box_error * (std::abs(p.d[0]) + std::abs(p.d[1]) + std::abs(p.d[2]) + node.reach);
    const V k2 = set(axis_unit * axis_unit), inv_k = set(1 / axis_unit);
    const V slack_k = set(slack * (axis_unit * 1.0001f)), slack_1 = set(slack);
    const V h0 = set(p.half[0]), h1 = set(p.half[1]), h2 = set(p.half[2]);
    unsigned alive = 0;
    [[maybe_unused]] std::int32_t deepest = -1;
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        const V wx = hn::Sub(load(node.centre[0] + l), set(p.d[0]));
        const V wy = hn::Sub(load(node.centre[1] + l), set(p.d[1]));
        const V wz = hn::Sub(load(node.centre[2] + l), set(p.d[2]));
        // Radii of the child along the partner's axes, summed up while going over its axes.
        V r0 = hn::Add(h0, slack_1), r1 = hn::Add(h1, slack_1), r2 = hn::Add(h2, slack_1);
        V sep = set(-1e38f);
        for (int i = 0; i < 3; ++i) {
            const V cx = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i] + l)));
            const V cy = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 1] + l)));
            const V cz = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 2] + l)));
            const V e = load(node.half[i] + l);
            const V a0 = hn::Abs(dot3(cx, cy, cz, set(p.axis[0][0]), set(p.axis[0][1]), set(p.axis[0][2])));
            const V a1 = hn::Abs(dot3(cx, cy, cz, set(p.axis[1][0]), set(p.axis[1][1]), set(p.axis[1][2])));
            const V a2 = hn::Abs(dot3(cx, cy, cz, set(p.axis[2][0]), set(p.axis[2][1]), set(p.axis[2][2])));
            const V radius = hn::MulAdd(e, k2, hn::MulAdd(h0, a0, hn::MulAdd(h1, a1, hn::MulAdd(h2, a2, slack_k))));
            const V gap = hn::Sub(hn::Abs(dot3(cx, cy, cz, wx, wy, wz)), radius);
            sep = hn::Max(sep, rank ? hn::Mul(gap, inv_k) : gap);
            r0 = hn::MulAdd(e, a0, r0);
            r1 = hn::MulAdd(e, a1, r1);
            r2 = hn::MulAdd(e, a2, r2);
        }
        sep = hn::Max(sep,
                      hn::Sub(hn::Abs(dot3(wx, wy, wz, set(p.axis[0][0]), set(p.axis[0][1]), set(p.axis[0][2]))), r0));
        sep = hn::Max(sep,
                      hn::Sub(hn::Abs(dot3(wx, wy, wz, set(p.axis[1][0]), set(p.axis[1][1]), set(p.axis[1][2]))), r1));
        sep = hn::Max(sep,
                      hn::Sub(hn::Abs(dot3(wx, wy, wz, set(p.axis[2][0]), set(p.axis[2][1]), set(p.axis[2][2]))), r2));
        const M near = hn::Not(hn::Gt(sep, hn::Zero(d8)));
        alive |= bits(near) << l;
        if constexpr (rank) {
            // The lane in the low bits of the depth: its bits as an integer order as it does.
            const auto depth = hn::BitCast(i32, hn::Max(hn::Neg(sep), hn::Zero(d8)));
            const auto key = hn::Or(hn::And(depth, hn::Set(i32, ~7)), hn::Iota(i32, static_cast<std::int32_t>(l)));
            const auto live = hn::IfThenElse(hn::RebindMask(i32, near), key, hn::Set(i32, -1));
            deepest = std::max(deepest, hn::GetLane(hn::MaxOfLanes(i32, live)));
        }
    }
    alive &= (1u << own.count) - 1;
    if constexpr (rank) {
        best = static_cast<unsigned>(deepest) & 7;
        // An empty lane can win only where a slack beyond all bounds keeps everything.
        if (!(alive >> best & 1)) best = static_cast<unsigned>(std::countr_zero(alive)) & 7;
    }
    return alive;
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once a target
