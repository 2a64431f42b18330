// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "geometry.hpp"
#include "obb.hpp"

namespace graze::detail {

/// The papers' structure: a binary tree of bounding volumes, one triangle a leaf.
template <class Bv>
struct BvTree {
    struct Node {
        Bv volume;
        std::uint32_t child = 0;     ///< the first of two adjacent children; 0: a leaf
        std::uint32_t triangle = 0;  ///< of a leaf: the caller's index
    };
    using Volume = Bv;

    Array<Node> nodes;  ///< the root first, children after their parents
    Frame frame;        ///< of the volumes
    std::uint32_t depth = 0;

    bool empty() const { return nodes.empty(); }
    std::uint32_t root() const { return 0; }
    bool leaf(std::uint32_t n) const { return nodes[n].child == 0; }
    const Bv& volume(std::uint32_t n) const { return nodes[n].volume; }
    std::array<std::uint32_t, 2> children(std::uint32_t n) const { return {nodes[n].child, nodes[n].child + 1}; }
    std::span<const std::uint32_t> triangles(std::uint32_t n) const { return {&nodes[n].triangle, 1}; }
    std::size_t bytes() const { return nodes.bytes(); }
};
static_assert(sizeof(BvTree<Obb>::Node) == 128);

/// Top down as in the OBBTree paper, section 4: each group is cut across its volume's first axis, at
/// the mean of the vertices or into equal halves, triangles going by their centres; if that leaves
/// one side empty, across the second, then the third. A group that no axis can cut (all centres in
/// one place) is halved by count, where the paper stops: leaves always hold one triangle.
template <class Bv>
BvTree<Bv> build_bv_tree(const Geometry& geometry, const BuildSettings& settings);

/// Empty when sound; otherwise the first thing that is wrong. Every volume must hold the corners of
/// all triangles below it, every triangle must be in one leaf, every node have one parent before it.
template <class Bv>
std::string validate(const BvTree<Bv>& tree, const Geometry& geometry);

extern template BvTree<Obb> build_bv_tree(const Geometry&, const BuildSettings&);
extern template std::string validate(const BvTree<Obb>&, const Geometry&);

}  // namespace graze::detail
