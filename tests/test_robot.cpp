// SPDX-License-Identifier: Apache-2.0
// Robots of the library: links placed by each type of joint, and every question against queries on all pairs of bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "case_count.hpp"
#include "graze/robot.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

Model model_of(const scenes::Soup& soup) { return *Model::build(soup); }
Model box_model(const Vec3& half, const Vec3& at = {}) {
    return model_of(scenes::transformed(scenes::box(half), *Pose::from_translation(at)));
}

Joint joint(JointType type, std::uint32_t parent, std::uint32_t child, std::uint32_t value, const Vec3& at = {},
            const Vec3& axis = {0, 0, 1}) {
    return {.name = "j" + std::to_string(child),
            .type = type,
            .parent = parent,
            .child = child,
            .parent_from_joint = *Pose::from_translation(at),
            .axis = axis,
            .value = value};
}

/// A turning column, an arm about a slanted axis, a screw that drives a spindle with a fixed claw, a slide that follows
/// the column, and around them a ring, a wall and a block that the slide may enter.
RobotParts arm() {
    RobotParts parts;
    parts.joints = {joint(JointType::Revolute, 0, 1, 0, {0, 0, 0.2}),
                    joint(JointType::Revolute, 1, 2, 1, {0, 0, 0.7}, {0.36, 0.8, 0.48}),
                    joint(JointType::Screw, 2, 3, 2, {0.5, 0, 0}, {1, 0, 0}),
                    joint(JointType::Fixed, 3, 4, 0, {0.55, 0, 0}),
                    joint(JointType::Prismatic, 2, 5, 0, {0.1, 0.1, 0}, {0.6, 0, 0.8})};
    parts.joints[2].pitch = 0.2;
    parts.joints[4].multiplier = 0.1, parts.joints[4].offset = 0.2;
    parts.bodies = {
        {"base", box_model({0.3, 0.3, 0.1}), 0},
        {"column", model_of(scenes::torus(0.1, 0.05, 12, 8)), 1},
        {"arm", box_model({0.4, 0.05, 0.05}, {0.4, 0, 0}), 2},
        {"spindle", model_of(scenes::sphere(80, 0.06)), 3},
        {"claw", box_model({0.1, 0.12, 0.03}), 4},
        {"slide", box_model({0.05, 0.05, 0.05}), 5},
        {"ring", model_of(scenes::transformed(scenes::torus(0.8, 0.06, 16, 8), *Pose::from_translation({0, 0, 0.9})))},
        {"wall", box_model({0.05, 1, 1}, {1.05, 0, 0.5})},
        {"block", box_model({0.2, 0.2, 0.2}, {0.25, 0.25, 1.1})}};
    parts.pairs = default_pairs(parts);
    return parts;
}

std::vector<double> random_values(const Robot& robot, std::size_t n, std::uint64_t seed) {
    scenes::Random random(seed);
    std::vector<double> out(n * robot.value_count());
    for (double& value : out) value = random.between(-3, 3);
    return out;
}

/// The pairs that collide, from queries on each, and those of them whose surfaces do not meet.
struct Truth {
    std::vector<std::uint32_t> pairs, inside;
    double least = std::numeric_limits<double>::infinity();
};
Truth truth(const Robot& robot, std::span<const double> values, double clearance = 0,
            std::optional<std::uint32_t> world = {}) {
    const std::vector<Pose> links = *robot.place(values);
    Truth out;
    for (std::uint32_t i = 0; i < robot.pairs().size(); ++i) {
        const RobotPair& pair = robot.pairs()[i];
        const RobotBody &a = robot.bodies()[pair.a], &b = robot.bodies()[pair.b];
        const auto in = a.world ? a.world : b.world;
        if (in && in != world) continue;
        const Affine a_from_b = relative(a.link ? links[*a.link] : Pose(), b.link ? links[*b.link] : Pose());
        const Relation how = relation(robot.solid(pair.a), robot.solid(pair.b), a_from_b).relation;
        const double apart = distance(a.model, b.model, a_from_b).distance;
        if (apart <= clearance || (how != Relation::Disjoint && how != Relation::Touching)) {
            out.pairs.push_back(i);
            if (apart > clearance) out.inside.push_back(i);
        }
        out.least = std::min(out.least, how == Relation::Disjoint ? apart : 0);
    }
    return out;
}

