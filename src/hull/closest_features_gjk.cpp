// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "hull/closest_features.hpp"

namespace graze::detail {

namespace {

/// A point of the difference A − B, with the vertices that it comes from.
struct Corner {
    Vec3 p;
    std::uint32_t a, b;
};

struct Simplex {
    std::array<Corner, 4> corner;
    std::array<double, 4> weight{};
    int count = 0;

    Vec3 nearest() const {
        Vec3 p;
        for (int i = 0; i < count; ++i)
            p = p + corner[static_cast<std::size_t>(i)].p * weight[static_cast<std::size_t>(i)];
        return p;
    }
};

/// Reduces the simplex to the part nearest to the origin by trying all of its faces: there are few, and no case is
/// special. True when the origin is inside a tetrahedron.
bool reduce(Simplex& s) {
    Simplex best;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](std::initializer_list<int> corners, std::initializer_list<double> weights) {
        Simplex part;
        for (const int c : corners)
            part.corner[static_cast<std::size_t>(part.count++)] = s.corner[static_cast<std::size_t>(c)];
        std::copy(weights.begin(), weights.end(), part.weight.begin());
        for (const double w : weights)
            if (!(w >= 0)) return;
        const Vec3 p = part.nearest();
        if (const double d = dot(p, p); d < least) least = d, best = part;
    };
    const auto at = [&](int i) -> const Vec3& { return s.corner[static_cast<std::size_t>(i)].p; };
    for (int i = 0; i < s.count; ++i) {
        consider({i}, {1});
        for (int j = i + 1; j < s.count; ++j) {
            const Vec3 d = at(j) - at(i);
            const double t = -dot(at(i), d) / dot(d, d);
            consider({i, j}, {1 - t, t});
            for (int k = j + 1; k < s.count; ++k) {
                const Vec3 n = cross(d, at(k) - at(i));
                const double nn = dot(n, n);
                const double wi = dot(cross(at(j), at(k)), n) / nn, wj = dot(cross(at(k), at(i)), n) / nn;
                consider({i, j, k}, {wi, wj, 1 - wi - wj});
            }
        }
    }
    if (s.count == 4) {
        const double whole = dot(at(1) - at(0), cross(at(2) - at(0), at(3) - at(0)));
        const double w0 = dot(at(1), cross(at(2), at(3))) / whole, w1 = -dot(at(0), cross(at(2), at(3))) / whole,
                     w2 = dot(at(0), cross(at(1), at(3))) / whole, w3 = 1 - w0 - w1 - w2;
        if (w0 >= 0 && w1 >= 0 && w2 >= 0 && w3 >= 0) {
            s.weight = {w0, w1, w2, w3};
            return true;
        }
    }
    s = best;
    return false;
}

std::uint32_t highest(const HullData& hull, const Vec3& w) {
    std::uint32_t best = 0;
    double most = dot(w, hull.vertices[0]);
    for (std::uint32_t i = 1; i < hull.vertices.size(); ++i)
        if (const double h = dot(w, hull.vertices[i]); h > most) most = h, best = i;
    return best;
}

}  // namespace

Nearest gjk(const HullPair& pair) {
    const auto corner = [&](const Vec3& w) {
        const std::uint32_t i = highest(pair.a.hull, pair.a.pulled(-w)), j = highest(pair.b.hull, pair.b.pulled(w));
        return Corner{pair.a.vertex(i) - pair.b.vertex(j), i, j};
    };
    Simplex s;
    s.corner[0] = corner(pair.a.centre() - pair.b.centre());
    s.weight[0] = 1;
    s.count = 1;
    bool inside = false;
    double last = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 256 && !inside; ++round) {
        const Vec3 v = s.nearest();
        const double vv = dot(v, v);
        if (!(vv < last)) break;  // each round must come nearer; otherwise rounding decides and the search ends
        last = vv;
        const Corner next = corner(v);
        if (vv - dot(v, next.p) <= 0x1p-52 * vv) break;
        if (std::any_of(s.corner.begin(), s.corner.begin() + s.count,
                        [&](const Corner& c) { return c.a == next.a && c.b == next.b; }))
            break;
        const Simplex before = s;
        s.corner[static_cast<std::size_t>(s.count++)] = next;
        inside = reduce(s);
        if (s.count == 0) s = before;
    }
    Nearest out;
    out.overlap = inside || last == 0;
    for (int i = 0; i < s.count; ++i) {
        const auto k = static_cast<std::size_t>(i);
        out.at_a = out.at_a + pair.a.vertex(s.corner[k].a) * s.weight[k];
        out.at_b = out.at_b + pair.b.vertex(s.corner[k].b) * s.weight[k];
    }
    const auto heaviest =
        static_cast<std::size_t>(std::max_element(s.weight.begin(), s.weight.begin() + s.count) - s.weight.begin());
    out.a = {Feature::Kind::Vertex, s.corner[heaviest].a};
    out.b = {Feature::Kind::Vertex, s.corner[heaviest].b};
    return out;
}

}  // namespace graze::detail
