// SPDX-License-Identifier: Apache-2.0
// Robots against themselves and their surroundings: which pairs are checked, and their answers against brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>

#include "checks/contacts.hpp"
#include "checks/robot_formats.hpp"
#include "checks/robot_world.hpp"
#include "files/primitives.hpp"
#include "scenes/random.hpp"

namespace graze::checks {
namespace {

namespace fs = std::filesystem;

bool at_length() { return std::getenv("GRAZE_LONG") != nullptr; }

/// A base of two shapes; a turning column; above it, beyond a frame without shapes, an arm; a slide on it that follows
/// the column; and a claw fixed on the slide, with a camera fixed on that. Beside the arm hangs a bar, from the frame.
const std::string arm = R"(<robot name="arm">
  <link name="base"><collision><geometry><box size="1 1 0.2"/></geometry></collision>
    <collision><origin xyz="0.7 0 0.3" rpy="0.3 0.2 0.1"/><geometry><cylinder radius="0.15" length="0.9"/></geometry></collision></link>
  <link name="column"><collision><origin xyz="0 0 0.3"/><geometry><cylinder radius="0.2" length="0.6"/></geometry></collision></link>
  <link name="frame"/>
  <link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
  <link name="slide"><collision><geometry><sphere radius="0.12"/></geometry></collision></link>
  <link name="claw"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.2 0.3 0.05"/></geometry></collision></link>
  <link name="camera"><collision><origin xyz="0.2 0 0.1"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="bar"><collision><origin xyz="0 0 -0.3"/><geometry><box size="0.1 0.1 0.6"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="column"/><origin xyz="0 0 0.11"/><axis xyz="0 0 1"/></joint>
  <joint name="top" type="fixed"><parent link="column"/><child link="frame"/><origin xyz="0 0 0.7"/></joint>
  <joint name="lift" type="revolute"><parent link="frame"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-0.5" upper="2" effort="1" velocity="1"/></joint>
  <joint name="push" type="prismatic"><parent link="arm"/><child link="slide"/><origin xyz="0.9 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-0.4" upper="0.8" effort="1" velocity="1"/><mimic joint="turn" multiplier="0.1" offset="0.2"/></joint>
  <joint name="grip" type="fixed"><parent link="slide"/><child link="claw"/><origin xyz="0 0 0" rpy="0.4 0 0"/></joint>
  <joint name="mount" type="fixed"><parent link="claw"/><child link="camera"/></joint>
  <joint name="swing" type="revolute"><parent link="frame"/><child link="bar"/><origin xyz="0.3 0.1 0"/><axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>)";

struct Bounds {
    Vec3 low, high;

