// SPDX-License-Identifier: Apache-2.0
// `graze samples`: the files read back and hold what they promise.
#include <set>

#include "checks/rules.hpp"
#include "cli.hpp"
#include "files/pose_file.hpp"
#include "files/robot.hpp"
#include "scenes/arm.hpp"
#include "scenes/plant.hpp"
#include "scenes/random.hpp"

namespace graze {
namespace {

class CliSamples : public Cli {
protected:
    void SetUp() override {
        Cli::SetUp();
        const Outcome o = run("samples '" + at("") + "' --json");
        ASSERT_EQ(o.code, 0) << o.err;
        EXPECT_EQ(o.err, "");
        answer_ = Json::parse(o.out);
    }
    std::string at(const std::string& name) const { return (folder_ / "s" / name).string(); }
    Model model(const std::string& name) const {
        const Result<files::Mesh> mesh = files::read_mesh(at(name));
        EXPECT_TRUE(mesh.ok()) << name;
        return mesh.ok() ? *Model::build(mesh->view()) : Model();
    }

    Json answer_;
};

/// The corners of all triangles, in an order of their own.
std::multiset<std::array<double, 9>> corners(const files::Mesh& mesh, const Affine& place) {
    std::multiset<std::array<double, 9>> out;
    for (std::size_t i = 0; i < mesh.corners.size(); i += 3) {
        std::array<double, 9> all;
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 p = place(mesh.points[mesh.corners[i + k]]);
            all[3 * k] = p.x + 0.0, all[3 * k + 1] = p.y + 0.0, all[3 * k + 2] = p.z + 0.0;
        }
        out.insert(all);
    }
    return out;
}

TEST_F(CliSamples, WritesWhatItNames) {
    std::set<std::string> named, there;
    for (const Json& name : answer_["files"]) named.insert(name);
    for (const auto& entry : fs::recursive_directory_iterator(at("")))
        if (entry.is_regular_file()) there.insert(fs::relative(entry.path(), at("")).generic_string());
    EXPECT_EQ(named, there);
    for (const char* name : {"teapot.obj", "ring.stl", "path.txt", "plant.glb", "rules.txt", "plant/bolt-1.stl",
                             "arm/arm.urdf", "arm/arm.srdf", "arm/meshes/base.stl", "joints.txt"})
        EXPECT_TRUE(named.contains(name)) << name;
}

TEST_F(CliSamples, ReplacesNothingUnasked) {
    write("s/teapot.obj", "mine");
    expect_complaint("samples '" + at("") + "'", at("") + "teapot.obj: the file exists; --force replaces it");
    EXPECT_EQ(read_all(at("teapot.obj")), "mine");
    EXPECT_EQ(run("samples '" + at("") + "' --force -q").out, "");
    EXPECT_EQ(model("teapot.obj").triangle_count(), 6320u);
    write("file", "");
    expect_complaint("samples '" + (folder_ / "file").string() + "'", (folder_ / "file").string());
}

TEST_F(CliSamples, RingTouchesTheTeapotThreeTimes) {
    const Model teapot = model("teapot.obj"), ring = model("ring.stl");
    const Result<std::vector<Pose>> poses = files::parse_poses(read_all(at("path.txt")), "path.txt");
    ASSERT_TRUE(poses);
    ASSERT_EQ(poses->size(), 200u);
    EXPECT_FALSE(intersects(teapot, ring, poses->front()));
    EXPECT_FALSE(intersects(teapot, ring, poses->back()));
    int begins = 0;
    for (std::size_t i = 1; i < poses->size(); ++i)
        begins += intersects(teapot, ring, (*poses)[i]) && !intersects(teapot, ring, (*poses)[i - 1]);
    EXPECT_EQ(begins, 3);
}

TEST_F(CliSamples, PlantIsTheGeneratorsInBothForms) {
    const scenes::Plant plant = scenes::plant();
    std::map<std::string, std::multiset<std::array<double, 9>>> expected;
    for (const scenes::Plant::Part& part : plant.parts) {
        files::Mesh mesh;
        mesh.points = plant.shapes[part.shape].points;
        mesh.corners = plant.shapes[part.shape].corners;
        expected[part.name] = corners(mesh, part.world_from_shape);
        const Result<files::Mesh> read = files::read_mesh(at("plant/" + part.name + ".stl"));
        ASSERT_TRUE(read) << part.name;
        EXPECT_EQ(corners(*read, Affine()), expected[part.name]) << part.name;
    }
    const auto stl_files = std::distance(fs::directory_iterator(at("plant")), fs::directory_iterator());
    EXPECT_EQ(static_cast<std::size_t>(stl_files), plant.parts.size());
    if (files::has_assimp()) {
        const Result<files::Assembly> scene = files::read_assembly(at("plant.glb"));
        ASSERT_TRUE(scene) << scene.fault().message;
        EXPECT_EQ(scene->parts.size(), plant.parts.size());
        EXPECT_LT(scene->meshes.size(), plant.parts.size());
        for (const files::Part& part : scene->parts)
            EXPECT_EQ(corners(scene->meshes[part.mesh], part.world_from_mesh), expected[part.name]) << part.name;
    }
    const auto rules = checks::parse_rules(read_all(at("rules.txt")), "rules.txt");
    ASSERT_TRUE(rules) << rules.fault().message;
    ASSERT_EQ(rules->rules.size(), plant.allowed.size());
    for (std::size_t i = 0; i < rules->rules.size(); ++i) {
        EXPECT_EQ(rules->rules[i].a.text, plant.allowed[i].a);
        EXPECT_EQ(rules->rules[i].b.text, plant.allowed[i].b);
        EXPECT_EQ(rules->rules[i].reason, plant.allowed[i].reason);
    }
}

TEST_F(CliSamples, ArmHitsItselfInTheMiddleOfItsPath) {
    const Result<files::Robot> robot = files::read_robot(at("arm/arm.urdf"));
    ASSERT_TRUE(robot) << robot.fault().message;
    EXPECT_TRUE(robot->notes.empty());
    ASSERT_EQ(robot->active.size(), 7u);
    EXPECT_TRUE(robot->mimics(*robot->find_joint("grip_right")));
    const Result<files::RobotSemantics> semantics = files::read_semantics(at("arm/arm.srdf"), *robot);
    ASSERT_TRUE(semantics) << semantics.fault().message;
    EXPECT_EQ(semantics->disabled.size(), scenes::arm().disabled.size());
    EXPECT_EQ(semantics->states.size(), 1u);
    std::set<std::pair<std::uint32_t, std::uint32_t>> disabled;
    for (const auto& pair : semantics->disabled) disabled.insert({pair.a, pair.b});

    std::vector<Model> models;
    for (const files::Link& link : robot->links) {
        ASSERT_EQ(link.shapes.size(), 1u);
        models.push_back(*Model::build(robot->meshes[link.shapes[0].mesh].view()));
    }
    using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;
    const auto meeting = [&](const std::vector<double>& values) {
        const Result<files::RobotPose> pose = files::place(*robot, values);
        EXPECT_TRUE(pose && pose->beyond.empty());
        Pairs pairs;
        for (std::uint32_t i = 0; i < models.size(); ++i)
            for (std::uint32_t j = i + 1; j < models.size(); ++j)
                if (intersects(models[i], models[j], relative(pose->world_from_link[i], pose->world_from_link[j])))
                    pairs.insert({i, j});
        return pairs;
    };
    std::vector<bool> hits;
    std::istringstream lines(read_all(at("joints.txt")));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream in(line);
        std::vector<double> values;
        for (double v = 0; in >> v;) values.push_back(v);
        const Pairs pairs = meeting(values);
        hits.push_back(std::ranges::any_of(pairs, [&](const auto& pair) { return !disabled.contains(pair); }));
    }
    ASSERT_EQ(hits.size(), 100u);
    EXPECT_FALSE(hits.front());
    EXPECT_FALSE(hits.back());
    EXPECT_TRUE(hits[50]);
    EXPECT_NEAR(static_cast<double>(std::ranges::count(hits, true)), 25, 15);

