// SPDX-License-Identifier: Apache-2.0
#include "exact/region_exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "exact/exact_sign.hpp"

namespace graze::detail {

namespace {

__extension__ using Wide = unsigned __int128;

/// An integer times a power of two: a double, or the product of two.
struct Term {
    Wide magnitude = 0;  ///< odd or zero, below 2^106
    int exponent = 0;
    bool negative = false;
};

Term term(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const int field = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t mantissa = (bits & 0xfffffffffffff) | static_cast<std::uint64_t>(field != 0) << 52;
    const int zeros = mantissa ? std::countr_zero(mantissa) : 0;
    return {mantissa >> zeros, std::max(field, 1) - 1075 + zeros, (bits >> 63) != 0};
}

Term operator*(const Term& a, const Term& b) {
    return {a.magnitude * b.magnitude, a.exponent + b.exponent, a.negative != b.negative};
}

/// The sign of a sum of four terms, in two's complement of N 64-bit words in units of the lowest exponent.
template <int N>
int sign_of_sum(const Term (&terms)[4], int lowest) {
    std::uint64_t sum[N] = {};
    for (const Term& t : terms) {
        if (t.magnitude == 0) continue;
        const int shift = t.exponent - lowest, by = shift % 64;
        const auto low = static_cast<std::uint64_t>(t.magnitude), high = static_cast<std::uint64_t>(t.magnitude >> 64);
        const std::uint64_t words[3] = {low << by, by ? high << by | low >> (64 - by) : high,
                                        by ? high >> (64 - by) : 0};
        // Negation is the complement plus one.
        const std::uint64_t mask = t.negative ? ~std::uint64_t{0} : 0;
        Wide carry = t.negative;
        for (int i = 0; i < N; ++i) {
            const int k = i - shift / 64;
            carry += static_cast<Wide>(sum[i]) + ((k >= 0 && k < 3 ? words[k] : 0) ^ mask);
            sum[i] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
    }
    if (sum[N - 1] >> 63) return -1;
    return std::any_of(sum, sum + N, [](std::uint64_t w) { return w != 0; });
}

/// Products are multiples of 2^-2148 below 2^2048, and their sum is below 2^2050: 4198 bits and one for the sign.
constexpr int most_words = 66;
static_assert(64 * most_words >= 2050 + 2148 + 1);

int side_exact(const Vec3& n, double d, const Vec3& v) {
    const Term terms[4] = {term(n.x) * term(v.x), term(n.y) * term(v.y), term(n.z) * term(v.z), term(-d)};
    int lowest = 4096, top = -4096;
    for (const Term& t : terms) {
        if (t.magnitude == 0) continue;
        lowest = std::min(lowest, t.exponent);
        top = std::max(top, t.exponent + 106);
    }
    if (top - lowest <= 64 * 3 - 3) return sign_of_sum<3>(terms, lowest);
    return sign_of_sum<most_words>(terms, lowest);
}

}  // namespace

/// The sum has four terms. Each is off by u = 2^-53 of itself from the product. Three additions are off by u of the
/// partial sums, which are at most m. That is 4 u m; the rest of 5 u covers higher orders and the rounding of m.
/// Products that underflow are off by 2^-1075 each.
int side(const Vec3& n, double d, const Vec3& v, bool& used_exact) {
    const double x = n.x * v.x, y = n.y * v.y, z = n.z * v.z;
    const double value = ((x + y) + z) - d;
    const double m = ((std::abs(x) + std::abs(y)) + std::abs(z)) + std::abs(d);
    // If m has not overflowed, nothing has.
    if (m <= std::numeric_limits<double>::max() && std::abs(value) > 5 * half_ulp * m + 0x1p-1070) [[likely]]
        return value > 0 ? 1 : -1;
    used_exact = true;
    return side_exact(n, d, v);
}

bool meet(const Triangle& t, const Slab& slab, bool& used_exact) {
    const auto reaches = [&](double bound, int sign) {
        if (std::isinf(bound)) return true;
        for (const Vec3* v : {&t.a, &t.b, &t.c})
            if (side(slab.normal(), bound, *v, used_exact) * sign >= 0) return true;
        return false;
    };
    return reaches(slab.lo(), 1) && reaches(slab.hi(), -1);
}

namespace {

/// The coordinate of the box that is furthest against (smallest) or along (largest) a direction with this sign. If the
/// sign is zero any coordinate will do: `any`, which is finite.
double extreme(double lo, double hi, int sign, bool largest, double any) {
    return sign == 0 ? any : (sign > 0) == largest ? hi : lo;
}

/// Whether the triangle's edge p q separates it from the box when both are projected along axis k: the third corner r
/// is not on the side of the line on which all of the box is.
bool edge_separates(const Vec3& p, const Vec3& q, const Vec3& r, const Box& box, int k, bool& used_exact) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    // orient2d(p, q, x) = (q_i − p_i)(x_j − p_j) − (q_j − p_j)(x_i − p_i). The comparisons below give the exact signs
    // of its coefficients.
    const int along_i = (q[j] < p[j]) - (q[j] > p[j]), along_j = (q[i] > p[i]) - (q[i] < p[i]);
    if (along_i == 0 && along_j == 0) return false;
    const Vec2 a{p[i], p[j]}, b{q[i], q[j]};
    int third = 2;  // not known yet
    for (const bool largest : {false, true}) {
        const Vec2 corner{extreme(box.lo()[i], box.hi()[i], along_i, largest, p[i]),
                          extreme(box.lo()[j], box.hi()[j], along_j, largest, p[j])};
        // The box is unbounded in this direction.
        if (std::isinf(corner.x) || std::isinf(corner.y)) continue;
        const int box_side = orient2d(a, b, corner, used_exact);
        if (box_side != (largest ? -1 : 1)) continue;
        if (third == 2) third = orient2d(a, b, {r[i], r[j]}, used_exact);
        if (third * box_side <= 0) return true;
    }
    return false;
}

/// Whether all of the box is strictly on one side of the triangle's plane.
bool plane_separates(const Triangle& t, const Box& box, bool& used_exact) {
    int normal[3];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = orient2d({t.a[i], t.a[j]}, {t.b[i], t.b[j]}, {t.c[i], t.c[j]}, used_exact);
    }
    const Plane plane(t.a, t.b, t.c);
    for (const bool largest : {false, true}) {
        Vec3 corner;
        bool ends = true;
        for (int k = 0; k < 3; ++k) {
            corner[k] = extreme(box.lo()[k], box.hi()[k], normal[k], largest, t.a[k]);
            ends = ends && std::isfinite(corner[k]);
        }
        if (ends && plane.side(corner, used_exact) == (largest ? -1 : 1)) return true;
    }
    return false;
}

}  // namespace

