// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <memory>
#include <vector>

#include "checks/bounds.hpp"
#include "checks/encode.hpp"
#include "checks/json.hpp"
#include "checks/survey.hpp"
#include "commands.hpp"
#include "files/conventions.hpp"
#include "files/text.hpp"
#include "graze/tree.hpp"
#include "options.hpp"
#include "several_files.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

struct InfoArguments {
    std::vector<std::string> paths;
    unsigned levels = 0;  ///< number of tree levels whose tightness is measured
    bool strict = false;
    unsigned threads = 0;
    files::ReadOptions reading;
    Output output;
};

struct PartInfo {
    std::string path;
    std::size_t polygons = 0;
    double error = 0;  ///< how far its triangles may be from the surface that the file describes
};

/// How closely a level's volumes fit, on average.
struct Level {
    std::size_t nodes = 0;
    double tightness = 0, off_surface = 0;  ///< relative to the diameters
};

struct Info {
    std::string path, format;
    std::vector<PartInfo> parts;
    bool in_metres = false;  ///< whether the file's lengths are known to be in metres
    Model model;
    checks::Bounds bounds;
    unsigned depth = 0;
    checks::Survey survey;
    std::vector<Level> levels;
    double read_ms = 0, build_ms = 0;

    double bytes_per_triangle() const { return static_cast<double>(model.bytes()) / model.triangle_count(); }
};

/// The name of the format, such as STL or GLB: from the extension, or from the content where the extension says
/// nothing.
std::string format_name(const std::string& path) {
    if (!files::is_mesh_name(path))
        if (const Result<files::Bytes> bytes = files::Bytes::of(path); bytes)
            if (const auto format = files::format_of(bytes->view(), path); format != files::Format::Other)
                return std::string(name(format));
    std::string out;
    for (const char c : files::extension(path))
        if (c != '.') out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

Level level_of(const Model& model, unsigned level) {
    Level out;
    for (const NodeTightness& node : node_tightness(model, level)) {
        ++out.nodes;
        out.tightness += node.aspect_ratio();
        out.off_surface += node.diameter > 0 ? node.off_surface / node.diameter : 0;
    }
    if (out.nodes > 0) out.tightness /= static_cast<double>(out.nodes);
    if (out.nodes > 0) out.off_surface /= static_cast<double>(out.nodes);
    return out;
}

Result<Info> look_at(const std::string& path, const InfoArguments& arguments) {
    Info info;
    info.path = path;
    const Timer read;
    const Result<files::Assembly> assembly = files::read_assembly(path, arguments.reading);
    if (!assembly) return assembly.fault();
    for (const files::Unread& one : assembly->unread) note(arguments.output, one.text(path));
    for (const std::string& one : assembly->notes) note(arguments.output, one);
    const std::array file{files::FileConventions{path, assembly->conventions}};
    for (const std::string& one : files::notes_on(file, arguments.reading)) note(arguments.output, one);
    info.format = format_name(path);
    info.in_metres = assembly->conventions.metres > 0 && arguments.reading.scale == 1;
    const std::vector<double> errors = assembly->errors();
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const files::Part& part = assembly->parts[i];
        info.parts.push_back({part.path, assembly->meshes[part.mesh].polygon_count(), errors[i]});
    }
    const Result<files::Mesh> mesh = files::merged(*assembly);
    if (!mesh) return Fault{mesh.fault().kind, path + ": " + mesh.fault().message};
    info.read_ms = read.ms();

    const Timer build;
    Result<Model> model = Model::build(mesh->view(), {.threads = arguments.threads});
    if (!model) return Fault{model.fault().kind, path + ": " + model.fault().message};
    info.build_ms = build.ms();
    info.model = std::move(*model);
    info.bounds = checks::Bounds(info.model.bounds());
    info.depth = tree_depth(info.model);
    info.survey = checks::survey(info.model);
    for (unsigned i = 0; i < std::min(arguments.levels, info.depth); ++i)
        info.levels.push_back(level_of(info.model, i));
    return info;
}

/// The least and the largest error of the parts.
std::pair<double, double> errors(const Info& info) {
    const auto [least, most] = std::ranges::minmax_element(info.parts, {}, &PartInfo::error);
    return {least->error, most->error};
}

/// How far triangles may be from the surface that the file describes, in the unit that suits the larger length:
/// `0.028 to 0.24 mm`.
std::string accuracy(double least, double most, bool in_metres) {
    if (most == 0) return "as written";
    constexpr std::array<std::pair<double, const char*>, 4> units = {
        {{1, " m"}, {1e-3, " mm"}, {1e-6, " µm"}, {1e-9, " nm"}}};
    const auto* unit = std::ranges::find_if(units, [&](const auto& u) { return most >= u.first * 1e-2; });
    if (unit == units.end()) --unit;
    const double size = in_metres ? unit->first : 1;
    const std::string low = fmt::format("{:.2g}", least / size), high = fmt::format("{:.2g}", most / size);
    return (low == high ? high : low + " to " + high) + (in_metres ? unit->second : "");
}

