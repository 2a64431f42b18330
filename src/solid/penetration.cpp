// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/float_environment.hpp"
#include "graze/solid.hpp"
#include "solid/relate.hpp"

namespace graze {

namespace {

using detail::have_common_part;
using detail::size_of;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// B moved by t along a direction.
Result<Affine> moved(const Affine& a_from_b, const Vec3& direction, double t) {
    return Affine::from_matrix(a_from_b.linear(), a_from_b.translation() + direction * t);
}

/// The greatest t for which p + t · direction lies in the triangle; -infinity when there is none. In double.
double last_in(const Vec3& p, const Vec3& direction, const Triangle& t) {
    const Vec3 u = t.b - t.a, v = t.c - t.a, w = p - t.a, h = cross(direction, v);
    const double det = dot(u, h);
    if (det == 0) return -infinity;
    const double x = dot(w, h) / det;
    const Vec3 k = cross(w, u);
    const double y = dot(direction, k) / det, at = dot(v, k) / det;
    return x >= 0 && y >= 0 && x + y <= 1 ? at : -infinity;
}

/// The greatest t for which q1 q2 + t · direction meets the segment p1 p2; -infinity when there is none. In double.
double last_across(const Vec3& p1, const Vec3& p2, const Vec3& q1, const Vec3& q2, const Vec3& direction) {
    const Vec3 u = p2 - p1, v = q2 - q1, w = q1 - p1;
    const double det = dot(direction, cross(u, v));
    if (det == 0) return -infinity;
    const double x = dot(direction, cross(w, v)) / det, y = dot(direction, cross(w, u)) / det;
    return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? -dot(w, cross(u, v)) / det : -infinity;
}

/// The greatest t for which the triangle s and t + t · direction meet, about.
double last_contact(const Triangle& s, const Triangle& t, const Vec3& direction) {
    double last = -infinity;
    const Vec3 p[] = {s.a, s.b, s.c, s.a}, q[] = {t.a, t.b, t.c, t.a};
    for (int i = 0; i < 3; ++i) {
        last = std::max({last, last_in(q[i], direction, s), last_in(p[i], -direction, t)});
        for (int k = 0; k < 3; ++k) last = std::max(last, last_across(p[i], p[i + 1], q[k], q[k + 1], direction));
    }
    return last;
}

/// Moves B in from afar, against a unit vector, until it is about to meet A, in at most so many steps. Ends early once
/// the way is sure to be longer than `limit`. The result may be too long, but never too short.
double way_out(const Solid& a, const Solid& b, const Affine& a_from_b, const Vec3& direction, double limit,
               int most_steps) {
    double high = -infinity, low = infinity;
    for (const Vec3& p : a.model().points()) high = std::max(high, dot(p, direction));
    for (const Vec3& p : b.model().points()) low = std::min(low, dot(a_from_b(p), direction));
    constexpr double precision = 1e-10;
    const double size = size_of(a) + size_of(b);
    double t = high - low + size * 1e-3, known = -infinity;
    // Each step is the distance, which contact cannot be nearer than.
    for (int i = 0; i < most_steps && t - known > size * precision && known <= limit; ++i) {
        const Result<Affine> there = moved(a_from_b, direction, t);
        if (!there) return infinity;
        const ClosestTriangles closest = distance(a.model(), b.model(), *there);
        const Triangle s = a.model().triangle(closest.triangles.a), u = b.model().triangle(closest.triangles.b);
        const double last = last_contact(s, {a_from_b(u.a), a_from_b(u.b), a_from_b(u.c)}, direction);
        if (last < t + size * precision) known = std::max(known, last);
        if (closest.distance <= size * precision * 1e-2) break;
        t -= closest.distance;
    }
    return t;
}

}  // namespace

Penetration penetration_along(const Solid& a, const Solid& b, const Affine& a_from_b, const Vec3& direction) {
    const detail::DefaultFloats floats;
    const double size = length(direction);
    if (!(size > 0) || size == infinity) return {infinity, {}};
    if (!have_common_part(a, b, a_from_b)) return {};
    const Vec3 unit = direction * (1 / size);
    double t = way_out(a, b, a_from_b, unit, infinity, 2000);
    // What is left may be an overlap by rounding.
    for (double step = std::abs(t) * 0x1p-52 + 0x1p-1000; t < infinity; t += step, step *= 2) {
        const Result<Affine> there = moved(a_from_b, unit, t);
        if (!there) return {infinity, {}};
        if (!have_common_part(a, b, *there)) break;
    }
    return {t, unit * t};
}

Penetration penetration(const Solid& a, const Solid& b, const Affine& a_from_b) {
    const detail::DefaultFloats floats;
    if (!have_common_part(a, b, a_from_b)) return {};
    std::vector<Vec3> directions;
    const auto add = [&](const Vec3& v) {
        const double size = length(v);
        if (!(size > 0)) return;
        for (const Vec3& unit : {v * (1 / size), v * (-1 / size)})
            // Directions closer than five degrees to one that is there are left out.
            if (directions.size() < 64 &&
                std::ranges::none_of(directions, [&](const Vec3& u) { return dot(u, unit) > 0.996; }))
                directions.push_back(unit);
    };
    for (const Contact& contact : collide(a.model(), b.model(), a_from_b)) {
        const Triangle s = a.model().triangle(contact.triangles.a), u = b.model().triangle(contact.triangles.b);
        add(cross(s.b - s.a, s.c - s.a));
        add(cross(a_from_b(u.b) - a_from_b(u.a), a_from_b(u.c) - a_from_b(u.a)));
    }
    if (directions.empty())
        for (const Vec3& axis : {Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) add(axis);
    Vec3 best;
    double least = infinity;
    for (const Vec3& direction : directions)
        if (const double t = way_out(a, b, a_from_b, direction, least, 50); t < least) {
            least = t;
            best = direction;
        }
    return penetration_along(a, b, a_from_b, best);
}

}  // namespace graze
