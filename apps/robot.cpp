// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>

#include "checks/contact_kind.hpp"
#include "checks/contacts.hpp"
#include "checks/robot_formats.hpp"
#include "commands.hpp"
#include "files/conventions.hpp"
#include "files/text.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

namespace fs = std::filesystem;
using checks::RobotAsk;
using checks::RobotCheck;

struct RobotArguments {
    std::string urdf;
    std::string srdf, state, path, world;  ///< files and a name; empty when not given
    std::vector<std::string> joints;       ///< values or name=value; an argument may hold several
    std::optional<std::size_t> random;     ///< number of random configurations
    std::uint64_t seed = 1;
    bool first = false;
    bool visual = false;
    unsigned threads = 0;
    files::RobotOptions reading;
    Output output;

    bool many() const { return random || !path.empty(); }
};

/// Values of all configurations, one after the other.
using Values = std::vector<double>;

Fault of(const std::string& where, const Fault& fault) { return {fault.kind, where + ": " + fault.message}; }

std::string joint_names(const files::Robot& robot) {
    std::string out;
    for (const std::uint32_t i : robot.active) out += (out.empty() ? "" : ", ") + robot.joints[i].name;
    return out;
}

Result<Values> parse_joints(const files::Robot& robot, const std::vector<std::string>& arguments) {
    files::NamedValues named;
    Values values;
    for (std::string text : arguments) {
        std::ranges::replace(text, ',', ' ');
        files::TextCursor cursor(text);
        for (std::string_view word; !(word = cursor.word_anywhere()).empty();) {
            const std::size_t is = word.find('=');
            const bool plain = is == std::string_view::npos;
            const Result<double> value = files::parse_number(plain ? word : word.substr(is + 1));
            if (!value.ok()) return of("--joints", value.fault());
            if (plain)
                values.push_back(*value);
            else
                named.emplace_back(word.substr(0, is), *value);
        }
    }
    if (!named.empty() && !values.empty())
        return Fault{FaultKind::Damaged, "--joints: give all values by name, or none"};
    if (!named.empty()) {
        const Result<Values> placed = files::joint_values(robot, named);
        return placed ? placed : of("--joints", placed.fault());
    }
    if (values.size() == robot.active.size()) return values;
    return Fault{FaultKind::Damaged,
                 fmt::format("--joints: {} takes {} value{} ({}), {} given", robot.name, robot.active.size(),
                             robot.active.size() == 1 ? "" : "s", joint_names(robot), values.size())};
}

Result<Values> state_values(const files::Robot& robot, const files::RobotSemantics& semantics,
                            const std::string& name) {
    std::string known;
    for (const auto& state : semantics.states) {
        known += (known.empty() ? "" : ", ") + state.name;
        if (state.name != name) continue;
        const Result<Values> values = files::joint_values(robot, state.values);
        return values ? values : of("state " + files::in_quotes(name), values.fault());
    }
    return Fault{FaultKind::BadIndex, fmt::format("--state: the SRDF has no state {}{}", files::in_quotes(name),
                                                  known.empty() ? "" : "; it has " + known)};
}

/// The joint values when none are given.
Values at_rest(const files::Robot& robot, std::vector<std::string>& notes) {
    Values values = checks::rest_values(robot);
    std::string middle;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 0)
            middle +=
                fmt::format("{}{} = {:.6g}", middle.empty() ? "" : ", ", robot.joints[robot.active[i]].name, values[i]);
    notes.push_back("no joints given: all at 0" +
                    (middle.empty() ? "" : " except where that is beyond the limits: " + middle));
    return values;
}

Result<Values> read_values(const RobotArguments& arguments, const files::Robot& robot,
                           const files::RobotSemantics* semantics, std::vector<std::string>& notes) {
    if (!arguments.joints.empty()) return parse_joints(robot, arguments.joints);
    if (!arguments.state.empty()) return state_values(robot, *semantics, arguments.state);
    if (arguments.random) return checks::random_values(robot, *arguments.random, arguments.seed);
    if (arguments.path.empty()) return at_rest(robot, notes);
    const Result<std::string> text = files::read_bytes(arguments.path);
    if (!text) return text.fault();
    return files::parse_joint_path(*text, arguments.path, robot);
}

