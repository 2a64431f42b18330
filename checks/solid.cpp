// SPDX-License-Identifier: Apache-2.0
#include "solid.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "exact/exact_sign.hpp"
#include "model/model_data.hpp"

namespace graze::checks {

namespace {

using detail::Corners;
using detail::Geometry;

bool flat(const Triangle& t) {
    // Zero area: the corners' shadows on all three planes of the axes are in one line.
    bool exact = false;
    for (int k = 0; k < 3; ++k) {
        const auto shadow = [&](const Vec3& p) { return detail::Vec2{p[k], p[(k + 1) % 3]}; };
        if (detail::orient2d(shadow(t.a), shadow(t.b), shadow(t.c), exact) != 0) return false;
    }
    return true;
}

class Sets {
public:
    explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
    std::uint32_t find(std::uint32_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(std::uint32_t i, std::uint32_t j) { parent_[find(i)] = find(j); }

private:
    std::vector<std::uint32_t> parent_;
};

/// Whether the ray passes through the triangle's inside, beyond the rounding of what is computed here. Of a triangle
/// that it hits.
bool clean(const Ray& ray, const Triangle& t) {
    const std::array at{t.a - ray.origin, t.b - ray.origin, t.c - ray.origin};
    std::array<double, 3> volume;
    for (int i = 0; i < 3; ++i) {
        const Vec3 &p = at[(i + 1) % 3], &q = at[(i + 2) % 3];
        volume[i] = dot(ray.direction, cross(p, q));
        const auto size = [](const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); };
        // Of the differences 2 roundings, of the cross product 2, of the sum 3: 16 is safe. What underflows is
        // doubtful.
        if (!(std::abs(volume[i]) > 16 * 0x1p-53 * size(ray.direction) * size(p) * size(q) + 0x1p-900)) return false;
    }
    return (volume[0] > 0) == (volume[1] > 0) && (volume[1] > 0) == (volume[2] > 0);
}

}  // namespace

std::vector<std::uint32_t> first_of_equals(std::span<const Vec3> points) {
    using Bits = std::array<std::uint64_t, 3>;
    constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> first(points.size());
    std::vector<std::uint32_t> slots(std::bit_ceil(2 * points.size() + 1), none);
    for (std::uint32_t i = 0; i < points.size(); ++i) {
        const Bits bits = std::bit_cast<Bits>(points[i] + Vec3{});
        std::uint64_t h = bits[0] * 0x9e3779b97f4a7c15u;
        h = (std::rotl(h, 29) ^ bits[1]) * 0xbf58476d1ce4e5b9u;
        h = (std::rotl(h, 29) ^ bits[2]) * 0x94d049bb133111ebu;
        std::size_t at = (h ^ h >> 32) & (slots.size() - 1);
        while (slots[at] != none && points[slots[at]] != points[i]) at = (at + 1) & (slots.size() - 1);
        if (slots[at] == none) slots[at] = i;
        first[i] = slots[at];
    }
    return first;
}

Solid topology_of(const Model& model) {
    const Geometry& g = model.data().geometry;
    Solid solid;
    const std::vector<std::uint32_t> first = first_of_equals(g.points.span());
    std::vector<std::uint64_t> edges;
    edges.reserve(3 * g.triangles.size());
    Sets sets(g.points.size());
    for (std::uint32_t i = 0; i < g.triangles.size(); ++i) {
        const Corners& c = g.triangles[i];
        const std::array corner{first[c[0]], first[c[1]], first[c[2]]};
        sets.join(corner[0], corner[1]);
        sets.join(corner[0], corner[2]);
        // A triangle with two equal corners has an edge twice, which changes nothing.
        const bool thin = corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
        solid.degenerate += thin || flat(g.triangle(i));
        for (int k = 0; k < 3 && !thin; ++k) {
            const std::uint32_t p = corner[k], q = corner[(k + 1) % 3];
            edges.push_back(std::uint64_t{std::min(p, q)} << 32 | std::max(p, q));
        }
    }
    std::sort(edges.begin(), edges.end());
    bool even = true;
    for (std::size_t i = 0, next = 0; i < edges.size(); i = next) {
        while (next < edges.size() && edges[next] == edges[i]) ++next;
        const std::size_t triangles = next - i;
        ++solid.edges;
        solid.open_edges += triangles == 1;
        solid.crowded_edges += triangles > 2;
        even = even && triangles % 2 == 0;
    }
    solid.closed = even && solid.degenerate < g.triangles.size();
    std::vector<bool> seen(g.points.size());
    for (std::uint32_t i = 0; i < g.triangles.size(); ++i) {
        const std::uint32_t root = sets.find(first[g.triangles[i][0]]);
        if (!seen[root]) solid.components.push_back(i);
        seen[root] = true;
    }
    return solid;
}

Box bounds(const Model& model) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const Geometry& g = model.data().geometry;
    Box box{{infinite, infinite, infinite}, {-infinite, -infinite, -infinite}};
    for (const Corners& c : g.triangles)
        for (const std::uint32_t i : c)
            for (int d = 0; d < 3; ++d) {
                box.lo[d] = std::min(box.lo[d], g.points[i][d]);
                box.hi[d] = std::max(box.hi[d], g.points[i][d]);
            }
    return box;
}

Side side_of(const Model& model, const Vec3& point, double clearance) {
    const Vec3 c{clearance, clearance, clearance};
    const Result<bool> near = intersects(model, Box{point - c, point + c});
    if (!near || *near) return Side::Unknown;
    // Along none of the planes that people draw in; further ones follow by turning the coordinates.
    Vec3 direction{0.4285714, 0.5913043, 0.6829268};
    for (int tries = 0; tries < 12; ++tries) {
        const Ray ray{point, direction};
        const auto hits = all_hits(model, ray);
        if (!hits) return Side::Unknown;
        if (std::all_of(hits->begin(), hits->end(),
                        [&](const RayHit& hit) { return clean(ray, model.triangle(hit.triangle)); }))
            return hits->size() % 2 != 0 ? Side::Inside : Side::Outside;
        direction = {direction.y * 0.9473684, -direction.z, direction.x};
    }
    return Side::Unknown;
}

}  // namespace graze::checks
