// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "checks/bounds.hpp"
#include "commands.hpp"
#include "files/write.hpp"
#include "graze/graze.hpp"
#include "options.hpp"
#include "scenes/pipes.hpp"
#include "scenes/placements.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

struct DemoArguments {
    unsigned frames = 200;
    std::uint64_t seed = 1;
    unsigned threads = 0;
    std::string folder;  ///< to write models and path to; empty for none
};

constexpr double shrink = 15;

struct Models {
    Model environment, object;
    double build_ms = 0;
};

Result<Models> build(const scenes::Soup& large, const scenes::Soup& small, const BuildSettings& settings) {
    const Timer timer;
    const Result<Model> environment = Model::build(large, settings);
    if (!environment) return environment.fault();
    const Result<Model> object = Model::build(small, settings);
    if (!object) return object.fault();
    return Models{*environment, *object, timer.ms()};
}

/// The small cube's motion. It drifts and turns. After a step that hits a pipe it goes back and takes another
/// direction, so it grazes the pipes and never runs deep into them.
class Tumble {
public:
    explicit Tumble(std::uint64_t seed) : random_(seed) {
        place_anywhere();
        set_off();
    }

    Pose pose() const {
        // Within range and of unit length, so that there is always one.
        return Pose::from_quaternion(now_.rotation, now_.position).value();
    }

    void place_anywhere() { now_ = {random_.in_cube(-reach, reach), scenes::random_quaternion(random_)}; }

    void step() {
        before_ = now_;
        if (const double far = length(now_.position); far > reach) drift_ = now_.position * (-speed / far);
        now_.position = now_.position + drift_;
        // q + ½ω·q, normalised.
        const auto [x, y, z, w] = now_.rotation;
        const Vec3 axis{x, y, z}, turned = axis + (cross(spin_, axis) + spin_ * w) * 0.5;
        const double real = w - dot(spin_, axis) * 0.5, n = std::hypot(length(turned), real);
        now_.rotation = {turned.x / n, turned.y / n, turned.z / n, real / n};
    }

    void bounce() {
        now_ = before_;
        set_off();
    }

private:
    // The step decides how deep a hit is, and so how many contacts there are: 7 to 24 per step with this one, 2 to 5
    // with half of it (five seeds, 4,008 frames). The paper has 6.
    static constexpr double reach = 0.4;    // from the middle of a cube of size 1
    static constexpr double speed = 0.004;  // per step: 6 % of the small cube's size
    static constexpr double turn = 0.06;    // per step, in radians

    struct State {
        Vec3 position;
        scenes::Quaternion rotation;
    };

    void set_off() {
        drift_ = scenes::random_direction(random_) * speed;
        spin_ = scenes::random_direction(random_) * turn;
    }

    scenes::Random random_;
    State now_, before_;
    Vec3 drift_, spin_;
};

struct Totals {
    QueryStats stats;
    std::uint64_t contacts = 0;
    double ms = 0;
    std::vector<Pose> path;      ///< one pose per frame
    std::vector<Pose> to_check;  ///< the first pose, the last, and that with the most contacts
};

Totals tumble(const Models& models, const DemoArguments& arguments) {
    Tumble motion(arguments.seed);
    for (int tries = 0; tries < 1000 && intersects(models.environment, models.object, motion.pose()); ++tries)
        motion.place_anywhere();

    Totals totals;
    totals.to_check.assign(3, motion.pose());
    Scratch scratch;
    std::vector<Contact> contacts;
    std::size_t most = 0;
    ProgressBar bar(arguments.frames);
    for (unsigned i = 0; i < arguments.frames; ++i) {
        bar.show(i);
        motion.step();
        const Pose pose = motion.pose();
        const Timer timer;
        collide(models.environment, models.object, pose, contacts, {.stats = &totals.stats, .scratch = &scratch});
        totals.ms += timer.ms();
        totals.contacts += contacts.size();
        totals.path.push_back(pose);
        if (i == 0) totals.to_check[0] = pose;
        totals.to_check[1] = pose;
        if (contacts.size() > most) {
            most = contacts.size();
            totals.to_check[2] = pose;
        }
        if (!contacts.empty()) motion.bounce();
    }
    return totals;
}

/// The pairs that meet, found without a tree: the exact predicate is applied to all pairs of triangles whose boxes
/// overlap. The boxes are compared without rounding.
std::vector<TrianglePair> without_trees(const Model& a, const Model& b, const Pose& a_from_b) {
    std::vector<Triangle> placed;
    std::vector<Box> boxes_a, boxes_b;
    for (std::uint32_t i = 0; i < a.triangle_count(); ++i) boxes_a.push_back(checks::Bounds(a.triangle(i)).box());
    for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
        const Triangle t = b.triangle(j);
        placed.push_back({a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)});
        boxes_b.push_back(checks::Bounds(placed.back()).box());
    }
    std::vector<TrianglePair> pairs;
    for (const BoxPair& pair : overlapping_pairs(boxes_a, boxes_b))
        if (meet(a.triangle(pair.a), placed[pair.b])) pairs.push_back({pair.a, pair.b});
    return pairs;
}

Result<void> check(const Models& models, const std::vector<Pose>& poses) {
    for (const Model* model : {&models.environment, &models.object})
        if (const Result<void> valid = model->validate(); !valid) return valid;
    for (const Pose& pose : poses) {
        std::vector<TrianglePair> pairs;
        for (const Contact& c : collide(models.environment, models.object, pose)) pairs.push_back(c.triangles);
        std::sort(pairs.begin(), pairs.end());
        const std::vector<TrianglePair> expected = without_trees(models.environment, models.object, pose);
        if (pairs != expected)
            return Fault{FaultKind::Damaged,
                         fmt::format("{} contacts, and {} without trees", pairs.size(), expected.size())};
    }
    return {};
}

