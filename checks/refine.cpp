// SPDX-License-Identifier: Apache-2.0
#include "refine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/parallel.hpp"
#include "checks/contact_kind.hpp"
#include "files/step_file.hpp"

namespace graze::checks {

namespace {

constexpr int most_rounds = 2;
constexpr double least_error = 1e-6, finer = 0.1;
constexpr std::uint32_t most_triangles = 5'000;  ///< larger meshes are not cut once more

/// A mesh of a file, cut finer.
struct Fine {
    Solid solid;
    double error = 0;
    std::vector<files::SimpleFace> faces;
};

/// A mesh by its file and its number in that.
using MeshId = std::pair<std::uint32_t, std::uint32_t>;

class Refiner {
public:
    Refiner(const Parts& parts, const SolidOf& solid, const ClashSettings& settings, std::vector<std::string>& notes)
        : parts_(parts), solid_of_(solid), settings_(settings), notes_(notes) {}

    /// True when a finer mesh of one of the parts is worth its time.
    bool can_refine(const Clash& clash) const {
        return clash.kind == Kind::Fit && (can_refine(clash.a) || can_refine(clash.b));
    }

    /// Makes the meshes of some clashes a tenth as coarse.
    void cut(std::span<Clash* const> clashes) {
        std::map<std::uint32_t, std::vector<files::Remesh>> wanted;  // by file
        std::map<MeshId, bool> seen;
        for (const Clash* clash : clashes)
            for (const std::uint32_t p : {clash->a, clash->b})
                if (can_refine(p) && seen.emplace(id(p), true).second)
                    wanted[parts_.parts[p].file].push_back({parts_.parts[p].mesh, error(p) * finer});
        for (const auto& [file, list] : wanted) {
            const Result<std::vector<files::Mesh>> meshes =
                files::remesh(parts_.files[file].path, *settings_.reading, list);
            if (!meshes) notes_.push_back(meshes.fault().message + "; fits are not looked at again");
            std::vector<std::optional<Fine>> made(list.size());
            detail::parallel_for(meshes ? list.size() : 0, settings_.threads, [&](std::size_t i) {
                const files::Mesh& mesh = (*meshes)[i];
                if (mesh.corners.empty()) return;
                if (const Result<Model> model = Model::build(mesh.view(), {.threads = 1}))
                    made[i] = {Solid(*model), mesh.error, mesh.faces};
            });
            for (std::size_t i = 0; i < list.size(); ++i) {
                const MeshId key{file, list[i].mesh};
                if (made[i])
                    fine_.insert_or_assign(key, *made[i]);
                else
                    failed_.emplace(key, true);
            }
        }
    }

    /// Equal for pairs of the same meshes that are placed alike but for rounding, such as the bolts of a flange.
    std::vector<std::int64_t> key(const Clash& clash) const {
        const Part &a = parts_.parts[clash.a], &b = parts_.parts[clash.b];
        std::vector<std::int64_t> out{a.file, a.mesh, b.file, b.mesh, a.model, b.model};
        const Result<Affine> a_from_b = relative(a.world_from_model, b.world_from_model);
        if (!a_from_b) return out;
        const double length = clash.band * 1e-3, angle = 1e-9;
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) out.push_back(std::llround(a_from_b->linear().row[r][c] / angle));
            out.push_back(std::llround(a_from_b->translation()[r] / length));
        }
        return out;
    }

