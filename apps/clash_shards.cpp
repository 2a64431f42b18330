// SPDX-License-Identifier: Apache-2.0
// Clash checks of any size, as shards.
#include "clash_shards.hpp"

#include <fmt/format.h>

#include <memory>

#include "checks/json.hpp"
#include "checks/rule_texts.hpp"
#include "checks/shards.hpp"
#include "clash.hpp"
#include "clash_engines.hpp"
#include "files/mesh_file.hpp"

namespace graze::apps {

namespace {

struct PlanArguments {
    CheckArguments pairs;
    std::string folder;
    std::optional<std::size_t> shards;
    Output output;
};

int plan(const PlanArguments& arguments) {
    const Output& output = arguments.output;
    const Result<checks::PlanSettings> settings = settings_of(arguments.pairs);
    if (!settings) return complain(settings.fault().message);
    const Timer timer;
    const Result<checks::MadePlan> made = with_bar(output, [&](const checks::Progress& progress) {
        return checks::make_plan(
            arguments.folder, *settings,
            {.shards = arguments.shards, .threads = arguments.pairs.threads, .progress = progress});
    });
    if (!made) return complain(made.fault().message);
    const checks::Plan& plan = made->plan;
    double all = 0, most = 0;
    for (const checks::PlannedShard& shard : plan.shards) {
        all += shard.cost;
        most = std::max(most, shard.cost);
    }
    const double mean = all / static_cast<double>(plan.shards.size());
    if (output.json) {
        const checks::Json json{{"folder", checks::json_text(arguments.folder)},
                                {"parts", made->parts.parts.size()},
                                {"shapes", made->parts.shapes.size()},
                                {"triangles", made->parts.triangle_count()},
                                {"shards", plan.shards.size()},
                                {"done", made->done},
                                {"estimated_seconds", all}};
        print(json.dump() + "\n", output);
    } else if (output.text()) {
        print(fmt::format("{}, {}, {}\n{}, about {} of work on one core, the largest {:.2f} times the mean\n",
                          counted(made->parts.parts.size(), "part"), counted(made->parts.triangle_count(), "triangle"),
                          counted(made->parts.shapes.size(), "shape"), counted(plan.shards.size(), "shard"),
                          duration(1000 * all), mean > 0 ? most / mean : 1));
        if (made->done > 0) print(fmt::format("{} of them have results already\n", grouped(made->done)));
        if (output.verbose) print(fmt::format("Planned in {}.\n", duration(timer.ms())));
        print(fmt::format("Next: graze clash run {}\n", arguments.folder));
    }
    for (const std::string& one : made->parts.notes) note(output, one);
    Faults faults;
    faults.leave_out(made->parts.left_out);
    return faults.exit_code(Clear);
}

struct ShardArguments {
    std::string folder;
    std::size_t shard = 0;
    std::uint64_t memory = 0;  ///< megabytes
    unsigned threads = 0;
    Output output;
};

int shard(const ShardArguments& arguments) {
    const Result<checks::Plan> plan = checks::load_plan(arguments.folder);
    if (!plan) return complain(plan.fault().message);
    if (arguments.shard >= plan->shards.size())
        return complain(fmt::format("{}: there is no shard {}; the plan has {}, counted from 0", arguments.folder,
                                    arguments.shard, plan->shards.size()));
    const Result<void> done = with_bar(arguments.output, [&](const checks::Progress& progress) {
        return checks::run_shard(
            *plan, arguments.shard,
            {.memory = arguments.memory * 1'000'000, .threads = arguments.threads, .progress = progress});
    });
    return done ? int{Clear} : complain(done.fault().message);
}

struct MergeArguments {
    std::string folder;
    bool as_planned = false;
    unsigned threads = 0;
    AnswerArguments answer;
};

int merge(const MergeArguments& arguments) {
    const Timer loading;
    const Result<checks::Plan> plan = checks::load_plan(arguments.folder);
    if (!plan) return complain(plan.fault().message);
    if (const Result<void> same = checks::check_inputs(*plan); !same && !arguments.as_planned)
        return complain(same.fault().message);
    const Result<checks::Rules> rules = checks::parse_rules(plan->settings.rules);
    if (!rules) return complain(rules.fault().message);
    const Result<Wanted> wanted = wanted_of(arguments.answer, *rules, plan->settings.clearance);
    if (!wanted) return complain(wanted.fault().message);
    Result<checks::Parts> parts = checks::load_parts(*plan);
    if (!parts) return complain(parts.fault().message);
    Result<checks::FoundPairs> pairs = checks::merge_shards(*plan, *parts);
    if (!pairs) return complain(pairs.fault().message);
    checks::PlannedSolids solids(*plan, *parts);
    const checks::SolidOf solid = [&](std::uint32_t part) { return solids(part); };
    const checks::ClashSettings settings{.rules = *rules,
                                         .tolerance = plan->settings.tolerance,
                                         .error = plan->settings.error,
                                         .strict_fits = plan->settings.strict_fits,
                                         .threads = arguments.threads,
                                         .measured = arguments.answer.to_measure(),
                                         .reading = plan->settings.reading};
    const std::size_t met = pairs->met;
    checks::Clashes found = checks::complete(*parts, solid, checks::world_boxes(*parts), std::move(*pairs), settings);
    if (solids.fault()) return complain(solids.fault()->message);
    const double loaded_ms = loading.ms();
    const auto times = [&] { return fmt::format("Put together in {}", duration(loaded_ms)); };
    const auto load = [&](std::span<const std::uint32_t> some) -> Result<void> {
        const Result<void> loaded = checks::load_models(*plan, *parts, some, arguments.threads);
        if (loaded)
            for (std::vector<checks::Clash>* list : {&found.clashes, &found.fits})
                checks::keep_pairs(*parts, *list, checks::kept_pairs(checks::ClashSettings().pairs, met),
                                   arguments.threads);
        return loaded;
    };
    return give_answer({*parts, found, *rules, plan->settings, *wanted, times, load}, arguments.answer);
}

struct RunArguments {
    EngineSettings engine;
    std::string kind = "local";
    bool as_planned = false;
};

/// The last lines of a log.
std::string end_of(const std::string& path) {
    const Result<std::string> text = files::read_bytes(path);
    if (!text.ok() || text->empty()) return "it left no log";
    std::string_view lines = *text;
    while (lines.ends_with('\n')) lines.remove_suffix(1);
    return std::string(lines.substr(lines.rfind('\n') + 1));
}

std::vector<std::size_t> shards_to_do(const checks::Plan& plan) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < plan.shards.size(); ++i)
        if (!checks::check_result(plan, i)) left.push_back(i);
    return left;
}

