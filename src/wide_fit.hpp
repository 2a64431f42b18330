// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "fit.hpp"
#include "wide_tree.hpp"

namespace graze::detail {

/// Count, mean and second moments about the mean of a set of points; sets merge in constant time,
/// so that a whole tree's statistics cost one pass.
struct MergedMoments {
    double n = 0;
    Vec3 mean;
    std::array<double, 6> second{};  ///< xx, xy, xz, yy, yz, zz

    void add_square(const Vec3& d, double w) {
        second[0] += w * d.x * d.x, second[1] += w * d.x * d.y, second[2] += w * d.x * d.z;
        second[3] += w * d.y * d.y, second[4] += w * d.y * d.z, second[5] += w * d.z * d.z;
    }
    void merge(const MergedMoments& o) {
        const double total = n + o.n;
        if (total == 0) return;
        const Vec3 d = o.mean - mean;
        for (int i = 0; i < 6; ++i) second[i] += o.second[i];
        add_square(d, n * o.n / total);
        mean = mean + d * (o.n / total);
        n = total;
    }
};

/// The frame turned about its third, thinnest axis to where the rectangle around the points is
/// smallest, of sixteen angles over a right angle. The points are given by their coordinates along
/// the first two axes. Unlike `refine_axes` it needs no hull and no memory: what a build of
/// millions of boxes can pay.
Mat3 turned(const Mat3& axes, std::span<const float> u, std::span<const float> v);

/// The range of the corners of leaves along three axes (by rows, any length), in units. `at[i]` is
/// the centre of leaf i from the point of reference, in units.
struct Range {
    float lo[3], hi[3];
};
Range range_along(const float axes[9], std::span<const WideLeaf> leaves, const Vec3* at);

}  // namespace graze::detail