std::string vector(const Vec3& v) { return fmt::format("{:.6g} {:.6g} {:.6g}", v.x, v.y, v.z); }

std::string surface(const checks::Survey& survey) {
    const Solid& solid = survey.solid;
    std::string out = solid.closed() ? "closed" : "open";
    out += ", " + counted(solid.shell_count(), "component");
    if (solid.open_edge_count() > 0) out += ", " + counted(solid.open_edge_count(), "edge") + " of one triangle";
    if (solid.crowded_edge_count() > 0) out += ", " + counted(solid.crowded_edge_count(), "edge") + " of more than two";
    if (survey.flipped_edges > 0)
        out += ", " + counted(survey.flipped_edges, "edge") + " whose two triangles face opposite ways";
    if (solid.flaw() == Flaw::SelfCrossing) out += ", meets itself";
    return out;
}

void print_text(const Info& info, bool verbose) {
    const checks::Survey& survey = info.survey;
    std::string out = files::printable(info.path) + "\n";
    const auto row = [&](const char* label, const std::string& text) {
        fmt::format_to(std::back_inserter(out), "  {:<12}{}\n", label, text);
    };
    row("format", info.format + ", " + counted(info.parts.size(), "part"));
    std::string counts =
        counted(info.model.triangle_count(), "triangle") + ", " + counted(info.model.point_count(), "point");
    if (info.model.polygon_count() != info.model.triangle_count())
        counts = counted(info.model.polygon_count(), "polygon") + ", " + counts;
    row("size", counts);
    if (survey.solid.degenerate_count() > 0 || survey.duplicates > 0)
        row("faults", counted(survey.solid.degenerate_count(), "triangle") + " of zero area, " +
                          counted(survey.duplicates, "duplicate"));
    row("surface", surface(survey));
    row("area", survey.area ? fmt::format("{:.6g}", *survey.area) : "beyond the range of numbers");
    if (survey.volume)
        row("volume", fmt::format("{:.6g}{}", *survey.volume,
                                  *survey.volume < 0    ? " (it faces inwards)"
                                  : *survey.volume == 0 ? " (faces lie back to back)"
                                                        : ""));
    row("low", vector(info.bounds.lo));
    row("high", vector(info.bounds.hi));
    row("extent", vector(info.bounds.hi - info.bounds.lo));
    row("accuracy", accuracy(errors(info).first, errors(info).second, info.in_metres));
    row("model", fmt::format("{}, {:.0f} per triangle", info.model.summary(), info.bytes_per_triangle()));
    if (verbose) row("times", fmt::format("read in {}, built in {}", duration(info.read_ms), duration(info.build_ms)));
    if (!info.levels.empty()) {
        row("tightness", "means, relative to a node's diameter");
        fmt::format_to(std::back_inserter(out), "{:>10}{:>12}{:>14}{:>14}\n", "level", "nodes", "tightness",
                       "off surface");
        for (std::size_t i = 0; i < info.levels.size(); ++i)
            fmt::format_to(std::back_inserter(out), "{:>10}{:>12}{:>14.4f}{:>14.4f}\n", i,
                           grouped(info.levels[i].nodes), info.levels[i].tightness, info.levels[i].off_surface);
    }
    if (verbose && info.parts.size() > 1)
        for (const PartInfo& part : info.parts)
            row("part",
                fmt::format("{}, {}, accurate to {}", part.path.empty() ? "(no name)" : files::printable(part.path),
                            counted(part.polygons, "polygon"), accuracy(part.error, part.error, info.in_metres)));
    print(out);
}

/// Prints a table with a line per file. Columns of defects that no file has are left out.
void print_table(const std::vector<Info>& all) {
    Table table({"file"}, {"parts", "triangles", "points", "zero area", "duplicates", "surface", "extent"});
    for (const Info& info : all) {
        const auto count = [](std::uint64_t n) { return n == 0 ? "" : grouped(n); };
        table.add({files::printable(info.path), grouped(info.parts.size()), grouped(info.model.triangle_count()),
                   grouped(info.model.point_count()), count(info.survey.solid.degenerate_count()),
                   count(info.survey.duplicates), info.survey.solid.closed() ? "closed" : "open",
                   vector(info.bounds.hi - info.bounds.lo)});
    }
    print(table.text(terminal_width(stdout)));
}