void print_row(const char* label, const std::string& ours, const std::string& paper) {
    fmt::print("{:<28}{:>16}{:>20}\n", label, ours, paper);
}

Result<void> write_mesh(const std::string& file, const scenes::Soup& soup, const char* name) {
    files::Mesh mesh;
    mesh.points = soup.points;
    mesh.corners = soup.corners;
    mesh.name = name;
    return files::write_assembly(file, files::single(std::move(mesh)));
}

/// Writes what `graze path` needs to follow the same motion.
Result<void> write_files(const std::string& folder, const scenes::Soup& large, const scenes::Soup& small,
                         const std::vector<Pose>& path) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return Fault{FaultKind::File, folder + ": " + error.message()};
    if (const Result<void> done = write_mesh(folder + "/pipes.ply", large, "pipes"); !done) return done;
    if (const Result<void> done = write_mesh(folder + "/small.ply", small, "small"); !done) return done;
    std::string text = "# The small cube in the frame of the large one, one 3x4 matrix by rows per frame\n";
    for (const Pose& pose : path) text += fmt::format("{}\n", fmt::join(pose.rows(), " "));
    return files::write_bytes(folder + "/tumble.txt", text);
}

int demo(const DemoArguments& arguments) {
    const scenes::Soup large = scenes::pipes();
    const scenes::Soup small = scenes::scale(large, 1 / shrink);

    fmt::print("A cube of interweaving pipes, {} triangles, and inside it the same {:.0f} times smaller, tumbling.\n",
               grouped(large.triangle_count()), shrink);
    const Result<Models> models = build(large, small, {.threads = arguments.threads});
    if (!models) return complain(models.fault().message);
    fmt::print(
        "Built both models in {}, {:.0f} bytes per triangle. All contacts of {} frames:\n", duration(models->build_ms),
        static_cast<double>(models->environment.bytes()) / models->environment.triangle_count(), arguments.frames);
    std::fflush(stdout);

    const Totals totals = tumble(*models, arguments);
    const double steps = arguments.frames;
    fmt::print("\n");
    print_row("", "here, one thread", "OBBTree paper*");
    print_row("environment, triangles", grouped(models->environment.triangle_count()), "143,690");
    print_row("object, triangles", grouped(models->object.triangle_count()), "143,690");
    print_row("steps, a query each", grouped(arguments.frames), "4,008");
    const auto per_query = [&](std::uint64_t n) { return fmt::format("{:.1f}", static_cast<double>(n) / steps); };
    print_row("contacts per query", per_query(totals.contacts), "6.0");
    print_row("box tests per query", per_query(totals.stats.box_tests), "425.2");
    print_row("triangle tests per query", per_query(totals.stats.triangle_tests), "17.9");
    print_row("time per query", duration(totals.ms / steps), "4.2 ms");
    fmt::print(
        "\n* Gottschalk, Lin, Manocha 1996, table 3, on an SGI with a 90 MHz R8000. Its pipes and its path are\n"
        "  not available: here the small cube turns back where it hits a pipe. How often it does depends on\n"
        "  --frames and --seed; these {} frames have {} contacts per query than the paper's path. A path\n"
        "  straight through the pipes has hundreds and takes far longer.\n",
        grouped(arguments.frames), static_cast<double>(totals.contacts) < 6.0 * steps ? "fewer" : "no fewer");
    std::fflush(stdout);

    const Result<void> checked = check(*models, totals.to_check);
    if (!checked) return complain("the check failed: " + checked.fault().message);
    fmt::print(
        "Checked: the trees are sound, and three frames (first, last, most contacts) give the same contacts\n"
        "without them.\n");
    if (!arguments.folder.empty()) {
        if (const Result<void> done = write_files(arguments.folder, large, small, totals.path); !done)
            return complain(done.fault().message);
        return Clear;
    }
    fmt::print(
        "\n"
        "To try next:\n"
        "  graze samples here\n"
        "  graze collide here/teapot.obj here/ring.stl\n"
        "  graze clash here/plant --rules here/rules.txt\n");
    return Clear;
}

}  // namespace

void add_demo(CLI::App& app, Action& action) {
    CLI::App* command =
        app.add_subcommand("demo", "Tumble a small bundle of pipes inside a large one and count the contacts");
    const auto arguments = std::make_shared<DemoArguments>();
    command->add_option("--frames", arguments->frames, "Steps of the tumble")
        ->capture_default_str()
        ->type_name("N")
        ->check(CLI::Range(1u, 1000000u));
    command->add_option("--seed", arguments->seed, "Seed of the path")->capture_default_str()->type_name("N");
    command->add_option("--write", arguments->folder, "Write the two models and the path, for `graze path`")
        ->type_name("FOLDER");
    add_threads(*command, arguments->threads);
    command->footer(
        "Examples:\n"
        "  graze demo\n"
        "      a few seconds, and the OBBTree paper's figures beside its own\n"
        "  graze demo --frames 4008 --seed 2\n"
        "      as many steps as the paper has, on another path\n"
        "  graze demo --write here; cd here\n"
        "  graze path pipes.ply small.ply tumble.txt --html pipes.html\n"
        "      the same motion as a page with a timeline\n"
        "\n"
        "Exit code: 0, or 2 for bad usage or when the check without trees fails.");
    command->callback([arguments, &action] { action = [arguments] { return demo(*arguments); }; });
}

}  // namespace graze::apps