/// Separating axes: the coordinate axes, the triangle's normal, and edge × coordinate axis.
///
/// Why these suffice, even for degenerate and infinite shapes: the two are apart when 0 is not in P = triangle − box, a
/// closed polyhedron. Let W be the directions of its affine hull. If W is all of space, 0 is beyond a facet of P, which
/// is the difference of a face of each. The directions of the two faces span the facet's directions. So its normal is
/// the triangle's normal, a coordinate axis, or edge × axis; in the last case the edge is the part of the triangle
/// nearest to the box. Otherwise 0 is beside the affine hull, or beyond a facet of P within it. Beside it: the listed
/// axes must span all directions across W. They do: the triangle's normal if W is its plane; coordinate axes if W is
/// the box's hull; edge × axis if W is the edge's line (three of them span what is across it) or the plane of an edge
/// and an axis. Within W: a listed axis serves if it is across the facet but not across W, as its part within W is then
/// the facet's normal. For a facet along an edge that is edge × e_k with e_k not in W; for one along a coordinate axis
/// it is another coordinate axis that is not across W; for a point (W is a line) it is any coordinate axis not across
/// W. So edge × axis must be tested for every axis, flat ones too. Where a bound is infinite, an axis separates only if
/// its component there is exactly zero or points to the finite end (OBBTree paper, section 5).
bool meet(const Triangle& t, const Box& box, bool& used_exact) {
    const Vec3* const v[3] = {&t.a, &t.b, &t.c};
    int within = 0;
    for (int k = 0; k < 3; ++k) {
        const double low = smaller(smaller(t.a[k], t.b[k]), t.c[k]), high = larger(larger(t.a[k], t.b[k]), t.c[k]);
        if (low > box.hi()[k] || high < box.lo()[k]) return false;
        within += low >= box.lo()[k] && high <= box.hi()[k];
    }
    // The triangle is within the box along two axes, and along the third they overlap.
    if (within >= 2) return true;
    for (const Vec3* p : v) {
        bool inside = true;
        for (int k = 0; k < 3; ++k) inside = inside && (*p)[k] >= box.lo()[k] && (*p)[k] <= box.hi()[k];
        if (inside) return true;
    }
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 3; ++k)
            if (edge_separates(*v[e], *v[(e + 1) % 3], *v[(e + 2) % 3], box, k, used_exact)) return false;
    return !plane_separates(t, box, used_exact);
}

}  // namespace graze::detail
