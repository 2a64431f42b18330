// SPDX-License-Identifier: Apache-2.0
#include "clash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>

#include "checks/baseline.hpp"
#include "checks/causes.hpp"
#include "checks/clash_formats.hpp"
#include "checks/contacts.hpp"
#include "checks/encode.hpp"
#include "clash_shards.hpp"
#include "clash_text.hpp"
#include "commands.hpp"
#include "files/text.hpp"
#include "files/write.hpp"
#include "options.hpp"
#include "report/clash_page.hpp"
#include "snapshots.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

using checks::Clash;
using checks::Clashes;
using checks::Kind;
using checks::Parts;
using checks::State;

struct ClashArguments {
    CheckArguments pairs;
    AnswerArguments answer;
};

/// Sets one kind of a choice. False when there is no kind of this name.
bool choose(checks::Choice& choice, const std::string& word, bool wanted) {
    if (word == "thin") {
        choice.thin = wanted;
        return true;
    }
    for (int i = 0; i < checks::kind_count; ++i)
        if (word == name(static_cast<Kind>(i))) {
            choice.kinds[static_cast<std::size_t>(i)] = wanted;
            return true;
        }
    return false;
}

Result<checks::Choice> choice_of(const AnswerArguments& arguments, const checks::Rules& rules, double clearance) {
    checks::Choice choice;
    const bool asked = std::ranges::find(arguments.only, name(Kind::Clearance)) != arguments.only.end();
    if (asked && !(clearance > 0) && rules.clearances.empty())
        return Fault{FaultKind::Damaged, "--only: clearance needs --clearance, or clearance: in a file of rules"};
    if (!arguments.only.empty()) choice = {.kinds = {}, .thin = false};
    for (const bool wanted : {true, false})
        for (const std::string& word : wanted ? arguments.only : arguments.without)
            if (!choose(choice, word, wanted))
                return Fault{
                    FaultKind::Damaged,
                    fmt::format("{}: {} is not one of duplicate, crossing, inside, fit, touching, clearance, thin",
                                wanted ? "--only" : "--not", files::in_quotes(word))};
    return choice;
}

Result<checks::Baseline> baseline_of(const AnswerArguments& arguments) {
    checks::Baseline all;
    for (const std::string& path : arguments.baselines) {
        const Result<std::string> bytes = files::read_bytes(path);
        if (!bytes) return bytes.fault();
        Result<checks::Baseline> one = checks::parse_baseline(*bytes, path);
        if (!one) return one.fault();
        all.add(std::move(*one));
    }
    return all;
}

/// Complains of a length that makes no sense.
Result<void> check_length(const char* option, double value) {
    if (value >= 0 && std::isfinite(value)) return {};
    return Fault{FaultKind::Damaged, fmt::format("{}: {} is not a length", option, value)};
}

std::string title_of(const std::vector<std::string>& paths) {
    return paths.size() == 1 ? paths[0] : fmt::format("{} and {} more", paths[0], paths.size() - 1);
}

/// The parts that clashes with contacts have.
std::vector<std::uint32_t> clashing_parts(const Clashes& clashes) {
    std::vector<std::uint32_t> parts;
    for (const Clash& clash : clashes.clashes)
        if (clash.contacts > 0) parts.insert(parts.end(), {clash.a, clash.b});
    std::ranges::sort(parts);
    parts.erase(std::ranges::unique(parts).begin(), parts.end());
    return parts;
}