/// An SRDF in one of the usual places, for a hint.
std::optional<fs::path> nearby_srdf(const std::string& urdf, const std::string& robot) {
    const fs::path at(urdf), folder = at.parent_path();
    for (const fs::path& place : {folder, folder / ".." / "srdf"})
        for (const std::string& name : {at.stem().string(), robot}) {
            std::error_code ignored;
            const fs::path candidate = (place / (name + ".srdf")).lexically_normal();
            if (fs::is_regular_file(candidate, ignored)) return candidate;
        }
    return std::nullopt;
}

/// The configurations that the page shows: all, or as many as it holds. Those in which a pair has the most contacts are
/// among them.
std::vector<std::size_t> shown_frames(const checks::RobotRun& run, const std::vector<checks::PairFrequency>& met,
                                      bool random) {
    constexpr std::size_t most = 500;
    std::set<std::size_t> frames;
    for (const checks::PairFrequency& f : met) frames.insert(f.at);
    const std::size_t n = run.answers.size();
    if (random) {
        for (std::size_t i = 0; i < n && frames.size() < most; ++i)
            if (!run.answers.of(i).empty()) frames.insert(i);
    } else {
        const std::size_t step = (n + most - 1) / most;
        for (std::size_t i = 0; i < n; i += step) frames.insert(i);
    }
    return {frames.begin(), frames.end()};
}

Result<Done> write_report(const RobotArguments& arguments, const checks::RobotRun& run, std::string answer) {
    constexpr std::size_t pairs_drawn = 200;  // contacts per pair of links and frame
    const RobotCheck& check = run.check;
    const std::size_t joints = check.robot().active.size();
    report::Document page;
    page.title = "graze robot " + fs::path(arguments.urdf).filename().string();
    page.units = "m";
    page.answer = std::move(answer);
    files::RobotPose pose;
    const auto place = [&](std::size_t i) {
        return files::place(check.robot(), run.values.subspan(i * joints, joints), pose);
    };
    if (const Result<Done> placed = place(0); !placed) return placed;
    for (std::uint32_t i = 0; i < check.bodies().size(); ++i) {
        const checks::RobotBody& body = check.bodies()[i];
        page.meshes.push_back(body.model);
        page.parts.push_back(
            {.name = body.name, .mesh = i, .placement = check.placement(pose.world_from_link, i), .group = body.name});
        if (body.link) page.moving.push_back(i);
    }
    const checks::SolidBodies solids(page.meshes);
    const auto hit_of = [&](const checks::BodyHit& hit) -> Result<report::Hit> {
        const auto [a, b] = check.pairs()[hit.pair];
        const Result<std::vector<Contact>> contacts = check.contacts(pose.world_from_link, hit.pair);
        if (!contacts) return contacts.fault();
        const Affine a_from_b =
            relative(check.placement(pose.world_from_link, a), check.placement(pose.world_from_link, b));
        return report::Hit{a, b, checks::contact_kind(solids, a, b, a_from_b, *contacts), contacts->size(),
                           checks::spread(*contacts, pairs_drawn)};
    };
    const std::vector<checks::PairFrequency> met = checks::frequencies(run);
    const bool many = arguments.many();
    const std::vector<std::size_t> frames = shown_frames(run, met, arguments.random.has_value());
    for (const std::size_t i : frames) {
        if (const Result<Done> placed = place(i); !placed) return placed;
        report::Frame frame;
        for (const std::uint32_t part : page.moving)
            frame.placements.push_back(check.placement(pose.world_from_link, part));
        for (const checks::BodyHit& one : run.answers.of(i)) {
            Result<report::Hit> hit = hit_of(one);
            if (!hit) return hit.fault();
            frame.hits.push_back(std::move(*hit));
        }
        page.frames.push_back(std::move(frame));
    }
    for (const checks::PairFrequency& f : met) {
        const auto at = static_cast<std::uint32_t>(std::ranges::lower_bound(frames, f.at) - frames.begin());
        const std::span<const checks::BodyHit> hits = run.answers.of(f.at);
        const auto which = std::ranges::find(hits, f.pair, &checks::BodyHit::pair) - hits.begin();
        report::Clash clash{.hit = page.frames[at].hits[static_cast<std::size_t>(which)]};
        if (many) {
            clash.frame = at;
            clash.note =
                fmt::format("in {} of {} configurations; here number {}", f.configurations, run.answers.size(), f.at);
        }
        page.clashes.push_back(std::move(clash));
    }
    std::size_t hits = 0;
    for (std::size_t i = 0; i < run.answers.size(); ++i) hits += !run.answers.of(i).empty();
    page.figures = {{"pairs of links checked", grouped(check.pairs().size())},
                    {"configurations", grouped(run.answers.size())},
                    {"in collision", grouped(hits)}};
    if (many && frames.size() < run.answers.size())
        page.figures.emplace_back("shown on the timeline", fmt::format("{}{}", grouped(frames.size()),
                                                                       arguments.random ? ", in collision" : ""));
    if (run.answers.beyond > 0) page.figures.emplace_back("beyond limits", grouped(run.answers.beyond));
    if (!many) {
        page.frames.clear();
        page.moving.clear();
    }
    return write_page(page, arguments.output);
}

