// SPDX-License-Identifier: Apache-2.0
// Seeded generators of triangle pairs, each aimed at one way to get an answer wrong. Every family
// holds both pairs that meet and pairs that do not.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "graze/triangle.hpp"
#include "scenes/random.hpp"

namespace graze::test {

/// The scenes' generator, with functions that only the families need.
class Random : public scenes::Random {
public:
    using scenes::Random::Random;

    int below(int n) { return static_cast<int>(scenes::Random::below(static_cast<std::uint32_t>(n))); }
    bool flip() { return bits() >> 63; }
    /// In (-1, 1), about uniform, with all 53 bits random whatever the exponent.
    double full() {
        double x = 1 + static_cast<double>(bits() >> 12) * 0x1p-52;
        do x /= 2;
        while (flip() && x > 0x1p-60);
        return flip() ? x : -x;
    }
    Vec3 point() { return {full(), full(), full()}; }
};

struct TriangleTwo {
    Triangle s, t;
};

namespace family {

template <class F>
Triangle each(const Triangle& t, F f) {
    return {f(t.a), f(t.b), f(t.c)};
}

/// The same change of axes for both (exact), corners turned, s and t exchanged.
inline TriangleTwo shuffled(Random& r, TriangleTwo p) {
    const int shift = r.below(3);
    const bool mirror = r.flip();
    const auto axes = [&](const Vec3& v) {
        const Vec3 w{v[shift], v[(shift + 1) % 3], v[(shift + 2) % 3]};
        return mirror ? Vec3{w.y, w.x, w.z} : w;
    };
    for (Triangle* t : {&p.s, &p.t}) {
        *t = each(*t, axes);
        for (int i = r.below(3); i > 0; --i) *t = {t->b, t->c, t->a};
        if (r.flip()) std::swap(t->a, t->b);
    }
    if (r.flip()) std::swap(p.s, p.t);
    return p;
}

inline Triangle any(Random& r) { return {r.point(), r.point(), r.point()}; }

/// A rounded point of the triangle's plane; inside when u, v ≥ 0 and u + v ≤ 1.
inline Vec3 at(const Triangle& t, double u, double v) { return t.a + (t.b - t.a) * u + (t.c - t.a) * v; }

inline Vec3 near(Random& r, const Triangle& t) { return at(t, r.unit() * 1.6 - 0.3, r.unit() * 1.6 - 0.3); }

inline double nudged(Random& r, double x, int most) {
    for (int i = r.below(most + 1); i > 0; --i) x = std::nextafter(x, r.flip() ? 2 * x : 0.0);
    return x;
}

/// A small multiple of 2^-bits in [-1, 1]: sums and halves of a few of them are exact.
inline double grid(Random& r, int bits) {
    return static_cast<double>(static_cast<std::int64_t>(r.bits() >> (63 - bits)) - (std::int64_t{1} << bits)) *
           std::ldexp(1.0, -bits);
}
inline Vec3 grid_point(Random& r, int bits) { return {grid(r, bits), grid(r, bits), grid(r, bits)}; }

inline TriangleTwo random(Random& r) { return {any(r), any(r)}; }

inline TriangleTwo nearly_coplanar(Random& r) {
    const Triangle s = any(r);
    const auto corner = [&] {
        Vec3 p = near(r, s);
        for (int i = 0; i < 3; ++i) p[i] = nudged(r, p[i], 3);
        return p;
    };
    return {s, {corner(), corner(), corner()}};
}

inline TriangleTwo coplanar_axis(Random& r) {
    const double z = r.full();
    const auto corner = [&] { return Vec3{r.full(), r.full(), z}; };
    const auto flat = [&] { return Triangle{corner(), corner(), corner()}; };
    return {flat(), flat()};
}

/// z = i·x + j·y + k over a grid fine enough that nothing rounds.
inline TriangleTwo coplanar_tilted(Random& r) {
    const double i = r.below(7) - 3, j = r.below(7) - 3, k = grid(r, 45);
    const auto corner = [&] {
        const double x = grid(r, 45), y = grid(r, 45);
        return Vec3{x, y, i * x + j * y + k};
    };
    const auto flat = [&] { return Triangle{corner(), corner(), corner()}; };
    return {flat(), flat()};
}

/// In the plane z = ±2^k·x, where z is exact for any x.
inline TriangleTwo coplanar_full(Random& r) {
    const double slope = std::ldexp(r.flip() ? 1 : -1, r.below(5) - 2);
    const auto corner = [&] {
        const double x = r.full();
        return Vec3{x, r.full(), slope * x};
    };
    const auto flat = [&] { return Triangle{corner(), corner(), corner()}; };
    return {flat(), flat()};
}

inline TriangleTwo shared_vertex(Random& r) {
    TriangleTwo p = r.flip() ? random(r) : coplanar_full(r);
    p.t.a = p.s.a;
    return shuffled(r, p);
}

inline TriangleTwo shared_edge(Random& r) {
    TriangleTwo p = r.flip() ? random(r) : coplanar_full(r);
    p.t.a = p.s.a;
    p.t.b = p.s.b;
    return shuffled(r, p);
}

/// One or two corners that are the same but for a few ulps.
inline TriangleTwo almost_shared(Random& r) {
    TriangleTwo p = random(r);
    const auto close_to = [&](Vec3 v) {
        for (int i = 0; i < 3; ++i) v[i] = nudged(r, v[i], 2);
        return v;
    };
    p.t.a = close_to(p.s.a);
    if (r.flip()) p.t.b = close_to(p.s.b);
    return shuffled(r, p);
}

/// A corner of t in s's plane by the plane z = x, on s or beside it; or off the plane by 2^-30.
inline TriangleTwo vertex_on_face(Random& r) {
    TriangleTwo p{any(r), any(r)};
    for (Vec3* v : {&p.s.a, &p.s.b, &p.s.c}) v->z = v->x;
    p.t.a = near(r, p.s);
    p.t.a.z = p.t.a.x;
    const double lift = r.unit() < 0.3 ? 0x1p-30 : 0;
    p.t.a.z += lift;
    // The others above, so that only the corner can touch.
    p.t.b.z = p.t.b.x + r.unit() + 0x1p-20;
    p.t.c.z = p.t.c.x + r.unit() + 0x1p-20;
    return shuffled(r, p);
}

/// An edge of each through a common point, exact on a grid, the triangles on both sides of the plane
/// that the edges span; or t moved away by 2^-30 or by an edge's length.
inline TriangleTwo edge_on_edge(Random& r) {
    const Vec3 m = grid_point(r, 40), u = grid_point(r, 40), v = grid_point(r, 40), n = cross(u, v);
    const auto beside = [&] { return m + u * (r.unit() - 0.5) + v * (r.unit() - 0.5); };
    TriangleTwo p{{m - u, m + u, beside() + n}, {m - v, m + v, beside() - n}};
    const int away = r.below(3);
    if (away == 1) p.t = each(p.t, [&](const Vec3& x) { return x - n * 0x1p-30; });
    if (away == 2) p.t = each(p.t, [&](const Vec3& x) { return x + u * 2; });
    return shuffled(r, p);
}

/// A million times longer than wide.
inline TriangleTwo needles(Random& r) {
    const auto needle = [&](const Vec3& through) {
        const Vec3 d = r.point();
        const double k = r.unit();
        const Vec3 a = through - d * k, b = through + d * (1 - k);
        return Triangle{a, b, a + d * r.unit() + r.point() * 1e-6};
    };
    const Vec3 m = r.point();
    return {needle(m), needle(m + r.point() * 1e-6)};
}

/// Triangles that are segments or points, on a grid that makes contacts common, with proper ones.
inline Triangle degenerate(Random& r, const Triangle& other) {
    const auto corner = [&]() -> Vec3 {
        switch (r.below(4)) {
            case 0:
                return other.a;
            case 1:
                return (other.a + other.b) * 0.5;
            case 2:
                return other.a * 0.5 + other.b * 0.25 + other.c * 0.25;
            default:
                return grid_point(r, 2);
        }
    };
    const Vec3 a = corner(), b = corner();
    switch (r.below(4)) {
        case 0:
            return {a, a, a};
        case 1:
            return {a, b, a};
        case 2:
            return {a, b, (a + b) * 0.5};
        default:
            return {a, a * 0.75 + b * 0.25, b};
    }
}
inline TriangleTwo degenerates(Random& r) {
    TriangleTwo p{{grid_point(r, 2), grid_point(r, 2), grid_point(r, 2)}, {}};
    if (r.below(3) == 0) p.s = degenerate(r, p.s);
    p.t = degenerate(r, p.s);
    return shuffled(r, p);
}
/// The same with all bits in use: collinear because corners are equal or twice each other.
inline TriangleTwo degenerates_full(Random& r) {
    const Vec3 a = r.point(), b = r.point();
    const std::array<Vec3, 4> on_line{a, a * 2, a * 0.5, a * -1};
    const auto corner = [&] { return on_line[static_cast<std::size_t>(r.below(4))]; };
    TriangleTwo p{{corner(), corner(), corner()}, {corner(), corner(), corner()}};
    switch (r.below(4)) {
        case 0:
            p.t = {b, b * (r.flip() ? -1 : 0.5), corner()};
            break;
        case 1:
            p.t = {b, r.point(), r.point()};
            break;
        case 2:
            p.t = {at(any(r), 0.5, 0), corner() * r.unit(), b};
            break;
        default:
            break;
    }
    return shuffled(r, p);
}

/// Features of a millimetre a thousand kilometres from the origin.
inline TriangleTwo far_away(Random& r) {
    TriangleTwo p;
    switch (r.below(4)) {
        case 0:
            p = random(r);
            break;
        case 1:
            p = shared_vertex(r);
            break;
        case 2:
            p = shared_edge(r);
            break;
        default:
            p = nearly_coplanar(r);
            break;
    }
    const auto place = [](const Vec3& v) { return v * 1e-3 + Vec3{1e6, -1e6, 1e6}; };
    return {each(p.s, place), each(p.t, place)};
}

inline TriangleTwo mixed(Random& r);

inline TriangleTwo scaled(Random& r, double by) {
    const TriangleTwo p = mixed(r);
    const auto scale = [&](const Vec3& v) { return v * by; };
    return {each(p.s, scale), each(p.t, scale)};
}
inline TriangleTwo tiny(Random& r) { return scaled(r, 1e-12); }
inline TriangleTwo large(Random& r) { return scaled(r, 1e12); }
/// Subnormal numbers; products of them vanish in double.
inline TriangleTwo subnormal(Random& r) { return scaled(r, std::ldexp(1.0, -1074 + r.below(60))); }
/// Products of three, or of two, that are just about subnormal: they lose bits without vanishing.
inline TriangleTwo underflow(Random& r) {
    return scaled(r, std::ldexp(1.0, r.flip() ? -335 - r.below(25) : -505 - r.below(30)));
}
/// Products overflow in double.
inline TriangleTwo huge(Random& r) { return scaled(r, std::ldexp(1.0, 1000 - r.below(20))); }

/// Coordinates of all magnitudes from 1e-310 to 1e300 in one pair, with contacts.
inline TriangleTwo magnitudes(Random& r) {
    const auto number = [&] { return std::ldexp(r.full(), r.below(2026) - 1029); };
    const auto corner = [&] { return Vec3{number(), number(), number()}; };
    TriangleTwo p{{corner(), corner(), corner()}, {corner(), corner(), corner()}};
    switch (r.below(4)) {
        case 0:
            p.t.a = p.s.a;
            break;
        case 1:
            p.t.a = (p.s.a + p.s.b) * 0.5;
            break;
        case 2: {
            const double z = number();
            for (Vec3* v : {&p.s.a, &p.s.b, &p.s.c, &p.t.a, &p.t.b, &p.t.c}) v->z = z;
            break;
        }
        default:
            p.t.a = at(p.s, r.unit() * 0.5, r.unit() * 0.5);
            p.t.b = p.t.b * 0x1p-60;
            break;
    }
    return shuffled(r, p);
}

/// A corner of t on an edge or the face of s: rounded (a hair to either side), or exact.
inline TriangleTwo t_junction(Random& r) {
    TriangleTwo p{any(r), any(r)};
    const double u = r.unit();
    switch (r.below(5)) {
        case 0:
            p.t.a = at(p.s, u, 0);
            break;
        case 1:
            p.t.a = at(p.s, u, (1 - u) * r.unit());
            break;
        case 2:
            p.t.a = at(p.s, u, 1 - u);
            break;
        case 3:
            p.s.a = grid_point(r, 50);
            p.s.b = grid_point(r, 50);
            p.t.a = (p.s.a + p.s.b) * 0.5;
            break;
        default:
            // s and t in one plane, on both sides of s's edge.
            p.t.a = at(p.s, u, 0);
            p.t.b = at(p.s, u - 0.1, -0.5);
            p.t.c = at(p.s, u + 0.1, -0.5);
            break;
    }
    return shuffled(r, p);
}

/// Corners with integer coordinates 0 to 4: every kind of exact tie.
inline TriangleTwo integers(Random& r) {
    const int size = 2 + r.below(4);
    const auto corner = [&] {
        return Vec3{static_cast<double>(r.below(size)), static_cast<double>(r.below(size)),
                    static_cast<double>(r.below(size))};
    };
    return {{corner(), corner(), corner()}, {corner(), corner(), corner()}};
}

/// The same triangle twice, or with one corner moved a little or far.
inline TriangleTwo duplicates(Random& r) {
    TriangleTwo p = random(r);
    const Vec3 away = r.point();
    switch (r.below(4)) {
        case 0:
            p.t = p.s;
            break;
        case 1:
            p.t = p.s;
            p.t.a.x = nudged(r, p.t.a.x, 3);
            break;
        case 2:
            p.t = each(p.s, [&](const Vec3& v) { return v + away * 0x1p-30; });
            break;
        default:
            p.t = each(p.s, [&](const Vec3& v) { return Vec3{v.x, v.y, v.z + 0x1p-30}; });
            break;
    }
    return shuffled(r, p);
}

inline TriangleTwo mixed(Random& r) {
    switch (r.below(8)) {
        case 0:
            return random(r);
        case 1:
            return nearly_coplanar(r);
        case 2:
            return coplanar_tilted(r);
        case 3:
            return shared_vertex(r);
        case 4:
            return vertex_on_face(r);
        case 5:
            return t_junction(r);
        case 6:
            return degenerates(r);
        default:
            return integers(r);
    }
}

}  // namespace family

struct Family {
    const char* name;
    TriangleTwo (*make)(Random&);
};

inline constexpr Family families[] = {
    {"random", family::random},
    {"nearly_coplanar", family::nearly_coplanar},
    {"coplanar_axis", family::coplanar_axis},
    {"coplanar_tilted", family::coplanar_tilted},
    {"coplanar_full", family::coplanar_full},
    {"shared_vertex", family::shared_vertex},
    {"shared_edge", family::shared_edge},
    {"almost_shared", family::almost_shared},
    {"vertex_on_face", family::vertex_on_face},
    {"edge_on_edge", family::edge_on_edge},
    {"needles", family::needles},
    {"degenerates", family::degenerates},
    {"degenerates_full", family::degenerates_full},
    {"far_away", family::far_away},
    {"tiny", family::tiny},
    {"large", family::large},
    {"subnormal", family::subnormal},
    {"underflow", family::underflow},
    {"huge", family::huge},
    {"magnitudes", family::magnitudes},
    {"t_junction", family::t_junction},
    {"integers", family::integers},
    {"duplicates", family::duplicates},
};

}  // namespace graze::test
