// SPDX-License-Identifier: Apache-2.0
// Coordinates are taken from a corner and scaled by a power of two, so that the largest, R, is in [1/2, 1). A
// difference is off by U = 2^-53 of itself.
//
// Upper bound. In double, the distance is the least over pairs of features. Each candidate is the distance of two
// points that are convex combinations of corners as computed, so it is never too small by more than rounding: a corner
// is off by U R in each coordinate, a point a + x·u by 4 U R more. Together with the rounding of the length this is
// below 32 U R.
//
// Lower bound. For any direction n, the gap between the triangles' extents along n, over |n|, is a lower bound of their
// distance. A product n · p is off by less than 8 U |n| R, so the gap by less than 32 U |n| R. It does not matter how n
// was found. Two directions are tried: the one between the closest points, and the normal of the features they lie on,
// which stays accurate when the triangles are near to each other.
//
// Both bounds are taken with `slack` = 2^-46 R, four times what is derived.
#include "exact/triangle_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exact/predicate.hpp"

namespace graze::detail {
namespace {

using Corners3 = std::array<Vec3, 3>;
using Kind = TriangleFeature::Kind;

constexpr double infinite = std::numeric_limits<double>::infinity();

double clamp01(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
double square(const Vec3& v) { return dot(v, v); }
double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }
const Vec3& corner(const Corners3& t, int i) { return t[static_cast<std::size_t>(i % 3)]; }
Vec3 edge(const Corners3& t, int i) { return corner(t, i + 1) - corner(t, i); }

/// Coordinate of the point of the line a + x·u next to p, within [0, 1].
double foot(const Vec3& p, const Vec3& a, const Vec3& u) {
    const double uu = square(u);
    return uu > 0 ? clamp01(dot(p - a, u) / uu) : 0;
}

/// A triangle as its longest edge e and the height h upon it. These coordinates are orthogonal even in a needle.
struct HeightFrame {
    int first;  ///< corner at which e begins
    Vec3 origin, e, h;
    Vec3 side;            ///< from origin to the opposite corner
    double ee, hh, apex;  ///< the opposite corner is origin + apex·e + h

    explicit HeightFrame(const Corners3& t) {
        first = 0;
        for (int i = 1; i < 3; ++i)
            if (square(edge(t, i)) > square(edge(t, first))) first = i;
        origin = corner(t, first);
        e = edge(t, first);
        ee = square(e);
        side = corner(t, first + 2) - origin;
        apex = ee > 0 ? dot(side, e) / ee : 0;
        h = side - e * apex;
        hh = square(h);
    }

    /// The weights of the three corners, from `first` on, at the foot of p's perpendicular. False when that is outside.
    bool inside(const Vec3& p, double (&weight)[3]) const {
        if (!(ee > 0 && hh > 0)) return false;
        // In a needle h is inaccurate. The second round corrects what the first one left along e and h.
        Vec3 w = p - origin;
        weight[1] = weight[2] = 0;
        for (int round = 0; round < 2; ++round) {
            const double x = dot(w, e) / ee, y = dot(w, h) / hh;
            weight[2] += y;
            weight[1] += x - y * apex;
            w = (p - origin) - (e * weight[1] + side * weight[2]);
        }
        weight[0] = 1 - weight[2] - weight[1];
        return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
    }
};

}  // namespace

/// The search for the closest points in double.
class Rough {
public:
    using Weights = TriangleDistance::Weights;

    double best = infinite;  ///< squared
    Weights at_s, at_t;
    Vec3 between;  ///< from the point on s to the point on t
    Vec3 normal;   ///< normal of the two features; zero where there is none

