// SPDX-License-Identifier: Apache-2.0
// A GPU against the CPU, pose by pose. GRAZE_LONG sets how many poses each family has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "case_count.hpp"
#include "graze/gpu.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze {
namespace {

struct Shape {
    Model model;
    gpu::Model on_gpu;

    explicit Shape(const scenes::Soup& soup) : Shape(*Model::build(soup)) {}
    explicit Shape(const Model& m) : model(m), on_gpu(*gpu::Model::make(m)) {}
};

std::size_t poses_per_family() { return test::case_count(20'000, 20'000); }

/// Compares the three calls with the CPU's. Contacts are compared for at most so many poses, because they are many.
template <class Real>
void compare(const Shape& a, const Shape& b, const std::vector<Affine>& some, std::size_t n,
             std::size_t with_contacts) {
    std::vector<Real> rows;
    rows.reserve(12 * n);
    for (std::size_t i = 0; i < n; ++i)
        for (const double x : some[i % some.size()].rows()) rows.push_back(static_cast<Real>(x));
    const Poses poses = *Poses::from_numbers(std::span<const Real>(rows), PoseLayout::Rows);
    std::vector<std::uint8_t> cpu(n), own(n);
    ASSERT_TRUE(intersects(a.model, b.model, poses, cpu));
    ASSERT_TRUE(gpu::intersects(a.on_gpu, b.on_gpu, poses, own));
    EXPECT_TRUE(cpu == own);
    const std::size_t few = std::min(n, with_contacts);
    const Poses first = poses.part(0, few);
    std::vector<std::uint32_t> cpu_counts(few), counts(few);
    ASSERT_TRUE(count_contacts(a.model, b.model, first, cpu_counts));
    ASSERT_TRUE(gpu::count_contacts(a.on_gpu, b.on_gpu, first, counts));
    for (std::size_t i = 0; i < few; ++i) ASSERT_EQ(cpu_counts[i], counts[i]) << "pose " << i;
    BatchContacts expected, found;
    ASSERT_TRUE(collide(a.model, b.model, first, expected));
    ASSERT_TRUE(gpu::collide(a.on_gpu, b.on_gpu, first, found));
    for (std::size_t i = 0; i <= few; ++i) ASSERT_EQ(expected.offsets[i], found.offsets[i]) << "pose " << i;
    for (std::size_t i = 0; i < few; ++i) {
        const auto part = [&](BatchContacts& c) {
            return std::span(c.contacts).subspan(c.offsets[i], c.offsets[i + 1] - c.offsets[i]);
        };
        std::ranges::sort(part(expected));
        std::ranges::sort(part(found));
    }
    EXPECT_TRUE(expected.contacts == found.contacts);
}

void compare(const Shape& a, const Shape& b, const std::vector<Affine>& some, std::size_t with_contacts = 2'000) {
    const std::size_t n = std::max(poses_per_family(), some.size());
    compare<float>(a, b, some, n, with_contacts);
    compare<double>(a, b, some, n, with_contacts);
    // A batch so small that lanes share its poses.
    compare<float>(a, b, some, std::min<std::size_t>(some.size(), 500), 500);
}

std::vector<Affine> affine(const std::vector<Pose>& poses) { return {poses.begin(), poses.end()}; }

std::vector<Affine> at_random(const Shape& a, const Shape& b, std::uint64_t seed) {
    return affine(scenes::placements_at_hit_rate(a.model, b.model, 0.6, poses_per_family(), seed));
}

TEST(Gpu, RandomPoses) {
    const Shape torus(scenes::torus()), teapot(scenes::teapot());
    compare(torus, torus, at_random(torus, torus, 1), 20'000);
    compare(teapot, torus, at_random(teapot, torus, 2), 20'000);
}

TEST(Gpu, AffinePlacements) {
    const Shape torus(scenes::torus());
    std::vector<Affine> poses = at_random(torus, torus, 3);
    for (std::size_t i = 0; i < poses.size(); ++i) {
        auto r = poses[i].rows();
        const double grow = i % 4 == 0 ? 1.25 : i % 4 == 1 ? 40 : i % 4 == 2 ? 0.01 : 1e5;
        for (std::size_t k = 0; k < 12; k += 4) r[k] *= grow, r[k + 1] += 0.5 * r[k + 2];
        poses[i] = *Affine::from_rows(r);
    }
    compare(torus, torus, poses);
}

TEST(Gpu, LatticesOfTies) {
    const Shape lattice(scenes::cube_lattice(4)), box(scenes::box());
    scenes::Random random(4);
    std::vector<Affine> poses;
    for (std::uint32_t i = 0; i < 5'000; ++i) {
        const auto step = [&] { return (static_cast<double>(random.below(33)) - 16) / 4; };
        const double x = step(), y = step(), z = step();
        poses.push_back(scenes::placed(scenes::axis_rotation(i % 24), {x, y, z}));
    }
    compare(lattice, lattice, poses, 1'000);
    compare(lattice, box, poses, 1'000);
}

TEST(Gpu, TouchingSpheres) {
    const Shape sphere(scenes::sphere(2'000));
    std::vector<Affine> poses;
    for (const scenes::Touch& t : scenes::touching_placements(sphere.model, sphere.model, 500, 5))
        poses.push_back(t.clear), poses.push_back(t.hit);
    compare(sphere, sphere, poses);
}

TEST(Gpu, NeedlesAndDegenerateTriangles) {
    const Shape needles(scenes::needles(200, 1)), mixture(scenes::degenerate_mixture(300, 2));
    compare(needles, needles, at_random(needles, needles, 6), 500);
    compare(mixture, mixture, at_random(mixture, mixture, 7), 500);
    compare(mixture, needles, {Affine{}}, 500);
}

TEST(Gpu, Scales) {
    const scenes::Soup torus = scenes::torus(1, 0.4, 20, 20);
    const Shape one(torus);
    for (const double scale : {1e-12, 1e12}) {
        const Shape scaled(scenes::scale(torus, scale));
        compare(scaled, scaled, at_random(scaled, scaled, 8));
        // Too far from each other in size for floats: the CPU answers.
        compare(one, scaled, {Affine{}, *Pose::from_translation({0.6, 0, 0})}, 100);
    }
    const Shape far(scenes::transformed(torus, *Pose::from_translation({1e7, -3e6, 2e5})));
    std::vector<Affine> poses;
    for (const Pose& p : scenes::placements_at_hit_rate(one.model, one.model, 0.6, 2'000, 9))
        poses.push_back(*Pose::from_matrix(p.rotation(), p(Vec3{-1e7, 3e6, -2e5})));
    compare(one, far, poses);
}

TEST(Gpu, OtherLayouts) {
    const Shape torus(scenes::torus());
    const std::vector<Pose> poses = scenes::placements_at_hit_rate(torus.model, torus.model, 0.6, 3'000, 10);
    std::vector<std::uint8_t> cpu(poses.size()), own(poses.size());
    ASSERT_TRUE(intersects(torus.model, torus.model, poses, cpu));
    ASSERT_TRUE(gpu::intersects(torus.on_gpu, torus.on_gpu, poses, own));
    EXPECT_TRUE(cpu == own);
}

/// A GPU reads pinned memory as if it were its own.
TEST(Gpu, PlacementsInTheMemoryOfTheGpu) {
    const Shape torus(scenes::torus());
    const std::vector<Affine> poses = at_random(torus, torus, 12);
    const auto memory = gpu::PinnedMemory::make(poses.size() * 12 * sizeof(float));
    ASSERT_TRUE(memory.ok());
    const std::span<float> rows = memory->as<float>();
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(poses[i / 12].rows()[i % 12]);
    std::vector<std::uint8_t> cpu(poses.size()), own(poses.size());
    ASSERT_TRUE(intersects(torus.model, torus.model,
                           *Poses::from_numbers(std::span<const float>(rows), PoseLayout::Rows), cpu));
    ASSERT_TRUE(gpu::intersects(torus.on_gpu, torus.on_gpu, gpu::DevicePoses{rows.data(), poses.size(), true}, own));
    EXPECT_TRUE(cpu == own);
    own.pop_back();
    EXPECT_FALSE(gpu::intersects(torus.on_gpu, torus.on_gpu, gpu::DevicePoses{rows.data(), poses.size(), true}, own));
    EXPECT_TRUE(gpu::intersects(torus.on_gpu, torus.on_gpu, gpu::DevicePoses{}, std::span<std::uint8_t>{}));
}

/// Packed quaternions are converted on the GPU, with the rounding of the CPU.
TEST(Gpu, Quaternions) {
    const Shape torus(scenes::torus());
    scenes::Random random(11);
    const auto n = static_cast<std::size_t>(poses_per_family());
    const auto compare_all = [&]<class Real>(Real) {
        std::vector<Real> numbers(7 * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < 7; ++k)
                numbers[7 * i + k] = static_cast<Real>(random.between(-1, 1) * (k < 3 ? 1.6 : i % 3 == 0 ? 1e-30 : 1));
        const Poses poses = *Poses::from_numbers(std::span<const Real>(numbers), PoseLayout::Quaternions);
        std::vector<std::uint32_t> cpu(n), own(n);
        ASSERT_TRUE(count_contacts(torus.model, torus.model, poses, cpu));
        ASSERT_TRUE(gpu::count_contacts(torus.on_gpu, torus.on_gpu, poses, own));
        EXPECT_TRUE(cpu == own);
        BatchContacts expected, found;
        ASSERT_TRUE(collide(torus.model, torus.model, poses.part(0, 2'000), expected));
        ASSERT_TRUE(gpu::collide(torus.on_gpu, torus.on_gpu, poses.part(0, 2'000), found));
        EXPECT_EQ(expected.offsets, found.offsets);
        for (std::size_t k = 3; k < 7; ++k) numbers[7 * 5 + k] = 0;
        const auto zero = gpu::count_contacts(torus.on_gpu, torus.on_gpu, poses, own);
        ASSERT_FALSE(zero);
        EXPECT_EQ(zero.fault().message, count_contacts(torus.model, torus.model, poses, cpu).fault().message);
        numbers[7 * 5 + 3] = std::numeric_limits<Real>::infinity();
        EXPECT_FALSE(gpu::count_contacts(torus.on_gpu, torus.on_gpu, poses, own));
    };
    compare_all(float{});
    compare_all(double{});
}

TEST(Gpu, Faults) {
    const Shape torus(scenes::torus()), empty{Model()};
    std::vector<double> rows(36, 0.0);
    for (const std::size_t i : {0u, 5u, 10u}) rows[i] = rows[12 + i] = 1;
    std::vector<std::uint8_t> answers(3);
    const auto ask = [&](const Shape& b) {
        return gpu::intersects(torus.on_gpu, b.on_gpu,
                               *Poses::from_numbers(std::span<const double>(rows), PoseLayout::Rows), answers);
    };
    // The third placement has no inverse.
    const auto singular = ask(torus);
    ASSERT_FALSE(singular);
    EXPECT_NE(singular.fault().message.find("2"), std::string::npos) << singular.fault().message;
    rows[24] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(ask(torus));
    for (const std::size_t i : {24u, 29u, 34u}) rows[i] = 1;
    for (std::size_t i = 0; i < 36; ++i) {
        const double good = rows[i];
        rows[i] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_FALSE(ask(torus)) << i;
        rows[i] = good;
    }
    EXPECT_TRUE(ask(torus));
    EXPECT_TRUE(ask(empty));
    EXPECT_EQ(answers, (std::vector<std::uint8_t>{0, 0, 0}));
    answers.resize(2);
    EXPECT_FALSE(ask(torus));
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (const auto device = graze::gpu::device_name(); !device.ok()) {
        std::fprintf(stderr, "test_gpu: %s\n", device.fault().message.c_str());
        return 1;
    }
    return RUN_ALL_TESTS();
}
