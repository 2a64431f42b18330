// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exact/feature_distance.hpp"
#include "graze/triangle.hpp"

namespace graze::detail {

/// The distance between two triangles, or between a point and a triangle. The constructor computes bounds and closest
/// points in double. Every decision is exact: integers are used where the bounds do not suffice.
class TriangleDistance {
public:
    TriangleDistance(const Triangle& s, const Triangle& t) : TriangleDistance(s, t, 3) {}
    TriangleDistance(const Vec3& p, const Triangle& t) : TriangleDistance({p, p, p}, t, 1) {}

    /// The true distance is at least `low` and at most `high`. For two triangles that meet, `low` is at most zero.
    double low() const { return low_; }
    double high() const { return high_; }

    /// True when the true distance is at most `length`, which must not be negative. Sets `used_exact` (and never clears
    /// it) when integers had to decide.
    bool within(double length, bool& used_exact) const;

    /// The true distance, rounded to the nearest double. It is zero exactly when the two have a point in common. A
    /// distance that rounds to at least `below` may be returned as infinity.
    double rounded(double below, bool& used_exact) const;

    /// A closest point on each. Both are on their triangles up to a few units in the last place of the coordinates. Where
    /// the two have a point in common, both are near such a point.
    Vec3 on_s() const;
    Vec3 on_t() const;

private:
    TriangleDistance(const Triangle& s, const Triangle& t, int corners_of_s);

    bool meets(bool& used_exact) const;
    template <class F>
    bool any_feature(double most, F&& f) const;
    double to_scale(double length) const;

    struct Weights {
        double w[3] = {1, 0, 0};
    };

    TrianglePoints given_;
    int corners_of_s_;
    TrianglePoints p_;  ///< relative to a corner of s, times 2^-exponent
    int exponent_ = 0;
    double reach_ = 0;                   ///< largest coordinate of p_
    double low_scaled_, high_scaled_;    ///< bounds of the distance, times 2^-exponent
    double low_, high_;
    Weights at_s_, at_t_;

    friend class Rough;
};

/// The true distance of two triangles, rounded to the nearest double: zero exactly when they meet.
double triangle_distance(const Triangle& s, const Triangle& t);

}  // namespace graze::detail
