// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "soup/geometry.hpp"
#include "tree/volume.hpp"

namespace graze::detail {

/// The papers' structure: a binary tree of bounding volumes with one triangle per leaf.
template <class Bv>
struct BvTree {
    static_assert(BoundingVolume<Bv>);

    struct Node {
        Bv volume;
        std::uint32_t child = 0;     ///< the first of two adjacent children; 0 for a leaf
        std::uint32_t triangle = 0;  ///< the caller's index of a leaf's triangle
    };
    using Volume = Bv;

    Array<Node> nodes;  ///< the root comes first, children after their parents
    Frame frame;        ///< frame of the volumes
    std::uint32_t depth = 0;

    /// Builds top down as in the OBBTree paper, section 4: each group of triangles is cut in two along its volume's
    /// axes as `settings.split` says. Mean and median use the triangles' centres, and try the second and third axis
    /// where the first leaves one side empty. A group that no axis can cut (all centres in one place) is halved by
    /// count, where the paper stops, so leaves always hold one triangle. The tree does not depend on the number of
    /// threads.
    static BvTree build(const Geometry& geometry, const TreeSettings& settings);

    /// Empty for a sound tree. Otherwise describes the first thing that is wrong. Every volume must hold the corners of
    /// all triangles below it, every triangle must be in one leaf, and every node must have one parent before it.
    std::string validate(const Geometry& geometry) const;

    /// Fits the volumes to the geometry's points, children before parents: those of all nodes, in a new frame; or those
    /// of the nodes named, in descending order, whose points must be within the frame.
    void refit(const Geometry& geometry, const TreeSettings& settings);
    void refit(const Geometry& geometry, const TreeSettings& settings, std::span<const std::uint32_t> nodes);
    bool reaches(const Vec3& point) const;

    /// The summed area of all volumes over the root's. For a `loose` kind the divisor is the area of the leaves'
    /// extent.
    double cost() const;

    bool empty() const { return nodes.empty(); }
    std::uint32_t root() const { return 0; }
    bool leaf(std::uint32_t n) const { return nodes[n].child == 0; }
    const Bv& volume(std::uint32_t n) const { return nodes[n].volume; }
    std::array<std::uint32_t, 2> children(std::uint32_t n) const { return {nodes[n].child, nodes[n].child + 1}; }
    std::span<const std::uint32_t> triangles(std::uint32_t n) const { return {&nodes[n].triangle, 1}; }
    std::size_t bytes() const { return nodes.bytes(); }

private:
    void refit_node(std::span<Node> all, std::size_t i, const Geometry& geometry, const TreeSettings& settings) const;
};

}  // namespace graze::detail