TEST(Robot, PlacesLinksByEachTypeOfJoint) {
    const auto robot = Robot::build(arm());
    ASSERT_TRUE(robot) << robot.fault().message;
    EXPECT_EQ(robot->link_count(), 6u);
    EXPECT_EQ(robot->value_count(), 3u);
    EXPECT_EQ(robot->root(), 0u);
    const std::vector<double> values = {0.5, -1.25, 2.5};
    const std::vector<Pose> links = *robot->place(values);
    // Rotations by the machine's own sine and cosine, after Rodrigues.
    const auto turn = [](const Vec3& u, double q, const Vec3& p) {
        return p * std::cos(q) + cross(u, p) * std::sin(q) + u * (dot(u, p) * (1 - std::cos(q)));
    };
    const auto column = [&](const Vec3& p) { return turn({0, 0, 1}, 0.5, p) + Vec3{0, 0, 0.2}; };
    const auto upper = [&](const Vec3& p) { return column(turn({0.36, 0.8, 0.48}, -1.25, p) + Vec3{0, 0, 0.7}); };
    const auto spindle = [&](const Vec3& p) {
        const double along = 2.5 / (2 * std::numbers::pi) * 0.2;
        return upper(turn({1, 0, 0}, 2.5, p) + Vec3{0.5 + along, 0, 0});
    };
    const auto claw = [&](const Vec3& p) { return spindle(p + Vec3{0.55, 0, 0}); };
    const auto slide = [&](const Vec3& p) { return upper(p + Vec3{0.1, 0.1, 0} + Vec3{0.6, 0, 0.8} * 0.25); };
    for (const Vec3& p : {Vec3{0, 0, 0}, Vec3{1, -2, 3}}) {
        EXPECT_EQ(links[0](p), p);
        EXPECT_LT(length(links[1](p) - column(p)), 1e-14);
        EXPECT_LT(length(links[2](p) - upper(p)), 1e-14);
        EXPECT_LT(length(links[3](p) - spindle(p)), 1e-14);
        EXPECT_LT(length(links[4](p) - claw(p)), 1e-14);
        EXPECT_LT(length(links[5](p) - slide(p)), 1e-14);
    }
}

TEST(Robot, AMultiplierOfZeroNeedsNoValue) {
    RobotParts parts;
    parts.joints = {joint(JointType::Prismatic, 0, 1, 7)};
    parts.joints[0].multiplier = 0, parts.joints[0].offset = 0.75;
    const auto robot = Robot::build(parts);
    ASSERT_TRUE(robot);
    EXPECT_EQ(robot->value_count(), 0u);
    EXPECT_EQ((*robot->place({}))[1].translation(), (Vec3{0, 0, 0.75}));
}

TEST(Robot, JointsComeInAnyOrder) {
    const RobotParts parts = arm();
    RobotParts mixed = parts;
    std::ranges::reverse(mixed.joints);
    std::swap(mixed.joints[1], mixed.joints[3]);
    const Robot one = *Robot::build(parts), other = *Robot::build(mixed);
    std::vector<bool> placed(one.link_count());
    placed[other.root()] = true;
    for (const Joint& each : other.joints()) {
        EXPECT_TRUE(placed[each.parent]) << each.name;
        placed[each.child] = true;
    }
    const std::vector<double> values = random_values(one, 20, 1);
    for (std::size_t i = 0; i < values.size(); i += 3)
        EXPECT_EQ(*one.place(std::span(values).subspan(i, 3)), *other.place(std::span(values).subspan(i, 3)));
}

