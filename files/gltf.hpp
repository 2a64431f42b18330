// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assembly.hpp"

namespace graze::files {

/// True when the extension says that a file is glTF: `.gltf`, `.glb` or `.vrm`.
bool is_gltf_name(const std::string& path);

/// glTF 2.0, as text or binary. One part per node that has triangles, and per instance (EXT_mesh_gpu_instancing), in
/// double precision. Numbers may be integers (KHR_mesh_quantization) and sparse. Buffers are in the file, or files that
/// `resolve_reference` lets it name. Compressed geometry, and any extension that the file requires and that is not
/// known here, is a fault that names it. Skins, morph targets, points and lines are skipped, which notes say.
Result<Assembly> parse_gltf(std::string_view bytes, const std::string& path, const ReadOptions& options);

}  // namespace graze::files
