// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include "checks/contacts.hpp"
#include "checks/encode.hpp"
#include "checks/json.hpp"
#include "commands.hpp"
#include "files/conventions.hpp"
#include "files/text.hpp"
#include "pair.hpp"
#include "several_files.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

struct SelfArguments {
    std::vector<std::string> paths;
    unsigned rings = 0;    ///< triangles that are connected by so many shared corners are left out
    std::size_t most = 0;  ///< largest number of contacts; 0 for all
    bool first = false;
    bool strict = false;
    unsigned threads = 0;  ///< number of threads that build models; 0 means one per core
    files::ReadOptions reading;
    Output output;

    std::size_t limit() const { return first ? 1 : most; }
};

/// The answer for one file.
struct SelfAnswer {
    std::string path;
    LoadedModel loaded;
    std::vector<Contact> contacts;
    bool all = true;  ///< false when the search ended early, so that there may be more contacts
    checks::Kind kind = checks::Kind::Touching;
    QueryStats stats;
    double ms = 0;
    std::vector<checks::LeftOut> left_out = {};
    checks::Ledger checked = {};
};

SelfAnswer search_in(const std::string& path, LoadedModel loaded, const SelfArguments& arguments) {
    SelfAnswer answer{.path = path, .loaded = std::move(loaded)};
    answer.left_out = answer.loaded.left_out;
    answer.checked = ledger_of(path, answer.loaded, arguments.output);
    const Timer timer;
    answer.contacts = self_contacts(
        answer.loaded.model, {.max_contacts = arguments.limit(), .rings = arguments.rings, .stats = &answer.stats});
    answer.ms = timer.ms();
    answer.all = arguments.limit() == 0 || answer.contacts.size() < arguments.limit();
    std::ranges::sort(answer.contacts);
    const Model& model = answer.loaded.model;
    const auto crosses = [&](const Contact& c) {
        return meeting(model.triangle(c.triangles.a), model.triangle(c.triangles.b)) == Meeting::Crossing;
    };
    if (std::ranges::any_of(answer.contacts, crosses)) answer.kind = checks::Kind::Crossing;
    return answer;
}

void append_text(Buffer& out, const SelfAnswer& answer, const SelfArguments& arguments) {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "{}: {}", files::printable(answer.path),
                   counted(answer.loaded.model.triangle_count(), "triangle"));
    if (arguments.output.verbose)
        fmt::format_to(to, ", read in {}, built in {}", duration(answer.loaded.read_ms),
                       duration(answer.loaded.build_ms));
    if (answer.contacts.empty())
        fmt::format_to(to, ": clear");
    else if (arguments.first)
        fmt::format_to(to, ": meets itself");
    else
        fmt::format_to(to, ": {}{}, {}", answer.all ? "" : "at least ", counted(answer.contacts.size(), "contact"),
                       name(answer.kind));
    if (arguments.output.verbose) fmt::format_to(to, ", {}; {}", duration(answer.ms), text_of(answer.stats));
    out.push_back('\n');
    if (arguments.paths.size() == 1 || arguments.output.verbose) append_list(out, answer.contacts);
}

void append_json(Buffer& out, const SelfAnswer& answer, bool verbose) {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, R"({{"file": {}, "triangles": {}, "intersects": {}, "contacts": {}, "all": {}, )",
                   checks::json_text(answer.path).dump(), answer.loaded.model.triangle_count(),
                   !answer.contacts.empty(), answer.contacts.size(), answer.all);
    if (!answer.contacts.empty()) fmt::format_to(to, R"("kind": "{}", )", name(answer.kind));
    fmt::format_to(to, R"("pairs": )");
    append_pairs(out, answer.contacts, &Contact::triangles);
    if (answer.loaded.has_polygons) {
        fmt::format_to(to, R"(, "polygons": )");
        append_pairs(out, answer.contacts, &Contact::polygons);
    }
    fmt::format_to(to, R"(, "stats": {})", json_of(answer.stats).dump());
    if (verbose) fmt::format_to(to, R"(, "ms": {:.6f})", answer.ms);
    fmt::format_to(to, R"(, "checked": {})", json_of(answer.checked).dump());
    fmt::format_to(to, "}}\n");
}

void append_csv(Buffer& out, const SelfAnswer& answer, bool polygons) {
    for (const Contact& c : answer.contacts) {
        const auto to = std::back_inserter(out);
        fmt::format_to(to, "{},{},{}", checks::as_csv(answer.path), c.triangles.a, c.triangles.b);
        if (polygons) fmt::format_to(to, ",{},{}", c.polygons.a, c.polygons.b);
        out.push_back('\n');
    }
}

