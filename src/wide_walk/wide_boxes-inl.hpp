// SPDX-License-Identifier: Apache-2.0
// One step of the walk tests the eight children of a node against a box of the other tree.
#if defined(GRAZE_WIDE_BOXES_INL) == defined(HWY_TARGET_TOGGLE)  // once per target
#ifdef GRAZE_WIDE_BOXES_INL
#undef GRAZE_WIDE_BOXES_INL
#else
#define GRAZE_WIDE_BOXES_INL
#endif

#include <algorithm>
#include <bit>
#include <cmath>

#include "wide/wide_lanes-inl.hpp"
#include "wide_walk/wide_walk.hpp"

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

/// A partner's box along X's axes, relative to a centre of X, in X's units.
struct WidePartner {
    alignas(16) float d[4];        ///< its centre
    alignas(16) float axis[3][4];  ///< generators of its zonotope: R · its axes, at most 1 long
    float half[3];
    float half_sum;
    alignas(16) float normal[3][4];  ///< unit normals of its slabs: R⁻ᵀ · its axes; affine placements only
    float slab[3];                   ///< extents of the slabs
    float slack;                     ///< bounds all errors of a step's gaps; set by `place_step` only

    // Its numbers in all lanes.
    HWY_INLINE V at(int k) const { return set(d[k]); }
    HWY_INLINE V generator(int j, int k) const { return set(axis[j][k]); }
    HWY_INLINE V extent(int j) const { return set(half[j]); }
    template <WideKind kind>
    HWY_INLINE V normal_of(int j, int k) const {
        return set(normals<kind>()[j][k]);
    }
    template <WideKind kind>
    HWY_INLINE V slab_of(int j) const {
        return set(slabs<kind>()[j]);
    }

    /// The normals of the slabs.
    template <WideKind kind>
    HWY_INLINE const float (*normals() const)[4] {
        return kind == WideKind::Affine ? normal : axis;
    }
    template <WideKind kind>
    HWY_INLINE const float* slabs() const {
        return kind == WideKind::Affine ? slab : half;
    }
};

/// Stores the centre of y relative to that of x in three of four lanes.
HWY_INLINE void place_centre(const WideQuery::Side& s, const WideBox& x, const WideBox& y, float* out) {
    // Four lanes each, the last one idle: in memory, centre[3] is followed by other numbers of the box.
    const hn::CappedTag<double, 4> dd;
    const hn::Rebind<float, decltype(dd)> df;
    for (std::size_t l = 0; l < 4; l += hn::Lanes(dd)) {
        const auto at = hn::MulAdd(hn::Load(dd, s.column[0] + l), hn::Set(dd, y.centre[0]),
                                   hn::MulAdd(hn::Load(dd, s.column[1] + l), hn::Set(dd, y.centre[1]),
                                              hn::MulAdd(hn::Load(dd, s.column[2] + l), hn::Set(dd, y.centre[2]),
                                                         hn::Load(dd, s.column[3] + l))));
        const auto d = hn::Mul(hn::Sub(at, hn::LoadU(dd, x.centre + l)), hn::Set(dd, s.inv_unit));
        hn::Store(hn::DemoteTo(df, d), df, out + l);
    }
}

const hn::CappedTag<float, 4> d4;

/// Axis i of a box as it is stored, in three of four lanes: another number of the box follows.
HWY_INLINE hn::Vec<decltype(d4)> stored_axis(const WideBox& box, int i) {
    const hn::Rebind<std::int16_t, decltype(d4)> short_integers;
    const hn::Rebind<std::int32_t, decltype(d4)> integers;
    return hn::ConvertTo(d4, hn::PromoteTo(integers, hn::LoadU(short_integers, box.axes + 3 * i)));
}

