// SPDX-License-Identifier: Apache-2.0
#include "assembly.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "gltf.hpp"
#include "ifc_file.hpp"
#include "rounding.hpp"
#include "step_file.hpp"
#include "text.hpp"
#ifdef GRAZE_ASSIMP
#include "assimp_file.hpp"
#endif

namespace graze::files {

namespace {

constexpr std::size_t most = 0xfffffffe;
constexpr std::uint32_t none = 0xffffffff;

/// Appends the polygons [first, last) of a mesh and the points that they use. `number` maps the points of the mesh to
/// those of `out`.
void append(Mesh& out, const Mesh& mesh, std::size_t first, std::size_t last, std::vector<std::uint32_t>& number) {
    for (std::size_t i = first; i < last; ++i) {
        for (const std::uint32_t c : mesh.polygon(i)) {
            std::uint32_t& n = number[c];
            if (n == none) {
                n = static_cast<std::uint32_t>(out.points.size());
                out.points.push_back(mesh.points[c]);
            }
            out.corners.push_back(n);
        }
        out.offsets.push_back(static_cast<std::uint32_t>(out.corners.size()));
    }
}

void tidy(Mesh& mesh) {
    if (mesh.corners.size() == 3 * (mesh.offsets.size() - 1)) mesh.offsets.clear();
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Splits a mesh into one part per group name, in the order of their first polygons.
void split(const Mesh& mesh, const std::vector<ObjGroup>& groups, Assembly& out) {
    std::map<std::string, std::uint32_t> known;
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> ranges;
    for (std::size_t i = 0; i <= groups.size(); ++i) {
        const std::size_t first = i == 0 ? 0 : groups[i - 1].first;
        const std::size_t last = i == groups.size() ? mesh.polygon_count() : groups[i].first;
        if (first == last) continue;
        const std::string path = i == 0 ? "" : groups[i - 1].path;
        const auto [at, fresh] = known.emplace(path, static_cast<std::uint32_t>(ranges.size()));
        if (fresh) {
            out.parts.push_back({last_name(path), path, at->second, Affine()});
            ranges.emplace_back();
        }
        ranges[at->second].emplace_back(first, last);
    }
    std::vector<std::uint32_t> number(mesh.points.size(), none);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        Mesh one;
        one.name = out.parts[i].name;
        one.error = mesh.error;
        one.offsets.push_back(0);
        for (const auto& [first, last] : ranges[i]) append(one, mesh, first, last, number);
        // Only the numbers in use are reset, so that a part does not cost the time of the whole mesh.
        for (const auto& [first, last] : ranges[i])
            for (std::size_t k = first; k < last; ++k)
                for (const std::uint32_t c : mesh.polygon(k)) number[c] = none;
        tidy(one);
        out.meshes.push_back(std::move(one));
    }
}

/// Reads a file with one of the built-in readers.
Result<Assembly> read_native(const Bytes& bytes, const std::string& path, const ReadOptions& options) {
    std::vector<ObjGroup> groups;
    Result<Mesh> mesh = options.groups && format_of(bytes.view(), path) == Format::Obj
                            ? parse_obj(bytes.view(), path, &groups)
                            : parse_mesh(bytes.view(), path);
    if (!mesh) return mesh.fault();
    scale(*mesh, options.scale);
    const Affine turn = *Affine::from_matrix(to_z_up(options.up), {});
    Assembly out;
    out.conventions.format = name(format_of(bytes.view(), path));
    if (groups.empty()) {
        const std::string name = std::filesystem::path(path).stem().string();
        mesh->name = name;
        out.meshes.push_back(std::move(*mesh));
        if (out.meshes[0].polygon_count() > 0) out.parts.push_back({name, name, 0, turn});
    } else {
        split(*mesh, groups, out);
        for (Part& part : out.parts) part.world_from_mesh = turn;
    }
    return out;
}

/// True when assimp reads this extension and no other kind of file uses it.
bool is_common_scene(const std::string& kind) {
    for (const char* known : {".dae", ".zae", ".3mf", ".fbx", ".3ds", ".off", ".x3d", ".wrl", ".amf", ".blend", ".lwo",
                              ".dxf", ".ase", ".ac", ".x", ".ms3d", ".xgl", ".ogex"})
        if (kind == known) return true;
    return false;
}

/// True when the name says that this is glTF, or when the name says nothing and the content does.
bool is_gltf(std::string_view bytes, const std::string& path) {
    return is_gltf_name(path) || (format_by_name(path) == Format::Other && bytes.starts_with("glTF"));
}

/// True when one of the readers of scenes reads the file. A name without a known extension is left to the built-in
/// readers, which look at the content.
bool is_scene(const std::string& path) {
    if (format_by_name(path) != Format::Other || is_gltf_name(path)) return false;
    const std::string kind = extension(path);
    if (is_ifc_name(path) || is_step_name(path)) return true;
#ifdef GRAZE_ASSIMP
    return assimp_reads(kind);
#else
    return is_common_scene(kind);
#endif
}

Result<Assembly> read_scene(const std::string& path, const ReadOptions& options) {
    if (is_ifc_name(path)) return read_ifc(path, options);
    if (is_step_name(path)) return read_step(path, options);
#ifdef GRAZE_ASSIMP
    return read_by_assimp(path, options);
#else
    static_cast<void>(options);
    return Fault{FaultKind::File, path + ": this build reads only " + built_in_formats() +
                                      ": it was made without assimp (libassimp-dev)"};
#endif
}

/// True when no polygon of the mesh has an area.
bool is_flat(const Mesh& mesh) {
    for (std::size_t i = 0; i < mesh.polygon_count(); ++i) {
        const std::span<const std::uint32_t> corners = mesh.polygon(i);
        for (std::size_t k = 2; k < corners.size(); ++k) {
            const Triangle t{mesh.points[corners[0]], mesh.points[corners[k - 1]], mesh.points[corners[k]]};
            // A triangle shares an area with itself exactly when it has one.
            if (meeting(t, t) == Meeting::Overlapping) return false;
        }
    }
    return true;
}

/// Adds a note when meshes have no area at all. They were read in a wrong way, or flattened.
void note_flat(Assembly& assembly, const std::string& path) {
    std::vector<bool> used(assembly.meshes.size());
    for (const Part& part : assembly.parts) used[part.mesh] = true;
    const Mesh* first = nullptr;
    std::size_t others = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i] || !is_flat(assembly.meshes[i])) continue;
        others += first != nullptr;
        if (!first) first = &assembly.meshes[i];
    }
    if (!first) return;
    const std::string kind = first->has_polygons() ? "polygon" : "triangle", mesh = "mesh " + in_quotes(first->name);
    const std::size_t count = first->polygon_count();
    if (others > 0)
        assembly.notes.push_back(path + ": " + mesh + " and " + std::to_string(others) +
                                 (others == 1 ? " other" : " others") + " have only " + kind + "s without area");
    else if (count == 1)
        assembly.notes.push_back(path + ": the " + kind + " of " + mesh + " has no area");
    else
        assembly.notes.push_back(path + ": all " + std::to_string(count) + " " + kind + "s of " + mesh +
                                 " have no area");
}

}  // namespace

