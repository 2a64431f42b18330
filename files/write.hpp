// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/assembly.hpp"

namespace graze::files {

/// A line from point to point, in the assembly's frame.
struct Curve {
    std::vector<Vec3> points;
    std::string name;
    std::optional<Colour> colour;
    bool closed = false;  ///< the last point is joined to the first
};

/// An assembly of one part, where it is.
Assembly single(Mesh mesh);

/// The writers below give a file's bytes. Meshes are such that models can be built of them. Where the format has
/// single precision (STL, GLB) coordinates are rounded, and those beyond it are a fault.

/// Binary STL: all parts in one, polygons cut into triangles. It has no curves.
Result<std::string> to_stl(const Assembly& assembly);

/// OBJ: an object for each part, polygons whole, coordinates such that reading gives them back bit for bit. Curves are
/// `l` statements.
Result<std::string> to_obj(const Assembly& assembly, std::span<const Curve> curves = {});

/// Binary PLY in double precision: all parts in one, polygons whole. Curves are of the element `edge`.
Result<std::string> to_ply(const Assembly& assembly, std::span<const Curve> curves = {});

/// glTF 2.0 in one file: a mesh for each mesh, a node with name and transform for each part, below one that turns z up
/// to glTF's y up. Polygons are cut into triangles, curves are line strips.
Result<std::string> to_glb(const Assembly& assembly, std::span<const Curve> curves = {});

/// By the extension: `.stl`, `.obj`, `.ply` or `.glb`. A file that was there is replaced once all is written.
Result<Done> write_assembly(const std::string& path, const Assembly& assembly, std::span<const Curve> curves = {});

/// Any file, in the same way.
Result<Done> write_bytes(const std::string& path, std::string_view bytes);

}  // namespace graze::files
