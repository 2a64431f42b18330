// SPDX-License-Identifier: Apache-2.0
#include "crossing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace graze::checks {

namespace {

/// The two points where a triangle's border meets a plane, and their coordinates along a direction. `side` has the
/// signed distances of the corners from the plane.
struct Cut {
    Vec3 low, high;
    double from = 0, to = 0;
    bool empty = true;

    Cut(const std::array<Vec3, 3>& corner, const std::array<double, 3>& side, const Vec3& along) {
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            if (side[i] == 0) add(corner[i], along);
            if ((side[i] < 0 && side[j] > 0) || (side[i] > 0 && side[j] < 0))
                add(corner[i] + (corner[j] - corner[i]) * (side[i] / (side[i] - side[j])), along);
        }
    }

private:
    void add(const Vec3& p, const Vec3& along) {
        const double at = dot(p, along);
        if (empty || at < from) low = p, from = at;
        if (empty || at > to) high = p, to = at;
        empty = false;
    }
};

/// The part of a polygon in t's plane that is inside t (Sutherland and Hodgman 1974).
std::vector<Vec3> clipped(std::vector<Vec3> polygon, const Triangle& t, const Vec3& normal) {
    const std::array corner{t.a, t.b, t.c};
    std::vector<Vec3> kept;
    for (int i = 0; i < 3; ++i) {
        const Vec3 inward = cross(normal, corner[(i + 1) % 3] - corner[i]);
        kept.clear();
        for (std::size_t k = 0; k < polygon.size(); ++k) {
            const Vec3 &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
            const double at_p = dot(inward, p - corner[i]), at_q = dot(inward, q - corner[i]);
            if (at_p >= 0) kept.push_back(p);
            if ((at_p < 0 && at_q > 0) || (at_p > 0 && at_q < 0)) kept.push_back(p + (q - p) * (at_p / (at_p - at_q)));
        }
        polygon.swap(kept);
    }
    return polygon;
}

/// The point of the triangle with the barycentric coordinates of p, clamped. It is on the triangle but for rounding,
/// whatever p is.
Vec3 on(const Triangle& t, const Vec3& p) {
    const Vec3 u = t.b - t.a, v = t.c - t.a, w = p - t.a;
    const Vec3 normal = cross(u, v);
    const double area = dot(normal, normal);
    if (!(area > 0)) return t.a;
    const double y = std::clamp(dot(cross(w, v), normal) / area, 0.0, 1.0);
    const double z = std::clamp(dot(cross(u, w), normal) / area, 0.0, 1.0 - y);
    return t.a * (1 - y - z) + t.b * y + t.c * z;
}

}  // namespace

void crossing(const Triangle& s, const Triangle& t, std::vector<Vec3>& ends) {
    constexpr double near = 1e-12;
    const Vec3 ns = cross(s.b - s.a, s.c - s.a), nt = cross(t.b - t.a, t.c - t.a);
    const double size_of_s = length(ns), size_of_t = length(nt);
    if (size_of_s == 0 || size_of_t == 0) return;
    const auto sides = [](const Triangle& of, const Vec3& normal, double size, const Vec3& origin) {
        std::array side{dot(normal, of.a - origin), dot(normal, of.b - origin), dot(normal, of.c - origin)};
        for (double& d : side)
            if (std::abs(d) <= near * size) d = 0;
        return side;
    };
    const std::array side_s = sides(s, nt, size_of_t, t.a), side_t = sides(t, ns, size_of_s, s.a);
    constexpr std::array<double, 3> none{};
    if (side_s == none || side_t == none) {
        const std::vector<Vec3> common = clipped({s.a, s.b, s.c}, t, nt);
        for (std::size_t k = 0; k < common.size() && common.size() > 2; ++k)
            ends.insert(ends.end(), {common[k], common[(k + 1) % common.size()]});
        return;
    }
    const Vec3 along = cross(ns, nt) * (1 / size_of_s) * (1 / size_of_t);
    const Cut of_s({s.a, s.b, s.c}, side_s, along), of_t({t.a, t.b, t.c}, side_t, along);
    if (of_s.empty || of_t.empty || of_s.from > of_t.to || of_t.from > of_s.to) return;
    ends.insert(ends.end(), {of_s.from > of_t.from ? of_s.low : of_t.low, of_s.to < of_t.to ? of_s.high : of_t.high});
}

void append_common(const Triangle& t, const Triangle& s, std::vector<Vec3>& ends) {
    double size = 0;
    for (const Vec3& side : {t.b - t.a, t.c - t.a})
        size = std::max({size, std::abs(side.x), std::abs(side.y), std::abs(side.z)});
    if (!(size > 0)) return;
    const auto scaled = [&](const Triangle& x) {
        return Triangle{(x.a - t.a) * (1 / size), (x.b - t.a) * (1 / size), (x.c - t.a) * (1 / size)};
    };
    const std::size_t first = ends.size();
    crossing(scaled(t), scaled(s), ends);
    for (std::size_t i = first; i < ends.size(); ++i) ends[i] = on(t, ends[i] * size + t.a);
}

}  // namespace graze::checks