void print_verbose(const RobotCheck& check, const checks::RobotAnswers& answers, double load_ms, double ms) {
    const checks::RobotStats& s = answers.stats;
    std::size_t triangles = 0, bytes = 0;
    for (const checks::RobotBody& body : check.bodies()) {
        triangles += body.model.triangle_count();
        bytes += body.model.bytes();
    }
    fmt::print(stderr, "{} bodies, {} triangles, {} kB; read and built in {}\n", check.bodies().size(),
               grouped(triangles), grouped(bytes / 1000), duration(load_ms));
    fmt::print(stderr, "{} configurations in {}, {} each\n", grouped(answers.size()), duration(ms),
               duration(ms / static_cast<double>(answers.size())));
    fmt::print(stderr, "{} pairs: {} apart by spheres, {} by boxes, {} queries; {} box tests, {} triangle tests\n",
               grouped(s.pairs), grouped(s.spheres), grouped(s.boxes), grouped(s.asked), grouped(s.queries.box_tests),
               grouped(s.queries.triangle_tests));
}

int check_robot(RobotArguments& arguments) {
    const Output& output = arguments.output;
    const Timer load;
    if (arguments.visual) arguments.reading.shapes = files::Shapes::Visual;
    Result<files::Robot> robot = files::read_robot(arguments.urdf, arguments.reading);
    if (!robot) return complain(robot.fault().message);
    std::optional<files::RobotSemantics> semantics;
    if (!arguments.srdf.empty()) {
        Result<files::RobotSemantics> read = files::read_semantics(arguments.srdf, *robot);
        if (!read) return complain(read.fault().message);
        semantics = std::move(*read);
    } else if (!arguments.state.empty()) {
        return complain("--state: states come from an SRDF, which --srdf gives");
    }
    std::vector<std::string> notes = robot->notes;
    const Result<Values> values = read_values(arguments, *robot, semantics ? &*semantics : nullptr, notes);
    if (!values) return complain(values.fault().message);
    const std::size_t joints = robot->active.size();
    if (joints == 0 && arguments.many()) return complain(arguments.urdf + ": the robot has no joint that moves");
    const std::size_t count = joints == 0 ? 1 : values->size() / joints;

    std::optional<checks::Surroundings> around;
    if (!arguments.world.empty()) {
        Result<LoadedModel> world = load_model(arguments.world, {}, arguments.threads, output);
        if (!world) return complain(world.fault().message);
        const std::array both{files::FileConventions{arguments.urdf, {"URDF", 1, 'z'}},
                              files::FileConventions{arguments.world, world->conventions}};
        for (std::string& one : files::notes_on(both, {}, false)) notes.push_back(std::move(one));
        around = {fs::path(arguments.world).filename().string(), std::move(world->model)};
    }
    if (semantics)
        notes.insert(notes.end(), semantics->notes.begin(), semantics->notes.end());
    else if (const auto found = nearby_srdf(arguments.urdf, robot->name))
        notes.push_back(
            fmt::format("without --srdf all but adjacent links are checked; {} lies nearby", found->string()));

    const Result<RobotCheck> check =
        RobotCheck::make(std::move(*robot), semantics ? &*semantics : nullptr, std::move(around), arguments.threads);
    if (!check) return complain(arguments.urdf + ": " + check.fault().message);
    if (check->bodies().empty())
        return complain(fmt::format("{}: no link has a {} shape{}", arguments.urdf,
                                    arguments.visual ? "visual" : "collision",
                                    arguments.visual ? "" : "; --visual uses the visual shapes"));
    const double load_ms = load.ms();
    const RobotAsk ask = arguments.first ? RobotAsk::Free : RobotAsk::Contacts;
    const Timer timer;
    Result<checks::RobotAnswers> answers = [&] {
        ProgressBar bar(count, output.progress());
        return checks::check_all(*check, count, *values, ask, arguments.threads,
                                 [&](std::size_t done) { bar.show(done); });
    }();
    if (!answers) return complain((arguments.path.empty() ? "" : arguments.path + ": ") + answers.fault().message);
    const double ms = timer.ms();
    if (answers->beyond > 0)
        notes.push_back(count == 1 ? answers->beyond_first
                                   : fmt::format("{} of {} configurations are beyond the limits; the first: {}",
                                                 answers->beyond, count, answers->beyond_first));

    const checks::RobotRun run{*check, *answers, *values, ask};
    const bool page = !output.html.empty();
    std::string json;
    if (output.json || page) json = checks::to_json(run);
    Faults faults;
    if (page) faults.add(write_report(arguments, run, json));
    for (const std::string& one : notes) note(output, one);
    if (output.json) print(json, output);
    if (output.csv) print(checks::to_csv(run), output);
    if (output.text()) {
        const auto counted = [](std::size_t n, const char* what) {
            return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
        };
        print(fmt::format("{}: {} with shapes, {} checked, {} left out\n", files::printable(check->robot().name),
                          counted(check->bodies().size() - !arguments.world.empty(), "link"),
                          counted(check->pairs().size(), "pair"), check->left_out()));
        print(checks::to_text(run, !arguments.path.empty()));
    }
    if (output.verbose) print_verbose(*check, *answers, load_ms, ms);
    return faults.exit_code(answers->hits.empty() ? Clear : Collision);
}

}  // namespace

