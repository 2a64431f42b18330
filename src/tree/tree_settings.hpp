// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graze/model.hpp"

namespace graze::detail {

/// The structure of a model's tree.
enum class TreeKind : std::uint8_t {
    Wide,    ///< `WideTree`: oriented or aligned boxes
    Binary,  ///< `BvTree`: any volume
};

/// How the axes of an oriented box are chosen (OBBTree paper, section 4).
enum class Fit : std::uint8_t {
    Vertices,      ///< covariance of the vertices
    HullVertices,  ///< covariance of the convex hull's vertices
    HullSurface,   ///< covariance of the convex hull's surface
};

/// Where a node of a binary tree is cut, along the longest axis of its volume that can be cut.
enum class Split : std::uint8_t {
    Mean,      ///< at the mean of the vertices (OBBTree paper)
    Median,    ///< into halves of equal count (both papers)
    Midpoint,  ///< in the middle of the volume; into halves where that leaves one side empty (AABB paper)
    Overlap,   ///< where the parts overlap least, neither more than twice the other (AABB paper)
    Area,      ///< where the surface-area heuristic says, on any axis
};

/// A tree in all its variants. Model files hold the enumerators' numbers.
struct TreeSettings {
    TreeKind tree = TreeKind::Wide;
    Volume volume = Volume::Auto;
    Fit fit = Fit::Vertices;
    bool refine = true;         ///< turns each oriented box about its axes where that shrinks it
    Split split = Split::Area;  ///< used by binary trees only
    unsigned threads = 0;       ///< number of threads of the build; 0 means one per core
};

}  // namespace graze::detail
