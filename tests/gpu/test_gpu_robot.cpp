// SPDX-License-Identifier: Apache-2.0
// Robots on a GPU against the CPU, configuration by configuration.
#include <gtest/gtest.h>

#include <algorithm>

#include "case_count.hpp"
#include "checks/robot_gpu.hpp"
#include "graze/gpu.hpp"
#include "scenes/shapes.hpp"

namespace graze::checks {
namespace {

/// A turning column, an arm about a slanted axis, a slide that follows the column, and a claw of two shapes.
const std::string arm = R"(<robot name="arm">
  <link name="base"><collision><geometry><box size="0.6 0.6 0.2"/></geometry></collision></link>
  <link name="column"><collision><origin xyz="0 0 0.3"/><geometry><cylinder radius="0.12" length="0.6"/></geometry></collision></link>
  <link name="arm"><collision><origin xyz="0.4 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
  <link name="slide"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="claw"><collision><origin xyz="0.2 0.1 0"/><geometry><box size="0.2 0.05 0.05"/></geometry></collision>
    <collision><origin xyz="0.2 -0.1 0"/><geometry><box size="0.2 0.05 0.05"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="column"/><origin xyz="0 0 0.11"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="revolute"><parent link="column"/><child link="arm"/><origin xyz="0 0 0.7" rpy="0.1 0.2 0.3"/><axis xyz="0.36 0.8 0.48"/><limit lower="-0.5" upper="2.4" effort="1" velocity="1"/></joint>
  <joint name="push" type="prismatic"><parent link="arm"/><child link="slide"/><origin xyz="0.6 0 0"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-0.4" upper="0.8" effort="1" velocity="1"/><mimic joint="turn" multiplier="0.1" offset="0.2"/></joint>
  <joint name="grip" type="fixed"><parent link="slide"/><child link="claw"/><origin rpy="0.4 0 0"/></joint>
</robot>)";

scenes::Soup box_at(const Vec3& size, const Vec3& at) {
    return scenes::transformed(scenes::box(size * 0.5), *Pose::from_translation(at));
}

RobotCheck made(std::vector<WorldObject> world) {
    return *RobotCheck::make(*files::parse_robot(arm, "arm.urdf", {.tolerance = 1e-3}), nullptr, std::move(world));
}

void compare(const RobotCheck& check, std::size_t n, std::span<const double> values) {
    for (const RobotAsk ask : {RobotAsk::Pairs, RobotAsk::Contacts}) {
        const auto cpu = check_all(check, n, values, ask), own = check_all_on_gpu(check, n, values, ask);
        ASSERT_TRUE(cpu);
        ASSERT_TRUE(own) << own.fault().message;
        EXPECT_EQ(cpu->first, own->first);
        EXPECT_TRUE(cpu->hits == own->hits);
        EXPECT_EQ(cpu->beyond, own->beyond);
        EXPECT_EQ(cpu->beyond_first, own->beyond_first);
    }
    const auto pairs = check_all(check, n, values, RobotAsk::Pairs);
    const auto free = check_all_on_gpu(check, n, values, RobotAsk::Free);
    ASSERT_TRUE(free) << free.fault().message;
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(free->of(i).empty(), pairs->of(i).empty()) << "configuration " << i;
        for (const BodyHit& hit : free->of(i))
            ASSERT_TRUE(std::ranges::count(pairs->of(i), hit.pair, &BodyHit::pair)) << "configuration " << i;
    }
}

std::vector<WorldObject> around() {
    return {{"torus", *Model::build(scenes::transformed(scenes::torus(), *Pose::from_translation({0, 0, 1})))},
            {"block", *Model::build(box_at({1.5, 4, 4}, {0.95, 0, 0}))},
            {"crumbs", *Model::build(scenes::joined(box_at({0.02, 0.02, 0.02}, {0.5, 0.1, 0.9}),
                                                    box_at({0.01, 0.01, 0.01}, {0.4, -0.2, 1.1})))},
            {"hollow", *Model::build(scenes::joined(box_at({9, 9, 9}, {}), box_at({8, 8, 8}, {})))}};
}

TEST(GpuRobot, AgainstItselfAndAWorld) {
    const RobotCheck check = made(around());
    const auto n = static_cast<std::size_t>(test::case_count(100'000, 100'000));
    compare(check, n, random_values(check.robot(), n, 3));
    const RobotCheck alone = made({});
    compare(alone, 1'000, random_values(alone.robot(), 1'000, 4));
    const RobotCheck room = made({{"room", *Model::build(box_at({9, 9, 9}, {}))}});
    compare(room, 1'000, random_values(room.robot(), 1'000, 5));
}

TEST(GpuRobot, ValuesOfAnyKind) {
    const RobotCheck check = made(around());
    std::vector<double> values = random_values(check.robot(), 1'000, 6);
    values[10] = 0x1p21, values[20] = -1e9, values[31] = 1e-300, values[40] = 0x1p20;
    compare(check, 1'000, values);
    values[999] = std::numeric_limits<double>::infinity();
    const auto cpu = check_all(check, 1'000, values, RobotAsk::Pairs);
    const auto own = check_all_on_gpu(check, 1'000, values, RobotAsk::Pairs);
    ASSERT_FALSE(own);
    EXPECT_EQ(cpu.fault().message, own.fault().message);
    EXPECT_FALSE(check_all_on_gpu(check, 0, {}, {RobotAsk::Free, 0.1}));
}

TEST(GpuRobot, SeveralWorlds) {
    // Each configuration against one of four worlds equals the check with that world alone.
    const auto objects = around();
    const RobotCheck all = made(objects);
    RobotParts parts{all.prepared().joints(), all.bodies(), all.pairs()};
    std::uint32_t worlds_made = 0;
    for (RobotBody& body : parts.bodies)
        if (!body.link) body.world = worlds_made++;
    const auto on_cpu = graze::Robot::build(parts);
    ASSERT_TRUE(on_cpu) << on_cpu.fault().message;
    const auto robot = gpu::Robot::make(*on_cpu);
    ASSERT_TRUE(robot) << robot.fault().message;
    constexpr std::size_t n = 20'000;
    const std::vector<double> values = random_values(all.robot(), n, 8);
    std::vector<std::uint32_t> worlds(n), found(n);
    for (std::size_t i = 0; i < n; ++i) worlds[i] = static_cast<std::uint32_t>(i % objects.size());
    EXPECT_FALSE(robot->any_pair(values, found).ok());
    ASSERT_TRUE(robot->any_pair(values, found, worlds).ok());
    std::vector<std::uint8_t> collides(n);
    ASSERT_TRUE(on_cpu->collides(values, collides, {.worlds = worlds}));
    for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(collides[i] == 0, found[i] == gpu::Robot::none) << "configuration " << i;
    for (std::size_t w = 0; w < objects.size(); ++w) {
        const RobotCheck one = made({objects[w]});
        const auto cpu = check_all(one, n, values, RobotAsk::Free);
        for (std::size_t i = w; i < n; i += objects.size())
            ASSERT_EQ(cpu->of(i).empty(), found[i] == gpu::Robot::none) << "configuration " << i;
    }
}

}  // namespace
}  // namespace graze::checks
