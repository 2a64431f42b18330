// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>
#include <vector>

#include "checks/encode.hpp"
#include "checks/survey.hpp"
#include "commands.hpp"
#include "files/text.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

struct InfoArguments {
    std::vector<std::string> paths;
    unsigned levels = 0;  ///< of the tree whose tightness is measured
    unsigned threads = 0;
    files::ReadOptions reading;
    Output output;
};

struct PartInfo {
    std::string path;
    std::size_t polygons = 0;
};

/// How closely a level's volumes fit, on average.
struct Level {
    std::size_t nodes = 0;
    double tightness = 0, off_surface = 0;  ///< relative to the diameters
};

struct Info {
    std::string path, format;
    std::vector<PartInfo> parts;
    Model model;
    Box bounds;
    checks::Survey survey;
    std::vector<Level> levels;
    double read_ms = 0, build_ms = 0;

    double bytes_a_triangle() const { return static_cast<double>(model.bytes()) / model.triangle_count(); }
};

/// STL, GLB, …: the extension, or what the content is where that says nothing.
std::string format_name(const std::string& path) {
    std::string kind = files::extension(path);
    if (!files::is_mesh_name(path))
        if (const Result<files::Bytes> bytes = files::Bytes::of(path); bytes) {
            const files::Format format = files::format_of(bytes->view(), path);
            if (format == files::Format::Stl) kind = ".stl";
            if (format == files::Format::Obj) kind = ".obj";
            if (format == files::Format::Ply) kind = ".ply";
        }
    std::string out;
    for (const char c : kind)
        if (c != '.') out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

Level level_of(const Model& model, unsigned level) {
    Level out;
    for (const NodeTightness& node : tightness(model, level)) {
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
    for (const std::string& one : assembly->notes) note(arguments.output, one);
    info.format = format_name(path);
    for (const files::Part& part : assembly->parts)
        info.parts.push_back({part.path, assembly->meshes[part.mesh].polygon_count()});
    const Result<files::Mesh> mesh = files::merged(*assembly);
    if (!mesh) return Fault{mesh.fault().kind, path + ": " + mesh.fault().message};
    info.read_ms = read.ms();

    const Timer build;
    Result<Model> model = Model::build(mesh->view(), {.threads = arguments.threads});
    if (!model) return Fault{model.fault().kind, path + ": " + model.fault().message};
    info.build_ms = build.ms();
    info.model = std::move(*model);
    info.bounds = checks::bounds(info.model);
    info.survey = checks::survey(info.model);
    for (unsigned i = 0; i < std::min(arguments.levels, info.model.depth()); ++i)
        info.levels.push_back(level_of(info.model, i));
    return info;
}

std::string vector(const Vec3& v) { return fmt::format("{:.6g} {:.6g} {:.6g}", v.x, v.y, v.z); }

std::string surface(const checks::Survey& survey) {
    const checks::Solid& solid = survey.solid;
    std::string out = solid.closed ? "closed" : "open";
    out += ", " + counted(solid.components.size(), "component");
    if (solid.open_edges > 0) out += ", " + counted(solid.open_edges, "edge") + " of one triangle";
    if (solid.crowded_edges > 0) out += ", " + counted(solid.crowded_edges, "edge") + " of more than two";
    if (survey.flipped_edges > 0)
        out += ", " + counted(survey.flipped_edges, "edge") + " whose two triangles look to different sides";
    return out;
}

void print_text(const Info& info, bool verbose) {
    const checks::Survey& survey = info.survey;
    std::string out = info.path + "\n";
    const auto row = [&](const char* label, const std::string& text) {
        fmt::format_to(std::back_inserter(out), "  {:<12}{}\n", label, text);
    };
    row("format", info.format + ", " + counted(info.parts.size(), "part"));
    std::string counts =
        counted(info.model.triangle_count(), "triangle") + ", " + counted(info.model.point_count(), "point");
    if (info.model.polygon_count() != info.model.triangle_count())
        counts = counted(info.model.polygon_count(), "polygon") + ", " + counts;
    row("size", counts);
    if (survey.solid.degenerate > 0 || survey.duplicates > 0)
        row("faults",
            counted(survey.solid.degenerate, "triangle") + " of zero area, " + counted(survey.duplicates, "duplicate"));
    row("surface", surface(survey));
    row("area", fmt::format("{:.6g}", survey.area));
    if (survey.volume)
        row("volume", fmt::format("{:.6g}{}", *survey.volume,
                                  *survey.volume < 0    ? " (it looks inwards)"
                                  : *survey.volume == 0 ? " (faces lie back to back)"
                                                        : ""));
    row("low", vector(info.bounds.lo));
    row("high", vector(info.bounds.hi));
    row("extent", vector(info.bounds.hi - info.bounds.lo));
    row("model", fmt::format("{}, {:.0f} a triangle", info.model.summary(), info.bytes_a_triangle()));
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
                fmt::format("{}, {}", part.path.empty() ? "(no name)" : part.path, counted(part.polygons, "polygon")));
    print(out);
}

/// A line a file, for several.
void print_table(const std::vector<Info>& all) {
    std::size_t widest = 4;
    for (const Info& info : all) widest = std::max(widest, info.path.size());
    print(fmt::format("{:<{}}{:>8}{:>13}{:>12}{:>12}{:>12}  {:<8}{}\n", "file", widest, "parts", "triangles", "points",
                      "zero area", "duplicates", "surface", "extent"));
    for (const Info& info : all)
        print(fmt::format("{:<{}}{:>8}{:>13}{:>12}{:>12}{:>12}  {:<8}{}\n", info.path, widest,
                          grouped(info.parts.size()), grouped(info.model.triangle_count()),
                          grouped(info.model.point_count()), grouped(info.survey.solid.degenerate),
                          grouped(info.survey.duplicates), info.survey.solid.closed ? "closed" : "open",
                          vector(info.bounds.hi - info.bounds.lo)));
}

std::string json_of(const Info& info, bool verbose) {
    const checks::Survey& survey = info.survey;
    std::string out = "{\"file\": ";
    files::append_json(out, info.path);
    out += ", \"format\": ";
    files::append_json(out, info.format);
    const auto to = std::back_inserter(out);
    const auto array = [](const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); };
    fmt::format_to(to, R"(, "parts": {}, "polygons": {}, "triangles": {}, "points": {})", info.parts.size(),
                   info.model.polygon_count(), info.model.triangle_count(), info.model.point_count());
    fmt::format_to(to, R"(, "degenerate": {}, "duplicates": {}, "closed": {}, "components": {})",
                   survey.solid.degenerate, survey.duplicates, survey.solid.closed, survey.solid.components.size());
    fmt::format_to(to, R"(, "edges": {}, "open_edges": {}, "crowded_edges": {}, "flipped_edges": {})",
                   survey.solid.edges, survey.solid.open_edges, survey.solid.crowded_edges, survey.flipped_edges);
    fmt::format_to(to, R"(, "area": {}, "volume": {}, "low": {}, "high": {})", survey.area,
                   survey.volume ? fmt::format("{}", *survey.volume) : "null", array(info.bounds.lo),
                   array(info.bounds.hi));
    fmt::format_to(to, R"(, "tree": "{}", "boxes": "{}", "depth": {}, "bytes": {}, "bytes_a_triangle": {:.1f})",
                   info.model.tree() == TreeKind::Wide ? "wide" : "binary", name(info.model.volume()),
                   info.model.depth(), info.model.bytes(), info.bytes_a_triangle());
    if (verbose) {
        fmt::format_to(to, R"(, "read_ms": {:.3f}, "build_ms": {:.3f}, "list": [)", info.read_ms, info.build_ms);
        for (std::size_t i = 0; i < info.parts.size(); ++i) {
            out += i > 0 ? ", {\"part\": " : "{\"part\": ";
            files::append_json(out, info.parts[i].path);
            fmt::format_to(to, R"(, "polygons": {}}})", info.parts[i].polygons);
        }
        out += ']';
    }
    if (!info.levels.empty()) {
        out += ", \"tightness\": [";
        for (std::size_t i = 0; i < info.levels.size(); ++i)
            fmt::format_to(to, R"({}{{"level": {}, "nodes": {}, "tightness": {:.6f}, "off_surface": {:.6f}}})",
                           i > 0 ? ", " : "", i, info.levels[i].nodes, info.levels[i].tightness,
                           info.levels[i].off_surface);
        out += ']';
    }
    return out + "}\n";
}

