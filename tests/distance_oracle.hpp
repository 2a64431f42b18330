// SPDX-License-Identifier: Apache-2.0
// Squared distances in rational arithmetic (GMP), by clamping rather than by cases: slow and plain on purpose, and
// without code or method in common with the library.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle.hpp"

namespace graze::test {

class DistanceOracle {
public:
    /// The squared distance of two triangles.
    static mpq_class squared(const Triangle& s, const Triangle& t) {
        if (Oracle::meet(s, t)) return 0;
        const Corners a = corners(s), b = corners(t);
        mpq_class best = between(a[0], b[0]);
        const auto keep = [&](const mpq_class& d) {
            if (d < best) best = d;
        };
        for (std::size_t i = 0; i < 3; ++i) {
            keep(to_face(a[i], b));
            keep(to_face(b[i], a));
            for (std::size_t j = 0; j < 3; ++j) keep(segments(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
        }
        return best;
    }

    /// Whether r is the square root of d, rounded to nearest. A root that is not zero is at least the smallest double.
    static bool is_rounded_root(double r, const mpq_class& d) {
        if (d == 0) return r == 0;
        if (!(r > 0) || !std::isfinite(r)) return false;
        const mpq_class above = middle(r, std::nextafter(r, INFINITY)), below = middle(std::nextafter(r, 0), r);
        const bool smallest = r == std::numeric_limits<double>::denorm_min();
        return above * above >= d && (smallest || below * below <= d);
    }

    static mpq_class number(double x) { return mpq_class(x); }

private:
    using Point = std::array<mpq_class, 3>;
    using Corners = std::array<Point, 3>;

    static mpq_class middle(double a, double b) { return (number(a) + number(b)) / 2; }
    static Corners corners(const Triangle& t) {
        Corners out;
        const Vec3* v[] = {&t.a, &t.b, &t.c};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t k = 0; k < 3; ++k) out[i][k] = number((*v[i])[static_cast<int>(k)]);
        return out;
    }
    static Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
    static Point along(const Point& a, const Point& u, const mpq_class& x) {
        return {a[0] + u[0] * x, a[1] + u[1] * x, a[2] + u[2] * x};
    }
    static mpq_class dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
    static mpq_class between(const Point& a, const Point& b) {
        const Point d = minus(a, b);
        return dot(d, d);
    }
    static mpq_class clamp(const mpq_class& x) { return x < 0 ? mpq_class(0) : x > 1 ? mpq_class(1) : x; }
    static Point foot(const Point& p, const Point& a, const Point& b) {
        const Point u = minus(b, a);
        const mpq_class uu = dot(u, u);
        return uu == 0 ? a : along(a, u, clamp(dot(minus(p, a), u) / uu));
    }

    /// The point of one segment nearest to the other is the free minimum, or next to an end of the other.
    static mpq_class segments(const Point& a, const Point& b, const Point& c, const Point& d) {
        const Point u = minus(b, a), v = minus(d, c), w = minus(c, a);
        const mpq_class uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), den = uu * vv - uv * uv;
        mpq_class best = between(foot(c, a, b), c);
        for (const auto& [p, q] : {std::pair{foot(d, a, b), d}, {a, foot(a, c, d)}, {b, foot(b, c, d)}})
            if (const mpq_class x = between(p, q); x < best) best = x;
        if (den != 0) {
            const mpq_class x = (dot(w, u) * vv - dot(w, v) * uv) / den;
            const Point p = along(a, u, clamp(x));
            if (const mpq_class y = between(p, foot(p, c, d)); y < best) best = y;
        }
        return best;
    }

    /// The nearest point of a triangle is on its edges, or the foot in its plane if the barycentric coordinates of that
    /// are not negative.
    static mpq_class to_face(const Point& p, const Corners& t) {
        mpq_class best = between(p, foot(p, t[0], t[1]));
        for (std::size_t i = 1; i < 3; ++i)
            if (const mpq_class x = between(p, foot(p, t[i], t[(i + 1) % 3])); x < best) best = x;
        const Point e = minus(t[1], t[0]), f = minus(t[2], t[0]), w = minus(p, t[0]);
        const mpq_class ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), den = ee * ff - ef * ef;
        if (den == 0) return best;
        const mpq_class x = (ff * dot(w, e) - ef * dot(w, f)) / den, y = (ee * dot(w, f) - ef * dot(w, e)) / den;
        if (x < 0 || y < 0 || x + y > 1) return best;
        const Point q = along(along(t[0], e, x), f, y);
        return std::min(best, between(p, q));
    }
};

}  // namespace graze::test
