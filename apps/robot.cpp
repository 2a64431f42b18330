// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "checks/robot_formats.hpp"
#include "checks/robot_gpu.hpp"
#include "checks/robot_world.hpp"
#include "commands.hpp"
#include "device.hpp"
#include "files/pose_file.hpp"
#include "files/text.hpp"
#include "options.hpp"
#include "robot_page.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

namespace fs = std::filesystem;
using checks::RobotAsk;
using checks::RobotCheck;

struct RobotArguments {
    std::string urdf;
    std::string srdf, state, path;  ///< files and a name; empty when not given
    std::vector<checks::WorldFile> world;
    std::vector<std::string> joints;    ///< values or name=value; an argument may hold several
    std::optional<std::size_t> random;  ///< number of random configurations
    std::uint64_t seed = 1;
    bool first = false;
    double clearance = 0;
    bool visual = false;
    unsigned threads = 0;
    files::RobotOptions reading;
    DeviceArguments device;
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

/// Values by name, and a note on the joints without one.
Result<Values> named_values(const files::Robot& robot, const files::NamedValues& named, const std::string& where,
                            std::vector<std::string>& notes) {
    Result<Values> values = files::joint_values(robot, named);
    if (!values) return of(where, values.fault());
    std::vector<std::string> names;
    for (const auto& [name, value] : named) names.push_back(name);
    if (const std::string rest = files::joints_not_named(robot, names); !rest.empty())
        notes.push_back(where + ": joints that are not named stay at 0: " + rest);
    return values;
}

Result<Values> parse_joints(const files::Robot& robot, const std::vector<std::string>& arguments,
                            std::vector<std::string>& notes) {
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
    if (!named.empty()) return named_values(robot, named, "--joints", notes);
    if (values.size() == robot.active.size()) return values;
    return Fault{FaultKind::Damaged,
                 fmt::format("--joints: {} takes {} value{} ({}), {} given", robot.name, robot.active.size(),
                             robot.active.size() == 1 ? "" : "s", joint_names(robot), values.size())};
}

Result<Values> state_values(const files::Robot& robot, const files::RobotSemantics& semantics, const std::string& name,
                            std::vector<std::string>& notes) {
    std::string known;
    for (const auto& state : semantics.states) {
        known += (known.empty() ? "" : ", ") + state.name;
        if (state.name != name) continue;
        if (state.fault) return *state.fault;
        notes.insert(notes.end(), state.notes.begin(), state.notes.end());
        return named_values(robot, state.values, "state " + files::in_quotes(name), notes);
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
    if (!arguments.joints.empty()) return parse_joints(robot, arguments.joints, notes);
    if (!arguments.state.empty()) return state_values(robot, *semantics, arguments.state, notes);
    if (arguments.random) return checks::random_values(robot, *arguments.random, arguments.seed);
    if (arguments.path.empty()) return at_rest(robot, notes);
    const Result<std::string> text = files::read_bytes(arguments.path);
    if (!text) return text.fault();
    Result<files::JointPath> path = files::parse_joint_path(*text, arguments.path, robot);
    if (!path) return path.fault();
    notes.insert(notes.end(), path->notes.begin(), path->notes.end());
    return std::move(path->values);
}

/// An SRDF in one of the usual places, for a hint.
std::optional<fs::path> nearby_srdf(const std::string& urdf, const std::string& robot) {
    const fs::path at(urdf), folder = at.parent_path();
    for (const fs::path& place : {folder, folder / ".." / "srdf"})
        for (const std::string& name : {at.stem().string(), robot}) {
            std::error_code ignored;
            fs::path candidate = (place / (name + ".srdf")).lexically_normal();
            if (fs::is_regular_file(candidate, ignored)) return candidate;
        }
    return std::nullopt;
}

void print_verbose(const RobotCheck& check, const checks::RobotAnswers& answers, Device device, double load_ms,
                   double ms) {
    const RobotStats& s = answers.stats;
    std::size_t triangles = 0, bytes = 0;
    for (const RobotBody& body : check.bodies()) {
        triangles += body.model.triangle_count();
        bytes += body.model.bytes();
    }
    fmt::print(stderr, "{} bodies, {} triangles, {} kB; read and built in {}\n", check.bodies().size(),
               grouped(triangles), grouped(bytes / 1000), duration(load_ms));
    fmt::print(stderr, "{} configurations in {}, {} each\n", grouped(answers.size()), duration(ms),
               duration(ms / static_cast<double>(answers.size())));
    if (device == Device::Gpu) return;  // it does not count how pairs were decided
    fmt::print(stderr, "{} pairs: {} apart by spheres, {} by boxes, {} queries; {} box tests, {} triangle tests\n",
               grouped(s.pairs), grouped(s.spheres), grouped(s.boxes), grouped(s.asked), grouped(s.queries.box_tests),
               grouped(s.queries.triangle_tests));
}

int check_robot(RobotArguments& arguments) {
    const Output& output = arguments.output;
    // A GPU that is asked for and not there is said before files are read.
    Result<Device> device = choose_device(arguments.device, 0);
    if (!device) return complain(device.fault().message);
    if (*device == Device::Gpu && arguments.clearance > 0)
        return complain("--device gpu: a clearance is checked on the CPU only");
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
        return complain("--state: states come from an SRDF; name it by --srdf");
    }
    std::vector<std::string> notes = robot->notes;
    const Result<Values> values = read_values(arguments, *robot, semantics ? &*semantics : nullptr, notes);
    if (!values) return complain(values.fault().message);
    const std::size_t joints = robot->active.size();
    if (joints == 0 && arguments.many()) return complain(arguments.urdf + ": the robot has no joint that moves");
    const std::size_t count = joints == 0 ? 1 : values->size() / joints;
    // Unasked, a GPU is used where it does all the work: the CPU counts contacts and measures distances.
    if (arguments.first && arguments.clearance == 0) device = choose_device(arguments.device, count);

    if (arguments.random) checks::free_followers(*robot);
    Result<checks::World> world =
        checks::read_world(arguments.urdf, arguments.world, arguments.reading.allowed_folders, arguments.threads);
    if (!world) return complain(world.fault().message);
    notes.insert(notes.end(), world->notes.begin(), world->notes.end());
    if (semantics)
        notes.insert(notes.end(), semantics->notes.begin(), semantics->notes.end());
    else if (const auto found = nearby_srdf(arguments.urdf, robot->name))
        notes.push_back(
            fmt::format("without --srdf all but adjacent links are checked; {} lies nearby", found->string()));

    const Result<RobotCheck> check = RobotCheck::make(std::move(*robot), semantics ? &*semantics : nullptr,
                                                      std::move(world->objects), arguments.threads);
    if (!check) return complain(arguments.urdf + ": " + check.fault().message);
    if (check->link_count() == 0)
        return complain(fmt::format("{}: no link has a {} shape{}", arguments.urdf,
                                    arguments.visual ? "visual" : "collision",
                                    arguments.visual ? "" : "; --visual uses the visual shapes"));
    if (check->pairs().empty())
        return complain(fmt::format(
            "{}: no pair is checked, of {} with shapes: {}", arguments.urdf, counted(check->link_count(), "link"),
            check->left_out() == 0
                ? "there is nothing that could meet; --world adds some"
                : fmt::format("{} {}", counted(check->left_out(), "pair"), check->left_out_because())));
    if (!arguments.world.empty() && !check->standing().empty())
        notes.push_back(
            fmt::format("not checked against the world, as they cannot move: {}", fmt::join(check->standing(), ", ")));
    const double load_ms = load.ms();
    tell_device(arguments.device, *device, output);
    const checks::RobotQuestion question(arguments.first ? RobotAsk::Free : RobotAsk::Contacts, arguments.clearance);
    const Timer timer;
    Result<checks::RobotAnswers> answers = [&] {
        ProgressBar bar(count, output.progress());
        const auto ask = *device == Device::Gpu ? checks::check_all_on_gpu : checks::check_all;
        return ask(
            *check, count, *values, question, arguments.threads, [&](std::size_t done) { bar.show(done); }, nullptr);
    }();
    if (!answers) return complain((arguments.path.empty() ? "" : arguments.path + ": ") + answers.fault().message);
    const double ms = timer.ms();
    if (answers->beyond > 0)
        notes.push_back(count == 1 ? answers->beyond_first
                                   : fmt::format("{} of {} configurations are beyond the limits; the first: {}",
                                                 answers->beyond, count, answers->beyond_first));

    checks::RobotRun run{*check,         *answers, *values, question, ledger_of(*check, arguments.clearance, *world),
                         world->left_out};
    run.checked.everything = output.everything;
    const bool page = !output.html.empty();
    std::string json;
    if (output.json || page) json = checks::to_json(run);
    Faults faults;
    if (page) {
        const RobotPageSettings settings{.title = "graze robot " + fs::path(arguments.urdf).filename().string(),
                                         .timeline = arguments.many(),
                                         .random = arguments.random.has_value()};
        faults.add(write_robot_page(run, settings, output, json));
    }
    for (const std::string& one : notes) note(output, one);
    if (output.json) print(json, output);
    if (output.csv) print(checks::to_csv(run), output);
    if (output.text()) {
        print(fmt::format("{}: {} with shapes, {} checked, {} left out\n", files::printable(check->robot().name),
                          counted(check->link_count(), "link"),
                          counted(check->pairs().size() + check->fixed_pairs(), "pair"), check->left_out()));
        if (!run.checked.open.empty())
            print(fmt::format(
                "{} open, and nothing is found inside: {}\n",
                run.checked.open.size() == 1 ? "1 shape is" : counted(run.checked.open.size(), "shape") + " are",
                checks::some_of(run.checked.open)));
        print(checks::to_text(run, !arguments.path.empty()));
    }
    if (output.verbose) print_verbose(*check, *answers, *device, load_ms, ms);
    faults.leave_out(world->left_out);
    faults.require(run.checked);
    return faults.exit_code(answers->hits.empty() ? Clear : Collision);
}

/// Adds --world, and the options that belong to the --world before them.
void add_world(CLI::App& command, std::vector<checks::WorldFile>& world) {
    const auto last = [&world](const char* option) -> checks::WorldFile& {
        if (world.empty()) throw CLI::ValidationError(option, "comes after the --world that it belongs to");
        return world.back();
    };
    const auto add = [&command](const char* name, const std::function<void(const std::string&)>& take, const char* what,
                                const char* type) {
        // Taken as they come, so that each belongs to the --world before it.
        command.add_option_function<std::string>(name, take, what)->type_name(type)->expected(1)->trigger_on_parse();
    };
    add(
        "--world", [&world](const std::string& path) { world.push_back({.path = path}); },
        "Mesh, scene or folder of objects around the robot, in metres; may be repeated", "FILE");
    add(
        "--world-pose",
        [last](const std::string& text) {
            const Result<Pose> pose = files::parse_pose(text);
            checks::WorldFile& file = last("--world-pose");
            if (!pose) throw CLI::ValidationError("--world-pose", pose.fault().message);
            file.root_from_file = *pose;
        },
        "Pose of the --world before it in the root link's frame: \"x y z qx qy qz qw\", or 12 numbers", "TEXT");
    add(
        "--world-scale",
        [last](const std::string& text) {
            const Result<double> scale = files::parse_number(text);
            checks::WorldFile& file = last("--world-scale");
            if (!scale.ok() || !(*scale > 0))
                throw CLI::ValidationError("--world-scale", "a number above 0 is expected");
            file.scale = *scale;
        },
        "Factor for the lengths of the --world before it: 0.001 for millimetres", "FACTOR");
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
    CLI::Option* path = command
                            ->add_option("--path", arguments->path,
                                         "File of joint values, one configuration per line, where the first may name "
                                         "the joints; or a .npy file with one per row")
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
    add_world(*command, arguments->world);
    command->add_flag("--visual", arguments->visual, "Use the visual shapes instead of the collision shapes");
    command
        ->add_option(
            "--package", arguments->reading.search,
            "Folder to search for meshes first; others are read from the folder and the package of the URDF only")
        ->type_name("DIR")
        ->expected(1);
    add_allow_folder(*command, arguments->reading.allowed_folders);
    command->add_flag("--first", arguments->first,
                      "Say only whether there is a collision; stops at the first pair, and names it");
    add_clearance(*command, arguments->clearance,
                  "Links that do not meet and are no further apart than this many metres are too close: exit code 1");
    add_output(*command, arguments->output, {.csv = true, .html = true, .require = true});
    add_threads(*command, arguments->threads);
    add_device(*command, arguments->device);
    command->footer(
        "Examples:\n"
        "  graze robot arm.urdf --joints \"0 0.4 0 -1.2 0 1.6 0\"\n"
        "      the links that meet, and in how many pairs of triangles\n"
        "  graze robot arm.urdf --srdf arm.srdf --path motion.txt --html motion.html\n"
        "      a path line by line, and a page that shows it\n"
        "  graze robot arm.urdf --world cell.stl --random 10000 --csv\n"
        "      how often a robot that moves at random would hit its cell or itself\n"
        "  graze robot arm.urdf --world cell.glb --world box.stl --world-scale 0.001\n"
        "      --world-pose \"0.5 0 0.2 0 0 0 1\"\n"
        "      a cell, and in it a box in millimetres that stands elsewhere\n"
        "  graze robot arm.urdf --world cell.stl --path motion.txt --clearance 0.05\n"
        "      also where links are no further than 5 cm from each other or the cell\n\n"
        "Without an SRDF, links that are joined or cannot move against each other are not\n"
        "checked. Links that are fixed to each other and collide all the same, which an\n"
        "SRDF may ask for, are named once and ignored. Shapes of one link are one mesh; round ones are meshed to "
        "within 1 mm.\n"
        "Closed shapes are solid: a body inside one collides with it. Each part of a\n"
        "scene is an object of the world. Links that are too close have the kind\n"
        "clearance; JSON has the distance and the closest points in the root link's\n"
        "frame.\n"
        "Exit code: 0 clear, 1 collision in any configuration (with --clearance: or too\n"
        "close), 2 bad input or usage, or no pair to check. --require everything: 2 also\n"
        "when a shape is open, or a world's file states no unit or another up axis.");
    command->callback([arguments, &action] { action = [arguments] { return check_robot(*arguments); }; });
}

}  // namespace graze::apps