    Rough(const Corners3& s, const Corners3& t, int corners_of_s) {
        for (int i = 0; i < corners_of_s; ++i)
            for (int j = 0; j < 3; ++j) {
                const Vec3 &a = corner(s, i), &c = corner(t, j);
                const Vec3 v = edge(t, j);
                // A corner of s and an edge of t.
                try_edges(a, {}, 0, i, c, v, foot(a, c, v), j);
                if (corners_of_s == 1) continue;
                // A corner of t and an edge of s.
                const Vec3 u = edge(s, i);
                try_edges(a, u, foot(c, a, u), i, c, {}, 0, j);
                // The interiors of two edges. Computing x by cross products keeps it accurate for small angles.
                const Vec3 n = cross(u, v);
                const double nn = square(n);
                if (!(nn > 0)) continue;
                const double x = clamp01(dot(cross(c - a, v), n) / nn);
                const double y = foot(a + u * x, c, v);
                if (try_edges(a, u, x, i, c, v, y, j)) normal = n;
            }
        const HeightFrame of_t(t);
        for (int i = 0; i < corners_of_s; ++i) try_face(corner(s, i), on_edge(i, 0), of_t, at_s, at_t, 1);
        if (corners_of_s == 1) return;
        const HeightFrame of_s(s);
        for (int j = 0; j < 3; ++j) try_face(corner(t, j), on_edge(j, 0), of_s, at_t, at_s, -1);
    }

    /// Tries where the edges of each triangle pass through the other's plane. Only triangles that cross need it: these
    /// have no closest points on the features above.
    void try_crossings(const Corners3& s, const Corners3& t) {
        const HeightFrame of_s(s), of_t(t);
        for (int i = 0; i < 3; ++i) {
            try_crossing(s, i, of_t, at_s, at_t, 1);
            try_crossing(t, i, of_s, at_t, at_s, -1);
        }
    }

private:
    static Weights on_edge(int i, double x) {
        Weights w{{0, 0, 0}};
        w.w[i % 3] = 1 - x;
        w.w[(i + 1) % 3] = x;
        return w;
    }

    bool try_edges(const Vec3& a, const Vec3& u, double x, int i, const Vec3& c, const Vec3& v, double y, int j) {
        const Vec3 from_s = (c + v * y) - (a + u * x);
        const double squared = square(from_s);
        if (!(squared < best)) return false;
        best = squared;
        between = from_s;
        at_s = on_edge(i, x);
        at_t = on_edge(j, y);
        normal = {};
        return true;
    }

    void try_crossing(const Corners3& edges, int i, const HeightFrame& frame, Weights& at_edge, Weights& at_face,
                      double sign) {
        const Vec3 n = cross(frame.e, frame.h), &p = corner(edges, i);
        const double from = dot(p - frame.origin, n), to = dot(corner(edges, i + 1) - frame.origin, n);
        if (!(from * to <= 0) || from == to) return;
        const double x = clamp01(from / (from - to));
        try_face(p + edge(edges, i) * x, on_edge(i, x), frame, at_edge, at_face, sign);
    }

