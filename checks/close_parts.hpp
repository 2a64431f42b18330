// SPDX-License-Identifier: Apache-2.0
// Parts that do not meet and are closer than they may be.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "checks/bounds.hpp"
#include "checks/clash.hpp"

namespace graze::checks {

/// Two parts by their numbers.
using PartPair = std::array<std::uint32_t, 2>;

/// Calls `f` for each pair of parts whose boxes are no further apart than `reach` along each axis, the lower part
/// first. Boxes count as larger by 1e-9 of their size.
template <class F>
void for_each_near(const std::vector<Bounds>& boxes, double reach, F&& f) {
    std::vector<std::uint32_t> order(boxes.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto low = [&](std::uint32_t i) { return boxes[i].lo.x; };
    std::sort(order.begin(), order.end(), [&](auto i, auto j) { return low(i) < low(j); });
    for (auto at = order.begin(); at != order.end(); ++at) {
        Bounds box = boxes[*at];
        const Vec3 slack = (box.hi - box.lo) * 1e-9 + Vec3{reach, reach, reach};
        box.lo = box.lo - slack;
        box.hi = box.hi + slack;
        const auto overlaps = [&](const Bounds& b) {
            for (int d = 0; d < 3; ++d)
                if (!(b.hi[d] >= box.lo[d] && b.lo[d] <= box.hi[d])) return false;
            return true;
        };
        for (auto other = at + 1; other != order.end() && low(*other) <= box.hi.x; ++other)
            if (overlaps(boxes[*other])) f(std::min(*at, *other), std::max(*at, *other));
    }
}

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
