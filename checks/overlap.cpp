// SPDX-License-Identifier: Apache-2.0
#include "overlap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "checks/contacts.hpp"

namespace graze::checks {

namespace {

/// How far a triangle reaches beyond a plane, on the side where it reaches less far.
double reach(const Triangle& t, const Triangle& plane) {
    const Vec3 normal = cross(plane.b - plane.a, plane.c - plane.a);
    const double size = length(normal);
    if (!(size > 0)) return 0;
    double low = 0, high = 0;
    for (const Vec3& p : {t.a, t.b, t.c}) {
        const double at = dot(normal, p - plane.a);
        low = std::min(low, at);
        high = std::max(high, at);
    }
    return std::min(-low, high) / size;
}

}  // namespace

double scale_of(const Affine& placement) {
    const auto& row = placement.linear().row;
    return std::cbrt(std::abs(dot(row[0], cross(row[1], row[2]))));
}

Bounds meeting_box(const Model& a, const Model& b, const Placing& place, std::span<const Contact> contacts) {
    Bounds box;
    std::vector<Vec3> ends;
    for (const Contact& contact : contacts) {
        ends.clear();
        append_outline(a.triangle(contact.triangles.a), placed(place.a_from_b, b.triangle(contact.triangles.b)), ends);
        for (const Vec3& p : ends) box.add(place.world_from_a(p));
    }
    return box;
}

namespace {

/// How far triangles of two models pass through each other, at most.
double passing(const Model& a, const Model& b, const Affine& a_from_b) {
    double most = 0;
    std::vector<Vec3> ends;
    for (const Contact& contact : collide(a, b, a_from_b)) {
        const Triangle s = a.triangle(contact.triangles.a), t = placed(a_from_b, b.triangle(contact.triangles.b));
        ends.clear();
        append_outline(s, t, ends);
        // Triangles in one plane have an outline of several segments.
        if (ends.size() != 2) continue;
        const double segment = length(ends[1] - ends[0]);
        if (segment > most) most = std::max(most, std::min({segment, reach(s, t), reach(t, s)}));
    }
    return most;
}

Vec3 size_of(const Model& model) {
    const Bounds box(model.bounds());
    return box.empty() ? Vec3{} : box.hi - box.lo;
}

}  // namespace

Measures measure(const Solid& a, const Solid& b, const Placing& place) {
    const auto& [world_from_a, a_from_b] = place;
    constexpr std::uint64_t most_steps = 20'000;
    const double scale = scale_of(world_from_a);
    Measures out;
    if (!a.has_inside() && !b.has_inside()) {
        out.depth = passing(a.model(), b.model(), a_from_b) * scale;
        return out;
    }
    constexpr double relative_error = 0.05, least = std::numeric_limits<double>::min();
    const Depth depth = inside_depth(
        a, b, a_from_b, {.relative_error = relative_error, .absolute_error = least, .max_steps = most_steps});
    out.depth = depth.low * scale;
    if (depth.high > depth.low * (1 + 1.01 * relative_error) + 1e-12 * length(size_of(a.model())))
        out.depth_at_most = depth.high * scale;
    if (!a.has_inside() || !b.has_inside()) return out;
    out.volume = overlap(a, b, a_from_b).volume * scale * scale * scale;
    const Penetration parting = penetration(a, b, a_from_b);
    if (parting.depth < std::numeric_limits<double>::infinity())
        out.translation = world_from_a(parting.translation) - world_from_a(Vec3{});
    return out;
}

}  // namespace graze::checks
