// SPDX-License-Identifier: Apache-2.0
// Looks into a model's tree, for pictures and reports. graze/graze.hpp does not include this header.
#pragma once

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

}  // namespace graze
