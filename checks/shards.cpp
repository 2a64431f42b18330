// SPDX-License-Identifier: Apache-2.0
#include "checks/shards.hpp"

#include <fmt/format.h>
#ifdef __unix__
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "base/first_fault.hpp"
#include "base/parallel.hpp"
#include "checks/plan_files.hpp"
#include "files/write.hpp"

namespace graze::checks {

namespace {

/// Calls `f` with each member that a shard finds out, in the order of the file. A new one makes a new version of the
/// files: `head` in checks/records.cpp.
template <class SomeClash, class F>
void for_each_found(SomeClash& clash, F&& f) {
    f(clash.a);
    f(clash.b);
    f(clash.kind);
    f(clash.contacts);
    f(clash.low);
    f(clash.high);
    f(clash.note);
    f(clash.a_is_inside);
    f(clash.extent);
    f(clash.thin);
    f(clash.exact);
    f(clash.band);
    f(clash.severity);
    f(clash.closest);
}

struct ToJson {
    Json& out;
    void operator()(Kind kind) const { out.push_back(static_cast<int>(kind)); }
    void operator()(const Vec3& v) const { out.push_back(json_array(v)); }
    void operator()(const std::optional<Closest>& closest) const {
        out.push_back(closest
                          ? Json::array({closest->distance, json_array(closest->point_a), json_array(closest->point_b)})
                          : Json());
    }
    void operator()(const auto& value) const { out.push_back(value); }
};

struct FromJson {
    const Json& in;
    std::size_t at = 0;
    void operator()(Kind& kind) {
        const int number = in.at(at++);
        if (number < 0 || number >= kind_count) throw std::runtime_error("unknown kind");
        kind = static_cast<Kind>(number);
    }
    void operator()(Vec3& v) { v = vector_of(in.at(at++)); }
    void operator()(std::optional<Closest>& closest) {
        const Json& values = in.at(at++);
        if (!values.is_null()) closest = {values.at(0), vector_of(values.at(1)), vector_of(values.at(2))};
    }
    template <class T>
    void operator()(T& value) {
        value = in.at(at++).get<T>();
    }
};

Json json_of(const Clash& clash) {
    Json out = Json::array();
    for_each_found(clash, ToJson{out});
    return out;
}

Clash clash_of(const Json& json) {
    Clash clash;
    for_each_found(clash, FromJson{json});
    return clash;
}

std::string result_of(const std::string& key, FoundPairs found) {
    const auto by_parts = [](const auto& one) { return std::tuple(one.a, one.b); };
    std::ranges::sort(found.clashes, {}, by_parts);
    std::ranges::sort(found.ignored, {}, by_parts);
    RecordWriter out;
    std::ranges::sort(found.open);
    const auto [again, end] = std::ranges::unique(found.open);  // pieces share parts
    found.open.erase(again, end);
    out.add({{"shard", key}, {"met", found.met}, {"open", found.open}});
    for (const Clash& one : found.clashes) out.add(json_of(one));
    for (const Ignored& one : found.ignored) out.add({one.a, one.b, one.rule});
    return std::move(out).take();
}

/// Reads a result. The numbers of parts are those of the shard.
Result<FoundPairs> load_result(const Plan& plan, std::size_t shard) {
    const std::string path = result_path(plan, shard);
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown))
        return Fault{FaultKind::File, fmt::format("{}: shard {} has no result yet; graze clash run {} makes those that "
                                                  "are missing",
                                                  plan.folder, shard, plan.folder)};
    FoundPairs found;
    std::string key;
    const std::uint64_t parts = plan.shards[shard].parts;
    const Result<void> read = read_records(path, [&](Json&& json) {
        if (json.is_object()) {
            key = json.at("shard");
            found.met = json.at("met");
            json.at("open").get_to(found.open);
            if (key == plan.shards[shard].key)
                for (const std::uint32_t part : found.open)
                    if (part >= parts) throw std::runtime_error("unknown part");
            return;
        }
        if (key != plan.shards[shard].key) return;  // the numbers of its parts mean nothing here
        if (json.size() == 3)
            found.ignored.push_back({json.at(0), json.at(1), json.at(2)});
        else
            found.clashes.push_back(clash_of(json));
        if (json.at(0).get<std::uint64_t>() >= parts || json.at(1).get<std::uint64_t>() >= parts)
            throw std::runtime_error("unknown part");
    });
    const std::string again = fmt::format("; remove it and run graze clash shard {} {} again", plan.folder, shard);
    if (!read) return Fault{FaultKind::Damaged, fmt::format("shard {}: {}{}", shard, read.fault().message, again)};
    if (key != plan.shards[shard].key)
        return Fault{FaultKind::Damaged,
                     fmt::format("shard {}: {}: is the result of another shard or plan{}", shard, path, again)};
    return found;
}

