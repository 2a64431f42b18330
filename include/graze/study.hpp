// SPDX-License-Identifier: Apache-2.0
// For studies: the papers' trees, fits, splits and Voronoi regions. No setting here changes an answer, and the defaults
// of the everyday headers are the fastest by measurement. graze/graze.hpp does not include this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "graze/hull.hpp"
#include "graze/model.hpp"
#include "graze/query.hpp"
#include "graze/tree.hpp"

namespace graze::study {

// Trees.

/// The structure of a model's tree. Queries take any mixture of trees.
enum class TreeKind : std::uint8_t {
    Wide,    ///< eight children per node, eight triangles per leaf, SIMD; oriented or aligned boxes
    Binary,  ///< the papers' trees: two children per node, one triangle per leaf, double precision; any volume
};

using graze::Volume;

/// The points or surface that the axes of an oriented box follow (OBBTree paper, section 4).
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

/// A tree in all its variants. The defaults are those of `Model::build`.
struct TreeSettings {
    TreeKind tree = TreeKind::Wide;
    Volume volume = Volume::Auto;
    Fit fit = Fit::Vertices;
    bool refine = true;         ///< turns each oriented box about its axes where that shrinks it
    Split split = Split::Area;  ///< used by binary trees only
    unsigned threads = 0;       ///< number of threads of the build; 0 means one per core
};

/// Builds a model with the tree described.
Result<Model> build(const SoupView& soup, const TreeSettings& settings);
/// The settings of the tree that was built. Its volume is never `Auto`.
TreeSettings tree_settings(const Model& model);

// Margins.

/// `graze::within` by the walk for contacts, whose box tests allow for the margin (OBBTree paper, section 7.1). The
/// answer is the same; `graze::within` searches for the distance instead where that is faster.
bool within_by_contacts(const Model& a, const Model& b, const Affine& a_from_b, double margin,
                        const IntersectSettings& settings = {});

// Hulls.

/// One side of a feature's Voronoi region: points with normal · x ≤ offset are nearer to the feature than to `beyond`.
struct VoronoiPlane {
    Vec3 normal;  ///< of unit length
    double offset = 0;
    Feature beyond;
};

/// The features next to one: a vertex's edges, an edge's vertices and faces, a face's edges.
std::vector<Feature> neighbours(const Hull& hull, const Feature& feature);
/// The planes that bound a feature's Voronoi region. A face's region is also bounded by the face itself, which has
/// nothing beyond it and is left out.
std::vector<VoronoiPlane> voronoi_region(const Hull& hull, const Feature& feature);

/// True when the feature is red: it belongs to the model. All others are green: only the hull has them. Vertices are
/// red. An edge is red when a triangle of the model has it as a whole edge. A face is red when the triangles whose
/// corners are all corners of the face are together as large as the face, to 1e-9. A face with further points inside
/// is green, and so is the lid of a hole.
bool red(const Hull& hull, const Feature& feature);
/// A triangle of the model that has a red feature as its corner or edge, or lies within it; nothing for a green one.
std::optional<std::uint32_t> triangle_of(const Hull& hull, const Feature& feature);

}  // namespace graze::study
