// SPDX-License-Identifier: Apache-2.0
// Places on a segment, as quotients that are compared without rounding.
#pragma once

#include <utility>

#include "exact/perturbed.hpp"
#include "graze/triangle.hpp"

namespace graze::detail {

/// A place on a segment: the quotient n / d with d > 0, from 0 at its start to 1 at its end.
struct Place {
    Dyadic n, d = 1.0;

    Place(Dyadic numerator, Dyadic denominator) : n(std::move(numerator)), d(std::move(denominator)) {
        if (d.sign() >= 0) return;
        n = -n;
        d = -d;
    }
    Place(double x) : n(x) {}  // NOLINT(google-explicit-constructor): a number is a place

    friend int compare(const Place& x, const Place& y) { return (x.n * y.d - y.n * x.d).sign(); }
};

/// The number whose sign `orient3d` gives.
inline Dyadic orient3d_dyadic(const Triangle& t, const Vec3& p) {
    return dot(cross(DyadicVec(t.b) - t.a, DyadicVec(t.c) - t.a), DyadicVec(p) - t.a);
}

/// The number whose sign `orient_along` gives.
inline Dyadic orient_along_dyadic(int axis, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec2 p = project(a, axis), q = project(b, axis), r = project(c, axis);
    return (Dyadic(q.x) - p.x) * (Dyadic(r.y) - p.y) - (Dyadic(q.y) - p.y) * (Dyadic(r.x) - p.x);
}

/// The part of a segment in a triangle, between two places. `turn` is the triangle's orientation as seen along an axis,
/// and the segment lies in its plane. False when they have a point in common, or nothing.
inline bool clip(const Vec3& p, const Vec3& q, const Triangle& t, int axis, int turn, Place& from, Place& to) {
    for (const auto& [u, v] : {std::pair{&t.a, &t.b}, {&t.b, &t.c}, {&t.c, &t.a}}) {
        const int at_p = turn * orient_along(axis, *u, *v, p), at_q = turn * orient_along(axis, *u, *v, q);
        if (at_p <= 0 && at_q <= 0) {
            if (at_p == 0 && at_q == 0) continue;
            return false;
        }
        if (at_p >= 0 && at_q >= 0) continue;
        const Dyadic end = orient_along_dyadic(axis, *u, *v, p);
        const Place place(end, end - orient_along_dyadic(axis, *u, *v, q));
        if (at_p < 0 && compare(from, place) < 0) from = place;
        if (at_q < 0 && compare(place, to) < 0) to = place;
    }
    return compare(from, to) < 0;
}

}  // namespace graze::detail
