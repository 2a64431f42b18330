// SPDX-License-Identifier: Apache-2.0
#include "checks/plan_files.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "files/mesh_file.hpp"
#include "files/write.hpp"

namespace graze::checks {

namespace {

Json json_of(const RuleTexts& texts) {
    return {{"files", texts.files}, {"ignore", texts.ignore}, {"between", texts.between}};
}

RuleTexts rules_of(const Json& json) {
    RuleTexts out;
    json.at("files").get_to(out.files);
    json.at("ignore").get_to(out.ignore);
    json.at("between").get_to(out.between);
    return out;
}

Json json_of(const Affine& place) {
    Json out = Json::array();
    for (const Vec3& row : place.linear().row)
        for (int d = 0; d < 3; ++d) out.push_back(row[d]);
    for (int d = 0; d < 3; ++d) out.push_back(place.translation()[d]);
    return out;
}

/// Throws when the numbers are no placement.
Affine place_of(const Json& json) {
    Mat3 linear;
    Vec3 offset;
    for (std::size_t i = 0; i < 9; ++i) linear.row[i / 3][static_cast<int>(i % 3)] = json.at(i).get<double>();
    for (std::size_t i = 0; i < 3; ++i) offset[static_cast<int>(i)] = json.at(9 + i).get<double>();
    const Result<Affine> place = Affine::from_matrix(linear, offset);
    if (!place) throw std::runtime_error("not a placement");
    return *place;
}

Json json_of(const std::optional<files::MapConversion>& map) {
    if (!map) return {};
    return {map->crs, map->origin.x, map->origin.y, map->origin.z, map->cosine, map->sine, map->scale};
}

std::optional<files::MapConversion> map_of(const Json& json) {
    if (json.is_null()) return {};
    return files::MapConversion{json.at(0), {json.at(1), json.at(2), json.at(3)}, json.at(4), json.at(5), json.at(6)};
}

/// Adds some parts, after the shapes and files that they use.
void add_parts(RecordWriter& out, const Parts& parts, std::span<const std::uint32_t> chosen) {
    std::unordered_map<std::uint32_t, std::uint32_t> shapes, files;
    for (const std::uint32_t i : chosen) {
        const Part& part = parts.parts[i];
        const auto [shape, new_shape] = shapes.emplace(part.model, shapes.size());
        if (new_shape) {
            const Shape& of = parts.shapes[part.model];
            out.add({"shape", of.name, of.triangles, of.bytes, json_of(of.box)});
        }
        const auto [file, new_file] = files.emplace(part.file, files.size());
        if (new_file) {
            const files::FileConventions& of = parts.files[part.file];
            out.add({"file", of.path, of.conventions.format, of.conventions.metres, static_cast<int>(of.conventions.up),
                     json_of(of.conventions.map), parts.file_names[part.file]});
        }
        const files::PartLabels& labels = part.labels;
        out.add({"part",
                 part.path,
                 shape->second,
                 file->second,
                 json_of(part.world_from_model),
                 json_of(parts.boxes[i]),
                 {labels.id, labels.type, labels.layer, labels.storey, labels.discipline},
                 part.error,
                 part.mesh,
                 part.curved});
    }
}

/// Takes what `add_parts` has added.
void take_part(const Json& json, Parts& parts) {
    const std::string kind = json.at(0);
    if (kind == "shape") {
        parts.shapes.push_back({json.at(1), json.at(2), json.at(3), bounds_of(json.at(4))});
    } else if (kind == "file") {
        files::FileConventions& file = parts.files.emplace_back();
        file.path = json.at(1);
        file.conventions = {json.at(2), json.at(3), static_cast<char>(json.at(4).get<int>()), map_of(json.at(5))};
        parts.file_names.push_back(json.at(6));
    } else if (kind == "part") {
        const Json& labels = json.at(6);
        Part part{.path = json.at(1),
                  .model = json.at(2),
                  .world_from_model = place_of(json.at(4)),
                  .labels = {labels.at(0), labels.at(1), labels.at(2), labels.at(3), labels.at(4)},
                  .file = json.at(3),
                  .error = json.at(7),
                  .mesh = json.at(8),
                  .curved = json.at(9)};
        if (part.model >= parts.shapes.size() || part.file >= parts.files.size())
            throw std::runtime_error("a part names what does not exist");
        parts.parts.push_back(std::move(part));
        parts.boxes.push_back(bounds_of(json.at(5)));
    } else {
        throw std::runtime_error("unknown record");
    }
}

/// Writes a file of the plan under the name that its content has. Returns the name.
Result<std::string> write_named(const std::string& folder, const char* below, const std::string& bytes) {
    std::string name = digest_of(bytes);
    if (const Result<void> written = files::write_bytes(fmt::format("{}/{}/{}", folder, below, name), bytes); !written)
        return written.fault();
    return name;
}

/// A fault when the content of a file is not what its name says.
Result<void> read_named(const std::string& path, const std::string& name, const std::function<void(Json&&)>& take) {
    const Result<files::Bytes> bytes = files::Bytes::of(path);
    if (!bytes) return bytes.fault();
    if (digest_of(bytes->view()) != name) return Fault{FaultKind::Damaged, path + ": is damaged or of another plan"};
    return read_records(path, take);
}

Json json_of(const files::ReadOptions& reading) {
    return {{"scale", reading.scale},
            {"up", static_cast<int>(reading.up)},
            {"groups", reading.groups},
            {"allowed_folders", reading.allowed_folders},
            {"deflection", reading.deflection}};
}

files::ReadOptions reading_of(const Json& json) {
    return {.scale = json.at("scale"),
            .up = static_cast<files::Up>(json.at("up").get<int>()),
            .groups = json.at("groups"),
            .allowed_folders = json.at("allowed_folders"),
            .deflection = json.at("deflection")};
}

Json json_of(const std::optional<double>& error) { return error ? Json(*error) : Json(); }

std::optional<double> error_of(const Json& json) {
    const Json& error = json.at("error");
    return error.is_null() ? std::nullopt : std::optional(error.get<double>());
}

std::string plan_path(const std::string& folder) { return folder + "/plan"; }

Plan plan_of(const Json& json) {
    Plan plan;
    plan.settings = {.paths = json.at("paths"),
                     .rules = rules_of(json.at("rules")),
                     .tolerance = json.at("tolerance"),
                     .clearance = json.at("clearance"),
                     .error = error_of(json),
                     .strict_fits = json.at("strict_fits"),
                     .reading = reading_of(json.at("reading")),
                     .bad_files = json.at("strict").get<bool>() ? BadFiles::Stop : BadFiles::LeaveOut,
                     .version = json.at("version")};
    for (const Json& one : json.at("inputs")) plan.inputs.push_back({one.at(0), one.at(1), one.at(2)});
    std::vector<Cut> cuts;
    for (const Json& one : json.at("cuts")) cuts.push_back({one.at(0), one.at(1), one.at(2), one.at(3)});
    plan.cells = Cells(std::move(cuts));
    for (const Json& one : json.at("shards")) plan.shards.push_back({one.at(0), one.at(1), one.at(2)});
    plan.assembly = bounds_of(json.at("assembly"));
    plan.rounding = json.at("rounding");
    plan.index = json.at("index");
    if (!plan.cells.valid() || plan.cells.size() != plan.shards.size()) throw std::runtime_error("not a plan");
    return plan;
}

}  // namespace

Json json_of(const Bounds& box) { return Json::array({box.lo.x, box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z}); }

Vec3 vector_of(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }

Bounds bounds_of(const Json& json) {
    Bounds out;
    out.lo = {json.at(0), json.at(1), json.at(2)};
    out.hi = {json.at(3), json.at(4), json.at(5)};
    return out;
}

Result<std::string> write_shard(const Plan& plan, double reach, const Bounds& cell, const Parts& parts,
                                std::span<const std::uint32_t> of_shard) {
    RecordWriter out;
    out.add({{"version", plan.settings.version},
             {"rules", json_of(plan.settings.rules)},
             {"tolerance", plan.settings.tolerance},
             {"clearance", plan.settings.clearance},
             {"error", json_of(plan.settings.error)},
             {"rounding", plan.rounding},
             {"reach", reach},
             {"cell", json_of(cell)}});
    add_parts(out, parts, of_shard);
    return write_named(plan.folder, "shards", std::move(out).take());
}

Result<ShardWork> load_shard(const Plan& plan, std::size_t shard) {
    const std::string& key = plan.shards[shard].key;
    ShardWork work{.key = key};
    bool first = true;
    const Result<void> read = read_named(fmt::format("{}/shards/{}", plan.folder, key), key, [&](Json&& json) {
        if (!std::exchange(first, false)) return take_part(json, work.parts);
        work.rules = rules_of(json.at("rules"));
        work.tolerance = json.at("tolerance");
        work.clearance = json.at("clearance");
        work.error = error_of(json);
        work.rounding = json.at("rounding");
        work.reach = json.at("reach");
        work.cell = bounds_of(json.at("cell"));
    });
    if (!read) return read.fault();
    return work;
}

Result<std::string> write_index(const Plan& plan, const Parts& parts) {
    RecordWriter out;
    Json left_out = Json::array();
    for (const LeftOut& one : parts.left_out)
        left_out.push_back({one.file, one.product, one.id, one.reason, one.partly});
    out.add({{"notes", parts.notes}, {"folders", parts.folders}, {"left_out", std::move(left_out)}});
    std::vector<std::uint32_t> all(parts.parts.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    add_parts(out, parts, all);
    return write_named(plan.folder, "index", std::move(out).take());
}

Result<Parts> load_parts(const Plan& plan) {
    Parts parts;
    bool first = true;
    const Result<void> read =
        read_named(fmt::format("{}/index/{}", plan.folder, plan.index), plan.index, [&](Json&& json) {
            if (!std::exchange(first, false)) return take_part(json, parts);
            json.at("notes").get_to(parts.notes);
            json.at("folders").get_to(parts.folders);
            for (const Json& one : json.at("left_out"))
                parts.left_out.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4)});
        });
    if (!read) return read.fault();
    return parts;
}

