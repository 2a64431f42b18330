// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "tree/fit.hpp"
#include "tree/topology.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// The range of the corners of leaves along three axes (one per row, any length), in units. `at[i]` is the centre of
/// leaf i relative to the point of reference, in units.
struct Range {
    float lo[3], hi[3];
};
Range range_along(const float axes[9], std::span<const WideLeaf> leaves, const Vec3* at);

/// A box around points, in the caller's coordinates. Fourth lanes are idle.
struct Bounds {
    double lo[4] = {huge, huge, huge, huge}, hi[4] = {-huge, -huge, -huge, -huge};

    void grow(const Bounds& o) {
        for (int j = 0; j < 3; ++j) lo[j] = std::min(lo[j], o.lo[j]), hi[j] = std::max(hi[j], o.hi[j]);
    }
    /// The largest |coordinate|.
    double bound() const;
    /// A power of two that is no smaller than half the longest side.
    double unit() const;

private:
    static constexpr double huge = std::numeric_limits<double>::infinity();
};
Bounds bounds_of(std::span<const Vec3> points);

/// The arrays of a tree that is being made or refitted.
struct WideParts {
    WideNode* nodes;
    WideLeaf* leaves;
    WideBox* boxes;
    std::uint32_t first_leaf;
    double unit;
};

/// Computes the float boxes of triangles [first, last), in units relative to the origin, for the topology. Returns the
/// box around them all.
Bounds triangle_boxes(const Geometry& geometry, std::size_t first, std::size_t last, const Vec3& origin, double unit,
                      Box4* out);

/// Fits aligned boxes to leaves [first, last), whose triangles are set, and places their corners. Returns the box
/// around them all.
Bounds fit_aligned_leaves(const WideParts& parts, const Geometry& geometry, std::size_t first, std::size_t last);
/// Places a leaf's corners relative to the centre of its box.
void place_corners(const WideParts& parts, const Geometry& geometry, std::size_t leaf);
/// Fits the aligned boxes of nodes [first, last) to their children's boxes, and fills the nodes' lanes.
void fit_aligned_nodes(const WideParts& parts, std::size_t first, std::size_t last);
/// Fills the lanes of a node whose box is made: centres, extents and reach of its children's boxes.
void fill_lanes(const WideParts& parts, std::size_t node);

/// The axes of a box, to within 2⁻⁵² of each entry.
inline void axes_of(const WideBox& box, double out[9]) {
    for (int i = 0; i < 9; ++i) out[i] = box.axes[i] * (1 / static_cast<double>(axis_unit));
}
inline void set_aligned(WideBox& box) {
    for (int i = 0; i < 9; ++i) box.axes[i] = i % 4 == 0 ? static_cast<std::int16_t>(axis_unit) : std::int16_t{0};
}
/// The middle of a range along a box's axes, as a vector.
Vec3 middle(const WideBox& box, const double lo[3], const double hi[3]);
/// Sets the extents of a box whose axes are set and whose centre is at `centre`, from the range of its points along the
/// axes. All are in units relative to one point, with errors up to `error`. Also sets the size of a node.
void set_extents(WideBox& box, const Vec3& centre, const double lo[3], const double hi[3], double error);

/// A quarter of half the surface of a box, in square units.
inline double area(const WideBox& b) {
    const double x = b.half[0], y = b.half[1], z = b.half[2];
    return x * y + y * z + z * x;
}

}  // namespace graze::detail
