// SPDX-License-Identifier: Apache-2.0
// Regions as a model's tree sees them: brought into the tree's frame, so that a test of a volume
// knows no placement. All bounds of error of the placement are made here.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/region.hpp"
#include "tree/obb.hpp"
#include "tree/volume.hpp"

namespace graze::detail {

/// The model's points are within this of the frame's centre, along each axis, in the frame.
inline constexpr double frame_reach = 4;

/// A slab in coordinates x = (p − centre) · 2^-exponent of a frame, with `along` taken as exact.
///
/// A point of the model is certainly beyond a bound of the slab, its image rounded as queries round it,
/// when along · x is below `lo_out` or above `hi_out`; and within when from `lo_in` or up to `hi_in`.
/// There is room for 1024 · 2^-53 of rounding in what is compared.
struct PlacedSlab {
    Vec3 along;  ///< the largest component in [1, 2)
    double lo_out, lo_in, hi_in, hi_out;

    PlacedSlab(const Slab& slab, const Affine& region_from_model, const Frame& frame);
};

/// A box in the frame of a tree, cut down to where the model is: no extent is infinite.
///
/// The points x of the model that are in it (rounding included) obey x = centre + Σ s_j axis_j with
/// |s_j| ≤ half_j. `slack` bounds the rounding of a test with axes L no longer than 1.1, and the extents
/// left out.
struct PlacedBox {
    Vec3 axis[3];  ///< of unit length, at right angles up to `skew`
    Vec3 centre;
    double half[3];
    int thick = 0;  ///< extents that are not zero; these come first
    double widen = 0, slack = 0;
    bool usable = false;  ///< false: too skew, only the slabs serve

    PlacedBox() = default;
    PlacedBox(const Box& box, std::span<const PlacedSlab> slabs);
};

/// One or many slabs, or a box and its three.
struct PlacedRegion {
    std::vector<PlacedSlab> slabs;
    PlacedBox box;

    /// Takes the place of what was there.
    void place(std::span<const Slab> of, const Box* box_of, const Affine& region_from_model, const Frame& frame);

    /// A bit for each slab.
    std::uint64_t open() const { return slabs.empty() ? 0 : ~std::uint64_t{0} >> (64 - slabs.size()); }
    /// False when the volume is certainly apart from the region. Clears the bits of open slabs that the volume is
    /// certainly inside.
    bool operator()(const Obb& volume, std::uint64_t& open) const;
};

}  // namespace graze::detail
