// SPDX-License-Identifier: Apache-2.0
// Let corners be p_i − o, relative to the origin, and w_i = det(d, p_j − o, p_k − o) with i, j, k in cyclic order. The
// line meets a triangle across its plane exactly if the w_i that are not zero have one sign and not all are zero: they
// are the weights of the corners. Then t = det(p_0 − o, p_1 − o, p_2 − o) / (w_0 + w_1 + w_2). If all are zero, the
// line and the triangle are in one plane, and the triangle's edges are cut in a projection along an axis.
#include "exact/ray_exact.hpp"

#include <cmath>
#include <type_traits>

#include "exact/exact_int.hpp"
#include "exact/exact_sign.hpp"

namespace graze::detail {
namespace {

/// The fraction num / den with den > 0, in units of 2^(points' unit − direction's unit).
template <int N>
struct Time {
    Int<3 * N> num, den;
};

template <int N>
Int<N> negated(const Int<N>& a) {
    return Int<N>{} - a;
}

template <int N>
int compare(const Time<N>& a, const Time<N>& b) {
    return sign(a.num * b.den - b.num * a.den);
}

template <int N>
struct Numbers {
    Int<N> v[3];

    Int<2 * N> minor(const Numbers& o, int i, int j) const { return v[i] * o.v[j] - v[j] * o.v[i]; }
};

template <int N>
Int<3 * N> det(const Numbers<N>& a, const Numbers<N>& b, const Numbers<N>& c) {
    return a.v[0] * b.minor(c, 1, 2) + a.v[1] * b.minor(c, 2, 0) + a.v[2] * b.minor(c, 0, 1);
}

template <int N>
void make_positive(Time<N>& t) {
    if (sign(t.den) > 0) return;
    t = {negated(t.num), negated(t.den)};
}

/// The first and last point that the whole line and a triangle have in common. They differ only where the line runs in
/// the triangle's plane.
template <int N>
struct Passage {
    Time<N> low, high;
};

/// The passage of a line that runs in the plane of the triangle p, whose corners are relative to the origin. False when
/// the two have no point in common.
template <int N>
bool passage_in_plane(const Numbers<N>& d, const Numbers<N> (&p)[3], Passage<N>& passage) {
    const int along = sign(d.v[0]) ? 0 : sign(d.v[1]) ? 1 : 2;
    // Looks for a projection (leaving out one axis) in which the line and a corner span the plane. If there is none,
    // all corners are on the line, and all sides below are zero.
    Int<2 * N> side[3] = {};
    int i = 0, j = 0;
    for (int axis = 0; axis < 3 && i == j; ++axis) {
        const int x = (axis + 1) % 3, y = (axis + 2) % 3;
        for (int k = 0; k < 3; ++k) {
            side[k] = d.minor(p[k], x, y);
            if (sign(side[k]) != 0) i = x, j = y;
        }
    }
    bool any = false;
    auto& [low, high] = passage;
    const auto add = [&](Time<N> t) {
        make_positive(t);
        if (!any || compare(t, low) < 0) low = t;
        if (!any || compare(t, high) > 0) high = t;
        any = true;
    };
    for (int k = 0; k < 3; ++k) {
        const int next = (k + 1) % 3;
        if (sign(side[k]) == 0) add({widened<3 * N>(p[k].v[along]), widened<3 * N>(d.v[along])});
        // The edge's point x satisfies x × (q − p) = p × q and is t·d.
        if (sign(side[k]) * sign(side[next]) < 0)
            add({widened<3 * N>(p[k].minor(p[next], i, j)), widened<3 * N>(side[next] - side[k])});
    }
    return any;
}

/// The passage of a line through a triangle whose corners are relative to the origin. False when they have no point in
/// common.
template <int N>
bool passage_through(const Numbers<N>& d, const Numbers<N> (&p)[3], Passage<N>& passage) {
    const Int<3 * N> w[3] = {det(d, p[1], p[2]), det(d, p[2], p[0]), det(d, p[0], p[1])};
    bool above = false, below = false;
    for (const auto& x : w) above |= sign(x) > 0, below |= sign(x) < 0;
    if (above && below) return false;
    if (!above && !below) return passage_in_plane(d, p, passage);
    passage.low = {det(p[0], p[1], p[2]), w[0] + w[1] + w[2]};
    make_positive(passage.low);
    passage.high = passage.low;
    return true;
}

/// The ray and some triangles as integers: one unit for all coordinates, one for the direction. The widths are those of
/// exact_sign.cpp, as a direction is smaller than a difference. Sums of three weights stay below 3·2^(192N-6), because
/// they are the direction times a product of two edges.
template <int triangles>
class Scene {
public:
    explicit Scene(const Ray& ray, const Triangle* const (&triangle)[triangles]) {
        for (int i = 0; i < 3; ++i) {
            direction_.set(i, ray.direction()[i]);
            points_.set(i, ray.origin()[i]);
            for (int k = 0; k < triangles; ++k) {
                points_.set(9 * k + 3 + i, triangle[k]->a[i]);
                points_.set(9 * k + 6 + i, triangle[k]->b[i]);
                points_.set(9 * k + 9 + i, triangle[k]->c[i]);
            }
        }
    }

