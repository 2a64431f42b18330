// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "tree/volume.hpp"

namespace graze::detail {

/// A plane between two parts, noted in one query for the next (temporal coherence paper, section 4.3): its normal G in
/// A's frame, from A to B, and everything else that a test along it needs, so that no geometry is touched. The paper
/// keeps the normal in B's frame. Here most planes are faces of A's boxes, along which A's boxes stay flat.
struct SeparatingPlane {
    float axis[3] = {};   ///< about unit length; all zero when there is no plane
    float pivot[3] = {};  ///< a point of B's side, in B's frame
    float radius = 0;     ///< radius of a ball around the pivot that holds B's side
    float rest = 0;       ///< the radii of both sides, see `PlaneTest`; minus infinity if they must be measured again

    Vec3 normal() const { return {axis[0], axis[1], axis[2]}; }
    Vec3 point() const { return {pivot[0], pivot[1], pivot[2]}; }
};

/// Tests planes for one placement with matrix M. Lengths are in its units (`Placement`).
///
/// A's contents extend to a_unit max G·x along G. B's contents x are mapped to y = offset + b_unit M x + e. With the
/// pivot c and R = max −(MᵀG)·(x − c), they begin at G·(offset + b_unit M c) − b_unit R − |G·e|. A change of M changes
/// R by at most |ΔM| times the radius. With Θ the summed norms of M's changes, that is (Θ − Θ₀) radius since R was
/// noted. So the plane keeps
///   rest = −a_unit max G·x − b_unit (R − Θ₀ radius),
/// and the two are apart by G·(offset + b_unit M c) + rest − b_unit Θ radius, divided by |G| ≤ 1 + 2^-20. When B is
/// only translated this is exact: the distance changes by G·Δt (equation 13).
///
/// Rounding, with u = 2^-53, g = |G|₁ < 1.8, |c| ≤ 3 per coordinate and M's entries below 2:
///   e, by `Placement`:                                 16u g reach
///   offset + b_unit M c, and its product with G:       g (5u reach + 130u b_unit)
///   MᵀG, 6u g per entry, times points of B:            72u g b_unit
///   the extents, along G and MᵀG, |MᵀG|₁ ≤ 6g:         2^-44 g (a_unit + 6 b_unit)
///   the sums:                                          4u g (reach + 8 a_unit + 40 b_unit)
/// That is below g (2^-48 reach + 2^-40 (a_unit + b_unit)), half of `slack_`.
class PlaneTest {
public:
    /// `last`, if there is one, is the test with which the planes were noted.
    PlaneTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin, const PlaneTest* last);

    /// The distance of the two sides along a plane's normal, beyond the margin, if it is positive.
    double gap(const SeparatingPlane& plane) const {
        const double along = dot(plane.normal(), scaled_ * plane.point() + offset_);
        return (along + plane.rest - turned_unit_ * plane.radius - slack_) * (1 - 0x1p-19) - margin_;
    }

    /// Notes a plane across a direction in A's frame. A and B are volumes or similar, in their own frames.
    template <class A, class B>
    SeparatingPlane note(const Vec3& direction, const A& a, const B& b) const {
        SeparatingPlane plane = across(direction);
        look(plane, a, b);
        return plane;
    }
    /// Notes a plane across the axis of a test that found A and B apart, so that they need not be measured again. The
    /// plane's normal is that axis up to 2^-23, and no two points are further from each other than 1.8 (|offset|₁ + 2
    /// a_unit + 12 b_unit). So the two are apart along the normal by the gap found, less `turn_`.
    template <class B>
    SeparatingPlane note(const Finding& found, const B& b) const {
        SeparatingPlane plane = across(found.axis);
        pin(plane, b);
        const double along = dot(plane.normal(), scaled_ * plane.point() + offset_);
        plane.rest = below((found.gap + margin_) * (1 - 0x1p-20) - turn_ - along + turned_unit_ * plane.radius);
        return plane;
    }
    /// Measures how far both sides extend along a plane that was noted.
    template <class A, class B>
    void look(SeparatingPlane& plane, const A& a, const B& b) const {
        pin(plane, b);
        const Vec3 g = plane.normal(), in_b = transposed_ * g;
        const double before = b.extent(-in_b) + dot(in_b, plane.point());
        plane.rest = below(-(a_unit_ * a.extent(g)) - (b_unit_ * before - turned_unit_ * plane.radius));
    }

    int exponent() const { return exponent_; }
    double turned() const { return turned_; }
    /// Whether planes noted by the other test have the same meaning here.
    bool same_units(const PlaneTest& o) const {
        return a_unit_ == o.a_unit_ && b_unit_ == o.b_unit_ && exponent_ == o.exponent_;
    }

private:
    /// A float below x. Rounding to float is off by at most 2^-24 |x| + 2^-150.
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
        plane.radius = -below(-(b.spread() + 0x1p-20));  // the pivot was rounded, by 2^-24 of 3 per coordinate
    }

    Mat3 transposed_, scaled_;  // Mᵀ, b_unit M
    Vec3 offset_;
    double a_unit_, b_unit_, slack_, turn_, margin_;
    double turned_ = 0, turned_unit_;  // Θ, and Θ times b_unit
    int exponent_;
};

/// A triangle in its model's frame, with the functions that planes need.
struct TriangleSide {
    Vec3 p[3];

    Vec3 middle() const { return p[0]; }
    double spread() const {
        const Vec3 e = p[1] - p[0], f = p[2] - p[0];
        return std::sqrt(std::max(dot(e, e), dot(f, f)));
    }
    double extent(const Vec3& g) const { return std::max({dot(p[0], g), dot(p[1], g), dot(p[2], g)}); }
};

/// Finds an axis of unit length that separates A's triangle from B's mapped triangle, both in units and relative to A's
/// centre, with A's before B's: the normal with the widest gap, or else the first product of edges that separates.
/// False if there is none. Rounding may have made the axis up, so it proves nothing.
bool separating_axis(const Vec3 (&a)[3], const Vec3 (&b)[3], Vec3& axis);

}  // namespace graze::detail