    explicit Bounds(const Triangle& t) {
        for (int i = 0; i < 3; ++i) {
            low[i] = std::min({t.a[i], t.b[i], t.c[i]});
            high[i] = std::max({t.a[i], t.b[i], t.c[i]});
        }
    }
    bool overlaps(const Bounds& o) const {
        for (int i = 0; i < 3; ++i)
            if (low[i] > o.high[i] || o.low[i] > high[i]) return false;
        return true;
    }
};

/// All pairs of triangles by the predicate; boxes only spare the ones that comparisons tell apart.
std::uint64_t brute(const Model& a, const Model& b, const Affine& a_from_b) {
    std::vector<std::pair<Triangle, Bounds>> mapped;
    std::optional<Bounds> all;
    for (std::uint32_t i = 0; i < b.triangle_count(); ++i) {
        const Triangle t = b.triangle(i);
        const Triangle m{a_from_b(t.a), a_from_b(t.b), a_from_b(t.c)};
        const Bounds box(m);
        mapped.emplace_back(m, box);
        if (!all) all = box;
        for (int k = 0; k < 3; ++k) {
            all->low[k] = std::min(all->low[k], box.low[k]);
            all->high[k] = std::max(all->high[k], box.high[k]);
        }
    }
    std::uint64_t count = 0;
    for (std::uint32_t i = 0; i < a.triangle_count(); ++i) {
        const Triangle t = a.triangle(i);
        const Bounds box(t);
        if (!all || !box.overlaps(*all)) continue;
        for (const auto& [m, bounds] : mapped) count += box.overlaps(bounds) && meet(t, m);
    }
    return count;
}

/// Whether a component's first corner is inside the other model, by rays through all triangles of single closed
/// components.
Nesting brute_nesting(const Model& a, const Model& b, const Affine& a_from_b) {
    const auto corner_inside = [](const Model& inner, const Model& outer, const Affine& outer_from_inner) {
        const Vec3 p = outer_from_inner(inner.triangle(0).a);
        std::size_t hits = 0;
        for (std::uint32_t i = 0; i < outer.triangle_count(); ++i) {
            const Triangle t = outer.triangle(i);
            // A long thin triangle stands for the ray.
            const Vec3 far = p + Vec3{31.234, 17.891, 11.457};
            hits += meet(t, Triangle{p, far, far});
        }
        return hits % 2 == 1;
    };
    if (corner_inside(a, b, *inverse(a_from_b))) return Nesting::AInB;
    return corner_inside(b, a, a_from_b) ? Nesting::BInA : Nesting::None;
}

/// Compares all answers with brute force, and the ways to ask with each other. Returns how many hit.
std::size_t expect_exact(const RobotCheck& check, std::size_t configurations, std::span<const double> values) {
    const auto contacts = check_all(check, configurations, values, RobotAsk::Contacts, 1);
    const auto pairs = check_all(check, configurations, values, RobotAsk::Pairs, 3);
    const auto free = check_all(check, configurations, values, RobotAsk::Free, 2);
    EXPECT_TRUE(contacts && pairs && free);
    if (!contacts || !pairs || !free) return 0;
    EXPECT_EQ(contacts->size(), configurations);
    std::size_t hit = 0, joints = check.robot().active.size();
    for (std::size_t i = 0; i < configurations; ++i) {
        const auto pose = files::place(check.robot(), values.subspan(i * joints, joints));
        EXPECT_TRUE(pose);
        std::vector<BodyHit> expected;
        for (std::uint32_t k = 0; k < check.pairs().size(); ++k) {
            const auto [a, b] = check.pairs()[k];
            const auto a_from_b =
                relative(check.placement(pose->world_from_link, a), check.placement(pose->world_from_link, b));
            const std::uint64_t n = brute(check.bodies()[a].model, check.bodies()[b].model, a_from_b);
            if (n > 0)
                expected.push_back({k, n});
            else if (const Nesting how = brute_nesting(check.bodies()[a].model, check.bodies()[b].model, a_from_b);
                     how != Nesting::None)
                expected.push_back({k, 0, Kind::Inside, how});
        }
        const auto same = [](const BodyHit& x, const BodyHit& y) {
            return x.pair == y.pair && x.contacts == y.contacts && x.nesting == y.nesting &&
                   (x.kind == Kind::Inside) == (y.kind == Kind::Inside);
        };
        EXPECT_TRUE(std::ranges::equal(contacts->of(i), expected, same)) << "configuration " << i;
        EXPECT_TRUE(std::ranges::equal(pairs->of(i), expected, {}, &BodyHit::pair, &BodyHit::pair)) << i;
        EXPECT_EQ(free->of(i).size(), expected.empty() ? 0u : 1u) << i;
        for (const BodyHit& h : free->of(i))
            EXPECT_TRUE(std::ranges::any_of(expected, [&](const BodyHit& e) { return e.pair == h.pair; })) << i;
        hit += !expected.empty();
        if (::testing::Test::HasFailure()) break;
    }
    return hit;
}

class RobotChecks : public ::testing::Test {
protected:
    static files::Robot parsed(const std::string& text = arm) {
        auto robot = files::parse_robot(text, "arm.urdf", {.tolerance = 1e-2});
        EXPECT_TRUE(robot) << robot.fault().message;
        return *robot;
    }
    static std::vector<std::string> names(const RobotCheck& check) {
        std::vector<std::string> out;
        for (const auto& [a, b] : check.pairs()) out.push_back(check.bodies()[a].name + " " + check.bodies()[b].name);
        return out;
    }
    static std::vector<WorldObject> around() {
        return {{"wall.stl", *Model::build(files::box_mesh({0.6, 3, 2}).view())}};
    }
};

TEST_F(RobotChecks, WhichPairs) {
    const auto plain = RobotCheck::make(parsed());
    ASSERT_TRUE(plain);
    // Neither arm and column nor bar and column, the frame between them has no shapes; nor what is fixed on the slide.
    EXPECT_EQ(names(*plain),
              (std::vector<std::string>{"base arm", "base slide", "base claw", "base camera", "base bar",
                                        "column slide", "column claw", "column camera", "arm claw", "arm camera",
                                        "arm bar", "slide bar", "claw bar", "camera bar"}));
    EXPECT_EQ(plain->left_out(), 21u - 14u);
    EXPECT_TRUE(plain->robot().meshes.empty()) << "models have what is needed of them";
    const files::Robot robot = parsed();
    const auto semantics = files::parse_semantics(
        "<robot name='arm'><disable_collisions link1='bar' link2='arm' reason='Never'/>"
        "<disable_collisions link1='frame' link2='arm' reason='Adjacent'/></robot>",
        "arm.srdf", robot);
    ASSERT_TRUE(semantics);
    const auto told = RobotCheck::make(robot, &*semantics, around());
    ASSERT_TRUE(told);
    // All but the one, and every link that moves with the wall.
    EXPECT_EQ(told->pairs().size() + told->fixed_pairs(), 20u + 6u);
    EXPECT_EQ(told->fixed_pairs(), 3u) << "slide, claw and camera";
    EXPECT_EQ(told->left_out(), 1u);
    EXPECT_EQ(names(*told).back(), "bar wall.stl");
    EXPECT_EQ(std::ranges::count(names(*told), "base wall.stl"), 0);
}

TEST_F(RobotChecks, FixedLinksThatMeetAreNamedOnce) {
    const auto semantics = files::parse_semantics("<robot name='arm'/>", "arm.srdf", parsed());
    const auto check = RobotCheck::make(parsed(), &*semantics);
    ASSERT_TRUE(check);
    // The claw goes through the slide. The camera is off both.
    std::vector<std::string> met;
    for (const FixedHit& hit : check->fixed_hits()) {
        met.push_back(check->bodies()[hit.a].name + " " + check->bodies()[hit.b].name);
        EXPECT_GT(hit.contacts, 0u);
        EXPECT_EQ(hit.kind, Kind::Crossing);
    }
    EXPECT_EQ(met, (std::vector<std::string>{"slide claw"}));
    const std::vector<std::string> all = names(*check);
    EXPECT_EQ(std::ranges::count(all, "slide claw"), 0);
    EXPECT_EQ(std::ranges::count(all, "slide camera"), 0);
    EXPECT_EQ(check->left_out(), 0u);
    const Ledger checked = ledger_of(*check);
    EXPECT_EQ(checked.pairs, 21u);
    EXPECT_EQ(checked.asked(), 21u);
    // Without an SRDF, nobody asks about them.
    const auto plain = RobotCheck::make(parsed());
    EXPECT_TRUE(plain->fixed_hits().empty());
    EXPECT_EQ(ledger_of(*plain).asked(), 14u);
    EXPECT_EQ(ledger_of(*plain).not_asked[0].why, "of links that are joined or fixed to each other");
}

TEST_F(RobotChecks, FollowersHaveNoLimitsAtRandom) {
    files::Robot robot = parsed();
    robot.joints[*robot.find_joint("push")].upper = -0.3;  // it follows the column far beyond
    const auto beyond = [&] {
        const auto check = RobotCheck::make(robot);
        const std::vector<double> values = random_values(robot, 20, 1);
        return check_all(*check, 20, values, RobotAsk::Free)->beyond;
    };
    EXPECT_GT(beyond(), 10u);
    free_followers(robot);
    EXPECT_EQ(beyond(), 0u);
    EXPECT_EQ(robot.joints[*robot.find_joint("lift")].upper, 2);
}

TEST_F(RobotChecks, AnswersAreThoseOfBruteForce) {
    const std::size_t n = at_length() ? 10'000 : 200;
    const auto alone = RobotCheck::make(parsed());
    ASSERT_TRUE(alone);
    const auto values = random_values(alone->robot(), n, 1);
    const std::size_t hit = expect_exact(*alone, n, values);
    EXPECT_GT(hit, n / 10);
    EXPECT_LT(hit, n - n / 10);
    const auto walled = RobotCheck::make(parsed(), nullptr, around());
    ASSERT_TRUE(walled);
    EXPECT_GT(expect_exact(*walled, n, values), hit);
}

/// Spheres must hold what matrices at the edge of a pose's tolerance stretch, and links far from the origin.
TEST_F(RobotChecks, StretchedAndFarAway) {
    files::Robot robot = parsed();
    const double s = std::sqrt(1 + 0.99 * Pose::tolerance);
    for (Joint& joint : robot.joints)
        if (joint.name == "lift")
            joint.parent_from_joint = *Pose::from_matrix({{Vec3{s, 0, 0}, Vec3{0, s, 0}, Vec3{0, 0, s}}}, {});
    const auto stretched = RobotCheck::make(robot);
    ASSERT_TRUE(stretched);
    expect_exact(*stretched, 100, random_values(robot, 100, 2));

    robot = parsed();
    for (Joint& joint : robot.joints)
        if (joint.name == "turn") joint.parent_from_joint = *Pose::from_matrix({}, {3e9, -1e9, 2e9});
    const auto far = RobotCheck::make(robot);
    ASSERT_TRUE(far);
    expect_exact(*far, 100, random_values(robot, 100, 3));
}

/// Spheres that touch where their bodies do: the last bit decides.
TEST_F(RobotChecks, TouchingCounts) {
    const files::Robot robot = parsed(R"(<robot name="two"><link name="a"/><link name="b"/>
      <link name="c"><collision><geometry><box size="2 1e-30 1e-30"/></geometry></collision></link>
      <link name="d"><collision><geometry><box size="2 1e-30 1e-30"/></geometry></collision></link>
      <joint name="x" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint>
      <joint name="y" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/></joint>
      <joint name="z" type="prismatic"><parent link="b"/><child link="d"/><axis xyz="1 0 0"/></joint></robot>)");
    const auto check = RobotCheck::make(robot);
    ASSERT_TRUE(check);
    ASSERT_EQ(check->pairs().size(), 1u);
    const double above = std::nextafter(2, 3), below = std::nextafter(2, 1);
    const std::vector<double> values = {0, 0, 2, 0, 0, above, 0, 0, below, 0, 1, -1, 0, 1, 3, 1e6, -1, 1};
    EXPECT_GE(expect_exact(*check, 6, values), 4u);
}

/// A box on a rail that runs through a hollow block and a ball.
TEST_F(RobotChecks, ShapesAreSolid) {
    const files::Robot robot = parsed(R"(<robot name="shuttle"><link name="rail"/>
      <link name="box"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
      <link name="ball"><collision><geometry><sphere radius="1"/></geometry></collision></link>
      <joint name="x" type="prismatic"><parent link="rail"/><child link="box"/><axis xyz="1 0 0"/></joint>
      <joint name="y" type="fixed"><parent link="rail"/><child link="ball"/></joint></robot>)");
    const auto check = RobotCheck::make(robot, nullptr, {{"block", *Model::build(files::box_mesh({1, 1, 1}).view())}});
    ASSERT_TRUE(check);
    ASSERT_EQ(names(*check), (std::vector<std::string>{"box ball", "box block"}));
    EXPECT_EQ(check->standing(), (std::vector<std::string>{"ball"}));
    const std::vector<double> values = {-2, -1, -0.7, 0, 0.45, 2};
    for (const RobotAsk ask : {RobotAsk::Contacts, RobotAsk::Pairs, RobotAsk::Free}) {
        const auto answers = check_all(*check, values.size(), values, ask, 1);
        ASSERT_TRUE(answers);
        for (const std::size_t i : {0u, 5u}) EXPECT_TRUE(answers->of(i).empty()) << i;
        for (const std::size_t i : {1u, 2u, 3u, 4u}) EXPECT_FALSE(answers->of(i).empty()) << i;
        if (ask == RobotAsk::Free) continue;
        EXPECT_EQ(answers->of(2)[0], (BodyHit{0, 0, Kind::Inside, Nesting::AInB}));
        ASSERT_EQ(answers->of(3).size(), 2u);
        EXPECT_EQ(answers->of(3)[1], (BodyHit{1, 0, Kind::Inside, Nesting::AInB}));
        if (ask == RobotAsk::Pairs) continue;
        EXPECT_EQ(answers->of(1)[0].kind, Kind::Crossing);
        EXPECT_EQ(answers->of(4)[1].kind, Kind::Crossing);
    }
    // A robot of one link that cannot move is checked all the same.
    const auto still = RobotCheck::make(parsed("<robot name='one'><link name='l'><collision><geometry><box size='2 2 "
                                               "2'/></geometry></collision></link></robot>"),
                                        nullptr, {{"pebble", *Model::build(files::box_mesh({1, 1, 1}).view())}});
    ASSERT_TRUE(still);
    const auto answers = check_all(*still, 1, {}, RobotAsk::Contacts);
    ASSERT_EQ(answers->hits.size(), 1u);
    EXPECT_EQ(answers->hits[0], (BodyHit{0, 0, Kind::Inside, Nesting::BInA}));
}

TEST_F(RobotChecks, BodiesWithinTheClearanceAreThoseOfTheDistances) {
    const auto check =
        RobotCheck::make(parsed(), nullptr, {{"block", *Model::build(files::box_mesh({1, 1, 1}).view())}});
    ASSERT_TRUE(check);
    const std::size_t n = 12, joints = check->robot().active.size();
    const std::vector<double> values = random_values(check->robot(), n, 4);
    for (const double limit : {0.05, 0.5, 20.0}) {
        const auto all = check_all(*check, n, values, {RobotAsk::Contacts, limit}, 2);
        const auto pairs = check_all(*check, n, values, {RobotAsk::Pairs, limit});
        const auto free = check_all(*check, n, values, {RobotAsk::Free, limit});
        const auto without = check_all(*check, n, values, RobotAsk::Contacts);
        ASSERT_TRUE(all && pairs && free && without);
        std::size_t close = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const auto pose = files::place(check->robot(), std::span(values).subspan(i * joints, joints));
            std::vector<BodyHit> expected(without->of(i).begin(), without->of(i).end());
            for (std::uint32_t k = 0; k < check->pairs().size(); ++k) {
                if (std::ranges::find(expected, k, &BodyHit::pair) != expected.end()) continue;
                const auto [a, b] = check->pairs()[k];
                const Pose& world_from_a = check->placement(pose->world_from_link, a);
                const Affine a_from_b = relative(world_from_a, check->placement(pose->world_from_link, b));
                const Closest found = distance(check->bodies()[a].model, check->bodies()[b].model, a_from_b);
                if (!(found.distance <= limit)) continue;
                expected.push_back({k, 0, Kind::Clearance, Nesting::None, placed(world_from_a, found)});
                EXPECT_EQ(check->closest(pose->world_from_link, k).distance, found.distance);
                ++close;
            }
            std::ranges::sort(expected, {}, &BodyHit::pair);
            const auto same = [](const BodyHit& x, const BodyHit& y) {
                return x.pair == y.pair && x.kind == y.kind && x.closest.has_value() == y.closest.has_value() &&
                       (!x.closest || x.closest->distance == y.closest->distance);
            };
            EXPECT_TRUE(std::ranges::equal(all->of(i), expected, same)) << limit << ", configuration " << i;
            EXPECT_TRUE(std::ranges::equal(pairs->of(i), expected, {}, &BodyHit::pair, &BodyHit::pair)) << i;
            EXPECT_EQ(free->of(i).empty(), expected.empty()) << i;
        }
        EXPECT_GT(close, 3u) << limit;
    }
}

