// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "tree/bv_tree.hpp"
#include "tree/volume.hpp"

namespace graze::detail {

/// An oriented box in a tree's frame: all p with |axes · (p − centre)| ≤ half, row by row, in real arithmetic on the
/// stored numbers. The longest side comes first.
struct Obb {
    static constexpr graze::Volume kind = graze::Volume::Obb;
    static constexpr bool loose = true;

    Mat3 axes;  ///< orthonormal to 2^-50
    Vec3 centre;
    Vec3 half;

    /// The box around points of magnitude at most 1 that were rounded by `Frame::local`. It holds the unrounded points.
    static Obb around(std::span<const Vec3> points, const TreeSettings& settings);

    /// The box around two others, along the axes of this one.
    Obb around(const Obb& a, const Obb& b) const;

    Vec3 axis(int i) const { return axes.row[i]; }
    /// Whether the box holds a point rounded by `Frame::local`. The rounding of this check is within what `around`
    /// adds.
    bool holds(const Vec3& p) const;
    const Obb& box() const { return *this; }
    Vec3 middle() const { return centre; }
    double spread() const { return std::sqrt(dot(half, half)); }
    double extent(const Vec3& g) const {
        const Vec3 along = axes * g;
        return dot(g, centre) + (std::abs(along.x) * half.x + std::abs(along.y) * half.y + std::abs(along.z) * half.z);
    }
    double area() const { return half.x * half.y + half.y * half.z + half.z * half.x; }
};

/// The paper's separating axes (section 5). Boxes are "apart" only if their contents, B's mapped and rounded as queries
/// do, are certainly further apart than the margin.
///
/// The bound. Let M = σ M', where σ is a power of two such that ‖M'‖ ≤ 1 (Frobenius; σ = 1 when rigid); b_unit includes
/// σ. In coordinates y = A·(p − c_A) of A's box, A's points satisfy |y| ≤ a by definition. B's are y = T + R z + e with
/// |z| ≤ b, R = A M' B⁻¹, and e the rounding of mapping. Whatever R is, on any axis L the two are apart when
///   |L·T| > Σ a_i |L_i| + Σ b_k |L·R_k| + |L|·margin + errors,   R_k the columns.
/// For A's faces, L = e_i, the second sum is Σ b_k |R_ik|.
///
/// Rigid placements: M is not quite orthonormal. With F = ‖MᵀM − I‖ (at most 3·Pose::tolerance), no entry of RᵀR
/// differs from the identity's by more than F, and none of R's cofactors (det R · R⁻ᵀ) differs from ±R's by more than
/// (1.05 + 0.95) F. So
///   B's faces, L = R_j:         b_j + F Σ b_k;
///   edges,     L = e_i × R_j:   Σ_{k≠j} b_k |cofactor| ≤ Σ_{k≠j} b_k (|R_il| + 2F), l the third,
/// all covered by `widen` = 2F + 2^-45 on every |R|; |L| ≤ 1 + F. The 2^-45 covers the boxes' own axes and the rounding
/// of F.
///
/// Other placements: with the computed cofactors N_j = R_{j+1} × R_{j+2},
///   B's faces, L = N_j:         b_j |N_j·R_j|;
///   edges,     L = e_i × R_j:   Σ_{k≠j} b_k |N_li|, as L·R_k is ± a cofactor.
/// L is taken as the numbers that were computed, so only L·R_k has an error: 84 u |L|, because R is off by 48 u per
/// entry, plus 4 u from rounding the cofactors and 3 u from the dot product. That is below `widen` = 2^-44 = 512 u. For
/// a matrix close to singular, N vanishes below `widen`, and these axes find nothing.
///
/// Rounding, with u = 2^-53 and S = `Placement::reach`: a mapped vertex is off by 4.5 u S per coordinate. T is off by 6
/// u S before it is turned into A's axes and by 8 u S from turning and adding, times |L|₁ and the |·|₁ of A's rows
/// (both < 1.8). The dot product with L adds 6 u S. Together this is below 64 u S. The boxes' own parts: R is off by at
/// most 48 u, a, b ≤ √3, and |c| ≤ 3 in their frames. That gives 250 u (a_unit + b_unit) in the radii, 450 u in L·T
/// (after A's faces |T|₁ is bounded by the radii), 160 u in T and 100 u in the sums: below 1024 u (a_unit + b_unit).
/// All of this is relative to |L|, which matters where L is short: the slack of an affine placement is |L|·slack.
template <>
class PairTest<Obb> {
public:
    /// Takes the frames of the trees, and B's pose and the margin in the models' own coordinates.
    PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin);

