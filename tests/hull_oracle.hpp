// SPDX-License-Identifier: Apache-2.0
// The distance of two convex hulls of points, in 113 bits, with a proof: a pair of points of the hulls that far apart,
// and a direction along which they are as far.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "graze/math.hpp"

namespace graze::test {

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Wide;
#else
using Wide = long double;
#endif

struct WideVec {
    Wide x = 0, y = 0, z = 0;
};
inline WideVec operator+(const WideVec& a, const WideVec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline WideVec operator-(const WideVec& a, const WideVec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline WideVec operator*(const WideVec& a, Wide s) { return {a.x * s, a.y * s, a.z * s}; }
inline Wide dot(const WideVec& a, const WideVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline WideVec cross(const WideVec& a, const WideVec& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Wide root(Wide x) {
    if (!(x > 0)) return 0;
    Wide r = std::sqrt(static_cast<double>(x));
    if (!(r > 0)) return 0;
    for (int i = 0; i < 2; ++i) r = (r + x / r) / 2;
    return r;
}

inline std::vector<WideVec> widened(const std::vector<Vec3>& points) {
    std::vector<WideVec> out;
    for (const Vec3& p : points) out.push_back({p.x, p.y, p.z});
    return out;
}
/// In real arithmetic, up to 113 bits.
inline std::vector<WideVec> widened(const std::vector<Vec3>& points, const Affine& placement) {
    std::vector<WideVec> out;
    for (const Vec3& p : points) {
        Wide c[3];
        for (int i = 0; i < 3; ++i) {
            const Vec3& r = placement.linear().row[i];
            c[i] = Wide(r.x) * p.x + Wide(r.y) * p.y + Wide(r.z) * p.z + placement.translation()[i];
        }
        out.push_back({c[0], c[1], c[2]});
    }
    return out;
}

inline std::size_t highest(const std::vector<WideVec>& points, const WideVec& w) {
    std::size_t best = 0;
    Wide most = dot(points[0], w);
    for (std::size_t i = 1; i < points.size(); ++i)
        if (const Wide h = dot(points[i], w); h > most) most = h, best = i;
    return best;
}

/// No less than the one and no more than the other.
struct Bracket {
    Wide low = 0, high = 0;
};

/// Wolfe's algorithm for the point of least norm in the hull of A − B: each round takes the farthest point in, then
/// drops those that the least point of the affine hull does not need.
inline Bracket hull_distance(const std::vector<WideVec>& a, const std::vector<WideVec>& b) {
    std::vector<WideVec> s;
    std::vector<Wide> weight;
    const auto farthest = [&](const WideVec& w) { return a[highest(a, w * Wide(-1))] - b[highest(b, w)]; };
    s.push_back(a[0] - b[0]);
    weight.push_back(1);
    WideVec x = s[0];
    Bracket best{0, root(dot(x, x))};
    for (int round = 0; round < 1000; ++round) {
        const Wide norm = root(dot(x, x));
        if (!(norm > 0)) return {0, 0};
        best.high = norm < best.high ? norm : best.high;
        const WideVec next = farthest(x);
        const Wide gap = dot(x, next) / norm;
        best.low = gap > best.low ? gap : best.low;
        const Wide reach = dot(next, next);
        if (best.high - best.low <= Wide(1e-26) * best.high + Wide(1e-33) * reach / best.high) break;
        s.push_back(next);
        weight.push_back(0);
        for (bool again = true; again;) {
            // The weights, of sum one, that the least point of the affine hull has.
            const std::size_t n = s.size();
            std::vector<Wide> y(n, 1);
            if (n == 2) {
                const WideVec d = s[1] - s[0];
                y[1] = -dot(s[0], d) / dot(d, d);
                y[0] = 1 - y[1];
            } else if (n == 3) {
                const WideVec normal = cross(s[1] - s[0], s[2] - s[0]);
                for (std::size_t i = 0; i < 3; ++i)
                    y[i] = dot(cross(s[(i + 1) % 3], s[(i + 2) % 3]), normal) / dot(normal, normal);
            } else if (n == 4) {
                const Wide whole = dot(s[1] - s[0], cross(s[2] - s[0], s[3] - s[0]));
                y[0] = dot(s[1], cross(s[2], s[3])) / whole;
                y[1] = -dot(s[0], cross(s[2], s[3])) / whole;
                y[2] = dot(s[0], cross(s[1], s[3])) / whole;
                y[3] = -dot(s[0], cross(s[1], s[2])) / whole;
            }
            for (const Wide w : y)
                if (!(w - w == 0)) return best;  // dependent: rounding ends it
            Wide step = 1;
            std::size_t drop = n;
            for (std::size_t i = 0; i < n; ++i)
                if (y[i] <= 0 && weight[i] - y[i] > 0)
                    if (const Wide t = weight[i] / (weight[i] - y[i]); t < step) step = t, drop = i;
            for (std::size_t i = 0; i < n; ++i) weight[i] += (y[i] - weight[i]) * step;
            again = drop < n;
            if (again) {
                s.erase(s.begin() + static_cast<std::ptrdiff_t>(drop));
                weight.erase(weight.begin() + static_cast<std::ptrdiff_t>(drop));
            }
        }
        x = {};
        for (std::size_t i = 0; i < s.size(); ++i) x = x + s[i] * weight[i];
        if (s.size() == 4) {  // the least point of a simplex of four is the origin
            best.high = root(dot(x, x));
            return best;
        }
    }
    return best;
}

}  // namespace graze::test
