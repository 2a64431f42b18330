// SPDX-License-Identifier: Apache-2.0
// Numbers without rounding, for decisions that doubles and integers of fixed width do not reach. They allocate, so a
// filter in double comes first wherever speed counts.
#pragma once

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <utility>

#include "graze/math.hpp"

namespace graze::detail {

/// The number m · 2^e. Every finite double is one, and so are sums, differences and products of them.
class Dyadic {
public:
    using Integer = boost::multiprecision::cpp_int;

    Dyadic() = default;
    Dyadic(double x) {  // NOLINT(google-explicit-constructor): a double is a number of this kind
        if (x == 0) return;
        int exponent = 0;
        const double mantissa = std::frexp(x, &exponent);
        m_ = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
        e_ = exponent - 53;
    }

    int sign() const { return m_.sign(); }
    const Integer& integer() const { return m_; }
    int exponent() const { return e_; }

    friend Dyadic operator+(const Dyadic& a, const Dyadic& b) { return sum(a, b, false); }
    friend Dyadic operator-(const Dyadic& a, const Dyadic& b) { return sum(a, b, true); }
    friend Dyadic operator-(const Dyadic& a) { return {-a.m_, a.e_}; }
    friend Dyadic operator*(const Dyadic& a, const Dyadic& b) { return {a.m_ * b.m_, a.e_ + b.e_}; }

private:
    Dyadic(Integer m, int e) : m_(std::move(m)), e_(e) {}

    static Dyadic sum(const Dyadic& a, const Dyadic& b, bool minus) {
        if (b.m_.is_zero()) return a;
        if (a.m_.is_zero()) return minus ? -b : b;
        const int e = a.e_ < b.e_ ? a.e_ : b.e_;
        Integer x = a.m_ << (a.e_ - e);
        const Integer y = b.m_ << (b.e_ - e);
        if (minus)
            x -= y;
        else
            x += y;
        return {std::move(x), e};
    }

    Integer m_;
    int e_ = 0;
};

/// The quotient n / d, rounded to the nearest double, ties to even. d must not be zero.
inline double quotient(const Dyadic& n, const Dyadic& d) {
    if (n.sign() == 0) return 0;
    Dyadic::Integer p = abs(n.integer()), q = abs(d.integer());
    // The integer quotient gets 55 or 56 bits, or fewer in units of 2^-1076 where a double has fewer bits. Its last bit
    // says whether anything is left. With two bits more than the result it makes the rounding right.
    const int exponent = n.exponent() - d.exponent();
    const int shift = std::min(55 - static_cast<int>(msb(p)) + static_cast<int>(msb(q)), exponent + 1076);
    if (shift > 0)
        p <<= shift;
    else
        q <<= -shift;
    Dyadic::Integer whole, rest;
    divide_qr(p, q, whole, rest);
    const auto bits = static_cast<std::uint64_t>(whole) | static_cast<std::uint64_t>(!rest.is_zero());
    const double x = std::ldexp(static_cast<double>(bits), exponent - shift);
    return n.sign() * d.sign() < 0 ? -x : x;
}

/// A vector of such numbers.
struct DyadicVec {
    Dyadic x, y, z;

    DyadicVec() = default;
    DyadicVec(Dyadic a, Dyadic b, Dyadic c) : x(std::move(a)), y(std::move(b)), z(std::move(c)) {}
    DyadicVec(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}  // NOLINT(google-explicit-constructor)

    friend DyadicVec operator+(const DyadicVec& a, const DyadicVec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend DyadicVec operator-(const DyadicVec& a, const DyadicVec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend DyadicVec operator*(const DyadicVec& a, const Dyadic& s) { return {a.x * s, a.y * s, a.z * s}; }
};

inline Dyadic dot(const DyadicVec& a, const DyadicVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

inline DyadicVec cross(const DyadicVec& a, const DyadicVec& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace graze::detail