/// Writes the triangles in contact and the curves where they cross, clash by clash.
Result<void> write_contacts(const std::string& path, const Parts& parts, const Clashes& clashes) {
    files::Assembly all;
    std::vector<files::Curve> curves;
    for (const Clash& clash : clashes.clashes) {
        const checks::Part &a = parts.parts[clash.a], &b = parts.parts[clash.b];
        const Model &model_a = parts.models[a.model], &model_b = parts.models[b.model];
        const Result<Affine> a_from_b = relative(a.world_from_model, b.world_from_model);
        if (!a_from_b || clash.contacts == 0) continue;
        const std::vector<Contact> contacts = collide(model_a, model_b, *a_from_b);
        files::Assembly one = checks::contact_triangles(model_a, model_b, *a_from_b, contacts, a.path + " at " + b.path,
                                                        b.path + " at " + a.path);
        for (files::Part& part : one.parts) {
            part.mesh += static_cast<std::uint32_t>(all.meshes.size());
            part.world_from_mesh = a.world_from_model;
            all.parts.push_back(std::move(part));
        }
        std::move(one.meshes.begin(), one.meshes.end(), std::back_inserter(all.meshes));
        if (files::extension(path) == ".stl") continue;
        for (files::Curve& curve : checks::crossing_curves(model_a, model_b, *a_from_b, contacts)) {
            for (Vec3& p : curve.points) p = a.world_from_model(p);
            curve.name = a.path + " and " + b.path;
            curves.push_back(std::move(curve));
        }
    }
    return files::write_assembly(path, all, curves);
}

/// Writes NAME.bcfzip, and NAME-2.bcfzip and so on when one file cannot hold all topics.
Result<void> write_bcf(const AnswerArguments& arguments, const checks::ClashRun& run,
                       const checks::Snapshots& snapshots) {
    const std::string& path = arguments.bcf;
    const Result<std::vector<std::string>> all = checks::to_bcf(run, snapshots, arguments.bcf_version);
    if (!all) return Fault{all.fault().kind, path + ": " + all.fault().message};
    for (std::size_t i = 0; i < all->size(); ++i) {
        const std::string extension = files::extension(path);
        const std::string stem = path.substr(0, path.size() - extension.size());
        const std::string name = i == 0 ? path : fmt::format("{}-{}{}", stem, i + 1, path.substr(stem.size()));
        if (const Result<void> done = files::write_bytes(name, (*all)[i]); !done) return done.fault();
        if (i > 0)
            note(arguments.output, fmt::format("{}: a BCF file holds no more topics; {} has others", path, name));
    }
    return {};
}

/// The page, with a table of what was checked.
report::Document page_of(const Parts& parts, Clashes& clashes, const checks::Ledger& checked, double scale,
                         std::string title, std::string answer) {
    report::Document page = report::clash_page(parts, clashes, std::move(title), std::move(answer));
    if (checks::in_metres(parts, scale)) page.units = "m";
    page.figures = {{"parts", grouped(parts.parts.size())},
                    {"triangles", grouped(parts.triangle_count())},
                    {"clashes", grouped(clashes.clashes.size())},
                    {"ignored pairs", grouped(clashes.ignored.size())}};
    if (page.parts.size() < parts.parts.size())
        page.figures.emplace_back("parts drawn", grouped(page.parts.size()) + ", of the gravest clashes");
    if (!clashes.fits.empty()) page.figures.emplace_back("fits", grouped(clashes.fits.size()));
    for (auto& figure : figures_of(checked)) page.figures.push_back(std::move(figure));
    return page;
}

/// Complains about clashes of the baseline that nobody could look at.
void tell_not_checked(const Clashes& clashes, Faults& faults) {
    const std::size_t count = clashes.count(State::NotChecked);
    if (count == 0) return;
    std::vector<std::string> reasons;
    for (const checks::Gone& gone : clashes.gone)
        if (gone.state == State::NotChecked && std::ranges::find(reasons, gone.why) == reasons.end())
            reasons.push_back(gone.why);
    faults.not_checked(fmt::format("{} of the baseline: {}", count == 1 ? "1 clash" : grouped(count) + " clashes",
                                   checks::some_of(reasons)));
}

