// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checks/bounds.hpp"

namespace graze::report {

using checks::Bounds;

/// The points that triangles have in common, to be drawn. Coordinates are in the units of the scene.
struct ContactShape {
    std::vector<float> segments;       ///< six per segment: two ends
    std::vector<std::uint32_t> areas;  ///< number of corners of each convex polygon
    std::vector<float> area_corners;   ///< three per corner, polygon by polygon
    std::vector<float> dots;           ///< three per point
};

/// Draws the contacts of two parts: a segment where triangles cross, a polygon where they overlap in one plane, and a
/// dot where they share a point or only come near. Dots next to something else that is drawn are left out.
class ContactDrawing {
public:
    explicit ContactDrawing(ContactShape& to) : to_(to) {}

    /// Draws what two triangles have in common. If that is nothing, they are only near each other.
    void add(const Triangle& s, const Triangle& t, const Intersection& common);

    /// Counts two triangles to the box, without a drawing of theirs.
    void include(const Triangle& s, const Triangle& t);

    /// Draws the dots. Returns a box around all segments and polygons; without any, a box around what the triangles'
    /// own boxes have in common.
    Bounds finish();

private:
    void segment(const Vec3& from, const Vec3& to);
    void polygon(std::span<const Vec3> corners);

    ContactShape& to_;
    Bounds drawn_, between_;
    std::vector<Vec3> corners_, dots_;
};

}  // namespace graze::report
