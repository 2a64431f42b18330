// SPDX-License-Identifier: Apache-2.0
#include "exact/exact_sign.hpp"

#include <cmath>
#include <optional>

#include "exact/integer_sign.hpp"

namespace graze::detail {

int orient3d_exact(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return orient3d_integers<most>(a, b, c, d);
}

int orient2d_exact(const Vec2& a, const Vec2& b, const Vec2& c) { return orient2d_integers<most>(a, b, c); }

namespace {

/// The sum of a and b as a double and the rest, without error.
struct Parts {
    double high, low;
};
Parts sum(double a, double b) {
    const double high = a + b, of_b = high - a;
    return {high, (a - (high - of_b)) + (b - of_b)};
}

/// a b − c d in about a hundred bits. Sets `rounded` unless the high part is all of it.
Parts minor(double a, double b, double c, double d, double& size, bool& rounded) {
    const double p = a * b, q = c * d;
    size = std::abs(p) + std::abs(q);
    const Parts difference = sum(p, -q);
    const double rest_p = std::fma(a, b, -p), rest_q = std::fma(c, d, -q);
    rounded = rounded || rest_p != rest_q || difference.low != 0;
    return {difference.high, difference.low + (rest_p - rest_q)};
}

/// The sign of orient3d where the differences of coordinates are doubles, and either nothing is rounded or about a
/// hundred bits decide.
///
/// Let u = 2^-53, and S be the size of a minor: the sum of the magnitudes of its products. The rests of the products
/// and of their difference are at most uS each, and adding them rounds by less than 4u²S. The low part is then at most
/// 2.1uS. Times a difference w, the high part leaves a rest of at most u|w|S, the low part rounds by 2.1u²|w|S, and the
/// sum of both by 3.2u²|w|S. With the minor's error that makes less than 10u²|w|S per term. With T the sum of all |w|S,
/// the two sums of the terms' high parts leave rests of at most uT each. The sum in `low` is less than 5.3uT,
/// and six additions round by 5.3u²T each. All is below 42u²T, and the code takes 256u²T = 2^-98 T.
///
/// Differences are zero or between 2^-250 and 2^250. A product of two is then above 2^-500, a rest of it above 2^-606,
/// and what is left when products cancel is as large. Times a difference and its rest, that is above 2^-970: nothing
/// underflows.
std::optional<int> sign_by_parts(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        const Parts to_b = sum(b[i], -a[i]), to_c = sum(c[i], -a[i]), to_d = sum(d[i], -a[i]);
        if (to_b.low != 0 || to_c.low != 0 || to_d.low != 0) return {};
        u[i] = to_b.high;
        v[i] = to_c.high;
        w[i] = to_d.high;
        for (const double x : {u[i], v[i], w[i]})
            if (x != 0 && !(std::abs(x) > 0x1p-250 && std::abs(x) < 0x1p250)) return {};
    }
    double high = 0, low = 0, total = 0;
    bool rounded = false;
    for (int i = 0; i < 3; ++i) {
        const int k = (i + 1) % 3, m = (i + 2) % 3;
        double size = 0;
        const Parts n = minor(u[k], v[m], u[m], v[k], size, rounded);
        const double product = n.high * w[i], rest = std::fma(n.high, w[i], -product);
        const Parts next = sum(high, product);
        rounded = rounded || rest != 0 || next.low != 0;
        low += next.low + (rest + n.low * w[i]);
        high = next.high;
        total += size * std::abs(w[i]);
    }
    const double det = high + low;
    if (rounded && !(std::abs(det) > 0x1p-98 * total)) return {};
    return (det > 0) - (det < 0);
}

}  // namespace

int tie3d(bool& used_exact, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    if (coincide(a, b, c, d)) return 0;
    used_exact = true;
    if (const std::optional<int> sign = sign_by_parts(a, b, c, d)) return *sign;
    return orient3d_exact(a, b, c, d);
}

int tie2d(bool& used_exact, const Vec2& a, const Vec2& b, const Vec2& c) {
    used_exact = true;
    return orient2d_exact(a, b, c);
}

}  // namespace graze::detail
