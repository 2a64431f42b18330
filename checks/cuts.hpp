// SPDX-License-Identifier: Apache-2.0
// Space cut into cells of about equal weight: a k-d tree whose leaves are the cells.
#pragma once

#include <cstdint>
#include <vector>

#include "checks/bounds.hpp"

namespace graze::checks {

/// A point, and what the work at it costs.
struct WeightedPoint {
    Vec3 at;
    double weight = 0;
};

/// A plane across an axis. What lies below it is the business of `below`, what lies on or above it that of `above`: the
/// number of another cut, or ~cell.
struct Cut {
    int axis = 0;
    double at = 0;
    std::int32_t below = ~0, above = ~0;
};

/// Cells are half open: a cell holds its lower sides and not its upper ones. The outer ones reach to infinity, so every
/// point is in exactly one cell.
class Cells {
public:
    /// One cell that is all of space.
    Cells() = default;
    /// The cells that these cuts make; the first cut is the root. `valid` says whether they make any.
    explicit Cells(std::vector<Cut> cuts) : cuts_(std::move(cuts)) {}
    /// At most `count` cells with about the same weight each. There are fewer when points cannot be parted.
    Cells(std::vector<WeightedPoint> points, std::size_t count);

    const std::vector<Cut>& cuts() const { return cuts_; }
    std::size_t size() const { return cuts_.size() + 1; }
    /// True when the cuts are a tree with every cell as a leaf.
    bool valid() const;

    std::uint32_t cell_of(const Vec3& point) const;
    /// The corners of all cells.
    std::vector<Bounds> boxes() const;

    /// Calls `f` with each cell that a box touches, which has its sides.
    template <class F>
    void for_each_touched(const Bounds& box, F&& f) const {
        if (box.empty()) return;
        if (cuts_.empty()) return f(0u);
        std::vector<std::int32_t> stack{0};
        while (!stack.empty()) {
            const std::int32_t top = stack.back();
            stack.pop_back();
            if (top < 0) {
                f(static_cast<std::uint32_t>(~top));
                continue;
            }
            const Cut& cut = cuts_[static_cast<std::size_t>(top)];
            if (box.lo[cut.axis] < cut.at) stack.push_back(cut.below);
            if (box.hi[cut.axis] >= cut.at) stack.push_back(cut.above);
        }
    }

private:
    std::vector<Cut> cuts_;
};

}  // namespace graze::checks
