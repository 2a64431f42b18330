// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "graze/result.hpp"
#include "graze/soup.hpp"
#include "graze/triangle.hpp"

namespace graze {

namespace detail {
struct ModelData;
}

/// The tree that a model is searched by. Both give the same answers, in any mixture.
enum class TreeKind : std::uint8_t {
    Wide,    ///< eight oriented boxes a node, eight triangles a leaf, SIMD: the fast one
    Binary,  ///< the OBBTree paper's: two oriented boxes a node, one triangle a leaf, double precision
};

/// What the axes of an oriented box follow (OBBTree paper, section 4).
enum class Fit : std::uint8_t {
    Vertices,      ///< covariance of the vertices
    HullVertices,  ///< covariance of the convex hull's vertices
    HullSurface,   ///< covariance of the convex hull's surface
};

/// Where a binary tree's node is cut, along its box's longest axis that can be cut.
enum class Split : std::uint8_t {
    Mean,    ///< at the mean of the vertices
    Median,  ///< into halves of equal count
};

/// How a model is built. The defaults are the fastest by measurement.
struct BuildSettings {
    TreeKind tree = TreeKind::Wide;
    Fit fit = Fit::Vertices;
    bool refine = true;         ///< turn each box about its thinnest axis when that shrinks it
    Split split = Split::Mean;  ///< of a binary tree
    unsigned threads = 0;       ///< of the build; 0: as many as the machine has
};

/// A soup made ready for queries: its exact triangles and a tree over them. Immutable, cheap to
/// copy (copies share), safe to query from many threads at once.
class Model {
public:
    /// The empty model.
    Model();

    /// Copies the soup and builds the tree. Degenerate, duplicate and zero-area triangles stay;
    /// polygons of more than three corners are triangulated. Empty soups are valid.
    static Result<Model> build(const SoupView& soup, const BuildSettings& settings = {});

    /// Writes the model, tree included; a file that was there is replaced once all is written.
    /// `load` maps the file instead of reading it and refuses one that is damaged or of another
    /// version. While a loaded model lives, its file may be removed or replaced, but not written to.
    Result<Done> save(const std::string& path) const;
    static Result<Model> load(const std::string& path);

    std::uint32_t triangle_count() const;
    std::uint32_t polygon_count() const;
    std::uint32_t point_count() const;
    TreeKind tree() const;

    /// Triangle i of the caller's soup (for polygons: of their triangulation, in polygon order).
    Triangle triangle(std::uint32_t i) const;
    /// The polygon that triangle i came from; i itself in a soup of triangles.
    std::uint32_t polygon_of(std::uint32_t i) const;

    /// Memory of the model, exact data included.
    std::size_t bytes() const;
    /// Levels of the tree: 0 when empty, 1 when the root is a leaf.
    unsigned depth() const;

    /// Checks that every box holds what is below it and that every triangle is in one leaf.
    Result<Done> validate() const;

    const detail::ModelData& data() const { return *data_; }

private:
    explicit Model(std::shared_ptr<const detail::ModelData> data) : data_(std::move(data)) {}
    std::shared_ptr<const detail::ModelData> data_;
};

}  // namespace graze
