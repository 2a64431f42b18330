// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "graze/model.hpp"

namespace graze {

/// How closely a node's volume fits (OBBTree paper, section 6). Lengths are the model's own.
struct NodeTightness {
    std::uint32_t triangles = 0;  ///< below the node
    double diameter = 0;          ///< d: greatest distance of two points of these triangles
    double tightness = 0;         ///< τ: greatest distance of a point of the volume from these triangles
    double off_surface = 0;       ///< the same from all triangles of the model

    /// The paper's ρ = τ/d; 0 where all is one point.
    double aspect_ratio() const { return diameter > 0 ? tightness / diameter : 0; }
};

/// Of all nodes and leaves at one level of the model's tree, 0 being the root. τ and `off_surface` are distances of
/// points that were found, and fall short of the greatest by at most `accuracy` times d, or 2^-40 of the model's size.
///
/// Why two: a volume's corners stick out past the rim of a patch of surface, over its neighbours. That makes up
/// most of an oriented box's τ, which then shrinks only as fast as d; `off_surface` leaves it out and shows what the
/// paper derives for curves: quadratic in d for oriented boxes, linear for aligned ones and spheres.
///
/// Costs some milliseconds a node, more for large nodes and small accuracies: for studies, not for queries.
std::vector<NodeTightness> tightness(const Model& model, unsigned level, double accuracy = 0.01);

}  // namespace graze
