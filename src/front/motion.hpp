// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "graze/math.hpp"

namespace graze::detail {

/// No smaller than the matrix's largest singular value, and at most 1.15 times it; infinite if squares overflow.
double spectral_bound(const Mat3& m);

/// How far a point of the ball can have gone between two placements, at most, both as queries map and round it: the
/// temporal coherence paper's |Δt| + Δα·b (equation 9), with the chord of the angle instead of the arc and for any
/// matrices. Infinite where it overflows. What is certainly more than `enough` may come out as any number above that.
double motion_bound(const Affine& from, const Affine& to, const Vec3& centre, double radius,
                    double enough = std::numeric_limits<double>::infinity());

}  // namespace graze::detail