/// Memory that a part takes at most, by measurement: its model, and what is found out about it.
std::uint64_t bytes_of(const Parts& parts, std::uint32_t part) {
    return 4096 + 3 * parts.shapes[parts.parts[part].model].bytes;
}

/// Loads some of the models of `parts.shapes`.
Result<void> load_shapes(const std::string& folder, Parts& parts, std::span<const std::uint32_t> shapes,
                         unsigned threads) {
    parts.models.resize(parts.shapes.size(), Model());
    detail::FirstFault faults;
    detail::parallel_for(shapes.size(), threads, [&](std::size_t k) {
        const std::uint32_t i = shapes[k];
        Result<Model> model = Model::load(model_path(folder, parts.shapes[i]));
        if (!model)
            faults.report(k, model.fault());
        else if (model->triangle_count() != parts.shapes[i].triangles)
            faults.report(k, {FaultKind::Damaged, model_path(folder, parts.shapes[i]) + ": is another model"});
        else
            parts.models[i] = std::move(*model);
    });
    if (!faults.any()) return {};
    Fault fault = faults.fault();
    if (fault.kind == FaultKind::Damaged)
        fault.message += fmt::format("; graze clash plan makes the models of {} anew", folder);
    return fault;
}

/// The parts of a shard that touch a piece of its cell, and their numbers in the shard.
struct Piece {
    Parts parts;
    std::vector<std::uint32_t> numbers;
};

Piece piece_of(const Parts& all, const std::vector<std::uint32_t>& chosen) {
    Piece out;
    out.parts.files = all.files;
    out.numbers = chosen;
    std::unordered_map<std::uint32_t, std::uint32_t> shapes;
    for (const std::uint32_t i : chosen) {
        Part part = all.parts[i];
        const auto [shape, fresh] = shapes.emplace(part.model, shapes.size());
        if (fresh) out.parts.shapes.push_back(all.shapes[part.model]);
        part.model = shape->second;
        out.parts.parts.push_back(std::move(part));
        out.parts.boxes.push_back(all.boxes[i]);
    }
    return out;
}

/// The pieces of a cell. Each needs no more than some memory, if it can be cut that small.
Cells pieces_of(const Parts& parts, const std::vector<Bounds>& boxes, std::uint64_t memory) {
    // Systems allow some 65,000 mapped files per process.
    constexpr std::uint64_t most_parts = 20'000;
    std::vector<WeightedPoint> points;
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
        if (boxes[i].empty()) continue;
        bytes += bytes_of(parts, i);
        points.push_back({boxes[i].lo, static_cast<double>(bytes_of(parts, i))});
    }
    return Cells(std::move(points), std::max({std::uint64_t{1}, bytes / std::max<std::uint64_t>(memory, 1) + 1,
                                              parts.parts.size() / most_parts + 1}));
}

}  // namespace

std::uint64_t half_of_memory() {
#ifdef _SC_PHYS_PAGES
    const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) / 2;
#endif
    return std::uint64_t{2} << 30;
}

Result<void> run_shard(const Plan& plan, std::size_t shard, const ShardSettings& settings) {
    if (check_result(plan, shard)) return {};
    const Result<ShardWork> work = load_shard(plan, shard);
    if (!work) return work.fault();
    Result<Rules> rules = parse_rules(work->rules);
    if (!rules) return rules.fault();
    std::vector<Bounds> boxes;
    for (const Bounds& box : work->parts.boxes) boxes.push_back(widened(box, work->reach, work->rounding));
    const std::uint64_t memory = settings.memory > 0 ? settings.memory : half_of_memory();
    const Cells pieces = pieces_of(work->parts, boxes, memory);
    std::vector<std::vector<std::uint32_t>> of_piece(pieces.size());
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
        pieces.for_each_touched(boxes[i], [&](std::uint32_t piece) { of_piece[piece].push_back(i); });

    const auto in_cell = [&](const Vec3& p) {
        for (int d = 0; d < 3; ++d)
            if (!(p[d] >= work->cell.lo[d] && p[d] < work->cell.hi[d])) return false;
        return true;
    };
    FoundPairs all;
    for (std::uint32_t k = 0; k < of_piece.size(); ++k) {
        Piece piece = piece_of(work->parts, of_piece[k]);
        std::vector<std::uint32_t> shapes(piece.parts.shapes.size());
        std::iota(shapes.begin(), shapes.end(), 0);
        if (const Result<void> loaded = load_shapes(plan.folder, piece.parts, shapes, settings.threads); !loaded)
            return loaded.fault();
        const auto mine = [&](std::uint32_t p, std::uint32_t q) {
            const Vec3 corner = lower_corner(boxes[piece.numbers[p]], boxes[piece.numbers[q]]);
            return in_cell(corner) && pieces.cell_of(corner) == k;
        };
        Result<FoundPairs> found = find_pairs(piece.parts,
                                              {.rules = *rules,
                                               .pairs = 0,
                                               .tolerance = work->tolerance,
                                               .error = work->error,
                                               .clearance = work->clearance,
                                               .threads = settings.threads,
                                               .mine = mine,
                                               .rounding = work->rounding},
                                              settings.progress);
        if (!found) return found.fault();
        all.met += found->met;
        for (const std::uint32_t part : found->open) all.open.push_back(piece.numbers[part]);
        const auto take = [&](auto& from, auto& to) {
            for (auto& one : from) {
                one.a = piece.numbers[one.a];
                one.b = piece.numbers[one.b];
                to.push_back(std::move(one));
            }
        };
        take(found->clashes, all.clashes);
        take(found->ignored, all.ignored);
    }
    return files::write_bytes(result_path(plan, shard), result_of(work->key, std::move(all)));
}

