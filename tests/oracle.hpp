// SPDX-License-Identifier: Apache-2.0
// An independent exact answer for two triangles, by construction rather than by signs: one is clipped
// by the planes that bound the other, in rational arithmetic (GMP), and what is left is looked at.
// Slow and plain on purpose; shares no code and no method with the predicate.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "graze/triangle.hpp"

namespace graze::test {

class Oracle {
public:
    static Meeting meeting(const Triangle& s, const Triangle& t) {
        const int unit = std::min(lowest_bit(s), lowest_bit(t));
        const Set p = make_set(s, unit), q = make_set(t, unit);
        std::vector<Point> common = p.corners;
        for (const HalfSpace& h : q.bounds) common = clip(common, h);
        if (common.empty()) return Meeting::Apart;

        std::vector<Point> both = p.corners;
        both.insert(both.end(), q.corners.begin(), q.corners.end());
        if (dimension(both) == 3) {
            // If the relative interiors meet at all, then in every relative interior point of the
            // common part, which the mean of its corners is one of.
            const Point m = mean(common);
            return inside(p, m) && inside(q, m) ? Meeting::Crossing : Meeting::Touching;
        }
        const bool area = p.dimension == 2 && q.dimension == 2 && dimension(common) == 2;
        return area ? Meeting::Overlapping : Meeting::Touching;
    }

    using Rational = std::array<mpq_class, 3>;

    /// The corners of the common part of two triangles, each once, in order around it.
    static std::vector<Rational> common(const Triangle& s, const Triangle& t) {
        const int unit = std::min(lowest_bit(s), lowest_bit(t));
        std::vector<Point> corners = make_set(s, unit).corners;
        for (const HalfSpace& h : make_set(t, unit).bounds) corners = clip(corners, h);
        mpq_class scale = 1;
        if (unit > 0)
            scale <<= static_cast<unsigned>(unit);
        else
            scale >>= static_cast<unsigned>(-unit);
        std::vector<Rational> out;
        for (Point& p : corners) {
            reduce(p);
            Rational x;
            for (std::size_t i = 0; i < 3; ++i) {
                x[i] = mpq_class(p.x[i], p.w);
                x[i].canonicalize();
                x[i] *= scale;
            }
            if (std::find(out.begin(), out.end(), x) == out.end()) out.push_back(x);
        }
        return out;
    }

    static bool meet(const Triangle& s, const Triangle& t) { return meeting(s, t) != Meeting::Apart; }

    /// Whether the common part of two triangles is more than the corners and edges that they share.
    static bool meet_beyond_shared(const Triangle& s, const Triangle& t) {
        const int unit = std::min(lowest_bit(s), lowest_bit(t));
        const Set p = make_set(s, unit), q = make_set(t, unit);
        std::vector<Point> common = p.corners;
        for (const HalfSpace& h : q.bounds) common = clip(common, h);
        std::vector<Vec3> shared;
        for (const Vec3& v : {s.a, s.b, s.c})
            if ((v == t.a || v == t.b || v == t.c) && std::find(shared.begin(), shared.end(), v) == shared.end())
                shared.push_back(v);
        if (shared.empty()) return !common.empty();
        if (shared.size() == 3) return dimension(common) == 2;
        // The common part is convex, and so is what is shared: a corner or an edge.
        const Set set = make_set({shared[0], shared.back(), shared.back()}, unit);
        return !std::all_of(common.begin(), common.end(), [&](const Point& x) {
            return std::all_of(set.bounds.begin(), set.bounds.end(),
                               [&](const HalfSpace& h) { return height(h, x) >= 0; });
        });
    }

    /// The sign of det(b − a, c − a, d − a).
    static int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
        const int unit = std::min(lowest_bit({a, b, c}), lowest_bit({d, d, d}));
        const Vector o = integers(a, unit), u = minus(integers(b, unit), o), v = minus(integers(c, unit), o),
                     w = minus(integers(d, unit), o);
        return sgn(dot(cross(u, v), w));
    }

private:
    using Vector = std::array<mpz_class, 3>;

    /// x / w, w > 0, in lowest terms.
    struct Point {
        Vector x;
        mpz_class w = 1;
    };

    /// normal · p ≥ offset, and what it means for the set's relative interior: an equation holds there
    /// as well, a bound holds strictly.
    struct HalfSpace {
        Vector normal;
        mpz_class offset;
        bool equation = false;
    };

    /// A point, segment or triangle: its corners, and the half-spaces whose common part it is.
    struct Set {
        int dimension = 0;
        std::vector<Point> corners;
        std::vector<HalfSpace> bounds;
    };

    static Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
    static mpz_class dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
    static Vector cross(const Vector& a, const Vector& b) {
        return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }
    static bool zero(const Vector& a) { return a[0] == 0 && a[1] == 0 && a[2] == 0; }

    static int lowest_bit(const Triangle& t) {
        int lowest = 1024;
        for (const Vec3* v : {&t.a, &t.b, &t.c})
            for (int i = 0; i < 3; ++i) {
                int exponent = 0;
                // A double is its fraction's 53 bits, an integer, times a power of two.
                const double fraction = std::frexp((*v)[i], &exponent);
                if (fraction != 0) lowest = std::min(lowest, exponent - 53);
            }
        return lowest;
    }

