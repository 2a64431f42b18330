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

    /// A closest point on each. Both are on their triangles up to a few units in the last place of the coordinates.
    /// Where the two have a point in common, both are near such a point.
    Vec3 on_s() const;
    Vec3 on_t() const;

private:
    friend class DistanceProof;
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
    double reach_ = 0;                 ///< largest coordinate of p_
    double low_scaled_, high_scaled_;  ///< bounds of the distance, times 2^-exponent
    double low_, high_;
    Weights at_s_, at_t_;
    Vec3 between_;  ///< from the closest point on s to that on t, times 2^-exponent

    friend class Rough;
};

/// A proof that other pairs are no nearer than a given one, in double and without rounding errors. Neighbours of the
/// closest triangles share its closest corner or edge, and are then exactly as close.
///
/// Let n be the true shortest vector from s to t. The planes across it at its ends hold s and t apart, so a pair whose
/// corners are beyond these planes is no nearer. Corners of s and t are beyond them by nature. For another corner c it
/// is shown that n · (c − k) ≤ 0 for a corner k of s, likewise for t. The vector x that was computed is between points
/// of the two convex sets, so |x|² ≥ |n|² + |x − n|², and n is known to √(high² − low²).
class DistanceProof {
public:
    DistanceProof() = default;
    /// Proves nothing where the two may meet.
    explicit DistanceProof(const TriangleDistance& nearest);

    bool covers(const Triangle& s, const Triangle& t) const {
        return made_ && beyond(s, corners_.s, top_s_, -1) && beyond(t, corners_.t, top_t_, 1);
    }
    bool covers(const Vec3&, const Triangle& t) const { return made_ && beyond(t, corners_.t, top_t_, 1); }

private:
    bool beyond(const Triangle& t, const std::array<Vec3, 3>& corners, const Vec3& top, double side) const;

    bool made_ = false;
    TrianglePoints corners_;
    Vec3 n_, top_s_, top_t_;  ///< the vector, and the corners that are furthest along it and against it
    double error_ = 0;        ///< bound of |x − n| and of rounding, for |n| about 1
};

/// The true distance of two triangles, rounded to the nearest double: zero exactly when they meet.
double triangle_distance(const Triangle& s, const Triangle& t);

}  // namespace graze::detail
