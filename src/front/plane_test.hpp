// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "tree/volume.hpp"

namespace graze::detail {

/// A plane between two things, noted from one query for the next (temporal coherence paper, section 4.3): its normal G
/// in A's frame, from A to B, and all else that a test along it needs, so that no geometry is touched. The paper keeps
/// it in B's frame; here most are faces of A's boxes, along which these stay flat.
struct SeparatingPlane {
    float axis[3] = {};   ///< about of unit length; all zero: no plane
    float pivot[3] = {};  ///< a point of B's side, in B's frame
    float radius = 0;     ///< B's side is no further from it
    float rest = 0;       ///< both sides' radii: see `PlaneTest`; minus infinity if they have to be looked at again

    Vec3 normal() const { return {axis[0], axis[1], axis[2]}; }
    Vec3 point() const { return {pivot[0], pivot[1], pivot[2]}; }
};

/// Tests on planes for one placement, of matrix M; lengths are in its units (`Placement`).
///
/// A's contents go up to a_unit max G·x along G. B's, x, are mapped to y = offset + b_unit M x + e, so with the pivot c
/// and R = max −(MᵀG)·(x − c), they begin at G·(offset + b_unit M c) − b_unit R − |G·e|. M changes R by no more than
/// |ΔM| times the radius: with Θ the summed norms of M's changes, by (Θ − Θ₀) radius since it was noted. So kept is
///   rest = −a_unit max G·x − b_unit (R − Θ₀ radius),
/// and the two are apart by G·(offset + b_unit M c) + rest − b_unit Θ radius, over |G| ≤ 1 + 2^-20. When B is only
/// shifted this is exact: the distance changes by G·Δt (equation 13).
///
/// Rounding, with u = 2^-53, g = |G|₁ < 1.8, |c| ≤ 3 a coordinate and M's entries below 2:
///   e, by `Placement`:                                 16u g reach
///   offset + b_unit M c, and its product with G:       g (5u reach + 130u b_unit)
///   MᵀG, 6u g an entry, times points of B:             72u g b_unit
///   the extents, along G and MᵀG, |MᵀG|₁ ≤ 6g:         2^-44 g (a_unit + 6 b_unit)
///   the sums:                                          4u g (reach + 8 a_unit + 40 b_unit)
/// That is below g (2^-48 reach + 2^-40 (a_unit + b_unit)), half of `slack_`.
class PlaneTest {
public:
    /// `last`, if any, is the test by which planes were noted before.
    PlaneTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin, const PlaneTest* last);

    /// How far apart the two sides are along a plane's normal, beyond the margin; if positive.
    double gap(const SeparatingPlane& plane) const {
        const double along = dot(plane.normal(), scaled_ * plane.point() + offset_);
        return (along + plane.rest - turned_unit_ * plane.radius - slack_) * (1 - 0x1p-19) - margin_;
    }

    /// Notes a plane across a direction in A's frame. A and B are volumes or the like, in their frames.
    template <class A, class B>
    SeparatingPlane note(const Vec3& direction, const A& a, const B& b) const {
        SeparatingPlane plane = across(direction);
        look(plane, a, b);
        return plane;
    }
    /// The same of a test that found A and B apart, so that they need not be looked at again. The plane's normal is
    /// that axis up to 2^-23, and no two points are further from each other than 1.8 (|offset|₁ + 2 a_unit + 12
    /// b_unit): they are apart along it by what was found, less `turn_`.
    template <class B>
    SeparatingPlane note(const Finding& found, const B& b) const {
        SeparatingPlane plane = across(found.axis);
        pin(plane, b);
        const double along = dot(plane.normal(), scaled_ * plane.point() + offset_);
        plane.rest = below((found.gap + margin_) * (1 - 0x1p-20) - turn_ - along + turned_unit_ * plane.radius);
        return plane;
    }
    /// Notes how far both sides go, along a plane that has been noted.
    template <class A, class B>
    void look(SeparatingPlane& plane, const A& a, const B& b) const {
        pin(plane, b);
        const Vec3 g = plane.normal(), in_b = transposed_ * g;
        const double before = b.extent(-in_b) + dot(in_b, plane.point());
        plane.rest = below(-(a_unit_ * a.extent(g)) - (b_unit_ * before - turned_unit_ * plane.radius));
    }

    int exponent() const { return exponent_; }
    double turned() const { return turned_; }
    /// Whether what the other test noted means the same.
    bool same_units(const PlaneTest& o) const {
        return a_unit_ == o.a_unit_ && b_unit_ == o.b_unit_ && exponent_ == o.exponent_;
    }

private:
    /// A float below x: rounding to one is off by 2^-24 |x| + 2^-150 at most.
    static float below(double x) { return static_cast<float>(x - (std::abs(x) * 0x1p-22 + 0x1p-140)); }

    static SeparatingPlane across(const Vec3& direction) {
        Vec3 g = direction;
        const double square = dot(g, g);
        if (!(std::abs(square - 1) < 0x1p-25)) g = g * (square > 0x1p-900 ? 1 / std::sqrt(square) : 0);
        return {{static_cast<float>(g.x), static_cast<float>(g.y), static_cast<float>(g.z)}};
    }
    template <class B>
    static void pin(SeparatingPlane& plane, const B& b) {
        const Vec3 middle = b.middle();
        for (int i = 0; i < 3; ++i) plane.pivot[i] = static_cast<float>(middle[i]);
        plane.radius = -below(-(b.spread() + 0x1p-20));  // the pivot was rounded, by 2^-24 of 3 a coordinate
    }

    Mat3 transposed_, scaled_;  // Mᵀ, b_unit M
    Vec3 offset_;
    double a_unit_, b_unit_, slack_, turn_, margin_;
    double turned_ = 0, turned_unit_;  // Θ, and times b_unit
    int exponent_;
};

/// A triangle in its model's frame, as planes look at it.
struct TriangleSide {
    Vec3 p[3];

    Vec3 middle() const { return p[0]; }
    double spread() const {
        const Vec3 e = p[1] - p[0], f = p[2] - p[0];
        return std::sqrt(std::max(dot(e, e), dot(f, f)));
    }
    double extent(const Vec3& g) const { return std::max({dot(p[0], g), dot(p[1], g), dot(p[2], g)}); }
};

/// A's triangle and B's, the latter as mapped, both in units and about A's centre: a direction, of unit length, on
/// which the first is before the second: that of the widest gap among the normals, or else the first product of edges.
/// False if none is found; where one is, rounding may have made it up, so it is no proof.
bool separating_axis(const Vec3 (&a)[3], const Vec3 (&b)[3], Vec3& axis);

}  // namespace graze::detail
