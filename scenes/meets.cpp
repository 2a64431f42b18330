// SPDX-License-Identifier: Apache-2.0
#include "scenes/meets.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace graze::scenes {

namespace {

/// The unit normal, or zero for a triangle without area.
Vec3 normal(const Triangle& t) {
    const Vec3 n = cross(t.b - t.a, t.c - t.a);
    const double q = dot(n, n);
    return q > 0 ? n * (1 / std::sqrt(q)) : Vec3{};
}

/// How far the furthest corner of `t` is behind the plane through `origin`.
double depth_behind(const Triangle& t, const Vec3& origin, const Vec3& n) {
    return std::max({0.0, dot(n, origin - t.a), dot(n, origin - t.b), dot(n, origin - t.c)});
}

/// The segment in which a plane cuts a triangle, its ends ordered along a line.
struct Cut {
    Vec3 first, last;
    double low = 0, high = 0;
};

std::optional<Cut> cut(const Triangle& t, const Vec3& origin, const Vec3& n, const Vec3& line) {
    const Vec3 corner[3] = {t.a, t.b, t.c};
    double side[3];
    for (int i = 0; i < 3; ++i) side[i] = dot(n, corner[i] - origin);
    std::optional<Cut> out;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if ((side[i] > 0) == (side[j] > 0)) continue;
        const Vec3 p = corner[i] + (corner[j] - corner[i]) * (side[i] / (side[i] - side[j]));
        const double at = dot(line, p);
        if (!out) out = Cut{p, p, at, at};
        if (at < out->low) out->first = p, out->low = at;
        if (at > out->high) out->last = p, out->high = at;
    }
    return out;
}

Vec3 middle(const Triangle& t) { return (t.a + t.b + t.c) * (1.0 / 3); }

double size2(const Triangle& t) {
    const Vec3 ab = t.b - t.a, bc = t.c - t.b, ca = t.a - t.c;
    return std::max({dot(ab, ab), dot(bc, bc), dot(ca, ca)});
}

/// The pair's point is the middle of the segment that the triangles have in common, its normal
/// that of the triangle whose plane the other has to go the shorter way to be in front of; zero
/// when neither has area.
Meet meet_of(const Triangle& s, const Triangle& t) {
    const Vec3 n = normal(s), m = normal(t);
    const double into_s = depth_behind(t, s.a, n), into_t = depth_behind(s, t.a, m);
    const bool by_s = n != Vec3{} && (m == Vec3{} || into_s <= into_t);
    Meet out;
    out.normal = by_s ? n : -m;
    out.depth = by_s ? into_s : into_t;
    const Vec3 line = cross(n, m);
    const std::optional<Cut> p = cut(s, t.a, m, line), q = cut(t, s.a, n, line);
    if (p && q) {
        out.from = p->low > q->low ? p->first : q->first;
        out.to = p->high < q->high ? p->last : q->last;
    } else
        out.from = out.to = middle(size2(s) < size2(t) ? s : t);
    out.point = (out.from + out.to) * 0.5;
    return out;
}

}  // namespace

void Meets::find(const Model& a, const Model& b, const Affine& a_from_b, std::span<const Contact> contacts) {
    all.clear();
    for (const Contact& c : contacts) {
        const Triangle t = b.triangle(c.triangles.b);
        all.push_back(meet_of(a.triangle(c.triangles.a), {a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)}));
    }
    // Groups by union-find: neighbours in the order of A's triangles, then of B's.
    const auto root = [&](std::uint32_t i) {
        while (all[i].group != i) i = all[i].group = all[all[i].group].group;
        return i;
    };
    const auto unite = [&](std::uint32_t i, std::uint32_t j) {
        i = root(i), j = root(j);
        all[std::max(i, j)].group = std::min(i, j);
    };
    std::vector<std::uint32_t> order(all.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = all[i].group = i;
    for (std::uint32_t i = 1; i < order.size(); ++i)
        if (contacts[i].triangles.a == contacts[i - 1].triangles.a) unite(i, i - 1);
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return contacts[i].triangles.b; });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (contacts[order[i]].triangles.b == contacts[order[i - 1]].triangles.b) unite(order[i], order[i - 1]);
    for (std::uint32_t i = 0; i < order.size(); ++i) all[i].group = root(i);
    join_normals();
}

/// Where two closed surfaces meet, the segments in common make closed curves. The area that such a
/// curve bounds, as a vector, is how the common volume shrinks as B moves: the direction that
/// parts them, also for a finger stuck in, whose own sides only say which way it cannot go. Pairs
/// keep their own normal when their group's curve is not one (touching only, or at a surface's rim).
void Meets::join_normals() {
    groups.assign(all.size(), {});
    for (const Meet& c : all) {
        MeetGroup& g = groups[c.group];
        const Vec3 origin = all[c.group].point, area = cross(c.from - origin, c.to - origin);
        g.area = g.area + area;
        g.size += std::sqrt(dot(area, area));
        g.points = g.points + c.point;
        ++g.count;
    }
    for (Meet& c : all) {
        MeetGroup& g = groups[c.group];
        const double size = std::sqrt(dot(g.area, g.area));
        g.joined = size > 0.1 * g.size;
        if (g.joined) c.normal = g.area * (1 / size);
    }
}

}  // namespace graze::scenes