TEST_F(RobotChecks, ValuesAndLimits) {
    files::Robot robot = parsed();
    EXPECT_EQ(rest_values(robot), (std::vector<double>{0, 0, 0}));
    for (Joint& joint : robot.joints) {
        if (joint.name == "lift") joint.lower = 1;
        if (joint.name == "swing") joint.upper = std::numeric_limits<double>::infinity(), joint.lower = 5;
    }
    EXPECT_EQ(rest_values(robot), (std::vector<double>{0, 1.5, 5}));
    const auto values = random_values(robot, 1000, 7);
    ASSERT_EQ(values.size(), 3000u);
    EXPECT_EQ(values, random_values(robot, 1000, 7));
    EXPECT_NE(values, random_values(robot, 1000, 8));
    for (std::size_t i = 0; i < 3000; i += 3) {
        EXPECT_LE(std::abs(values[i]), std::numbers::pi);
        EXPECT_TRUE(values[i + 1] >= 1 && values[i + 1] <= 2);
        EXPECT_TRUE(values[i + 2] >= 5 && values[i + 2] <= 5 + 2 * std::numbers::pi);
    }
    const auto check = RobotCheck::make(robot);
    ASSERT_TRUE(check);
    const auto answers = check_all(*check, 2, std::vector<double>{0, 1.5, 6, 0, 0, 6}, RobotAsk::Pairs);
    ASSERT_TRUE(answers);
    EXPECT_EQ(answers->beyond, 1u);
    EXPECT_EQ(answers->beyond_first, "joint lift: 0 is beyond its limits 1 to 2");
    const auto broken = check_all(*check, 2, std::vector<double>{0, 1.5, 6, std::nan(""), 0, 6}, RobotAsk::Pairs);
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.fault().message, "configuration 1: joint turn: its value is not finite");
}