Result<void> write_plan(const Plan& plan) {
    Json inputs = Json::array(), cuts = Json::array(), shards = Json::array();
    for (const InputFile& one : plan.inputs) inputs.push_back({one.path, one.size, one.time});
    for (const Cut& one : plan.cells.cuts()) cuts.push_back({one.axis, one.at, one.below, one.above});
    for (const PlannedShard& one : plan.shards) shards.push_back({one.key, one.parts, one.cost});
    RecordWriter out;
    out.add({{"version", plan.settings.version},
             {"paths", plan.settings.paths},
             {"rules", json_of(plan.settings.rules)},
             {"tolerance", plan.settings.tolerance},
             {"clearance", plan.settings.clearance},
             {"error", json_of(plan.settings.error)},
             {"strict_fits", plan.settings.strict_fits},
             {"reading", json_of(plan.settings.reading)},
             {"strict", plan.settings.bad_files == BadFiles::Stop},
             {"inputs", std::move(inputs)},
             {"cuts", std::move(cuts)},
             {"shards", std::move(shards)},
             {"assembly", json_of(plan.assembly)},
             {"rounding", plan.rounding},
             {"index", plan.index}});
    return files::write_bytes(plan_path(plan.folder), std::move(out).take());
}

Result<Plan> load_plan(const std::string& folder) {
    std::optional<Plan> plan;
    const Result<void> read = read_records(plan_path(folder), [&](Json&& json) { plan = plan_of(json); });
    if (!read) return read.fault();
    if (!plan) return Fault{FaultKind::Damaged, plan_path(folder) + ": is empty"};
    plan->folder = folder;
    return std::move(*plan);
}

}  // namespace graze::checks