    // Pairs that are said never to meet never do.
    scenes::Random random(1);
    for (int i = 0; i < 300; ++i) {
        std::vector<double> values;
        for (const std::uint32_t j : robot->active)
            values.push_back(random.between(robot->joints[j].lower, robot->joints[j].upper));
        const Pairs pairs = meeting(values);
        for (const auto& pair : semantics->disabled)
            EXPECT_FALSE(pair.reason == "Never" && pairs.contains({pair.a, pair.b})) << robot->links[pair.a].name;
    }
}

TEST_F(CliSamples, CommandsToTryWork) {
    ASSERT_GE(answer_["try"].size(), 6u);
    const std::string path = fs::path(GRAZE_COMMAND).parent_path().string();
    for (const Json& command : answer_["try"]) {
        const std::string text = command;
        if (!files::has_assimp() && text.find(".glb") != text.npos) continue;
        const std::string line = "cd '" + at("") + "' && PATH='" + path + "':$PATH && " + text + " >out 2>err";
        const int status = std::system(line.c_str());
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        EXPECT_TRUE(code == 0 || code == 1) << text << ": " << code << " " << read_all(at("err"));
        EXPECT_NE(read_all(at("out")), "") << text;
    }
}

TEST_F(CliSamples, LargePlantHasWhatWasAskedFor) {
    const std::string folder = (folder_ / "large").string();
    const Outcome o = run("samples '" + folder + "' --parts 12 --triangles 400");
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(o.out.starts_with("Wrote 12 files")) << o.out;
    std::set<std::string> contents;
    for (const auto& entry : fs::directory_iterator(folder + "/plant")) {
        const Result<files::Mesh> mesh = files::read_mesh(entry.path().string());
        ASSERT_TRUE(mesh) << entry.path();
        EXPECT_NEAR(static_cast<double>(mesh->polygon_count()), 400, 120) << entry.path();
        contents.insert(read_all(entry.path()));
    }
    EXPECT_EQ(contents.size(), 12u);
    EXPECT_FALSE(fs::exists(folder + "/teapot.obj"));
    expect_complaint("samples x --parts 0", "");
}

}  // namespace
}  // namespace graze
