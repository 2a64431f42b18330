// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "graze/math.hpp"
#include "tree/tree_settings.hpp"

namespace graze::detail {

/// The axes of an oriented box around triangles (OBBTree paper, section 4), as the rows of a matrix that is orthonormal
/// to rounding. The axis of widest variance comes first. The points are the triangles' corners, three each, scaled to a
/// magnitude of about 1. Points in a plane or on a line are fitted by their hull in it (section 7.1); coinciding points
/// may give any axes. A single triangle needs no statistics: its longest edge comes first, its normal last.
Mat3 fit_axes(std::span<const Vec3> points, Fit fit);

/// The unit eigenvectors of a covariance matrix (xx, xy, xz, yy, yz, zz; of any scale) as rows, the widest variance
/// first.
Mat3 principal_axes(const std::array<double, 6>& covariance);

/// The axes turned about the one of smallest extent so that the surface of the box shrinks. In the plane of the other
/// two, the best rectangle has a side along an edge of the hull. Returns the given axes when no turn shrinks the box.
Mat3 refine_axes(std::span<const Vec3> points, const Mat3& axes);

/// The extents of points along the rows of `axes`.
struct Extents {
    Vec3 low, high;
};
Extents extents(std::span<const Vec3> points, const Mat3& axes);

/// Rows that are orthonormal to rounding: the first of two unit vectors, the second made perpendicular to it, and their
/// cross product. A second vector that is near zero or along the first is replaced by another direction. No entry of
/// the rows' products differs from the identity's by more than 2^-50.
Mat3 orthonormal(const Vec3& first, const Vec3& second);

}  // namespace graze::detail
