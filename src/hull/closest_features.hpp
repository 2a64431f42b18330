// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hull/convex_hull.hpp"

namespace graze::detail {

/// A's hull in the common frame of the pair: relative to A's origin, in units of the pair.
struct OwnView {
    const HullData& hull;
    double scale;

    Vec3 vertex(std::uint32_t i) const { return hull.vertices[i] * scale; }
    /// Outward normal of any length.
    Vec3 normal(std::uint32_t f) const { return hull.faces[f].normal; }
    /// The direction across an edge along d, into the face to its left, which has the normal n.
    Vec3 leftwards(const Vec3& n, const Vec3& d) const { return cross(n, d); }
    Vec3 centre() const { return hull.centre * scale; }
    /// The vector whose product with local coordinates is w · x in the frame, up to a constant.
    Vec3 pulled(const Vec3& w) const { return w * scale; }
};

/// B's hull in the common frame: Mx + o. Normals are mapped by the cofactors.
struct PlacedView {
    const HullData& hull;
    Mat3 matrix;
    Vec3 offset;
    Mat3 cofactors;
    double turn;  ///< -1 when the matrix mirrors, which swaps left and right

    Vec3 vertex(std::uint32_t i) const { return matrix * hull.vertices[i] + offset; }
    Vec3 normal(std::uint32_t f) const { return cofactors * hull.faces[f].normal; }
    Vec3 leftwards(const Vec3& n, const Vec3& d) const { return cross(n, d) * turn; }
    Vec3 centre() const { return matrix * hull.centre + offset; }
    Vec3 pulled(const Vec3& w) const { return matrix.row[0] * w.x + matrix.row[1] * w.y + matrix.row[2] * w.z; }
};

/// Two hulls in one frame, in units of 2^exponent. The units are large enough that nothing overflows, and not smaller
/// than the larger hull's.
struct HullPair {
    HullPair(const HullData& a, const HullData& b, const Affine& a_from_b);

    int exponent;
    OwnView a;
    PlacedView b;
    double reach;     ///< size of the hulls in this frame
    double rounding;  ///< bound of the error of `gap`, including the rounding of mapped points
};

/// A point of each hull, in the pair's frame, and the features on which they lie.
struct Nearest {
    Feature a, b;
    Vec3 at_a, at_b;
    bool overlap = false;
};

/// Gilbert, Johnson and Keerthi's algorithm over all vertices. Slow, but takes any hull.
Nearest gjk(const HullPair& pair);

}  // namespace graze::detail