template <WideKind kind>
HWY_INLINE WidePartner place(const WideQuery::Side& s, const WideBox& x, const WideBox& y) {
    WidePartner p;
    place_centre(s, x, y, p.d);
    for (int i = 0; i < 3; ++i) {
        p.half[i] = y.half[i] * s.ratio;
        if constexpr (kind == WideKind::Aligned) {
            hn::Store(hn::Load(d4, s.axes[i]), d4, p.axis[i]);
        } else if constexpr (kind == WideKind::Oriented) {
            const auto q = stored_axis(y, i);
            hn::Store(hn::MulAdd(hn::Load(d4, s.axes[0]), hn::Broadcast<0>(q),
                                 hn::MulAdd(hn::Load(d4, s.axes[1]), hn::Broadcast<1>(q),
                                            hn::Mul(hn::Load(d4, s.axes[2]), hn::Broadcast<2>(q)))),
                      d4, p.axis[i]);
        } else {
            const hn::CappedTag<double, 4> dd;
            const hn::Rebind<float, decltype(dd)> df;
            const float q0 = y.axes[3 * i], q1 = y.axes[3 * i + 1], q2 = y.axes[3 * i + 2];
            // In double, because more cancels in a sum of R⁻ᵀ's columns than float can afford.
            for (std::size_t l = 0; l < 4; l += hn::Lanes(dd)) {
                const auto along = [&](const double(*m)[4]) HWY_ATTR {
                    return hn::DemoteTo(df, hn::MulAdd(hn::Load(dd, m[0] + l), hn::Set(dd, q0),
                                                       hn::MulAdd(hn::Load(dd, m[1] + l), hn::Set(dd, q1),
                                                                  hn::Mul(hn::Load(dd, m[2] + l), hn::Set(dd, q2)))));
                };
                hn::Store(along(s.generator), df, p.axis[i] + l);
                hn::Store(along(s.dual), df, p.normal[i] + l);
            }
            float* n = p.normal[i];
            const float shrink = 1 / std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            for (int j = 0; j < 3; ++j) n[j] *= shrink;
            p.slab[i] = p.half[i] * shrink;
        }
    }
    p.half_sum = p.half[0] + p.half[1] + p.half[2];
    return p;
}

/// The unit roundoff u times the number of operations between stored numbers and a comparison, relative to the lengths
/// involved. Derived in docs/exactness.md ("Boxes").
constexpr float box_error = 48 * 0x1p-24f;

/// A partner of a step between oriented boxes under a rigid placement. It is set from vectors whose blocks of four
/// lanes each have the same three numbers, and read with a number in all lanes. Where a step has more numbers than
/// there are registers, they are spread over vectors in memory, as operands of instructions.
struct WideSpread {
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
    static constexpr bool in_memory = true;
    alignas(32) float d[3][wide];
    alignas(32) float axis[3][3][wide];  ///< component, axis
    alignas(32) float half[3][wide];

    HWY_INLINE static void put(V numbers, float (*out)[wide]) {
        hn::Store(hn::Broadcast<0>(numbers), d8, out[0]);
        hn::Store(hn::Broadcast<1>(numbers), d8, out[1]);
        hn::Store(hn::Broadcast<2>(numbers), d8, out[2]);
    }
    HWY_INLINE static V get(const float* number) { return load(number); }
    HWY_INLINE float half_sum() const { return half[0][0] + half[1][0] + half[2][0]; }
#else
    static constexpr bool in_memory = false;
    float d[wide], axis[3][wide], half[wide];

    HWY_INLINE static void put(V numbers, float* out) { hn::StoreU(numbers, d8, out); }
    HWY_INLINE static V get(float number) { return set(number); }
    HWY_INLINE float half_sum() const { return half[0] + half[1] + half[2]; }
#endif
    float slack;

    HWY_INLINE V at(int k) const { return get(d[k]); }
    HWY_INLINE V generator(int j, int k) const { return get(axis[k][j]); }
    HWY_INLINE V extent(int j) const { return get(half[j]); }
    template <WideKind>
    HWY_INLINE V normal_of(int j, int k) const {
        return generator(j, k);
    }
    template <WideKind>
    HWY_INLINE V slab_of(int j) const {
        return extent(j);
    }
};

/// Component k of the three stored axes of a box, times 2^16, in every block of four lanes.
HWY_INLINE V stored_axes(const WideBox& box, int k) {
    const hn::Repartition<std::uint8_t, decltype(d8)> bytes;
    // The 16 bits of every third number go to the upper half of a lane.
    alignas(16) static constexpr std::uint8_t pick[16] = {128, 128, 0,  1,  128, 128, 6,   7,
                                                          128, 128, 12, 13, 128, 128, 128, 128};
    const auto from = hn::LoadDup128(bytes, reinterpret_cast<const std::uint8_t*>(box.axes + k));
    return hn::ConvertTo(d8, hn::BitCast(i32, hn::TableLookupBytesOr0(from, hn::LoadDup128(bytes, pick))));
}

/// Places the partner of a step that opens `node`, whose box is `x`.
template <WideKind kind>
HWY_INLINE void place_step(const WideQuery::Side& s, const WideNode& node, const WideBox& x, const WideBox& y,
                           WidePartner& p) {
    p = place<kind>(s, x, y);
    p.slack = s.slack + (s.slack_partner + box_error) * p.half_sum +
              box_error * (std::abs(p.d[0]) + std::abs(p.d[1]) + std::abs(p.d[2]) + node.reach);
}

