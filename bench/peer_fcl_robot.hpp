// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "graze/graze.hpp"

namespace graze::bench {

/// How FCL is asked for the pairs of a robot's links.
enum class FclAsks {
    Each,     ///< a query for each pair
    Boxes,    ///< a query for each pair whose boxes along the world's axes overlap
    Manager,  ///< its DynamicAABBTreeCollisionManager with a callback that knows the pairs, as MoveIt does
};

/// Links in FCL's trees of OBBRSS, double precision. Queries stop at the first contact and ask for none of its points.
class FclRobot {
public:
    FclRobot();
    ~FclRobot();

    void add_link(const SoupView& soup);
    void add_pair(std::uint32_t a, std::uint32_t b);
    /// Makes FCL's own transforms of the links' placements, configuration by configuration, ahead of queries.
    void keep(std::span<const Pose> world_from_links);
    /// Bits of the pairs that meet, in the order they came; with `first` of the first that is found.
    std::uint64_t ask(std::size_t configuration, FclAsks how, bool first);
    /// The same with the links here.
    std::uint64_t ask(std::span<const Pose> world_from_links, FclAsks how, bool first);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace graze::bench
