// SPDX-License-Identifier: Apache-2.0
// Signs of determinants in integers. A finite double is an integer times a power of two, so the coordinates of one axis
// are integers in units of 2^k, where k is the exponent of the lowest bit set in any of them. A unit per column scales
// a determinant by a positive number and keeps its sign. The integers are in two's complement of a width in which
// nothing below can overflow; nothing is rounded.
//
// Width: with |coordinates| < 2^(64N-3), differences are below 2^(64N-2), their products below 2^(128N-4), 2×2 minors
// below 2^(128N-3), products of three below 2^(192N-5) and the sum of three such below 2^(192N-3). These fit into N, 2N
// and 3N limbs with a bit for the sign.
#pragma once

#include <algorithm>

#include "exact/exact_int.hpp"
#include "exact/exact_sign.hpp"

namespace graze::detail {

template <int N>
constexpr int sign3d(const Column<4>& x, const Column<4>& y, const Column<4>& z) {
    Int<N> u[3], v[3], w[3];
    const Column<4>* columns[] = {&x, &y, &z};
    for (int i = 0; i < 3; ++i) {
        const Int<N> a = columns[i]->integer<N>(0);
        u[i] = columns[i]->integer<N>(1) - a;
        v[i] = columns[i]->integer<N>(2) - a;
        w[i] = columns[i]->integer<N>(3) - a;
    }
    return sign(w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
                w[2] * (u[0] * v[1] - u[1] * v[0]));
}

template <int N>
constexpr int sign2d(const Column<3>& x, const Column<3>& y) {
    const Int<N> ax = x.integer<N>(0), ay = y.integer<N>(0);
    return sign((x.integer<N>(1) - ax) * (y.integer<N>(2) - ay) - (y.integer<N>(1) - ay) * (x.integer<N>(2) - ax));
}

/// No sign: the coordinates need more limbs than the caller allows.
inline constexpr int too_wide = 2;

/// Sign of det(b − a, c − a, d − a) with integers of up to `Most` limbs per coordinate, else `too_wide`.
template <int Most>
constexpr int orient3d_integers(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    Column<4> x, y, z;
    const Vec3* points[] = {&a, &b, &c, &d};
    for (int i = 0; i < 4; ++i) {
        x.set(i, points[i]->x);
        y.set(i, points[i]->y);
        z.set(i, points[i]->z);
    }
    const int width = std::max(std::max(x.width(), y.width()), z.width());
    if (fits(width, 1)) return sign3d<1>(x, y, z);
    if (fits(width, 2)) return sign3d<2>(x, y, z);
    if (fits(width, 4)) return sign3d<4>(x, y, z);
    if constexpr (Most > 4) return sign3d<Most>(x, y, z);
    return too_wide;
}

/// Sign of det(b − a, c − a) with integers of up to `Most` limbs per coordinate, else `too_wide`.
template <int Most>
constexpr int orient2d_integers(const Vec2& a, const Vec2& b, const Vec2& c) {
    Column<3> x, y;
    const Vec2* points[] = {&a, &b, &c};
    for (int i = 0; i < 3; ++i) {
        x.set(i, points[i]->x);
        y.set(i, points[i]->y);
    }
    const int width = std::max(x.width(), y.width());
    if (fits(width, 1)) return sign2d<1>(x, y);
    if (fits(width, 2)) return sign2d<2>(x, y);
    if constexpr (Most > 4) return sign2d<Most>(x, y);
    if (fits(width, 4)) return sign2d<4>(x, y);
    return too_wide;
}

}  // namespace graze::detail
