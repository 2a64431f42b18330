// SPDX-License-Identifier: Apache-2.0
// The GPU's check of a robot, run on the CPU lane by lane, gives the answers of the CPU's own check.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "case_count.hpp"
#include "checks/robot_gpu.hpp"
#include "gpu/emulated_warp.hpp"
#include "gpu/robot_plan.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze::checks {
namespace {

using gpu::CellSide;

/// A column on a screw, a frame without shapes, an arm about a slanted axis, a slide that follows the column, and a
/// claw of two shapes, fixed on it and turned.
const std::string arm = R"(<robot name="arm">
  <link name="base"><collision><geometry><box size="0.6 0.6 0.2"/></geometry></collision></link>
  <link name="column"><collision><origin xyz="0 0 0.3"/><geometry><cylinder radius="0.12" length="0.6"/></geometry></collision></link>
  <link name="frame"/>
  <link name="arm"><collision><origin xyz="0.4 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
  <link name="slide"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="claw"><collision><origin xyz="0.2 0.1 0"/><geometry><box size="0.2 0.05 0.05"/></geometry></collision>
    <collision><origin xyz="0.2 -0.1 0"/><geometry><box size="0.2 0.05 0.05"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="column"/><origin xyz="0 0 0.11"/><axis xyz="0 0 1"/></joint>
  <joint name="top" type="fixed"><parent link="column"/><child link="frame"/><origin xyz="0 0 0.7" rpy="0.1 0.2 0.3"/></joint>
  <joint name="lift" type="revolute"><parent link="frame"/><child link="arm"/><axis xyz="0.36 0.8 0.48"/><limit lower="-0.5" upper="2.4" effort="1" velocity="1"/></joint>
  <joint name="push" type="prismatic"><parent link="arm"/><child link="slide"/><origin xyz="0.6 0 0"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-0.4" upper="0.8" effort="1" velocity="1"/><mimic joint="turn" multiplier="0.1" offset="0.2"/></joint>
  <joint name="grip" type="fixed"><parent link="slide"/><child link="claw"/><origin rpy="0.4 0 0"/></joint>
</robot>)";

scenes::Soup box_at(const Vec3& size, const Vec3& at) {
    return scenes::transformed(scenes::box(size * 0.5), *Pose::from_translation(at));
}

struct Case {
    RobotCheck check;
    gpu::RobotPlan plan;
    std::vector<double> values;
    std::size_t count;

    Case(std::vector<WorldObject> world, std::size_t n) : check(made(std::move(world))), count(n) {
        plan = *gpu::make_plan(check.prepared());
        values = random_values(check.robot(), n, 7);
    }
    std::span<const double> values_of(std::size_t i) const {
        const std::size_t each = plan.robot.value_count();
        return std::span(values).subspan(i * each, each);
    }

private:
    static RobotCheck made(std::vector<WorldObject> world) {
        files::Robot robot = *files::parse_robot(arm, "arm.urdf", {.tolerance = 1e-2});
        // URDF has no screws.
        Joint& turn = robot.joints[*robot.find_joint("turn")];
        turn.type = JointType::Screw, turn.pitch = 0.05;
        return *RobotCheck::make(std::move(robot), nullptr, std::move(world));
    }
};

