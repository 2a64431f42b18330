// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graze/graze.hpp"

namespace graze::files {

/// A mesh as its file has it; triangles and polygons keep the file's order.
struct Mesh {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners;
    std::vector<std::uint32_t> offsets;  ///< of polygons; empty when all are triangles

    bool has_polygons() const { return !offsets.empty(); }
    std::size_t polygon_count() const { return has_polygons() ? offsets.size() - 1 : corners.size() / 3; }
    SoupView view() const { return SoupView(std::span<const Vec3>(points), corners).with_polygons(offsets); }
};

/// The readers below take a file's bytes and its name for messages. A fault's message is one line
/// that starts with the name and the place: `name:line: ` in text, `name: triangle i (byte n): `
/// in binary files. Nothing is allocated that the bytes do not back.

/// STL, binary or ASCII. Corners with equal bits become one point.
Result<Mesh> parse_stl(std::string_view bytes, const std::string& name);

/// OBJ: the `v` and `f` statements. Those that describe no polygons are skipped, and those that
/// would (free-form surfaces, included files) are faults.
Result<Mesh> parse_obj(std::string_view bytes, const std::string& name);

/// By the extension, `.stl` or `.obj`; by the content for any other name.
Result<Mesh> parse_mesh(std::string_view bytes, const std::string& name);

Result<std::string> read_bytes(const std::string& path);
Result<Mesh> read_mesh(const std::string& path);

}  // namespace graze::files
