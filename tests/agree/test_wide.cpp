// SPDX-License-Identifier: Apache-2.0
// Every scene by the wide tree, the binary tree, mixtures of both and brute force: one answer, and
// the same in every build, by a hash.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "agree/golden.hpp"
#include "agree/golden_cases.hpp"
#include "agree/mixed_poses.hpp"
#include "graze/study.hpp"
#include "scenes/pipes.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"

namespace graze {
namespace {

using scenes::Soup;
using Pairs = std::vector<TrianglePair>;

/// One soup in all its trees.
struct Trees {
    explicit Trees(Soup s)
        : soup(std::move(s)),
          wide(*Model::build(soup, {.threads = 1})),
          wide_by_two(*study::build(soup, {.refine = false, .threads = 2})),
          binary(*study::build(soup, {.tree = study::TreeKind::Binary, .threads = 1})) {
        for (const Model* m : {&wide, &wide_by_two, &binary}) {
            const auto sound = m->validate();
            EXPECT_TRUE(sound.ok()) << sound.fault().message;
        }
    }

    Soup soup;
    Model wide, wide_by_two, binary;
};

/// Sorted; the polygons of a soup of triangles are its triangles.
Pairs pairs(const Model& a, const Model& b, const Pose& pose, Scratch& scratch) {
    Pairs out;
    for (const Contact& c : collide(a, b, pose, {.scratch = &scratch})) {
        EXPECT_EQ(c.triangles, c.polygons);
        out.push_back(c.triangles);
    }
    std::sort(out.begin(), out.end());
    return out;
}

/// Stops after `count` contacts, each of which must be one of `all`, and none come twice.
void expect_early_stop(const Model& a, const Model& b, const Pose& pose, const Pairs& all, std::size_t count) {
    Pairs seen;
    const bool finished = for_each_contact(a, b, pose, [&](const Contact& c) {
        seen.push_back(c.triangles);
        return seen.size() == count ? Step::Stop : Step::Continue;
    });
    EXPECT_EQ(finished, all.size() < count);
    EXPECT_EQ(seen.size(), std::min(all.size(), count));
    std::sort(seen.begin(), seen.end());
    EXPECT_TRUE(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
    EXPECT_TRUE(std::includes(all.begin(), all.end(), seen.begin(), seen.end()));
}

/// The wide tree's answer, after all others agreed with it.
Pairs agreed(const Trees& a, const Trees& b, const Pose& pose, const scenes::Reference& truth, Scratch& scratch) {
    Pairs found = pairs(a.wide, b.wide, pose, scratch);
    EXPECT_EQ(found, truth.all(pose)) << "wide and brute force";
    EXPECT_EQ(found, pairs(a.binary, b.binary, pose, scratch)) << "wide and binary";
    EXPECT_EQ(found, pairs(a.wide_by_two, b.wide, pose, scratch)) << "wide trees built differently";
    EXPECT_EQ(found, pairs(a.wide, b.binary, pose, scratch)) << "wide against binary";
    for (const Model* m : {&a.wide, &a.wide_by_two, &a.binary})
        EXPECT_EQ(intersects(*m, b.wide, pose, {.scratch = &scratch}), !found.empty());
    expect_early_stop(a.wide, b.wide, pose, found, 1);
    expect_early_stop(a.wide, b.wide, pose, found, found.size() / 2 + 1);
    return found;
}

void expect_golden(const test::Hash& hash, std::uint64_t golden) {
    if (test::percent() != 100) return;
    EXPECT_EQ(hash.value(), golden);
    if (hash.value() != golden) std::printf("actual hash: 0x%016llxu\n", static_cast<unsigned long long>(hash.value()));
}

class WideScenes : public testing::TestWithParam<test::GoldenCase> {};

TEST_P(WideScenes, OneAnswer) {
    const test::GoldenCase& c = GetParam();
    const Trees a(c.a()), b(c.b());
    const scenes::Reference reference(a.soup, b.soup);
    Scratch scratch;
    test::Hash hash;
    std::size_t hits = 0, k = 0;
    const std::vector<Pose> poses =
        test::mixed_poses({a.soup, a.wide}, {b.soup, b.wide}, test::scaled(300), test::scaled(c.ties));
    for (const Pose& pose : poses) {
        SCOPED_TRACE("pose " + std::to_string(k));
        const Pairs found = agreed(a, b, pose, reference, scratch);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
        hash.add(found);
        hits += !found.empty();
        ++k;
    }
    EXPECT_GE(poses.size(), test::scaled(300));
    EXPECT_GT(hits, poses.size() / 8);
    EXPECT_LT(hits, poses.size());
    expect_golden(hash, c.golden);
}

std::vector<test::GoldenCase> cases() {
    using namespace scenes;
    std::vector<test::GoldenCase> all = test::quick_cases();
    all.insert(all.end(),
               {
                   {"Spheres", [] { return sphere(2000); }, [] { return sphere(1280); }, 30, 0x35089ffb65797098u},
                   {"FineSpheres", [] { return sphere(); }, [] { return sphere(20'000); }, 10, 0xbf0e9edea89a5a2du},
                   {"WrinkledTorus", [] { return wrinkled_torus(); }, [] { return wrinkled_torus(); }, 10,
                    0xd19cbdbce57df8ebu},
                   {"TorusInLandscape", [] { return landscape(60); }, [] { return wrinkled_torus(); }, 10,
                    0xaf7d7362258ede72u},
                   {"Pipes", [] { return pipes({.cells = 5}); },
                    [] { return pipes({.cells = 3, .size = 0.3, .seed = 2}); }, 60, 0x674b4b920dccaa37u},
                   {"Teapot", [] { return teapot(7); }, [] { return teapot(7); }, 40, 0xbebe6dfffed7443bu},
               });
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, WideScenes, testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

/// One to nine triangles, each number with each: roots that are leaves, and the first that is not.
TEST(WideTree, Tiny) {
    std::vector<std::unique_ptr<Trees>> trees;
    for (std::uint32_t n = 1; n <= 9; ++n) trees.push_back(std::make_unique<Trees>(scenes::tiny(n, n)));
    Scratch scratch;
    test::Hash hash;
    std::size_t hits = 0, count = 0;
    for (const auto& a : trees)
        for (const auto& b : trees) {
            const scenes::Reference reference(a->soup, b->soup);
            for (const Pose& pose :
                 test::mixed_poses({a->soup, a->wide}, {b->soup, b->wide}, test::scaled(40), test::scaled(10))) {
                const Pairs found = agreed(*a, *b, pose, reference, scratch);
                ASSERT_FALSE(HasNonfatalFailure());
                hash.add(found);
                hits += !found.empty();
                ++count;
            }
        }
    EXPECT_GT(hits, count / 4);
    EXPECT_LT(hits, count);
    expect_golden(hash, 0x056736666b3606eau);
}

TEST(WideTree, Empty) {
    const Trees none(Soup{}), some(scenes::tiny(9, 1));
    for (const auto& [a, b] : {std::pair(&none, &none), std::pair(&none, &some), std::pair(&some, &none)}) {
        EXPECT_FALSE(intersects(a->wide, b->wide, Pose()));
        EXPECT_FALSE(intersects(a->binary, b->wide, Pose()));
        EXPECT_TRUE(collide(a->wide, b->wide, Pose()).empty());
        EXPECT_TRUE(for_each_contact(a->wide, b->wide, Pose(), [](const Contact&) { return Step::Stop; }));
    }
}

}  // namespace
}  // namespace graze
