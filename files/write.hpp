// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/assembly.hpp"

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

/// Writes a file in the format that its extension names: `.stl`, `.obj`, `.ply` or `.glb`. An existing file is replaced
/// once everything is written.
Result<Done> write_assembly(const std::string& path, const Assembly& assembly, std::span<const Curve> curves = {});

/// Writes any bytes to a file. An existing file is replaced once everything is written.
Result<Done> write_bytes(const std::string& path, std::string_view bytes);

}  // namespace graze::files
