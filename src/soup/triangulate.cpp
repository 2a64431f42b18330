// SPDX-License-Identifier: Apache-2.0
#include "soup/triangulate.hpp"

#include <algorithm>
#include <cmath>

namespace graze::detail {

double Triangulator::turn(const Point& a, const Point& b, const Point& c) {
    return (b.u - a.u) * (c.v - b.v) - (b.v - a.v) * (c.u - b.u);
}

/// Projects the corners to a plane, anticlockwise. False when the Newell normal is zero.
bool Triangulator::project(std::span<const Vec3> points, std::span<const std::uint32_t> corners) {
    const std::size_t n = corners.size();
    local_.resize(n);
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
        local_[i] = points[corners[i]] - points[corners[0]];
        most = std::max({most, std::abs(local_[i].x), std::abs(local_[i].y), std::abs(local_[i].z)});
    }
    // Products of extreme coordinates would overflow or underflow. Scaling by a power of two changes nothing else.
    if (most > 0x1p200 || most < 0x1p-200)
        for (Vec3& p : local_) {
            const int e = most > 0 ? -std::ilogb(most) : 0;
            p = {std::ldexp(p.x, e), std::ldexp(p.y, e), std::ldexp(p.z, e)};
        }

    Vec3 normal;
    for (std::size_t i = 1; i + 1 < n; ++i) normal = normal + cross(local_[i], local_[i + 1]);
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (std::abs(normal[k]) > std::abs(normal[axis])) axis = k;
    if (normal[axis] == 0) return false;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (normal[axis] < 0) std::swap(u, v);

    ring_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        ring_[i].at = {local_[i][u], local_[i][v]};
        ring_[i].prev = i == 0 ? static_cast<std::uint32_t>(n - 1) : i - 1;
        ring_[i].next = i + 1 == n ? 0 : i + 1;
        ring_[i].ear = Ear::No;
    }
    for (Corner& c : ring_) c.turn = turn(ring_[c.prev].at, c.at, ring_[c.next].at);
    spikes_ = 0;
    for (std::uint32_t i = 0; i < n; ++i) judge(i);
    return true;
}

/// An ear turns left and has no other corner in its closed triangle. Only corners that do not turn left need a test,
/// because the deepest corner inside does not. Corners at exactly the position of one of the ear's own do not count, so
/// that polygons that touch themselves (holes joined by a doubled edge) have ears. A corner where the outline doubles
/// back or stands still is a spike.
void Triangulator::judge(std::uint32_t i) {
    Corner& ear = ring_[i];
    const Point a = ring_[ear.prev].at, b = ear.at, c = ring_[ear.next].at;
    ear.turn = turn(a, b, c);
    spikes_ -= ear.ear == Ear::Spike;
    ear.ear = ear.turn > 0 ? Ear::Yes : ear.turn == 0 ? Ear::Flat : Ear::No;
    if (ear.turn == 0 && (b.u - a.u) * (c.u - b.u) + (b.v - a.v) * (c.v - b.v) <= 0) {
        ear.ear = Ear::Spike;
        ++spikes_;
    }
    if (ear.ear != Ear::Yes) return;
    const auto same = [](const Point& p, const Point& q) { return p.u == q.u && p.v == q.v; };
    for (std::uint32_t j = ring_[ear.next].next; j != ear.prev; j = ring_[j].next) {
        const Corner& o = ring_[j];
        if (o.turn > 0 || turn(a, b, o.at) < 0 || turn(b, c, o.at) < 0 || turn(c, a, o.at) < 0) continue;
        if (same(o.at, a) || same(o.at, b) || same(o.at, c)) continue;
        ear.ear = Ear::No;
        return;
    }
}

/// Picks a spike if there is one, because beside it an ear may lie outside of the polygon. Otherwise the next ear from
/// here on; otherwise a corner in line with its neighbours, whose triangle has no area; otherwise (the polygon crosses
/// itself, or rounding hides every ear) the sharpest left turn.
std::uint32_t Triangulator::pick(std::uint32_t from) const {
    std::uint32_t flat = from, best = from;
    bool has_flat = false;
    std::uint32_t i = from;
    do {
        const Corner& c = ring_[i];
        if (c.ear == Ear::Spike || (c.ear == Ear::Yes && spikes_ == 0)) return i;
        if (c.ear == Ear::Flat && !has_flat) flat = i, has_flat = true;
        if (c.turn > ring_[best].turn) best = i;
        i = c.next;
    } while (i != from);
    return has_flat ? flat : best;
}

void Triangulator::cut(std::span<const Vec3> points, std::span<const std::uint32_t> corners,
                       std::vector<Corners>& out) {
    const std::size_t n = corners.size();
    if (n == 3 || !project(points, corners)) {
        for (std::size_t i = 1; i + 1 < n; ++i) out.push_back({corners[0], corners[i], corners[i + 1]});
        return;
    }
    std::uint32_t at = 1;
    for (std::size_t left = n; left > 3; --left) {
        const std::uint32_t i = pick(at);
        const std::uint32_t p = ring_[i].prev, q = ring_[i].next;
        out.push_back({corners[p], corners[i], corners[q]});
        spikes_ -= ring_[i].ear == Ear::Spike;
        ring_[p].next = q;
        ring_[q].prev = p;
        // Clipping an ear of a simple polygon changes no ear but these two (Meisters 1975). Both turns are updated
        // first, because either corner may lie in the other's ear.
        ring_[p].turn = turn(ring_[ring_[p].prev].at, ring_[p].at, ring_[q].at);
        ring_[q].turn = turn(ring_[p].at, ring_[q].at, ring_[ring_[q].next].at);
        judge(p);
        judge(q);
        at = q;
    }
    const Corner& last = ring_[at];
    out.push_back({corners[last.prev], corners[at], corners[last.next]});
}

}  // namespace graze::detail