    static Vector integers(const Vec3& v, int unit) {
        Vector r;
        for (int i = 0; i < 3; ++i) {
            int exponent = 0;
            const double fraction = std::frexp(v[i], &exponent);
            if (fraction == 0) continue;
            r[i] = std::ldexp(fraction, 53);
            r[i] <<= static_cast<unsigned>(exponent - 53 - unit);
        }
        return r;
    }

    static void add(Set& set, const Vector& normal, const Vector& through, bool equation) {
        const mpz_class offset = dot(normal, through);
        set.bounds.push_back({normal, offset, equation});
        if (equation) set.bounds.push_back({{-normal[0], -normal[1], -normal[2]}, -offset, true});
    }

    static Set make_set(const Triangle& t, int unit) {
        const std::array<Vector, 3> v{integers(t.a, unit), integers(t.b, unit), integers(t.c, unit)};
        const Vector normal = cross(minus(v[1], v[0]), minus(v[2], v[0]));
        Set set;
        if (!zero(normal)) {
            set.dimension = 2;
            add(set, normal, v[0], true);
            for (int i = 0; i < 3; ++i) {
                add(set, cross(normal, minus(v[(i + 1) % 3], v[i])), v[i], false);
                set.corners.push_back({v[i]});
            }
            return set;
        }
        // On a line the two furthest apart are the ends.
        Vector from = v[0], to = v[0];
        for (int i = 0; i < 3; ++i) {
            const Vector d = minus(v[(i + 1) % 3], v[i]), longest = minus(to, from);
            if (dot(d, d) > dot(longest, longest)) from = v[i], to = v[(i + 1) % 3];
        }
        const Vector d = minus(to, from);
        set.corners.push_back({from});
        if (zero(d)) {
            add(set, {1, 0, 0}, from, true);
            add(set, {0, 1, 0}, from, true);
            add(set, {0, 0, 1}, from, true);
            return set;
        }
        set.dimension = 1;
        set.corners.push_back({to});
        // p − from is parallel to d: their cross product vanishes.
        add(set, {0, -d[2], d[1]}, from, true);
        add(set, {d[2], 0, -d[0]}, from, true);
        add(set, {-d[1], d[0], 0}, from, true);
        add(set, d, from, false);
        add(set, {-d[0], -d[1], -d[2]}, to, false);
        return set;
    }

    /// normal · p − offset, times p.w.
    static mpz_class height(const HalfSpace& h, const Point& p) { return dot(h.normal, p.x) - h.offset * p.w; }

    /// Sutherland and Hodgman's step for a convex polygon, also one of two corners or one.
    static std::vector<Point> clip(const std::vector<Point>& polygon, const HalfSpace& h) {
        std::vector<mpz_class> heights;
        for (const Point& p : polygon) heights.push_back(height(h, p));
        std::vector<Point> kept;
        for (std::size_t i = 0; i < polygon.size(); ++i) {
            const std::size_t j = (i + 1) % polygon.size();
            if (heights[i] >= 0) kept.push_back(polygon[i]);
            if (sgn(heights[i]) * sgn(heights[j]) < 0)
                kept.push_back(between(polygon[i], heights[i], polygon[j], heights[j]));
        }
        return kept;
    }

    /// The point of the segment at height 0. With heights h = w·(true height), the weights |hq| of p
    /// and |hp| of q act on the homogeneous points.
    static Point between(const Point& p, const mpz_class& hp, const Point& q, const mpz_class& hq) {
        const mpz_class wp = abs(hq), wq = abs(hp);
        Point r;
        r.w = wp * p.w + wq * q.w;
        for (std::size_t i = 0; i < 3; ++i) r.x[i] = wp * p.x[i] + wq * q.x[i];
        reduce(r);
        return r;
    }

    static void reduce(Point& p) {
        mpz_class g = p.w;
        for (const mpz_class& x : p.x) g = gcd(g, x);
        p.w /= g;
        for (mpz_class& x : p.x) x /= g;
    }

    static Point mean(const std::vector<Point>& points) {
        Point m{{0, 0, 0}, 1};
        for (const Point& p : points) {
            for (std::size_t i = 0; i < 3; ++i) m.x[i] = m.x[i] * p.w + p.x[i] * m.w;
            m.w *= p.w;
        }
        m.w *= static_cast<unsigned>(points.size());
        reduce(m);
        return m;
    }

    static bool inside(const Set& set, const Point& p) {
        return std::all_of(set.bounds.begin(), set.bounds.end(),
                           [&](const HalfSpace& h) { return h.equation ? height(h, p) == 0 : height(h, p) > 0; });
    }

    /// Dimension of the affine hull.
    static int dimension(const std::vector<Point>& points) {
        Vector u{}, n{};
        int found = 0;
        for (const Point& p : points) {
            Vector d;
            for (std::size_t i = 0; i < 3; ++i) d[i] = p.x[i] * points[0].w - points[0].x[i] * p.w;
            if (found == 0 && !zero(d)) u = d, found = 1;
            if (found == 1 && !zero(cross(u, d))) n = cross(u, d), found = 2;
            if (found == 2 && dot(n, d) != 0) found = 3;
        }
        return found;
    }
};

}  // namespace graze::test
