// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "checks/survey.hpp"
#include "commands.hpp"
#include "files/text.hpp"
#include "files/write.hpp"
#include "terminal.hpp"

namespace graze::apps {

void add_output(CLI::App& command, Output& output, Offers offers) {
    CLI::Option* json = command.add_flag("--json", output.json, "Answer in JSON");
    CLI::Option* csv = nullptr;
    if (offers.csv) csv = command.add_flag("--csv", output.csv, "Print comma-separated values")->excludes(json);
    if (offers.html)
        command.add_option("--html", output.html, "Write a report: one HTML page that shows models and contacts in 3D")
            ->type_name("FILE")
            ->check(in_a_folder());
    CLI::Option* quiet = command.add_flag("-q,--quiet", output.quiet, "Print nothing: the exit code is the answer");
    if (offers.require)
        command
            .add_option_function<std::string>(
                "--require", [&output](const std::string&) { output.everything = true; },
                "everything: exit code 2 also for open parts, and for files with unlike or unknown units, axes or "
                "places")
            ->type_name("WHAT")
            ->check(CLI::IsMember({"everything"}).description(""));
    quiet->excludes(json);
    if (csv != nullptr) quiet->excludes(csv);
    command.add_flag("-v,--verbose", output.verbose, "Print times and counts too")->excludes(quiet);
}

void add_allow_folder(CLI::App& command, std::vector<std::string>& folders) {
    command
        .add_option("--allow-folder", folders,
                    "Let files name other files (buffers, materials) in this folder too, not only in their own; may be "
                    "repeated")
        ->type_name("DIR")
        ->expected(1)
        ->take_all();
}

void add_reading(CLI::App& command, files::ReadOptions& options) {
    command
        .add_option("--scale", options.scale,
                    "Multiply all lengths by this, after formats with a unit are converted to metres")
        ->type_name("X");
    // Replaces the word by the number that the option's type is read from.
    const auto number_of = [](std::string& word) -> std::string {
        static const std::map<std::string, files::Up> axes = {
            {"keep", files::Up::Keep}, {"x", files::Up::X}, {"y", files::Up::Y}, {"z", files::Up::Z}};
        const auto found = axes.find(CLI::detail::to_lower(word));
        if (found == axes.end()) return "takes keep, x, y or z; got " + files::in_quotes(word);
        word = std::to_string(static_cast<int>(found->second));
        return {};
    };
    command
        .add_option("--up", options.up,
                    "Axis of the files that points up: x, y, z or keep; by default as the format says")
        ->type_name("AXIS")
        ->transform(CLI::Validator(number_of, "", "up"));
    add_allow_folder(command, options.allowed_folders);
    command
        .add_option("--deflection", options.deflection,
                    "Largest distance in metres between curved faces of STEP and IGES files and their triangles; by "
                    "default a thousandth of each part's size")
        ->type_name("X");
}

void add_strict(CLI::App& command, bool& strict) {
    command.add_flag("--strict", strict, "Stop at the first file that cannot be read instead of leaving it out");
}

void add_threads(CLI::App& command, unsigned& threads) {
    command.add_option("--threads", threads, "Number of threads; 0 uses all cores")->type_name("N");
}

void add_clearance(CLI::App& command, double& clearance, const char* what) {
    command.add_option("--clearance", clearance, what)->type_name("LENGTH")->check(above_zero());
}

CLI::Validator above_zero() {
    const auto check = [](const std::string& word) -> std::string {
        const Result<double> length = files::parse_number(word);
        return length.ok() && *length > 0 ? "" : "takes a length above 0; got " + files::in_quotes(word);
    };
    return CLI::Validator(check, "", "above_zero");
}

CLI::Validator in_a_folder() {
    const auto check = [](const std::string& path) -> std::string {
        const std::filesystem::path folder = std::filesystem::path(path).parent_path();
        std::error_code ignored;
        if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return {};
        return fmt::format("there is no folder {}", folder.string());
    };
    return CLI::Validator(check, "", "in_a_folder");
}

CLI::Validator of_written_format() {
    const auto check = [](const std::string& path) -> std::string {
        const Result<void> known = files::check_written_format(path);
        return known ? "" : known.fault().message;
    };
    return CLI::Validator(check, "", "of_written_format");
}

int complain(const std::string& what) {
    // Earlier output comes first when both streams go to one place.
    std::fflush(stdout);
    fmt::print(stderr, "graze: {}\n", files::printable(what));
    return Bad;
}

void Faults::leave_out(const std::vector<checks::LeftOut>& list) {
    constexpr std::size_t shown = 20;
    const std::size_t count = list.size() <= shown + 1 ? list.size() : shown;
    for (std::size_t i = 0; i < count; ++i) leave_out(list[i].reason);
    if (count < list.size()) leave_out(fmt::format("{} others, which --json lists", grouped(list.size() - count)));
}

void Faults::require(const checks::Ledger& ledger) {
    for (const std::string& one : ledger.not_reached()) not_checked(one);
    if (!ledger.everything) return;
    for (const std::string& one : ledger.doubts()) code_ = complain("--require everything: " + one);
}

void note(const Output& output, const std::string& what) {
    if (!output.quiet) fmt::print(stderr, "graze: note: {}\n", files::printable(what));
}

void print(std::string_view text) {
    const std::string clean = files::printable(text, "\n\t");
    std::fwrite(clean.data(), 1, clean.size(), stdout);
}

void print(std::string_view answer, const Output& output) {
    static const bool terminal = is_terminal(stdout);
    if (output.text() || terminal)
        print(answer);
    else
        std::fwrite(answer.data(), 1, answer.size(), stdout);
}

std::string length_text(double length, const std::string& unit) {
    return fmt::format("{:.6g}{}{}", length, unit.empty() ? "" : " ", unit);
}

Result<LoadedModel> load_model(const std::string& path, const files::ReadOptions& reading, unsigned threads,
                               const Output& output) {
    LoadedModel loaded;
    const Timer read;
    const Result<files::Assembly> assembly = files::read_assembly(path, reading);
    if (!assembly) return assembly.fault();
    const Result<files::Mesh> mesh = files::merged(*assembly);
    if (!mesh) return Fault{mesh.fault().kind, path + ": " + mesh.fault().message};
    for (const std::string& one : assembly->notes) note(output, checks::with_file(path, one));
    for (const files::Unread& one : assembly->unread) loaded.left_out.push_back(checks::left_out(path, one.path, one));
    loaded.conventions = assembly->conventions;
    loaded.has_polygons = mesh->has_polygons();
    loaded.error = mesh->error;
    const bool curved = std::ranges::any_of(assembly->meshes, &files::Mesh::curved);
    loaded.read_ms = read.ms();

    const Timer build;
    Result<Model> model = Model::build(mesh->view(), {.threads = threads});
    if (!model) return Fault{model.fault().kind, path + ": " + model.fault().message};
    loaded.model = std::move(*model);
    loaded.build_ms = build.ms();
    loaded.open = checks::is_open(loaded.model);
    const Box box = loaded.model.bounds();
    double largest = 0;
    for (const Vec3& p : {box.lo(), box.hi()})
        for (int d = 0; d < 3; ++d) largest = std::max(largest, std::abs(p[d]));
    loaded.simplified = checks::is_simplified(loaded.error, curved, loaded.conventions, reading, largest);
    return loaded;
}

void add_to(checks::Ledger& ledger, const std::string& path, const LoadedModel& loaded) {
    ledger.add_file(loaded.conventions);
    ledger.add_part(path, loaded.open, loaded.error, loaded.simplified);
    ledger.add_left_out(loaded.left_out);
}

checks::Ledger ledger_of(const std::string& path, const LoadedModel& loaded, const Output& output) {
    checks::Ledger ledger;
    ledger.everything = output.everything;
    add_to(ledger, path, loaded);
    return ledger;
}

std::vector<std::pair<std::string, std::string>> figures_of(const checks::Ledger& ledger) {
    std::vector<std::pair<std::string, std::string>> out;
    for (auto& row : rows_of(ledger))
        if (row.second != "0" && row.first != "files" && row.first != "parts read" && row.first != "parts meshed" &&
            row.first != "pairs" && row.first != "pairs ignored by rules")
            out.push_back(std::move(row));
    return out;
}

Result<void> write_page([[maybe_unused]] const report::Document& document, const Output& output) {
    if (output.html.empty()) return {};
#ifdef GRAZE_REPORT
    return report::write(document, output.html);
#else
    return Fault{FaultKind::File, output.html + ": this build of graze has no report page (GRAZE_REPORT)"};
#endif
}

}  // namespace graze::apps