std::string csv_of(const Info& info) {
    const checks::Survey& survey = info.survey;
    const auto list = [](const Vec3& v) { return fmt::format("{},{},{}", v.x, v.y, v.z); };
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", checks::as_csv(info.path),
                       checks::as_csv(info.format), info.parts.size(), info.model.polygon_count(),
                       info.model.triangle_count(), info.model.point_count(), survey.solid.degenerate,
                       survey.duplicates, survey.solid.closed, survey.solid.components.size(), survey.solid.open_edges,
                       survey.solid.crowded_edges, survey.flipped_edges, survey.area,
                       survey.volume ? fmt::format("{}", *survey.volume) : "", list(info.bounds.lo),
                       list(info.bounds.hi), name(info.model.volume()), info.model.depth(), info.model.bytes());
}

int info(const InfoArguments& arguments) {
    std::vector<Info> all;
    {
        ProgressBar bar(arguments.paths.size(), arguments.output.progress() && arguments.paths.size() > 1);
        for (const std::string& path : arguments.paths) {
            bar.show(all.size());
            Result<Info> one = look_at(path, arguments);
            if (!one) return complain(one.fault().message);
            all.push_back(std::move(*one));
        }
    }
    const Output& output = arguments.output;
    if (output.csv)
        print(
            "file,format,parts,polygons,triangles,points,degenerate,duplicates,closed,components,open_edges,"
            "crowded_edges,flipped_edges,area,volume,low_x,low_y,low_z,high_x,high_y,high_z,boxes,depth,bytes\n");
    if (output.text() && all.size() > 1 && !output.verbose && arguments.levels == 0) {
        print_table(all);
        return Clear;
    }
    for (const Info& one : all) {
        if (output.json) print(json_of(one, output.verbose));
        if (output.csv) print(csv_of(one));
        if (output.text()) print_text(one, output.verbose);
    }
    return Clear;
}

constexpr const char* info_footer = R"(Examples:
  graze info part.stl
      triangles, defects, whether it is closed, extent, area, volume, and the tree
  graze info assembly.glb -v
      the same for all parts together, and the names of the parts
  graze info *.stl --csv
      one row per file
  graze info part.stl --tightness 3
      how closely the boxes of the tree's first three levels fit

Exit code: 0, or 2 for bad input or usage.)";

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
    add_threads(*command, arguments->threads);
    add_output(*command, arguments->output, {.csv = true});
    command->callback([arguments, &action] { action = [arguments] { return info(*arguments); }; });
}

}  // namespace graze::apps