std::size_t Assembly::polygon_count() const {
    std::size_t count = 0;
    for (const Part& part : parts) count += meshes[part.mesh].polygon_count();
    return count;
}

std::vector<double> Assembly::errors() const {
    std::vector<double> sizes;
    for (const Mesh& mesh : meshes) sizes.push_back(largest_coordinate(mesh.points));
    std::vector<double> out;
    for (const Part& part : parts) {
        const double error = meshes[part.mesh].error;
        if (part.world_from_mesh == Affine()) {
            out.push_back(error + part.extra_error);
            continue;
        }
        const Mat3& m = part.world_from_mesh.linear();
        const double far = std::sqrt(3.0) * stretch(m) * sizes[part.mesh] + length(part.world_from_mesh.translation());
        out.push_back(error * stretch(m) + part.extra_error + 4 * std::numeric_limits<double>::epsilon() * far);
    }
    return out;
}

Mat3 to_z_up(Up up) {
    if (up == Up::Y) return {{Vec3{1, 0, 0}, Vec3{0, 0, -1}, Vec3{0, 1, 0}}};
    if (up == Up::X) return {{Vec3{0, -1, 0}, Vec3{0, 0, -1}, Vec3{1, 0, 0}}};
    return {};
}

bool is_mesh_name(const std::string& path) {
    return format_by_name(path) != Format::Other || is_gltf_name(path) || is_ifc_name(path) || is_step_name(path) ||
           is_common_scene(extension(path));
}

