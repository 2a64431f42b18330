// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "soup/geometry.hpp"
#include "graze/model.hpp"

namespace graze::detail {

inline constexpr unsigned wide = 8;           ///< children a node, triangles a leaf
inline constexpr float axis_unit = 32767.0f;  ///< an axis component of 1, as stored

/// A float no smaller than x.
inline float round_up(double x) {
    const auto f = static_cast<float>(x);
    return f < x ? std::nextafter(f, std::numeric_limits<float>::infinity()) : f;
}

/// The box of one node or leaf as its partner in a test sees it, in the caller's coordinates.
///
/// With axes a_i = axes[i] / axis_unit, every point p below obeys both
///   |a_i · (p − centre)| ≤ half_i · unit                       (three slabs), and
///   p − centre = Σ s_i a_i with |s_i| ≤ half_i · unit           (a zonotope),
/// where unit is the tree's. The axes are orthonormal only to about 1/axis_unit: the extents hold
/// the difference, so that tests may treat the axes as exact numbers.
struct alignas(64) WideBox {
    double centre[3];
    float half[3];
    float size;            ///< of a node: its summed extents, the larger partner is opened; of a leaf: −1
    std::int16_t axes[9];  ///< by axes
    std::uint16_t count;   ///< children of a node, triangles of a leaf
    std::uint32_t spare;   ///< zero
};
static_assert(sizeof(WideBox) == 64);

/// Eight children, structure of arrays. Lanes past the count have negative extents.
struct alignas(64) WideNode {
    float centre[3][wide];    ///< child's centre − the node's, in units
    float half[3][wide];      ///< child's extents (and the rounding of `centre`) / axis_unit
    std::uint32_t ref[wide];  ///< as `WideTree::boxes` counts
    std::int16_t axes[9][wide];
    float reach;  ///< bounds |centre|₁ + |half|₁ of every child
    std::uint32_t spare[3];

    WideNode() {}
};
static_assert(sizeof(WideNode) == 384);

/// Up to eight triangles. Lanes past the count repeat the first triangle.
struct alignas(64) WideLeaf {
    float v[9][wide];        ///< corner k's coordinate j − the box's centre, in units: v[3k + j]
    std::uint32_t id[wide];  ///< the caller's triangle

    WideLeaf() {}  // not cleared: vectors of leaves grow before these are made
};
static_assert(sizeof(WideLeaf) == 320);

/// The engine of queries: a tree of eight oriented boxes a node, in float32 about each node's own
/// centre. Units are a power of two near the model's size, so that every scale computes alike.
struct WideTree {
    Array<WideNode> nodes;  ///< children after parents
    Array<WideLeaf> leaves;
    Array<WideBox> boxes;  ///< of the nodes, then of the leaves; the first is the root's
    double unit = 1;       ///< a power of two
    double bound = 0;      ///< at least the largest |coordinate| of the model
    double area = 0;       ///< of all boxes, see `area` in wide_fit.hpp; 0: not summed yet
    bool aligned = false;  ///< all axes are the model's own

    bool empty() const { return leaves.empty(); }
    /// References from here on name leaves.
    std::uint32_t first_leaf() const { return static_cast<std::uint32_t>(nodes.size()); }
    std::size_t bytes() const { return nodes.bytes() + leaves.bytes() + boxes.bytes(); }
};

/// `Volume::Auto` is decided by the area of aligned leaves over that of oriented ones, kept in `aligned_ratio`.
WideTree build_wide_tree(const Geometry& geometry, const BuildSettings& settings, double& aligned_ratio);
unsigned depth(const WideTree& tree);
/// Empty when sound; otherwise the first thing that is wrong.
std::string validate(const WideTree& tree, const Geometry& geometry);

}  // namespace graze::detail
