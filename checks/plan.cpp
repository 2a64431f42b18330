// SPDX-License-Identifier: Apache-2.0
#include "checks/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>
#include <unordered_map>

#include "base/first_fault.hpp"
#include "base/parallel.hpp"
#include "checks/close_parts.hpp"
#include "checks/plan_files.hpp"
#include "files/text.hpp"
#include "files/write.hpp"

namespace graze::checks {

namespace {

namespace fs = std::filesystem;

/// Saves models in the folder of a plan, named by their content.
class PlanStore : public ModelStore {
public:
    PlanStore(std::string folder, unsigned threads) : folder_(std::move(folder)), threads_(threads) {}

    Result<void> store(Parts& parts, std::size_t first, std::span<const std::uint64_t> hashes) override {
        for (std::size_t i = first; i < parts.models.size(); ++i) {
            const std::uint64_t hash = hashes[i - first];
            const Model& model = parts.models[i];
            parts.shapes.push_back({.name = fmt::format("{:016x}-{}", hash, used_[hash]++),
                                    .triangles = model.triangle_count(),
                                    .bytes = model.bytes(),
                                    .box = Bounds(model.bounds())});
        }
        detail::FirstFault faults;
        const unsigned threads = std::max(8u, threads_ == 0 ? std::thread::hardware_concurrency() : threads_);
        const auto save_one = [&](std::size_t k) {
            if (const Result<void> saved = save(parts.models[first + k], parts.shapes[first + k]); !saved)
                faults.report(k, saved.fault());
        };
        detail::parallel_for(parts.models.size() - first, threads, save_one, detail::LoopWork::Waits);
        if (faults.any()) return faults.fault();
        return {};
    }

    Result<Model> load(const Shape& shape) const override { return Model::load(model_path(folder_, shape)); }

private:
    Result<void> save(const Model& model, const Shape& shape) const {
        const std::string path = model_path(folder_, shape);
        std::error_code ignored;
        if (fs::exists(path, ignored)) {
            // An earlier plan has left it, or a run that was stopped. A damaged one is replaced.
            const Result<Model> there = Model::load(path);
            if (there && same_content(*there, model)) return {};
            if (there) return Fault{FaultKind::File, path + ": another shape has this name; plan into another folder"};
        }
        fs::create_directories(fs::path(path).parent_path(), ignored);
        return model.save(path);
    }

    std::string folder_;
    unsigned threads_;
    std::unordered_map<std::uint64_t, unsigned> used_;  ///< names in use, by hash
};

/// A fault when the folder has things in it that are not a plan's.
Result<void> check_folder(const std::string& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    for (const std::string_view below : plan_folders)
        if (!error) fs::create_directories(fs::path(folder) / below, error);
    if (error) return Fault{FaultKind::File, folder + ": " + error.message()};
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        const bool known = std::ranges::find(plan_folders, name) != plan_folders.end() ||
                           std::ranges::find(plan_entries, name) != plan_entries.end() || name.starts_with(".graze-");
        if (!known)
            return Fault{FaultKind::File,
                         fmt::format("{}: the folder has {} in it, which is not part of a plan; choose "
                                     "an empty folder",
                                     folder, files::in_quotes(name))};
    }
    if (error) return Fault{FaultKind::File, folder + ": " + error.message()};
    return {};
}

// Estimated seconds on one core, by measurement: docs/scale.md.
constexpr double per_triangle = 2e-7, per_part = 5e-5, per_pair = 2e-5, per_pair_triangle = 4e-7;

/// Where the work is: a point for each part, at which its model is loaded, and one for each pair whose boxes overlap.
std::vector<WeightedPoint> work_of(const Parts& parts, const std::vector<Bounds>& boxes, unsigned threads) {
    const auto triangles = [&](std::uint32_t i) { return 1.0 * parts.shapes[parts.parts[i].model].triangles; };
    std::vector<WeightedPoint> work;
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
        if (!boxes[i].empty()) work.push_back({boxes[i].lo, per_part + per_triangle * triangles(i)});
    for (const auto& [p, q] : near_pairs(boxes, 0, threads)) {
        const double both = triangles(p) + triangles(q);
        work.push_back({lower_corner(boxes[p], boxes[q]), per_pair + per_pair_triangle * both});
    }
    return work;
}

std::size_t wanted_shards(const Parts& parts, const Planning& planning) {
    if (planning.shards) return *planning.shards;
    constexpr std::uint64_t bytes_each = 128'000'000;
    std::uint64_t bytes = 0;
    for (const Part& part : parts.parts) bytes += parts.shapes[part.model].bytes;
    // Small assemblies are shared among some cores too.
    return std::max<std::uint64_t>(bytes / bytes_each + 1, std::min<std::uint64_t>(parts.parts.size() / 64 + 1, 16));
}

std::vector<double> costs_of(const Cells& cells, const std::vector<WeightedPoint>& work) {
    std::vector<double> costs(cells.size());
    for (const WeightedPoint& one : work) costs[cells.cell_of(one.at)] += one.weight;
    return costs;
}

/// The cells of an earlier plan if they still balance, so that shards stay what they were.
Cells choose_cells(const std::optional<Plan>& before, const std::vector<WeightedPoint>& work, std::size_t wanted) {
    Cells fresh(work, wanted);
    if (!before || before->cells.size() < fresh.size() / 2 || before->cells.size() > 2 * fresh.size()) return fresh;
    const auto most = [&](const Cells& cells) { return std::ranges::max(costs_of(cells, work)); };
    return most(before->cells) <= 1.5 * most(fresh) ? before->cells : fresh;
}

/// Removes what the plan does not name: models, shards, results and indices of earlier plans.
void tidy(const Plan& plan, const Parts& parts) {
    std::set<std::string> keys, shapes;
    for (const PlannedShard& shard : plan.shards) keys.insert(shard.key);
    for (const Shape& shape : parts.shapes) shapes.insert(shape.name);
    const auto clear = [&](const char* below, const auto& needed) {
        std::error_code ignored;
        std::vector<fs::path> old;
        for (fs::recursive_directory_iterator at(fs::path(plan.folder) / below, ignored), end; !ignored && at != end;
             at.increment(ignored))
            if (at->is_regular_file(ignored) && !needed(at->path().filename().string())) old.push_back(at->path());
        for (const fs::path& one : old) fs::remove(one, ignored);
    };
    clear("models", [&](const std::string& name) { return shapes.contains(name); });
    clear("shards", [&](const std::string& name) { return keys.contains(name); });
    clear("results", [&](const std::string& name) { return keys.contains(name); });
    clear("index", [&](const std::string& name) { return name == plan.index; });
    clear("logs", [&](const std::string&) { return false; });
}

}  // namespace