/// The slack has no term for the distance of the centres. Where that is large, the boxes are apart whatever the errors
/// (docs/exactness.md, "Boxes"). So it serves to tell boxes apart, and not to tell how far.
template <WideKind kind>
HWY_INLINE void place_step(const WideQuery::Side& s, const WideNode& node, const WideBox& x, const WideBox& y,
                           WideSpread& p) {
    static_assert(kind == WideKind::Oriented);
    alignas(16) float d[4];
    place_centre(s, x, y, d);
    p.put(hn::LoadDup128(d8, d), p.d);
    const V q0 = stored_axes(y, 0), q1 = stored_axes(y, 1), q2 = stored_axes(y, 2);
    for (int k = 0; k < 3; ++k)
        p.put(hn::MulAdd(load(s.rows[k][0]), q0, hn::MulAdd(load(s.rows[k][1]), q1, hn::Mul(load(s.rows[k][2]), q2))),
              p.axis[k]);
    p.put(hn::Mul(hn::LoadDup128(d8, y.half), load(s.ratios)), p.half);
    p.slack = s.slack + (s.slack_partner + 3 * box_error) * p.half_sum() + 3 * box_error * node.reach;
}

/// The axis of the widest gap of each lane, towards the child.
struct WideGapAxes {
    V n[3];

    /// Replaces the axis in lanes where the gap along another axis is wider. The child is at `at` from the partner
    /// along it.
    HWY_INLINE void widen(V& widest, V gap, V at, V x, V y, V z) {
        const M wider = hn::Gt(gap, widest);
        n[0] = hn::IfThenElse(wider, hn::CopySignToAbs(hn::Abs(x), hn::Xor(x, at)), n[0]);
        n[1] = hn::IfThenElse(wider, hn::CopySignToAbs(hn::Abs(y), hn::Xor(y, at)), n[1]);
        n[2] = hn::IfThenElse(wider, hn::CopySignToAbs(hn::Abs(z), hn::Xor(z, at)), n[2]);
        widest = hn::Max(widest, gap);
    }
};

/// Whose axis a gap is along.
enum class GapOf { Child, Partner, Other };
template <GapOf of>
using GapTag = std::integral_constant<GapOf, of>;

/// How much longer than 1 a child's own axis may be, and so how much longer a slack along it.
template <WideKind kind>
constexpr float longest_axis = kind == WideKind::Aligned ? 1.0f : 1.0001f;

