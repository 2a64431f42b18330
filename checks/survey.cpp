// SPDX-License-Identifier: Apache-2.0
#include "survey.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "checks/bounds.hpp"

namespace graze::checks {

Survey survey(const Model& model) {
    const auto given = model.triangles();
    Survey out;
    out.solid = topology_of(model);
    const std::vector<std::uint32_t> first = first_of_equals(model.points());
    const Vec3 middle = Bounds(model.bounds()).centre();

    struct Edge {
        std::uint64_t ends;  ///< indices of its points, the lower one in the upper half
        bool forwards;       ///< true when it runs from the lower point to the higher
        bool operator<(const Edge& o) const { return ends < o.ends; }
    };
    std::vector<Edge> edges;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    edges.reserve(3 * given.size());
    triangles.reserve(given.size());
    double volume = 0;
    for (std::uint32_t i = 0; i < given.size(); ++i) {
        std::array<std::uint32_t, 3> corner;
        for (int k = 0; k < 3; ++k) corner[k] = first[given[i][k]];
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t p = corner[k], q = corner[(k + 1) % 3];
            if (p != q) edges.push_back({std::uint64_t{std::min(p, q)} << 32 | std::max(p, q), p < q});
        }
        std::sort(corner.begin(), corner.end());
        triangles.push_back(corner);
        // Relative to the middle, so that a small mesh far from the origin loses no digits.
        const Triangle t = model.triangle(i);
        const Vec3 a = t.a - middle, b = t.b - middle, c = t.c - middle;
        out.area += length(cross(b - a, c - a)) / 2;
        volume += dot(a, cross(b, c)) / 6;
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0, next = 0; i < edges.size(); i = next) {
        while (next < edges.size() && edges[next].ends == edges[i].ends) ++next;
        out.flipped_edges += next - i == 2 && edges[i].forwards == edges[i + 1].forwards;
    }
    std::sort(triangles.begin(), triangles.end());
    for (std::size_t i = 1; i < triangles.size(); ++i) out.duplicates += triangles[i] == triangles[i - 1];
    const bool rounding = std::abs(volume) < 1e-9 * out.area * std::sqrt(out.area);
    if (out.solid.closed && out.flipped_edges == 0) out.volume = rounding ? 0 : volume;
    return out;
}

}  // namespace graze::checks