Result<MadePlan> make_plan(const std::string& folder, const PlanSettings& settings, const Planning& planning) {
    if (const Result<void> good = check_folder(folder); !good) return good.fault();
    const Result<Rules> rules = parse_rules(settings.rules);
    if (!rules) return rules.fault();
    std::optional<Plan> before;
    if (Result<Plan> loaded = load_plan(folder); loaded) before = std::move(*loaded);

    MadePlan out;
    Plan& plan = out.plan;
    plan.folder = folder;
    plan.settings = settings;
    plan.inputs = inputs_of(settings.paths);
    PlanStore store(folder, planning.threads);
    Result<Parts> read =
        read_parts(settings.paths, settings.reading, planning.threads, planning.progress, settings.bad_files, &store);
    if (!read) return read.fault();
    out.parts = std::move(*read);
    if (const Result<void> some = check_between(out.parts, *rules); !some) return some.fault();
    if (const Result<void> known = check_units(out.parts, *rules, settings.reading.scale); !known) return known.fault();

    double reach = settings.clearance;
    for (const ClearanceRule& rule : rules->clearances) reach = std::max(reach, rule.length.value);
    plan.rounding = rounding_of(out.parts.boxes);
    std::vector<Bounds> boxes;
    for (const Bounds& box : out.parts.boxes) {
        plan.assembly.add(box);
        boxes.push_back(widened(box, reach, plan.rounding));
    }
    const std::vector<WeightedPoint> work = work_of(out.parts, boxes, planning.threads);
    plan.cells = choose_cells(before, work, wanted_shards(out.parts, planning));

    std::vector<std::vector<std::uint32_t>> of_shard(plan.cells.size());
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
        plan.cells.for_each_touched(boxes[i], [&](std::uint32_t cell) { of_shard[cell].push_back(i); });
    const std::vector<double> costs = costs_of(plan.cells, work);
    const std::vector<Bounds> cells = plan.cells.boxes();
    for (std::size_t i = 0; i < of_shard.size(); ++i) {
        const Result<std::string> key = write_shard(plan, reach, cells[i], out.parts, of_shard[i]);
        if (!key.ok()) return key.fault();
        plan.shards.push_back({*key, of_shard[i].size(), costs[i]});
    }
    const Result<std::string> index = write_index(plan, out.parts);
    if (!index.ok()) return index.fault();
    plan.index = *index;
    if (const Result<void> written = write_plan(plan); !written) return written.fault();
    tidy(plan, out.parts);
    std::error_code ignored;
    for (std::size_t i = 0; i < plan.shards.size(); ++i) out.done += fs::exists(result_path(plan, i), ignored);
    return out;
}

std::vector<InputFile> inputs_of(const std::vector<std::string>& paths) {
    std::vector<InputFile> out;
    for (std::string& path : files_of(paths)) {
        std::error_code unknown;
        InputFile one{.path = std::move(path)};
        one.size = fs::file_size(one.path, unknown);
        if (unknown) one.size = 0;
        const auto time = fs::last_write_time(one.path, unknown);
        if (!unknown) one.time = time.time_since_epoch().count();
        out.push_back(std::move(one));
    }
    return out;
}

Result<void> check_inputs(const Plan& plan) {
    const std::vector<InputFile> now = inputs_of(plan.settings.paths);
    const auto [before, after] = std::ranges::mismatch(plan.inputs, now);
    if (before == plan.inputs.end() && after == now.end()) return {};
    const std::string& path = before == plan.inputs.end() ? after->path : before->path;
    return Fault{FaultKind::File, fmt::format("{}: has changed since the plan {} was made; run graze clash plan again, "
                                              "which keeps all results that still hold",
                                              path, plan.folder)};
}

Bounds widened(const Bounds& box, double reach, double rounding) {
    if (box.empty()) return box;
    // Boxes and placements are rounded, and placements may scale by up to 512.
    const double by = reach_of(reach, rounding) + 1000 * rounding;
    const Vec3 slack = (box.hi - box.lo) * 1e-9 + Vec3{by, by, by};
    Bounds out;
    out.lo = box.lo - slack;
    out.hi = box.hi + slack;
    return out;
}

Vec3 lower_corner(const Bounds& a, const Bounds& b) {
    return {std::max(a.lo.x, b.lo.x), std::max(a.lo.y, b.lo.y), std::max(a.lo.z, b.lo.z)};
}

std::string model_path(const std::string& folder, const Shape& shape) {
    return fmt::format("{}/models/{}/{}", folder, shape.name.substr(0, 2), shape.name);
}

std::string result_path(const Plan& plan, std::size_t shard) {
    return fmt::format("{}/results/{}", plan.folder, plan.shards[shard].key);
}

}  // namespace graze::checks
