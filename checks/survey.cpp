// SPDX-License-Identifier: Apache-2.0
#include "survey.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "checks/bounds.hpp"

namespace graze::checks {

namespace {

/// Spreads the bits of a number over all of it (the finalizer of SplitMix64; Steele et al. 2014).
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

}  // namespace

bool is_open(const Model& model) {
    std::vector<std::uint64_t> number;
    number.reserve(model.points().size());
    for (const Vec3& p : model.points()) {
        std::uint64_t h = 0;
        for (int d = 0; d < 3; ++d) h = mixed(h + std::bit_cast<std::uint64_t>(p[d] + 0.0) + 0x9e3779b97f4a7c15u);
        number.push_back(h);
    }
    // Equal edges cancel out in pairs.
    std::uint64_t odd = 0;
    for (const auto& corner : model.triangles())
        for (int k = 0; k < 3; ++k) {
            const std::uint64_t p = number[corner[k]], q = number[corner[(k + 1) % 3]];
            if (p != q) odd ^= mixed(std::min(p, q) + mixed(std::max(p, q)));
        }
    return odd != 0;
}

Survey survey(const Model& model) {
    const auto given = model.triangles();
    Survey out;
    out.solid = Solid(model);
    const std::vector<std::uint32_t> first = first_of_equals(model.points());
    // Relative to the middle, so that a small mesh far from the origin loses no digits, and in units of about the
    // mesh's size, so that products of three lengths stay in range.
    const Bounds bounds(model.bounds());
    const Vec3 middle = bounds.centre(), half = bounds.half();
    const int exponent = given.empty() ? 0 : std::ilogb(std::max({half.x, half.y, half.z, 0x1p-1020}));
    const auto scaled = [&](const Vec3& p) {
        const Vec3 q = p - middle;
        return Vec3{std::ldexp(q.x, -exponent), std::ldexp(q.y, -exponent), std::ldexp(q.z, -exponent)};
    };

    struct Edge {
        std::uint64_t ends;  ///< indices of its points, the lower one in the upper half
        bool forwards;       ///< true when it runs from the lower point to the higher
        bool operator<(const Edge& o) const { return ends < o.ends; }
    };
    std::vector<Edge> edges;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    edges.reserve(3 * given.size());
    triangles.reserve(given.size());
    double area = 0, volume = 0;
    for (std::uint32_t i = 0; i < given.size(); ++i) {
        std::array<std::uint32_t, 3> corner;
        for (int k = 0; k < 3; ++k) corner[k] = first[given[i][k]];
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t p = corner[k], q = corner[(k + 1) % 3];
            if (p != q) edges.push_back({std::uint64_t{std::min(p, q)} << 32 | std::max(p, q), p < q});
        }
        std::sort(corner.begin(), corner.end());
        triangles.push_back(corner);
        const Triangle t = model.triangle(i);
        const Vec3 a = scaled(t.a), b = scaled(t.b), c = scaled(t.c);
        area += length(cross(b - a, c - a)) / 2;
        volume += dot(a, cross(b, c)) / 6;
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0, next = 0; i < edges.size(); i = next) {
        while (next < edges.size() && edges[next].ends == edges[i].ends) ++next;
        out.flipped_edges += next - i == 2 && edges[i].forwards == edges[i + 1].forwards;
    }
    std::sort(triangles.begin(), triangles.end());
    for (std::size_t i = 1; i < triangles.size(); ++i) out.duplicates += triangles[i] == triangles[i - 1];
    const bool rounding = std::abs(volume) < 1e-9 * area * std::sqrt(area);
    if (const double all = std::ldexp(area, 2 * exponent); std::isfinite(all)) out.area = all;
    const double inside = rounding ? 0 : std::ldexp(volume, 3 * exponent);
    if (out.solid.closed() && out.flipped_edges == 0 && std::isfinite(inside)) out.volume = inside;
    return out;
}

}  // namespace graze::checks
