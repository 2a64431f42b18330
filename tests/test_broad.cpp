// SPDX-License-Identifier: Apache-2.0
// Every broad phase against all pairs, through random scripts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "scene/broad_phase.hpp"
#include "scenes/random.hpp"

namespace graze::detail {

void PrintTo(const SlotPair& p, std::ostream* out) { *out << p.a << '-' << p.b; }

namespace {

using scenes::Random;
using Pairs = std::vector<SlotPair>;
constexpr float inf = std::numeric_limits<float>::infinity();
using Kind = BroadPhaseKind;
constexpr Kind kinds[] = {Kind::Auto, Kind::SweepAndPrune, Kind::Sweep, Kind::Tree};
const char* name(Kind kind) {
    const char* names[] = {"auto", "lists", "sweep", "tree"};
    return names[static_cast<int>(kind)];
}

struct Thing {
    WorldBox box;
    bool moving;
};

/// All broad phases side by side, and what they should say.
class World {
public:
    World() {
        for (const Kind kind : kinds) phases_.push_back(make_broad_phase(kind));
    }
    void set(std::uint32_t slot, const WorldBox& box, bool moving = true) {
        things[slot] = {box, moving};
        for (auto& p : phases_) p->set(slot, box, moving);
    }
    void remove(std::uint32_t slot) {
        things.erase(slot);
        for (auto& p : phases_) p->remove(slot);
    }
    Pairs expected() const {
        Pairs out;
        for (auto a = things.begin(); a != things.end(); ++a)
            for (auto b = std::next(a); b != things.end(); ++b) {
                bool apart = !a->second.moving && !b->second.moving;
                for (int i = 0; i < 3; ++i)
                    apart |=
                        a->second.box.high[i] < b->second.box.low[i] || b->second.box.high[i] < a->second.box.low[i];
                if (!apart) out.push_back({a->first, b->first});
            }
        return out;
    }
    void check(unsigned threads = 1) {
        const Pairs want = expected();
        for (std::size_t k = 0; k < phases_.size(); ++k)
            ASSERT_EQ(phases_[k]->update(threads), want) << name(kinds[k]) << ", things: " << things.size();
        last_pairs = want.size();
    }

    std::map<std::uint32_t, Thing> things;
    std::size_t last_pairs = 0;

private:
    std::vector<std::unique_ptr<BroadPhase>> phases_;
};

WorldBox box(const Vec3& at, const Vec3& size) {
    WorldBox b;
    for (int i = 0; i < 3; ++i) {
        b.low[i] = static_cast<float>(at[i]);
        b.high[i] = static_cast<float>(at[i] + size[i]);
    }
    return b;
}

WorldBox moved(WorldBox b, const Vec3& by) {
    for (int i = 0; i < 3; ++i) {
        b.low[i] += static_cast<float>(by[i]);
        b.high[i] += static_cast<float>(by[i]);
        b.high[i] = std::max(b.high[i], b.low[i]);
    }
    return b;
}

/// The kinds of boxes in a script.
struct Style {
    double world = 10;     ///< edge of the cube that they are in
    double grid = 0;       ///< coordinates are multiples of it: ties
    double spread = 1;     ///< sizes between 1 and it, evenly in the logarithm
    double flat = 1;       ///< factor on the world along z
    double unbounded = 0;  ///< share with an infinite end
    double offset = 0;     ///< distance of the world from the origin
};

class Script {
public:
    Script(const Style& style, std::uint64_t seed) : style_(style), random_(seed) {}

    WorldBox any() {
        Vec3 at = random_.in_cube(0, style_.world), size = random_.in_cube(0.2, 1);
        at.z *= style_.flat;
        size = size * std::exp(random_.unit() * std::log(style_.spread));
        at = at + Vec3{style_.offset, style_.offset, style_.offset};
        if (style_.grid > 0)
            for (double* v : {&at.x, &at.y, &at.z, &size.x, &size.y, &size.z})
                *v = std::round(*v / style_.grid) * style_.grid;
        WorldBox b = box(at, size);
        for (int i = 0; i < 3; ++i) {
            if (random_.unit() < style_.unbounded) b.low[i] = -inf;
            if (random_.unit() < style_.unbounded) b.high[i] = inf;
            if (random_.unit() < 0.1 * style_.unbounded) b.low[i] = b.high[i] = random_.below(2) ? inf : -inf;
            if (b.low[i] == 0 && random_.below(2)) b.low[i] = -0.0f;
        }
        return b;
    }

