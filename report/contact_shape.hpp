// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "checks/bounds.hpp"

namespace graze::report {

using checks::Bounds;

/// What triangles have in common, to be drawn. Coordinates are in the units of the scene.
struct ContactShape {
    std::vector<float> segments;       ///< six per segment: two ends
    std::vector<std::uint32_t> areas;  ///< number of corners of each convex polygon
    std::vector<float> area_corners;   ///< three per corner, polygon by polygon
    std::vector<float> dots;           ///< three per point
};

/// Draws the contacts of two parts: a segment where triangles cross, a polygon where they overlap in one plane, and a
/// dot where they share a point or only come near. Dots where something is drawn already are left out.
class ContactDrawing {
public:
    explicit ContactDrawing(ContactShape& to) : to_(to) {}

    void add(const Triangle& s, const Triangle& t);

    /// Counts two triangles to `where`, without a drawing of theirs.
    void include(const Triangle& s, const Triangle& t);

    /// A box around all segments and polygons. Without any, a box around what the triangles' own boxes have in common.
    Bounds where() const { return drawn_.empty() ? between_ : drawn_; }

private:
    void segment(const Vec3& from, const Vec3& to);
    void polygon(const std::vector<Vec3>& ends);
    void dot_at(const Vec3& p);
    bool is_new(const Vec3& p);

    ContactShape& to_;
    Bounds drawn_, between_;
    std::vector<Vec3> ends_;
    std::unordered_set<std::uint64_t> seen_;  ///< cells of a fine grid where something is drawn
};

}  // namespace graze::report
