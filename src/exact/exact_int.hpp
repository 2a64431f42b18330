// SPDX-License-Identifier: Apache-2.0
// Integers of a fixed width, and doubles as such integers. A finite double is an integer times a power of two, so
// coordinates are integers in units of 2^k, where k is the exponent of the lowest bit set in any of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace graze::detail {

__extension__ using Wide = unsigned __int128;

/// 64 × 64 → 128 bits. This is the one place that needs more than standard C++.
constexpr Wide multiply(std::uint64_t a, std::uint64_t b) { return static_cast<Wide>(a) * b; }

/// Number of zero bits below the lowest one that is set, in an integer below 2^53 that is not zero.
constexpr int trailing_zeros(std::uint64_t x) {
#ifdef __CUDA_ARCH__
    // nvcc 13 compiles std::countr_zero for the GPU to wrong numbers. A power of two is exact as a double.
    return static_cast<int>(std::bit_cast<std::uint64_t>(static_cast<double>(x & -x)) >> 52) - 1023;
#else
    return std::countr_zero(x);
#endif
}

/// An integer in two's complement, lowest limb first.
template <int N>
struct Int {
    std::uint64_t limb[N];

    /// All ones if negative, otherwise zero.
    constexpr std::uint64_t mask() const { return -(limb[N - 1] >> 63); }
};

template <int N>
constexpr Int<N> operator+(const Int<N>& a, const Int<N>& b) {
    Int<N> r;
    Wide carry = 0;
    for (int i = 0; i < N; ++i) {
        carry += static_cast<Wide>(a.limb[i]) + b.limb[i];
        r.limb[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return r;
}

template <int N>
constexpr Int<N> operator-(const Int<N>& a, const Int<N>& b) {
    Int<N> r;
    Wide carry = 1;
    for (int i = 0; i < N; ++i) {
        carry += static_cast<Wide>(a.limb[i]) + ~b.limb[i];
        r.limb[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return r;
}

/// Subtracts `b & mask` from the upper limbs of r, starting at limb `at`.
template <int R, int N>
constexpr void subtract_above(Int<R>& r, int at, const Int<N>& b, std::uint64_t mask) {
    Wide carry = 1;
    for (int i = 0; i < N; ++i) {
        carry += static_cast<Wide>(r.limb[at + i]) + ~(b.limb[i] & mask);
        r.limb[at + i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
}

/// Schoolbook product of the limbs as unsigned numbers. Read as unsigned, a negative a is a + 2^(64N), which adds
/// b·2^(64N) to the product. That is subtracted again, likewise for b, modulo 2^(64(N+M)).
template <int N, int M>
constexpr Int<N + M> operator*(const Int<N>& a, const Int<M>& b) {
    Int<N + M> r{};
    for (int i = 0; i < N; ++i) {
        std::uint64_t carry = 0;
        for (int j = 0; j < M; ++j) {
            const Wide t = multiply(a.limb[i], b.limb[j]) + r.limb[i + j] + carry;
            r.limb[i + j] = static_cast<std::uint64_t>(t);
            carry = static_cast<std::uint64_t>(t >> 64);
        }
        r.limb[i + M] = carry;
    }
    subtract_above(r, N, b, a.mask());
    subtract_above(r, M, a, b.mask());
    return r;
}

template <int N>
constexpr int sign(const Int<N>& a) {
    std::uint64_t any = 0;
    for (int i = 0; i < N; ++i) any |= a.limb[i];
    return a.mask() ? -1 : any != 0;
}

/// The coordinates of P points along one axis, as odd integers (or zero) with their exponents.
template <int P>
struct Column {
    std::uint64_t odd[P], negative[P];
    int exponent[P];
    int unit = 4096, top = -4096;  // |coordinates| are below 2^top and multiples of 2^unit

    constexpr void set(int i, double x) {
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const int field = static_cast<int>(bits >> 52 & 0x7ff);
        const std::uint64_t mantissa = (bits & 0xfffffffffffff) | static_cast<std::uint64_t>(field != 0) << 52;
        const int zeros = mantissa ? trailing_zeros(mantissa) : 0;
        const int lowest = std::max(field, 1) - 1075;
        odd[i] = mantissa >> zeros;
        negative[i] = -(bits >> 63);
        exponent[i] = lowest + zeros;
        unit = mantissa ? std::min(unit, lowest + zeros) : unit;
        top = mantissa ? std::max(top, lowest + 53) : top;
    }

    constexpr int width() const { return top - unit; }

    template <int N>
    constexpr Int<N> integer(int i) const {
        const unsigned shift = static_cast<unsigned>(exponent[i] - unit);
        const unsigned at = shift / 64, by = shift % 64;
        if constexpr (N == 1) return {{((odd[i] << by) ^ negative[i]) - negative[i]}};
        Int<N> r{};
        if (!odd[i]) return r;
        r.limb[at] = odd[i] << by;
        if (at + 1 < N) r.limb[at + 1] = by ? odd[i] >> (64 - by) : 0;
        // Negation is the complement plus one.
        Wide carry = negative[i] & 1;
        for (int j = 0; j < N; ++j) {
            carry += r.limb[j] ^ negative[i];
            r.limb[j] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        return r;
    }
};

template <int M, int N>
constexpr Int<M> widened(const Int<N>& a) {
    Int<M> r;
    for (int i = 0; i < M; ++i) r.limb[i] = i < N ? a.limb[i] : a.mask();
    return r;
}

/// a · 2^by for 0 ≤ by < 64 N. Bits beyond the width are lost.
template <int N>
constexpr Int<N> shifted(const Int<N>& a, int by) {
    const int at = by / 64, bits = by % 64;
    Int<N> r{};
    for (int i = N; i-- > at;) {
        r.limb[i] = a.limb[i - at] << bits;
        if (bits != 0 && i > at) r.limb[i] |= a.limb[i - at - 1] >> (64 - bits);
    }
    return r;
}

/// A positive integer as x · 2^exponent, where x is off by one rounding (and by 2^-63 of what is cut off).
template <int N>
double leading(const Int<N>& a, int& exponent) {
    int top = N - 1;
    while (top > 0 && a.limb[top] == 0) --top;
    const int zeros = std::countl_zero(a.limb[top]);
    std::uint64_t x = a.limb[top] << zeros;
    if (zeros != 0 && top > 0) x |= a.limb[top - 1] >> (64 - zeros);
    exponent = 64 * top - zeros;
    return static_cast<double>(x);
}

// Enough for every finite double: they are multiples of 2^-1074 below 2^1024, so 2098 bits.
inline constexpr int most = 33;
static_assert(64 * most - 3 >= 2098);

constexpr bool fits(int width, int limbs) { return width <= 64 * limbs - 3; }

}  // namespace graze::detail
