// SPDX-License-Identifier: Apache-2.0
#include "assimp_file.hpp"

#include <assimp/DefaultIOSystem.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/IOStream.hpp>
#include <assimp/Importer.hpp>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "assimp_log.hpp"
#include "child.hpp"
#include "conventions.hpp"
#include "inside.hpp"
#include "placing.hpp"
#include "rounding.hpp"
#include "scene_numbers.hpp"
#include "stated.hpp"
#include "text.hpp"
#include "welder.hpp"

namespace graze::files {

namespace {

std::string text_of(const aiString& s) { return {s.data, s.length}; }

/// Reports the size of each file that assimp opens, and opens only those that the scene may name.
class HeldFiles : public Assimp::DefaultIOSystem {
public:
    /// Files that were not opened, by their names without folders.
    using Refused = std::map<std::string, Fault>;

    HeldFiles(const std::string& path, const ReadOptions& options, Refused& refused)
        : path_(path), options_(options), refused_(refused) {}

    bool Exists(const char* file) const override { return DefaultIOSystem::Exists(file) && may_open(file); }
    Assimp::IOStream* Open(const char* file, const char* mode) override {
        if (!may_open(file)) return nullptr;
        Assimp::IOStream* stream = DefaultIOSystem::Open(file, mode);
        if (stream && known_.insert(file).second) allow_for(stream->FileSize());
        if (stream) refused_.erase(std::filesystem::path(file).filename().string());
        return stream;
    }

private:
    /// Readers try a name in several folders: one that no file has is not refused, and a file that is found after all
    /// counts.
    bool may_open(const char* file) const {
        if (file == path_) return true;
        std::error_code ignored;
        const std::filesystem::path full = std::filesystem::absolute(file, ignored);
        const Result<std::string> good = resolve_reference(path_, full.string(), options_.allowed_folders);
        if (!good && DefaultIOSystem::Exists(file)) refused_.emplace(full.filename().string(), good.fault());
        return good.ok();
    }

    const std::string& path_;
    const ReadOptions& options_;
    Refused& refused_;
    std::set<std::string> known_;
};

Place place_of(const aiMatrix4x4& m) {
    const auto rounding = [](std::initializer_list<ai_real> numbers) {
        double sum = 0;
        for (const ai_real x : numbers) sum += placement_rounding(x) * placement_rounding(x);
        return std::sqrt(sum);
    };
    return {{{Vec3{m.a1, m.a2, m.a3}, Vec3{m.b1, m.b2, m.b3}, Vec3{m.c1, m.c2, m.c3}}},
            {m.a4, m.b4, m.c4},
            rounding({m.a4, m.b4, m.c4}),
            rounding({m.a1, m.a2, m.a3, m.b1, m.b2, m.b3, m.c1, m.c2, m.c3})};
}

class SceneReader {
public:
    SceneReader(const aiScene& scene, const std::string& path, const ReadOptions& options)
        : scene_(scene), path_(path), options_(options) {
        if (extension(path) == ".3mf") names_ = object_names_3mf(path);
    }

    Result<Assembly> read() {
        frame();
        if (!nodes()) return fault_;
        place_parts(out_, places_, factor_, path_);
        if (loose_ > 0) note(std::to_string(loose_) + " points and lines are skipped");
        if (skinned_) note("skins are skipped: meshes are in their rest pose");
        if (scene_.mFlags & AI_SCENE_FLAGS_INCOMPLETE && out_.parts.empty()) note("assimp calls the scene incomplete");
        return std::move(out_);
    }

private:
    /// Finds the transform to metres and z up from what the format and the file state.
    void frame() {
        const std::string kind = extension(path_);
        const bool is_collada = kind == ".dae" || kind == ".zae";
        out_.conventions = stated_conventions(path_);
        // assimp turns formats with z up to y up, but neither 3MF nor FBX.
        const bool is_turned = out_.conventions.up == 'z' && kind != ".3mf" && !is_collada;
        if (kind == ".fbx" && scene_.mMetaData) {
            float centimetres = 1;
            std::int32_t up = 1, sign = 1;
            if (scene_.mMetaData->Get("UnitScaleFactor", centimetres) && centimetres > 0)
                out_.conventions.metres = centimetres * 0.01;
            if (scene_.mMetaData->Get("UpAxis", up) && up >= 0 && up < 3 &&
                (!scene_.mMetaData->Get("UpAxisSign", sign) || sign > 0))
                out_.conventions.up = "xyz"[up];
        }
        // assimp turns COLLADA only where the axes are not kept, and always scales it and IFC to metres.
        const Up asked = turned_axis(out_.conventions, options_);
        if (is_turned)
            world_.linear = to_z_up(options_.up == Up::Stated ? Up::Keep : options_.up) * to_z_up(Up::Y);
        else
            world_.linear = to_z_up(is_collada && options_.up == Up::Stated ? Up::Y : asked);
        const bool in_metres = is_collada || kind == ".ifc" || kind == ".ifczip";
        factor_ = in_metres ? options_.scale : length_factor(out_.conventions, options_);
    }

