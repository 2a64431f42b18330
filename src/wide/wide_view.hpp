// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "tree/obb.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// Shows a wide tree to the pair walk. Boxes are made orthonormal, in double, when they are asked for.
class WideView {
public:
    using Volume = Obb;

    /// All points are within S, the sum of the root's extents, of its centre. The extents of a box below are at most
    /// about S each, and its centre is at most 2.8 S away. A frame of twice S brings these to 0.6 and 1.4, well within
    /// what `PairTest<Obb>` assumes.
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

    /// A rectangular box around the zonotope of a `WideBox`.
    ///
    /// Let q and p be the first two axes as stored integers. Then q, (q·q) p − (q·p) q and q × p are at right angles,
    /// and exact in double as they stay below 2^48. Their lengths are good to 2.5 u (u = 2^-53) and the quotients to
    /// one more: the axes' squared lengths are 1 to 7 u, and the axes are at right angles to 2 u. The extents along
    /// such an axis r are Σ half_i |r · a_i|, less than 2 in the frame. 8 u of their rounding and 3 u of the centre's
    /// stay below the 32 u that are added.
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

    Frame frame;  ///< frame of the volumes

private:
    const WideTree& tree_;
    double scale_ = 1;  ///< the tree's unit in the frame
};

}  // namespace graze::detail
