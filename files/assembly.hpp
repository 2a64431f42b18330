// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/mesh_file.hpp"

namespace graze::files {

/// A mesh and its placement. Parts with the same shape share a mesh.
struct Part {
    std::string name;  ///< name of its node; may be empty or not unique
    std::string path;  ///< the names from the root of the scene down to the node, separated by slashes
    std::uint32_t mesh = 0;
    Affine world_from_mesh;
};

/// What a file holds: meshes and their placements.
struct Assembly {
    std::vector<Mesh> meshes;
    std::vector<Part> parts;
    std::vector<std::string> notes;  ///< one line each: what was skipped or changed

    std::size_t polygon_count() const;  ///< of all parts
};

/// The axis of a file that points up.
enum class Up : std::uint8_t {
    Stated,  ///< as the format or the file says; nothing is turned if neither does
    Keep,    ///< the file's own axes, nothing is turned
    X,
    Y,
    Z,
};

/// An assembly is in metres with z up where the format (glTF, COLLADA, FBX, 3MF, IFC, X3D) or the file says what its
/// own are, and as it is in the file otherwise (STL, OBJ, PLY).
struct ReadOptions {
    double scale = 1;  ///< factor for all lengths, applied in addition to the unit
    Up up = Up::Stated;
    bool groups = false;  ///< treat objects and groups of OBJ files as parts
};

/// STL, OBJ and PLY by the readers of files/mesh_file.hpp: one part, in full precision. All else by assimp, where the
/// build found it: one part for each node that has triangles or polygons, coordinates as it has them (single
/// precision), polygons uncut. A scale that a mesh has in all its places is in its points, so that placements are
/// rigid where they can be. A fault names the file, and the line or the mesh and face.
Result<Assembly> read_assembly(const std::string& path, const ReadOptions& options = {});

/// Whether a file is a mesh or a scene by its extension alone: STL, OBJ, PLY and the common ones of assimp. It reads
/// more, by extensions that other files have as well (`.xml`).
bool is_mesh_name(const std::string& path);

/// Whether this build includes assimp and so reads more than STL, OBJ and PLY.
bool has_assimp();

/// All parts in one mesh, part by part, points placed by the rounding of `Affine`.
Result<Mesh> merged(const Assembly& assembly);

/// The file's parts in one mesh; notes are added to those given. No triangle at all is a fault.
Result<Mesh> read_mesh(const std::string& path, const ReadOptions& options = {},
                       std::vector<std::string>* notes = nullptr);

/// Turns the axis to z: a signed permutation, so nothing is rounded. The identity for `Stated` and `Keep`.
Mat3 to_z_up(Up up);

}  // namespace graze::files
