// SPDX-License-Identifier: Apache-2.0
// Batches of placements answer as single queries do: every kind of input, any number of threads, with and without a
// margin, a front and a limit. ThreadSanitizer runs this too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "agree/golden.hpp"
#include "agree/golden_cases.hpp"
#include "agree/mixed_poses.hpp"
#include "blocks.hpp"
#include "graze/graze.hpp"
#include "scenes/paths.hpp"
#include "scenes/placements.hpp"

namespace graze {
namespace {

using test::at;

/// Answers of single queries to all placements.
struct Expected {
    std::vector<std::uint8_t> meets;
    std::vector<std::uint32_t> counts;
    std::vector<std::vector<Contact>> contacts;
};

std::vector<Contact> sorted(std::span<const Contact> contacts) {
    std::vector<Contact> out(contacts.begin(), contacts.end());
    std::ranges::sort(out);
    return out;
}

Expected single(const Model& a, const Model& b, const Poses& poses, double margin) {
    Expected out;
    for (std::size_t i = 0; i < poses.size(); ++i) {
        const Affine placement = *poses[i];
        out.meets.push_back(within(a, b, placement, margin));
        out.contacts.push_back(sorted(collide_within(a, b, placement, margin)));
        out.counts.push_back(static_cast<std::uint32_t>(out.contacts.back().size()));
    }
    return out;
}

/// The first placement in the order of bisection, found by another way than the library's: intervals are halved.
std::optional<std::size_t> first_by_halves(const std::vector<std::uint8_t>& meets) {
    const std::size_t n = meets.size(), whole = std::bit_ceil(std::max<std::size_t>(n, 1));
    const auto hit = [&](std::size_t from_end) { return from_end < n && meets[n - 1 - from_end] != 0; };
    if (hit(0)) return n - 1;
    for (std::size_t step = whole; step > 1; step /= 2) {
        // Points of one level come in the order of the level above them.
        std::vector<std::size_t> order{0};
        for (std::size_t s = whole; s > step; s /= 2) {
            const std::size_t known = order.size();
            for (std::size_t k = 0; k < known; ++k) order.push_back(order[k] + s / 2);
        }
        for (const std::size_t k : order)
            if (hit(k + step / 2)) return n - 1 - (k + step / 2);
    }
    return {};
}

void expect_same(const Model& a, const Model& b, const Poses& poses, double margin, const Expected& expected,
                 unsigned threads) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const BatchSettings settings{.threads = threads};
    const bool plain = margin == 0;
    std::vector<std::uint8_t> meets(poses.size(), 7);
    ASSERT_TRUE(plain ? intersects(a, b, poses, meets, settings) : within(a, b, poses, margin, meets, settings));
    EXPECT_EQ(meets, expected.meets);
    std::vector<std::uint32_t> counts(poses.size(), 7);
    ASSERT_TRUE(plain ? count_contacts(a, b, poses, counts, settings)
                      : count_within(a, b, poses, margin, counts, settings));
    EXPECT_EQ(counts, expected.counts);
    BatchContacts found;
    ASSERT_TRUE(plain ? collide(a, b, poses, found, settings) : collide_within(a, b, poses, margin, found, settings));
    ASSERT_EQ(found.size(), poses.size());
    for (std::size_t i = 0; i < poses.size(); ++i) ASSERT_EQ(sorted(found[i]), expected.contacts[i]) << i;
    const auto hit = std::ranges::find(expected.meets, 1);
    std::optional<std::size_t> smallest;
    if (hit != expected.meets.end()) smallest = static_cast<std::size_t>(hit - expected.meets.begin());
    const auto first = [&](PoseOrder order) {
        return *(plain ? first_collision(a, b, poses, order, settings)
                       : first_within(a, b, poses, margin, order, settings));
    };
    EXPECT_EQ(first(PoseOrder::Given), smallest);
    EXPECT_EQ(first(PoseOrder::Bisection), first_by_halves(expected.meets));
}

class BatchScenes : public testing::TestWithParam<test::GoldenCase> {};

TEST_P(BatchScenes, AnswersAsSingleQueries) {
    const test::GoldenCase& one = GetParam();
    const scenes::Soup soup_a = one.a(), soup_b = one.b();
    const Model a = *Model::build(soup_a, {.threads = 1}), b = *Model::build(soup_b, {.threads = 1});
    const std::vector<Pose> poses =
        test::mixed_poses({soup_a, a}, {soup_b, b}, test::scaled(150), test::scaled(one.ties / 2));
    const double size = std::min(scenes::bounding_ball(a).radius, scenes::bounding_ball(b).radius);
    for (const double margin : {0.0, size / 128, size / 8}) {
        const Expected expected = single(a, b, poses, margin);
        for (const unsigned threads : {1u, 2u, 5u}) expect_same(a, b, poses, margin, expected, threads);
    }
}

INSTANTIATE_TEST_SUITE_P(All, BatchScenes, testing::ValuesIn(test::quick_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

/// Numbers of all placements, with `gap` numbers that are NaN between two of them.
template <class T>
std::vector<T> numbers_of(const std::vector<std::vector<double>>& rows, std::size_t gap) {
    std::vector<T> out;
    for (const std::vector<double>& row : rows) {
        if (!out.empty()) out.insert(out.end(), gap, std::numeric_limits<T>::quiet_NaN());
        for (const double x : row) out.push_back(static_cast<T>(x));
    }
    return out;
}

TEST(Batch, TakesEveryKindOfInput) {
    const scenes::Soup torus = scenes::torus(1, 0.4, 12, 8);
    const Model a = *Model::build(torus, {.threads = 1}), b = a;
    std::vector<Affine> affines;
    std::vector<std::vector<double>> rows, matrices, quaternions;
    scenes::Random random(1);
    for (int i = 0; i < 60; ++i) {
        std::vector<double> seven;
        for (int k = 0; k < 7; ++k) seven.push_back(random.between(-1, 1) * (k < 3 ? 2.2 : 1));
        quaternions.push_back(seven);
        const Pose pose =
            *Pose::from_quaternion({seven[3], seven[4], seven[5], seven[6]}, {seven[0], seven[1], seven[2]});
        // Every other one is sheared and scaled.
        std::array<double, 12> row = pose.rows();
        if (i % 2) row[0] *= 1.5, row[1] += 0.3, row[6] -= 0.2;
        affines.push_back(*Affine::from_rows(row));
        rows.emplace_back(row.begin(), row.end());
        matrices.push_back(rows.back());
        matrices.back().insert(matrices.back().end(), {0, 0, 0, 1});
    }
    const auto check = [&](const Poses& poses, PoseLayout layout) {
        EXPECT_EQ(poses.layout(), layout);
        ASSERT_EQ(poses.size(), rows.size());
        const Expected expected = single(a, b, poses, 0);
        EXPECT_GT(std::ranges::count(expected.meets, 1), 10);
        EXPECT_GT(std::ranges::count(expected.meets, 0), 10);
        for (const unsigned threads : {1u, 2u}) expect_same(a, b, poses, 0, expected, threads);
    };
    check(affines, PoseLayout::Affines);
    for (const auto& [layout, values] :
         {std::pair(PoseLayout::Rows, rows), {PoseLayout::Matrices, matrices}, {PoseLayout::Quaternions, quaternions}})
        for (const std::size_t gap : {0u, 3u}) {
            const std::size_t stride = gap == 0 ? 0 : values[0].size() + gap;
            const std::vector<double> doubles = numbers_of<double>(values, gap);
            const std::vector<float> floats = numbers_of<float>(values, gap);
            const Poses wide = *Poses::from_numbers(doubles, layout, stride);
            const Poses narrow = *Poses::from_numbers(floats, layout, stride);
            EXPECT_FALSE(wide.has_floats());
            EXPECT_TRUE(narrow.has_floats());
            check(wide, layout);
            check(narrow, layout);
            // Placements are what the functions for one make of the numbers, widened.
            for (std::size_t i = 0; i < values.size(); ++i) {
                std::vector<double> v(values[i].size());
                for (std::size_t k = 0; k < v.size(); ++k) v[k] = static_cast<float>(values[i][k]);
                if (layout == PoseLayout::Quaternions)
                    EXPECT_EQ(*narrow[i], Affine(*Pose::from_quaternion({v[3], v[4], v[5], v[6]}, {v[0], v[1], v[2]})));
                else
                    EXPECT_EQ(narrow[i]->rows()[5], v[5]);
                if (layout == PoseLayout::Rows) {
                    EXPECT_EQ(*wide[i], affines[i]);
                }
            }
            const Poses part = wide.part(10, 5);
            ASSERT_EQ(part.size(), 5u);
            EXPECT_EQ(*part[4], *wide[14]);
            EXPECT_EQ(wide.part(58, 5).size(), 2u);
            EXPECT_TRUE(wide.part(61, 5).empty());
        }
}

TEST(Batch, NamesTheFirstPlacementThatIsNone) {
    const Model box = *Model::build(scenes::box());
    std::vector<double> rows;
    for (int i = 0; i < 1000; ++i) {
        const std::array<double, 12> row = at(0.01 * i + 3, 0, 0).rows();
        rows.insert(rows.end(), row.begin(), row.end());
    }
    rows[12 * 700 + 3] = std::numeric_limits<double>::quiet_NaN();
    rows[12 * 411] = std::numeric_limits<double>::infinity();
    rows[12 * 900 + 5] = 0;
    const Poses poses = *Poses::from_numbers(rows, PoseLayout::Rows);
    std::vector<std::uint8_t> meets(1000);
    std::vector<std::uint32_t> counts(1000);
    BatchContacts found;
    const std::string message = "placement 411: affine: entry (0, 0) of the matrix is not finite";
    for (const unsigned threads : {1u, 2u, 4u}) {
        const BatchSettings settings{.threads = threads};
        EXPECT_EQ(intersects(box, box, poses, meets, settings).fault().message, message);
        EXPECT_EQ(count_contacts(box, box, poses, counts, settings).fault().message, message);
        EXPECT_EQ(collide(box, box, poses, found, settings).fault().message, message);
        EXPECT_EQ(found.size(), 0u);
        EXPECT_EQ(first_collision(box, box, poses, PoseOrder::Given, settings).fault().message, message);
    }
    // Invalid placements after the first collision are not faults.
    rows[3] = 0;
    EXPECT_EQ(*first_collision(box, box, poses), std::optional<std::size_t>(0));
    rows[12 * 999 + 3] = 0;
    EXPECT_EQ(*first_collision(box, box, poses, PoseOrder::Bisection), std::optional<std::size_t>(999));
}

TEST(Batch, RefusesLengthsThatDoNotFit) {
    const Model box = *Model::build(scenes::box());
    const std::vector<double> numbers(24, 0.5);
    EXPECT_EQ(Poses::from_numbers(std::span(numbers).first(23), PoseLayout::Rows).fault().message,
              "poses: placement 1 has 11 of 12 numbers");
    EXPECT_EQ(Poses::from_numbers(numbers, PoseLayout::Rows, 11).fault().message,
              "poses: a stride of 11 is too short for 12 numbers");
    EXPECT_EQ(Poses::from_numbers(numbers, PoseLayout::Poses).fault().message,
              "poses: this layout is not one of numbers");
    EXPECT_EQ(Poses::from_numbers(numbers, PoseLayout::Quaternions, 17)->size(), 2u);
    EXPECT_TRUE(Poses::from_numbers(std::span<const float>(), PoseLayout::Matrices)->empty());
    const std::vector<Pose> poses(3);
    std::vector<std::uint8_t> meets(2);
    EXPECT_EQ(intersects(box, box, poses, meets).fault().message, "batch: there is room for 2 answers, not for 3");
}

TEST(Batch, EmptyModelsAndListsAndBoundsOfSettings) {
    const Model none = *Model::build(scenes::Soup{}), box = *Model::build(scenes::box());
    const std::vector<Pose> poses(40), no_poses;
    std::vector<std::uint8_t> meets(40, 7);
    BatchContacts found;
    for (const double margin : {0.0, std::numeric_limits<double>::infinity()}) {
        ASSERT_TRUE(within(none, box, poses, margin, meets));
        EXPECT_EQ(std::ranges::count(meets, 0), 40);
        EXPECT_FALSE(first_within(box, none, poses, margin, PoseOrder::Bisection)->has_value());
    }
    ASSERT_TRUE(collide(box, box, no_poses, found));
    EXPECT_EQ(found.offsets, std::vector<std::size_t>{0});
    EXPECT_FALSE(first_collision(box, box, no_poses, PoseOrder::Bisection)->has_value());
    ASSERT_TRUE(collide(box, box, poses, found, {.max_contacts = 5}));
    EXPECT_EQ(found.contacts.size(), 200u);
    std::vector<std::uint32_t> counts(40);
    QueryStats stats;
    ASSERT_TRUE(count_contacts(box, box, poses, counts, {.max_contacts = 3, .stats = &stats}));
    EXPECT_EQ(std::ranges::count(counts, 3u), 40);
    EXPECT_GE(stats.triangle_tests, 120u);
    const std::vector<Pose> apart(40, at(9, 0, 0));
    ASSERT_TRUE(count_within(box, box, apart, std::numeric_limits<double>::quiet_NaN(), counts));
    EXPECT_EQ(std::ranges::count(counts, 144u), 40);
    // A negative length: nothing, also where they meet.
    ASSERT_TRUE(within(box, box, poses, -1, meets));
    EXPECT_EQ(std::ranges::count(meets, 0), 40);
    ASSERT_TRUE(count_within(box, box, poses, -1, counts));
    EXPECT_EQ(std::ranges::count(counts, 0u), 40);
    ASSERT_TRUE(collide_within(box, box, poses, -1, found));
    EXPECT_EQ(found.size(), 40u);
    EXPECT_TRUE(found.contacts.empty());
    EXPECT_FALSE(first_within(box, box, poses, -1)->has_value());
}

TEST(Batch, TellsProgressAndStops) {
    const Model a = *Model::build(scenes::sphere(500));
    const std::vector<Pose> poses(3000, at(1.5, 0, 0));
    std::vector<std::uint8_t> meets(poses.size(), 7);
    std::vector<std::size_t> told;
    const auto tell = [&](std::size_t done) {
        EXPECT_EQ(std::ranges::count(std::span(meets).first(done), 7), 0);
        told.push_back(done);
        return Step::Continue;
    };
    ASSERT_TRUE(intersects(a, a, poses, meets, {.threads = 2, .progress = tell}));
    EXPECT_EQ(told.back(), poses.size());
    EXPECT_GT(told.size(), 2u);
    EXPECT_TRUE(std::ranges::is_sorted(told));
    std::ranges::fill(meets, 7);
    std::size_t calls = 0;
    const auto stop = [&](std::size_t) { return ++calls == 2 ? Step::Stop : Step::Continue; };
    ASSERT_TRUE(intersects(a, a, poses, meets, {.threads = 2, .progress = stop}));
    EXPECT_EQ(calls, 2u);
    EXPECT_EQ(meets.back(), 7);
    calls = 0;
    BatchContacts found;
    ASSERT_TRUE(collide(a, a, poses, found, {.threads = 2, .progress = stop}));
    EXPECT_EQ(found.size(), 0u);
    EXPECT_TRUE(found.contacts.empty());
}

TEST(Batch, FollowsAFront) {
    const Model a = *Model::build(scenes::torus(1, 0.4, 24, 16));
    std::vector<Pose> path;
    for (int i = 0; i < 200; ++i) path.push_back(at(0.02 * i, 0.1, 0.2));
    const Expected expected = single(a, a, path, 0);
    Front front;
    std::vector<std::uint8_t> meets(path.size());
    ASSERT_TRUE(intersects(a, a, path, meets, {.front = &front}));
    EXPECT_EQ(meets, expected.meets);
    EXPECT_GT(std::ranges::count(meets, 0), 50);
    std::vector<std::uint32_t> counts(path.size());
    Front other;
    ASSERT_TRUE(count_contacts(a, a, path, counts, {.front = &other}));
    EXPECT_EQ(counts, expected.counts);
}

TEST(Batch, AWitnessIsTriedFirstAndKept) {
    const Model a = *Model::build(scenes::sphere(5000));
    TrianglePair witness{4'000'000'000u, 0};
    ASSERT_TRUE(intersects(a, a, at(1.5, 0, 0), {.witness = &witness}));
    ASSERT_LT(witness.a, a.triangle_count());
    const TrianglePair met = witness;
    QueryStats stats;
    ASSERT_TRUE(intersects(a, a, at(1.5, 0, 0), {.stats = &stats, .witness = &witness}));
    EXPECT_EQ(stats.triangle_tests, 1u);
    EXPECT_EQ(stats.box_tests, 0u);
    EXPECT_FALSE(intersects(a, a, at(3, 0, 0), {.witness = &witness}));
    EXPECT_EQ(witness, met);
    // Lengths for which `within` searches for the distance, and for which it searches for contacts.
    for (const double length : {0.5, 0.01}) {
        const Pose apart = at(2 + length / 2, 0, 0);
        witness = {4'000'000'000u, 0};
        ASSERT_TRUE(within(a, a, apart, length, {.witness = &witness}));
        ASSERT_LT(witness.a, a.triangle_count());
        const TrianglePair near = witness;
        stats = {};
        ASSERT_TRUE(within(a, a, apart, length, {.stats = &stats, .witness = &witness}));
        EXPECT_EQ(stats.triangle_tests, 1u);
        EXPECT_EQ(stats.box_tests, 0u);
        EXPECT_FALSE(within(a, a, at(4, 0, 0), length, {.witness = &witness}));
        EXPECT_EQ(witness, near);
    }
}

}  // namespace
}  // namespace graze