TEST(Robot, AnswersAreThoseOfQueriesOnEveryPair) {
    const Robot robot = *Robot::build(arm());
    const auto n = static_cast<std::size_t>(test::case_count(50));
    const std::vector<double> values = random_values(robot, n, 2);
    const std::size_t each = robot.value_count(), words = robot.words();
    for (const double clearance : {0.0, 0.04}) {
        std::vector<Truth> expected;
        std::size_t colliding = 0, inside = 0;
        RobotScratch scratch;
        for (std::size_t i = 0; i < n; ++i) {
            const auto one = std::span(values).subspan(i * each, each);
            expected.push_back(truth(robot, one, clearance));
            const bool hit = !expected[i].pairs.empty();
            colliding += hit, inside += !expected[i].inside.empty();
            EXPECT_EQ(*robot.collides(one, {.clearance = clearance}), hit) << i;
            EXPECT_EQ(*robot.colliding_pairs(one, {.clearance = clearance, .scratch = &scratch}), expected[i].pairs);
            const RobotDistance closest = *robot.distance(one, {.scratch = &scratch});
            EXPECT_EQ(closest.closest.distance, expected[i].least) << i;
            const double between = length(closest.closest.point_a - closest.closest.point_b);
            if (expected[i].least > 0) {
                EXPECT_NEAR(between, expected[i].least, 1e-9);
            }
        }
        EXPECT_GT(colliding, n / 10);
        EXPECT_LT(colliding, n - n / 10);
        EXPECT_GT(inside, 0u);
        for (const unsigned threads : {1u, 2u, 5u}) {
            RobotStats stats;
            const RobotBatchSettings batch{.clearance = clearance, .threads = threads, .stats = &stats};
            std::vector<std::uint8_t> answers(n);
            std::vector<std::uint32_t> any(n), counts(n), bits(n * words, ~0u), nested = bits;
            ASSERT_TRUE(robot.collides(values, answers, batch));
            EXPECT_EQ(stats.pairs, n * robot.pairs().size());
            EXPECT_GE(stats.pairs, stats.spheres + stats.boxes + stats.asked);
            ASSERT_TRUE(robot.any_pair(values, any, batch));
            ASSERT_TRUE(robot.count_pairs(values, counts, batch));
            ASSERT_TRUE(robot.all_pairs(values, bits, nested, batch));
            std::optional<std::size_t> first;
            for (std::size_t i = 0; i < n; ++i) {
                const std::vector<std::uint32_t>& pairs = expected[i].pairs;
                if (!pairs.empty() && !first) first = i;
                EXPECT_EQ(answers[i] != 0, !pairs.empty());
                EXPECT_EQ(counts[i], pairs.size());
                EXPECT_EQ(any[i] == Robot::none, pairs.empty());
                if (any[i] != Robot::none) {
                    EXPECT_TRUE(std::ranges::count(pairs, any[i]));
                }
                std::vector<std::uint32_t> expected_bits(words), expected_nested(words);
                for (const std::uint32_t p : pairs) expected_bits[p / 32] |= 1u << (p % 32);
                for (const std::uint32_t p : expected[i].inside) expected_nested[p / 32] |= 1u << (p % 32);
                EXPECT_TRUE(std::ranges::equal(std::span(bits).subspan(i * words, words), expected_bits)) << i;
                EXPECT_TRUE(std::ranges::equal(std::span(nested).subspan(i * words, words), expected_nested)) << i;
            }
            EXPECT_EQ(*robot.first_collision(values, PoseOrder::Given, batch), first);
            const auto bisected = *robot.first_collision(values, PoseOrder::Bisection, batch);
            ASSERT_TRUE(bisected);
            EXPECT_NE(answers[*bisected], 0);
        }
    }
}

