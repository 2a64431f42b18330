// SPDX-License-Identifier: Apache-2.0
// The least translation that parts two triangles. It leads to the boundary of their Minkowski difference, so its
// direction is a normal of a face of that: a normal of one of the triangles, or the product of an edge of each. Any
// direction parts the triangles after some way, so a normal that is badly known costs length and nothing else.
#include "graze/contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/float_environment.hpp"
#include "exact/triangle_distance.hpp"

namespace graze {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
using Corners = std::array<Vec3, 3>;

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

/// A vector of about length 1 in the direction of v; zero for the zero vector. Products of such vectors neither
/// overflow nor vanish.
Vec3 of_length_one(const Vec3& v) {
    const double most = largest(v);
    if (!(most > 0)) return {};
    int exponent = 0;
    (void)std::frexp(most, &exponent);
    const Vec3 w{std::ldexp(v.x, -exponent), std::ldexp(v.y, -exponent), std::ldexp(v.z, -exponent)};
    return w * (1 / std::sqrt(dot(w, w)));
}

/// A product of unit vectors below this is rounding.
constexpr double least = 0x1p-48;

/// The unit vector across two directions; zero where they are parallel as far as doubles tell.
Vec3 across(const Vec3& u, const Vec3& v) {
    const Vec3 n = cross(u, v);
    return largest(n) > least ? of_length_one(n) : Vec3{};
}

/// A triangle's directions.
struct Sides {
    Corners corner, edge;  ///< edges have length 1, or 0
    Vec3 normal;           ///< zero without area

    explicit Sides(const Corners& c) : corner(c) {
        for (std::size_t i = 0; i < 3; ++i) edge[i] = of_length_one(c[(i + 1) % 3] - c[i]);
        // At the corner with the widest angle nothing cancels.
        for (std::size_t i = 0; i < 3; ++i) {
            const Vec3 n = cross(edge[i], edge[(i + 1) % 3]);
            if (dot(n, n) > dot(normal, normal)) normal = n;
        }
        normal = largest(normal) > least ? of_length_one(normal) : Vec3{};
    }
};

/// The search for the direction of least depth.
class Parting {
public:
    Vec3 best;
    double depth = infinite;

    Parting(const Sides& s, const Sides& t) : s_(s), t_(t) {
        for (const Vec3& n : {s.normal, -t.normal, -s.normal, t.normal}) try_direction(n);
        for (const Vec3& u : s.edge)
            for (const Vec3& v : t.edge) {
                const Vec3 n = across(u, v);
                try_direction(n);
                try_direction(-n);
            }
        // Segments in one line, or in one line with a point: any direction across them.
        if (depth < infinite) return;
        for (const Corners* edges : {&s.edge, &t.edge})
            for (const Vec3& u : *edges) {
                // The axis is far from parallel to u.
                try_direction(across(u, std::abs(u.z) < 0.5 ? Vec3{0, 0, 1} : Vec3{1, 0, 0}));
            }
        if (depth == infinite) try_direction({0, 0, 1});
    }

private:
    void try_direction(const Vec3& n) {
        if (n == Vec3{}) return;
        double of_s = -infinite, of_t = infinite;
        for (const Vec3& c : s_.corner) of_s = std::max(of_s, dot(n, c));
        for (const Vec3& c : t_.corner) of_t = std::min(of_t, dot(n, c));
        // A direction that comes later must be better by more than rounding.
        if (!(of_s - of_t < depth - 0x1p-40)) return;
        depth = of_s - of_t;
        best = n;
    }

    const Sides &s_, &t_;
};

}  // namespace

ContactPoint contact_point(const Triangle& a, const Triangle& b) {
    const detail::DefaultFloats floats;
    ContactPoint out;
    const Intersection common = intersection(a, b);
    if (common.count == 0) {
        const detail::TriangleDistance between(a, b);
        bool used_exact = false;
        const Vec3 on_a = between.on_s(), on_b = between.on_t();
        out.depth = -between.rounded(infinite, used_exact);
        out.point = on_a * 0.5 + on_b * 0.5;
        out.normal = of_length_one(on_b - on_a) + Vec3{};  // no negative zeros
        if (out.normal != Vec3{}) return out;
    } else {
        for (int i = 0; i < common.count; ++i) out.point = out.point + common.points[static_cast<std::size_t>(i)];
        if (common.count > 1) out.point = out.point * (1.0 / common.count);
    }

    // Relative to a corner, and scaled so that the largest coordinate is about 1.
    Corners s{Vec3{}, a.b - a.a, a.c - a.a}, t{b.a - a.a, b.b - a.a, b.c - a.a};
    double most = 0;
    for (const Corners* corners : {&s, &t})
        for (const Vec3& c : *corners) most = std::max(most, largest(c));
    int exponent = 0;
    (void)std::frexp(most, &exponent);
    for (Corners* corners : {&s, &t})
        for (Vec3& c : *corners)
            c = {std::ldexp(c.x, -exponent), std::ldexp(c.y, -exponent), std::ldexp(c.z, -exponent)};
    const Parting parting{Sides(s), Sides(t)};
    out.normal = parting.best + Vec3{};
    if (common.count > 0) out.depth = std::ldexp(std::max(0.0, parting.depth), exponent);
    return out;
}

ContactPoint contact_point(const Model& a, const Model& b, const Affine& a_from_b, const Contact& contact) {
    const Triangle t = b.triangle(contact.triangles.b);
    return contact_point(a.triangle(contact.triangles.a), {a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)});
}

std::vector<ContactPoint> contact_points(const Model& a, const Model& b, const Affine& a_from_b,
                                         std::span<const Contact> contacts) {
    std::vector<ContactPoint> out;
    out.reserve(contacts.size());
    for (const Contact& contact : contacts) out.push_back(contact_point(a, b, a_from_b, contact));
    return out;
}

}  // namespace graze