    /// Calls f with the number of limbs as a type.
    template <class F>
    auto with_width(F&& f) const {
        const int width = std::max(points_.width(), direction_.width());
        if (fits(width, 1)) return f(std::integral_constant<int, 1>());
        if (fits(width, 2)) return f(std::integral_constant<int, 2>());
        if (fits(width, 4)) return f(std::integral_constant<int, 4>());
        return f(std::integral_constant<int, most>());
    }

    template <int N>
    bool passage(int k, Passage<N>& passage) const {
        Numbers<N> d, p[3];
        for (int i = 0; i < 3; ++i) {
            d.v[i] = direction_.template integer<N>(i);
            const Int<N> o = points_.template integer<N>(i);
            for (int c = 0; c < 3; ++c) p[c].v[i] = points_.template integer<N>(9 * k + 3 * c + 3 + i) - o;
        }
        return passage_through(d, p, passage);
    }

    /// Exponent of the unit of times.
    int unit() const { return (points_.unit == 4096 ? 0 : points_.unit) - direction_.unit; }

private:
    Column<3 + 9 * triangles> points_;
    Column<3> direction_;
};

/// The sign of time · 2^unit − t, for t ≥ 0.
template <int N>
int compare(const Time<N>& time, int unit, double t) {
    if (sign(time.num) <= 0 || t == 0) return sign(time.num) - (t > 0 && sign(time.num) == 0);
    if (std::isinf(t)) return -1;
    Column<1> end;
    end.set(0, t);
    constexpr int limbs = 3 * N + 1;
    // Compares num · 2^unit with den · odd · 2^exponent. Both sides are positive and below 2^(64 limbs − 1).
    const Int<limbs> left = widened<limbs>(time.num), right = time.den * Int<1>{{end.odd[0]}};
    const int by = end.exponent[0] - unit;
    if (by >= 64 * limbs) return -1;
    if (by <= -64 * limbs) return 1;
    const auto l = widened<2 * limbs>(left), r = widened<2 * limbs>(right);
    return sign(by >= 0 ? l - shifted(r, by) : shifted(l, -by) - r);
}

/// Converts a time to double. Off by three roundings, and by one more among subnormal numbers.
template <int N>
HitTime rounded(const Time<N>& time, int unit) {
    if (sign(time.num) == 0) return {};
    int num = 0, den = 0;
    const double x = leading(time.num, num), y = leading(time.den, den);
    const double t = std::ldexp(x / y, num - den + unit);
    return {t, 4 * half_ulp * t + 0x1p-1074};
}

double largest(double a, double b, double c) { return larger(larger(std::abs(a), std::abs(b)), std::abs(c)); }

}  // namespace

ExactRay::ExactRay(const Ray& ray)
    : ray_(ray), filtered_(largest(ray.direction().x, ray.direction().y, ray.direction().z) <= filter_max) {}

// The filter, with u = 2^-53. Differences are off by u of themselves; the direction is exact.
//
// Weights, in units of u·P, with X, Y, Z the largest differences by axis and P = |d_x| Y Z + |d_y| X Z + |d_z| X Y: two
// products of two differences per component (4), the minors' rounding (4), times d, of values ≤ 2 (2), sums of values ≤
// 2 P (4). Together that is 14; 16 covers higher orders and the bound's own rounding. The plane's normal n, from edges
// of up to E_x, E_y, E_z, in units of u·E_y·E_z: products 2·3 and a difference of a value ≤ 2 another 2, together 8.
// Then d·n and (a − o)·n are off by 8, by the difference's rounding (2), the product's (2) and the sums' (4), in units
// of u·(|v_x| E_y E_z + …): 16, and 17 covers higher orders and the bound's own rounding. Underflow adds less than
// 2^-770 to each of these and to their bounds, with everything up to 2^300.
bool ExactRay::hits(const Triangle& t, HitTime& time, bool& used_exact) const {
    const Vec3 &o = ray_.origin(), &d = ray_.direction();
    const Vec3 a = t.a - o, b = t.b - o, c = t.c - o;
    const double x = largest(a.x, b.x, c.x), y = largest(a.y, b.y, c.y), z = largest(a.z, b.z, c.z);
    const Vec3 size{std::abs(d.x), std::abs(d.y), std::abs(d.z)};
    const auto decide = [&]() -> int {  // 1: hit, 0: no hit, -1: unsure
        if (!filtered_ || !(larger(larger(x, y), z) <= filter_max)) return -1;
        constexpr double least = 0x1p-700;
        const double bound = 16 * half_ulp * (size.x * (y * z) + size.y * (x * z) + size.z * (x * y)) + least;
        const double wa = dot(d, cross(b, c)), wb = dot(d, cross(c, a)), wc = dot(d, cross(a, b));
        const double low = smaller(smaller(wa, wb), wc), high = larger(larger(wa, wb), wc);
        if (low < -bound && high > bound) return 0;
        if (!(low > bound || high < -bound)) return -1;
        const Vec3 u = t.b - t.a, v = t.c - t.a, n = cross(u, v);
        const Vec3 e{larger(std::abs(u.x), std::abs(v.x)), larger(std::abs(u.y), std::abs(v.y)),
                     larger(std::abs(u.z), std::abs(v.z))};
        const Vec3 areas{e.y * e.z, e.x * e.z, e.x * e.y};
        const double num = dot(a, n), den = dot(d, n);
        const double num_error = 17 * half_ulp * dot({std::abs(a.x), std::abs(a.y), std::abs(a.z)}, areas) + least;
        const double den_error = 17 * half_ulp * dot(size, areas) + least;
        if (!(std::abs(den) > 4 * den_error && std::abs(num) > num_error)) return -1;
        if ((num > 0) != (den > 0)) return 0;
        time.t = num / den;
        // (num ± e) / (den ± f) is off by (e + t f) / (|den| − f). The rest is rounding, also of t ± error.
        time.error =
            1.001 * (num_error + time.t * den_error) / (std::abs(den) - den_error) + 4 * half_ulp * time.t + 0x1p-1070;
        if (!(time.t + time.error <= 0x1p1000)) return -1;
        if (time.t - time.error > ray_.t_max() || time.t + time.error < ray_.t_min()) return 0;
        return time.t + time.error <= ray_.t_max() && time.t - time.error >= ray_.t_min() ? 1 : -1;
    };
    if (const int sure = decide(); sure >= 0) [[likely]]
        return sure > 0;
    used_exact = true;
    const Scene<1> scene(ray_, {&t});
    return scene.with_width([&](auto limbs) {
        Passage<limbs()> passage;
        if (!scene.passage(0, passage) || detail::compare(passage.low, scene.unit(), ray_.t_max()) > 0 ||
            detail::compare(passage.high, scene.unit(), ray_.t_min()) < 0)
            return false;
        const bool before = detail::compare(passage.low, scene.unit(), ray_.t_min()) < 0;
        time = before ? HitTime{ray_.t_min(), 0} : rounded(passage.low, scene.unit());
        return true;
    });
}

int ExactRay::compare(const Triangle& a, const Triangle& b) const {
    const Scene<2> scene(ray_, {&a, &b});
    return scene.with_width([&](auto limbs) {
        Passage<limbs()> s, t;
        scene.passage(0, s);
        scene.passage(1, t);
        // A passage that begins before the ray does is met at t_min.
        const int s_from_start = detail::compare(s.low, scene.unit(), ray_.t_min());
        const int t_from_start = detail::compare(t.low, scene.unit(), ray_.t_min());
        if (s_from_start <= 0 || t_from_start <= 0) return (s_from_start > 0) - (t_from_start > 0);
        return detail::compare(s.low, t.low);
    });
}

}  // namespace graze::detail
