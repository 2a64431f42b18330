// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "graze/scene.hpp"

namespace graze::detail {

/// A box along the world's axes, rounded outwards. A bound is infinite where the coordinate is too large for float.
struct WorldBox {
    float low[3], high[3];
};

struct SlotPair {
    std::uint32_t a, b;  ///< a < b
    friend auto operator<=>(const SlotPair&, const SlotPair&) = default;
};

/// Finds the pairs of boxes that overlap; boxes that touch do. Two boxes that do not move are never a pair. Objects are
/// named by slots, numbers below 2^31. Callers should use free slots again, as memory and some of the time are
/// proportional to the largest slot.
class BroadPhase {
public:
    virtual ~BroadPhase() = default;

    /// Adds an object or changes its box. No bound may be NaN, and no low bound above the high one. Takes effect at the
    /// next `update`.
    virtual void set(std::uint32_t slot, const WorldBox& box, bool moving) = 0;
    /// Removes an object, which must be there.
    virtual void remove(std::uint32_t slot) = 0;
    /// Returns all pairs, in ascending order, each once. The number of threads (0: as many as the machine has) does not
    /// change the result, which is valid until the next call.
    virtual const std::vector<SlotPair>& update(unsigned threads) = 0;
    virtual std::size_t bytes() const = 0;
};

std::unique_ptr<BroadPhase> make_broad_phase(BroadPhaseKind kind);

}  // namespace graze::detail
