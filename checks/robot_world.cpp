// SPDX-License-Identifier: Apache-2.0
#include "checks/robot_world.hpp"

#include <array>
#include <filesystem>
#include <set>

#include "checks/parts.hpp"
#include "checks/survey.hpp"

namespace graze::checks {

namespace fs = std::filesystem;

Ledger ledger_of(const RobotCheck& check, double clearance, const World& world) {
    Ledger out;
    out.clearance = {clearance, clearance > 0};
    out.add_file({"URDF", 1, 'z'});
    for (const files::Conventions& file : world.files) out.add_file(file);
    for (const RobotBody& body : check.bodies()) out.add_part(body.name, is_open(body.model));
    out.add_left_out(world.left_out);
    out.unlike = world.unlike;
    const std::uint64_t links = check.link_count(), around = check.bodies().size() - links;
    out.pairs = links * (links - (links > 0)) / 2 + links * around;
    if (check.left_out() > 0) out.not_asked.push_back({check.left_out_because(), check.left_out()});
    if (const std::uint64_t standing = check.standing().size() * around; standing > 0)
        out.not_asked.push_back({"of links that cannot move and the world", standing});
    return out;
}

Result<World> read_world(const std::string& robot, std::span<const WorldFile> files,
                         const std::vector<std::string>& allowed_folders, unsigned threads) {
    std::vector<files::FileConventions> stated{{robot, {"URDF", 1, 'z'}}};
    World out;
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
        out.notes.insert(out.notes.end(), read->notes.begin(), read->notes.end());
        out.left_out.insert(out.left_out.end(), read->left_out.begin(), read->left_out.end());
        for (const files::FileConventions& one : read->files) out.files.push_back(one.conventions);
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
            out.objects.push_back({unique(name), *model});
        }
    }
    for (std::string& one : files::notes_on(stated, {}, false)) out.notes.push_back(std::move(one));
    out.unlike = files::differences(stated, {});
    return out;
}

}  // namespace graze::checks
