// SPDX-License-Identifier: Apache-2.0
// The integer stage. A finite double is an integer times a power of two, so the coordinates of one
// axis are integers in units of 2^k, k being the exponent of the lowest bit set in any of them. A
// unit a column scales a determinant by a positive number and leaves its sign. The integers are two's
// complement of a width in which nothing below can overflow; no rounding happens anywhere.
//
// Width: with |coordinates| < 2^(64N-3) differences are below 2^(64N-2), their products below
// 2^(128N-4), 2×2 minors below 2^(128N-3), products of three below 2^(192N-5) and the sum of three
// such below 2^(192N-3): within N, 2N and 3N limbs with a bit for the sign.
#include "exact_sign.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace graze::detail {
namespace {

__extension__ using Wide = unsigned __int128;

/// 64 × 64 → 128 bits; the one place that needs more than standard C++.
inline Wide multiply(std::uint64_t a, std::uint64_t b) { return static_cast<Wide>(a) * b; }

/// Two's complement, lowest limb first.
template <int N>
struct Int {
    std::uint64_t limb[N];

    /// All ones when negative, else zero.
    std::uint64_t mask() const { return -(limb[N - 1] >> 63); }
};

template <int N>
inline Int<N> operator+(const Int<N>& a, const Int<N>& b) {
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
inline Int<N> operator-(const Int<N>& a, const Int<N>& b) {
    Int<N> r;
    Wide carry = 1;
    for (int i = 0; i < N; ++i) {
        carry += static_cast<Wide>(a.limb[i]) + ~b.limb[i];
        r.limb[i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
    return r;
}

/// Subtracts `b & mask` from the upper limbs of r, from limb `at` on.
template <int R, int N>
inline void subtract_above(Int<R>& r, int at, const Int<N>& b, std::uint64_t mask) {
    Wide carry = 1;
    for (int i = 0; i < N; ++i) {
        carry += static_cast<Wide>(r.limb[at + i]) + ~(b.limb[i] & mask);
        r.limb[at + i] = static_cast<std::uint64_t>(carry);
        carry >>= 64;
    }
}

/// Schoolbook product of the limbs as unsigned numbers. Read so, a negative a is a + 2^(64N), which
/// adds b·2^(64N) to the product: taken away again, likewise for b, modulo 2^(64(N+M)).
template <int N, int M>
inline Int<N + M> operator*(const Int<N>& a, const Int<M>& b) {
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
inline int sign(const Int<N>& a) {
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

    void set(int i, double x) {
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const int field = static_cast<int>(bits >> 52 & 0x7ff);
        const std::uint64_t mantissa = (bits & 0xfffffffffffff) | static_cast<std::uint64_t>(field != 0) << 52;
        const int zeros = mantissa ? std::countr_zero(mantissa) : 0;
        const int lowest = std::max(field, 1) - 1075;
        odd[i] = mantissa >> zeros;
        negative[i] = -(bits >> 63);
        exponent[i] = lowest + zeros;
        unit = mantissa ? std::min(unit, lowest + zeros) : unit;
        top = mantissa ? std::max(top, lowest + 53) : top;
    }

    int width() const { return top - unit; }

    template <int N>
    Int<N> integer(int i) const {
        const unsigned shift = static_cast<unsigned>(exponent[i] - unit);
        const unsigned at = shift / 64, by = shift % 64;
        if constexpr (N == 1) return {{((odd[i] << by) ^ negative[i]) - negative[i]}};
        Int<N> r{};
        if (!odd[i]) return r;
        r.limb[at] = odd[i] << by;
        if (at + 1 < N) r.limb[at + 1] = by ? odd[i] >> (64 - by) : 0;
        // Minus is the complement plus one.
        Wide carry = negative[i] & 1;
        for (int j = 0; j < N; ++j) {
            carry += r.limb[j] ^ negative[i];
            r.limb[j] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        return r;
    }
};

template <int N>
int sign3d(const Column<4>& x, const Column<4>& y, const Column<4>& z) {
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
int sign2d(const Column<3>& x, const Column<3>& y) {
    const Int<N> ax = x.integer<N>(0), ay = y.integer<N>(0);
    return sign((x.integer<N>(1) - ax) * (y.integer<N>(2) - ay) - (y.integer<N>(1) - ay) * (x.integer<N>(2) - ax));
}

// Enough for every finite double: they are multiples of 2^-1074 below 2^1024, 2098 bits.
constexpr int most = 33;
static_assert(64 * most - 3 >= 2098);

constexpr bool fits(int width, int limbs) { return width <= 64 * limbs - 3; }

}  // namespace

int orient3d_exact(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    Column<4> x, y, z;
    const Vec3* points[] = {&a, &b, &c, &d};
    for (int i = 0; i < 4; ++i) {
        x.set(i, points[i]->x);
        y.set(i, points[i]->y);
        z.set(i, points[i]->z);
    }
    const int width = std::max({x.width(), y.width(), z.width()});
    if (fits(width, 1)) return sign3d<1>(x, y, z);
    if (fits(width, 2)) return sign3d<2>(x, y, z);
    if (fits(width, 4)) return sign3d<4>(x, y, z);
    return sign3d<most>(x, y, z);
}

int orient2d_exact(const Vec2& a, const Vec2& b, const Vec2& c) {
    Column<3> x, y;
    const Vec2* points[] = {&a, &b, &c};
    for (int i = 0; i < 3; ++i) {
        x.set(i, points[i]->x);
        y.set(i, points[i]->y);
    }
    const int width = std::max(x.width(), y.width());
    if (fits(width, 1)) return sign2d<1>(x, y);
    if (fits(width, 2)) return sign2d<2>(x, y);
    return sign2d<most>(x, y);
}

int Plane::tie(const Vec3& d, bool& used_exact) const {
    if (d == a_ || d == b_ || d == c_ || a_ == b_ || a_ == c_ || b_ == c_) return 0;
    used_exact = true;
    return orient3d_exact(a_, b_, c_, d);
}

}  // namespace graze::detail
