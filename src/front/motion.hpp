// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "graze/math.hpp"
#include "model/model_data.hpp"

namespace graze::detail {

/// The root of a tree: its middle, the radius of a ball around it, and its longest edge, in the model's lengths.
struct RootBall {
    Vec3 centre;
    double radius = 0, edge = 0;

    explicit RootBall(const ModelData& model);
};

/// An upper bound of the matrix's largest singular value, at most 1.15 times it. Infinite if squares overflow.
double spectral_bound(const Mat3& m);

/// An upper bound of how far a point of the ball can have moved between two placements, both mapped and rounded as
/// queries do: the temporal coherence paper's |Δt| + Δα·b (equation 9), with the chord of the angle instead of the arc,
/// and for any matrices. Infinite on overflow. If the motion certainly exceeds `enough`, the result may be any number
/// above that.
double motion_bound(const Affine& from, const Affine& to, const Vec3& centre, double radius,
                    double enough = std::numeric_limits<double>::infinity());

}  // namespace graze::detail