    bool nodes() {
        struct Step {
            const aiNode* node;
            Place world;
            std::string path;
            unsigned depth;
        };
        constexpr unsigned deepest = 1000;
        if (!scene_.mRootNode) return fail(FaultKind::Damaged, "the scene has no nodes");
        std::vector<Step> stack{{scene_.mRootNode, world_, "", 0}};
        while (!stack.empty()) {
            const Step step = std::move(stack.back());
            stack.pop_back();
            const std::string name = name_of(*step.node);
            const std::string path = step.path + (step.path.empty() || name.empty() ? "" : "/") + name;
            const Place world = step.world * place_of(step.node->mTransformation);
            if (!world.finite())
                return fail(FaultKind::NotFinite, "node " + in_quotes(name) + ": its transform is not finite");
            if (step.depth > deepest)
                return fail(FaultKind::TooMany,
                            "node " + in_quotes(name) + ": nested deeper than " + std::to_string(deepest));
            if (!part(*step.node, world, name, path)) return false;
            // In reverse order, so that the first child comes next.
            for (unsigned i = step.node->mNumChildren; i-- > 0;)
                if (step.node->mChildren[i]) stack.push_back({step.node->mChildren[i], world, path, step.depth + 1});
        }
        return true;
    }

    /// The name of the node or else of its mesh.
    std::string name_of(const aiNode& node) const {
        std::string name = one_line(text_of(node.mName));
        if (const auto known = names_.find(name); known != names_.end()) return one_line(known->second);
        if (name.empty() && node.mNumMeshes > 0 && node.mMeshes[0] < scene_.mNumMeshes)
            name = one_line(text_of(scene_.mMeshes[node.mMeshes[0]]->mName));
        return name;
    }

    bool part(const aiNode& node, const Place& world, const std::string& name, const std::string& path) {
        if (node.mNumMeshes == 0) return true;
        const std::span<const unsigned> given(node.mMeshes, node.mNumMeshes);
        const std::vector<unsigned> list(given.begin(), given.end());
        auto [at, fresh] = known_.emplace(list, 0);
        if (fresh) {
            Mesh mesh;
            if (!collect(list, mesh)) return false;
            at->second = static_cast<std::uint32_t>(out_.meshes.size());
            out_.meshes.push_back(std::move(mesh));
        }
        if (out_.meshes[at->second].corners.empty()) return true;
        Part& part = out_.parts.emplace_back(Part{name, path, at->second, Affine()});
        // assimp makes a node per layer of a drawing.
        if (out_.conventions.format == "DXF") part.labels.layer = name;
        places_.push_back(world);
        return true;
    }

    /// Joins the polygons of these meshes: assimp makes one mesh per material of a node.
    bool collect(const std::vector<unsigned>& list, Mesh& out) {
        Welder welder(64);
        out.offsets.push_back(0);
        for (const unsigned i : list) {
            if (i >= scene_.mNumMeshes || !scene_.mMeshes[i])
                return fail(FaultKind::BadIndex,
                            "a node names mesh " + std::to_string(i) + " of " + std::to_string(scene_.mNumMeshes));
            const aiMesh& mesh = *scene_.mMeshes[i];
            if (out.name.empty()) out.name = one_line(text_of(mesh.mName));
            if (!out.colour) out.colour = colour(mesh);
            skinned_ = skinned_ || mesh.mNumBones > 0;
            constexpr std::uint32_t none = 0xffffffff;
            std::vector<std::uint32_t> number(mesh.mNumVertices, none), one;
            for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
                const aiFace& face = mesh.mFaces[f];
                const auto where = [&] {
                    return "mesh " + in_quotes(text_of(mesh.mName)) + ", face " + std::to_string(f) + ": ";
                };
                // A truncated file has polygons without corners. Points and lines have one or two corners.
                if (face.mNumIndices == 0) return fail(FaultKind::BadPolygon, where() + "a polygon with 0 corners");
                if (face.mNumIndices < 3) {
                    ++loose_;
                    continue;
                }
                if (out.corners.size() + face.mNumIndices > none - 1)
                    return fail(FaultKind::TooMany, where() + "more corners than 32 bits can number");
                for (unsigned k = 0; k < face.mNumIndices; ++k) {
                    const unsigned v = face.mIndices[k];
                    if (v >= mesh.mNumVertices)
                        return fail(FaultKind::BadIndex, where() + "a corner names vertex " + std::to_string(v) +
                                                             " of " + std::to_string(mesh.mNumVertices));
                    if (number[v] == none) {
                        const aiVector3D& p = mesh.mVertices[v];
                        if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
                            return fail(FaultKind::NotFinite, where() + "a coordinate is not finite");
                        one.clear();
                        welder.weld(std::array{Vec3{p.x, p.y, p.z}}, one);
                        number[v] = one[0];
                    }
                    out.corners.push_back(number[v]);
                }
                out.offsets.push_back(static_cast<std::uint32_t>(out.corners.size()));
            }
        }
        out.points = std::move(welder.points);
        out.error = single_rounding(largest_coordinate(out.points));
        if (out.corners.size() == 3 * (out.offsets.size() - 1)) out.offsets.clear();
        return true;
    }

