// SPDX-License-Identifier: Apache-2.0
#include "clearance_maps.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace graze::report {

ClearanceMaps::ClearanceMaps(const Document& document)
    : d_(document), reach_(document.clearance), first_(document.parts.size()) {
    for (const Part& part : d_.parts)
        for (const double x : part.clearances) {
            if (!std::isfinite(x)) continue;
            any_ = true;
            if (d_.clearance == 0) reach_ = std::max(reach_, x);
        }
}

void ClearanceMaps::add(std::uint32_t part, const Shape& shape) {
    const Part& p = d_.parts[part];
    if (!any_ || p.clearances.empty()) return;
    const Model& model = d_.meshes[p.mesh];
    assert(p.clearances.size() == model.triangle_count());
    first_[part] = steps_.size();
    for (const double x : carried(model, shape, p.clearances)) {
        std::uint32_t step = 65'535;
        if (x <= 0)
            step = 0;
        else if (x <= reach_)
            step = 1 + static_cast<std::uint32_t>(std::lround(x / reach_ * 65'533));
        steps_.push_back(step);
    }
}

std::vector<double> carried(const Model& model, const Shape& shape, std::span<const double> values) {
    if (shape.merged_into.empty()) return {values.begin(), values.end()};
    using Corners = std::array<std::uint32_t, 3>;
    constexpr double none = std::numeric_limits<double>::infinity();
    std::vector<double> vanished(shape.points.size() / 3, none);  // the least value that vanished at each point
    std::vector<double> out;
    out.reserve(shape.triangle_count());
    std::vector<std::pair<Corners, std::size_t>> drawn;  // sorted corners of a triangle, and its index in `out`
    drawn.reserve(shape.triangle_count());
    const std::span<const Corners> triangles = model.triangles();
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        Corners at;
        for (int k = 0; k < 3; ++k) at[k] = shape.merged_into[triangles[i][k]];
        if (at[0] != at[1] && at[1] != at[2] && at[2] != at[0]) {
            std::ranges::sort(at);
            drawn.emplace_back(at, out.size());
            out.push_back(values[i]);
        } else {
            for (const std::uint32_t point : at) vanished[point] = std::fmin(vanished[point], values[i]);
        }
    }
    // Triangles with the same corners lie on each other, so they all get the least value of theirs.
    std::ranges::sort(drawn);
    for (std::size_t begin = 0, end = 0; begin < drawn.size(); begin = end) {
        const Corners& corners = drawn[begin].first;
        double least = none;
        for (const std::uint32_t point : corners) least = std::fmin(least, vanished[point]);
        for (; end < drawn.size() && drawn[end].first == corners; ++end)
            least = std::fmin(least, out[drawn[end].second]);
        for (std::size_t i = begin; i < end; ++i) out[drawn[i].second] = least;
    }
    return out;
}

}  // namespace graze::report