TEST(Robot, FreeFromTheFirstToTheLast) {
    RobotParts parts;
    parts.joints = {joint(JointType::Prismatic, 0, 1, 0, {}, {1, 0, 0})};
    parts.bodies = {{"box", box_model({1, 1, 1}), 1}, {"wall", box_model({1, 9, 9}, {10, 0, 0})}};
    parts.pairs = default_pairs(parts);
    const Robot robot = *Robot::build(parts);
    // At 8 the box touches the wall, which counts.
    EXPECT_FALSE(*robot.collides(std::vector<double>{std::nextafter(8, 0)}));
    EXPECT_TRUE(*robot.collides(std::vector<double>{8}));
    const RobotDistance apart = *robot.distance(std::vector<double>{3});
    EXPECT_EQ(apart.closest.distance, 5);
    EXPECT_EQ(apart.closest.point_a.x, 4);
    EXPECT_EQ(apart.closest.point_b.x, 9);
    std::vector<double> path;
    for (int i = 0; i <= 100; ++i) path.push_back(0.07 * i);
    EXPECT_FALSE(*robot.first_collision(path));
    for (int i = 0; i < 100; ++i) path.push_back(7 + 0.02 * i);
    EXPECT_EQ(*robot.first_collision(path), std::optional<std::size_t>(101 + 50));
    EXPECT_EQ(*robot.first_collision(path, PoseOrder::Bisection), std::optional<std::size_t>(200));
    std::size_t calls = 0;
    std::vector<std::uint8_t> answers(path.size());
    ASSERT_TRUE(robot.collides(path, answers, {.progress = [&](std::size_t) { return ++calls, Step::Stop; }}));
    EXPECT_EQ(calls, 1u);
}

TEST(Robot, ConfigurationsAreInTheirOwnWorlds) {
    RobotParts parts = arm();
    parts.bodies[6].world = 1, parts.bodies[7].world = 4;  // the block is in every world
    const Robot robot = *Robot::build(parts);
    const std::size_t n = 30, each = robot.value_count();
    const std::vector<double> values = random_values(robot, n, 3);
    std::vector<std::uint32_t> worlds(n), counts(n);
    for (std::size_t i = 0; i < n; ++i) worlds[i] = i % 3 == 0 ? 1 : i % 3 == 1 ? 4 : 0;
    ASSERT_TRUE(robot.count_pairs(values, counts, {.worlds = worlds}));
    std::size_t differ = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto one = std::span(values).subspan(i * each, each);
        const Truth expected = truth(robot, one, 0, worlds[i]);
        EXPECT_EQ(counts[i], expected.pairs.size()) << i;
        EXPECT_EQ(*robot.colliding_pairs(one, {.world = worlds[i]}), expected.pairs) << i;
        EXPECT_EQ(robot.distance(one, {.world = worlds[i]})->closest.distance, expected.least) << i;
        differ += expected.pairs != truth(robot, one, 0, 1).pairs;
    }
    EXPECT_GT(differ, 0u);
    EXPECT_EQ(robot.count_pairs(values, counts).fault().message,
              "the robot has several worlds: say which one each configuration is in");
    const std::string needed = "the robot has several worlds: say which one the configuration is in";
    const auto first = std::span(values).first(each);
    EXPECT_EQ(robot.collides(first).fault().message, needed);
    EXPECT_EQ(robot.colliding_pairs(first).fault().message, needed);
    EXPECT_EQ(robot.distance(first).fault().message, needed);
    worlds.pop_back();
    EXPECT_EQ(robot.count_pairs(values, counts, {.worlds = worlds}).fault().message,
              "29 worlds given for 30 configurations");
}