/// Calls `f(whose, gap, at, x, y, z)` for the gap of each child, from lane l on, from the partner along each of the six
/// face axes, and along `other`, a unit vector, unless it is null. The axis is (x, y, z), and the child is at `at` from
/// the partner along it. Gaps are smaller by `slack` unless that is null. Unless `unit` is set, gaps along the
/// children's own axes may be scaled by a factor.
template <WideKind kind, bool unit, class Partner, class Slack, class Other, class F>
HWY_INLINE void each_gap(const WideNode& node, const Partner& p, Slack slack, std::size_t l, Other other, F&& f) {
    constexpr bool slackened = !std::is_null_pointer_v<Slack>;
    constexpr bool has_other = !std::is_null_pointer_v<Other>;
    [[maybe_unused]] V along_other = hn::Zero(d8);  // the child's radius
    const V wx = hn::Sub(load(node.centre[0] + l), p.at(0));
    const V wy = hn::Sub(load(node.centre[1] + l), p.at(1));
    const V wz = hn::Sub(load(node.centre[2] + l), p.at(2));
    // The child's radii along the partner's normals, accumulated while going over the child's axes.
    V r[3];
    for (int j = 0; j < 3; ++j) {
        r[j] = p.template slab_of<kind>(j);
        if constexpr (slackened) r[j] = hn::Add(r[j], set(slack));
    }
    if constexpr (kind == WideKind::Aligned) {
        // All dot products of axes are entries of R. The nine edge axes, which are cheapest here, saved 4 to 10 % of
        // the tests for 18 % more time.
        const V w[3] = {wx, wy, wz};
        for (int i = 0; i < 3; ++i) {
            float radius = p.half[0] * std::abs(p.axis[0][i]) + p.half[1] * std::abs(p.axis[1][i]) +
                           p.half[2] * std::abs(p.axis[2][i]);
            if constexpr (slackened) radius += slack;
            const V e = hn::Mul(load(node.half[i] + l), set(axis_unit));
            f(GapTag<GapOf::Child>{}, hn::Sub(hn::Abs(w[i]), hn::Add(e, set(radius))), w[i], set(i == 0), set(i == 1),
              set(i == 2));
            if constexpr (has_other) along_other = hn::MulAdd(e, set(std::abs(other[i])), along_other);
            for (int j = 0; j < 3; ++j) r[j] = hn::MulAdd(e, set(std::abs(p.axis[j][i])), r[j]);
        }
    } else {
        const V k2 = set(axis_unit * axis_unit), inv_k = set(1 / axis_unit);
        for (int i = 0; i < 3; ++i) {
            const V cx = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i] + l)));
            const V cy = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 1] + l)));
            const V cz = hn::ConvertTo(d8, hn::PromoteTo(i32, hn::Load(i16, node.axes[3 * i + 2] + l)));
            const auto along = [&](V x, V y, V z) HWY_ATTR { return hn::Abs(dot3(cx, cy, cz, x, y, z)); };
            const V e = load(node.half[i] + l);
            V a[3];
            for (int j = 0; j < 3; ++j) a[j] = along(p.generator(j, 0), p.generator(j, 1), p.generator(j, 2));
            V radius = hn::Mul(p.extent(2), a[2]);
            if constexpr (slackened) radius = hn::Add(radius, set(slack * (axis_unit * longest_axis<kind>)));
            radius = hn::MulAdd(e, k2, hn::MulAdd(p.extent(0), a[0], hn::MulAdd(p.extent(1), a[1], radius)));
            const V at = dot3(cx, cy, cz, wx, wy, wz);
            const V gap = hn::Sub(hn::Abs(at), radius);
            if constexpr (has_other)
                along_other = hn::MulAdd(e, along(set(other[0]), set(other[1]), set(other[2])), along_other);
            f(GapTag<GapOf::Child>{}, unit ? hn::Mul(gap, inv_k) : gap, at, hn::Mul(cx, inv_k), hn::Mul(cy, inv_k),
              hn::Mul(cz, inv_k));
            for (int j = 0; j < 3; ++j) {
                if constexpr (kind == WideKind::Affine)
                    a[j] = along(p.template normal_of<kind>(j, 0), p.template normal_of<kind>(j, 1),
                                 p.template normal_of<kind>(j, 2));
                r[j] = hn::MulAdd(e, a[j], r[j]);
            }
            if constexpr (std::is_same_v<Partner, WideSpread> && WideSpread::in_memory) reread(&p);
        }
    }
    for (int j = 0; j < 3; ++j) {
        const V nx = p.template normal_of<kind>(j, 0), ny = p.template normal_of<kind>(j, 1),
                nz = p.template normal_of<kind>(j, 2);
        const V at = dot3(wx, wy, wz, nx, ny, nz);
        f(GapTag<GapOf::Partner>{}, hn::Sub(hn::Abs(at), r[j]), at, nx, ny, nz);
    }
    if constexpr (has_other) {
        float radius = slack;
        for (int j = 0; j < 3; ++j)
            radius += p.half[j] * std::abs(p.axis[j][0] * other[0] + p.axis[j][1] * other[1] + p.axis[j][2] * other[2]);
        const V nx = set(other[0]), ny = set(other[1]), nz = set(other[2]);
        const V at = dot3(wx, wy, wz, nx, ny, nz);
        f(GapTag<GapOf::Other>{}, hn::Sub(hn::Abs(at), hn::Add(along_other, set(radius))), at, nx, ny, nz);
    }
}

/// The distance of each child from lane l on from the partner: the widest gap along the six face axes, and its axis.
template <WideKind kind>
HWY_INLINE V gaps(const WideNode& node, const WidePartner& p, std::size_t l, WideGapAxes& axes) {
    V sep = set(-1e38f);
    each_gap<kind, true>(node, p, p.slack, l, nullptr,
                         [&](auto, V gap, V at, V x, V y, V z) HWY_ATTR { axes.widen(sep, gap, at, x, y, z); });
    return sep;
}

/// The widest gap of each child from lane l on along its own axes, times axis_unit unless aligned, and along the
/// partner's, both without the slack.
template <WideKind kind, class Partner>
HWY_INLINE void widest_gaps(const WideNode& node, const Partner& p, std::size_t l, V& of_child, V& of_partner) {
    of_child = of_partner = set(-1e38f);
    each_gap<kind, false>(node, p, nullptr, l, nullptr, [&](auto whose, V gap, V, V, V, V) HWY_ATTR {
        V& widest = whose == GapOf::Child ? of_child : of_partner;
        widest = hn::Max(widest, gap);
    });
}

