// SPDX-License-Identifier: Apache-2.0
#include "model/refit.hpp"

#include <algorithm>
#include <cmath>

#include "model/build.hpp"
#include "wide/wide_refit.hpp"

namespace graze::detail {

namespace {

/// From this decay on, a new tree is worth its time. For a twisted torus of 20,000 triangles, a first contact then
/// takes 2.3 times as long as with a new tree, oriented or aligned. Some 500 to 3,000 queries pay for the new tree.
constexpr double worn_out = 1.6;

/// A partial refit looks up what is above its points. If more than one in this many points moves, refitting everything
/// is faster.
constexpr std::size_t part_of = 16;

/// Copies the points and returns the greatest distance that one of them moved.
double move_points(const PointView& to, std::span<Vec3> points) {
    constexpr std::size_t block = 64;
    double longest = 0;
    for (std::size_t first = 0; first < points.size(); first += block) {
        const std::size_t last = std::min(points.size(), first + block);
        double square = 0;
        for (std::size_t i = first; i < last; ++i) {
            const Vec3 d = to[i] - points[i];
            const double s = dot(d, d);
            square = s > square ? s : square;
        }
        if (square > 0x1p-900 && square < 0x1p900) {
            longest = std::max(longest, std::sqrt(square));
        } else {  // squares underflow or overflow
            for (std::size_t i = first; i < last; ++i)
                if (to[i] != points[i]) longest = std::max(longest, length(to[i] - points[i]));
        }
        for (std::size_t i = first; i < last; ++i) points[i] = to[i];
    }
    return longest;
}

/// Lists what is above the points, from the triangles of each leaf.
template <class Children, class Triangles>
Above make_above(const Geometry& g, std::size_t boxes, const Children& children, const Triangles& triangles) {
    Above above;
    above.parent.resize(boxes);
    above.first.resize(g.points.size() + 1);
    for (std::uint32_t i = 0; i < boxes; ++i) {
        for (const std::uint32_t c : children(i)) above.parent[c] = i;
        for (const std::uint32_t t : triangles(i))
            for (const std::uint32_t p : g.triangles[t]) ++above.first[p + 1];
    }
    for (std::size_t i = 1; i < above.first.size(); ++i) above.first[i] += above.first[i - 1];
    above.leaves.resize(above.first.back());
    std::vector<std::uint32_t> at(above.first.begin(), above.first.end() - 1);
    for (std::uint32_t i = 0; i < boxes; ++i)
        for (const std::uint32_t t : triangles(i))
            for (const std::uint32_t p : g.triangles[t]) above.leaves[at[p]++] = i;
    return above;
}

Above above_of(const ModelData& m) {
    if (m.is_wide()) {
        const WideTree& w = m.wide;
        const std::size_t nodes = w.nodes.size();
        return make_above(
            m.geometry, w.boxes.size(),
            [&](std::uint32_t i) {
                return i < nodes ? std::span(w.nodes[i].ref, w.boxes[i].count) : std::span<const std::uint32_t>();
            },
            [&](std::uint32_t i) {
                return i < nodes ? std::span<const std::uint32_t>()
                                 : std::span(w.leaves[i - nodes].id, w.boxes[i].count);
            });
    }
    return std::visit(
        [&](const auto& tree) {
            return make_above(
                m.geometry, tree.nodes.size(),
                [&](std::uint32_t i) {
                    const auto c = tree.children(i);
                    std::vector<std::uint32_t> out;
                    if (!tree.leaf(i)) out.assign(c.begin(), c.end());
                    return out;
                },
                [&](std::uint32_t i) { return tree.leaf(i) ? tree.triangles(i) : std::span<const std::uint32_t>(); });
        },
        m.binary);
}

/// The leaves of the points and all boxes above them, each once, in descending order.
std::vector<std::uint32_t> boxes_above(const Above& above, std::size_t first, std::size_t last) {
    std::vector<std::uint32_t> boxes(above.leaves.begin() + above.first[first],
                                     above.leaves.begin() + above.first[last]);
    const auto tidy = [](std::vector<std::uint32_t>& v) {
        std::sort(v.begin(), v.end());
        v.erase(std::unique(v.begin(), v.end()), v.end());
    };
    tidy(boxes);
    std::vector<std::uint32_t> level = boxes;
    while (!level.empty() && !(level.size() == 1 && level[0] == 0)) {
        for (std::uint32_t& i : level) i = above.parent[i];
        tidy(level);
        boxes.insert(boxes.end(), level.begin(), level.end());
    }
    tidy(boxes);
    std::reverse(boxes.begin(), boxes.end());
    return boxes;
}

}  // namespace

Result<void> check_refit(const Geometry& g, const PointView& points, std::uint32_t first) {
    const auto at = [&](std::size_t i) { return "refit: point " + std::to_string(first + i); };
    if (points.coordinate_count() % 3 != 0) return Fault{FaultKind::BadIndex, at(points.size()) + " is incomplete"};
    if (first > g.points.size() || points.size() > g.points.size() - first)
        return Fault{FaultKind::BadIndex, "refit: points " + std::to_string(first) + " to " +
                                              std::to_string(first + points.size()) + " of a model that has " +
                                              std::to_string(g.points.size())};
    bool sound = true;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 p = points[i];
        for (int k = 0; k < 3; ++k) sound &= std::abs(p[k]) <= max_coordinate;
    }
    if (!sound) return bad_point("refit", points, first);
    return {};
}

Refit refit(ModelData& m, const PointView& points, const RefitSettings& settings) {
    Refit done;
    const auto own = m.geometry.points.edit();
    done.moved = move_points(points, own.subspan(settings.first, points.size()));
    m.lineage.moved(done.moved * (1 + 0x1p-50));
    bool part = points.size() <= own.size() / part_of;
    for (std::size_t i = 0; i < points.size() && part; ++i)  // otherwise the tree needs a new frame
        part = m.is_wide() ? reaches(m.wide, points[i])
                           : std::visit([&](const auto& tree) { return tree.reaches(points[i]); }, m.binary);
    if (settings.rebuild == Rebuild::Always) {
        grow_tree(m);
        done.rebuilt = true;
    } else if (part) {
        if (m.above.empty()) m.above = above_of(m);
        const auto boxes = boxes_above(m.above, settings.first, settings.first + points.size());
        if (m.is_wide())
            refit(m.wide, m.geometry, boxes);
        else
            std::visit([&](auto& tree) { tree.refit(m.geometry, m.settings, boxes); }, m.binary);
    } else {
        if (m.is_wide())
            refit(m.wide, m.geometry);
        else
            std::visit([&](auto& tree) { tree.refit(m.geometry, m.settings); }, m.binary);
    }
    done.decay = decay(m);
    if (settings.rebuild == Rebuild::WhenItPays && !(done.decay < worn_out)) {
        grow_tree(m);
        done.rebuilt = true;
        done.decay = 1;
    }
    return done;
}

double decay(const ModelData& m) { return m.built_cost > 0 ? tree_cost(m) / m.built_cost : 1; }

}  // namespace graze::detail
