// SPDX-License-Identifier: Apache-2.0
#include "solid/winding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "exact/perturbed.hpp"
#include "query/margin.hpp"

namespace graze::detail {

namespace {

int sign_of(double x) { return (x > 0) - (x < 0); }

/// The sign of det(v − u, p − u) seen along x, where p is moved. Zero only when u and v are in the same place there.
int tie_broken(int sign, const Vec3& u, const Vec3& v, int moves) {
    if (sign != 0) return sign;
    // The derivative by p.y is −(v.z − u.z), that by p.z is v.y − u.y.
    return v.z != u.z ? -moves * sign_of(v.z - u.z) : moves * sign_of(v.y - u.y);
}

struct DoubleSigns {
    const Vec3& p;
    int along(int axis, const Vec3& u, const Vec3& v) const { return orient_along(axis, u, v, p); }
    int side(const Triangle& t) const {
        bool used_exact = false;
        return orient3d(t.a, t.b, t.c, p, used_exact);
    }
};

struct DyadicSigns {
    const DyadicVec& p;
    int along(int axis, const Vec3& u, const Vec3& v) const {
        const auto pick = [axis](const DyadicVec& w) {
            return axis == 0 ? std::pair{w.y, w.z} : axis == 1 ? std::pair{w.z, w.x} : std::pair{w.x, w.y};
        };
        const auto [ux, uy] = pick(DyadicVec(v) - u);
        const auto [px, py] = pick(p - u);
        return (ux * py - uy * px).sign();
    }
    int side(const Triangle& t) const { return dot(cross(DyadicVec(t.b) - t.a, DyadicVec(t.c) - t.a), p - t.a).sign(); }
};

template <class Signs>
int pass(const Triangle& t, const Signs& signs, int moves) {
    const int turn = orient_along(0, t.a, t.b, t.c);
    if (turn == 0) return 0;
    for (const auto& [u, v] : {std::pair{&t.a, &t.b}, {&t.b, &t.c}, {&t.c, &t.a}})
        if (tie_broken(signs.along(0, *u, *v), *u, *v, moves) != turn) return 0;
    // A point in the plane moves along x first, and `turn` is the sign of the normal's x.
    int side = signs.side(t);
    if (side == 0) side = moves * turn;
    return side != turn ? turn : 0;
}

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

}  // namespace

ExactPoint::ExactPoint(const Triangle& t, int k) {
    const double inverse = std::ldexp(1.0, -k), weight = std::ldexp(1.0, k) - 2;
    exact = (DyadicVec(t.a) + t.b + DyadicVec(t.c) * weight) * inverse;
    find_near();
}

ExactPoint::ExactPoint(const Vec3& p, const Vec3& q, const Dyadic& at) : exact(DyadicVec(p) + (DyadicVec(q) - p) * at) {
    find_near();
}

void ExactPoint::find_near() {
    near = {quotient(exact.x, 1.0), quotient(exact.y, 1.0), quotient(exact.z, 1.0)};
    error = std::max(largest(near) * 0x1p-52, std::numeric_limits<double>::denorm_min());
}

int passing(const Triangle& t, const Vec3& p, int moves) { return pass(t, DoubleSigns{p}, moves); }

int passing(const Triangle& t, const ExactPoint& p, int moves) {
    return p.error == 0 ? pass(t, DoubleSigns{p.near}, moves) : pass(t, DyadicSigns{p.exact}, moves);
}

bool holds(const Triangle& t, const ExactPoint& p) {
    if (p.error == 0) return meet(t, {p.near, p.near, p.near});
    const DyadicSigns signs{p.exact};
    if (signs.side(t) != 0) return false;
    for (int axis = 0; axis < 3; ++axis)
        if (const int turn = orient_along(axis, t.a, t.b, t.c))
            return turn * signs.along(axis, t.a, t.b) >= 0 && turn * signs.along(axis, t.b, t.c) >= 0 &&
                   turn * signs.along(axis, t.c, t.a) >= 0;
    return false;  // no area: its neighbours hold what it holds
}

namespace {

/// The sign of the determinant. That of a rigid matrix is near 1 or -1.
int mirror_of(const Affine& placement) {
    const auto& [x, y, z] = placement.linear().row;
    if (placement.rigid()) return dot(x, cross(y, z)) < 0 ? -1 : 1;
    return dot(DyadicVec(x), cross(DyadicVec(y), DyadicVec(z))).sign();
}

}  // namespace

FrameBox::FrameBox(const Box& box, const Affine& placement) {
    for (int d = 0; d < 3; ++d) {
        double low = placement.translation()[d], high = low, size = std::abs(low);
        for (int k = 0; k < 3; ++k) {
            const double u = placement.linear().row[d][k] * box.lo()[k], v = placement.linear().row[d][k] * box.hi()[k];
            low += std::min(u, v);
            high += std::max(u, v);
            size += std::max(std::abs(u), std::abs(v));
        }
        // Mapping a point takes six roundings of at most this size, and the sums here as many.
        const double slack = size * 0x1p-48 + std::numeric_limits<double>::denorm_min() * 16;
        lo[d] = low - slack;
        hi[d] = high + slack;
    }
}

Placed::Placed(const Model& m, const Box& box, const Surface& s) : model(m), surface(s), bounds(box) {}

Placed::Placed(const Model& m, const Box& box, const Surface& s, const Affine& frame_from_model)
    : model(m),
      surface(s),
      placement(frame_from_model),
      moved(frame_from_model != Affine()),
      mirror(mirror_of(frame_from_model)),
      bounds(moved ? FrameBox(box, frame_from_model) : FrameBox(box)) {}

Triangle Placed::triangle(std::uint32_t i) const {
    const Triangle t = model.triangle(i);
    return moved ? Triangle{placement(t.a), placement(t.b), placement(t.c)} : t;
}

std::vector<Winding> windings(const Placed& placed, const ExactPoint& p, int moves, bool* on_surface) {
    std::vector<Winding> found;
    if (placed.model.triangle_count() == 0) return found;
    for (int d = 0; d < 3; ++d)
        if (p.near[d] + p.error < placed.bounds.lo[d] || p.near[d] - p.error > placed.bounds.hi[d]) return found;
    const auto take = [&](std::uint32_t i) {
        const Triangle t = placed.triangle(i);
        if (on_surface != nullptr && !*on_surface && holds(t, p)) *on_surface = true;
        const std::uint32_t shell = placed.surface.shell_of[i];
        if (shell == no_shell || !placed.surface.shells[shell].inside) return;
        const int number = placed.turn(i) * passing(t, p, moves);
        if (number == 0) return;
        const auto at = std::ranges::find(found, shell, &Winding::shell);
        if (at == found.end())
            found.push_back({shell, number});
        else
            at->number += number;
    };
    // The ray as a triangle without area. Triangles near it are tested against the exact ray.
    const std::array<Vec3, 2> ends{p.near, Vec3{std::max(placed.bounds.hi.x, p.near.x), p.near.y, p.near.z}};
    const std::array<std::uint32_t, 3> corners{0, 1, 1};
    BuildSettings alone;
    alone.threads = 1;
    if (const Result<Model> ray = Model::build(SoupView(ends, corners), alone)) {
        for_each_contact(*ray, placed.model, placed.placement, 4 * p.error, [&](const Contact& contact) {
            take(contact.triangles.b);
            return Step::Continue;
        });
    } else {
        // Mapped points may lie beyond the range of models.
        for (std::uint32_t i = 0; i < placed.model.triangle_count(); ++i) take(i);
    }
    std::erase_if(found, [](const Winding& w) { return w.number == 0; });
    return found;
}

int total_winding(const Placed& placed, const ExactPoint& p, int moves, bool* on_surface) {
    int sum = 0;
    for (const Winding& w : windings(placed, p, moves, on_surface)) sum += w.number;
    return sum;
}

}  // namespace graze::detail