Result<void> check_result(const Plan& plan, std::size_t shard) {
    const Result<FoundPairs> found = load_result(plan, shard);
    if (!found) return found.fault();
    return {};
}

Result<FoundPairs> merge_shards(const Plan& plan, const Parts& parts) {
    std::size_t missing = 0;
    std::optional<Fault> fault;
    std::vector<FoundPairs> of_shard(plan.shards.size());
    for (std::size_t i = 0; i < plan.shards.size(); ++i) {
        Result<FoundPairs> found = load_result(plan, i);
        if (found)
            of_shard[i] = std::move(*found);
        else if (missing++ == 0)
            fault = found.fault();
    }
    if (missing == 2) fault->message += " (another shard lacks a good result too)";
    if (missing > 2) fault->message += fmt::format(" ({} more shards lack a good result)", missing - 1);
    if (fault) return *fault;

    std::unordered_map<std::string, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < parts.parts.size(); ++i) numbers.emplace(parts.parts[i].path, i);
    FoundPairs all;
    for (std::size_t i = 0; i < of_shard.size(); ++i) {
        all.met += of_shard[i].met;
        if (of_shard[i].clashes.empty() && of_shard[i].ignored.empty() && of_shard[i].open.empty()) continue;
        const Result<ShardWork> work = load_shard(plan, i);
        if (!work) return work.fault();
        const auto number = [&](std::uint32_t part) { return numbers.at(work->parts.parts[part].path); };
        const auto take = [&](auto& from, auto& to) {
            for (auto& one : from) {
                one.a = number(one.a);
                one.b = number(one.b);
                to.push_back(std::move(one));
            }
        };
        take(of_shard[i].clashes, all.clashes);
        take(of_shard[i].ignored, all.ignored);
        for (const std::uint32_t part : of_shard[i].open) all.open.push_back(number(part));
        of_shard[i] = {};
    }
    std::ranges::sort(all.open);
    const auto [again, end] = std::ranges::unique(all.open);  // a part may reach into several cells
    all.open.erase(again, end);
    std::vector<std::array<std::uint32_t, 2>> pairs;
    for (const Clash& one : all.clashes) pairs.push_back({one.a, one.b});
    for (const Ignored& one : all.ignored) pairs.push_back({one.a, one.b});
    std::ranges::sort(pairs);
    if (const auto twice = std::ranges::adjacent_find(pairs); twice != pairs.end())
        return Fault{FaultKind::Damaged,
                     fmt::format("{}: two shards have the pair {} and {}; make the plan again", plan.folder,
                                 parts.parts[(*twice)[0]].path, parts.parts[(*twice)[1]].path)};
    return all;
}

Solid PlannedSolids::operator()(std::uint32_t part) {
    const std::uint32_t shape = parts_.parts[part].model;
    {
        const std::lock_guard lock(mutex_);
        if (const auto at = solids_.find(shape); at != solids_.end()) return at->second;
    }
    const Result<Model> model = Model::load(model_path(plan_.folder, parts_.shapes[shape]));
    const std::lock_guard lock(mutex_);
    if (!model && !fault_) fault_ = model.fault();
    return solids_.emplace(shape, model ? Solid(*model) : Solid()).first->second;
}

Result<void> load_models(const Plan& plan, Parts& parts, std::span<const std::uint32_t> some, unsigned threads) {
    parts.models.resize(parts.shapes.size(), Model());
    std::vector<std::uint32_t> shapes;
    std::vector<bool> asked(parts.shapes.size());
    for (const std::uint32_t part : some) {
        const std::uint32_t shape = parts.parts[part].model;
        if (asked[shape] || parts.models[shape].triangle_count() > 0) continue;
        asked[shape] = true;
        shapes.push_back(shape);
    }
    return load_shapes(plan.folder, parts, shapes, threads);
}

}  // namespace graze::checks