    std::optional<Colour> colour(const aiMesh& mesh) const {
        if (mesh.mMaterialIndex >= scene_.mNumMaterials || !scene_.mMaterials[mesh.mMaterialIndex]) return std::nullopt;
        const aiMaterial& material = *scene_.mMaterials[mesh.mMaterialIndex];
        aiColor4D c;
        if (material.Get(AI_MATKEY_BASE_COLOR, c) != aiReturn_SUCCESS &&
            material.Get(AI_MATKEY_COLOR_DIFFUSE, c) != aiReturn_SUCCESS)
            return std::nullopt;
        const Colour out{c.r, c.g, c.b, c.a};
        for (const float x : out)
            if (!(x >= 0 && x <= 1)) return std::nullopt;
        return out;
    }

    void note(const std::string& what) { out_.notes.push_back(path_ + ": " + what); }
    bool fail(FaultKind kind, const std::string& what) {
        fault_ = {kind, path_ + ": " + what};
        return false;
    }

    const aiScene& scene_;
    const std::string& path_;
    const ReadOptions& options_;
    std::map<std::string, std::string> names_;  // names of nodes that assimp calls otherwise
    Place world_;
    double factor_ = 1;  // applied to all lengths
    std::map<std::vector<unsigned>, std::uint32_t> known_;
    Assembly out_;
    std::vector<Place> places_;  // one per part
    std::uint64_t loose_ = 0;
    bool skinned_ = false;
    Fault fault_{};
};

/// The message of assimp about a file that it cannot read, in words for a user.
std::string plainly(const std::string& what, const std::string& path) {
    // An impossible count makes the standard library throw, and assimp passes its words on.
    if (has_any(what, {"bad_alloc", "::_M_", "cannot create std::"}))
        return "too little memory for what it claims to hold";
    if (what.empty() || has_any(what, {"No suitable reader", "Failed to open file"}))
        return "not a " + extension(path) + " file, or a damaged one";
    // The fault names the path already.
    const std::size_t end = what.find_last_not_of(" :\"", what.find(path) - 1);
    return one_line(what.find(path) == std::string::npos ? what : what.substr(0, end + 1));
}

Result<Assembly> read_scene(const std::string& path, const ReadOptions& options) {
    const auto damaged = [&](const std::string& what) {
        return Fault{FaultKind::Damaged, path + ": " + plainly(what, path)};
    };
    try {
        if (const Result<void> numbers = check_numbers(path); !numbers) return numbers.fault();
        Assimp::Importer importer;
        HeldFiles::Refused refused;
        importer.SetIOHandler(new HeldFiles(path, options, refused));
        importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
        importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
        importer.SetPropertyInteger(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, options.up != Up::Stated);
        importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, true);
        const AssimpLog heard;
        const aiScene* scene = importer.ReadFile(path, 0);
        if (!refused.empty()) return refused.begin()->second;
        if (!scene) return damaged(importer.GetErrorString());
        if (!heard.bad_index.empty())
            return Fault{FaultKind::BadIndex, path + ": faces have corners that do not exist: " + heard.bad_index};
        if (!heard.damage.empty()) return damaged(heard.damage);
        Result<Assembly> out = SceneReader(*scene, path, options).read();
        if (out && out->parts.empty() && !heard.error.empty()) return damaged(heard.error);
        if (out)
            for (const std::string& what : heard.notes) out->notes.push_back(path + ": assimp says: " + what);
        return out;
    } catch (const std::exception& error) {
        return damaged(error.what());
    } catch (...) {
        return damaged("");
    }
}

}  // namespace

bool assimp_reads(const std::string& extension) {
    // The list has the form "*.3ds;*.fbx".
    static const std::set<std::string> known = [] {
        std::string list;
        Assimp::Importer().GetExtensionList(list);
        std::set<std::string> out;
        for (std::size_t at = 0; at < list.size();) {
            const std::size_t end = std::min(list.find(';', at), list.size());
            out.insert(list.substr(at + 1, end - at - 1));
            at = end + 1;
        }
        return out;
    }();
    return known.contains(extension);
}

Result<Assembly> read_by_assimp(const std::string& path, const ReadOptions& options) {
    // Damaged files make assimp crash, loop or use all memory, so it runs in a child. This process itself asks assimp
    // only for the list above, which is complete before the first child starts: no child inherits a lock of assimp's.
    static_cast<void>(assimp_reads(""));
    return in_child(path, "assimp", [&] { return read_scene(path, options); });
}

}  // namespace graze::files
