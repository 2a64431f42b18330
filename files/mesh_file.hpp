// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/graze.hpp"

namespace graze::files {

/// Red, green, blue and opacity from 0 to 1, as displays take them (sRGB).
using Colour = std::array<float, 4>;

/// A face of a STEP or IGES file that is part of a plane or of a cylinder.
struct SimpleFace {
    Vec3 point;         ///< in the plane, or on the axis
    Vec3 direction;     ///< a unit vector: out of the solid for a plane, along the axis for a cylinder
    double radius = 0;  ///< a cylinder's, negative for a hole; 0 for a plane
};

/// A mesh as it is in its file. Triangles and polygons keep the file's order.
struct Mesh {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners;
    std::vector<std::uint32_t> offsets;  ///< where polygons begin in `corners`; empty when all are triangles
    std::string name;                    ///< empty when the file has none
    std::optional<Colour> colour;
    /// How far the triangles may be from the surface that the file describes, in the mesh's own frame: what its numbers
    /// were rounded to, and the distance from curved faces.
    double error = 0;
    bool curved = false;  ///< stands for curved faces of a STEP or IGES file, which `remesh` cuts into finer triangles
    std::vector<SimpleFace> faces = {};  ///< planes and cylinders of the shape; only `remesh` sets them

    bool has_polygons() const { return !offsets.empty(); }
    std::size_t polygon_count() const { return has_polygons() ? offsets.size() - 1 : corners.size() / 3; }
    /// The corners of polygon i.
    std::span<const std::uint32_t> polygon(std::size_t i) const {
        const std::span<const std::uint32_t> all(corners);
        return has_polygons() ? all.subspan(offsets[i], offsets[i + 1] - offsets[i]) : all.subspan(3 * i, 3);
    }
    SoupView view() const { return SoupView(std::span<const Vec3>(points), corners).with_polygons(offsets); }
};

/// Three corners per triangle, with polygons cut as `Model::build` cuts them. `Model::build` must accept the mesh.
std::vector<std::uint32_t> triangles(const Mesh& mesh);

/// An object, or object/group, of an OBJ file. Its polygons run from `first` up to the `first` of the next one.
struct ObjGroup {
    std::string path;
    std::uint32_t first = 0;
};

// The readers below take a file's bytes, and its name for messages. A fault's message is one line that starts with the
// name and the place: `name:line: ` in text, `name: triangle i (byte n): ` in binary files. Memory stays in proportion
// to the bytes given, whatever counts a file claims.

/// STL, binary or ASCII. Corners with equal bits become one point.
Result<Mesh> parse_stl(std::string_view bytes, const std::string& name);

/// True for text that starts with `solid`, and for bytes of exactly the size that the header of a binary file claims.
bool starts_like_stl(std::string_view bytes);

/// OBJ: the `v` and `f` statements. Statements that describe no polygons are skipped. Other ways to describe polygons
/// (free-form surfaces, included files) are faults.
Result<Mesh> parse_obj(std::string_view bytes, const std::string& name, std::vector<ObjGroup>* groups = nullptr);

/// PLY, ASCII or binary of either byte order: x y z of `vertex`, the list of indices of `face`. Everything else is
/// skipped.
Result<Mesh> parse_ply(std::string_view bytes, const std::string& name);

/// The formats with a reader above. `Other` is every other one.
enum class Format : std::uint8_t { Other, Stl, Obj, Ply };
/// The name of a format as people write it: `STL`. Empty for `Other`.
std::string_view name(Format format);
/// The names of the formats that every build reads, in a sentence: `STL, OBJ, PLY and glTF`.
std::string built_in_formats();
/// The format that the extension names.
Format format_by_name(const std::string& name);
/// The format that the extension names. If it names none, the content decides.
Format format_of(std::string_view bytes, const std::string& name);
/// The extension in lower case: `.stl` of `part.STL`. Empty when there is none.
std::string extension(const std::string& name);

/// Reads a mesh with one of the readers above. `format_of` says which.
Result<Mesh> parse_mesh(std::string_view bytes, const std::string& name);

/// The contents of a file. A plain file is mapped; a pipe is read.
class Bytes {
public:
    static Result<Bytes> of(const std::string& path);
    std::string_view view() const { return view_; }

private:
    std::shared_ptr<const void> owner_;
    std::string_view view_;
};

/// A copy of the contents of a file.
Result<std::string> read_bytes(const std::string& path);

}  // namespace graze::files
