// SPDX-License-Identifier: Apache-2.0
// Looks into a model's tree, for pictures and reports. graze/graze.hpp does not include this header.
#pragma once

#include <cstdint>
#include <vector>

#include "graze/model.hpp"

namespace graze {

/// A box of any orientation, in the model's frame.
struct OrientedBox {
    Vec3 centre;
    Mat3 axes;  ///< unit vectors, one per row
    Vec3 half;  ///< half of the lengths along the axes
};

/// The volumes of all nodes at one level of the tree as oriented boxes; the root is level 0. Leaves above that level
/// are included. In plain double arithmetic, for pictures. Empty for an empty model.
std::vector<OrientedBox> node_boxes(const Model& model, unsigned level);

/// Number of levels of the tree: 0 when it is empty, 1 when its root is a leaf.
unsigned tree_depth(const Model& model);

/// The volumes of the tree that was built; never `Volume::Auto`.
Volume tree_volume(const Model& model);

/// True for a tree of eight children per node, which `Model::build` makes for boxes. False for a binary tree.
bool has_wide_tree(const Model& model);

/// How closely one node's volume fits (OBBTree paper, section 6), in the model's lengths.
struct NodeTightness {
    std::uint32_t triangles = 0;  ///< number of triangles below the node
    double diameter = 0;          ///< d: greatest distance between two points of these triangles
    double tightness = 0;         ///< τ: greatest distance of a point of the volume from these triangles
    double off_surface = 0;       ///< greatest distance of a point of the volume from all triangles of the model

    /// The paper's ρ = τ/d; 0 where all points coincide.
    double aspect_ratio() const { return diameter > 0 ? tightness / diameter : 0; }
};

/// The tightness of each node and leaf at one level of the model's tree; the root is level 0. τ and `off_surface` are
/// distances of points that were found. They fall short of the greatest by at most `accuracy` times d, or by 2^-40 of
/// the model's size.
///
/// The corners of a volume stick out past the rim of a patch of surface, over its neighbours. That makes up most of an
/// oriented box's τ, which then shrinks only as fast as d. `off_surface` leaves it out and shows what the paper
/// derives for curves: quadratic in d for oriented boxes, linear for aligned ones and spheres.
///
/// A node costs some milliseconds; large nodes and small accuracies cost more.
std::vector<NodeTightness> node_tightness(const Model& model, unsigned level, double accuracy = 0.01);

}  // namespace graze