/// A page with a part per file, and a clash of it with itself where there are contacts.
Result<void> write_page_of(const std::vector<SelfAnswer>& answers, const SelfArguments& arguments) {
    if (arguments.output.html.empty()) return {};
    constexpr std::size_t drawn_in_all = 60'000;
    report::Document document;
    document.title = "graze self";
    std::uint64_t contacts = 0, triangles = 0;
    Buffer json;
    for (const SelfAnswer& answer : answers) {
        const auto part = static_cast<std::uint32_t>(document.parts.size());
        const std::string name = std::filesystem::path(answer.path).filename().string();
        if (answers.size() == 1) document.title += " " + name;
        document.meshes.push_back(answer.loaded.model);
        document.parts.push_back({.name = name, .mesh = part, .group = name, .tree = true});
        json.append(std::string_view(part == 0 ? "[\n" : ",\n"));
        append_json(json, answer, arguments.output.verbose);
        json.resize(json.size() - 1);  // the line break
        triangles += answer.loaded.model.triangle_count();
        contacts += answer.contacts.size();
        if (answer.contacts.empty()) continue;
        document.clashes.emplace_back().hit = {.a = part,
                                               .b = part,
                                               .kind = answer.kind,
                                               .contacts = answer.contacts.size(),
                                               .pairs = checks::spread(answer.contacts, drawn_in_all / answers.size())};
    }
    json.append(std::string_view("]\n"));
    document.figures = {{"triangles", grouped(triangles)}, {"contacts", grouped(contacts)}};
    document.answer.assign(json.data(), json.size());
    return write_page(document, arguments.output);
}

int search_files(const SelfArguments& arguments) {
    const Output& output = arguments.output;
    const auto all = answers_of<SelfAnswer>(
        arguments.paths, arguments.strict, output.progress(), [&](const std::string& path) -> Result<SelfAnswer> {
            Result<LoadedModel> loaded = load_model(path, arguments.reading, arguments.threads, output);
            if (!loaded) return loaded.fault();
            const files::FileConventions file[] = {{path, loaded->conventions}};
            for (const std::string& one : files::notes_on(file, arguments.reading)) note(output, one);
            return search_in(path, std::move(*loaded), arguments);
        });
    if (all.failed(arguments.strict)) return Bad;
    const std::vector<SelfAnswer>& answers = all.answers;
    Faults faults;
    faults.add(write_page_of(answers, arguments));
    const bool polygons = std::ranges::any_of(answers, [](const SelfAnswer& a) { return a.loaded.has_polygons; });
    Buffer out;
    if (output.csv) out.append(std::string_view(polygons ? "file,a,b,polygon_a,polygon_b\n" : "file,a,b\n"));
    bool hit = false;
    for (const SelfAnswer& answer : answers) {
        hit = hit || !answer.contacts.empty();
        if (output.json) append_json(out, answer, output.verbose);
        if (output.csv) append_csv(out, answer, polygons);
        if (output.text()) append_text(out, answer, arguments);
    }
    if (output.json) out.append(all.left_out_line());
    print({out.data(), out.size()}, output);
    faults.leave_out(all.left_out);
    for (const SelfAnswer& answer : answers) faults.require(answer.checked);
    return faults.exit_code(hit ? Collision : Clear);
}

constexpr const char* self_footer = R"(Examples:
  graze self part.stl
      whether a mesh meets itself, and which triangles
  graze self *.stl --first
      one line per file, yes or no
  graze self cloth.obj --rings 2
      without triangles that share a corner or have a common neighbour
  graze self part.stl --html page.html
      a report that shows the places

Triangles are in contact when they meet in more than the corners and edges that
they share: exactly, touching included. Corners with equal coordinates are
shared, so files that repeat the points of each triangle need no repair.
Triangles folded onto a neighbour and copies of a triangle are reported;
triangles without area count as segments. All parts of a file are one mesh
here. Triangles are numbered from 0 in the file's order. JSON has one line per
file; "all" is false when --first or --max ended the search.

A file that cannot be read is left out, and stderr says so at the end. In JSON
the last line then lists such files.

Exit code: 0 clear, 1 contacts found in any file, 2 bad input or usage; also
when a file was left out.)";

}  // namespace

void add_self(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("self", "Find the triangles of one mesh that meet each other");
    command->footer(self_footer);
    const auto arguments = std::make_shared<SelfArguments>();
    command->add_option("MESH", arguments->paths, "Files of any format, each for itself")->required();
    command
        ->add_option("--rings", arguments->rings,
                     "Leave out triangles that are connected by a path of at most N shared corners, for cloth")
        ->type_name("N");
    CLI::Option* first = command->add_flag("--first", arguments->first, "Stop at the first contact of each file");
    command->add_option("--max", arguments->most, "Stop after N contacts of each file; 0 finds all")
        ->type_name("N")
        ->excludes(first);
    add_reading(*command, arguments->reading);
    add_strict(*command, arguments->strict);
    add_threads(*command, arguments->threads);
    add_output(*command, arguments->output, {.csv = true, .html = true, .require = true});
    command->callback([arguments, &action] { action = [arguments] { return search_files(*arguments); }; });
}

}  // namespace graze::apps