checks::Json json_of(const Info& info, bool verbose) {
    const checks::Survey& survey = info.survey;
    checks::Json out;
    out["file"] = checks::json_text(info.path);
    out["format"] = checks::json_text(info.format);
    out["parts"] = info.parts.size();
    out["polygons"] = info.model.polygon_count();
    out["triangles"] = info.model.triangle_count();
    out["points"] = info.model.point_count();
    out["degenerate"] = survey.solid.degenerate_count();
    out["duplicates"] = survey.duplicates;
    out["closed"] = survey.solid.closed();
    out["components"] = survey.solid.shell_count();
    out["edges"] = survey.solid.edge_count();
    out["open_edges"] = survey.solid.open_edge_count();
    out["crowded_edges"] = survey.solid.crowded_edge_count();
    out["flipped_edges"] = survey.flipped_edges;
    out["flaw"] = name(survey.solid.flaw());
    const auto number = [](const std::optional<double>& x) { return x ? checks::Json(*x) : checks::Json(); };
    out["area"] = number(survey.area);
    out["volume"] = number(survey.volume);
    out["low"] = checks::json_array(info.bounds.lo);
    out["high"] = checks::json_array(info.bounds.hi);
    out["least_error"] = errors(info).first;
    out["error"] = errors(info).second;
    out["tree"] = has_wide_tree(info.model) ? "wide" : "binary";
    out["boxes"] = name(tree_volume(info.model));
    out["depth"] = info.depth;
    out["bytes"] = info.model.bytes();
    out["bytes_a_triangle"] = info.bytes_per_triangle();
    if (verbose) {
        out["read_ms"] = info.read_ms;
        out["build_ms"] = info.build_ms;
        checks::Json& list = out["list"] = checks::Json::array();
        for (const PartInfo& part : info.parts)
            list.push_back(
                {{"part", checks::json_text(part.path)}, {"polygons", part.polygons}, {"error", part.error}});
    }
    for (std::size_t i = 0; i < info.levels.size(); ++i)
        out["tightness"].push_back({{"level", i},
                                    {"nodes", info.levels[i].nodes},
                                    {"tightness", info.levels[i].tightness},
                                    {"off_surface", info.levels[i].off_surface}});
    return out;
}

std::string csv_of(const Info& info) {
    const checks::Survey& survey = info.survey;
    const auto list = [](const Vec3& v) { return fmt::format("{},{},{}", v.x, v.y, v.z); };
    const auto number = [](const std::optional<double>& x) { return x ? fmt::format("{}", *x) : ""; };
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", checks::as_csv(info.path),
                       checks::as_csv(info.format), info.parts.size(), info.model.polygon_count(),
                       info.model.triangle_count(), info.model.point_count(), survey.solid.degenerate_count(),
                       survey.duplicates, survey.solid.closed(), survey.solid.shell_count(),
                       survey.solid.open_edge_count(), survey.solid.crowded_edge_count(), survey.flipped_edges,
                       number(survey.area), number(survey.volume), list(info.bounds.lo), list(info.bounds.hi),
                       name(tree_volume(info.model)), info.depth, info.model.bytes(), errors(info).second);
}

/// Prints what the files are like, in the form asked for.
void print_all(const std::vector<Info>& all, const InfoArguments& arguments) {
    const Output& output = arguments.output;
    if (output.csv)
        print(
            "file,format,parts,polygons,triangles,points,degenerate,duplicates,closed,components,open_edges,"
            "crowded_edges,flipped_edges,area,volume,low_x,low_y,low_z,high_x,high_y,high_z,boxes,depth,bytes,error\n");
    if (output.text() && all.size() > 1 && !output.verbose && arguments.levels == 0) return print_table(all);
    for (const Info& one : all) {
        if (output.json) print(json_of(one, output.verbose).dump() + "\n", output);
        if (output.csv) print(csv_of(one), output);
        if (output.text()) print_text(one, output.verbose);
    }
}

int info(const InfoArguments& arguments) {
    const auto all = answers_of<Info>(arguments.paths, arguments.strict, arguments.output,
                                      [&](const std::string& path) { return look_at(path, arguments); });
    if (all.failed(arguments.strict)) return Bad;
    print_all(all.answers, arguments);
    if (arguments.output.json && !all.reasons.empty()) print(all.left_out_line(), arguments.output);
    Faults faults;
    all.tell(faults);
    return faults.exit_code(Clear);
}

constexpr const char* info_footer = R"(Examples:
  graze info part.stl
      triangles, defects, whether it is closed, extent, area, volume, how
      accurate it is, the tree
  graze info assembly.glb -v
      the same for all parts together, and the names of the parts
  graze info *.stl --csv
      one row per file
  graze info part.stl --tightness 3
      how closely the boxes of the tree's first three levels fit

A file that cannot be read is left out, and stderr says so at the end. In JSON
the last line then lists such files.

Exit code: 0, or 2 for bad input or usage; also when a file was left out.)";

}  // namespace

void add_info(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("info", "Describe mesh files: size, defects, closed or open, the tree");
    command->footer(info_footer);
    const auto arguments = std::make_shared<InfoArguments>();
    command->add_option("MESH", arguments->paths, "Files of any format; several make a table")->required();
    command
        ->add_option("--tightness", arguments->levels,
                     "Measure how closely the volumes of the first N levels fit; slow from the third level on")
        ->type_name("LEVELS")
        ->check(CLI::Range(1u, 100u));
    add_reading(*command, arguments->reading);
    add_strict(*command, arguments->strict);
    add_threads(*command, arguments->threads);
    add_output(*command, arguments->output, {.csv = true});
    command->callback([arguments, &action] { action = [arguments] { return info(*arguments); }; });
}

}  // namespace graze::apps