bool has_assimp() {
#ifdef GRAZE_ASSIMP
    return true;
#else
    return false;
#endif
}

Result<Assembly> read_assembly(const std::string& path, const ReadOptions& options) {
    if (!(options.scale > 0 && options.scale <= Affine::max_entry))
        return Fault{FaultKind::OutOfRange, path + ": the scale must be above 0 and at most 2^20"};
    std::error_code ignored;
    const bool scene = is_scene(path);
    if (scene && std::filesystem::is_fifo(path, ignored))
        return Fault{FaultKind::File, path + ": only " + built_in_formats() + " can come through a pipe"};
    const Result<Bytes> bytes = Bytes::of(path);
    if (!bytes) return bytes.fault();
    const auto read = [&] {
        if (bytes->view().empty()) return read_native(*bytes, path, options);
        if (scene) return read_scene(path, options);
        if (is_gltf(bytes->view(), path)) return parse_gltf(bytes->view(), path, options);
        return read_native(*bytes, path, options);
    };
    Result<Assembly> out = read();
    if (!out) return out;
    if (out->parts.empty()) return Fault{FaultKind::Damaged, path + ": the file has no triangles"};
    note_flat(*out, path);
    return out;
}

Result<Mesh> merged(const Assembly& assembly) {
    std::size_t points = 0, corners = 0;
    for (const Part& part : assembly.parts) {
        points += assembly.meshes[part.mesh].points.size();
        corners += assembly.meshes[part.mesh].corners.size();
    }
    if (points > most || corners > most)
        return Fault{FaultKind::TooMany, "all parts together have more corners than 32 bits can number"};
    Mesh out;
    out.points.reserve(points);
    out.corners.reserve(corners);
    out.offsets.push_back(0);
    for (const Part& part : assembly.parts) {
        const Mesh& mesh = assembly.meshes[part.mesh];
        const auto base = static_cast<std::uint32_t>(out.points.size());
        for (const Vec3& p : mesh.points) out.points.push_back(part.world_from_mesh(p));
        for (std::size_t i = 0; i < mesh.polygon_count(); ++i) {
            for (const std::uint32_t c : mesh.polygon(i)) out.corners.push_back(base + c);
            out.offsets.push_back(static_cast<std::uint32_t>(out.corners.size()));
        }
        if (!out.colour) out.colour = mesh.colour;
    }
    for (const double error : assembly.errors()) out.error = std::max(out.error, error);
    tidy(out);
    return out;
}

std::string Unread::text(const std::string& file) const {
    return file + ": " + in_quotes(path) + (id.empty() ? "" : " (" + id + ")") + ": " + reason;
}

Result<Mesh> read_mesh(const std::string& path, const ReadOptions& options, std::vector<std::string>* notes,
                       Conventions* conventions) {
    Result<Assembly> assembly = read_assembly(path, options);
    if (!assembly) return assembly.fault();
    if (notes != nullptr) {
        for (const Unread& one : assembly->unread) notes->push_back(one.text(path));
        notes->insert(notes->end(), assembly->notes.begin(), assembly->notes.end());
    }
    if (conventions != nullptr) *conventions = assembly->conventions;
    if (assembly->parts.size() == 1 && assembly->parts[0].world_from_mesh == Affine())
        return std::move(assembly->meshes[assembly->parts[0].mesh]);
    return merged(*assembly);
}

}  // namespace graze::files