    /// Tries a point of one triangle, given with its weights, and the foot of its perpendicular on the other.
    void try_face(const Vec3& p, const Weights& weights, const HeightFrame& frame, Weights& at_p, Weights& at_face,
                  double sign) {
        double weight[3];
        if (!frame.inside(p, weight)) return;
        const Vec3 to_face = (frame.origin - p) + (frame.e * weight[1] + frame.side * weight[2]);
        const double squared = square(to_face);
        if (!(squared < best)) return;
        best = squared;
        between = to_face * sign;
        at_p = weights;
        for (int k = 0; k < 3; ++k) at_face.w[(frame.first + k) % 3] = weight[k];
        normal = cross(frame.e, frame.h);
    }
};

TriangleDistance::TriangleDistance(const Triangle& s, const Triangle& t, int corners_of_s)
    : given_{{s.a, s.b, s.c}, {t.a, t.b, t.c}}, corners_of_s_(corners_of_s) {
    p_ = {{Vec3{}, s.b - s.a, s.c - s.a}, {t.a - s.a, t.b - s.a, t.c - s.a}};
    double most = 0;
    for (const Corners3* corners : {&p_.s, &p_.t})
        for (const Vec3& v : *corners) most = std::max(most, largest(v));
    if (most == 0) {
        low_ = high_ = low_scaled_ = high_scaled_ = 0;
        return;
    }
    reach_ = std::frexp(most, &exponent_);
    // In two steps, because one factor may be beyond the range of doubles.
    const double first = std::ldexp(1.0, -exponent_ / 2), second = std::ldexp(1.0, -exponent_ + exponent_ / 2);
    for (Corners3* corners : {&p_.s, &p_.t})
        for (Vec3& v : *corners) v = v * first * second;
    Rough rough(p_.s, p_.t, corners_of_s_);
    const double slack = 0x1p-46 * reach_;
    low_scaled_ = -1;
    for (const Vec3& n : {rough.between, rough.normal}) {
        const double size = std::sqrt(square(n));
        if (!(size > 0x1p-400)) continue;
        double s_low = infinite, s_high = -infinite, t_low = infinite, t_high = -infinite;
        for (int i = 0; i < 3; ++i) {
            const double of_s = dot(corner(p_.s, i), n), of_t = dot(corner(p_.t, i), n);
            s_low = std::min(s_low, of_s), s_high = std::max(s_high, of_s);
            t_low = std::min(t_low, of_t), t_high = std::max(t_high, of_t);
        }
        low_scaled_ = std::max(low_scaled_, std::max(t_low - s_high, s_low - t_high) / size - slack);
    }
    if (low_scaled_ <= 0 && corners_of_s_ > 1) rough.try_crossings(p_.s, p_.t);
    high_scaled_ = std::sqrt(rough.best) + slack;
    at_s_ = rough.at_s;
    at_t_ = rough.at_t;
    between_ = rough.between;
    // Scaling back is exact except for subnormal numbers.
    high_ = std::ldexp(high_scaled_, exponent_) + std::numeric_limits<double>::denorm_min();
    low_ = std::ldexp(low_scaled_, exponent_) - std::numeric_limits<double>::denorm_min();
}

bool TriangleDistance::meets(bool& used_exact) const {
    if (low_scaled_ > 0) return false;
    const Triangle s{given_.s[0], given_.s[1], given_.s[2]}, t{given_.t[0], given_.t[1], given_.t[2]};
    return meet(s, t, used_exact);
}

/// Calls f for each pair of features whose distance counts and may be at most `most` (scaled), until f returns true.
/// True if it did.
///
/// Edges and differences of corners are off by less than 8 U R in each coordinate. Let A bound the edges. Then a normal
/// n is off by 2^-48 R A, a height w · n by 2^-46 R² A, and the products that tell whether a foot is inside by 2^-44 R²
/// A². The code takes 2^-42 for all of these.
template <class F>
bool TriangleDistance::any_feature(double most, F&& f) const {
    const double r = reach_, e = 0x1p-42;
    const auto ask = [&](Kind of_s, int i, Kind of_t, int j) {
        return f(TriangleFeatures{{of_s, static_cast<std::uint8_t>(i)}, {of_t, static_cast<std::uint8_t>(j)}});
    };
    // Products of edges below this size say nothing in double.
    constexpr double least = 0x1p-200;
    const auto near_line = [&](const Vec3& p, const Vec3& a, const Vec3& u) {
        const double size = largest(u);
        if (size < least) return true;
        const Vec3 w = p - a;
        const double along = dot(w, u), uu = square(u), error = e * r * r;
        if (along < -error || along > uu + error) return false;
        return std::sqrt(square(cross(w, u))) - error <= most * (std::sqrt(uu) + e * r);
    };
    const auto near_plane = [&](const Vec3& p, const Corners3& t) {
        const Vec3 u = edge(t, 0), v = edge(t, 1);
        const double size = std::max({largest(u), largest(v), largest(edge(t, 2))});
        if (size < least) return true;
        const Vec3 n = cross(u, v);
        const double error = e * r * r * size;
        if (std::abs(dot(p - corner(t, 0), n)) - error > most * (std::sqrt(square(n)) + e * r * size)) return false;
        for (int i = 0; i < 3; ++i)
            if (dot(cross(edge(t, i), p - corner(t, i)), n) < -error * size) return false;
        return true;
    };
    const auto near_lines = [&](const Vec3& a, const Vec3& u, const Vec3& c, const Vec3& v) {
        const double size = std::max(largest(u), largest(v));
        if (size < least) return true;
        const Vec3 n = cross(u, v), w = c - a;
        const double error = e * r * r * size, nn = square(n);
        if (std::abs(dot(w, n)) - error > most * (std::sqrt(nn) + e * r * size)) return false;
        const double x = dot(cross(w, v), n), y = dot(cross(w, u), n);
        return std::min(x, y) >= -error * size && std::max(x, y) <= nn + error * size;
    };
    const double near_corner = (most + e * r) * (1 + 0x1p-40);
    for (int i = 0; i < corners_of_s_; ++i) {
        const Vec3& a = corner(p_.s, i);
        if (near_plane(a, p_.t) && ask(Kind::Corner, i, Kind::Face, 0)) return true;
        for (int j = 0; j < 3; ++j) {
            const Vec3& c = corner(p_.t, j);
            const Vec3 v = edge(p_.t, j);
            if (corners_of_s_ > 1) {
                const Vec3 u = edge(p_.s, i);
                if (near_lines(a, u, c, v) && ask(Kind::Edge, i, Kind::Edge, j)) return true;
                if (near_line(c, a, u) && ask(Kind::Edge, i, Kind::Corner, j)) return true;
            }
            if (near_line(a, c, v) && ask(Kind::Corner, i, Kind::Edge, j)) return true;
            if (square(c - a) <= near_corner * near_corner && ask(Kind::Corner, i, Kind::Corner, j)) return true;
        }
    }
    if (corners_of_s_ > 1)
        for (int j = 0; j < 3; ++j)
            if (near_plane(corner(p_.t, j), p_.s) && ask(Kind::Face, 0, Kind::Corner, j)) return true;
    return false;
}

/// A length scaled like the coordinates, rounded up.
double TriangleDistance::to_scale(double length) const {
    return std::ldexp(length, -exponent_) * (1 + 0x1p-50) + 0x1p-1000;
}

bool TriangleDistance::within(double length, bool& used_exact) const {
    if (low_ > length) return false;
    if (high_ <= length) return true;
    if (meets(used_exact)) return true;
    used_exact = true;
    return any_feature(to_scale(length),
                       [&](const TriangleFeatures& f) { return compare_distance(given_, f, length) <= 0; });
}

double TriangleDistance::rounded(double below, bool& used_exact) const {
    if (low_ >= below) return infinite;
    if (meets(used_exact)) return 0;
    used_exact = true;
    double best = infinite;
    any_feature(high_scaled_, [&](const TriangleFeatures& f) {
        best = std::min(best, rounded_distance(given_, f, std::min(best, below)));
        return false;
    });
    return best;
}

DistanceProof::DistanceProof(const TriangleDistance& nearest) {
    const double low = nearest.low_scaled_, high = nearest.high_scaled_;
    if (!(low > 0x1p-20 * high)) return;
    // The vector as computed is off by rounding from a difference of points of the triangles, by less than the slack of
    // `high`. A length of 1 is then as good as any other.
    const double size = std::sqrt(square(nearest.between_)), slack = 0x1p-46 * nearest.reach_;
    n_ = nearest.between_ * (1 / size);
    error_ = (std::sqrt((high - low) * (high + low)) + slack) / size * (1 + 0x1p-20) + 0x1p-48;
    corners_ = nearest.given_;
    const auto furthest = [&](const Corners3& corners, double side) {
        const Vec3* out = &corners[0];
        for (const Vec3& c : corners)
            if (side * dot(n_, c - *out) < 0) out = &c;
        return *out;
    };
    top_s_ = furthest(corners_.s, -1);
    top_t_ = furthest(corners_.t, 1);
    made_ = true;
}

bool DistanceProof::beyond(const Triangle& t, const Corners3& corners, const Vec3& top, double side) const {
    for (const Vec3* c : {&t.a, &t.b, &t.c}) {
        if (*c == corners[0] || *c == corners[1] || *c == corners[2]) continue;
        const Vec3 w = *c - top;
        const double size = std::abs(w.x) + std::abs(w.y) + std::abs(w.z);
        // A difference that overflows, or loses bits below the smallest numbers, proves nothing.
        if (!(side * dot(n_, w) > error_ * size) || !(size > 0x1p-900 && size < 0x1p1000)) return false;
    }
    return true;
}

namespace {

Vec3 combined(const Corners3& t, const double (&w)[3]) { return t[0] * w[0] + t[1] * w[1] + t[2] * w[2]; }

}  // namespace

Vec3 TriangleDistance::on_s() const { return combined(given_.s, at_s_.w); }
Vec3 TriangleDistance::on_t() const { return combined(given_.t, at_t_.w); }

double triangle_distance(const Triangle& s, const Triangle& t) {
    bool used_exact = false;
    return TriangleDistance(s, t).rounded(infinite, used_exact);
}

}  // namespace graze::detail
