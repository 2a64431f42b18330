// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "graze/scene.hpp"

namespace graze::detail {

/// A box along the world's axes, rounded outwards; infinite where the world is too large for float.
struct WorldBox {
    float low[3], high[3];
};

struct SlotPair {
    std::uint32_t a, b;  ///< a < b
    friend auto operator<=>(const SlotPair&, const SlotPair&) = default;
};

/// Finds the pairs of boxes that overlap, touching included. Objects go by slot, small numbers (below 2^31) that are
/// used again: memory and some of the time go by the largest. Two standing boxes are no pair.
class BroadPhase {
public:
    virtual ~BroadPhase() = default;

    /// Adds an object or moves it; no bound is NaN, no low one above the high. Takes effect at the next `update`.
    virtual void set(std::uint32_t slot, const WorldBox& box, bool moving) = 0;
    /// Of an object that is there.
    virtual void remove(std::uint32_t slot) = 0;
    /// All pairs, in ascending order, each once, whatever the threads (0: the machine's). Valid until the next call.
    virtual const std::vector<SlotPair>& update(unsigned threads) = 0;
    virtual std::size_t bytes() const = 0;
};

std::unique_ptr<BroadPhase> make_broad_phase(Broad kind);

}  // namespace graze::detail
