// SPDX-License-Identifier: Apache-2.0
// Sample files for all commands, made by the generators in scenes/.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "checks/json.hpp"
#include "checks/xml_writer.hpp"
#include "commands.hpp"
#include "files/write.hpp"
#include "options.hpp"
#include "samples_city.hpp"
#include "scenes/arm.hpp"
#include "scenes/paths.hpp"
#include "scenes/plant.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"
#include "scenes/trig.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

namespace fs = std::filesystem;

struct SamplesArguments {
    std::string folder;
    std::optional<std::uint32_t> parts, triangles;  ///< with either, only one large plant is written
    std::uint64_t seed = 1;
    bool force = false;
    Output output;
};

/// A file by its path below the folder. Its content is made when it is written: all files of the large plant together
/// would not fit into memory.
struct Sample {
    std::string name;
    std::function<Result<void>(const std::string& path)> write;
};

Sample text_file(const std::string& name, std::string text) {
    return {name, [text = std::move(text)](const std::string& path) { return files::write_bytes(path, text); }};
}

files::Mesh to_mesh(scenes::Soup soup, const std::string& name) {
    files::Mesh mesh;
    mesh.points = std::move(soup.points);
    mesh.corners = std::move(soup.corners);
    mesh.name = name;
    return mesh;
}

Sample mesh_file(const std::string& file, const std::string& name, const std::function<scenes::Soup()>& make) {
    return {file,
            [=](const std::string& path) { return files::write_assembly(path, files::single(to_mesh(make(), name))); }};
}

/// The ring comes down over the teapot's spout and brushes its lip, gets stuck farther down, turns back and knocks
/// against the lip once more: three contacts.
std::vector<Pose> ring_path() {
    const auto key = [](double x, double z, double degrees) {
        const scenes::SinCos half = scenes::sin_cos(degrees / 720);
        return scenes::Keyframe{{x, 0, z}, {0, half.sin, 0, half.cos}};
    };
    const scenes::Keyframe keys[] = {key(3.6, 4.2, -40), key(3.15, 3.2, -20), key(3.1, 2.75, 0),  key(3.4, 2.46, 10),
                                     key(3.0, 2.3, 20),  key(2.72, 2.05, 35), key(2.45, 1.6, 35), key(2.3, 1.25, 30),
                                     key(2.45, 1.6, 35), key(2.72, 2.05, 35), key(2.95, 2.3, 15), key(2.9, 2.47, 0),
                                     key(3.1, 2.75, 0),  key(3.5, 3.3, -30),  key(4.2, 4.0, -60)};
    return scenes::interpolate(keys, 200);
}

/// The pose as seven numbers. Its rotation must be about y.
std::string pose_text(const Pose& pose) {
    const Vec3& t = pose.translation();
    const double half_cos = std::sqrt((1 + pose.rotation().row[0].x) / 2);
    return fmt::format("{:.6f} {:.6f} {:.6f} 0 {:.6f} 0 {:.6f}", t.x, t.y, t.z,
                       pose.rotation().row[0].z / (2 * half_cos), half_cos);
}

std::string path_text(const std::vector<Pose>& path) {
    std::string text = "# The ring in the teapot's frame, one line per frame: x y z qx qy qz qw\n";
    for (const Pose& pose : path) text += pose_text(pose) + "\n";
    return text;
}

files::Assembly to_assembly(const scenes::Plant& plant) {
    files::Assembly assembly;
    for (const scenes::Soup& shape : plant.shapes) assembly.meshes.push_back(to_mesh(shape, ""));
    for (const scenes::Plant::Part& part : plant.parts) {
        assembly.parts.push_back({part.name, part.name, part.shape, part.world_from_shape});
        std::string& name = assembly.meshes[part.shape].name;
        if (name.empty()) name = part.name;
    }
    return assembly;
}

void add_plant(std::vector<Sample>& samples) {
    const auto plant = std::make_shared<const scenes::Plant>(scenes::plant());
    for (const scenes::Plant::Part& part : plant->parts)
        samples.push_back(mesh_file("plant/" + part.name + ".stl", part.name, [plant, &part] {
            return scenes::transformed(plant->shapes[part.shape], part.world_from_shape);
        }));
    samples.push_back(
        {"plant.glb", [plant](const std::string& path) { return files::write_assembly(path, to_assembly(*plant)); }});
    std::string rules = "# Parts of the plant that may meet, and why: two patterns and a reason per line.\n";
    for (const scenes::Plant::Allowed& rule : plant->allowed)
        rules += fmt::format("{:<14} {:<14} {}\n", rule.a, rule.b, rule.reason);
    samples.push_back(text_file("rules.txt", std::move(rules)));
}

