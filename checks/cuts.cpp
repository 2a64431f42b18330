// SPDX-License-Identifier: Apache-2.0
#include "checks/cuts.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace graze::checks {

namespace {

using Points = std::span<WeightedPoint>;

/// A plane that leaves about a share of the weight below it.
struct Plane {
    int axis = 0;
    double at = 0;
    std::size_t below = 0;  ///< number of points below it; neither 0 nor all
};

/// Sorts the points along the longest side of their box. Nothing when they are all in one place.
std::optional<Plane> plane_of(Points points, double share) {
    Bounds box;
    double all = 0;
    for (const WeightedPoint& p : points) {
        box.add(p.at);
        all += p.weight;
    }
    if (box.empty()) return {};
    const Vec3 size = box.hi - box.lo;
    int axis = 0;
    for (int d = 1; d < 3; ++d)
        if (size[d] > size[axis]) axis = d;
    if (!(size[axis] > 0)) return {};
    std::sort(points.begin(), points.end(),
              [&](const WeightedPoint& p, const WeightedPoint& q) { return p.at[axis] < q.at[axis]; });
    std::optional<Plane> best;
    double below = 0, off = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        below += points[i].weight;
        if (points[i].at[axis] == points[i + 1].at[axis]) continue;
        const double miss = below > share * all ? below - share * all : share * all - below;
        if (best && miss >= off) continue;
        best = {axis, points[i + 1].at[axis], i + 1};
        off = miss;
    }
    return best;
}

class Cutting {
public:
    std::vector<Cut> cuts;
    std::int32_t cells = 0;

    /// The number of the cut, or ~cell.
    std::int32_t cut(Points points, std::size_t count) {
        const double share = static_cast<double>(count / 2) / static_cast<double>(count);
        const std::optional<Plane> plane = count > 1 ? plane_of(points, share) : std::nullopt;
        if (!plane) return ~cells++;
        const auto number = static_cast<std::int32_t>(cuts.size());
        cuts.push_back({plane->axis, plane->at});
        const std::int32_t below = cut(points.first(plane->below), count / 2);
        const std::int32_t above = cut(points.subspan(plane->below), count - count / 2);
        cuts[static_cast<std::size_t>(number)].below = below;
        cuts[static_cast<std::size_t>(number)].above = above;
        return number;
    }
};

}  // namespace

Cells::Cells(std::vector<WeightedPoint> points, std::size_t count) {
    Cutting cutting;
    cutting.cut(points, count);
    cuts_ = std::move(cutting.cuts);
}

bool Cells::valid() const {
    std::vector<bool> cells(size()), cuts(cuts_.size());
    for (std::size_t i = 0; i < cuts_.size(); ++i)
        for (const std::int32_t child : {cuts_[i].below, cuts_[i].above}) {
            std::vector<bool>& seen = child < 0 ? cells : cuts;
            const auto number = static_cast<std::size_t>(child < 0 ? ~child : child);
            if (number >= seen.size() || seen[number] || (child >= 0 && number <= i)) return false;
            if (cuts_[i].axis < 0 || cuts_[i].axis > 2) return false;
            seen[number] = true;
        }
    return true;
}

std::uint32_t Cells::cell_of(const Vec3& point) const {
    if (cuts_.empty()) return 0;
    std::int32_t at = 0;
    while (at >= 0) {
        const Cut& cut = cuts_[static_cast<std::size_t>(at)];
        at = point[cut.axis] < cut.at ? cut.below : cut.above;
    }
    return static_cast<std::uint32_t>(~at);
}

std::vector<Bounds> Cells::boxes() const {
    Bounds all;
    std::swap(all.lo, all.hi);  // all of space
    std::vector<Bounds> cells(size(), all), cuts(cuts_.size(), all);
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
        const auto child = [&](std::int32_t number) -> Bounds& {
            return number < 0 ? cells[~static_cast<std::size_t>(number)] : cuts[static_cast<std::size_t>(number)];
        };
        const Cut& cut = cuts_[i];
        child(cut.below) = child(cut.above) = cuts[i];
        child(cut.below).hi[cut.axis] = cut.at;
        child(cut.above).lo[cut.axis] = cut.at;
    }
    return cells;
}

}  // namespace graze::checks