/// A lower bound of the squared distance of each child from lane l on from the partner, in squared units: by the axes
/// of the boxes and by `other`, a unit vector. The three gaps along the axes of one box are independent, so their
/// squares add up; those along the normals of an affine placement are not. `widest` receives the widest gap along a
/// box's axis, which is negative for a child that overlaps.
template <WideKind kind>
HWY_INLINE V squared_gaps(const WideNode& node, const WidePartner& p, float slack, std::size_t l, const float* other,
                          V& widest) {
    V of_child = hn::Zero(d8), of_partner = hn::Zero(d8);
    widest = set(-1e38f);
    each_gap<kind, true>(node, p, slack, l, other, [&](auto whose, V gap, V, V, V, V) HWY_ATTR {
        widest = hn::Max(widest, gap);
        const V positive = hn::Max(gap, hn::Zero(d8));
        if constexpr (whose == GapOf::Child)
            of_child = hn::MulAdd(positive, positive, of_child);
        else if constexpr (whose == GapOf::Other || kind == WideKind::Affine)
            of_partner = hn::Max(hn::Mul(positive, positive), of_partner);
        else
            of_partner = hn::MulAdd(positive, positive, of_partner);
    });
    return hn::Max(of_child, of_partner);
}

/// The gap of an empty set.
constexpr float endless = 1e38f;

/// A front's step: the lanes that count, and the smallest gap among those that are apart.
struct WideApart {
    unsigned lanes;
    float gap;
    WideRow* row;  ///< where gaps and axes go
};

/// Tests the `count` children of `node` against the partner, made by `place_step`. Returns the lanes that are not
/// certainly apart. `best` receives the lane that overlaps deepest.
template <WideKind kind, bool rank, bool front, class Partner>
HWY_INLINE unsigned test_children(const WideNode& node, unsigned count, const Partner& p, unsigned& best,
                                  [[maybe_unused]] WideApart* apart = nullptr) {
    unsigned alive = 0;
    [[maybe_unused]] std::int32_t deepest = -1;
    [[maybe_unused]] V least = set(endless);
    for (std::size_t l = 0; l < wide; l += GRAZE_LANES) {
        V sep;
        M near;
        if constexpr (front) {
            WideGapAxes axes;
            axes.n[0] = axes.n[1] = axes.n[2] = hn::Zero(d8);
            sep = gaps<kind>(node, p, l, axes);
            near = hn::Not(hn::Gt(sep, hn::Zero(d8)));
            least = hn::Min(least, hn::IfThenElse(hn::AndNot(near, lanes_of(apart->lanes >> l)), sep, least));
            hn::Store(sep, d8, apart->row->gap + l);
            for (int i = 0; i < 3; ++i) hn::Store(axes.n[i], d8, apart->row->axis[i] + l);
        } else {
            // The slack is known late, so it comes last.
            constexpr float unit = kind == WideKind::Aligned ? 1 : axis_unit;
            V of_child, of_partner;
            widest_gaps<kind>(node, p, l, of_child, of_partner);
            near = hn::Not(
                hn::Or(hn::Gt(of_child, set(p.slack * (unit * longest_axis<kind>))), hn::Gt(of_partner, set(p.slack))));
            if constexpr (rank) sep = hn::Max(hn::Mul(of_child, set(1 / unit)), of_partner);
        }
        alive |= bits(near) << l;
        if constexpr (rank) {
            // The lane goes into the low bits of the depth. As integers, the bits have the order of the depths, and
            // those of children that are apart are negative.
            const auto depth = hn::BitCast(i32, hn::Sub(set(p.slack), sep));
            const auto key = hn::Or(hn::And(depth, hn::Set(i32, ~static_cast<std::int32_t>(wide - 1))),
                                    hn::Iota(i32, static_cast<std::int32_t>(l)));
            deepest = std::max(deepest, hn::GetLane(hn::MaxOfLanes(i32, key)));
        }
    }
    alive &= (1u << count) - 1;
    if constexpr (front) apart->gap = least_lane(least);
    if constexpr (rank) {
        best = static_cast<unsigned>(deepest) & (wide - 1);
        // An empty lane can only win if the slack is so large that everything overlaps.
        if (!(alive >> best & 1)) best = static_cast<unsigned>(std::countr_zero(alive)) & (wide - 1);
    }
    return alive;
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per target
