// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <span>

#include "graze/math.hpp"
#include "graze/model.hpp"

namespace graze::detail {

/// The coordinates that a tree's volumes live in: (p − centre) · 2^-exponent, within [-1, 1] for
/// the model's points. No product of such numbers overflows, whatever the model's size.
struct Frame {
    Vec3 centre;
    int exponent = 0;

    /// The middle and the size of the points. The exponent is not below -960, so that 2^-exponent is
    /// a number and rounding among subnormal coordinates is far below the slack of any test; models
    /// smaller than that do not fill [-1, 1].
    static Frame around(std::span<const Vec3> points);

    /// Off by at most 2^-53 from the real value, by the rounding of the difference.
    Vec3 local(const Vec3& p) const { return (p - centre) * std::ldexp(1, -exponent); }
};

/// B's frame placed in A's: what pair tests start from, once a query. Lengths are in units of 2^exponent, at
/// least the size of the larger model and large enough for the placement not to overflow.
///
/// A's contents are y = a_unit·x, about A's centre, and B's, mapped and rounded as queries do, are
///     y = offset + b_unit·matrix·x + e,    |e| ≤ 16u·reach a coordinate (u = 2^-53),
/// for points x of their frames, |x| ≤ 1 a coordinate, in real arithmetic. The 16u: with m the matrix's largest
/// entry, mapping a point p rounds three products and three sums, 11u m|p| + u|t| or less, and so does mapping
/// B's centre; u more for the difference from A's. `reach` = |c_A| + |t| + 3m (|c_B| + size of B), so that is at most
/// (11/3 + 1 + 11/3 + 1 + 1) u·reach. Numbers that vanish are below 2^-1060 units, far below any slack: of a_unit,
/// b_unit and reach · 2^-60 one is about 1 or more.
struct Placement {
    Placement(const Frame& a, const Frame& b, const Affine& a_from_b, double margin);

    Mat3 matrix;  ///< that of `a_from_b` times a power of two: no entry is beyond 2 in magnitude
    Vec3 offset;
    double a_unit, b_unit;  ///< powers of two; at most 1, maybe 0
    double reach;           ///< at least any |offset|; below 2^61
    double margin;          ///< rounded up, infinite if it overflows
    int exponent;

    /// What a test on an axis l of entries below 2^5 adds to the radii: the rounding, of T =
    /// offset + b_unit·matrix·c_B − a_unit·c_A, of l·T and of radii that sum to at most 6 |l|₁ (a_unit + b_unit).
    ///   e, above:                                     16u |l|₁ reach
    ///   T, with |c| ≤ 1, |matrix·c| ≤ 6:              |l|₁ (2u reach + 36u b_unit + 3u a_unit)
    ///   l·T, three products:                          3u |l|₁ (reach + 6 b_unit + a_unit)
    ///   the radii, up to seven products, and sums:    8u · 6 |l|₁ (a_unit + b_unit)
    /// The sum is below 32u reach + 128u (a_unit + b_unit), all times |l|₁. Underflow is what 2^-900 covers.
    double rounding(const Vec3& l) const {
        const double size = std::abs(l.x) + std::abs(l.y) + std::abs(l.z);
        return size * (0x1p-48 * reach + 0x1p-46 * (a_unit + b_unit)) + 0x1p-900;
    }
    double slack(const Vec3& l) const { return rounding(l) + (margin > 0 ? length(l) * margin : 0); }
};

/// No less than the length but for rounding, also where squares underflow; at least 2^-500, next to which products
/// underflow by nothing.
inline double length_of(const Vec3& l) { return std::sqrt(dot(l, l) + 0x1p-1000); }

/// The indices of the sizes, the largest first; equal ones in order.
std::array<int, 3> longest_first(const Vec3& sizes);

struct Obb;

/// What a binary tree is made of; docs/design.md says how to add one. All in a tree's frame.
///
/// A kind with directions of its own has `Vec3 axis(int i)` too: those that a node is cut along, the longest first.
/// The others are cut along the model's axes. A kind that does not fill its `box()` has `Vec3 nearest(p)`, its point
/// nearest to p up to 2^-45, by which its tightness is studied. A kind that is much larger around two others than
/// around their points has a static member `loose`.
template <class Bv>
concept BoundingVolume = requires(const Bv& v, std::span<const Vec3> points, const BuildSettings& s, const Vec3& p) {
    { Bv::kind } -> std::convertible_to<Volume>;
    /// Around points of magnitude 1 at most that were rounded by `Frame::local`: holds the unrounded.
    { Bv::around(points, s) } -> std::same_as<Bv>;
    /// Around two others; as tight as `around` where the kind allows it. Called on the volume that it
    /// replaces, for kinds that keep something of it.
    { v.around(v, v) } -> std::same_as<Bv>;
    /// For points as `around` takes them.
    { v.holds(p) } -> std::same_as<bool>;
    /// A box around it, what it is tested as against volumes of other kinds and regions.
    { v.box() } -> std::convertible_to<Obb>;
    /// A measure of its surface, comparable within one tree.
    { v.area() } -> std::same_as<double>;
    /// For planes: a point, how far from it there can be anything, up to 2^-40, and how far it goes along p: no less
    /// than max p·x, but for 2^-44 |p|₁.
    { v.middle() } -> std::same_as<Vec3>;
    { v.spread() } -> std::same_as<double>;
    { v.extent(p) } -> std::same_as<double>;
};

/// What a front's test of two volumes found.
struct Finding {
    Vec3 axis;         ///< of some length, in A's frame, from A to B; if the gap is positive
    double gap = 0;    ///< if positive, contents are at least this far apart, beyond any margin; in the test's units
    double depth = 0;  ///< if they are not apart: about how far they have to go until they are
};

/// How two volumes of trees A and B are tested for one placement; there is one for each kind.
///
///     PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin);
///     bool a_larger(const Bv& a, const Bv& b) const;   whether A's is the one to open
///     bool apart(const Bv& a, const Bv& b) const;      certainly further apart than the margin
///     place_a, place_b, and apart for what they return: work shared by tests against several
///     Finding find(a, b) const;                        for all that `apart` takes: apart when that says so
///     double a_size(const Bv& a) const, b_size(b);     the longest edge
///     int exponent() const;                            of the unit
template <class Bv>
class PairTest;

}  // namespace graze::detail
