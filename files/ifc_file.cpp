// SPDX-License-Identifier: Apache-2.0
#include "ifc_file.hpp"

#include <algorithm>
#include <array>

#include "beside_program.hpp"
#include "child.hpp"
#include "scale_and_turn.hpp"
#include "seams.hpp"
#include "welder.hpp"

namespace graze::files {

// The numbers of wire.mjs.
static_assert(static_cast<int>(FaultKind::Damaged) == 11 && sizeof(FaultKind) == 1);

namespace {

/// web-ifc may make corners one that are closer than this in metres.
constexpr double merged_by_cuts = 1e-4;

/// Makes points with equal bits one: web-ifc repeats a point for each of its normals.
void weld(Mesh& mesh) {
    Welder welder(mesh.points.size() / 4);
    std::vector<std::uint32_t> number;
    number.reserve(mesh.points.size());
    for (const Vec3& p : mesh.points) welder.weld(std::array{p}, number);
    for (std::uint32_t& c : mesh.corners) c = number[c];
    mesh.points = std::move(welder.points);
}

}  // namespace

bool is_ifc_name(const std::string& path) {
    const std::string kind = extension(path);
    return kind == ".ifc" || kind == ".ifczip";
}

Result<Assembly> read_ifc(const std::string& path, const ReadOptions& options) {
    const std::filesystem::path script = beside_program("share/graze/ifc/read_ifc.mjs");
    if (script.empty())
        return Fault{FaultKind::File,
                     path + ": this build reads no IFC: it was made without npm, or the package graze is missing"};
    // Node.js and web-ifc need some hundred megabytes before they read anything.
    constexpr ChildLimits limits{.bytes = std::size_t{2} << 30, .seconds = 30};
    Result<Assembly> out = in_program(path, "web-ifc", {"node", "--no-warnings", script.string()},
                                      ": reading IFC needs Node.js (package nodejs)", limits);
    if (!out) return out;
    for (Mesh& mesh : out->meshes) {
        weld(mesh);
        mesh.error += close_seams(mesh, std::min(mesh.error, merged_by_cuts));
    }
    for (std::string& note : out->notes) note.insert(0, path);
    return scale_and_turn(std::move(*out), path, options);
}

}  // namespace graze::files
