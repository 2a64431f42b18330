// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graze/box.hpp"
#include "graze/result.hpp"
#include "graze/soup.hpp"
#include "graze/triangle.hpp"

namespace graze {

namespace detail {
struct Access;
struct ModelData;
}  // namespace detail

/// The bounding volumes of a model's tree. They change speed, never an answer. Everyday choices are the first three:
/// spheres and k-DOPs make the papers' binary trees, which are slower.
enum class Volume : std::uint8_t {
    Auto,    ///< oriented boxes, or aligned ones where these are as tight
    Obb,     ///< oriented boxes: the fewest tests for rigid models
    Aabb,    ///< boxes along the model's axes: the quickest to build and to refit
    Sphere,  ///< spheres
    Dop14,   ///< 14 planes: the axes, and the corners of a cube
    Dop18,   ///< 18 planes: the axes, and the edges of a cube
    Dop26,   ///< 26 planes: the axes, the corners and the edges
};
/// "oriented boxes", "aligned boxes", "spheres", "14-DOPs", …
const char* name(Volume volume);

/// How a model is built. The defaults are the fastest by measurement. `study::build` (graze/study.hpp) has further
/// trees.
struct BuildSettings {
    Volume volume = Volume::Auto;
    unsigned threads = 0;  ///< number of threads of the build; 0 means one per core
};

/// Whether a refit ends in a new tree.
enum class Rebuild : std::uint8_t {
    WhenItPays,  ///< once `Model::decay` is so large that a new tree is worth its time
    Never,
    Always,
};

/// Which points a refit moves, and whether it may build a new tree.
struct RefitSettings {
    std::uint32_t first = 0;  ///< index of the first point that moves
    Rebuild rebuild = Rebuild::WhenItPays;
};

/// The result of a refit.
struct Refit {
    double moved = 0;      ///< greatest distance that a point moved
    double decay = 1;      ///< `Model::decay` afterwards
    bool rebuilt = false;  ///< true when a new tree was built
};

/// How a saved model is loaded.
struct LoadSettings {
    /// Also checks that every volume holds what is below it, as `Model::validate` does. Use this for files from a
    /// source that is not trusted. It takes several times as long as loading.
    bool validate = false;
};

/// A polygon soup made ready for queries: its exact triangles and a tree over them.
///
/// Copies share memory and are cheap. Many threads may query one model at once. Only `refit` changes a model, and it
/// changes no copy.
class Model {
public:
    /// The empty model. It meets nothing.
    Model();
    /// Copies share their memory.
    Model(const Model& other) noexcept;
    /// A model that was moved from may only be copied, assigned to or destroyed.
    Model(Model&& other) noexcept;
    Model& operator=(const Model& other) noexcept;
    Model& operator=(Model&& other) noexcept;
    ~Model();

    /// Copies the soup and builds a tree. Degenerate, duplicate and zero-area triangles are kept. Polygons of more than
    /// three corners are triangulated. An empty soup is valid. A fault names the point, triangle or polygon that is
    /// wrong.
    static Result<Model> build(const SoupView& soup, const BuildSettings& settings = {});

    /// Writes the model and its tree to a file. A file of that name is replaced once everything is written.
    Result<void> save(const std::string& path) const;
    /// Maps a saved model into memory. Refuses a file that is damaged or of another version. While the model lives,
    /// its file may be removed or replaced, but not written to.
    ///
    /// A checksum finds accidents. References and numbers are checked too, so that even a forged file cannot make a
    /// query read out of bounds or compute with numbers that are not finite. Its answers may still be wrong:
    /// `LoadSettings::validate` refuses a file that would give wrong answers.
    static Result<Model> load(const std::string& path, const LoadSettings& settings = {});

    /// Moves as many points as given, beginning with `settings.first`, and fits the tree to them. The triangles keep
    /// their corners. Copies keep their shape: while one lives, on any thread, a refit first copies the whole model;
    /// otherwise it works in place. After a fault nothing has changed.
    ///
    /// Moving up to a sixteenth of the points takes time in proportion to these, unless one goes far outside of the
    /// model. The first such refit also goes through the whole model once. Any other refit fits the whole tree, which
    /// is several times faster than a build.
    Result<Refit> refit(const PointView& points, const RefitSettings& settings = {});
    /// How much larger the tree's volumes are than when it was built: 1 for a new tree. Queries slow down as it grows.
    double decay() const;

    /// Number of triangles. Polygons count as the triangles they were cut into.
    std::uint32_t triangle_count() const;
    /// Number of polygons given; the number of triangles in a soup of triangles.
    std::uint32_t polygon_count() const;
    /// Number of points given, unused ones included.
    std::uint32_t point_count() const;

    /// The points, in the caller's order. The span lives until the model is refitted or destroyed.
    std::span<const Vec3> points() const;
    /// Three indices into `points` per triangle, in the caller's order; polygons follow one another as they were cut.
    std::span<const std::array<std::uint32_t, 3>> triangles() const;
    /// The corners of triangle i.
    Triangle triangle(std::uint32_t i) const;
    /// Index of the polygon that triangle i was cut from; i itself in a soup of triangles.
    std::uint32_t polygon_of(std::uint32_t i) const;
    /// The smallest box that holds all triangles. Points that no triangle uses do not count. Each call looks at all
    /// triangles.
    Box bounds() const;

    /// One line: size, kind of tree, and why its volume was chosen.
    std::string summary() const;
    /// Memory in bytes, shared with copies.
    std::size_t bytes() const;
    /// Checks that every volume holds what is below it and that every triangle is in exactly one leaf.
    Result<void> validate() const;

private:
    friend struct detail::Access;
    explicit Model(std::unique_ptr<detail::ModelData> data);
    detail::ModelData* data_;  ///< counts its owners; null after a move
};

}  // namespace graze
