// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assembly.hpp"

namespace graze::files {

/// True when the extension says IFC: `.ifc`, and `.ifczip` for an archive with one such file.
bool is_ifc_name(const std::string& path);

/// Reads an IFC file (2x3, 4, 4x3) with web-ifc, which Node.js runs in a process of its own: one part per product that
/// has a shape, openings cut, in metres and z up. Spaces are left out, which a note says. Points have single precision
/// around the centre of their mesh, placements have double precision.
///
/// A mesh's error is that of its arcs, of cuts, of the precision that the file states and of single precision
/// (files/ifc/errors.mjs). Gaps without area in its surface are closed (files/seams.hpp), which adds how far that moves
/// the surface, at most as far as the error and 0.1 mm.
///
/// Parameterised profiles and swept disks are meshed by scripts of ours (files/ifc/rewrite.mjs). Products that web-ifc
/// meshes in part or with a wrong volume are in `Assembly::unread`, besides those without triangles.
///
/// The reader is a folder of scripts, `share/graze/ifc` (files/beside_program.hpp). Builds without npm do not have it.
Result<Assembly> read_ifc(const std::string& path, const ReadOptions& options);

}  // namespace graze::files
