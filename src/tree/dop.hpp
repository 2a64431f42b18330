// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "tree/bv_tree.hpp"
#include "tree/obb.hpp"
#include "tree/volume.hpp"

namespace graze::detail {

/// The directions of k-DOPs (Klosowski et al. 1998), one of each opposite pair: the axes, then for 14 and 26 the
/// diagonals of a cube, then for 18 and 26 those of its sides. They are not of unit length, so projections are sums of
/// coordinates.
template <int k>
constexpr std::array<Vec3, k / 2> dop_directions() {
    std::array<Vec3, k / 2> d{};
    int n = 0;
    for (const Vec3& v : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) d[n++] = v;
    if (k != 18)
        for (const Vec3& v : {Vec3{1, 1, 1}, Vec3{1, 1, -1}, Vec3{1, -1, 1}, Vec3{1, -1, -1}}) d[n++] = v;
    if (k != 14)
        for (const Vec3& v :
             {Vec3{1, 1, 0}, Vec3{1, 0, 1}, Vec3{0, 1, 1}, Vec3{1, -1, 0}, Vec3{1, 0, -1}, Vec3{0, 1, -1}})
            d[n++] = v;
    return d;
}

/// A polytope with k sides along k/2 fixed directions, in a tree's frame.
template <int k>
struct Dop {
    static_assert(k == 14 || k == 18 || k == 26);
    static constexpr graze::Volume kind = k == 14   ? graze::Volume::Dop14
                                          : k == 18 ? graze::Volume::Dop18
                                                    : graze::Volume::Dop26;
    static constexpr auto direction = dop_directions<k>();

    /// How far the polytope extends: along direction i at 2i, against it at 2i + 1.
    std::array<double, k> reach;

    static Dop around(std::span<const Vec3> points, const TreeSettings&);
    /// The polytope around two others. It is as tight as the one around their points, bit for bit.
    Dop around(const Dop& a, const Dop& b) const;

    bool holds(const Vec3& p) const;
    Obb box() const;
    Vec3 nearest(const Vec3& p) const;
    /// Middle and spread are those of its box.
    Vec3 middle() const { return Vec3{reach[0] - reach[1], reach[2] - reach[3], reach[4] - reach[5]} * 0.5; }
    double spread() const {
        const Vec3 d{reach[0] + reach[1], reach[2] + reach[3], reach[4] + reach[5]};
        return 0.5 * std::sqrt(dot(d, d));
    }
    double extent(const Vec3& g) const {
        return std::max(g.x * reach[0], -g.x * reach[1]) + std::max(g.y * reach[2], -g.y * reach[3]) +
               std::max(g.z * reach[4], -g.z * reach[5]);
    }
    double area() const {
        const double x = reach[0] + reach[1], y = reach[2] + reach[3], z = reach[4] + reach[5];
        return x * y + y * z + z * x;
    }
};

/// The separating axes are A's directions and B's faces. The extent of a DOP along a direction that is not its own is
/// bounded by three of its own, the corners of the cone around that direction (after Zachmann 1998): if G = Σ w_m d_m
/// with w ≥ 0, the DOP extends no further along G than Σ w_m reach_m. The combinations are computed once per query.
///
/// The bound, for an axis L in A's frame and G = RᵀL in B's, where R is the placement's matrix with entries below 2: L
/// may be any vector. For B's face j it is computed as Σ d_jk N_k with N_k = R_{k+1} × R_{k+2}; then |L| ≤ 24, and G is
/// along d_j up to rounding. No d_m of a combination has an entry whose sign is opposite to G's, so Σ w_m |d_m|₁ =
/// |G|₁. As |reach_m| ≤ |d_m|₁, A's side is at most |L|₁ a_unit and B's |G|₁ b_unit ≤ 6 |L|₁ b_unit. With u = 2^-53:
///   G, three products per entry:              18u |L|₁ b_unit
///   weights, which miss 12u of G's largest    12u |L|₁ a_unit or 24u |L|₁ b_unit
///     entry at most, summed over entries:
///   sums of four products and the offset:     6u |L|₁ (a_unit + 6 b_unit + reach)
///   L·offset, and what `Placement` says:      (3 + 16)u |L|₁ reach
/// That is at most |L|₁ (18u a_unit + 78u b_unit + 25u reach), within `Placement::rounding`. Where B's face j is
/// tested, the part of G that is not along d_j goes into the slack, off by 12u |L|₁ b_unit.
template <int k>
class PairTest<Dop<k>> {
public:
    PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin);

