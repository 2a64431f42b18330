// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/graze.hpp"

namespace graze::scenes {

/// A pair of triangles that meet: where, the direction that parts them, how far they must go. In A's frame.
struct Meet {
    Vec3 from, to;  ///< ends of the segment in common, around B counter-clockwise seen from outside
    Vec3 point, normal;
    double depth = 0;
    std::uint32_t group = 0;  ///< the first of those that share triangles, directly or through others
    // The engine's own.
    double target = 0;   ///< normal velocity wanted
    double pressed = 0;  ///< sum of its normal impulses
    Vec3 rubbed;         ///< sum of its friction impulses
};

/// Those that share triangles, kept at the index of the first.
struct MeetGroup {
    Vec3 area;        ///< that the segments go round, doubled
    double size = 0;  ///< sum of their shares' lengths
    Vec3 points;      ///< sum
    int count = 0;
    bool joined = false;  ///< all have the normal of `area`
    // The engine's own.
    Vec3 arm;  ///< to the middle of the points
    double target = 0;
    double pressed = 0;  ///< each contact's share of the group's impulse
};

/// Contact points and normals, as physics engines derive them, of two closed surfaces that look outwards.
struct Meets {
    std::vector<Meet> all;          ///< one per contact
    std::vector<MeetGroup> groups;  ///< as many; unused where no group begins

    /// `contacts` sorted.
    void find(const Model& a, const Model& b, const Affine& a_from_b, std::span<const Contact> contacts);

private:
    void join_normals();
};

}  // namespace graze::scenes
