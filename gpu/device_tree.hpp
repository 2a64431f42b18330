// SPDX-License-Identifier: Apache-2.0
// A model as a GPU walks it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/model.hpp"

namespace graze::gpu {

/// An oriented box in 32 bytes, in the tree's frame.
///
/// The first two axes are stored in half precision, and the third is their cross product in real arithmetic. They are
/// orthonormal only to about 2^-10. The extents are chosen such that every point p below satisfies both
///   |a_i · (p − centre)| ≤ h_i             (three slabs), and
///   p − centre = Σ s_i a_i with |s_i| ≤ h_i (a zonotope),
/// so tests may take the stored axes as exact numbers, as those of the CPU's boxes.
struct alignas(32) Box {
    float centre[3];
    std::uint32_t ref;      ///< what is below: see `Ref`
    std::uint32_t axes[3];  ///< six halves, two per word, the low half first: a0.x a0.y, a0.z a1.x, a1.y a1.z
    std::uint32_t half;     ///< extents as floats of 11, 11 and 10 bits with 5 bits of exponent, in `half_unit`
};
static_assert(sizeof(Box) == 32);

/// An extent's bits are the exponent and upper mantissa of a float that counts in this unit: the largest is almost 4.
inline constexpr float half_unit = 0x1p97f;

/// The contents of a box: up to four boxes in a row that begin with number 4·index, or up to two triangles.
namespace ref {
inline constexpr std::uint32_t leaf = 1u << 31;
inline constexpr std::uint32_t max_index = (1u << 24) - 1;
constexpr std::uint32_t count(std::uint32_t r) { return (r >> 29 & 3) + 1; }
/// Twice the binary logarithm of the box's size, plus a constant. The larger partner is opened.
constexpr int size(std::uint32_t r) { return static_cast<int>(r >> 24 & 31); }
constexpr std::uint32_t index(std::uint32_t r) { return r & max_index; }
}  // namespace ref

/// A triangle's exact corners, in the order of the leaves.
struct alignas(16) LeafTriangle {
    double corner[9];
    std::uint32_t id;  ///< index of the caller's triangle
};
static_assert(sizeof(LeafTriangle) == 80);

/// Numbers of a tree that a walk needs besides its boxes.
struct TreeFrame {
    double origin[3];  ///< frame coordinates are (p − origin) / unit
    double unit;       ///< a power of two
    double bound;      ///< at least the largest |coordinate|
    float reach;       ///< at least the distance of any box's centre from the origin, in units
    std::uint32_t depth;
};

/// A tree of four boxes per node and at most two triangles per leaf, breadth first. The root is box 0; it stands alone
/// in the first group of four. Empty for an empty model.
struct DeviceTree {
    std::vector<Box> boxes;
    std::vector<LeafTriangle> triangles;
    TreeFrame frame{};
};

/// The tree of a model. A fault when the model is too large.
Result<DeviceTree> make_tree(const graze::Model& model);

/// The axes and extents of a box as exact numbers, for checks.
struct BoxShape {
    double axis[3][3];
    double half[3];
};
BoxShape shape_of(const Box& box);

}  // namespace graze::gpu
