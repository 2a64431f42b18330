// SPDX-License-Identifier: Apache-2.0
#include "checks/robot_world.hpp"

#include <array>
#include <filesystem>
#include <set>

#include "checks/parts.hpp"

namespace graze::checks {

namespace fs = std::filesystem;

Result<std::vector<WorldObject>> read_world(const std::string& robot, std::span<const WorldFile> files,
                                            const std::vector<std::string>& allowed_folders, unsigned threads,
                                            std::vector<std::string>& notes) {
    std::vector<files::FileConventions> stated{{robot, {"URDF", 1, 'z'}}};
    std::vector<WorldObject> objects;
    std::set<std::string> used;
    const auto unique = [&](const std::string& name) {
        std::string out = name;
        for (std::size_t n = 2; !used.insert(out).second; ++n) out = name + "#" + std::to_string(n);
        return out;
    };
    for (const WorldFile& file : files) {
        const files::ReadOptions reading{.scale = file.scale, .groups = true, .allowed_folders = allowed_folders};
        const Result<Parts> read = read_parts(std::array{file.path}, reading, threads, {}, BadFiles::Stop);
        if (!read) return read.fault();
        notes.insert(notes.end(), read->notes.begin(), read->notes.end());
        stated.insert(stated.end(), read->files.begin(), read->files.end());
        const fs::path path(file.path);
        for (const Part& part : read->parts) {
            const Result<Affine> placement = compose(Affine(file.root_from_file), part.world_from_model);
            const Result<Model> model = placement ? placed_model(read->models[part.model], *placement, threads)
                                                  : Result<Model>(placement.fault());
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