int run(const RunArguments& arguments) {
    const EngineSettings& settings = arguments.engine;
    const Result<checks::Plan> plan = checks::load_plan(settings.folder);
    if (!plan) return complain(plan.fault().message);
    if (const Result<void> same = checks::check_inputs(*plan); !same && !arguments.as_planned)
        return complain(same.fault().message);
    const std::vector<std::size_t> to_do = shards_to_do(*plan);
    bool ended = true;
    Result<void> done;
    if (arguments.kind == "slurm") {
        ended = to_do.empty();
        done = submit_to_slurm(*plan, to_do, settings, ended);
    } else if (!to_do.empty()) {
        done = arguments.kind == "dask" ? run_by_dask(*plan, to_do, settings) : run_locally(*plan, to_do, settings);
    }
    if (!done) return complain(done.fault().message);
    if (!ended) return Clear;
    const std::vector<std::size_t> failed = shards_to_do(*plan);
    for (const std::size_t shard : failed)
        complain(arguments.kind == "slurm"
                     ? fmt::format("shard {} failed; see {}/logs", shard, settings.folder)
                     : fmt::format("shard {} failed {} times: {} (see {})", shard, attempts,
                                   end_of(log_path(settings.folder, shard)), log_path(settings.folder, shard)));
    if (!failed.empty())
        return complain(fmt::format("{} of {} shards are done; run graze clash run {} again for the others",
                                    plan->shards.size() - failed.size(), plan->shards.size(), settings.folder));
    return merge({.folder = settings.folder,
                  .as_planned = true,
                  .threads = 0,
                  .answer = {.save = settings.folder + "/answer.json", .output = settings.output}});
}

void add_folder(CLI::App& command, std::string& folder) {
    command.add_option("DIR", folder, "Folder of a plan")->type_name("DIR")->required();
}

void add_as_planned(CLI::App& command, bool& as_planned) {
    command.add_flag("--as-planned", as_planned, "Do not look whether the input files have changed since the plan");
}