/// The memory of a chunk, and the kernels as loops.
class Emulation {
public:
    Emulation(const Case& c, bool first) : plan_(c.plan), n_(static_cast<std::uint32_t>(c.count)) {
        const std::size_t words = plan_.words();
        links_.resize(12 * n_ * plan_.robot.link_count()), balls_.resize(4 * n_ * plan_.balls.size());
        near_.resize(n_ * words), state.resize(n_), found.resize(n_), bits.resize(n_ * words),
            inside.resize(n_ * words);
        members_.resize(n_), rows_.resize(12 * n_);
        std::vector<const CellSide*> cells;
        std::vector<const Vec3*> points;
        for (std::size_t i = 0; i < plan_.balls.size(); ++i) {
            cells.push_back(plan_.grids[i].cells.data()), points.push_back(plan_.shells[i].points.data());
            trees_.push_back(*gpu::make_tree(plan_.robot.bodies()[i].model));
        }
        pairs_ = plan_.pairs_at(cells, points);
        chunk_.joints = plan_.joints.data(), chunk_.balls = plan_.balls.data(), chunk_.pairs = pairs_.data();
        chunk_.root = plan_.robot.root(), chunk_.value_count = plan_.robot.value_count();
        chunk_.joint_count = static_cast<std::uint32_t>(plan_.joints.size());
        chunk_.ball_count = static_cast<std::uint32_t>(plan_.balls.size());
        chunk_.pair_count = static_cast<std::uint32_t>(pairs_.size());
        chunk_.size = n_, chunk_.first = first, chunk_.values = c.values.data();
        chunk_.links = links_.data(), chunk_.placed_balls = balls_.data(), chunk_.near = near_.data();
        chunk_.state = state.data(), chunk_.found = found.data(), chunk_.bits = bits.data();
        chunk_.inside = inside.data(), chunk_.unsure = unsure.data(), chunk_.members = members_.data(),
        chunk_.rows = rows_.data();
    }

    void run() {
        for (std::uint32_t i = 0; i < n_; ++i) gpu::RobotLane{chunk_}.begin(i);
        for (std::uint32_t p = 0; p < pairs_.size(); ++p) walk(p);
    }
    std::array<double, 12> rows_of(std::uint32_t link, std::uint32_t i) const {
        std::array<double, 12> out;
        for (int k = 0; k < 12; ++k) out[static_cast<std::size_t>(k)] = gpu::RobotLane{chunk_}.link_number(link, k, i);
        return out;
    }

    std::vector<std::uint8_t> state;
    std::vector<std::uint32_t> found, bits, inside, unsure;
    std::size_t walked = 0;

private:
    void walk(std::uint32_t p) {
        std::uint32_t n = 0;
        for (std::uint32_t i = 0; i < n_; ++i)
            if (gpu::RobotLane{chunk_}.wanted(p, i)) gpu::RobotLane{chunk_}.gather(p, i, n++);
        walked += n;
        const gpu::DeviceTree &a = trees_[pairs_[p].a], &b = trees_[pairs_[p].b];
        std::vector<std::uint8_t> hit(n);
        std::vector<std::uint32_t> left(n / 32 + 1), general(n), ties(n), beyond(n);
        std::uint32_t generals = 0, tied = 0, unknown = 0;
        gpu::Job<double> job{};
        job.a_boxes = a.boxes.data(), job.b_boxes = b.boxes.data();
        job.a_triangles = a.triangles.data(), job.b_triangles = b.triangles.data();
        job.frames = gpu::frames_of(a.frame, b.frame);
        job.rows = rows_.data();
        job.hit = hit.data(), job.left = left.data();
        job.general = {general.data(), &generals}, job.ties = {ties.data(), &tied};
        job.beyond = {beyond.data(), &unknown};
        const std::uint32_t depth = a.frame.depth + b.frame.depth;
        walk<gpu::Kind::Rigid>(job, nullptr, n, depth);
        ASSERT_EQ(generals, 0u);
        walk<gpu::Kind::Exact>(job, ties.data(), tied, depth);
        for (std::uint32_t k = 0; k < n; ++k)
            gpu::RobotLane{chunk_}.finish(p, k, hit[k] != 0, left[k / 32] >> (k % 32) & 1);
    }
    template <gpu::Kind kind>
    static void walk(gpu::Job<double> job, const std::uint32_t* list, std::uint32_t n, std::uint32_t depth) {
        std::uint32_t next = 0;
        job.next = &next, job.list = list, job.poses = n, job.parts = 1;
        using Walk = gpu::Walk<gpu::Find::Any, kind, double>;
        std::vector<gpu::Prepared<Walk::rigid>> prepared(list ? n == 0 ? 0 : 1 + *std::max_element(list, list + n) : n);
        job.prepared = prepared.data();
        for (std::uint32_t i = 0; i < n; ++i) Walk{job}.prepare(i);
        gpu::EmulatedWarp<typename Walk::Lane> warp(depth);
        Walk{job}.run(warp);
    }

