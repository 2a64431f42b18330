// SPDX-License-Identifier: Apache-2.0
// Parts that do not meet and are closer than they may be.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "checks/bounds.hpp"
#include "checks/clash.hpp"

namespace graze::checks {

/// Two parts by their numbers.
using PartPair = std::array<std::uint32_t, 2>;

/// The pairs of parts whose boxes are no further apart than `reach`, the lower part first, in ascending order. Boxes
/// count as larger by 1e-9 of their size on each side.
std::vector<PartPair> near_pairs(std::span<const Bounds> boxes, double reach, unsigned threads);

/// How far the coordinates of boxes and placements may be off by rounding, and more: 1e-12 of a power of two above the
/// largest.
double rounding_of(const std::vector<Bounds>& boxes);

/// How far apart boxes may be along an axis when the distance of what they hold is at most `clearance`.
inline double reach_of(double clearance, double rounding) { return clearance * (1 + 1e-12) + rounding; }

/// Finds the pairs that are no further apart than they must be. Those that meet are the caller's concern.
class CloseParts {
public:
    CloseParts(const Parts& parts, Clearances clearances, unsigned threads)
        : parts_(parts), clearances_(std::move(clearances)), threads_(threads) {}

    /// Pairs that may be too close, by the boxes of the parts in the world, which are off by `rounding` at most. The
    /// lower part comes first, and the pairs are in ascending order.
    std::vector<PartPair> candidates(const std::vector<Bounds>& boxes, double rounding) const;
    /// Makes the models of parts whose own frame has other lengths than the world. To be called before `measure`.
    Result<void> prepare(const std::vector<PartPair>& pairs);
    /// The clash of a pair that is too close. Threads may call it at the same time.
    std::optional<Clash> measure(const PartPair& pair, Scratch& scratch) const;

private:
    const Model& model(std::uint32_t part) const { return parts_.models[parts_.parts[part].model]; }
    const Affine& placement(std::uint32_t part) const { return parts_.parts[part].world_from_model; }

    const Parts& parts_;
    Clearances clearances_;
    unsigned threads_;
    std::map<std::uint32_t, Model> in_world_;  ///< models of parts whose placement is not rigid, placed
};

}  // namespace graze::checks