std::string xyz(const Vec3& v) { return fmt::format("{} {} {}", v.x, v.y, v.z); }

void add_joint(checks::XmlWriter& xml, const scenes::Arm::Joint& joint) {
    xml.open("joint").attribute("name", joint.name).attribute("type", joint.kind);
    xml.open("parent").attribute("link", joint.parent).close();
    xml.open("child").attribute("link", joint.child).close();
    xml.open("origin").attribute("xyz", xyz(joint.origin)).close();
    if (joint.kind != "fixed") {
        xml.open("axis").attribute("xyz", xyz(joint.axis)).close();
        xml.open("limit").attribute("lower", joint.lower).attribute("upper", joint.upper);
        xml.attribute("effort", 50).attribute("velocity", 2).close();
    }
    if (!joint.follows.empty()) xml.open("mimic").attribute("joint", joint.follows).close();
    xml.close();
}

std::string urdf(const scenes::Arm& arm) {
    checks::XmlWriter xml;
    xml.open("robot").attribute("name", "arm");
    for (const scenes::Arm::Link& link : arm.links) {
        xml.open("link").attribute("name", link.name);
        for (const char* use : {"visual", "collision"})
            xml.open(use)
                .open("geometry")
                .open("mesh")
                .attribute("filename", fmt::format("meshes/{}.stl", link.name))
                .close()
                .close()
                .close();
        xml.close();
    }
    for (const scenes::Arm::Joint& joint : arm.joints) add_joint(xml, joint);
    return xml.close().take();
}

std::string srdf(const scenes::Arm& arm) {
    checks::XmlWriter xml;
    xml.open("robot").attribute("name", "arm");
    xml.open("group").attribute("name", "arm").open("chain").attribute("base_link", arm.links.front().name);
    xml.attribute("tip_link", "hand").close().close();
    xml.open("group_state").attribute("name", "home").attribute("group", "arm");
    std::size_t value = 0;
    for (const scenes::Arm::Joint& joint : arm.joints)
        if (joint.kind != "fixed" && joint.follows.empty())
            xml.open("joint").attribute("name", joint.name).attribute("value", scenes::arm_home[value++]).close();
    xml.close();
    for (const scenes::Arm::Disabled& pair : arm.disabled)
        xml.open("disable_collisions")
            .attribute("link1", pair.a)
            .attribute("link2", pair.b)
            .attribute("reason", pair.reason)
            .close();
    return xml.close().take();
}

std::string joints_text(const scenes::ArmValues& values) {
    std::string line;
    for (const double v : values) line += fmt::format("{}{:.4f}", line.empty() ? "" : " ", v);
    return line;
}

void add_arm(std::vector<Sample>& samples) {
    const auto arm = std::make_shared<const scenes::Arm>(scenes::arm());
    samples.push_back(text_file("arm/arm.urdf", urdf(*arm)));
    samples.push_back(text_file("arm/arm.srdf", srdf(*arm)));
    for (const scenes::Arm::Link& link : arm->links)
        samples.push_back(
            mesh_file("arm/meshes/" + link.name + ".stl", link.name, [arm, &link] { return link.shape; }));
    std::string text = "# Values of the arm's joints, radians and metres, one line per frame:\n#";
    for (const scenes::Arm::Joint& joint : arm->joints)
        if (joint.kind != "fixed" && joint.follows.empty()) text += " " + joint.name;
    text += "\n";
    for (const scenes::ArmValues& values : scenes::arm_path()) text += joints_text(values) + "\n";
    samples.push_back(text_file("joints.txt", std::move(text)));
}

std::vector<Sample> all_samples() {
    std::vector<Sample> samples;
    samples.push_back(mesh_file("teapot.obj", "teapot", [] { return scenes::teapot(); }));
    samples.push_back(mesh_file("ring.stl", "ring", [] { return scenes::torus(0.55, 0.1, 60, 24); }));
    samples.push_back(text_file("path.txt", path_text(ring_path())));
    add_plant(samples);
    add_arm(samples);
    return samples;
}

