// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "obb.hpp"
#include "wide_tree.hpp"

namespace graze::detail {

/// No smaller than the Frobenius norm; of numbers whose squares are in range.
inline double norm(const Mat3& m) {
    return std::sqrt(dot(m.row[0], m.row[0]) + dot(m.row[1], m.row[1]) + dot(m.row[2], m.row[2])) * (1 + 0x1p-40);
}

/// A power of two in (x, 2x].
inline double power_above(double x) { return std::ldexp(1, std::ilogb(x) + 1); }

/// A placement's inverse, by cofactors, and how good it is.
struct Inverse {
    Mat3 matrix;

    explicit Inverse(const Mat3& m) {
        const Vec3 c0 = cross(m.row[1], m.row[2]), c1 = cross(m.row[2], m.row[0]), c2 = cross(m.row[0], m.row[1]);
        const double s = 1 / dot(m.row[0], c0);
        matrix = transpose({{c0 * s, c1 * s, c2 * s}});
    }

    /// Bounds ‖matrix · m − I‖ and ‖m · matrix − I‖: what the matrix, times any vector from either side, is off,
    /// relative to the true inverse times it. Each entry of the products is off by 4 · 2^-53 of the lengths of a row
    /// and a column.
    double residual(const Mat3& m) const {
        Mat3 left = matrix * m, right = m * matrix;
        for (int i = 0; i < 3; ++i) left.row[i][i] -= 1, right.row[i][i] -= 1;
        return std::max(norm(left), norm(right)) + 0x1p-50 * (norm(matrix) * norm(m));
    }
};

/// Whether the wide walk can take the two: within these ratios nothing in float32 overflows, and an affine
/// placement's inverse is good enough (docs/exactness.md, "Range"). The pair walk over two views takes any.
inline bool fits_float(const WideTree& a, const WideTree& b, const Affine& a_from_b, double margin) {
    constexpr double most = 0x1p36;
    if (a_from_b.rigid())
        return b.unit <= most * a.unit && a.unit <= most * b.unit && margin <= most * std::min(a.unit, b.unit);
    const Mat3& m = a_from_b.linear();
    const double size = norm(m);
    if (!(size >= 0x1p-80)) return false;
    const Inverse inverse(m);
    const double inverse_size = norm(inverse.matrix) * (1 + 0x1p-20);
    if (!(size * inverse_size <= 0x1p16 && inverse.residual(m) <= 0x1p-23)) return false;
    // The units as seen from the other tree, and nothing in double overflows.
    const double b_in_a = power_above(size) * b.unit, a_in_b = power_above(inverse_size) * a.unit;
    const Vec3& t = a_from_b.translation();
    return b_in_a <= most * a.unit && a.unit <= most * b_in_a && a_in_b <= most * b.unit && margin <= most * a.unit &&
           inverse_size * margin <= most * b.unit && size * b.bound <= 0x1p1010 &&
           inverse_size * (a.bound + std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)})) <= 0x1p1010;
}

/// A wide tree as the pair walk sees trees: its boxes made orthonormal, in double, as they are asked
/// for.
class WideView {
public:
    using Volume = Obb;

    /// All points are within S, the sum of the root's extents, of its centre; the extents of a box below
    /// it are at most about S each and its centre at most 2.8 S away. A frame of twice S brings these
    /// to 0.6 and 1.4, well within what `PairTest<Obb>` assumes.
    explicit WideView(const WideTree& tree) : tree_(tree) {
        if (tree.empty()) return;
        const WideBox& root = tree.boxes[0];
        frame.centre = {root.centre[0], root.centre[1], root.centre[2]};
        const double sum = static_cast<double>(root.half[0]) + root.half[1] + root.half[2];
        const double size = 2 * (sum * tree.unit);
        frame.exponent = size > 0 ? std::max(-960, std::ilogb(size) + 1) : -960;
        scale_ = std::ldexp(tree.unit, -frame.exponent);
    }

    bool empty() const { return tree_.empty(); }
    std::uint32_t root() const { return 0; }
    bool leaf(std::uint32_t n) const { return n >= tree_.first_leaf(); }
    std::span<const std::uint32_t> children(std::uint32_t n) const {
        return {tree_.nodes[n].ref, tree_.boxes[n].count};
    }
    std::span<const std::uint32_t> triangles(std::uint32_t n) const {
        return {tree_.leaves[n - tree_.first_leaf()].id, tree_.boxes[n].count};
    }

    /// A box of right angles around the zonotope of a `WideBox`.
    ///
    /// With the integers q and p, the first two axes as stored, q, (q·q) p − (q·p) q and q × p are at
    /// right angles, and exact in double as they stay below 2^48. Their lengths are good to 2.5 u (u =
    /// 2^-53) and the quotients to one more: squared, unit to 7 u, and at right angles to 2 u. The extents
    /// along such an axis r are Σ half_i |r · a_i|, less than 2 in the frame: 8 u of rounding of that
    /// and 3 u of the centre's stay below the 32 u added.
    Obb volume(std::uint32_t n) const {
        const WideBox& box = tree_.boxes[n];
        const auto stored = [&](int i) {
            return Vec3{static_cast<double>(box.axes[3 * i]), static_cast<double>(box.axes[3 * i + 1]),
                        static_cast<double>(box.axes[3 * i + 2])};
        };
        const Vec3 q = stored(0), p = stored(1), s = stored(2);
        const Vec3 at_right_angles[3] = {q, p * dot(q, q) - q * dot(q, p), cross(q, p)};
        Vec3 axis[3], half;
        for (int i = 0; i < 3; ++i) {
            const Vec3& v = at_right_angles[i];
            const double norm = std::sqrt(dot(v, v));
            axis[i] = {v.x / norm, v.y / norm, v.z / norm};
            half[i] = (std::abs(dot(axis[i], q)) * box.half[0] + std::abs(dot(axis[i], p)) * box.half[1] +
                       std::abs(dot(axis[i], s)) * box.half[2]) *
                          (scale_ / axis_unit) +
                      0x1p-48;
        }
        int order[3] = {0, 1, 2};
        std::sort(order, order + 3, [&](int i, int j) { return half[i] > half[j]; });
        const Vec3 centre{box.centre[0], box.centre[1], box.centre[2]};
        return {{{axis[order[0]], axis[order[1]], axis[order[2]]}},
                frame.local(centre),
                {half[order[0]], half[order[1]], half[order[2]]}};
    }

    Frame frame;  ///< of the volumes

private:
    const WideTree& tree_;
    double scale_ = 1;  ///< the tree's unit in the frame
};

}  // namespace graze::detail
