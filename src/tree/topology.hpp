// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace graze::detail {

/// An axis-aligned box in float32. It has four lanes so that it loads as one vector.
struct Box4 {
    float lo[4], hi[4];
};

/// A node of the binary topology: where the surface-area heuristic cut, down to packets of at most eight triangles. Its
/// boxes only guide the grouping and decide nothing.
struct TopologyNode {
    float area = 0;                      ///< half the surface area of its axis-aligned box
    std::uint32_t child = 0;             ///< left child; the right one follows it. 0 for a packet
    std::uint32_t first = 0, count = 0;  ///< range of its triangles in `Topology::order`
};

struct Topology {
    std::vector<std::uint32_t> order;  ///< indices of triangles, packet after packet
    std::vector<TopologyNode> nodes;   ///< the root comes first; empty without triangles
    std::vector<std::size_t> runs;     ///< beginnings of runs of nodes whose children are in the same run
};

/// Makes the topology by the binned surface-area heuristic over the triangles' boxes, where a packet costs as a whole
/// (Wald 2007, with cost ⌈n/8⌉). Cuts below a few packets fall on multiples of eight. The top is cut between the cells
/// of a grid instead of between triangles (after Pantaleoni and Luebke 2010), so that triangles are moved once and then
/// handled within a cache.
///
/// `boxes` writes the boxes of a block of triangles, [first, last) with first a multiple of `box_block`. It is called
/// twice for each block, which is cheaper than keeping the boxes. `all` is a box around all of them. `room` is working
/// memory: `topology_room` bytes per triangle, aligned as a vector.
inline constexpr std::size_t box_block = 512;
using BoxSource = std::function<void(std::size_t first, std::size_t last, Box4* out)>;
inline constexpr std::size_t topology_room = sizeof(Box4);
Topology make_topology(std::size_t triangles, const BoxSource& boxes, const Box4& all, std::span<std::byte> room,
                       unsigned threads);

}  // namespace graze::detail
