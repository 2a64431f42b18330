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

/// The tree that a model is searched by. All give the same answers, in any mixture.
enum class TreeKind : std::uint8_t {
    Wide,    ///< eight boxes a node, eight triangles a leaf, SIMD: the fast one; oriented or aligned boxes
    Binary,  ///< the papers': two volumes a node, one triangle a leaf, double precision; any volume
};

/// What encloses the triangles below a node. Spheres and k-DOPs always make a binary tree.
enum class Volume : std::uint8_t {
    Auto,    ///< oriented boxes, or aligned ones where they are as tight
    Obb,     ///< oriented boxes
    Aabb,    ///< boxes along the model's axes: quickest to build and to refit
    Sphere,  ///< spheres
    Dop14,   ///< 14 planes: along the axes, and across the corners of a cube
    Dop18,   ///< 18 planes: along the axes, and across the edges of a cube
    Dop26,   ///< all of these
};
/// "oriented boxes", "aligned boxes", "spheres", "14-DOPs", …
const char* name(Volume volume);

/// What the axes of an oriented box follow (OBBTree paper, section 4).
enum class Fit : std::uint8_t {
    Vertices,      ///< covariance of the vertices
    HullVertices,  ///< covariance of the convex hull's vertices
    HullSurface,   ///< covariance of the convex hull's surface
};

/// Where a binary tree's node is cut, along its volume's longest axis that can be cut.
enum class Split : std::uint8_t {
    Mean,      ///< at the mean of the vertices (OBBTree paper)
    Median,    ///< into halves of equal count (both papers)
    Midpoint,  ///< in the middle of the volume; into halves where that leaves one side empty (AABB paper)
    Overlap,   ///< where the parts overlap least, neither more than twice the other (AABB paper)
    Area,      ///< where the surface-area heuristic says, on any axis
};

/// How a model is built. The defaults are the fastest by measurement.
struct BuildSettings {
    TreeKind tree = TreeKind::Wide;
    Volume volume = Volume::Auto;
    Fit fit = Fit::Vertices;
    bool refine = true;         ///< turn each oriented box about its axes when that shrinks it
    Split split = Split::Area;  ///< of a binary tree
    unsigned threads = 0;       ///< of the build; 0: as many as the machine has
};

/// Whether a refit ends in a new tree.
enum class Rebuild : std::uint8_t {
    WhenItPays,  ///< once the tree has decayed
    Never,
    Always,
};

/// Which points a refit moves, and what it may do.
struct RefitSettings {
    std::uint32_t first = 0;  ///< the first point that moves
    Rebuild rebuild = Rebuild::WhenItPays;
};

/// What a refit did.
struct Refit {
    double moved = 0;      ///< the longest way that a point went
    double decay = 1;      ///< `Model::decay` after it
    bool rebuilt = false;  ///< the tree is a new one
};

/// How a saved model is loaded.
struct LoadSettings {
    /// Checks that every volume holds what is below it, as `Model::validate` does: for files from a source that is not
    /// trusted. Takes several times as long as loading.
    bool validate = false;
};

/// A soup made ready for queries: its exact triangles and a tree over them. Cheap to copy (copies
/// share), safe to query from many threads at once; only `refit` changes it, and no copy of it.
class Model {
public:
    /// The empty model.
    Model();
    /// Copies share their memory.
    Model(const Model& other) noexcept;
    Model(Model&& other) noexcept;
    Model& operator=(const Model& other) noexcept;
    Model& operator=(Model&& other) noexcept;
    ~Model();

    /// Copies the soup and builds the tree. Degenerate, duplicate and zero-area triangles stay;
    /// polygons of more than three corners are triangulated. Empty soups are valid.
    static Result<Model> build(const SoupView& soup, const BuildSettings& settings = {});

    /// Writes the model, tree included; a file that was there is replaced once all is written.
    Result<Done> save(const std::string& path) const;
    /// Maps the file instead of reading it, and refuses one that is damaged or of another version. While a loaded
    /// model lives, its file may be removed or replaced, but not written to.
    ///
    /// A checksum finds accidents. All references and numbers are checked besides, so that even a forged file cannot
    /// make a query read out of bounds or compute with numbers that are not finite; but its answers may be wrong.
    /// With `LoadSettings::validate` a file that would give wrong answers is refused too.
    static Result<Model> load(const std::string& path, const LoadSettings& settings = {});

    /// Moves points: `settings.first` and as many as are given. The triangles stay, and the tree is
    /// fitted to them anew from its leaves up, only above the points given. After a fault nothing
    /// has changed. Copies made before keep their shape: while one lives, on any thread, a refit copies
    /// the whole model first; otherwise it works in place.
    Result<Refit> refit(const PointView& points, const RefitSettings& settings = {});
    /// How much larger the tree's volumes are than when it was built: their summed area over the
    /// root's, relative to that of the new tree.
    double decay() const;

    /// Those of the triangulation, of the caller, and all that were given.
    std::uint32_t triangle_count() const;
    std::uint32_t polygon_count() const;
    std::uint32_t point_count() const;
    /// As built.
    TreeKind tree() const;
    /// Of the tree; never `Auto`.
    Volume volume() const;
    /// One line on size, tree and volume, and why that volume was chosen.
    std::string summary() const;

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
    explicit Model(std::unique_ptr<detail::ModelData> data);
    detail::ModelData* data_;  ///< counts its owners; null after a move
};

}  // namespace graze
