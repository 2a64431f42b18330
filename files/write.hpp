// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "assembly.hpp"

namespace graze::files {

/// A polyline in the assembly's frame.
struct Curve {
    std::vector<Vec3> points;
    std::string name;
    std::optional<Colour> colour;
    bool closed = false;  ///< the last point is joined to the first
};

/// An assembly of one mesh, placed by the identity.
Assembly single(Mesh mesh);

// The writers below return the bytes of a file. `Model::build` must accept the meshes. Formats in single precision
// (STL, GLB) round coordinates; a coordinate beyond its range is a fault.

/// Binary STL: all parts in one mesh, polygons cut into triangles, no curves.
Result<std::string> to_stl(const Assembly& assembly);

/// OBJ: an object per part, polygons uncut, coordinates that read back bit for bit. Curves are `l` statements.
Result<std::string> to_obj(const Assembly& assembly, std::span<const Curve> curves = {});

/// Binary PLY in double precision: all parts in one mesh, polygons uncut. Curves are elements `edge`.
Result<std::string> to_ply(const Assembly& assembly, std::span<const Curve> curves = {});

/// glTF 2.0 in one file: a mesh per mesh, and a node with name and transform per part, below a node that turns z up to
/// glTF's y up. Polygons are cut into triangles; curves are line strips.
Result<std::string> to_glb(const Assembly& assembly, std::span<const Curve> curves = {});

// The functions below replace an existing file once the new one is whole and on disk. A fault leaves the old one as it
// was. Symbolic links are followed. Devices and pipes are written to and never replaced.

/// A fault when the extension names no format that `write_assembly` writes.
Result<void> check_written_format(const std::string& path);

/// Writes a file in the format that its extension names: `.stl`, `.obj`, `.ply` or `.glb`.
Result<void> write_assembly(const std::string& path, const Assembly& assembly, std::span<const Curve> curves = {});

/// Writes any bytes to a file.
Result<void> write_bytes(const std::string& path, std::string_view bytes);

/// Writes the pieces that `produce` sends, one after the other: for files too large to be held in memory.
using TextSink = std::function<void(std::string_view)>;
Result<void> write_pieces(const std::string& path, const std::function<void(const TextSink&)>& produce);

}  // namespace graze::files
