// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assembly.hpp"

namespace graze::files {

/// True when the extension says STEP or IGES: `.step`, `.stp`, `.iges`, `.igs`.
bool is_step_name(const std::string& path);

/// Reads a STEP or IGES file with OpenCASCADE, in a process of its own: one part per product of the assembly, or per
/// place of it, in metres and z up. Curved faces are cut into triangles within `ReadOptions::deflection`, which a note
/// says.
///
/// A mesh's error is its deflection, where the shape has curved faces or edges, and the largest tolerance of the shape.
///
/// The reader is a program, `libexec/graze/read_step` (files/beside_program.hpp). Builds without OpenCASCADE do not
/// have it.
Result<Assembly> read_step(const std::string& path, const ReadOptions& options);

/// A mesh of a STEP or IGES file that shall be cut into other triangles.
struct Remesh {
    std::uint32_t mesh = 0;  ///< index into the meshes of the file's assembly
    double deflection = 0;   ///< largest distance from curved faces, in the mesh's frame as it was read: a scale counts
};

/// Reads a STEP or IGES file again and cuts some of its meshes into finer triangles, in one process. Returns a mesh for
/// each one wanted, in the frame of the former one, with its new error and with its planes and cylinders. `options` are
/// those of the first reading. A mesh comes back empty when OpenCASCADE fails at one of its faces.
Result<std::vector<Mesh>> remesh(const std::string& path, const ReadOptions& options, std::span<const Remesh> wanted);

}  // namespace graze::files
