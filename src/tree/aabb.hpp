// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "tree/bv_tree.hpp"
#include "tree/obb.hpp"
#include "tree/volume.hpp"

namespace graze::detail {

/// A box along the model's axes, in a tree's frame.
struct Aabb {
    static constexpr graze::Volume kind = graze::Volume::Aabb;

    Vec3 low, high;

    static Aabb around(std::span<const Vec3> points, const TreeSettings&);
    /// The box around two others. It is as tight as the box around their points, bit for bit.
    Aabb around(const Aabb& a, const Aabb& b) const;

    bool holds(const Vec3& p) const {
        return low.x <= p.x && p.x <= high.x && low.y <= p.y && p.y <= high.y && low.z <= p.z && p.z <= high.z;
    }
    Obb box() const;
    Vec3 middle() const { return (low + high) * 0.5; }
    double spread() const { return 0.5 * std::sqrt(dot(high - low, high - low)); }
    double extent(const Vec3& g) const {
        return std::max(g.x * low.x, g.x * high.x) + std::max(g.y * low.y, g.y * high.y) +
               std::max(g.z * low.z, g.z * high.z);
    }
    double area() const {
        const Vec3 d = high - low;
        return d.x * d.y + d.y * d.z + d.z * d.x;
    }
};

/// Separating axes of two boxes whose relative orientation is the same for a whole query (AABB paper, sections 3 and
/// 6). Everything that depends on the matrix R alone is computed once.
///
/// Any matrix will do. Let T be the vector between the boxes, a and b their half sizes, and R_k the columns of R. On an
/// axis L the boxes are apart when
///     |L·T| > Σ a_i |L_i| + Σ b_k |L·R_k| + slack.
/// This holds for every L, so an axis may be inaccurate; only the sums must not be too small.
///   A's faces, L = e_i:         |L·R_k| = |R_ik| without rounding.
///   B's faces, L = N_j, R_{j+1} × R_{j+2} as computed: |L·R_j| is the determinant and the others would be 0. Each is
///                               computed and widened by 8u Σ|L_i R_ik|, and the others go into the slack.
///   edges, L = e_i × R_j:       two entries of R, without rounding; L·R_j = 0 exactly, and for k ≠ j it is component
///                               i of N, of the third column l, widened by 8u times the products that it is made of.
/// `Placement::rounding` covers the rest: centres and half sizes, which are doubled here and rounded once, are within
/// its bounds. R's entries are below 2, so those of L are at most 8.
template <>
class PairTest<Aabb> {
public:
    /// Whether queries test the nine edge axes ("SAT") or leave them out ("SAT lite", AABB paper, section 3).
    static constexpr bool edges = false;

    PairTest(const Frame& a, const Frame& b, const Affine& a_from_b, double margin);

    bool a_larger(const Aabb& a, const Aabb& b) const {
        const Vec3 da = a.high - a.low, db = b.high - b.low;
        return (da.x + da.y + da.z) * half_a_ > (db.x + db.y + db.z) * half_b_;
    }

    /// B's box in A's frame, and A's box relative to B's origin, in units.
    struct PlacedB {
        Vec3 centre, half;
    };
    struct PlacedA {
        Vec3 between, half;
    };
    PlacedB place_b(const Aabb& b) const {
        return {scaled_ * (b.low + b.high) + at_.offset, (b.high - b.low) * half_b_};
    }
    PlacedA place_a(const Aabb& a) const {
        return {at_.offset - (a.low + a.high) * half_a_, (a.high - a.low) * half_a_};
    }

    template <bool with_edges = edges>
    bool apart(const Aabb& a, const PlacedB& b) const {
        return on_axes<with_edges>(a, b, stop);
    }
    template <bool with_edges = edges>
    bool apart(const PlacedA& a, const Aabb& b) const {
        return on_axes<with_edges>(a, b, stop);
    }
    template <bool with_edges = edges>
    bool apart(const Aabb& a, const Aabb& b) const {
        return apart<with_edges>(a, place_b(b));
    }