int clash(const ClashArguments& arguments) {
    const CheckArguments& asked = arguments.pairs;
    const Output& output = arguments.answer.output;
    const Result<checks::PlanSettings> settings = settings_of(asked);
    if (!settings) return complain(settings.fault().message);
    const Result<checks::Rules> rules = checks::parse_rules(settings->rules);
    if (!rules) return complain(rules.fault().message);
    const Result<Wanted> wanted = wanted_of(arguments.answer, *rules, asked.clearance.value);
    if (!wanted) return complain(wanted.fault().message);

    const Timer reading;
    const Interrupt interrupt;
    files::ReadOptions options = asked.reading;
    options.stop = interrupt.requested();
    Result<Parts> parts = with_bar(output, [&](const checks::Progress& progress) {
        return checks::read_parts(asked.paths, options, asked.threads, progress, settings->bad_files);
    });
    if (!parts) return complain(parts.fault().message);
    if (const Result<void> some = checks::check_between(*parts, *rules); !some) return complain(some.fault().message);
    if (const Result<void> known = checks::check_units(*parts, *rules, asked.reading.scale); !known)
        return complain(known.fault().message);
    if (const Result<void> known = check_lengths(asked, *parts); !known) return complain(known.fault().message);
    const double read_ms = reading.ms();

    Result<Clashes> found = with_bar(output, [&](const checks::Progress& progress) {
        return checks::find_clashes(*parts,
                                    {.rules = *rules,
                                     .tolerance = settings->tolerance,
                                     .error = settings->error,
                                     .strict_fits = settings->strict_fits,
                                     .clearance = settings->clearance,
                                     .threads = asked.threads,
                                     .measured = arguments.answer.to_measure(),
                                     .reading = options,
                                     .stop = interrupt.requested()},
                                    progress);
    });
    if (!found) return complain(found.fault().message);
    const auto times = [&] {
        const checks::StageTimes& t = found->times;
        return fmt::format(
            "Read and built in {}, found in {}, related in {}, meshed again in {}, measured in {}; models of {} MB",
            duration(read_ms), duration(t.find), duration(t.relate), duration(t.refine), duration(t.measure),
            grouped(parts->bytes() / 1'000'000));
    };
    return give_answer({*parts, *found, *rules, *settings, *wanted, times}, arguments.answer);
}

}  // namespace

Result<checks::PlanSettings> settings_of(const CheckArguments& arguments) {
    checks::PlanSettings out{.paths = arguments.paths,
                             .rules = {.files = {}, .ignore = arguments.ignore, .between = arguments.between},
                             .tolerance = arguments.tolerance.value,
                             .clearance = arguments.clearance.value,
                             .error = {},
                             .strict_fits = arguments.strict_fits,
                             .reading = arguments.reading,
                             .bad_files = arguments.strict ? checks::BadFiles::Stop : checks::BadFiles::LeaveOut,
                             .version = GRAZE_VERSION};
    if (arguments.error) out.error = arguments.error->value;
    for (const std::string& path : arguments.rules) {
        Result<std::string> text = files::read_bytes(path);
        if (!text) return text.fault();
        out.rules.files.emplace_back(path, std::move(*text));
    }
    return out;
}

Result<Wanted> wanted_of(const AnswerArguments& arguments, const checks::Rules& rules, double clearance) {
    Result<checks::Choice> choice = choice_of(arguments, rules, clearance);
    if (!choice) return choice.fault();
    if (const Result<void> length = check_length("--worse-by", arguments.worse_by.value_or(0)); !length)
        return length.fault();
    Result<checks::Baseline> baseline = baseline_of(arguments);
    if (!baseline) return baseline.fault();
    return Wanted{*choice, std::move(*baseline)};
}

Result<void> check_lengths(const CheckArguments& arguments, const checks::Parts& parts) {
    const checks::Length error = arguments.error.value_or(checks::Length{});
    for (const auto& [option, length] :
         {std::pair("--tolerance", &arguments.tolerance), {"--clearance", &arguments.clearance}, {"--error", &error}})
        if (const Result<void> known = checks::check_unit(parts, *length, option, arguments.reading.scale); !known)
            return known;
    return {};
}

