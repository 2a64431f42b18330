// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>

#include "mesh_file.hpp"

namespace graze::files {

/// Labels that people give a part besides its name. Each may be empty.
struct PartLabels {
    std::string id;          ///< an identifier that stays the same from export to export: the GlobalId of IFC
    std::string type;        ///< what the part is: `IfcWall`
    std::string layer;       ///< layer of the drawing
    std::string storey;      ///< storey of the building
    std::string discipline;  ///< trade: architecture, structure, services

    friend bool operator==(const PartLabels&, const PartLabels&) = default;
};

/// A mesh and its placement. Parts with the same shape share a mesh.
struct Part {
    std::string name;  ///< name of its node; may be empty or not unique
    std::string path;  ///< the names from the root of the scene down to the node, separated by slashes
    std::uint32_t mesh = 0;
    Affine world_from_mesh;
    PartLabels labels = {};
    /// Adds to the mesh's error, in the world: what the placement was rounded to, and how the part differs from a mesh
    /// that it shares.
    double extra_error = 0;
};

/// Something that a file describes and that is in none of its parts, or not as it is described, though it may take up
/// space.
struct Unread {
    std::string path;    ///< the names from the root of the scene down to it, separated by slashes
    std::string id;      ///< the GlobalId of IFC; may be empty
    std::string reason;  ///< without its name: `web-ifc makes no triangles of its IfcAdvancedBrep`

    /// One line for people: `house.ifc: 'Ground floor/Bath' (2O2Fr$t4X7Zf8NOew3FLOH): ` and the reason.
    std::string text(const std::string& file) const;

    friend bool operator==(const Unread&, const Unread&) = default;
};

/// Where a file is on a map: its points in metres are turned about z, scaled and moved.
struct MapConversion {
    std::string crs;              ///< name of the coordinate reference system, such as `EPSG:25832`; may be empty
    Vec3 origin;                  ///< the file's origin on the map: easting, northing and height in metres
    double cosine = 1, sine = 0;  ///< the direction of the file's x axis on the map
    double scale = 1;             ///< length on the map of one metre of the file

    friend bool operator==(const MapConversion&, const MapConversion&) = default;
};

/// The unit and the axes of a file, before anything was scaled or turned.
struct Conventions {
    std::string format;  ///< as people write it: `glTF`
    double metres = 0;   ///< length of the file's unit in metres; 0 when neither the format nor the file states it
    char up = 0;         ///< the axis that points up: 'x', 'y' or 'z'; 0 when neither the format nor the file states it
    std::optional<MapConversion> map = {};  ///< nothing was moved by it

    friend bool operator==(const Conventions&, const Conventions&) = default;
};

/// The contents of a file: meshes and their placements.
struct Assembly {
    std::vector<Mesh> meshes;
    std::vector<Part> parts;
    std::vector<Unread> unread;      ///< what a check of the parts would not look at
    std::vector<std::string> notes;  ///< one line each: what was skipped or changed
    Conventions conventions;

    std::size_t polygon_count() const;  ///< number of polygons of all parts
    /// How far the triangles of each part may be from the surface that the file describes, in the world: the mesh's
    /// error as it is placed, the extra error and the rounding of placed points.
    std::vector<double> errors() const;
};

/// The axis of a file that points up.
enum class Up : std::uint8_t {
    Stated,  ///< as the format or the file says; nothing is turned if neither does
    Keep,    ///< the file's own axes, nothing is turned
    X,
    Y,
    Z,
};

/// How a file is read. Lengths are in metres when the format or the file states its unit (glTF, COLLADA, FBX, 3MF, IFC,
/// X3D, STEP, IGES), and z is up when it states its up axis. Otherwise (STL, OBJ, PLY) both are as they are in the
/// file.
struct ReadOptions {
    double scale = 1;  ///< factor for all lengths, applied in addition to the unit
    Up up = Up::Stated;
    bool groups = false;  ///< treat objects and groups of OBJ files as parts
    /// Folders, besides the file's own, that may hold other files that a file names (buffers, materials).
    std::vector<std::string> allowed_folders = {};
    /// Largest distance in metres between the curved faces of STEP and IGES files and their triangles. 0 stands for a
    /// thousandth of the size of each part.
    double deflection = 0;
    /// Another thread may set this to end the reading of many files early, with a fault.
    const std::atomic<bool>* stop = nullptr;
};

/// Reads a file. The built-in readers of STL, OBJ and PLY make one part, in full precision; that of glTF makes one per
/// node or instance that has triangles. web-ifc reads IFC, and OpenCASCADE reads STEP and IGES. assimp reads everything
/// else: one part per node that has triangles or polygons, in the single precision that assimp works with, polygons
/// uncut. Builds may lack any of these three. A scale that a mesh has in all its places goes into its points, so that
/// placements are rigid where they can be. A fault names the file, and the line or the mesh and face. Notes do not
/// mention how lengths were scaled and axes turned, which follows from `Assembly::conventions`.
Result<Assembly> read_assembly(const std::string& path, const ReadOptions& options = {});

/// True when the extension alone says that a file is a mesh or a scene. assimp also reads some files whose extension
/// other kinds of files share (`.xml`); for these this is false.
bool is_mesh_name(const std::string& path);

/// True when this build includes assimp, and so reads more than `built_in_formats`.
bool has_assimp();

/// All parts in one mesh, part by part. Points are placed by `Affine::operator()`, which rounds. The error is that of
/// the worst part.
Result<Mesh> merged(const Assembly& assembly);

/// Reads a file and puts its parts into one mesh. Adds to `notes`, which then also say what is unread, and sets
/// `conventions` where these are given. A file without triangles is a fault.
Result<Mesh> read_mesh(const std::string& path, const ReadOptions& options = {},
                       std::vector<std::string>* notes = nullptr, Conventions* conventions = nullptr);

/// The rotation that turns the given axis to z. It is a signed permutation, so nothing is rounded. The identity for
/// `Stated` and `Keep`.
Mat3 to_z_up(Up up);

}  // namespace graze::files
