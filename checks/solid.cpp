// SPDX-License-Identifier: Apache-2.0
#include "solid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

namespace graze::checks {

namespace {

/// True when the triangle has exactly zero area.
bool flat(const Triangle& t) {
    const Vec3 u = t.b - t.a, v = t.c - t.a, normal = cross(u, v);
    for (int k = 0; k < 3; ++k) {
        // Each component takes five roundings, of which at most three meet in one product: 8 is safe. The second
        // summand covers underflow.
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double error = 8 * 0x1p-53 * (std::abs(u[i] * v[j]) + std::abs(u[j] * v[i])) + 0x1p-900;
        if (std::abs(normal[k]) > error) return false;
    }
    // A triangle shares an area with itself exactly when it has one.
    return meeting(t, t) != Meeting::Overlapping;
}

constexpr std::uint32_t none = ~std::uint32_t{0};

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

/// True when the ray certainly passes through the inside of a triangle that it hits, not through an edge or a corner.
bool clean(const Ray& ray, const Triangle& t) {
    const std::array at{t.a - ray.origin(), t.b - ray.origin(), t.c - ray.origin()};
    std::array<double, 3> volume;
    for (int i = 0; i < 3; ++i) {
        const Vec3 &p = at[(i + 1) % 3], &q = at[(i + 2) % 3];
        volume[i] = dot(ray.direction(), cross(p, q));
        const auto size = [](const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); };
        // The differences take 2 roundings, the cross product 2 and the sum 3, so 16 is safe. A value that underflows
        // counts as doubtful.
        if (!(std::abs(volume[i]) > 16 * 0x1p-53 * size(ray.direction()) * size(p) * size(q) + 0x1p-900)) return false;
    }
    return (volume[0] > 0) == (volume[1] > 0) && (volume[1] > 0) == (volume[2] > 0);
}

void widen(Component& component, std::span<const Vec3> points, const std::array<std::uint32_t, 3>& triangle) {
    for (const std::uint32_t c : triangle)
        for (int d = 0; d < 3; ++d) {
            std::uint32_t &low = component.extremes[2 * d], &high = component.extremes[2 * d + 1];
            if (points[c][d] < points[low][d]) low = c;
            if (points[c][d] > points[high][d]) high = c;
        }
}

/// Leaves out second copies of triangles in components that are closed without them: some programs write each face
/// twice, once for either side. A wall between two rooms is there twice, too, and stays so.
void single_out(std::span<const std::array<std::uint32_t, 3>> triangles, const std::vector<std::uint32_t>& first,
                const std::vector<bool>& degenerate, Solid& solid) {
    std::vector<std::pair<std::array<std::uint32_t, 3>, std::uint32_t>> sorted;
    for (std::uint32_t i = 0; i < triangles.size(); ++i) {
        const auto& [a, b, c] = triangles[i];
        std::array corners{first[a], first[b], first[c]};
        std::ranges::sort(corners);
        if (!degenerate[i]) sorted.emplace_back(corners, i);
    }
    std::ranges::sort(sorted);
    std::vector<std::uint32_t> copies;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> edges;  // and the component of each
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto& [corners, triangle] = sorted[i];
        if (i > 0 && corners == sorted[i - 1].first) {
            copies.push_back(triangle);
            continue;
        }
        for (const auto& [p, q] : {std::pair{0, 1}, {0, 2}, {1, 2}})
            edges.emplace_back(std::uint64_t{corners[p]} << 32 | corners[q], solid.component_of[triangle]);
    }
    if (copies.empty()) return;
    std::ranges::sort(edges);
    std::vector<bool> open(solid.components.size());
    for (std::size_t i = 0, next = 0; i < edges.size(); i = next) {
        while (next < edges.size() && edges[next] == edges[i]) ++next;
        if ((next - i) % 2 != 0) open[edges[i].second] = true;
    }
    for (const std::uint32_t i : copies) {
        std::uint32_t& component = solid.component_of[i];
        if (open[component]) continue;
        solid.components[component].closed = true;
        component = none;
    }
}

using Components = std::vector<std::uint32_t>;

