// SPDX-License-Identifier: Apache-2.0
// Regions as a model's tree sees them: brought into the tree's frame, so that tests of volumes need no placement. All
// error bounds of the placement are computed here.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/region.hpp"
#include "tree/obb.hpp"
#include "tree/volume.hpp"

namespace graze::detail {

/// The model's points are within this distance of the frame's centre along each axis, in the frame.
inline constexpr double frame_reach = 4;

/// Number of slabs that one walk can handle: it keeps one bit for each.
inline constexpr std::size_t max_slabs = 64;

/// A slab in coordinates x = (p − centre) · 2^-exponent of a frame, with `along` taken as exact.
///
/// A point of the model, its image rounded as queries round it, is certainly beyond a bound of the slab when along · x
/// is below `lo_out` or above `hi_out`. It is certainly within the bound when along · x is at least `lo_in` or at most
/// `hi_in`. The bounds leave room for 1024 · 2^-53 of rounding in what is compared.
struct PlacedSlab {
    Vec3 along;  ///< its largest component is in [1, 2)
    double lo_out, lo_in, hi_in, hi_out;

    PlacedSlab(const Slab& slab, const Affine& region_from_model, const Frame& frame);
};

/// A box in the frame of a tree, clipped to where the model is, so that no extent is infinite.
///
/// The points x of the model that are in it (rounding included) are x = centre + Σ s_j axis_j with |s_j| ≤ half_j.
/// `slack` bounds the rounding of a test with axes L no longer than 1.1, and covers the extents left out.
struct PlacedBox {
    Vec3 axis[3];  ///< of unit length, at right angles up to `skew`
    Vec3 centre;
    double half[3];
    int thick = 0;  ///< number of extents that are not zero; these come first
    double widen = 0, slack = 0;
    bool usable = false;  ///< false when the axes are too skew, so that only the slabs are tested

    PlacedBox() = default;
    PlacedBox(const Box& box, std::span<const PlacedSlab> slabs);
};

/// Any number of slabs, or a box and its three slabs.
struct PlacedRegion {
    std::vector<PlacedSlab> slabs;
    PlacedBox box;

    /// Replaces the region.
    void place(std::span<const Slab> of, const Box* box_of, const Affine& region_from_model, const Frame& frame);

    /// A bit for each slab, all set.
    std::uint64_t open() const { return slabs.empty() ? 0 : ~std::uint64_t{0} >> (64 - slabs.size()); }
    /// False when the volume is certainly apart from the region. Clears the bits of open slabs that the volume is
    /// certainly inside.
    bool operator()(const Obb& volume, std::uint64_t& open) const;
};

}  // namespace graze::detail
