// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tree/fan_out.hpp"
#include "tree/topology.hpp"

namespace graze::detail {

inline constexpr unsigned packet = leaf_triangles;
inline constexpr std::uint32_t sweep_below = 128;  ///< groups of up to so many triangles are sorted, not binned

/// Grows nodes[at], a group of more than a packet and up to `sweep_below` triangles, and lists their indices in the
/// order of its packets. lo[3] of an item holds the triangle's index, as an integer.
///
/// The group is sorted once along each axis. Every cut between packets is weighed, and the three orders are kept
/// through the cuts.
void sweep(const Box4* items, std::vector<TopologyNode>& nodes, std::uint32_t at, std::uint32_t* order);

}  // namespace graze::detail
