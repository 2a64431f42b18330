// SPDX-License-Identifier: Apache-2.0
// Checks on several threads give the answer of one thread, and are clean under TSan.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "checks/clash.hpp"
#include "checks/motion.hpp"
#include "checks/robot.hpp"
#include "files/write.hpp"
#include "scenes/placements.hpp"
#include "scenes/shapes.hpp"
#include "temporary_folder.hpp"

namespace graze::checks {
namespace {

constexpr unsigned thread_count = 4;

/// Files that hold few different meshes, so that threads find models that other threads have built.
class ManyFiles : public test::InTemporaryFolder {
protected:
    void SetUp() override {
        for (int i = 0; i < 40; ++i) {
            scenes::Soup soup = i % 4 == 0 ? scenes::box() : scenes::sphere(80 + 40 * (i % 4));
            if (i % 2 == 0)
                for (Vec3& p : soup.points) p = p + Vec3{0.3 * (i / 4), 0.1 * i, 0};
            files::Mesh mesh;
            mesh.points = soup.points;
            mesh.corners = soup.corners;
            ASSERT_TRUE(files::write_assembly((folder_ / (std::to_string(10 + i) + ".stl")).string(),
                                              files::single(std::move(mesh))));
        }
    }
};

TEST(MotionThreads, FramesAreAnsweredAsByOneThread) {
    const Model ball = *Model::build(scenes::sphere(320)), ring = *Model::build(scenes::torus(1, 0.4, 12, 10));
    std::vector<Pose> poses;
    for (int i = 0; i < 500; ++i) poses.push_back(*Pose::from_translation({0.01 * i, 0.1, 0}));
    const Motion one = follow(ball, ring, poses, {.clearance = 0.1, .threads = 1});
    const Motion many = follow(ball, ring, poses, {.clearance = 0.1, .threads = thread_count});
    EXPECT_EQ(one.contacts, many.contacts);
    EXPECT_EQ(one.meets, many.meets);
    EXPECT_EQ(one.close.size(), many.close.size());
    EXPECT_GT(one.close.size(), 0u);
}

TEST_F(ManyFiles, AreReadAndCheckedAsByOneThread) {
    const std::vector<std::string> paths{folder_.string()};
    const Result<Parts> one = read_parts(paths, {}, 1);
    std::size_t told = 0;
    const Result<Parts> many =
        read_parts(paths, {}, thread_count, [&](std::size_t done, std::size_t) { told = std::max(told, done); });
    ASSERT_TRUE(one && many);
    EXPECT_EQ(told, 40u);
    ASSERT_EQ(one->parts.size(), many->parts.size());
    EXPECT_EQ(one->models.size(), many->models.size());
    for (std::size_t i = 0; i < one->parts.size(); ++i) {
        EXPECT_EQ(one->parts[i].path, many->parts[i].path);
        EXPECT_EQ(one->parts[i].model, many->parts[i].model);
    }

    const Result<Clashes> slowly = find_clashes(*one, {.threads = 1});
    told = 0;
    const Result<Clashes> found = find_clashes(*many, {.threads = thread_count},
                                               [&](std::size_t done, std::size_t) { told = std::max(told, done); });
    ASSERT_TRUE(slowly && found);
    EXPECT_GT(found->clashes.size(), 100u);
    EXPECT_GE(told, found->clashes.size());
    ASSERT_EQ(slowly->clashes.size(), found->clashes.size());
    for (std::size_t i = 0; i < found->clashes.size(); ++i) {
        const Clash &x = slowly->clashes[i], &y = found->clashes[i];
        EXPECT_EQ(std::tuple(x.a, x.b, x.kind, x.contacts), std::tuple(y.a, y.b, y.kind, y.contacts));
        EXPECT_EQ(x.pairs, y.pairs);
    }
}

TEST_F(ManyFiles, AreLeftWhenStopped) {
    const std::vector<std::string> paths{folder_.string()};
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> calls{0};
    const auto stop_at_once = [&](std::size_t, std::size_t) {
        stop = true;
        ++calls;
    };
    files::ReadOptions options;
    options.stop = &stop;
    const Result<Parts> parts = read_parts(paths, options, thread_count, stop_at_once);
    ASSERT_FALSE(parts);
    EXPECT_EQ(parts.fault().message, "reading was stopped");
    EXPECT_LE(calls.exchange(0), thread_count);

    stop = false;
    const Result<Clashes> found =
        find_clashes(*read_parts(paths, {}), {.threads = thread_count, .stop = &stop}, stop_at_once);
    ASSERT_TRUE(found);
    EXPECT_GT(found->unchecked, 0u);
    EXPECT_LE(calls, thread_count);
}

/// Two bars on a post. The second one turns against the first.
files::Robot turnstile() {
    files::Robot robot;
    robot.name = "turnstile";
    for (const Vec3& size : {Vec3{0.1, 0.1, 1}, Vec3{1, 0.1, 0.1}, Vec3{1, 0.1, 0.1}}) {
        const auto mesh = static_cast<std::uint32_t>(robot.meshes.size());
        files::Mesh box;
        const scenes::Soup soup = scenes::box(size);
        box.points = soup.points;
        box.corners = soup.corners;
        robot.meshes.push_back(std::move(box));
        robot.links.push_back({"link-" + std::to_string(mesh), {{mesh, {}}}});
    }
    for (const std::uint32_t child : {1u, 2u}) {
        robot.joints.push_back({.name = "joint-" + std::to_string(child),
                                .type = JointType::Revolute,
                                .parent = 0,
                                .child = child,
                                .parent_from_joint = *Pose::from_matrix({}, {child == 1 ? 0.0 : 0.8, 0, 0}),
                                .axis = {0, 0, 1},
                                .value = child - 1});
        robot.active.push_back(child - 1);
    }
    return robot;
}

TEST(RobotThreads, ConfigurationsAreAnsweredAsByOneThread) {
    constexpr std::size_t configurations = 4'000;
    const Result<RobotCheck> check = RobotCheck::make(turnstile(), nullptr, {}, thread_count);
    ASSERT_TRUE(check);
    const std::vector<double> values = random_values(check->robot(), configurations, 1);
    for (const RobotAsk ask : {RobotAsk::Free, RobotAsk::Contacts}) {
        std::size_t calls = 0;
        const Result<RobotAnswers> one = check_all(*check, configurations, values, ask, 1);
        const Result<RobotAnswers> many =
            check_all(*check, configurations, values, ask, thread_count, [&](std::size_t) { ++calls; });
        ASSERT_TRUE(one && many);
        EXPECT_GT(calls, 0u);
        EXPECT_EQ(one->first, many->first);
        EXPECT_GT(many->hits.size(), configurations / 10);
        EXPECT_LT(many->hits.size(), configurations);
        EXPECT_EQ(one->hits, many->hits);
    }
    const std::atomic<bool> stop{true};
    const Result<RobotAnswers> stopped = check_all(*check, configurations, values, RobotAsk::Free, 1, {}, &stop);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.fault().message, "the check was stopped");
}

TEST(RobotThreads, AFaultNamesTheFirstInvalidConfiguration) {
    constexpr std::size_t configurations = 4'000, first = 511;
    const Result<RobotCheck> check = RobotCheck::make(turnstile(), nullptr, {}, thread_count);
    ASSERT_TRUE(check);
    std::vector<double> values = random_values(check->robot(), configurations, 1);
    // Threads take 512 at a time. All but the first thread meet an invalid one at once.
    for (std::size_t i = first; i < configurations; ++i)
        if (i == first || i % 512 == 0) values[2 * i] = std::numeric_limits<double>::quiet_NaN();
    for (int round = 0; round < 20; ++round) {
        const Result<RobotAnswers> answers =
            check_all(*check, configurations, values, RobotAsk::Contacts, thread_count);
        ASSERT_FALSE(answers);
        EXPECT_EQ(answers.fault().message, "configuration 511: joint joint-1: its value is not finite");
    }
}

}  // namespace
}  // namespace graze::checks