void add_robot(CLI::App& app, Action& action) {
    CLI::App* command =
        app.add_subcommand("robot", "Find links of a robot that collide with each other or with surroundings");
    const auto arguments = std::make_shared<RobotArguments>();
    command->add_option("URDF", arguments->urdf, "The robot")->required();
    command
        ->add_option("--srdf", arguments->srdf,
                     "SRDF with pairs of links to skip and named states; without it adjacent links are skipped")
        ->type_name("FILE");
    CLI::Option* joints = command
                              ->add_option("--joints", arguments->joints,
                                           "One value per moving joint, or name=value …; radians and metres")
                              ->type_name("VALUES")
                              ->expected(1, -1);
    CLI::Option* state =
        command->add_option("--state", arguments->state, "A named state of the SRDF")->type_name("NAME");
    CLI::Option* path =
        command
            ->add_option("--path", arguments->path,
                         "File of joint values, one configuration per line; the first line may name the joints")
            ->type_name("FILE");
    CLI::Option* random =
        command
            ->add_option("--random", arguments->random, "Try this many random configurations within the joint limits")
            ->type_name("N")
            ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}).description(""));
    command->add_option("--seed", arguments->seed, "Random seed of the configurations")->type_name("N")->needs(random);
    for (CLI::Option* one : {joints, state, path, random})
        for (CLI::Option* other : {joints, state, path, random})
            if (one != other) one->excludes(other);
    command->add_option("--world", arguments->world, "Static surroundings: a mesh in the root link's frame, in metres")
        ->type_name("MESH");
    command->add_flag("--visual", arguments->visual, "Use the visual shapes instead of the collision shapes");
    command
        ->add_option("--package", arguments->reading.search,
                     "Folder to search for meshes, before the folder of the URDF and its parents")
        ->type_name("DIR")
        ->expected(1);
    command->add_flag("--first", arguments->first, "Say only whether there is a collision; stops at the first pair");
    add_output(*command, arguments->output, {.csv = true, .html = true});
    add_threads(*command, arguments->threads);
    command->footer(
        "Examples:\n"
        "  graze robot arm.urdf --joints \"0 0.4 0 -1.2 0 1.6 0\"\n"
        "      the links that meet, and in how many pairs of triangles\n"
        "  graze robot arm.urdf --srdf arm.srdf --path motion.txt --html motion.html\n"
        "      a path line by line, and a page that shows it\n"
        "  graze robot arm.urdf --world cell.stl --random 10000 --csv\n"
        "      how often a robot that moves at random would hit its cell or itself\n\n"
        "Links that are joined, and those that cannot move against each other, are not\n"
        "checked unless an SRDF says what is. Shapes of one link are one mesh; round\n"
        "ones are meshes to within 1 mm.\n"
        "Exit code: 0 clear, 1 collision in any configuration, 2 bad input or usage.");
    command->callback([arguments, &action] { action = [arguments] { return check_robot(*arguments); }; });
}

}  // namespace graze::apps
