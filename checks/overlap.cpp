// SPDX-License-Identifier: Apache-2.0
#include "overlap.hpp"

#include <algorithm>
#include <cmath>
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

/// Cube root of the factor by which volumes grow.
double scale(const Affine& placement) {
    const auto& row = placement.linear().row;
    return std::cbrt(std::abs(dot(row[0], cross(row[1], row[2]))));
}

}  // namespace

Overlap measure(const Solid& a, const Solid& b, const MeetingParts& parts, bool crossing) {
    Overlap out;
    double passing = 0;  // how far triangles pass through each other, at most
    std::vector<Vec3> ends;
    for (const Contact& contact : parts.contacts) {
        const Triangle s = a.model().triangle(contact.triangles.a),
                       t = placed(parts.a_from_b, b.model().triangle(contact.triangles.b));
        ends.clear();
        append_outline(s, t, ends);
        for (const Vec3& p : ends) out.box.add(parts.world_from_a(p));
        // Triangles in one plane have an outline of several segments.
        if (!crossing || ends.size() != 2) continue;
        const double segment = length(ends[1] - ends[0]);
        if (segment > passing) passing = std::max(passing, std::min({segment, reach(s, t), reach(t, s)}));
    }
    if (!crossing) return out;
    out.certain = a.has_inside() || b.has_inside();
    out.thickness = (out.certain ? inside_depth(a, b, parts.a_from_b, {.relative_error = 0.05}) : passing) *
                    scale(parts.world_from_a);
    return out;
}

}  // namespace graze::checks
