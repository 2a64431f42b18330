// SPDX-License-Identifier: Apache-2.0
// Signs of orientation determinants of points of A and B, where B is moved by (ε, ε², ε³) for an ε > 0 that is as small
// as one likes. Then no corner of one model lies in the plane of a triangle of the other, and no two edges meet, unless
// the determinant is zero for every translation. (The idea is that of Edelsbrunner and Mücke, "Simulation of
// simplicity", 1990. Moving all of B by one translation keeps its shape.)
//
// A determinant that is zero takes the sign of its derivative by x, and where that is zero too, by y, then by z.
#pragma once

#include "exact/dyadic.hpp"
#include "exact/exact_sign.hpp"
#include "exact/flat.hpp"

namespace graze::detail {

/// The orientation of three points, seen along an axis.
inline int orient_along(int axis, const Vec3& a, const Vec3& b, const Vec3& c) {
    bool used_exact = false;
    return orient_along(axis, a, b, c, used_exact);
}

/// The sign of the first component of the triangle's normal that is not zero; 0 for a triangle without area.
inline int first_sign(const Vec3& a, const Vec3& b, const Vec3& c) {
    for (int axis = 0; axis < 3; ++axis)
        if (const int s = orient_along(axis, a, b, c)) return s;
    return 0;
}

/// The sign of orient3d(a, b, c, p), where p is moved by `moves` (1 or -1) times the translation relative to the other
/// three. Zero exactly when a, b and c have no area.
inline int perturbed_side(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p, int moves) {
    bool used_exact = false;
    const int s = orient3d(a, b, c, p, used_exact);
    return s != 0 ? s : moves * first_sign(a, b, c);
}

/// The sign of one component of (a2 − a1) × (b2 − b1).
inline int cross_sign(const Vec2& a1, const Vec2& a2, const Vec2& b1, const Vec2& b2) {
    const double ux = a2.x - a1.x, uy = a2.y - a1.y, vx = b2.x - b1.x, vy = b2.y - b1.y;
    // Each factor and each product is off by one rounding, which makes 3 per product, and the sum by one more of at
    // most their sum.
    const double p = ux * vy, q = uy * vx, det = p - q, size = std::abs(p) + std::abs(q);
    if (size > filter_min && size < filter_max && std::abs(det) > 5 * half_ulp * size) return (det > 0) - (det < 0);
    if ((ux == 0 || vy == 0) && (uy == 0 || vx == 0)) return 0;
    return ((Dyadic(a2.x) - a1.x) * (Dyadic(b2.y) - b1.y) - (Dyadic(a2.y) - a1.y) * (Dyadic(b2.x) - b1.x)).sign();
}

/// The sign of orient3d(a1, a2, b1, b2) for an edge of A and one of B, which is moved. Zero exactly when the edges are
/// parallel or one has no length.
///
/// With u = a2 − a1, moving b1 and b2 by t changes the determinant by −t · (u × (b2 − b1)).
inline int perturbed_edges(const Vec3& a1, const Vec3& a2, const Vec3& b1, const Vec3& b2) {
    bool used_exact = false;
    if (const int s = orient3d(a1, a2, b1, b2, used_exact)) return s;
    for (int axis = 0; axis < 3; ++axis)
        if (const int s = cross_sign(project(a1, axis), project(a2, axis), project(b1, axis), project(b2, axis)))
            return -s;
    return 0;
}

}  // namespace graze::detail
