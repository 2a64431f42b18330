// SPDX-License-Identifier: Apache-2.0
#include "contacts.hpp"

#include <algorithm>
#include <array>

namespace graze::checks {

namespace {

using Edge = std::array<std::uint32_t, 2>;  ///< numbers of its ends, the lower first

/// Joins edges to chains and rings. A chain ends at a knot where one edge ends or more than two meet.
class Chains {
public:
    Chains(const std::vector<Edge>& edges, std::size_t knots) : edges_(edges), at_(knots), used_(edges.size()) {
        for (std::uint32_t e = 0; e < edges.size(); ++e)
            for (const std::uint32_t knot : edges[e]) at_[knot].push_back(e);
    }

    /// Calls f(knots, closed) for each chain and ring.
    template <class F>
    void for_each(F&& f) {
        for (std::uint32_t knot = 0; knot < at_.size(); ++knot)
            if (at_[knot].size() != 2)
                for (const std::uint32_t e : at_[knot])
                    if (!used_[e]) f(walk(knot, e), false);
        for (std::uint32_t e = 0; e < edges_.size(); ++e)
            if (!used_[e]) {
                std::vector<std::uint32_t> ring = walk(edges_[e][0], e);
                ring.pop_back();  // the knot where it began
                f(ring, true);
            }
    }

private:
    std::vector<std::uint32_t> walk(std::uint32_t knot, std::uint32_t edge) {
        std::vector<std::uint32_t> knots{knot};
        while (!used_[edge]) {
            used_[edge] = true;
            knot = edges_[edge][edges_[edge][0] == knot];
            knots.push_back(knot);
            if (at_[knot].size() == 2) edge = at_[knot][at_[knot][0] == edge];
        }
        return knots;
    }

    const std::vector<Edge>& edges_;
    std::vector<std::vector<std::uint32_t>> at_;
    std::vector<bool> used_;
};

}  // namespace

Triangle placed(const Affine& a_from_b, const Triangle& triangle) {
    return {a_from_b(triangle.a), a_from_b(triangle.b), a_from_b(triangle.c)};
}

Closest placed(const Affine& world_from_a, const Closest& closest) {
    return {closest.distance, world_from_a(closest.point_a), world_from_a(closest.point_b)};
}

void append_outline(const Triangle& s, const Triangle& t, std::vector<Vec3>& ends) {
    const Intersection common = intersection(s, t);
    const auto& p = common.points;
    const int sides = common.count == 2 ? 1 : common.count;
    for (int i = 0; i < sides; ++i) ends.insert(ends.end(), {p[i], p[(i + 1) % common.count]});
}

std::vector<files::Curve> crossing_curves(const Model& a, const Model& b, const Affine& a_from_b,
                                          std::span<const Contact> contacts) {
    std::vector<Vec3> ends;
    for (const Contact& c : contacts)
        append_outline(a.triangle(c.triangles.a), placed(a_from_b, b.triangle(c.triangles.b)), ends);
    // Triangles that share an edge get the same point of it, bit for bit.
    const std::vector<std::uint32_t> knot = first_of_equals(ends);
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < ends.size(); i += 2)
        if (knot[i] != knot[i + 1]) edges.push_back({std::min(knot[i], knot[i + 1]), std::max(knot[i], knot[i + 1])});
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());

    std::vector<files::Curve> curves;
    Chains(edges, ends.size()).for_each([&](const std::vector<std::uint32_t>& chain, bool closed) {
        files::Curve& curve = curves.emplace_back();
        curve.closed = closed;
        for (const std::uint32_t k : chain) curve.points.push_back(ends[k]);
    });
    return curves;
}

files::Assembly contact_triangles(const Model& a, const Model& b, const Affine& a_from_b,
                                  std::span<const Contact> contacts, std::string name_a, std::string name_b) {
    files::Assembly assembly;
    if (contacts.empty()) return assembly;
    const auto add = [&](const Model& model, const Affine& placement, std::uint32_t TrianglePair::* side,
                         const std::string& name) {
        std::vector<std::uint32_t> numbers;
        for (const Contact& c : contacts) numbers.push_back(c.triangles.*side);
        std::ranges::sort(numbers);
        numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
        files::Mesh& mesh = assembly.meshes.emplace_back();
        mesh.name = name;
        for (const std::uint32_t i : numbers) {
            const Triangle t = placed(placement, model.triangle(i));
            for (const Vec3& p : {t.a, t.b, t.c}) {
                mesh.corners.push_back(static_cast<std::uint32_t>(mesh.points.size()));
                mesh.points.push_back(p);
            }
        }
        assembly.parts.push_back(
            {.name = name, .path = name, .mesh = static_cast<std::uint32_t>(assembly.meshes.size() - 1)});
    };
    add(a, {}, &TrianglePair::a, std::move(name_a));
    add(b, a_from_b, &TrianglePair::b, std::move(name_b));
    return assembly;
}

std::vector<TrianglePair> spread(std::span<const Contact> contacts, std::size_t count) {
    count = std::min(count, contacts.size());
    std::vector<TrianglePair> pairs;
    pairs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) pairs.push_back(contacts[i * contacts.size() / count].triangles);
    return pairs;
}

}  // namespace graze::checks
