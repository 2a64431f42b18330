// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace graze::detail {

/// An axis-aligned box in float32, four lanes so that it loads as one vector.
struct Box4 {
    float lo[4], hi[4];
};

/// A node of the binary topology: where the surface-area heuristic cut, down to packets of at most
/// eight triangles. Only a guide for grouping: nothing is decided by its boxes.
struct TopologyNode {
    float area = 0;                      ///< half the surface area of its axis-aligned box
    std::uint32_t child = 0;             ///< left child; the right one follows it. 0: a packet
    std::uint32_t first = 0, count = 0;  ///< its triangles, in `Topology::order`
};

struct Topology {
    std::vector<std::uint32_t> order;  ///< triangles, packet after packet
    std::vector<TopologyNode> nodes;   ///< root first; empty without triangles
};

/// Binned surface-area heuristic over the triangles' boxes, a packet costing as a whole
/// (Wald 2007, with cost ⌈n/8⌉); cuts below a few packets fall on multiples of eight. The top is cut
/// between the cells of a grid instead of between triangles (after Pantaleoni and Luebke 2010), so that
/// triangles are moved once and then within a cache. `all` is the box around the boxes.
Topology make_topology(std::span<const Box4> boxes, const Box4& all, unsigned threads);

/// Which nodes are shown as the up to eight children of another: the choice that makes the summed
/// area of all opened nodes least.
struct Collapse {
    explicit Collapse(const Topology& topology);
    /// Fills `out` with the children of a node that is no packet, and returns how many there are.
    unsigned children(std::uint32_t node, std::uint32_t out[8]) const;

private:
    const Topology& t_;
    std::vector<std::uint8_t> split_;  ///< 7 entries a node: slots given to the left child when it has k + 2
};

}  // namespace graze::detail
