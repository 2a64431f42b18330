// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "wide/wide_fit.hpp"

namespace graze::detail {

/// Count, mean and second moments about the mean of a set of points. Two sets merge in constant time, so the statistics
/// of a whole tree cost one pass.
struct MergedMoments {
    double n = 0;
    Vec3 mean;                       ///< in units, relative to the model's middle
    std::array<double, 6> second{};  ///< xx, xy, xz, yy, yz, zz

    void merge(const MergedMoments& o) {
        const double total = n + o.n;
        if (total == 0) return;
        const Vec3 d = o.mean - mean;
        const double w = n * o.n / total;
        second[0] += o.second[0] + w * d.x * d.x, second[1] += o.second[1] + w * d.x * d.y;
        second[2] += o.second[2] + w * d.x * d.z, second[3] += o.second[3] + w * d.y * d.y;
        second[4] += o.second[4] + w * d.y * d.z, second[5] += o.second[5] + w * d.z * d.z;
        mean = mean + d * (o.n / total);
        n = total;
    }
};

/// Three unit vectors, one per row, good for choosing a box. Its extents follow from the axes that are stored.
struct Axes {
    float row[3][3];
};
inline Axes rounded(const Mat3& m) {
    Axes axes;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) axes.row[i][j] = static_cast<float>(m.row[i][j]);
    return axes;
}

/// Points of a node that lie far out in many directions, relative to the centre of its box, in units. Lanes past the
/// count repeat a point.
struct alignas(64) FarPoints {
    static constexpr unsigned most = 32;
    float at[3][most];
    unsigned count;
};

/// The input of a fit of oriented boxes.
struct OrientedFit {
    WideParts parts;
    const Geometry& geometry;
    const TreeSettings& settings;
    Vec3 origin;               ///< the model's middle
    FarPoints* far = nullptr;  ///< one per node
};

/// Fits the boxes of up to eight leaves, which are given by their triangles, and computes their moments.
using Triangles = std::span<const std::uint32_t>;
void fit_oriented_leaves(const OrientedFit& fit, std::span<const Triangles> leaves, WideBox* boxes,
                         MergedMoments* moments);
/// The axes of each covariance, the longest first.
void principal_axes(std::span<const MergedMoments> moments, Axes* out);
/// Fits the box of a node whose children are made, and keeps its far points. `mean` and `axes` are those of the corners
/// below it.
void fit_oriented_node(const OrientedFit& fit, std::size_t node, const Vec3& mean, const Axes& axes);

}  // namespace graze::detail