    const gpu::RobotPlan& plan_;
    std::uint32_t n_;
    std::vector<double> links_, balls_, rows_;
    std::vector<std::uint32_t> near_, members_;
    std::vector<gpu::RobotPair> pairs_;
    std::vector<gpu::DeviceTree> trees_;
    gpu::RobotChunk chunk_{};
};

/// Compares with the CPU. Returns how many configurations were left to it.
std::size_t compare(const Case& c) {
    Emulation all(c, false), any(c, true);
    all.run(), any.run();
    const auto pairs = check_all(c.check, c.count, c.values, RobotAsk::Pairs);
    EXPECT_TRUE(pairs);
    EXPECT_LE(any.walked, all.walked);
    std::size_t left = 0;
    for (std::size_t i = 0; i < c.count; ++i) {
        const auto n = static_cast<std::uint32_t>(i);
        const auto pose = files::place(c.check.robot(), c.values_of(i));
        for (std::uint32_t link = 0; link < c.plan.robot.link_count(); ++link) {
            const auto own = all.rows_of(link, n), cpu = pose->world_from_link[link].rows();
            EXPECT_EQ(std::memcmp(own.data(), cpu.data(), sizeof own), 0) << "configuration " << i << " link " << link;
        }
        std::vector<std::uint32_t> expected(c.plan.words()), nested = expected, decided = expected;
        for (const BodyHit& hit : pairs->of(i)) {
            expected[hit.pair / 32] |= 1u << (hit.pair % 32);
            if (hit.kind != BodyHit().kind) nested[hit.pair / 32] |= 1u << (hit.pair % 32);
        }
        EXPECT_TRUE(c.plan.decide(c.values_of(i), {}, {}, [&](std::uint32_t p, bool) {
            decided[p / 32] |= 1u << (p % 32);
            return true;
        }));
        EXPECT_EQ(decided, expected) << i;
        const auto words_of = [&](std::vector<std::uint32_t>& of) {
            return std::span(of).subspan(i * expected.size(), expected.size());
        };
        EXPECT_EQ(all.state[i] & gpu::known::refused, 0);
        if (all.state[i] & gpu::known::unsure) {
            ++left;
            EXPECT_TRUE(c.plan.decide(c.values_of(i), {}, words_of(all.unsure), [&](std::uint32_t p, bool inside) {
                words_of(all.bits)[p / 32] |= 1u << (p % 32);
                if (inside) words_of(all.inside)[p / 32] |= 1u << (p % 32);
                return true;
            }));
        }
        EXPECT_TRUE(std::ranges::equal(words_of(all.bits), expected)) << i;
        EXPECT_TRUE(std::ranges::equal(words_of(all.inside), nested)) << i;
        const bool hit = any.state[i] & gpu::known::collides;
        if (hit) EXPECT_TRUE(expected[any.found[i] / 32] >> (any.found[i] % 32) & 1) << i;
        if (!hit && any.state[i] == 0) EXPECT_TRUE(pairs->of(i).empty()) << i;
        if (::testing::Test::HasFailure()) break;
    }
    return left;
}

std::size_t few() { return static_cast<std::size_t>(test::case_count(400, 60)); }

TEST(GpuRobot, AgainstItselfAndAWorld) {
    const Case c({{"torus", *Model::build(scenes::transformed(scenes::torus(), *Pose::from_translation({0, 0, 1})))},
                  {"pillar", *Model::build(box_at({0.3, 0.3, 2}, {0.7, 0.2, 0.5}))}},
                 few());
    EXPECT_LE(compare(c), c.count / 10);
}

TEST(GpuRobot, BodiesInsideOneAnother) {
    // The arm reaches into a large block, and hollow things float where it may close around them.
    const scenes::Soup small =
        scenes::joined(box_at({0.02, 0.02, 0.02}, {0.5, 0.1, 0.9}), box_at({0.01, 0.01, 0.01}, {0.4, -0.2, 1.1}));
    const Case c({{"block", *Model::build(box_at({1.5, 4, 4}, {0.95, 0, 0}))}, {"crumbs", *Model::build(small)}},
                 few());
    Emulation all(c, false);
    all.run();
    EXPECT_TRUE(std::ranges::any_of(all.inside, [](std::uint32_t w) { return w != 0; }));
    compare(c);
}

