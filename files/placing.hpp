// SPDX-License-Identifier: Apache-2.0
// The placements of a scene's nodes, and how they become those of parts.
#pragma once

#include "assembly.hpp"

namespace graze::files {

/// The placement of a node. It may flatten or be far out of range, which an `Affine` may not.
struct Place {
    Mat3 linear;
    Vec3 translation;
    /// How far rounding in the file may have moved a point: `off` for the translation, and `off_per_length` for each
    /// unit of the point's distance from the origin.
    double off = 0, off_per_length = 0;

    Place operator*(const Place& inner) const;
    bool finite() const;
};

/// Sets the placements of all parts and multiplies all lengths by `factor`. There is one place per part. A scale that
/// all places of a mesh share goes into its points, so that placements are rigid where they can be. A place that is no
/// `Affine` goes into a copy of the points, which a note says. `path` is the file's.
void place_parts(Assembly& assembly, std::span<const Place> places, double factor, const std::string& path);

}  // namespace graze::files