int give_answer(const Checked& checked, const AnswerArguments& arguments) {
    const auto& [parts, found, rules, settings, wanted, times, load] = checked;
    const auto& [choice, baseline] = wanted;
    const Output& output = arguments.output;
    checks::compare(parts, baseline, found,
                    {.worse_by = arguments.worse_by,
                     .tolerance = settings.tolerance,
                     .clearance = settings.clearance,
                     .rules = rules});
    // Only after the comparison: a clash that changed its kind is not resolved.
    checks::keep(found, choice);
    checks::find_causes(parts, found);

    const Timer writing;
    Faults faults;
    const checks::ClashRun run{parts, found, rules.rules, title_of(settings.paths),
                               ledger_of(parts, found, rules,
                                         {.tolerance = settings.tolerance,
                                          .clearance = settings.clearance,
                                          .error = settings.error,
                                          .reading = settings.reading,
                                          .everything = output.everything})};
    if (!arguments.junit.empty()) faults.add(files::write_bytes(arguments.junit, checks::to_junit(run)));
    if (!arguments.write.empty()) {
        const Result<void> loaded = load ? load(clashing_parts(found)) : Result<void>();
        faults.add(loaded ? write_contacts(arguments.write, parts, found) : loaded);
    }
    std::string answer;
    if (output.json) answer = checks::to_json(run);
    if (!arguments.save.empty())
        faults.add(files::write_bytes(arguments.save, output.json ? answer : checks::to_json(run)));
    if (output.csv) answer = checks::to_csv(run);
    if (output.text())
        answer = clash_text(run, {.compared = baseline.has_clashes,
                                  .list = arguments.list,
                                  .metres = checks::in_metres(parts, settings.reading.scale)});
    Pictures pictures;
    const Result<void> loaded =
        load && arguments.needs_page() ? load(report::drawn_parts(parts, found)) : Result<void>();
    faults.add(loaded);
    if (arguments.needs_page() && loaded) {
        std::string json = output.json ? answer : checks::to_json(run);
        const report::Document page =
            page_of(parts, found, run.checked, settings.reading.scale, "graze clash " + run.title, std::move(json));
        faults.add(write_page(page, output));
        if (arguments.snapshots > 0)
            pictures = with_bar(output, [&](const checks::Progress& progress) {
                return take_pictures(page, arguments.snapshots, progress);
            });
    }
    if (!arguments.bcf.empty()) faults.add(write_bcf(arguments, run, pictures.of));
    for (const std::string& one : pictures.notes) note(output, one);
    for (const std::string& one : parts.notes) note(output, one);
    for (const std::string& one : found.notes) note(output, one);
    for (const std::string& one : files::notes_on(parts.files, settings.reading)) note(output, one);
    for (const std::string& one : baseline.notes) note(output, one);
    for (const std::string& one : checks::unused(parts, rules)) note(output, one);
    if (parts.parts.size() == 1) note(output, "there is only one part, and nothing that it could clash with");
    if (output.text() && output.verbose)
        answer += fmt::format("\n{}; compared and written in {}.\n", times(), duration(writing.ms()));
    print(answer, output);
    faults.leave_out(parts.left_out);
    tell_not_checked(found, faults);
    faults.require(run.checked);
    const bool old = baseline.has_clashes && found.count(State::New) + found.count(State::Worse) == 0;
    return faults.exit_code(old || found.clashes.empty() ? Clear : Collision);
}