TEST_F(RobotChecks, PathFiles) {
    const files::Robot robot = parsed();
    const auto read = [&](const std::string& text) { return files::parse_joint_path(text, "p", robot); };
    EXPECT_EQ(read("# a comment\n1 2 3\n\n4,5,6 # another\n")->values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(read("swing turn\n1 2\r\n3 4")->values, (std::vector<double>{2, 0, 1, 4, 0, 3}));
    EXPECT_EQ(read("1 2\n").fault().message, "p:1: 3 values expected, 2 given");
    EXPECT_EQ(read("1 2 3\n1 2 3 4\n").fault().message, "p:2: 3 values expected, 4 given");
    EXPECT_EQ(read("turn\n1\n2 3\n").fault().message, "p:3: 1 values expected, 2 given");
    EXPECT_EQ(read("turn push\n1 2\n").fault().message, "p:1: joint 'push' follows another and takes no value");
    EXPECT_EQ(read("turn nix\n1 2\n").fault().message, "p:1: arm has no joint 'nix'");
    EXPECT_FALSE(read("1 2 x\n"));
    EXPECT_FALSE(read(""));
    EXPECT_FALSE(read("turn swing\n"));
    EXPECT_FALSE(read("1 2 nan\n"));
}

TEST_F(RobotChecks, Frequencies) {
    const auto check = RobotCheck::make(parsed());
    ASSERT_TRUE(check);
    const auto values = random_values(check->robot(), 300, 1);
    const auto answers = check_all(*check, 300, values, RobotAsk::Contacts);
    ASSERT_TRUE(answers);
    const RobotRun run{*check, *answers, values, RobotAsk::Contacts};
    std::size_t sum = 0, last = answers->size();
    for (const PairFrequency& f : frequencies(run)) {
        sum += f.configurations;
        EXPECT_LE(f.configurations, last);
        last = f.configurations;
        EXPECT_TRUE(std::ranges::any_of(answers->of(f.at),
                                        [&](const BodyHit& h) { return h.pair == f.pair && h.contacts == f.most; }));
    }
    EXPECT_EQ(sum, answers->hits.size());
}

TEST_F(RobotChecks, ThePanda) {
    const fs::path folder = fs::path("..") / "shared" / "models" / "panda";
    if (!fs::exists(folder)) GTEST_SKIP() << "no ../shared/models/panda";
    const auto robot = files::read_robot((folder / "urdf" / "panda.urdf").string());
    ASSERT_TRUE(robot) << robot.fault().message;
    const auto semantics = files::read_semantics((folder / "srdf" / "panda.srdf").string(), *robot);
    ASSERT_TRUE(semantics) << semantics.fault().message;
    const auto check = RobotCheck::make(*robot, &*semantics);
    ASSERT_TRUE(check) << check.fault().message;
    EXPECT_EQ(check->bodies().size(), 11u);
    EXPECT_EQ(check->pairs().size(), 20u);
    const std::size_t n = at_length() ? 10'000 : 200;
    const std::size_t hit = expect_exact(*check, n, random_values(*robot, n, 1));
    EXPECT_GT(hit, n / 20);
    EXPECT_LT(hit, n - n / 20);
}

}  // namespace
}  // namespace graze::checks
