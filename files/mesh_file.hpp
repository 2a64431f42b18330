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

/// A mesh as its file has it; triangles and polygons keep the file's order.
struct Mesh {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners;
    std::vector<std::uint32_t> offsets;  ///< of polygons; empty when all are triangles
    std::string name;                    ///< where the file has one
    std::optional<Colour> colour;

    bool has_polygons() const { return !offsets.empty(); }
    std::size_t polygon_count() const { return has_polygons() ? offsets.size() - 1 : corners.size() / 3; }
    /// The corners of polygon i.
    std::span<const std::uint32_t> polygon(std::size_t i) const {
        const std::span<const std::uint32_t> all(corners);
        return has_polygons() ? all.subspan(offsets[i], offsets[i + 1] - offsets[i]) : all.subspan(3 * i, 3);
    }
    SoupView view() const { return SoupView(std::span<const Vec3>(points), corners).with_polygons(offsets); }
};

/// The corners of its triangles, three each; polygons are cut as `Model::build` cuts them. The mesh is one that a
/// model can be built of.
std::vector<std::uint32_t> triangles(const Mesh& mesh);

/// Polygons of an OBJ file from `first` up to the next one's belong to this object, or object/group.
struct ObjGroup {
    std::string path;
    std::uint32_t first = 0;
};

/// The readers below take a file's bytes and its name for messages. A fault's message is one line
/// that starts with the name and the place: `name:line: ` in text, `name: triangle i (byte n): `
/// in binary files. Nothing is allocated that the bytes do not back.

/// STL, binary or ASCII. Corners with equal bits become one point.
Result<Mesh> parse_stl(std::string_view bytes, const std::string& name);

/// Whether it can be nothing else: text that starts with `solid`, or the size that a binary file's header claims.
bool starts_like_stl(std::string_view bytes);

/// OBJ: the `v` and `f` statements. Those that describe no polygons are skipped, and those that
/// would (free-form surfaces, included files) are faults.
Result<Mesh> parse_obj(std::string_view bytes, const std::string& name, std::vector<ObjGroup>* groups = nullptr);

/// PLY, ASCII or binary of either byte order: x y z of `vertex`, the list of indices of `face`; all else is skipped.
Result<Mesh> parse_ply(std::string_view bytes, const std::string& name);

/// The formats with a reader above.
enum class Format : std::uint8_t { Other, Stl, Obj, Ply };
/// The format that the extension names.
Format format_by_name(const std::string& name);
/// The format that the extension names. If it names none, the content decides.
Format format_of(std::string_view bytes, const std::string& name);
/// `.stl` of `part.STL`; empty where there is none.
std::string extension(const std::string& name);

/// STL, OBJ or PLY.
Result<Mesh> parse_mesh(std::string_view bytes, const std::string& name);

/// A file's contents: mapped where it is a plain file, read where it is a pipe.
class Bytes {
public:
    static Result<Bytes> of(const std::string& path);
    std::string_view view() const { return view_; }

private:
    std::shared_ptr<const void> owner_;
    std::string_view view_;
};

Result<std::string> read_bytes(const std::string& path);

}  // namespace graze::files