TEST(GpuRobot, AWorldAroundEverything) {
    // Nothing meets its surface and all is inside it: the grid says so, and the CPU is not asked.
    const Case c({{"room", *Model::build(box_at({9, 9, 9}, {}))}}, few() / 4);
    EXPECT_EQ(compare(c), 0u);
    // A hollow room has walls around an empty inside.
    const scenes::Soup hollow = scenes::joined(box_at({9, 9, 9}, {}), box_at({8, 8, 8}, {}));
    EXPECT_EQ(compare(Case({{"room", *Model::build(hollow)}}, few() / 4)), 0u);
}

TEST(GpuRobot, LargeValuesAreLeftToTheCpu) {
    Case c({}, 3);
    c.values[0] = 0x1p21;
    c.values[2] = 1e300;
    Emulation all(c, false);
    all.run();
    EXPECT_EQ(all.state[0], gpu::known::refused);
    EXPECT_EQ(all.state[1], gpu::known::refused);
    EXPECT_NE(all.state[2], gpu::known::refused);
    c.values[0] = std::numeric_limits<double>::quiet_NaN();
    Emulation other(c, true);
    other.run();
    EXPECT_EQ(other.state[0], gpu::known::refused);
    EXPECT_FALSE(c.plan.decide(c.values_of(0), {}, {}, [](std::uint32_t, bool) { return true; }));
}

TEST(GpuRobot, RobotsBeyondItsLimits) {
    const auto plan = [](const Joint& joint) {
        return gpu::make_plan(*graze::Robot::build({{joint}, {{"box", Model(), 0u}}, {}}));
    };
    const Joint joint{.name = "turn", .type = JointType::Revolute, .parent = 0, .child = 1};
    EXPECT_TRUE(plan(joint));
    Joint other = joint;
    other.parent_from_joint = *Pose::from_matrix({{Vec3{1.004, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}}, {});
    EXPECT_FALSE(plan(other));
    other = joint;
    other.parent_from_joint = *Pose::from_translation({0, 0x1p41, 0});
    EXPECT_EQ(plan(other).fault().message, "joint turn: its placement is too far away for a GPU");
    other = joint;
    other.type = JointType::Screw, other.pitch = 0x1p21;
    EXPECT_EQ(plan(other).fault().message, "joint turn: its pitch is too long for a GPU");
    const Vec3 corners[] = {{0x1p41, 0, 0}, {0x1p41, 1, 0}, {0x1p41, 0, 1}};
    const std::uint32_t triangle[] = {0, 1, 2};
    const Model far = *Model::build(SoupView(std::span<const Vec3>(corners), triangle));
    EXPECT_EQ(gpu::make_plan(*graze::Robot::build({{}, {{"far", far, 0u}}, {}})).fault().message,
              "body far: its coordinates are too large for a GPU");
}

TEST(Kinematics, SineAndCosine) {
    scenes::Random random(3);
    const auto close = [](double own, double exact) {
        const double unit = std::nextafter(std::abs(exact), 2.0) - std::abs(exact);
        return std::abs(own - exact) <= unit;
    };
    for (int i = 0; i < 100'000; ++i) {
        double x = i % 3 == 0   ? random.between(-7, 7)
                   : i % 3 == 1 ? random.between(-detail::max_angle, detail::max_angle)
                                : std::round(random.between(-1e5, 1e5)) * 1.5707963267948966;
        if (i % 7 == 0) x = std::ldexp(x, -40);
        const detail::SineCosine both = detail::sine_cosine(x);
        ASSERT_TRUE(close(both.sine, std::sin(x))) << x;
        ASSERT_TRUE(close(both.cosine, std::cos(x))) << x;
    }
}

}  // namespace
}  // namespace graze::checks
