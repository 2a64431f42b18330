// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tree/topology.hpp"

namespace graze::detail {

/// Which nodes are shown as the up to eight children of another: the choice that makes the summed
/// area of all opened nodes least.
struct Collapse {
    Collapse(const Topology& topology, unsigned threads);
    /// Fills `out` with the children of a node that is no packet, and returns how many there are.
    unsigned children(std::uint32_t node, std::uint32_t out[8]) const;

private:
    const Topology& t_;
    std::vector<std::uint8_t> split_;  ///< 7 entries a node: slots given to the left child when it has k + 2
};

}  // namespace graze::detail
