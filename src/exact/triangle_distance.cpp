// SPDX-License-Identifier: Apache-2.0
// The distance is the minimum over pairs of features. Each candidate is the distance of two points that lie on the
// triangles (up to rounding), so an ill-conditioned pair of features never gives too small a value. Near-parallel lines
// and needles lose nothing, because another candidate is as near there.
#include "exact/triangle_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace graze::detail {
namespace {

using Corners = std::array<Vec3, 3>;

double clamp01(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

double square(const Vec3& v) { return dot(v, v); }

/// Squared distance of p from the segment a + [0, 1]·u.
double to_segment(const Vec3& p, const Vec3& a, const Vec3& u) {
    const Vec3 w = p - a;
    const double uu = square(u);
    return square(w - u * (uu > 0 ? clamp01(dot(w, u) / uu) : 0));
}

/// Squared distance between the interiors of two segments: from the first line's point nearest to the second line, to
/// the second segment. Computing the parameter by cross products keeps it accurate for small angles.
double between_insides(const Vec3& a, const Vec3& u, const Vec3& c, const Vec3& v) {
    const Vec3 n = cross(u, v);
    const double nn = square(n);
    if (!(nn > 0)) return to_segment(a, c, v);
    const double s = clamp01(dot(cross(c - a, v), n) / nn);
    return to_segment(a + u * s, c, v);
}

/// A triangle as its longest edge e and the height h upon it. These coordinates are orthogonal even in a needle.
struct Frame {
    Vec3 origin, e, h;
    double ee, hh, apex;  // the opposite corner is origin + apex·e + h

    explicit Frame(const Corners& t) {
        int longest = 0;
        for (int i = 1; i < 3; ++i)
            if (square(edge(t, i)) > square(edge(t, longest))) longest = i;
        origin = t[static_cast<std::size_t>(longest)];
        e = edge(t, longest);
        ee = square(e);
        const Vec3 w = t[static_cast<std::size_t>((longest + 2) % 3)] - origin;
        apex = ee > 0 ? dot(w, e) / ee : 0;
        h = w - e * apex;
        hh = square(h);
    }

    static Vec3 edge(const Corners& t, int i) {
        return t[static_cast<std::size_t>((i + 1) % 3)] - t[static_cast<std::size_t>(i)];
    }

    /// Squared distance of p from the foot of its perpendicular if that is inside the triangle, else `otherwise`.
    double to_inside(const Vec3& p, double otherwise) const {
        if (!(ee > 0 && hh > 0)) return otherwise;
        const Vec3 w = p - origin;
        const double x = dot(w, e) / ee, y = dot(w, h) / hh;
        const bool inside = y >= 0 && y <= 1 && x >= y * apex && x <= 1 - y * (1 - apex);
        return inside ? std::min(otherwise, square(w - e * x - h * y)) : otherwise;
    }
};

double squared_distance(const Corners& s, const Corners& t) {
    double best = square(s[0] - t[0]);
    for (int i = 0; i < 3; ++i) {
        const Vec3 a = s[static_cast<std::size_t>(i)], u = Frame::edge(s, i);
        for (int j = 0; j < 3; ++j) {
            const Vec3 c = t[static_cast<std::size_t>(j)], v = Frame::edge(t, j);
            best = std::min({best, to_segment(a, c, v), to_segment(c, a, u), between_insides(a, u, c, v)});
        }
    }
    const Frame s_frame(s), t_frame(t);
    for (const Vec3& p : s) best = t_frame.to_inside(p, best);
    for (const Vec3& p : t) best = s_frame.to_inside(p, best);
    return best;
}

}  // namespace

double triangle_distance(const Triangle& s, const Triangle& t) {
    // Relative to a corner, and scaled by a power of two so that squares neither overflow nor underflow.
    Corners p{Vec3{}, s.b - s.a, s.c - s.a}, q{t.a - s.a, t.b - s.a, t.c - s.a};
    double largest = 0;
    for (const Corners* corners : {&p, &q})
        for (const Vec3& v : *corners) largest = std::max({largest, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
    if (largest == 0) return 0;
    int exponent = 0;
    std::frexp(largest, &exponent);
    const auto scaled = [&](const Vec3& v) {
        return Vec3{std::ldexp(v.x, -exponent), std::ldexp(v.y, -exponent), std::ldexp(v.z, -exponent)};
    };
    for (Corners* corners : {&p, &q})
        for (Vec3& v : *corners) v = scaled(v);
    return std::ldexp(std::sqrt(squared_distance(p, q)), exponent);
}

}  // namespace graze::detail
