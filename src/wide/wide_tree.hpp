// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "soup/geometry.hpp"
#include "tree/fan_out.hpp"
#include "tree/tree_settings.hpp"

namespace graze::detail {

inline constexpr float axis_unit = 32767.0f;  ///< stored value of an axis component of 1

/// A float no smaller than x.
inline float round_up(double x) {
    const auto f = static_cast<float>(x);
    return f < x ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

/// The box of one node or leaf as its partner in a test sees it, in the caller's coordinates.
///
/// With axes a_i = axes[i] / axis_unit, every point p below satisfies both
///   |a_i · (p − centre)| ≤ half_i · unit                       (three slabs), and
///   p − centre = Σ s_i a_i with |s_i| ≤ half_i · unit           (a zonotope),
/// where unit is the tree's. The axes are orthonormal only to about 1/axis_unit. The extents include the difference, so
/// tests may treat the axes as exact numbers.
struct alignas(64) WideBox {
    double centre[3];
    float half[3];
    float size;            ///< node: sum of the extents (the larger partner is opened); leaf: −1
    std::int16_t axes[9];  ///< three per axis
    std::uint16_t count;   ///< number of a node's children or a leaf's triangles
    std::uint32_t spare;   ///< always zero
};
static_assert(sizeof(WideBox) == 64);

/// Eight children as a structure of arrays. Lanes past the count have negative extents.
struct alignas(64) WideNode {
    float centre[3][node_children];    ///< child's centre minus the node's, in units
    float half[3][node_children];      ///< child's extents (and the rounding of `centre`) / axis_unit
    std::uint32_t ref[node_children];  ///< index into `WideTree::boxes`
    std::int16_t axes[9][node_children];
    float reach;  ///< bound of |centre|₁ + |half|₁ over all children
    std::uint32_t spare[3];

    WideNode() {}
};
static_assert(sizeof(WideNode) == 384);

/// Up to eight triangles. Lanes past the count repeat the first triangle.
struct alignas(64) WideLeaf {
    float v[9][leaf_triangles];        ///< coordinate j of corner k minus that of the box's centre, in units: v[3k + j]
    std::uint32_t id[leaf_triangles];  ///< index of the caller's triangle

    WideLeaf() {}  // not cleared: a vector of leaves grows before they are made
};
static_assert(sizeof(WideLeaf) == 320);

/// The tree that queries use by default: eight boxes per node, in float32 relative to each node's centre. Lengths are
/// in units of a power of two near the model's size, so that models of every scale are computed alike.
struct WideTree {
    Array<WideNode> nodes;  ///< children after parents
    Array<WideLeaf> leaves;
    Array<WideBox> boxes;  ///< boxes of the nodes, then of the leaves; the root's comes first
    double unit = 1;       ///< a power of two
    double bound = 0;      ///< at least the largest |coordinate| of the model
    double area = 0;       ///< summed area of all boxes (`area` in wide_fit.hpp); 0: not summed yet
    bool aligned = false;  ///< true when all axes are the model's own

    bool empty() const { return leaves.empty(); }
    /// References from this number on are leaves.
    std::uint32_t first_leaf() const { return static_cast<std::uint32_t>(nodes.size()); }
    std::size_t bytes() const { return nodes.bytes() + leaves.bytes() + boxes.bytes(); }
};

/// Builds the tree. For `graze::Volume::Auto`, `aligned_ratio` receives the area of aligned leaves over that of
/// oriented ones, which decides the volume.
WideTree build_wide_tree(const Geometry& geometry, const TreeSettings& settings, double& aligned_ratio);
unsigned depth(const WideTree& tree);
/// Empty for a sound tree. Otherwise describes the first thing that is wrong.
std::string validate(const WideTree& tree, const Geometry& geometry);

}  // namespace graze::detail