/// The closed components around a point, in ascending order, all but one. None when every ray tried meets an edge.
std::optional<Components> around(const Model& model, const Solid& solid, const Vec3& point, std::uint32_t but = none) {
    // The first direction lies in none of the planes that people draw in. Exchanging its coordinates gives the next.
    Vec3 direction{0.4285714, 0.5913043, 0.6829268};
    Components passed, odd;
    for (int tries = 0; tries < 12; ++tries) {
        const Result<Ray> ray = Ray::from_direction(point, direction);
        if (!ray) return std::nullopt;
        passed.clear();
        bool sure = true;
        for (const RayHit& hit : all_hits(model, *ray)) {
            const std::uint32_t component = solid.component_of[hit.triangle];
            if (component == none || component == but || !solid.components[component].closed) continue;
            sure = sure && clean(*ray, model.triangle(hit.triangle));
            passed.push_back(component);
        }
        direction = {direction.y * 0.9473684, -direction.z, direction.x};
        if (!sure) continue;
        std::sort(passed.begin(), passed.end());
        for (std::size_t i = 0, next = 0; i < passed.size(); i = next) {
            while (next < passed.size() && passed[next] == passed[i]) ++next;
            if ((next - i) % 2 != 0) odd.push_back(passed[i]);
        }
        return odd;
    }
    return std::nullopt;
}

/// Whether the inner component lies wholly within the outer one, as far as its outermost points tell.
bool within(const Model& model, const Solid& solid, std::uint32_t inner, std::uint32_t outer) {
    return std::ranges::all_of(solid.components[inner].extremes, [&](std::uint32_t i) {
        const std::optional<Components> all = around(model, solid, model.points()[i], inner);
        return all && std::ranges::binary_search(*all, outer);
    });
}

}  // namespace

Solid topology_of(const Model& model) {
    const auto triangles = model.triangles();
    Solid solid;
    const std::vector<std::uint32_t> first = first_of_equals(model.points());
    std::vector<std::uint64_t> edges;
    edges.reserve(3 * triangles.size());
    Sets sets(first.size());
    std::vector<bool> degenerate(triangles.size());
    for (std::uint32_t i = 0; i < triangles.size(); ++i) {
        const auto& [a, b, c] = triangles[i];
        const std::array corner{first[a], first[b], first[c]};
        sets.join(corner[0], corner[1]);
        sets.join(corner[0], corner[2]);
        // A triangle with two equal corners has an edge twice, which changes nothing.
        const bool thin = corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
        degenerate[i] = thin || flat(model.triangle(i));
        solid.degenerate += degenerate[i];
        for (int k = 0; k < 3 && !thin; ++k) {
            const std::uint32_t p = corner[k], q = corner[(k + 1) % 3];
            edges.push_back(std::uint64_t{std::min(p, q)} << 32 | std::max(p, q));
        }
    }
    std::vector<std::uint32_t> component_of_point(first.size(), none);
    solid.component_of.reserve(triangles.size());
    for (std::uint32_t i = 0; i < triangles.size(); ++i) {
        std::uint32_t& component = component_of_point[sets.find(first[triangles[i][0]])];
        if (component == none) {
            component = static_cast<std::uint32_t>(solid.components.size());
            const std::uint32_t p = triangles[i][0];
            solid.components.push_back({i, false, {p, p, p, p, p, p}});
        }
        solid.component_of.push_back(component);
        widen(solid.components[component], model.points(), triangles[i]);
        // A component with an area is closed until an edge says otherwise.
        solid.components[component].closed |= !degenerate[i];
    }
    std::sort(edges.begin(), edges.end());
    bool even = true;
    for (std::size_t i = 0, next = 0; i < edges.size(); i = next) {
        while (next < edges.size() && edges[next] == edges[i]) ++next;
        const std::size_t sharing = next - i;
        ++solid.edges;
        solid.open_edges += sharing == 1;
        solid.crowded_edges += sharing > 2;
        if (sharing % 2 == 0) continue;
        even = false;
        solid.components[component_of_point[sets.find(static_cast<std::uint32_t>(edges[i]))]].closed = false;
    }
    solid.closed = even && solid.degenerate < triangles.size();
    if (solid.crowded_edges > 0) single_out(triangles, first, degenerate, solid);
    solid.has_inside = std::ranges::any_of(solid.components, &Component::closed);
    return solid;
}

Side side_of(const Model& model, const Solid& solid, const Vec3& point, double clearance) {
    const Vec3 c{clearance, clearance, clearance};
    const Result<Box> near = Box::between(point - c, point + c);
    if (!near || intersects(model, *near)) return Side::Unknown;
    const std::optional<Components> components = around(model, solid, point);
    if (!components) return Side::Unknown;
    if (components->size() % 2 != 0) return Side::Inside;
    for (const std::uint32_t a : *components)
        for (const std::uint32_t b : *components)
            if (a < b && !within(model, solid, a, b) && !within(model, solid, b, a)) return Side::Inside;
    return Side::Outside;
}

}  // namespace graze::checks
