// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "assembly.hpp"
#include "rounding.hpp"

namespace graze::files {

/// Applies the scale and the up axis that the caller asks for to an assembly in metres and z up.
inline Result<Assembly> scale_and_turn(Assembly assembly, const std::string& path, const ReadOptions& options) {
    for (Mesh& mesh : assembly.meshes) scale(mesh, options.scale);
    const Mat3 turn = to_z_up(options.up);
    for (Part& part : assembly.parts) {
        const Affine& place = part.world_from_mesh;
        const Result<Affine> turned =
            Affine::from_matrix(turn * place.linear(), turn * place.translation() * options.scale);
        if (!turned)
            return Fault{turned.fault().kind,
                         path + ": the placement of '" + part.name + "': " + turned.fault().message};
        part.world_from_mesh = *turned;
        part.extra_error *= options.scale;
    }
    return assembly;
}

}  // namespace graze::files