    /// Decides a fit by the finest meshes that there are.
    void decide(Clash& clash) const {
        const Affine& world_from_a = parts_.parts[clash.a].world_from_model;
        const Result<Affine> a_from_b = relative(world_from_a, parts_.parts[clash.b].world_from_model);
        if (!a_from_b) return;
        const Solid a = solid(clash.a), b = solid(clash.b);
        Clash now = clash;
        now.exact = now.kind = manner_of(a, b, *a_from_b).kind;
        now.band = error(clash.a) + error(clash.b);
        weigh(now, a, b, {world_from_a, *a_from_b}, settings_.tolerance);
        clash.band = now.band;
        if (now.kind == Kind::Crossing) clash.kind = Kind::Crossing;
        clash.note = clash.kind == Kind::Fit ? common_surface(clash.a, clash.b, *a_from_b) : "";
        clash.thin = now.thin;
    }

private:
    /// The axis and radius, or the plane, that two parts share by their file. Empty when none is found.
    std::string common_surface(std::uint32_t a, std::uint32_t b, const Affine& a_from_b) const {
        const auto fine_a = fine_.find(id(a)), fine_b = fine_.find(id(b));
        if (fine_a == fine_.end() || fine_b == fine_.end() || !a_from_b.rigid()) return {};
        constexpr double parallel = 1e-9, close = 1e-8;  // metres; files state a tenth of a micrometre
        constexpr std::size_t most = 4'000'000;          // pairs of faces
        if (fine_a->second.faces.size() * fine_b->second.faces.size() > most) return {};
        const Vec3 origin = a_from_b(Vec3{});
        bool in_one_plane = false;
        for (const files::SimpleFace& v : fine_b->second.faces) {
            const Vec3 point = a_from_b(v.point), direction = a_from_b(v.direction) - origin;
            for (const files::SimpleFace& u : fine_a->second.faces) {
                if ((u.radius == 0) != (v.radius == 0) || !(std::abs(u.radius + v.radius) <= close)) continue;
                if (!(length(cross(u.direction, direction)) <= parallel)) continue;
                const Vec3 way = point - u.point;
                const double along = dot(way, u.direction);
                if (u.radius != 0 && length(way - u.direction * along) <= close)
                    return fmt::format("same axis and radius: {:.4g}", std::abs(u.radius));
                in_one_plane =
                    in_one_plane || (u.radius == 0 && dot(u.direction, direction) < 0 && std::abs(along) <= close);
            }
        }
        return in_one_plane ? "faces in one plane" : "";
    }

    MeshId id(std::uint32_t part) const { return {parts_.parts[part].file, parts_.parts[part].mesh}; }
    bool can_refine(std::uint32_t part) const {
        return parts_.parts[part].curved && error(part) > least_error && !failed_.contains(id(part)) &&
               solid(part).model().triangle_count() <= most_triangles;
    }
    double error(std::uint32_t part) const {
        const auto at = fine_.find(id(part));
        return at == fine_.end() ? parts_.parts[part].error : at->second.error;
    }
    Solid solid(std::uint32_t part) const {
        const auto at = fine_.find(id(part));
        return at == fine_.end() ? solid_of_(part) : at->second.solid;
    }

    const Parts& parts_;
    const SolidOf& solid_of_;
    const ClashSettings& settings_;
    std::vector<std::string>& notes_;
    std::map<MeshId, Fine> fine_;
    std::map<MeshId, bool> failed_;
};

}  // namespace

std::size_t refine_fits(const Parts& parts, const SolidOf& solid, std::vector<Clash>& clashes,
                        const ClashSettings& settings, std::vector<std::string>& notes) {
    if (!settings.reading || settings.error) return 0;
    Refiner refiner(parts, solid, settings, notes);
    std::size_t refined = 0;
    for (int round = 0; round < most_rounds; ++round) {
        std::vector<Clash*> open;
        for (Clash& clash : clashes)
            if (refiner.can_refine(clash)) open.push_back(&clash);
        // Finer meshes depend on their order in the last digits, and shards find the clashes in another order.
        std::ranges::sort(open, {}, [](const Clash* clash) { return std::pair(clash->a, clash->b); });
        if (round == 0) refined = open.size();
        refiner.cut(open);
        std::map<std::vector<std::int64_t>, std::vector<Clash*>> alike;
        for (Clash* clash : open) alike[refiner.key(*clash)].push_back(clash);
        std::vector<const std::vector<Clash*>*> groups;
        for (const auto& [_, group] : alike) groups.push_back(&group);
        detail::parallel_for(groups.size(), settings.threads, [&](std::size_t i) {
            if (settings.stop && *settings.stop) return;
            const Clash& first = *groups[i]->front();
            refiner.decide(*groups[i]->front());
            for (Clash* other : *groups[i]) {
                other->kind = first.kind;
                other->thin = first.thin;
                other->band = first.band;
                other->note = first.note;
            }
        });
    }
    return refined;
}

}  // namespace graze::checks