    /// The best axis among A's faces, or else among B's. The lengths of B's normals are off by far less than 2^-40.
    template <class A, class B>
    Finding find(const A& a, const B& b) const {
        Finding found;
        found.depth = std::numeric_limits<double>::infinity();
        on_axes<edges>(a, b, [&](int first, const double(&along)[3], const double(&excess)[3]) {
            const double best = std::max(std::max(excess[0], excess[1]), excess[2]);
            found.depth = std::min(found.depth, -best);
            if (!(best > 0)) return false;
            const int i = excess[0] == best ? 0 : excess[1] == best ? 1 : 2;
            const Vec3 l = axis(first + i);
            found.axis = along[i] < 0 ? -l : l;
            found.gap = (first == 0 ? best : best / length_of(l)) * (1 - 0x1p-40);
            return true;
        });
        return found;
    }
    Finding find(const Aabb& a, const Aabb& b) const { return find(a, place_b(b)); }

    double a_size(const Aabb& a) const { return 2 * half_a_ * longest(a); }
    double b_size(const Aabb& b) const { return 2 * half_b_ * longest(b); }
    int exponent() const { return at_.exponent; }

private:
    static double longest(const Aabb& box) {
        const Vec3 d = box.high - box.low;
        return std::max({d.x, d.y, d.z});
    }

    template <bool with_edges, class F>
    bool on_axes(const Aabb& a, const PlacedB& b, F&& f) const {
        return on_axes<with_edges>((a.high - a.low) * half_a_, b.half, b.centre - (a.low + a.high) * half_a_, f);
    }
    template <bool with_edges, class F>
    bool on_axes(const PlacedA& a, const Aabb& b, F&& f) const {
        return on_axes<with_edges>(a.half, (b.high - b.low) * half_b_, scaled_ * (b.low + b.high) + a.between, f);
    }

    static constexpr auto stop = [](int, const double (&)[3], const double (&excess)[3]) {
        return static_cast<bool>((excess[0] > 0) | (excess[1] > 0) | (excess[2] > 0));
    };

    /// Calls f(first axis, L·T, excess) for three axes at a time until it returns true. A branch per axis would be
    /// mispredicted too often.
    template <bool with_edges, class F>
    bool on_axes(const Vec3& a, const Vec3& b, const Vec3& t, F&& f) const {
        double along[3], excess[3];
        for (int i = 0; i < 3; ++i) {
            along[i] = t[i];
            excess[i] = std::abs(t[i]) - (a[i] + dot(b, abs_.row[i]) + slack_[i]);
        }
        if (f(0, along, excess)) return true;
        for (int j = 0; j < 3; ++j) {
            along[j] = dot(normal_[j], t);
            excess[j] = std::abs(along[j]) - (dot(abs_normal_[j], a) + volume_[j] * b[j] + slack_[3 + j]);
        }
        if (f(3, along, excess)) return true;
        if constexpr (with_edges) {
            for (int i = 0; i < 3; ++i) {
                const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
                const Vec3 &r1 = at_.matrix.row[i1], &r2 = at_.matrix.row[i2], &q1 = abs_.row[i1], &q2 = abs_.row[i2];
                for (int j = 0; j < 3; ++j) {
                    const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                    const double radii =
                        a[i1] * q2[j] + a[i2] * q1[j] + b[j1] * wide_normal_[j2][i] + b[j2] * wide_normal_[j1][i];
                    along[j] = t[i2] * r1[j] - t[i1] * r2[j];
                    excess[j] = std::abs(along[j]) - (radii + slack_[6 + 3 * i + j]);
                }
                if (f(6 + 3 * i, along, excess)) return true;
            }
        }
        return false;
    }
    Vec3 axis(int i) const;

    Placement at_;
    double half_a_, half_b_;                           // units of the doubled centres and half sizes
    Mat3 scaled_, abs_;                                // R · half_b, |R|
    Vec3 normal_[3], abs_normal_[3], wide_normal_[3];  // N_j, |N_j|, and N_j widened for the edges
    Vec3 volume_;                                      // |N_j · R_j|, widened
    double slack_[15];
};

static_assert(sizeof(BvTree<Aabb>::Node) == 56);
extern template struct BvTree<Aabb>;

}  // namespace graze::detail
