// SPDX-License-Identifier: Apache-2.0
// Pairs of tetrahedra with small integers as coordinates. Rational arithmetic tells how they lie to each other.
#pragma once

#include <gmpxx.h>

#include "oracle.hpp"
#include "solid_oracle_cells.hpp"

namespace graze::test::solid_oracle {

using Point = std::array<mpq_class, 3>;
using Tetrahedron = std::array<Point, 4>;

inline mpq_class determinant(const Tetrahedron& t) {
    Point u, v, w;
    for (int i = 0; i < 3; ++i) u[i] = t[1][i] - t[0][i], v[i] = t[2][i] - t[0][i], w[i] = t[3][i] - t[0][i];
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/// Six times how far p is on the side of face i, the one without corner i, on which the tetrahedron is.
inline mpq_class height(const Tetrahedron& t, int i, const Point& p) {
    Tetrahedron with = t;
    with[i] = p;
    return determinant(with) * sgn(determinant(t));
}

/// Appends tetrahedra that fill the part of t above the plane where these heights of its corners vanish.
inline void clip(const Tetrahedron& t, const std::array<mpq_class, 4>& h, std::vector<Tetrahedron>& out) {
    std::vector<int> in, off;
    for (int i = 0; i < 4; ++i) (h[i] > 0 ? in : off).push_back(i);
    const auto cut = [&](int i, int j) {
        Point p;
        for (int k = 0; k < 3; ++k) p[k] = (t[i][k] * h[j] - t[j][k] * h[i]) / (h[j] - h[i]);
        return p;
    };
    const auto prism = [&](const std::array<Point, 3>& low, const std::array<Point, 3>& high) {
        out.push_back({low[0], low[1], low[2], high[2]});
        out.push_back({low[0], low[1], high[1], high[2]});
        out.push_back({low[0], high[0], high[1], high[2]});
    };
    if (in.size() == 4) out.push_back(t);
    if (in.size() == 1) out.push_back({t[in[0]], cut(in[0], off[0]), cut(in[0], off[1]), cut(in[0], off[2])});
    if (in.size() == 2)
        prism({t[in[0]], cut(in[0], off[0]), cut(in[0], off[1])}, {t[in[1]], cut(in[1], off[0]), cut(in[1], off[1])});
    if (in.size() == 3)
        prism({t[in[0]], t[in[1]], t[in[2]]}, {cut(in[0], off[0]), cut(in[1], off[0]), cut(in[2], off[0])});
}

inline mpq_class volume(const Tetrahedron& t) { return abs(determinant(t)) / 6; }

inline mpq_class common_volume(const Tetrahedron& a, const Tetrahedron& b) {
    std::vector<Tetrahedron> parts{a};
    for (int i = 0; i < 4; ++i) {
        std::vector<Tetrahedron> kept;
        for (const Tetrahedron& t : parts)
            clip(t, {height(b, i, t[0]), height(b, i, t[1]), height(b, i, t[2]), height(b, i, t[3])}, kept);
        parts = std::move(kept);
    }
    mpq_class sum = 0;
    for (const Tetrahedron& t : parts) sum += volume(t);
    return sum;
}

inline bool contains(const Tetrahedron& t, const Tetrahedron& other) {
    for (int i = 0; i < 4; ++i)
        for (const Point& p : other)
            if (height(t, i, p) < 0) return false;
    return true;
}

using Corners4 = std::array<Int3, 4>;

inline Tetrahedron rational(const Corners4& t) {
    Tetrahedron out;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) out[i][k] = t[i][k];
    return out;
}

inline std::array<std::array<Int3, 3>, 4> faces(const Corners4& t) {
    std::array<std::array<Int3, 3>, 4> out{
        {{t[0], t[2], t[1]}, {t[0], t[1], t[3]}, {t[1], t[2], t[3]}, {t[0], t[3], t[2]}}};
    if (determinant(rational(t)) < 0)
        for (auto& f : out) std::swap(f[0], f[1]);
    return out;
}

inline Soup surface(const Corners4& t, Random& random) {
    Mesher mesh;
    for (const auto& f : faces(t)) mesh.add(f[0], f[1], f[2]);
    return mesh.shuffled(random);
}

inline SolidCase case_of_tetrahedra(Random& random) {
    const int size = 1 + static_cast<int>(random.below(5)), times = 1 + static_cast<int>(random.below(4));
    const auto corner = [&] { return random_int3(random, 0, size); };
    const auto proper = [](auto&& make) {
        Corners4 t;
        do {
            for (int i = 0; i < 4; ++i) t[i] = make(i);
        } while (determinant(rational(t)) == 0);
        return t;
    };
    Corners4 a = proper([&](int) { return corner(); });
    // B is anywhere in A's box, shares corners with a smaller A, or has corners in A, most of them on faces and edges.
    const Int3 shift = random_int3(random, 0, size * (times - 1));
    const std::uint32_t kind = random.below(3);
    Corners4 b = proper([&](int i) {
        if (kind == 0 || random.below(3) == 0) return plus(corner(), shift);
        if (kind == 1) return plus(a[i], shift);
        Int3 sum{};
        for (int n = 0; n < times; ++n) sum = plus(sum, a[random.below(4)]);
        return sum;
    });
    for (Int3& p : a)
        for (int& x : p) x *= times;
    if (random.below(2)) std::swap(a, b);
    const Tetrahedron exact_a = rational(a), exact_b = rational(b);
    const mpq_class common = common_volume(exact_a, exact_b);
    SolidRelation relation = SolidRelation::Disjoint;
    if (common > 0) {
        const bool in_b = contains(exact_b, exact_a), in_a = contains(exact_a, exact_b);
        relation = in_a && in_b ? SolidRelation::Equal
                   : in_b       ? SolidRelation::AInsideB
                   : in_a       ? SolidRelation::BInsideA
                                : SolidRelation::Crossing;
    } else {
        // Without an inside point in common, solids meet where their surfaces do.
        for (const auto& f : faces(a))
            for (const auto& g : faces(b))
                if (Oracle::meet({vector(f[0]), vector(f[1]), vector(f[2])},
                                 {vector(g[0]), vector(g[1]), vector(g[2])}))
                    relation = SolidRelation::Touching;
    }
    // B in a frame of its own.
    Placement at = random_placement(random, true);
    at.scale = 2;
    for (int& x : at.shift) x -= x % 2;
    Corners4 back;
    for (int i = 0; i < 4; ++i) {
        back[i] = at.back({16 * b[i][0], 16 * b[i][1], 16 * b[i][2]});
        for (int& x : back[i]) x /= 16;
    }
    return {surface(a, random),      surface(back, random),   at.affine(),     relation, common.get_d(),
            volume(exact_a).get_d(), volume(exact_b).get_d(), "two tetrahedra"};
}

}  // namespace graze::test::solid_oracle
