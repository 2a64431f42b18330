// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "graze/math.hpp"
#include "graze/model.hpp"

namespace graze::detail {

/// The axes of an oriented box around triangles (OBBTree paper, section 4), as the rows of a matrix
/// that is orthonormal to rounding; the widest variance comes first. The points are the triangles'
/// corners, three each, and have been scaled to magnitude 1 or so. Points in a plane or a line are
/// fitted by their hull in it (section 7.1); a single place may give any axes. A single triangle needs
/// no statistics: its longest edge comes first, its normal last.
Mat3 fit_axes(std::span<const Vec3> points, Fit fit);

/// Rows: unit eigenvectors of a covariance matrix (xx, xy, xz, yy, yz, zz; of any scale), the widest
/// variance first.
Mat3 principal_axes(const std::array<double, 6>& covariance);

/// The axes turned about the one of smallest extent, so that the box's surface shrinks: in the
/// plane of the others the best rectangle has a side along an edge of the hull. The same axes
/// when no turn shrinks it.
Mat3 refine_axes(std::span<const Vec3> points, const Mat3& axes);

/// The extents of points along the rows of `axes`.
struct Extents {
    Vec3 low, high;
};
Extents extents(std::span<const Vec3> points, const Mat3& axes);

/// Rows that are orthonormal to rounding: the first of two unit vectors, the second made square to
/// it, and their cross product. A vector that is near zero or along the first gives way to any
/// other direction. No entry of the rows' products is off the identity's by more than 2^-50.
Mat3 orthonormal(const Vec3& first, const Vec3& second);

}  // namespace graze::detail
