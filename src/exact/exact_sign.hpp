// SPDX-License-Identifier: Apache-2.0
// Signs of the two orientation determinants, exact for all finite doubles. An inline filter in double decides nearly
// all; ties go to integer arithmetic (integer_sign.hpp).
#pragma once

#include <cmath>

#include "graze/math.hpp"

namespace graze::detail {

// These compile to one instruction each, where std::max of a list becomes branches.
constexpr double larger(double a, double b) { return a > b ? a : b; }
constexpr double smaller(double a, double b) { return a < b ? a : b; }

struct Vec2 {
    double x = 0, y = 0;
    friend constexpr bool operator==(const Vec2&, const Vec2&) = default;
};

/// Drops one axis and keeps the orientation: a normal's component along the axis has the sign of what remains.
constexpr Vec2 project(const Vec3& v, int axis) {
    return axis == 0 ? Vec2{v.y, v.z} : axis == 1 ? Vec2{v.z, v.x} : Vec2{v.x, v.y};
}

/// Sign of det(b − a, c − a, d − a): 1 when d is on the side from which a, b, c turn left. Uses no filter.
int orient3d_exact(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
/// Sign of det(b − a, c − a): 1 when a, b, c turn left. Uses no filter.
int orient2d_exact(const Vec2& a, const Vec2& b, const Vec2& c);

// The type of the argument `ties` of the functions below says who decides where double arithmetic cannot. A `bool` asks
// integers of any width and is set when they were needed. Other types bring their own `tie3d` and `tie2d`. The two for
// `bool` are called rarely, so they are not inline.
int tie3d(bool& used_exact, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
int tie2d(bool& used_exact, const Vec2& a, const Vec2& b, const Vec2& c);

/// Whether two of four points are one, so that they lie in a plane without further ado.
constexpr bool coincide(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return d == a || d == b || d == c || a == b || a == c || b == c;
}

inline constexpr double half_ulp = 0x1p-53;

// The range in which the filters are valid. If the largest difference of each axis is in this window, no product of
// three overflows, and what underflow can add to an error (at most 2^-1075 per operation, times a difference) is below
// 2^-400 of the error bound. Infinite differences are outside as well.
inline constexpr double filter_min = 0x1p-300;
inline constexpr double filter_max = 0x1p300;

/// The plane through three points, for testing the sides of several others.
///
/// Error of `det` below, in units of u·X·Y·Z to first order, with u = 2^-53 and X, Y, Z the largest magnitudes of the
/// three rounded differences by axis:
///   differences: each is off by u of itself (a subtraction does not underflow); det has six
///                products of three of them                                        6·3   = 18
///   minors:      two products (1 each), one subtraction of a value ≤ 2 (2)               4 each
///   terms:       a minor's error times a difference, product of a value ≤ 2 (2): 6 each,   18
///   sums:        of values ≤ 4 and ≤ 6                                                     10
/// Together that is 46. Terms of higher order, the three roundings of the bound itself and underflow are below 1e-12 of
/// it, so 48 is safe.
class Plane {
public:
    constexpr Plane(const Vec3& a, const Vec3& b, const Vec3& c) : a_(a), b_(b), c_(c) {
        const Vec3 u = b - a, v = c - a;
        normal_ = cross(u, v);
        largest_ = {larger(std::abs(u.x), std::abs(v.x)), larger(std::abs(u.y), std::abs(v.y)),
                    larger(std::abs(u.z), std::abs(v.z))};
    }

    /// The sign of orient3d(a, b, c, d).
    template <class Ties>
    constexpr int side(const Vec3& d, Ties& ties) const {
        const Vec3 w = d - a_;
        const double x = larger(largest_.x, std::abs(w.x));
        const double y = larger(largest_.y, std::abs(w.y));
        const double z = larger(largest_.z, std::abs(w.z));
        const double det = dot(w, normal_);
        const double bound = 48 * half_ulp * x * y * z;
        const bool valid = smaller(smaller(x, y), z) >= filter_min && larger(larger(x, y), z) <= filter_max;
        if (valid && std::abs(det) > bound) [[likely]]
            return (det > 0) - (det < 0);
        // All four points lie in one plane across an axis, because the differences are exactly zero.
        if (x == 0 || y == 0 || z == 0) return 0;
        return tie3d(ties, a_, b_, c_, d);
    }

private:
    const Vec3 &a_, &b_, &c_;
    Vec3 normal_, largest_;
};

template <class Ties>
constexpr int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, Ties& ties) {
    return Plane(a, b, c).side(d, ties);
}

/// The orientation of three points in the plane. Error in units of u·X·Y: differences 2·2, products 2, a sum of a value
/// ≤ 2 another 2, together 8. As in `Plane`, 9 covers the rest.
template <class Ties>
constexpr int orient2d(const Vec2& a, const Vec2& b, const Vec2& c, Ties& ties) {
    const double ux = b.x - a.x, uy = b.y - a.y, vx = c.x - a.x, vy = c.y - a.y;
    const double x = larger(std::abs(ux), std::abs(vx));
    const double y = larger(std::abs(uy), std::abs(vy));
    const double det = ux * vy - uy * vx;
    const bool valid = smaller(x, y) >= filter_min && larger(x, y) <= filter_max;
    if (valid && std::abs(det) > 9 * half_ulp * x * y) [[likely]]
        return (det > 0) - (det < 0);
    if (x == 0 || y == 0 || a == b || a == c || b == c) return 0;
    return tie2d(ties, a, b, c);
}

}  // namespace graze::detail