    bool a_larger(const Dop<k>& a, const Dop<k>& b) const { return size(a) * at_.a_unit > size(b) * at_.b_unit; }

    /// Nothing is computed ahead, because most tests end after a few axes.
    struct PlacedA {
        const Dop<k>& dop;
    };
    struct PlacedB {
        const Dop<k>& dop;
    };
    PlacedA place_a(const Dop<k>& a) const { return {a}; }
    PlacedB place_b(const Dop<k>& b) const { return {b}; }
    bool apart(const Dop<k>& a, const PlacedB& b) const { return apart(a, b.dop); }
    bool apart(const PlacedA& a, const Dop<k>& b) const { return apart(a.dop, b); }
    bool apart(const Dop<k>& a, const Dop<k>& b) const {
        return on_axes(a, b, [](const Line&, double, double excess) { return excess > 0; });
    }

    /// The better side of the first direction along which they are apart.
    Finding find(const Dop<k>& a, const Dop<k>& b) const {
        Finding found;
        found.depth = std::numeric_limits<double>::infinity();
        on_axes(a, b, [&](const Line& line, double sign, double excess) {
            found.depth = std::min(found.depth, -excess);
            if (!(excess > 0)) return false;
            const double gap = excess / length_of(line.axis) * (1 - 0x1p-40);
            if (gap > found.gap) {
                found.gap = gap;
                found.axis = line.axis * sign;
            }
            return true;
        });
        return found;
    }
    Finding find(const Dop<k>& a, const PlacedB& b) const { return find(a, b.dop); }
    Finding find(const PlacedA& a, const Dop<k>& b) const { return find(a.dop, b); }

    double a_size(const Dop<k>& a) const { return longest(a) * at_.a_unit; }
    double b_size(const Dop<k>& b) const { return longest(b) * at_.b_unit; }
    int exponent() const { return at_.exponent; }

private:
    static double longest(const Dop<k>& d) {
        return std::max({d.reach[0] + d.reach[1], d.reach[2] + d.reach[3], d.reach[4] + d.reach[5]});
    }
    /// An axis that is a direction of one side, `own`, and a combination of the other side's directions.
    struct Line {
        int own;
        int other[3];
        double own_weight, weight[3];  // include the units
        double along, slack;           // L·offset
        Vec3 axis;
    };

    static double size(const Dop<k>& d) {
        return (d.reach[0] + d.reach[1]) + (d.reach[2] + d.reach[3]) + (d.reach[4] + d.reach[5]);
    }
    static void combine(const Vec3& g, double unit, Line& line);

    /// Calls f(line, sign, excess) for axis i of both sides, both ways along each, until it returns true for one. A
    /// branch per axis would be mispredicted too often. Opposite directions differ in the lowest bit.
    template <class F>
    bool on_axes(const Dop<k>& a, const Dop<k>& b, F&& f) const {
        for (int i = 0; i < k / 2; ++i) {
            bool done = false;
            for (const bool of_a : {true, false}) {
                const Line& l = of_a ? of_a_[i] : of_b_[i];
                const auto &own = of_a ? a.reach : b.reach, &other = of_a ? b.reach : a.reach;
                // If B is above A along the axis, A's reach along it and B's reach against it count; otherwise the
                // reverse.
                const int flip_own = of_a ? 0 : 1, flip_other = 1 - flip_own;
                const auto sum = [&](int turn) {
                    return l.own_weight * own[l.own ^ flip_own ^ turn] +
                           (l.weight[0] * other[l.other[0] ^ flip_other ^ turn] +
                            l.weight[1] * other[l.other[1] ^ flip_other ^ turn] +
                            l.weight[2] * other[l.other[2] ^ flip_other ^ turn]);
                };
                done |= f(l, 1.0, l.along - (sum(0) + l.slack));
                done |= f(l, -1.0, -l.along - (sum(1) + l.slack));
            }
            if (done) return true;
        }
        return false;
    }

    Placement at_;
    std::array<Line, k / 2> of_a_, of_b_;
};

static_assert(sizeof(BvTree<Dop<14>>::Node) == 120);
extern template struct BvTree<Dop<14>>;
extern template struct BvTree<Dop<18>>;
extern template struct BvTree<Dop<26>>;
extern template class PairTest<Dop<14>>;
extern template class PairTest<Dop<18>>;
extern template class PairTest<Dop<26>>;

}  // namespace graze::detail
