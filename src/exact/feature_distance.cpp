// SPDX-License-Identifier: Apache-2.0
// Coordinates are integers in one unit for all axes, the exponent of the lowest bit set in any of them. The square of a
// distance, in squared units, is then a fraction of two integers:
//
//   corner p, corner q          |q − p|²                    / 1
//   corner p, line a + x·u      |(p − a) × u|²              / |u|²
//   corner p, plane (a, n)      ((p − a) · n)²              / |n|²,  n the product of two edges
//   lines a + x·u, c + y·v      ((c − a) · n)²              / |n|²,  n = u × v
//
// Width: with |coordinates| < 2^(64N−3), differences are below 2^(64N−2), products of two below 2^(128N−4), components
// of a normal below 2^(128N−3), a difference times a normal below 2^(192N−3) and its square below 2^(384N−6). A sum of
// three squares of components of a normal is below 2^(256N−4). So N, 2N, 3N, 6N and 4N limbs suffice.
#include "exact/feature_distance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "exact/exact_int.hpp"

namespace graze::detail {
namespace {

using Kind = TriangleFeature::Kind;

/// Number of bits of an integer that is not negative.
template <int N>
int bit_count(const Int<N>& a) {
    for (int i = N; i-- > 0;)
        if (a.limb[i] != 0) return 64 * i + 64 - std::countl_zero(a.limb[i]);
    return 0;
}

template <int N>
struct IntVector {
    Int<N> v[3];
};

template <int N>
IntVector<N> operator-(const IntVector<N>& a, const IntVector<N>& b) {
    return {{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};
}

template <int N, int M>
Int<N + M> dot(const IntVector<N>& a, const IntVector<M>& b) {
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

template <int N>
IntVector<2 * N> cross(const IntVector<N>& a, const IntVector<N>& b) {
    return {{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

/// A squared distance in squared units. A denominator of zero stands for infinity.
template <int N>
struct Fraction {
    Int<6 * N> num;
    Int<4 * N> den;
};

template <int N>
class Features {
public:
    Features(const Column<6> (&columns)[3]) {
        for (int i = 0; i < 6; ++i)
            for (int k = 0; k < 3; ++k) point_[i].v[k] = columns[k].integer<N>(i);
    }

    Fraction<N> squared(const TriangleFeatures& f) const {
        const bool swap = f.s.kind > f.t.kind;
        const TriangleFeature &low = swap ? f.t : f.s, &high = swap ? f.s : f.t;
        const int of_low = swap ? 3 : 0, of_high = swap ? 0 : 3;
        const auto corner = [&](int of, int i) -> const IntVector<N>& { return point_[of + i % 3]; };
        if (low.kind == Kind::Edge)
            return lines(corner(of_low, low.index), corner(of_low, low.index + 1), corner(of_high, high.index),
                         corner(of_high, high.index + 1));
        const IntVector<N>& p = corner(of_low, low.index);
        if (high.kind == Kind::Corner) return points(p, corner(of_high, high.index));
        if (high.kind == Kind::Edge) return line(p, corner(of_high, high.index), corner(of_high, high.index + 1));
        return plane(p, corner(of_high, 0), corner(of_high, 1), corner(of_high, 2));
    }

private:
    static Fraction<N> none() { return {{}, {}}; }

    static Fraction<N> points(const IntVector<N>& p, const IntVector<N>& q) {
        const IntVector<N> w = q - p;
        return {widened<6 * N>(dot(w, w)), {{1}}};
    }

    static Fraction<N> line(const IntVector<N>& p, const IntVector<N>& a, const IntVector<N>& b) {
        const IntVector<N> w = p - a, u = b - a;
        const Int<2 * N> along = dot(w, u), uu = dot(u, u);
        if (sign(along) < 0 || sign(along - uu) > 0) return none();
        const IntVector<2 * N> n = cross(w, u);
        return {widened<6 * N>(dot(n, n)), widened<4 * N>(uu)};
    }

    static Fraction<N> plane(const IntVector<N>& p, const IntVector<N>& a, const IntVector<N>& b,
                             const IntVector<N>& c) {
        const IntVector<2 * N> n = cross(b - a, c - a);
        const IntVector<N>* corners[] = {&a, &b, &c, &a};
        for (int i = 0; i < 3; ++i)
            if (sign(dot(cross(*corners[i + 1] - *corners[i], p - *corners[i]), n)) < 0) return none();
        return across(p - a, n);
    }

    static Fraction<N> lines(const IntVector<N>& a, const IntVector<N>& b, const IntVector<N>& c,
                             const IntVector<N>& d) {
        const IntVector<N> u = b - a, v = d - c, w = c - a;
        const IntVector<2 * N> n = cross(u, v);
        // The feet of the common perpendicular are a + x·u and c + y·v with x = (w × v) · n / n² and y = (w × u) · n /
        // n².
        const Int<4 * N> nn = dot(n, n), x = dot(cross(w, v), n), y = dot(cross(w, u), n);
        if (sign(x) < 0 || sign(y) < 0 || sign(nn - x) < 0 || sign(nn - y) < 0) return none();
        return across(w, n);
    }

    /// The distance between two planes with the normal n, one of which is w away from the other.
    static Fraction<N> across(const IntVector<N>& w, const IntVector<2 * N>& n) {
        const Int<3 * N> height = dot(w, n);
        return {height * height, dot(n, n)};
    }

    IntVector<N> point_[6];
};

/// Compares a fraction with m² · 2^k.
template <int N>
int compare(const Fraction<N>& f, std::uint64_t m, int k) {
    if (sign(f.den) == 0) return 1;
    if (sign(f.num) == 0) return m == 0 ? 0 : -1;
    if (m == 0) return 1;
    const Int<1> one{{m}};
    const Int<4 * N + 2> right = f.den * (one * one);
    const int left_bits = bit_count(f.num), right_bits = bit_count(right) + k;
    if (left_bits != right_bits) return left_bits > right_bits ? 1 : -1;
    // Both sides have as many bits as the wider of the two, so a shift loses none.
    constexpr int width = std::max(6 * N, 4 * N + 2) + 1;
    Int<width> l = widened<width>(f.num), r = widened<width>(right);
    if (k >= 0)
        r = shifted(r, k);
    else
        l = shifted(l, -k);
    return sign(l - r);
}

/// A double as m · 2^exponent.
struct Parts {
    std::uint64_t m;
    int exponent;

    explicit Parts(double x) {
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const int field = static_cast<int>(bits >> 52 & 0x7ff);
        m = (bits & 0xfffffffffffff) | static_cast<std::uint64_t>(field != 0) << 52;
        exponent = std::max(field, 1) - 1075;
    }
};

template <int N>
double rounded(const Fraction<N>& f, int unit) {
    if (sign(f.num) == 0) return 0;
    int of_num, of_den;
    double x = leading(f.num, of_num) / leading(f.den, of_den);
    int exponent = of_num - of_den;
    if (exponent % 2 != 0) {
        x *= 2;
        --exponent;
    }
    double r = std::ldexp(std::sqrt(x), exponent / 2 + unit);
    // A few units in the last place off at most. Halfway to a neighbour is (2 m + 1) · 2^(exponent − 1).
    const auto against_middle = [&](double low) {
        const Parts p(low);
        return compare(f, 2 * p.m + 1, 2 * (p.exponent - 1 - unit));
    };
    const auto odd = [](double v) { return (std::bit_cast<std::uint64_t>(v) & 1) != 0; };
    for (;;) {
        const int c = against_middle(r);
        if (c < 0 || (c == 0 && !odd(r))) break;
        r = std::nextafter(r, std::numeric_limits<double>::infinity());
    }
    while (r > 0) {
        const double low = std::nextafter(r, 0);
        const int c = against_middle(low);
        if (c > 0 || (c == 0 && !odd(r))) break;
        r = low;
    }
    return std::max(r, std::numeric_limits<double>::denorm_min());
}

/// Calls f with the integers of the two triangles, of the least width that holds them, and the exponent of their unit.
template <class F>
auto with_integers(const TrianglePoints& points, F&& f) {
    Column<6> columns[3];
    int unit = 4096, top = -4096;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 6; ++i)
            columns[k].set(i, (i < 3 ? points.s : points.t)[static_cast<std::size_t>(i % 3)][k]);
        unit = std::min(unit, columns[k].unit);
        top = std::max(top, columns[k].top);
    }
    if (unit > top) unit = top = 0;  // all coordinates are zero
    for (Column<6>& c : columns) c.unit = unit;
    const int width = top - unit;
    if (fits(width, 1)) return f(Features<1>(columns), unit);
    if (fits(width, 2)) return f(Features<2>(columns), unit);
    if (fits(width, 4)) return f(Features<4>(columns), unit);
    return f(Features<most>(columns), unit);
}

}  // namespace

int compare_distance(const TrianglePoints& points, const TriangleFeatures& features, double length) {
    return with_integers(points, [&](const auto& integers, int unit) {
        const Parts p(length);
        return compare(integers.squared(features), p.m, 2 * (p.exponent - unit));
    });
}

double rounded_distance(const TrianglePoints& points, const TriangleFeatures& features, double below) {
    return with_integers(points, [&](const auto& integers, int unit) {
        const auto squared = integers.squared(features);
        const Parts p(below);
        if (sign(squared.den) == 0 ||
            (below < std::numeric_limits<double>::infinity() && compare(squared, p.m, 2 * (p.exponent - unit)) >= 0))
            return std::numeric_limits<double>::infinity();
        return rounded(squared, unit);
    });
}

}  // namespace graze::detail
