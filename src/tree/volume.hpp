// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <span>

#include "graze/math.hpp"
#include "tree/tree_settings.hpp"

namespace graze::detail {

/// The coordinates of a tree's volumes: (p − centre) · 2^-exponent, within [-1, 1] for the model's points. No product
/// of such numbers overflows, whatever the model's size.
struct Frame {
    Vec3 centre;
    int exponent = 0;

    /// The frame with the middle and the size of the points. The exponent is not below -960, so that 2^-exponent is
    /// finite and rounding among subnormal coordinates is far below the slack of any test. Models smaller than that do
    /// not fill [-1, 1].
    static Frame around(std::span<const Vec3> points);

    /// Maps a point into the frame. The result is off by at most 2^-53, from rounding the difference.
    Vec3 local(const Vec3& p) const { return (p - centre) * std::ldexp(1, -exponent); }
};

/// B's frame placed in A's. Pair tests start from it, once per query. Lengths are in units of 2^exponent, which is at
/// least the size of the larger model and large enough for the placement not to overflow.
///
/// In real arithmetic, for points x of their frames with |x| ≤ 1 per coordinate, A's contents are y = a_unit·x,
/// relative to A's centre, and B's contents, mapped and rounded as queries do, are
///     y = offset + b_unit·matrix·x + e,    |e| ≤ 16u·reach per coordinate (u = 2^-53).
/// The 16u: let m be the matrix's largest entry. Mapping a point p rounds three products and three sums, 11u m|p| +
/// u|t| or less. So does mapping B's centre, and the difference from A's adds u. With `reach` = |c_A| + |t| + 3m (|c_B|
/// + size of B) that is at most (11/3 + 1 + 11/3 + 1 + 1) u·reach. Numbers that underflow are below 2^-1060 units, far
/// below any slack, because at least one of a_unit, b_unit and reach · 2^-60 is about 1 or more.
struct Placement {
    Placement(const Frame& a, const Frame& b, const Affine& a_from_b, double margin);

    Mat3 matrix;  ///< matrix of `a_from_b` times a power of two; no entry exceeds 2 in magnitude
    Vec3 offset;
    double a_unit, b_unit;  ///< powers of two; at most 1, possibly 0
    double reach;           ///< at least |offset| per coordinate; below 2^61
    double margin;          ///< rounded up, infinite if it overflows
    int exponent;

    /// The rounding that a test on an axis l with entries below 2^5 adds to the radii: that of T = offset +
    /// b_unit·matrix·c_B − a_unit·c_A, of l·T, and of radii that sum to at most 6 |l|₁ (a_unit + b_unit).
    ///   e, above:                                     16u |l|₁ reach
    ///   T, with |c| ≤ 1, |matrix·c| ≤ 6:              |l|₁ (2u reach + 36u b_unit + 3u a_unit)
    ///   l·T, three products:                          3u |l|₁ (reach + 6 b_unit + a_unit)
    ///   the radii, up to seven products, and sums:    8u · 6 |l|₁ (a_unit + b_unit)
    /// The sum is below 32u reach + 128u (a_unit + b_unit), all times |l|₁. 2^-900 covers underflow.
    double rounding(const Vec3& l) const {
        const double size = std::abs(l.x) + std::abs(l.y) + std::abs(l.z);
        return size * (0x1p-48 * reach + 0x1p-46 * (a_unit + b_unit)) + 0x1p-900;
    }
    double slack(const Vec3& l) const { return rounding(l) + (margin > 0 ? length(l) * margin : 0); }
};

/// The length, never too small but for rounding, even where squares underflow. It is at least 2^-500, next to which the
/// underflow of products is negligible.
inline double length_of(const Vec3& l) { return std::sqrt(dot(l, l) + 0x1p-1000); }

/// The indices of the sizes in descending order of size. Equal sizes keep their order.
std::array<int, 3> longest_first(const Vec3& sizes);

struct Obb;

/// The volumes of a binary tree, in the tree's frame. docs/design.md says how to add one.
///
/// A kind with directions of its own also has `Vec3 axis(int i)`: the directions that a node is cut along, the longest
/// first. Other kinds are cut along the model's axes. A kind that does not fill its `box()` has `Vec3 nearest(p)`, its
/// point nearest to p up to 2^-45, which studies of tightness use. A kind that is much larger around two others than
/// around their points has a static member `loose`.
template <class Bv>
concept BoundingVolume = requires(const Bv& v, std::span<const Vec3> points, const TreeSettings& s, const Vec3& p) {
    { Bv::kind } -> std::convertible_to<graze::Volume>;
    /// The volume around points of magnitude at most 1 that were rounded by `Frame::local`. It holds the unrounded
    /// points.
    { Bv::around(points, s) } -> std::same_as<Bv>;
    /// The volume around two others, as tight as one around their points where the kind allows it. It is called on
    /// the volume that the result replaces, for kinds that keep something of it.
    { v.around(v, v) } -> std::same_as<Bv>;
    /// Whether it holds a point that was rounded by `Frame::local`.
    { v.holds(p) } -> std::same_as<bool>;
    /// A box around the volume, which stands for it in tests against regions and volumes of other kinds.
    { v.box() } -> std::convertible_to<Obb>;
    /// A measure of the surface, comparable within one tree.
    { v.area() } -> std::same_as<double>;
    /// For tests against planes: a point, the greatest distance of any contents from it, up to 2^-40, and how far
    /// the volume extends along p: no less than max p·x, up to 2^-44 |p|₁.
    { v.middle() } -> std::same_as<Vec3>;
    { v.spread() } -> std::same_as<double>;
    { v.extent(p) } -> std::same_as<double>;
};

/// The result of a front's test of two volumes.
struct Finding {
    Vec3 axis;         ///< in A's frame, from A to B, of any length; valid if the gap is positive
    double gap = 0;    ///< if positive, the contents are at least this far apart, beyond any margin; in units
    double depth = 0;  ///< if not apart: roughly how far they must move until they are
};

/// Tests two volumes of trees A and B for one placement. There is one for each kind.
///
///     PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin);
///     bool a_larger(const Bv& a, const Bv& b) const;   whether A's volume is the one to open
///     bool apart(const Bv& a, const Bv& b) const;      whether they are certainly further apart than the margin
///     place_a, place_b                                 what several tests share; `apart` and `find` take the results
///     Finding find(a, b) const;                        as `apart`, with the axis and the gap or depth
///     double a_size(const Bv& a) const, b_size(b);     the longest edge, in units
///     int exponent() const;                            exponent of the unit
template <class Bv>
class PairTest;

}  // namespace graze::detail
