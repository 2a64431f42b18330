// SPDX-License-Identifier: Apache-2.0
#include "contacts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "checks/bounds.hpp"

namespace graze::checks {

namespace {

/// Merges points within `near` of each other. Coordinates are about 1 in size.
class Knots {
public:
    std::uint32_t add(const Vec3& p) {
        const std::array at{cell(p.x), cell(p.y), cell(p.z)};
        for (int i = 0; i < 27; ++i) {
            const auto [first, last] =
                cells_.equal_range(key(at[0] + i % 3 - 1, at[1] + i / 3 % 3 - 1, at[2] + i / 9 - 1));
            for (auto it = first; it != last; ++it)
                if (length(points_[it->second] - p) <= near) return it->second;
        }
        const auto number = static_cast<std::uint32_t>(points_.size());
        points_.push_back(p);
        cells_.emplace(key(at[0], at[1], at[2]), number);
        return number;
    }
    const std::vector<Vec3>& points() const { return points_; }

private:
    static constexpr double near = 1e-9;
    static std::int64_t cell(double x) { return static_cast<std::int64_t>(std::floor(x / near)); }
    /// Several cells may share a key: the distance of their points tells them apart.
    static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) {
        return static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u +
               static_cast<std::uint64_t>(y) * 0xc2b2ae3d27d4eb4fu +
               static_cast<std::uint64_t>(z) * 0x165667b19e3779f9u;
    }

    std::vector<Vec3> points_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> cells_;
};

using Edge = std::array<std::uint32_t, 2>;  ///< two knots, the lower first

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

/// The frame in which ends of curves are joined: the middle of the contacts' box, and half its longest side.
struct Frame {
    Vec3 centre;
    double size = 0;

    Vec3 in(const Vec3& p) const { return (p - centre) * (1 / size); }
    Vec3 out(const Vec3& p) const { return p * size + centre; }
};

Frame frame_around(const Model& a, std::span<const Contact> contacts) {
    Bounds bounds;
    for (const Contact& c : contacts) bounds.add(Bounds(a.triangle(c.triangles.a)));
    const Vec3 half = bounds.half();
    return {bounds.centre(), std::max({half.x, half.y, half.z})};
}

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
    const Frame frame = frame_around(a, contacts);
    // Contacts that are all in one point have no curves.
    if (!(frame.size > 0) || !std::isfinite(1 / frame.size)) return {};
    Knots knots;
    std::vector<Edge> edges;
    std::vector<Vec3> ends;
    for (const Contact& c : contacts) {
        ends.clear();
        append_outline(a.triangle(c.triangles.a), placed(a_from_b, b.triangle(c.triangles.b)), ends);
        for (std::size_t i = 0; i < ends.size(); i += 2) {
            const std::uint32_t from = knots.add(frame.in(ends[i])), to = knots.add(frame.in(ends[i + 1]));
            if (from != to) edges.push_back({std::min(from, to), std::max(from, to)});
        }
    }
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());

    std::vector<files::Curve> curves;
    Chains(edges, knots.points().size()).for_each([&](const std::vector<std::uint32_t>& chain, bool closed) {
        files::Curve& curve = curves.emplace_back();
        curve.closed = closed;
        for (const std::uint32_t knot : chain) curve.points.push_back(frame.out(knots.points()[knot]));
    });
    return curves;
}

files::Assembly contact_triangles(const Model& a, const Model& b, const Affine& a_from_b,
                                  std::span<const Contact> contacts, std::string name_a, std::string name_b) {
    files::Assembly assembly;
    if (contacts.empty()) return assembly;
    const auto add = [&](const Model& model, const Affine& placement, std::uint32_t TrianglePair::* side,
                         std::string name) {
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
