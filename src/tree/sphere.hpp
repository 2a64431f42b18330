// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "tree/bv_tree.hpp"
#include "tree/obb.hpp"
#include "tree/volume.hpp"

namespace graze::detail {

/// A ball in a tree's frame.
struct Sphere {
    static constexpr graze::Volume kind = graze::Volume::Sphere;
    static constexpr bool loose = true;

    Vec3 centre;  ///< within [-1, 1]³
    double radius = 0;

    /// The smallest sphere around the points, up to rounding.
    static Sphere around(std::span<const Vec3> points, const TreeSettings&);
    /// The smallest sphere around two others.
    Sphere around(const Sphere& a, const Sphere& b) const;

    bool holds(const Vec3& p) const { return dot(p - centre, p - centre) <= radius * radius; }
    Obb box() const;
    Vec3 nearest(const Vec3& p) const;
    Vec3 middle() const { return centre; }
    double spread() const { return radius; }
    double extent(const Vec3& g) const { return dot(g, centre) + radius * length_of(g); }
    double area() const { return radius * radius; }
};

/// Spheres are apart when their centres are further from each other than the sum of the radii. B's sphere is mapped to
/// an ellipsoid, which a sphere encloses: its radius grows by the matrix's norm, or an upper bound of it.
///
/// The bound. T, the computed vector between the centres, is off by at most `Placement::rounding`({1, 0, 0}) per
/// coordinate, hence by √3 of it, below 2. Both radii, that slack and the margin are multiplied by 1 + 8u (u = 2^-53)
/// beforehand. Their sum s, with three roundings, is then at least the real sum times 1 + 4.9u, and the computed s² is
/// at least the real sum's square times 1 + 8.7u, where T·T is at most |T|² (1 + 3.01u). So T·T > s², both as computed,
/// implies that |T| exceeds the real sum by at least 2.8u of it.
template <>
class PairTest<Sphere> {
public:
    PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin);

    bool a_larger(const Sphere& a, const Sphere& b) const { return a.radius * radius_a_ > b.radius * radius_b_; }

    /// In units. B's centre is mapped; A's is subtracted from the offset.
    struct PlacedB {
        Vec3 centre;
        double radius;
    };
    struct PlacedA {
        Vec3 between;
        double radius;
    };
    PlacedB place_b(const Sphere& b) const { return {scaled_ * b.centre + at_.offset, b.radius * radius_b_ + slack_}; }
    PlacedA place_a(const Sphere& a) const {
        return {at_.offset - a.centre * at_.a_unit, a.radius * radius_a_ + slack_};
    }
    bool apart(const Sphere& a, const PlacedB& b) const {
        return apart(b.centre - a.centre * at_.a_unit, a.radius * radius_a_ + b.radius);
    }
    bool apart(const PlacedA& a, const Sphere& b) const {
        return apart(scaled_ * b.centre + a.between, a.radius + b.radius * radius_b_);
    }
    bool apart(const Sphere& a, const Sphere& b) const { return apart(a, place_b(b)); }

    Finding find(const Sphere& a, const PlacedB& b) const {
        return find(b.centre - a.centre * at_.a_unit, a.radius * radius_a_ + b.radius);
    }
    Finding find(const PlacedA& a, const Sphere& b) const {
        return find(scaled_ * b.centre + a.between, a.radius + b.radius * radius_b_);
    }
    Finding find(const Sphere& a, const Sphere& b) const { return find(a, place_b(b)); }

    double a_size(const Sphere& a) const { return 2 * a.radius * radius_a_; }
    double b_size(const Sphere& b) const { return 2 * b.radius * radius_b_; }
    int exponent() const { return at_.exponent; }

private:
    static Finding find(const Vec3& t, double radii) {
        const double d = length_of(t), excess = d * (1 - 0x1p-50) - radii;
        return {t, apart(t, radii) ? std::max(excess, radii * 0x1p-53) : 0, -excess};
    }
    static bool apart(const Vec3& t, double radii) { return dot(t, t) > radii * radii; }

    Placement at_;
    Mat3 scaled_;
    double radius_a_, radius_b_, slack_;
};

static_assert(sizeof(BvTree<Sphere>::Node) == 40);
extern template struct BvTree<Sphere>;

}  // namespace graze::detail