    Vec3 step(double length) {
        Vec3 by = random_.in_cube(-length, length);
        if (style_.grid > 0)
            for (double* v : {&by.x, &by.y, &by.z}) *v = std::round(*v / style_.grid) * style_.grid;
        return by;
    }

    /// One frame, of a kind drawn at random.
    void frame(World& world, std::uint32_t slots) {
        const auto each = [&](double share, auto&& f) {
            for (std::uint32_t s = 0; s < slots; ++s)
                if (random_.unit() < share) f(s);
        };
        const auto shift = [&](double share, double length) {
            each(share, [&](std::uint32_t s) {
                const auto t = world.things.find(s);
                if (t != world.things.end()) world.set(s, moved(t->second.box, step(length)), t->second.moving);
            });
        };
        const auto place = [&](std::uint32_t s) { world.set(s, any(), random_.unit() < 0.7); };
        switch (random_.below(12)) {
            case 0:
                each(0.01, place);
                break;
            case 1:
                each(0.3, place);
                break;
            case 2:
                each(1, place);
                break;
            case 3:
                each(0.05, [&](std::uint32_t s) {
                    if (world.things.count(s)) world.remove(s);
                });
                break;
            case 4:  // slots used again at once
                each(0.05, [&](std::uint32_t s) {
                    if (world.things.count(s)) {
                        world.remove(s);
                        place(s);
                    }
                });
                break;
            case 5:  // moving and standing
                each(0.1, [&](std::uint32_t s) {
                    const auto t = world.things.find(s);
                    if (t != world.things.end()) world.set(s, Thing(t->second).box, !t->second.moving);
                });
                break;
            case 6:
                shift(1, 0.5);
                break;
            case 7:
                break;
            case 8:  // large and small again
                each(0.01, [&](std::uint32_t s) { world.set(s, box(step(style_.world), {30, 30, 30}), true); });
                break;
            case 9:
                shift(0.1, 0.02);
                break;
            default:
                shift(1, 0.02);
        }
    }

private:
    Style style_;
    Random random_;
};

class BroadScripts : public testing::TestWithParam<Style> {};

TEST_P(BroadScripts, AsAllPairs) {
    const int scripts = std::getenv("GRAZE_LONG") ? 400 : 10;
    std::size_t pairs = 0;
    for (int seed = 0; seed < scripts; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        World world;
        Script script(GetParam(), static_cast<std::uint64_t>(seed));
        constexpr std::uint32_t sizes[] = {3, 20, 150, 400};
        const std::uint32_t slots = sizes[seed % 4];
        const unsigned threads[] = {1, 2, 4};
        for (int frame = 0; frame < 40; ++frame) {
            script.frame(world, slots);
            world.check(threads[frame % 3]);
            if (HasFatalFailure()) FAIL() << "frame " << frame;
            pairs += world.last_pairs;
        }
    }
    EXPECT_GT(pairs, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Styles, BroadScripts,
                         testing::Values(Style{}, Style{.world = 5, .grid = 0.25}, Style{.world = 40, .spread = 300},
                                         Style{.world = 20, .flat = 0}, Style{.unbounded = 0.03},
                                         Style{.world = 4, .grid = 1, .unbounded = 0.02},
                                         Style{.world = 100, .spread = 30, .offset = 1e6},
                                         Style{.world = 3e37, .spread = 1e38}),
                         [](const auto& instance) { return "Style" + std::to_string(instance.index); });

TEST(Broad, EmptyAndOne) {
    World world;
    world.check();
    world.set(5, box({0, 0, 0}, {1, 1, 1}));
    world.check();
    world.remove(5);
    world.check();
    world.check(4);
}

TEST(Broad, TouchingBoxesAreAPair) {
    World world;
    for (std::uint32_t i = 0; i < 8; ++i)
        world.set(i, box({i & 1 ? 1. : 0., i & 2 ? 1. : 0., i & 4 ? 1. : 0.}, {1, 1, 1}));
    world.check();
    EXPECT_EQ(world.last_pairs, 28u);
    const float before = std::nextafter(1.0f, 0.0f);
    WorldBox b = box({0, 0, 0}, {1, 1, 1});
    b.high[0] = before;
    world.set(0, b);
    world.check();
    EXPECT_EQ(world.last_pairs, 24u);
    world.set(1, {{0, 0, 0}, {0, 0, 0}});
    world.set(0, {{-0.0f, -0.0f, -0.0f}, {-0.0f, -0.0f, -0.0f}});
    world.check();
}

TEST(Broad, TwoStandingAreNoPair) {
    World world;
    for (std::uint32_t i = 0; i < 300; ++i) world.set(i, box({i * 0.5, 0, 0}, {1, 1, 1}), false);
    world.check();
    EXPECT_EQ(world.last_pairs, 0u);
    world.set(150, box({75, 0, 0}, {1, 1, 1}), true);
    world.check();
    EXPECT_EQ(world.last_pairs, 4u);
    world.set(150, box({75, 0, 0}, {1, 1, 1}), false);
    world.check();
    EXPECT_EQ(world.last_pairs, 0u);
}

TEST(Broad, AllInOnePlace) {
    World world;
    for (std::uint32_t i = 0; i < 300; ++i) world.set(i, box({1, 2, 3}, {1, 1, 1}));
    for (const unsigned threads : {1u, 2u, 4u}) {
        world.check(threads);
        EXPECT_EQ(world.last_pairs, 300u * 299 / 2);
        for (std::uint32_t i = 0; i < 300; i += threads) world.set(i, box({1 + 0.01 * threads, 2, 3}, {1, 1, 1}));
    }
    for (std::uint32_t i = 0; i < 300; ++i) world.set(i, {{-inf, -inf, -inf}, {inf, inf, inf}});
    world.check();
}

/// Few and many of them, large for an update and small again.
TEST(Broad, GiantsAmongSmallOnes) {
    World world;
    Random random(1);
    for (std::uint32_t i = 0; i < 1500; ++i) world.set(i, box(random.in_cube(0, 30), {1, 1, 1}));
    for (std::uint32_t giants : {1u, 10u, 40u}) {
        for (std::uint32_t i = 0; i < giants; ++i) world.set(7 * i, box({0, 0, i * 0.5}, {30, 30, 0.1}));
        world.check();
        for (std::uint32_t i = 0; i < giants; ++i) world.set(7 * i, box({0, 0, i * 0.5}, {1, 1, 0.1}));
        world.check();
    }
}

/// Enough for every part of the work to be shared out.
TEST(Broad, ThreadsGiveTheSame) {
    World world;
    Random random(3);
    constexpr std::uint32_t n = 4500;
    const unsigned threads[] = {4, 2, 4, 1, 2, 4};
    for (int frame = 0; frame < 6; ++frame) {
        for (std::uint32_t i = 0; i < n; ++i)
            if (frame == 0 || random.below(6) == 0)
                world.set(i, box(random.in_cube(0, 25), {1, 1, 1}));
            else if (frame != 3)
                world.set(i, moved(world.things[i].box, random.in_cube(-0.03, 0.03)));
        world.check(threads[frame]);
        EXPECT_GT(world.last_pairs, n);
    }
}

TEST(Broad, MemoryIsSaidAndStays) {
    for (const Kind kind : kinds) {
        const auto phase = make_broad_phase(kind);
        Random random(2);
        std::vector<WorldBox> boxes;
        for (std::uint32_t i = 0; i < 2000; ++i) boxes.push_back(box(random.in_cube(0, 20), {1, 1, 1}));
        std::size_t bytes = 0;
        for (int frame = 0; frame < 6; ++frame) {
            for (std::uint32_t i = 0; i < 2000; ++i) phase->set(i, boxes[i], true);
            phase->update(1);
            if (frame == 0) bytes = phase->bytes();
            EXPECT_EQ(phase->bytes(), bytes) << name(kind);
        }
        EXPECT_GT(bytes, 2000 * sizeof(WorldBox)) << name(kind);
        EXPECT_LT(bytes, 2000 * 2000u) << name(kind);
    }
}

}  // namespace
}  // namespace graze::detail