    /// Whether A's volume is the one to open.
    bool a_larger(const Obb& a, const Obb& b) const { return a.half.x * a_unit_ > b.half.x * b_unit_; }

    /// B's box in A's frame, shared by tests against several boxes of A.
    struct PlacedB {
        Mat3 columns;  // M' Bᵀ
        Vec3 centre, half;
    };
    PlacedB place_b(const Obb& b) const {
        return {linear_ * transpose(b.axes), scaled_ * b.centre + offset_, b.half * b_unit_};
    }
    bool apart(const Obb& a, const PlacedB& b) const { return on_axes(a, b, beyond); }

    /// A's box with its axes mapped back to B's frame, shared by tests against several boxes of B.
    struct PlacedA {
        Mat3 rows;     // A M'
        Vec3 between;  // A (offset − centre)
        Vec3 half;
        const Obb& box;
    };
    PlacedA place_a(const Obb& a) const {
        return {a.axes * linear_, a.axes * (offset_ - a.centre * a_unit_), a.half * a_unit_, a};
    }
    bool apart(const PlacedA& a, const Obb& b) const { return on_axes(a, b, beyond); }

    bool apart(const Obb& a, const Obb& b) const { return apart(a, place_b(b)); }

    /// A lower bound of the distance between the boxes' contents, less the margin, in the models' lengths; 0 where they
    /// may meet. The gaps along A's axes are independent, so their squares add up.
    template <class A, class B>
    double distance(const A& a, const B& b) const {
        double of_a = 0, widest = 0;
        on_axes(a, b, [&](From from, double along, double radii, const auto& direction) {
            const double gap = std::max(0.0, std::abs(along) - radii);
            if (gap == 0) return false;
            if (from == FaceA)
                of_a += gap * gap;
            else
                widest = std::max(widest, gap / length_of(direction()));
            return false;
        });
        // The axes of A are orthonormal, and the lengths right, to far less than 2^-40.
        return std::ldexp(std::max(std::sqrt(of_a), widest) * (1 - 0x1p-40), exponent_);
    }
    double distance(const Obb& a, const Obb& b) const { return distance(a, place_b(b)); }

    Finding find(const Obb& a, const PlacedB& b) const { return find(a, a, b); }
    Finding find(const PlacedA& a, const Obb& b) const { return find(a.box, a, b); }
    Finding find(const Obb& a, const Obb& b) const { return find(a, place_b(b)); }

    double a_size(const Obb& a) const { return 2 * a.half.x * a_unit_; }
    double b_size(const Obb& b) const { return 2 * b.half.x * b_unit_; }
    int exponent() const { return exponent_; }

private:
    template <class Test>
    [[gnu::always_inline]] bool on_axes(const Obb& a, const PlacedB& b, Test&& test) const {
        const Mat3& c = b.columns;
        const Vec3 between = b.centre - a.centre * a_unit_;
        return any_axis(
            a.half * a_unit_, b.half,
            [&](int i) { return c.row[0] * a.axes.row[i].x + c.row[1] * a.axes.row[i].y + c.row[2] * a.axes.row[i].z; },
            [&](int i) { return dot(a.axes.row[i], between); }, test);
    }
    template <class Test>
    [[gnu::always_inline]] bool on_axes(const PlacedA& a, const Obb& b, Test&& test) const {
        const Vec3 centre = b.centre * b_unit_;
        return any_axis(
            a.half, b.half * b_unit_, [&](int i) { return b.axes * a.rows.row[i]; },
            [&](int i) { return dot(a.rows.row[i], centre) + a.between[i]; }, test);
    }

    /// The first axis on which they are apart. If there is none, the faces give an approximate depth.
    template <class A, class B>
    Finding find(const Obb& box, const A& a, const B& b) const {
        Finding found;
        double depth = std::numeric_limits<double>::infinity();
        on_axes(a, b, [&](From from, double along, double radii, const auto& direction) {
            const double excess = std::abs(along) - radii;
            if (from != Edge) depth = std::min(depth, -excess);
            if (!(excess > 0)) return false;
            const Vec3 l = direction();
            const double inv = from == FaceA ? 1 : 1 / length_of(l);
            // The axes of A are orthonormal, and the length of L is right, to far less than 2^-40.
            found.gap = excess * inv * (1 - 0x1p-40);
            found.axis = transpose(box.axes) * (l * (along < 0 ? -inv : inv));
            return true;
        });
        found.depth = depth;
        return found;
    }

    enum From { FaceA, FaceB, Edge };
    /// The test that `apart` makes on an axis: its arguments are L·T, the radii with all slack, and a function that
    /// gives L in A's coordinates.
    static constexpr auto beyond = [](From, double along, double radii, const auto&) {
        return std::abs(along) > radii;
    };

