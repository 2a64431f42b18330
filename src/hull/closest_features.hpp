// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hull/convex_hull.hpp"

namespace graze::detail {

/// A's hull in the common frame of two: about A's origin, in units of the pair.
struct OwnView {
    const HullData& hull;
    double scale;

    Vec3 vertex(std::uint32_t i) const { return hull.vertices[i] * scale; }
    /// Of any length.
    Vec3 normal(std::uint32_t f) const { return hull.faces[f].normal; }
    /// Across an edge along d, into the face to its left with the normal n.
    Vec3 leftwards(const Vec3& n, const Vec3& d) const { return cross(n, d); }
    Vec3 centre() const { return hull.centre * scale; }
    /// w · x of the frame, up to a constant, as a product with local coordinates.
    Vec3 pulled(const Vec3& w) const { return w * scale; }
};

/// B's hull there: Mx + o. Normals go by the cofactors.
struct PlacedView {
    const HullData& hull;
    Mat3 matrix;
    Vec3 offset;
    Mat3 cofactors;
    double turn;  ///< -1 when the matrix mirrors: left is right then

    Vec3 vertex(std::uint32_t i) const { return matrix * hull.vertices[i] + offset; }
    Vec3 normal(std::uint32_t f) const { return cofactors * hull.faces[f].normal; }
    Vec3 leftwards(const Vec3& n, const Vec3& d) const { return cross(n, d) * turn; }
    Vec3 centre() const { return matrix * hull.centre + offset; }
    Vec3 pulled(const Vec3& w) const { return matrix.row[0] * w.x + matrix.row[1] * w.y + matrix.row[2] * w.z; }
};

/// Two hulls in one frame, whose units are 2^exponent: large enough that nothing overflows, and no unit smaller than
/// the larger hull's.
struct HullPair {
    HullPair(const HullData& a, const HullData& b, const Affine& a_from_b);

    int exponent;
    OwnView a;
    PlacedView b;
    double reach;     ///< of the hulls in this frame
    double rounding;  ///< no less than the error of `gap`, rounding of mapped points included
};

/// A point of each hull, in the pair's frame, and the features that these lie on.
struct Nearest {
    Feature a, b;
    Vec3 at_a, at_b;
    bool overlap = false;
};

/// Gilbert, Johnson and Keerthi's algorithm over all vertices: slow, and takes any hull.
Nearest gjk(const HullPair& pair);

}  // namespace graze::detail
