// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tree/fan_out.hpp"
#include "tree/topology.hpp"

namespace graze::detail {

/// Chooses the nodes that are shown as the up to eight children of another, such that the summed area of all opened
/// nodes is least.
struct Collapse {
    Collapse(const Topology& topology, unsigned threads);
    /// Fills `out` with the children of a node that is not a packet. Returns their number.
    unsigned children(std::uint32_t node, std::uint32_t out[node_children]) const;

private:
    const Topology& t_;
    std::vector<std::uint8_t>
        split_;  ///< `node_children` - 1 entries per node: slots for the left child when there are k + 2
};

}  // namespace graze::detail
