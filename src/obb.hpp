// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "graze/math.hpp"
#include "graze/model.hpp"

namespace graze::detail {

/// The coordinates that a tree's volumes live in: (p − centre) · 2^-exponent, within [-1, 1] for
/// the model's points. No product of such numbers overflows, whatever the model's size.
struct Frame {
    Vec3 centre;
    int exponent = 0;

    /// The middle and the size of the points. The exponent is not below -960, so that 2^-exponent is
    /// a number and rounding among subnormal coordinates is far below the slack of any test; models
    /// smaller than that do not fill [-1, 1].
    static Frame around(std::span<const Vec3> points);

    /// Off by at most 2^-53 from the real value, by the rounding of the difference.
    Vec3 local(const Vec3& p) const { return (p - centre) * std::ldexp(1, -exponent); }
};

/// An oriented box in a tree's frame: all p with |axes · (p − centre)| ≤ half, by rows, in real
/// arithmetic on the numbers stored. The longest side comes first.
struct Obb {
    Mat3 axes;  ///< orthonormal to 2^-50
    Vec3 centre;
    Vec3 half;

    /// Around points of magnitude 1 at most that were rounded by `Frame::local`: holds the unrounded.
    static Obb around(std::span<const Vec3> points, const BuildSettings& settings);

    /// The directions that a node is cut along, the best first.
    Vec3 axis(int i) const { return axes.row[i]; }
    /// For points as `around` takes them. The check's own rounding is within what `around` adds.
    bool holds(const Vec3& p) const;
};

/// How two volumes of trees A and B are tested for one pose; there is one for each kind of volume.
template <class Bv>
class PairTest;

/// The paper's separating axes (section 5). Says "apart" only of boxes whose contents, B's mapped
/// and rounded as queries do, are certainly further apart than the margin.
///
/// Works in units of 2^w, at least the size of the larger model and large enough for the
/// placement not to overflow: a model's scale a_unit or b_unit is at most 1, maybe 0.
///
/// The bound. In coordinates y = A·(p − c_A) of A's box, A's points obey |y| ≤ a by definition. B's
/// are y = T + R z + e with |z| ≤ b, R = A M B⁻¹, and e the rounding of mapping. Whatever R is, on
/// an axis L the two are apart when |L·T| > Σ a_i |L_i| + Σ b_k |(RᵀL)_k| + |L|·margin + errors. The
/// axes are those of the paper; what differs is that M is not orthonormal. With F = ‖MᵀM − I‖
/// (Frobenius, at most 3·Pose::tolerance) no entry of RᵀR is off the identity's by more than F, and
/// none of R's cofactors (det R · R⁻ᵀ) off ±R's by more than (1.05 + 0.95) F. So
///   A's faces, L = e_i:         Σ b_k |R_ik|, as it is;
///   B's faces, L = R_j:         b_j + F Σ b_k;
///   edges,     L = e_i × R_j:   Σ_{k≠j} b_k |cofactor| ≤ Σ_{k≠j} b_k (|R_il| + 2F), l the third,
/// all covered by `widen` = 2F + 2^-45 on every |R|; |L| ≤ 1 + F. The 2^-45 holds the boxes' own axes
/// and the rounding of F.
/// Rounding, with u = 2^-53 and S the sum of |c_A|, 2|c_B|, |t|, and 2^(1 + exponent) of B: a mapped
/// vertex is off by 4.5 u S a coordinate, T by 6 u S before it is turned into A's axes and by 8 u S
/// of turning and adding; times |L|₁ and A's rows' |·|₁ (both < 1.8), and 6 u S for the dot product
/// with L: below 64 u S. The boxes' own parts: R is off by at most 48 u, a, b ≤ √3 and |c| ≤ 3 in
/// their frames. That is 250 u (a_unit + b_unit) in the radii, 450 u in L·T (after A's faces |T|₁
/// is bounded by the radii), 160 u in T, 100 u in the sums: below 1024 u (a_unit + b_unit).
template <>
class PairTest<Obb> {
public:
    /// Frames of the trees, and B's pose and the margin in the models' own coordinates.
    PairTest(const Frame& a, const Frame& b, const Pose& a_from_b, double margin);

    /// Whether A's volume is the one to open.
    bool a_larger(const Obb& a, const Obb& b) const { return a.half.x * a_unit_ > b.half.x * b_unit_; }

    /// B's box in A's frame, shared by tests against several boxes of A.
    struct PlacedB {
        Mat3 columns;  // M Bᵀ
        Vec3 centre, half;
    };
    PlacedB place_b(const Obb& b) const {
        return {rotation_ * transpose(b.axes), scaled_ * b.centre + offset_, b.half * b_unit_};
    }
    bool apart(const Obb& a, const PlacedB& b) const {
        const Mat3& c = b.columns;
        const Vec3 between = b.centre - a.centre * a_unit_;
        return separated(
            a.half * a_unit_, b.half,
            [&](int i) { return c.row[0] * a.axes.row[i].x + c.row[1] * a.axes.row[i].y + c.row[2] * a.axes.row[i].z; },
            [&](int i) { return dot(a.axes.row[i], between); });
    }

    /// A's box with its axes taken back to B's frame, shared by tests against several boxes of B.
    struct PlacedA {
        Mat3 rows;     // A M
        Vec3 between;  // A (offset − centre)
        Vec3 half;
    };
    PlacedA place_a(const Obb& a) const {
        return {a.axes * rotation_, a.axes * (offset_ - a.centre * a_unit_), a.half * a_unit_};
    }
    bool apart(const PlacedA& a, const Obb& b) const {
        const Vec3 centre = b.centre * b_unit_;
        return separated(
            a.half, b.half * b_unit_, [&](int i) { return b.axes * a.rows.row[i]; },
            [&](int i) { return dot(a.rows.row[i], centre) + a.between[i]; });
    }

    bool apart(const Obb& a, const Obb& b) const { return apart(a, place_b(b)); }

private:
    /// The 15 axes, given the rows of R and the components of T, which are made as needed: most
    /// boxes that are apart are so along a face axis of A.
    template <class Row, class Component>
    bool separated(const Vec3& a, const Vec3& b, const Row& row, const Component& component) const {
        Vec3 r[3], q[3];
        double t[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = row(i);
            t[i] = component(i);
            q[i] = {std::abs(r[i].x) + widen_, std::abs(r[i].y) + widen_, std::abs(r[i].z) + widen_};
            if (std::abs(t[i]) > a[i] + dot(b, q[i]) + slack_) return true;
        }
        const double b_slack = slack_ + widen_ * (b.x + b.y + b.z);
        for (int j = 0; j < 3; ++j) {
            const double along = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
            if (std::abs(along) > b[j] + (a.x * q[0][j] + a.y * q[1][j] + a.z * q[2][j]) + b_slack) return true;
        }
        for (int i = 0; i < 3; ++i) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            for (int j = 0; j < 3; ++j) {
                const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                const double along = t[i2] * r[i1][j] - t[i1] * r[i2][j];
                const double radii = a[i1] * q[i2][j] + a[i2] * q[i1][j] + b[j1] * q[i][j2] + b[j2] * q[i][j1];
                if (std::abs(along) > radii + slack_) return true;
            }
        }
        return false;
    }

    Mat3 rotation_, scaled_;  // M, and M · b_unit
    Vec3 offset_;             // from A's centre to B's, in units
    double a_unit_, b_unit_, widen_, slack_;
};

}  // namespace graze::detail