    /// Whether the test holds on one of the 15 axes. The rows of R and the components of T are computed as needed,
    /// because most boxes that are apart are so along a face axis of A.
    template <class Row, class Component, class Test>
    [[gnu::always_inline]] bool any_axis(const Vec3& a, const Vec3& b, const Row& row, const Component& component,
                                         Test&& test) const {
        Vec3 r[3], q[3];
        double t[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = row(i);
            t[i] = component(i);
            q[i] = {std::abs(r[i].x) + widen_, std::abs(r[i].y) + widen_, std::abs(r[i].z) + widen_};
            if (test(FaceA, t[i], a[i] + dot(b, q[i]) + slack_, [&] { return Mat3{}.row[i]; })) return true;
        }
        if (!rigid_) return any_affine_axis(a, b, r, t, test);
        const double b_slack = slack_ + widen_ * (b.x + b.y + b.z);
        for (int j = 0; j < 3; ++j) {
            const double along = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
            const double radii = b[j] + (a.x * q[0][j] + a.y * q[1][j] + a.z * q[2][j]) + b_slack;
            if (test(FaceB, along, radii, [&] { return Vec3{r[0][j], r[1][j], r[2][j]}; })) return true;
        }
        for (int i = 0; i < 3; ++i) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            for (int j = 0; j < 3; ++j) {
                const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                const double along = t[i2] * r[i1][j] - t[i1] * r[i2][j];
                const double radii = a[i1] * q[i2][j] + a[i2] * q[i1][j] + b[j1] * q[i][j2] + b[j2] * q[i][j1];
                if (test(Edge, along, radii + slack_, [&] { return edge_axis(i, r[i1][j], r[i2][j]); })) return true;
            }
        }
        return false;
    }

    /// e_i × R_j, which has two components that may differ from zero.
    static Vec3 edge_axis(int i, double r1, double r2) {
        Vec3 v;
        v[(i + 1) % 3] = -r2, v[(i + 2) % 3] = r1;
        return v;
    }

    /// The twelve axes besides A's face normals.
    template <class Test>
    bool any_affine_axis(const Vec3& a, const Vec3& b, const Vec3 r[3], const double t[3], Test& test) const {
        const Mat3 rows{{r[0], r[1], r[2]}};
        const double b_slack = widen_ * (b.x + b.y + b.z);
        const Vec3 column[3] = {rows.column(0), rows.column(1), rows.column(2)};
        const Vec3 n[3] = {cross(column[1], column[2]), cross(column[2], column[0]), cross(column[0], column[1])};
        for (int j = 0; j < 3; ++j) {
            const Vec3& l = n[j];
            const double radii = a.x * std::abs(l.x) + a.y * std::abs(l.y) + a.z * std::abs(l.z) +
                                 b[j] * std::abs(dot(l, column[j])) + b_slack;
            if (test(FaceB, t[0] * l.x + t[1] * l.y + t[2] * l.z, radii + slack_ * length_of(l), [&] { return l; }))
                return true;
        }
        // Arrays are used because indexing a Vec3 costs a branch where this loop is not unrolled.
        const double ha[3] = {a.x, a.y, a.z}, hb[3] = {b.x, b.y, b.z};
        double row[3][3], cofactor[3][3];
        for (int i = 0; i < 3; ++i) {
            row[i][0] = r[i].x, row[i][1] = r[i].y, row[i][2] = r[i].z;
            cofactor[i][0] = std::abs(n[i].x), cofactor[i][1] = std::abs(n[i].y), cofactor[i][2] = std::abs(n[i].z);
        }
        constexpr int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
        for (int i = 0; i < 3; ++i) {
            const int i1 = next[i], i2 = last[i];
            for (int j = 0; j < 3; ++j) {
                const int j1 = next[j], j2 = last[j];
                const double r1 = row[i1][j], r2 = row[i2][j];
                const double radii = ha[i1] * std::abs(r2) + ha[i2] * std::abs(r1) + hb[j1] * cofactor[j2][i] +
                                     hb[j2] * cofactor[j1][i] + b_slack;
                if (test(Edge, t[i2] * r1 - t[i1] * r2, radii + slack_ * length_of({r1, r2, 0}),
                         [&] { return edge_axis(i, r1, r2); }))
                    return true;
            }
        }
        return false;
    }

    Mat3 linear_, scaled_;  // M', and M' · b_unit
    Vec3 offset_;           // from A's centre to B's, in units
    double a_unit_, b_unit_, widen_, slack_;
    int exponent_;  // exponent of the unit
    bool rigid_;
};

static_assert(sizeof(BvTree<Obb>::Node) == 128);
extern template struct BvTree<Obb>;

}  // namespace graze::detail