TEST(Robot, DefaultPairs) {
    const RobotParts parts = arm();
    const auto names = [&](const std::vector<RobotPair>& pairs) {
        std::string out;
        for (const auto& [a, b] : pairs) out += parts.bodies[a].name + "-" + parts.bodies[b].name + " ";
        return out;
    };
    // Neither neighbours nor the spindle and the claw on it; the base stands on something.
    EXPECT_EQ(names(default_pairs(parts)),
              "base-arm base-spindle base-claw base-slide column-spindle column-claw column-slide arm-claw "
              "spindle-slide claw-slide column-ring column-wall column-block arm-ring arm-wall arm-block spindle-ring "
              "spindle-wall spindle-block claw-ring claw-wall claw-block slide-ring slide-wall slide-block ");
    const LinkPair disabled[] = {{4, 3}, {0, 1}};
    const auto pairs = default_pairs(parts, disabled);
    EXPECT_EQ(pairs.size(), 15u - 2 + 15);
    EXPECT_FALSE(std::ranges::count(pairs, RobotPair{3, 4}));
    EXPECT_TRUE(std::ranges::count(pairs, RobotPair{1, 2}));
    // Links without bodies are passed over where the joints above and below turn about one point. Farther apart, they
    // may move two links into each other.
    RobotParts bare = parts;
    bare.bodies.erase(bare.bodies.begin() + 2);
    const auto checked = [&](std::uint32_t a, std::uint32_t b) {
        return std::ranges::count(default_pairs(bare), RobotPair{a, b}) == 1;
    };
    EXPECT_TRUE(checked(1, 2)) << "a column, an arm without a body, and a spindle half a metre along";
    bare.joints[2].type = JointType::Revolute;
    EXPECT_TRUE(checked(1, 2));
    bare.joints[2].parent_from_joint = {};
    EXPECT_FALSE(checked(1, 2)) << "a universal joint";
    bare.joints[2].type = JointType::Prismatic;
    EXPECT_TRUE(checked(1, 2));
    bare.joints[1].type = JointType::Fixed;
    EXPECT_FALSE(checked(1, 2)) << "a single joint that moves";
    // A robot that cannot move is checked against the objects.
    RobotParts still;
    still.bodies = {{"stand", box_model({1, 1, 1}), 0}, {"floor", box_model({1, 1, 1})}};
    EXPECT_EQ(default_pairs(still), (std::vector<RobotPair>{{0, 1}}));
}

TEST(Robot, BadPartsAreNamed) {
    const auto fault = [](const auto& change) {
        RobotParts parts = arm();
        change(parts);
        static_cast<void>(default_pairs(parts));  // takes anything
        const auto robot = Robot::build(parts);
        return robot ? std::string("none") : robot.fault().message;
    };
    EXPECT_EQ(fault([](RobotParts&) {}), "none");
    EXPECT_EQ(fault([](RobotParts& p) { p.joints[1].parent = 6; }),
              "joint j2: there is no link 6: the joints make links 0 to 5");
    EXPECT_EQ(fault([](RobotParts& p) { p.joints[1].name.clear(), p.joints[1].child = 9; }),
              "joint 1: there is no link 9: the joints make links 0 to 5");
    EXPECT_EQ(fault([](RobotParts& p) { p.joints[3].child = 5; }), "joint j5: link 5 is the child of another joint");
    EXPECT_EQ(fault([](RobotParts& p) { p.joints[2].parent = 4; }),
              "joint j3: it is part of a ring of links, or below one");
    EXPECT_EQ(fault([](RobotParts& p) { p.joints[2].parent = 3; }),
              "joint j3: it is part of a ring of links, or below one");
    EXPECT_EQ(fault([](RobotParts& p) { p.joints[1].axis = {1, 1, 0}; }), "joint j2: the axis is not of unit length");
    EXPECT_EQ(fault([](RobotParts& p) { p.joints[1].axis = {std::nan(""), 1, 0}; }),
              "joint j2: the axis is not of unit length");
    EXPECT_EQ(fault([](RobotParts& p) { p.joints[2].pitch = std::nan(""); }),
              "joint j3: the multiplier, the offset or the pitch is not finite");
    EXPECT_EQ(fault([](RobotParts& p) { p.joints[2].value = ~0u; }), "joint j3: a configuration has too many values");
    EXPECT_EQ(fault([](RobotParts& p) { p.bodies[2].link = 7; }),
              "body arm: there is no link 7: the joints make links 0 to 5");
    EXPECT_EQ(fault([](RobotParts& p) { p.bodies[2].world = 7; }), "body arm: a link is part of every world");
    EXPECT_EQ(fault([](RobotParts& p) { p.pairs[3].b = 9; }), "pair 3: there is no body 9");
    EXPECT_EQ(fault([](RobotParts& p) { p.pairs[3] = {2, 2}; }), "pair 3: a body is not checked against itself");
    EXPECT_EQ(fault([](RobotParts& p) {
                  p.bodies[6].world = 1, p.bodies[7].world = 2;
                  p.pairs[1] = {6, 7};
              }),
              "pair 1: the bodies are part of different worlds");
}

