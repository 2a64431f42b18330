// SPDX-License-Identifier: Apache-2.0
// Parts that are made to fit into each other, with overlaps of known depth.
#include <gtest/gtest.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "checks/clash.hpp"
#include "checks/contact_kind.hpp"
#include "scenes/fits.hpp"

namespace graze::checks {
namespace {

using scenes::Fit;
using scenes::FitPair;

/// Depths and distances are rounded by less.
constexpr double rounding = 1e-11;

std::string words(const FitPair& pair, const scenes::FitSettings& how) {
    return std::string(scenes::name(pair.kind)) + ", size " + std::to_string(how.size) + ", depth " +
           std::to_string(how.depth) + ", " + std::to_string(how.triangles) + " triangles, seed " +
           std::to_string(how.seed) + (how.turned ? ", turned" : "") + ", deep between " + std::to_string(pair.low) +
           " and " + std::to_string(pair.high) + ", band " + std::to_string(pair.band());
}

/// Pairs of parts side by side: parts 2i and 2i + 1 make pair i.
struct Corpus {
    Parts parts;
    std::vector<FitPair> pairs;
    std::vector<scenes::FitSettings> how;

    void add(Fit kind, const scenes::FitSettings& settings) {
        FitPair pair = scenes::fit(kind, settings);
        const Vec3 beside{4.0 * static_cast<double>(pairs.size() % 16), 4.0 * static_cast<double>(pairs.size() / 16),
                          0};
        for (FitPair::Part& part : pair.parts) {
            const Pose& world = part.world_from_shape;
            if (kind != Fit::Copy || &part == &pair.parts[0])
                parts.models.push_back(*Model::build(part.shape.view(), {.threads = 1}));
            parts.parts.push_back(
                {.path = "part-" + std::to_string(parts.parts.size()),
                 .model = static_cast<std::uint32_t>(parts.models.size() - 1),
                 .world_from_model = *Pose::from_matrix(world.rotation(), world.translation() + beside),
                 .error = part.error});
            part.shape = {};
        }
        pairs.push_back(std::move(pair));
        how.push_back(settings);
    }
};

Corpus corpus(std::uint32_t triangles, std::uint64_t seeds) {
    Corpus out;
    for (int kind = 0; kind < scenes::fit_kinds; ++kind)
        for (const double depth : {-1e-3, 0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2})
            for (std::uint64_t seed = 1; seed <= seeds; ++seed)
                for (const bool turned : {false, true})
                    out.add(static_cast<Fit>(kind), {.size = seed % 2 == 0 ? 1.0 : 0.1,
                                                     .depth = depth,
                                                     .triangles = triangles,
                                                     .turned = turned,
                                                     .seed = seed});
    return out;
}

/// The clash of each pair, fits included, or null. Reports pairs of parts that have nothing to do with each other.
std::vector<const Clash*> by_pair(const Corpus& corpus, const Clashes& found) {
    std::vector<const Clash*> out(corpus.pairs.size());
    for (const std::vector<Clash>* list : {&found.clashes, &found.fits})
        for (const Clash& clash : *list) {
            const bool own = clash.a % 2 == 0 && clash.b == clash.a + 1 && !out[clash.a / 2];
            EXPECT_TRUE(own) << clash.a << " and " << clash.b << ": " << name(clash.kind);
            if (own) out[clash.a / 2] = &clash;
        }
    return out;
}

bool deep(Kind kind) { return kind == Kind::Crossing || kind == Kind::Inside || kind == Kind::Duplicate; }

TEST(Fits, OverlapsDeeperThanTheErrorsAreFoundAndNothingElse) {
    std::map<std::string, int> seen;
    for (const auto& [triangles, seeds] : {std::pair(100u, 4u), std::pair(1'000u, 2u)}) {
        const Corpus all = corpus(triangles, seeds);
        const Result<Clashes> found = find_clashes(all.parts, {.measured = 0});
        ASSERT_TRUE(found);
        const std::vector<const Clash*> clashes = by_pair(all, *found);
        for (std::size_t i = 0; i < clashes.size(); ++i) {
            const FitPair& pair = all.pairs[i];
            SCOPED_TRACE(words(pair, all.how[i]));
            const Clash* clash = clashes[i];
            const std::string kind = clash ? name(clash->kind) : "nothing";
            const bool shallow = pair.high <= pair.band() - rounding, certain = pair.low > pair.band() + rounding;
            if (pair.kind == Fit::Copy) {
                ASSERT_NE(clash, nullptr);
                if (shallow || pair.high == 0)
                    EXPECT_EQ(kind, "duplicate");
                else if (certain)
                    EXPECT_EQ(kind, "crossing");
                seen[shallow ? "near copies" : "copies"] += shallow || certain;
                continue;
            }
            if (clash) EXPECT_NEAR(clash->band, pair.band(), 1e-15);
            if (certain) {
                EXPECT_TRUE(clash && deep(clash->kind)) << kind;
                ++seen["deep"];
            } else if (shallow) {
                EXPECT_TRUE(!clash || !deep(clash->kind)) << kind;
                if (pair.low > rounding) EXPECT_EQ(kind, "fit");
                ++seen[pair.low > rounding ? "fits" : "nominal"];
            } else if (pair.band() == 0 && pair.high == 0) {
                EXPECT_TRUE(!clash || clash->kind == Kind::Touching) << kind;
                ++seen["exact"];
            } else {
                EXPECT_TRUE(!clash || clash->kind != Kind::Duplicate) << kind;
                ++seen["either"];
            }
        }
    }
    for (const auto& [what, count] : seen) std::printf("%s: %d\n", what.c_str(), count);
    for (const char* what : {"near copies", "copies", "deep", "fits", "nominal", "exact"}) EXPECT_GT(seen[what], 10);
}

TEST(Fits, DepthsAreThoseThatWerePlanted) {
    int deep_ones = 0;
    for (int kind = 0; kind < scenes::fit_kinds; ++kind)
        for (const double depth : {-1e-3, 0.0, 1e-6, 1e-3, 1e-2})
            for (std::uint64_t seed = 1; seed <= 4; ++seed)
                for (const bool turned : {false, true}) {
                    const scenes::FitSettings how{
                        .size = 0.1, .depth = depth, .triangles = 100, .turned = turned, .seed = seed};
                    const FitPair pair = scenes::fit(static_cast<Fit>(kind), how);
                    SCOPED_TRACE(words(pair, how));
                    const auto& [one, other] = pair.parts;
                    const Solid a(*Model::build(one.shape.view(), {.threads = 1}));
                    const Solid b(*Model::build(other.shape.view(), {.threads = 1}));
                    EXPECT_EQ(a.flaw(), Flaw::None);
                    EXPECT_EQ(b.flaw(), Flaw::None);
                    if (pair.kind == Fit::Copy) continue;
                    const Affine place = *relative(Affine(one.world_from_shape), Affine(other.world_from_shape));
                    const Depth found = inside_depth(a, b, place);
                    EXPECT_LE(found.low, pair.high + rounding);
                    EXPECT_GE(found.high, pair.low - rounding);
                    EXPECT_LE(found.high, found.low * 1.0101 + 1e-6);
                    deep_ones += pair.low > 0;
                }
    EXPECT_GT(deep_ones, 100);
}

/// With no error given, depths decide whether crossings are thin.
TEST(Fits, ToleranceMakesShallowCrossingsThin) {
    const Corpus all = corpus(100, 2);
    for (const double tolerance : {2e-5, 5e-3}) {
        const Result<Clashes> found = find_clashes(all.parts, {.tolerance = tolerance, .error = 0.0, .measured = 0});
        ASSERT_TRUE(found);
        EXPECT_TRUE(found->fits.empty());
        const std::vector<const Clash*> clashes = by_pair(all, *found);
        int thin = 0, thick = 0;
        for (std::size_t i = 0; i < clashes.size(); ++i) {
            const FitPair& pair = all.pairs[i];
            SCOPED_TRACE(words(pair, all.how[i]) + ", tolerance " + std::to_string(tolerance));
            const Clash* clash = clashes[i];
            if (pair.kind == Fit::Copy) {
                ASSERT_NE(clash, nullptr);
                EXPECT_STREQ(name(clash->kind), pair.high == 0 ? "duplicate" : "crossing");
                EXPECT_FALSE(clash->thin);
                continue;
            }
            if (pair.low > rounding) {
                ASSERT_NE(clash, nullptr);
                EXPECT_TRUE(deep(clash->kind)) << name(clash->kind);
            }
            if (!clash || clash->kind != Kind::Crossing) continue;
            if (pair.low > tolerance + rounding) {
                EXPECT_FALSE(clash->thin);
                ++thick;
            }
            if (pair.high < tolerance - rounding) {
                EXPECT_TRUE(clash->thin);
                ++thin;
            }
        }
        EXPECT_GT(thin, 5);
        EXPECT_GT(thick, 5);
    }
}

TEST(Fits, CopiesAMicrometreAwayAreDuplicatesWithinTheirErrors) {
    Corpus all;
    for (std::uint64_t seed = 1; seed <= 30; ++seed)
        for (const bool turned : {false, true})
            all.add(Fit::Copy, {.size = 0.3, .depth = 1e-6, .triangles = 300, .turned = turned, .seed = seed});
    const auto kinds = [&](const ClashSettings& settings, Kind kind) {
        const Result<Clashes> found = find_clashes(all.parts, settings);
        ASSERT_TRUE(found);
        const std::vector<const Clash*> clashes = by_pair(all, *found);
        for (std::size_t i = 0; i < clashes.size(); ++i) {
            SCOPED_TRACE(words(all.pairs[i], all.how[i]));
            ASSERT_NE(clashes[i], nullptr);
            EXPECT_STREQ(name(clashes[i]->kind), name(kind));
            EXPECT_FALSE(clashes[i]->thin);
        }
    };
    kinds({.error = 1e-6, .measured = 0}, Kind::Duplicate);
    kinds({.error = 0.4e-6, .measured = 0}, Kind::Crossing);
    kinds({.tolerance = 1e-4, .error = 0.0, .measured = 0}, Kind::Crossing);
}

TEST(Fits, NoMoreClashesAreMeasuredThanAskedFor) {
    Corpus all;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        all.add(Fit::Plates, {.size = 0.5, .depth = 0.01, .triangles = 100, .seed = seed});
    for (const std::size_t most : {0u, 7u, 100u}) {
        const Result<Clashes> found = find_clashes(all.parts, {.measured = most});
        ASSERT_TRUE(found);
        EXPECT_EQ(found->clashes.size(), 20u);
        EXPECT_EQ(found->measured, std::min<std::size_t>(most, 20));
        std::size_t measured = 0;
        for (const Clash& clash : found->clashes) {
            if (!clash.measures.depth) continue;
            ++measured;
            EXPECT_LE(*clash.measures.depth, 0.01 + 1e-9);
            EXPECT_GE(*clash.measures.depth, 0.0095 - 1e-9);
            ASSERT_TRUE(clash.measures.volume && clash.measures.translation);
            EXPECT_NEAR(length(*clash.measures.translation), 0.01, 1e-6);
        }
        EXPECT_EQ(measured, found->measured);
    }
}

TEST(Fits, ACheckThatIsStoppedSaysHowMuchIsMissing) {
    const Corpus all = corpus(100, 1);
    const std::atomic<bool> stop = true;
    const Result<Clashes> found = find_clashes(all.parts, {.stop = &stop});
    ASSERT_TRUE(found);
    EXPECT_GT(found->unchecked, 50u);
    EXPECT_EQ(found->measured, 0u);
    EXPECT_TRUE(found->fits.empty());
}

TEST(Fits, OnlyPartsThatAreCurvedAreRefined) {
    Corpus all;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) all.add(Fit::Ring, {.depth = 0, .triangles = 200, .seed = seed});
    all.parts.files.push_back({"no such file.step", {}});
    const ClashSettings settings{.strict_fits = true, .measured = 0, .reading = files::ReadOptions()};
    const Result<Clashes> flat = find_clashes(all.parts, settings);
    ASSERT_TRUE(flat);
    EXPECT_EQ(flat->refined, 0u);
    EXPECT_TRUE(flat->notes.empty());
    ASSERT_EQ(flat->count(Kind::Fit), 5u);
    all.parts.parts[0].curved = all.parts.parts[3].curved = true;
    const Result<Clashes> curved = find_clashes(all.parts, settings);
    ASSERT_TRUE(curved);
    EXPECT_EQ(curved->refined, 2u);
    EXPECT_EQ(curved->notes.size(), 1u);  // the file is not there
    EXPECT_EQ(curved->count(Kind::Fit), 5u);
}

double processor_ms() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

/// Prints what queries of parts of 10,000 triangles take, each from warm surfaces.
TEST(Fits, LargePartsAreAnswered) {
    struct Slowest {
        double ms = 0;
        std::string of;
    };
    std::map<std::string, Slowest> slowest;
    for (int kind = 0; kind < scenes::fit_kinds; ++kind)
        for (const double depth : {0.0, 1e-2}) {
            const scenes::FitSettings how{.size = 0.5, .depth = depth, .triangles = 10'000, .seed = 5};
            const FitPair pair = scenes::fit(static_cast<Fit>(kind), how);
            const auto& [one, other] = pair.parts;
            const Solid a(*Model::build(one.shape.view(), {.threads = 1}));
            const Solid b(*Model::build(other.shape.view(), {.threads = 1}));
            const Affine a_from_b = *relative(Affine(one.world_from_shape), Affine(other.world_from_shape));
            const auto timed = [&](const char* what, auto&& query) {
                const double start = processor_ms();
                query();
                const double ms = processor_ms() - start;
                Slowest& slow = slowest[what];
                if (ms > slow.ms) slow = {ms, words(pair, how)};
            };
            timed("surfaces", [&] { EXPECT_TRUE(a.closed() && b.closed()); });
            timed("relation", [&] { relation(a, b, a_from_b); });
            timed("touching_within", [&] { touching_within(a, b, a_from_b, pair.band()); });
            timed("equal_within", [&] { equal_within(a, b, a_from_b, pair.band()); });
            // Only parts that clash are measured.
            if (depth == 0) continue;
            timed("overlap", [&] { overlap(a, b, a_from_b); });
            timed("penetration", [&] { penetration(a, b, a_from_b); });
            timed("inside_depth", [&] { inside_depth(a, b, a_from_b, {.relative_error = 0.05, .max_steps = 20'000}); });
        }
    for (const auto& [what, slow] : slowest)
        std::printf("%-16s %7.1f ms: %s\n", what.c_str(), slow.ms, slow.of.c_str());
}

}  // namespace
}  // namespace graze::checks
