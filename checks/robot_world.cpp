// SPDX-License-Identifier: Apache-2.0
#include "checks/robot_world.hpp"

#include <array>
#include <filesystem>
#include <set>

#include "checks/parts.hpp"

namespace graze::checks {

namespace {

namespace fs = std::filesystem;

/// The model with its points placed.
Result<Model> moved(const Model& model, const Affine& placement, unsigned threads) {
    if (placement == Affine()) return model;
    std::vector<Vec3> points(model.points().begin(), model.points().end());
    for (Vec3& p : points) p = placement(p);
    std::vector<std::uint32_t> corners;
    corners.reserve(3 * std::size_t{model.triangle_count()});
    for (const auto& triangle : model.triangles()) corners.insert(corners.end(), triangle.begin(), triangle.end());
    return Model::build(SoupView(points, corners), {.threads = threads});
}

}  // namespace

Result<std::vector<WorldObject>> read_world(const std::string& robot, std::span<const WorldFile> files,
                                            unsigned threads, std::vector<std::string>& notes) {
    std::vector<files::FileConventions> stated{{robot, {"URDF", 1, 'z'}}};
    std::vector<WorldObject> objects;
    std::set<std::string> used;
    const auto unique = [&](const std::string& name) {
        std::string out = name;
        for (std::size_t n = 2; !used.insert(out).second; ++n) out = name + "#" + std::to_string(n);
        return out;
    };
    for (const WorldFile& file : files) {
        const Result<Parts> read = read_parts(std::array{file.path}, {.scale = file.scale, .groups = true}, threads);
        if (!read) return read.fault();
        notes.insert(notes.end(), read->notes.begin(), read->notes.end());
        stated.insert(stated.end(), read->files.begin(), read->files.end());
        const fs::path path(file.path);
        for (const Part& part : read->parts) {
            const Result<Affine> placement = compose(Affine(file.root_from_file), part.world_from_model);
            const Result<Model> model =
                placement ? moved(read->models[part.model], *placement, threads) : Result<Model>(placement.fault());
            if (!model) return Fault{model.fault().kind, file.path + ": " + part.path + ": " + model.fault().message};
            const std::string name = read->parts.size() == 1 ? path.filename().string()
                                     : files.size() == 1     ? part.path
                                                             : path.stem().string() + "/" + part.path;
            objects.push_back({unique(name), *model});
        }
    }
    for (std::string& one : files::notes_on(stated, {}, false)) notes.push_back(std::move(one));
    return objects;
}

}  // namespace graze::checks