void add_memory(CLI::App& command, std::uint64_t& megabytes, const char* what) {
    command.add_option("--memory", megabytes, what)->type_name("MB")->check(CLI::Range(1u, 1'000'000'000u));
}

void add_plan(CLI::App& clash, Action& action) {
    CLI::App* command = clash.add_subcommand("plan", "Cut a check of any size into shards");
    const auto arguments = std::make_shared<PlanArguments>();
    add_check_arguments(*command, arguments->pairs);
    command->get_option("PATH")->required();
    command->add_option("-o,--output", arguments->folder, "Folder for the plan")->type_name("DIR")->required();
    command
        ->add_option("--shards", arguments->shards,
                     "Number of shards; by default one per 128 MB of models, for small ones one per 64 parts, up to 16")
        ->type_name("N")
        ->check(CLI::Range(1u, 1'000'000u));
    add_output(*command, arguments->output, {});
    command->footer(R"(Examples:
  graze clash plan refinery/ --rules allowed.txt -o work
      read all parts once, and cut the check into shards
  graze clash run work
      find the clashes of all shards, and put them together

The folder has everything that shards need. When files have changed, plan into
the same folder again: shards whose parts are the same keep their results.

Exit code: 0 planned, 2 bad input or usage, or a file was left out.)");
    command->callback([arguments, &action] { action = [arguments] { return plan(*arguments); }; });
}

void add_shard(CLI::App& clash, Action& action) {
    CLI::App* command = clash.add_subcommand("shard", "Find the clashes of one shard of a plan");
    const auto arguments = std::make_shared<ShardArguments>();
    add_folder(*command, arguments->folder);
    command->add_option("K", arguments->shard, "Number of the shard, counted from 0")->type_name("N")->required();
    add_memory(*command, arguments->memory, "Memory to stay below; by default half of the machine's");
    add_threads(*command, arguments->threads);
    add_output(*command, arguments->output, {});
    command->footer(R"(The result appears in the folder once it is whole. A shard may be stopped at any
moment and run again. It does nothing when its result is there.

Exit code: 0 done, 2 not done.)");
    command->callback([arguments, &action] { action = [arguments] { return shard(*arguments); }; });
}

void add_merge(CLI::App& clash, Action& action) {
    CLI::App* command = clash.add_subcommand("merge", "Put the results of all shards together");
    const auto arguments = std::make_shared<MergeArguments>();
    add_folder(*command, arguments->folder);
    add_as_planned(*command, arguments->as_planned);
    add_answer_arguments(*command, arguments->answer);
    command->add_option("--save", arguments->answer.save, "Write the answer in JSON to this file too")
        ->type_name("FILE")
        ->check(in_a_folder());
    add_threads(*command, arguments->threads);
    command->footer(R"(The answer is that of graze clash with the options of the plan, byte for byte.

Exit code: 0 clear, 1 clashes (with a baseline: new or worse ones), 2 bad input
or usage, a shard that is not done, or a file that was left out.)");
    command->callback([arguments, &action] { action = [arguments] { return merge(*arguments); }; });
}

void add_run(CLI::App& clash, Action& action) {
    CLI::App* command = clash.add_subcommand("run", "Work on all shards of a plan and put them together");
    const auto arguments = std::make_shared<RunArguments>();
    EngineSettings& engine = arguments->engine;
    add_folder(*command, engine.folder);
    command->add_option("--jobs", engine.jobs, "Shards at the same time on this machine; by default one per core")
        ->type_name("N");
    command->add_option("--engine", arguments->kind, "Engine that works on the shards: local, slurm or dask")
        ->capture_default_str()
        ->type_name("NAME")
        ->check(CLI::IsMember({"local", "slurm", "dask"}));
    command->add_option("--scheduler", engine.scheduler, "Address of Dask's scheduler")->type_name("ADDRESS");
    command->add_flag("--watch", engine.watch, "Wait until the jobs of Slurm have ended, and give the answer");
    add_memory(*command, engine.memory,
               "Memory of each shard; by default half of the machine's, shared by the jobs on it");
    add_as_planned(*command, arguments->as_planned);
    add_output(*command, engine.output, {.require = true});
    command->footer(R"(Examples:
  graze clash run work --jobs 8
      eight processes on this machine
  graze clash run work --engine slurm
      an array of jobs, and one that merges; prints their numbers
  graze clash run work --engine dask --scheduler tcp://head:8786
      the workers of a Dask cluster, through the Python package

Shards that have results are not run again, so a run that was stopped goes on
where it was. A shard that fails is tried three times. The answer is printed, and
written to answer.json in the folder. graze clash merge gives it in other forms.

Exit code: 0 clear or submitted, 1 clashes, 2 bad input or usage, or a shard that
failed.)");
    command->callback([arguments, &action] {
        if (arguments->kind == "dask" && arguments->engine.scheduler.empty()) throw CLI::RequiredError("--scheduler");
        action = [arguments] { return run(*arguments); };
    });
}

}  // namespace

void add_clash_shards(CLI::App& clash, Action& action) {
    add_plan(clash, action);
    add_shard(clash, action);
    add_merge(clash, action);
    add_run(clash, action);
}

}  // namespace graze::apps