std::vector<Sample> large_samples(const SamplesArguments& arguments) {
    const auto plant = std::make_shared<const scenes::LargePlant>(arguments.parts.value_or(1'000),
                                                                  arguments.triangles.value_or(10'000), arguments.seed);
    std::vector<Sample> samples;
    for (std::uint32_t i = 0; i < plant->size(); ++i)
        samples.push_back(
            mesh_file("plant/" + plant->name(i) + ".stl", plant->name(i), [=] { return plant->part(i); }));
    return samples;
}

/// Commands to try on the files, from inside their folder.
std::vector<std::string> to_try(bool large) {
#ifdef GRAZE_REPORT
    constexpr bool page = true;
#else
    constexpr bool page = false;
#endif
    const auto with_page = [&](std::string command, const char* file) {
        return page ? fmt::format("{} --html {}", command, file) : command;
    };
    if (large) return {with_page("graze clash plant", "plant.html")};
    return {
        "graze info teapot.obj ring.stl",
        fmt::format("graze collide teapot.obj ring.stl --pose \"{}\"", pose_text(ring_path()[100])),
        with_page("graze path teapot.obj ring.stl path.txt", "path.html"),
        with_page("graze clash plant --rules rules.txt", "plant.html"),
        "graze clash plant.glb --rules rules.txt",
        "graze robot arm/arm.urdf --srdf arm/arm.srdf --state home",
        with_page("graze robot arm/arm.urdf --srdf arm/arm.srdf --path joints.txt", "arm.html"),
    };
}

void print_done(const SamplesArguments& arguments, const std::vector<Sample>& samples, std::uintmax_t bytes) {
    const std::vector<std::string> commands = to_try(arguments.parts || arguments.triangles);
    if (arguments.output.json) {
        checks::Json json{{"folder", checks::json_text(arguments.folder)}, {"bytes", bytes}};
        checks::Json& names = json["files"] = checks::Json::array();
        for (const Sample& sample : samples) names.push_back(sample.name);
        json["try"] = commands;
        print(json.dump() + "\n", arguments.output);
    } else if (arguments.output.text()) {
        print(fmt::format("Wrote {} files, {:.1f} MB. To try next:\n\ncd {}\n", grouped(samples.size()),
                          static_cast<double>(bytes) * 1e-6, arguments.folder));
        for (const std::string& command : commands) print(command + "\n");
    }
}

int samples(const SamplesArguments& arguments) {
    const bool large = arguments.parts || arguments.triangles;
    const std::vector<Sample> all = large ? large_samples(arguments) : all_samples();
    const fs::path folder(arguments.folder);
    std::error_code error;
    std::set<fs::path> folders;
    for (const Sample& sample : all) {
        if (!arguments.force && fs::exists(folder / sample.name, error))
            return complain((folder / sample.name).string() + ": the file exists; --force replaces it");
        folders.insert((folder / sample.name).parent_path());
    }
    for (const fs::path& one : folders) {
        fs::create_directories(one, error);
        if (error) return complain(one.string() + ": " + error.message());
    }
    ProgressBar bar(all.size(), arguments.output.progress());
    std::uintmax_t bytes = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        bar.show(i);
        const fs::path path = folder / all[i].name;
        if (const Result<void> written = all[i].write(path.string()); !written)
            return complain(written.fault().message);
        bytes += fs::file_size(path, error);
    }
    print_done(arguments, all, bytes);
    return Clear;
}

constexpr const char* samples_footer = R"(Examples:
  graze samples here
      a teapot and a ring with its path, a plant with mistakes in it, a robot
      arm, and commands to try
  graze samples large --parts 1000 --triangles 10000
      only a plant with 1,000 parts of 10,000 triangles each (500 MB)

Exit code: 0 all written, 2 bad input or usage.)";

}  // namespace

void add_samples(CLI::App& app, Action& action) {
    CLI::App* command = app.add_subcommand("samples", "Write sample files for all commands");
    command->footer(samples_footer);
    const auto arguments = std::make_shared<SamplesArguments>();
    command->add_option("FOLDER", arguments->folder, "Folder to write to; created if it does not exist")
        ->type_name("FOLDER");
    command->add_option("--parts", arguments->parts, "Write only a plant with this many different parts")
        ->type_name("N")
        ->check(CLI::Range(1u, 1'000'000u));
    command
        ->add_option("--triangles", arguments->triangles, "Write only a plant with about this many triangles per part")
        ->type_name("N")
        ->check(CLI::Range(100u, 10'000'000u));
    command->add_option("--seed", arguments->seed, "Random seed of that plant")->capture_default_str()->type_name("N");
    command->add_flag("--force", arguments->force, "Replace existing files");
    add_output(*command, arguments->output, {});
    add_samples_city(*command, action);
    command->callback([command, arguments, &action] {
        if (!command->get_subcommands().empty()) return;
        if (arguments->folder.empty()) throw CLI::RequiredError("FOLDER");
        action = [arguments] { return samples(*arguments); };
    });
}

}  // namespace graze::apps