namespace {

enum class Least : std::uint8_t { Zero, AboveZero };

/// Adds an option that takes a length, with or without a unit.
void add_length(CLI::App& command, const std::string& names, const char* what,
                const std::function<void(checks::Length)>& take, Least least = Least::Zero) {
    const auto read = [=](const std::string& word) {
        Result<checks::Length> length = checks::parse_length(word);
        const bool good = length.ok() && std::isfinite(length->value) && (least == Least::Zero || length->value > 0);
        const char* wanted = least == Least::Zero ? "takes a length such as 0.002 or 2mm" : "takes a length above 0";
        if (!good)
            throw CLI::ValidationError(names.substr(0, names.find(',')),
                                       fmt::format("{}; got {}", wanted, files::in_quotes(word)));
        take(std::move(*length));
    };
    command.add_option_function<std::string>(names, read, what)->type_name("LENGTH");
}

}  // namespace

void add_check_arguments(CLI::App& command, CheckArguments& arguments) {
    command.add_option("PATH", arguments.paths, "Scenes (each node is a part), meshes, or folders of such files");
    command.add_flag("--groups", arguments.reading.groups, "Treat objects and groups of OBJ files as parts");
    command
        .add_option("--between", arguments.between,
                    "Check only pairs of a part that A chooses and one that B chooses; may be repeated")
        ->type_name("A B")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option("--rules", arguments.rules,
                    "File of pairs that may clash, of groups, of pairs to check, and of clearances")
        ->type_name("FILE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_option("--ignore", arguments.ignore, "A single rule: A:B=REASON")
        ->type_name("RULE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_length(command, "--tolerance,--thin", "Crossings nowhere deeper than this are a kind of their own: thin",
               [&arguments](checks::Length length) { arguments.tolerance = std::move(length); });
    add_length(
        command, "--clearance",
        "Parts that do not meet and are no further apart than this are a kind of their own: clearance",
        [&arguments](checks::Length length) { arguments.clearance = std::move(length); }, Least::AboveZero);
    add_length(command, "--error",
               "How far the triangles of each part may be from what they describe, in place of what the files say; 0 "
               "takes them at their word",
               [&arguments](checks::Length length) { arguments.error = std::move(length); });
    command.add_flag("--strict-fits", arguments.strict_fits,
                     "Count as clashes the parts that overlap by no more than the files' accuracy");
    add_reading(command, arguments.reading);
    add_strict(command, arguments.strict);
    add_threads(command, arguments.threads);
}

void add_answer_arguments(CLI::App& command, AnswerArguments& arguments) {
    const auto add_kinds = [&](const char* option, std::vector<std::string>& words, const char* text) {
        command.add_option(option, words, text)
            ->type_name("KINDS")
            ->delimiter(',')
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    add_kinds("--only", arguments.only,
              "Report only these kinds: duplicate, crossing, inside, fit, touching, clearance, thin");
    add_kinds("--not", arguments.without, "Do not report these kinds");
    command
        .add_option("--baseline", arguments.baselines,
                    "JSON or BCF of an earlier run, or reviews that a report exported; says which clashes are new, "
                    "worse, persistent or resolved")
        ->type_name("FILE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option(
            "--worse-by", arguments.worse_by,
            "Growth of extent or depth since the baseline that makes a clash worse, and loss of distance of parts "
            "that are too close; by default a tenth, and for depths a doubling")
        ->type_name("LENGTH");
    command.add_flag("--list", arguments.list, "Print every clash and fit instead of the causes of many");
    const auto all = [](std::string& word) -> std::string {
        if (word == "all") word = std::to_string(std::numeric_limits<std::size_t>::max());
        return {};
    };
    command
        .add_option("--measure", arguments.measured,
                    "Number of clashes to measure, the gravest first, or all: depth, volume, and the translation that "
                    "clears them; 100 by default")
        ->type_name("N")
        ->transform(CLI::Validator(all, "", "measure"));
    command.add_option("--junit", arguments.junit, "Write the clashes as failed tests, for CI")
        ->type_name("FILE")
        ->check(in_a_folder());
    CLI::Option* bcf = command.add_option("--bcf", arguments.bcf, "Write the clashes as BCF topics, for BIM tools")
                           ->type_name("FILE")
                           ->check(in_a_folder());
    const auto read_version = [&arguments](const std::string& word) {
        if (word != "2.1" && word != "3.0")
            throw CLI::ValidationError("--bcf-version", "takes 2.1 or 3.0; got " + files::in_quotes(word));
        arguments.bcf_version = word == "3.0" ? checks::BcfVersion::V3_0 : checks::BcfVersion::V2_1;
    };
    command
        .add_option_function<std::string>("--bcf-version", read_version,
                                          "Version of BCF to write: 2.1, which all tools read, or 3.0")
        ->type_name("VERSION")
        ->needs(bcf);
    command
        .add_option("--snapshots", arguments.snapshots,
                    "Pictures of the N gravest clashes for the BCF file, drawn by Chromium")
        ->type_name("N")
        ->needs(bcf);
    command
        .add_option("--write", arguments.write,
                    "Write the triangles in contact and the curves where they cross: .obj, .ply, .glb, or .stl "
                    "without curves")
        ->type_name("FILE")
        ->check(in_a_folder())
        ->check(of_written_format());
    add_output(command, arguments.output, {.csv = true, .html = true, .require = true});
}

void add_clash(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("clash", "Check all pairs of an assembly's parts");
    const auto arguments = std::make_shared<ClashArguments>();
    add_check_arguments(*command, arguments->pairs);
    add_answer_arguments(*command, arguments->answer);
    add_clash_shards(*command, action);
    command->footer(R"(Examples:
  graze clash assembly.glb
      all pairs of a scene's parts
  graze clash parts/ --only duplicate,crossing,inside --html clashes.html
      the meshes of a folder, without those that merely touch, and a report
  graze clash house.ifc --between @services @structure
      pipes and ducts against beams and slabs, nothing else
  graze clash house.ifc --clearance 0.05
      also the parts that are no further apart than 5 cm, and the distance
  graze clash machine.step --tolerance 0.5mm --not thin,touching
      only overlaps that are deeper than half a millimetre
  graze clash parts/ --rules allowed.txt --json > last.json
      ignore the pairs that allowed.txt lists, and save the result
  graze clash parts/ --baseline last.json --junit clashes.xml
      report what is new or worse since then, for CI

A rule has two patterns and a reason: bolt-* plate* "threads overlap by design".
* stands for any text, ? for one character. A pattern matches the whole path of
a part, or its end after a slash. type=IfcWall*, layer=, storey=, discipline=,
id= and file= match labels instead; @structure, @services, @architecture and
@all are groups. A file of rules may define more:

  group: NAME PATTERN...   a group, from then on @NAME
  between: A B             check only such pairs
  clearance: A B 0.05      such pairs must be further apart; 0 for none, 50mm if
                           all files state units; the last line that matches a
                           pair applies

  duplicate  the same shape in the same place
  crossing   part of one is within the other or passes through its surface
  inside     one lies within a closed part; their surfaces may touch
  thin       crossing, and nowhere deeper than --tolerance
  fit        they overlap by no more than the accuracy of their files: listed
             apart, and no clash without --strict-fits
  touching   they meet, and neither has a part within the other
  clearance  they do not meet, and are no further apart than --clearance says

A file that cannot be read and a product without triangles are left out: stderr,
JSON and JUnit say so. Ctrl-C ends the check and leaves what was found so far.

Exit code: 0 clear, 1 clashes (with a baseline: new or worse ones), 2 bad input
or usage; also 2 when something was left out or could not be written, when a
clash of the baseline was not checked, or on Ctrl-C. --require everything makes
other gaps exit code 2 too: parts that are open, so that nothing is found inside
them, and files that state no unit, or unlike units, axes or places.)");
    command->callback([command, arguments, &action] {
        if (!command->get_subcommands().empty()) return;
        if (arguments->pairs.paths.empty()) throw CLI::RequiredError("PATH");
        action = [arguments] { return clash(*arguments); };
    });
}

}  // namespace graze::apps