TEST(Robot, BadValuesAreNamed) {
    const Robot robot = *Robot::build(arm());
    EXPECT_EQ(robot.place(std::vector<double>{1, 2}).fault().message, "3 joint values expected, 2 given");
    EXPECT_EQ(robot.collides(std::vector<double>{1, 2, std::nan("")}).fault().message,
              "joint j3: its value is not finite");
    std::vector<double> values = random_values(robot, 500, 4);
    std::vector<std::uint8_t> answers(499);
    EXPECT_EQ(robot.collides(values, answers).fault().message, "1500 values given, but 499 configurations have 1497");
    answers.resize(500);
    values[3 * 470 + 1] = std::numeric_limits<double>::infinity();
    values[3 * 123] = std::nan("");
    for (const unsigned threads : {1u, 4u})
        EXPECT_EQ(robot.collides(values, answers, {.threads = threads}).fault().message,
                  "configuration 123: joint j1: its value is not finite");
    // A fault counts when it comes before the first collision.
    std::size_t first = 0;
    while (!*robot.collides(std::span(values).subspan(3 * first, 3))) ++first;
    ASSERT_LT(first, 123u);
    EXPECT_EQ(*robot.first_collision(values), std::optional(first));
    values[0] = std::nan("");
    EXPECT_EQ(robot.first_collision(values).fault().message, "configuration 0: joint j1: its value is not finite");
    std::vector<std::uint32_t> bits(robot.words() * 500 + 1);
    EXPECT_TRUE(robot.words() == 1 || !robot.all_pairs(values, bits));
    bits.resize(robot.words() * 500);
    std::vector<std::uint32_t> short_of_one(bits.size() - 1);
    EXPECT_FALSE(robot.all_pairs(values, bits, short_of_one));
}

TEST(Robot, OneOfNoJoints) {
    const Robot empty;
    EXPECT_EQ(empty.link_count(), 1u);
    EXPECT_EQ(empty.place({})->size(), 1u);
    EXPECT_FALSE(*empty.collides(std::span<const double>{}));
    EXPECT_EQ(empty.distance({})->closest.distance, std::numeric_limits<double>::infinity());
    RobotParts parts;
    parts.bodies = {{"stone", box_model({1, 1, 1}), 0}, {"pebble", box_model({0.1, 0.1, 0.1})}, {"nothing", Model()}};
    parts.pairs = default_pairs(parts);
    const Robot robot = *Robot::build(parts);
    EXPECT_EQ(*robot.colliding_pairs({}), (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(robot.distance({})->closest.distance, 0);
    EXPECT_EQ(*robot.first_collision({}), std::optional<std::size_t>(0));
    std::vector<std::uint8_t> answers(3);
    ASSERT_TRUE(robot.collides(std::span<const double>{}, answers));
    EXPECT_EQ(answers, (std::vector<std::uint8_t>{1, 1, 1}));
}

/// One scratch serves several robots, and memory that has learned which pairs collide changes no answer.
TEST(Robot, ScratchServesAnyRobot) {
    const Robot one = *Robot::build(arm());
    RobotParts parts = arm();
    parts.pairs.resize(5);
    const Robot other = *Robot::build(parts);
    RobotScratch scratch;
    const std::vector<double> values = random_values(one, 20, 5);
    for (std::size_t i = 0; i < values.size(); i += 3)
        for (const Robot* robot : {&one, &other}) {
            const auto q = std::span(values).subspan(i, 3);
            EXPECT_EQ(*robot->collides(q, {.scratch = &scratch}), !truth(*robot, q).pairs.empty());
        }
}

}  // namespace
}  // namespace graze
