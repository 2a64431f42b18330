// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace graze::detail {

inline constexpr unsigned node_children = 8;   ///< most children of a node of a wide tree
inline constexpr unsigned leaf_triangles = 8;  ///< most triangles of a leaf of a wide tree

/// Number of lanes in the kernels' arrays: the children of a node, or the triangles of a leaf, side by side.
inline constexpr unsigned wide = node_children;
static_assert(wide == leaf_triangles);
/// A bit for each lane.
inline constexpr unsigned every_lane = (1u << wide) - 1;

}  // namespace graze::detail
