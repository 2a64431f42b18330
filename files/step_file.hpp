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
/// The reader is a program, `libexec/graze/read_step` (files/beside_program.hpp). Builds without OpenCASCADE do not
/// have it.
Result<Assembly> read_step(const std::string& path, const ReadOptions& options);

}  // namespace graze::files
