// SPDX-License-Identifier: Apache-2.0
// A front never changes an answer: along the motions of the temporal coherence paper, where flat faces come together
// (there a claim has nothing to spare), and in random scripts. GRAZE_LONG: the motions as they are and all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "agree/fronts.hpp"
#include "scenes/motions.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Random;
using scenes::Soup;
using test::Mixture;
using test::Pairs;
using test::Question;

constexpr double infinity = std::numeric_limits<double>::infinity();

// ---- Motions ----------------------------------------------------------------------------------------------------

struct Path {
    std::string name;
    std::vector<Pose> frames;
    std::vector<Pairs> expected;
};

/// About `cap` frames of the motion size given, where the body touches the environment.
std::vector<Pose> part_of(const scenes::Motion& m, std::size_t touch, double size, std::size_t cap) {
    const std::size_t around = size == 0 ? cap / 2 : 2 + static_cast<std::size_t>(static_cast<double>(cap) * size * 4);
    const std::size_t first = touch > around ? touch - around : 0, last = std::min(m.path.size(), touch + around);
    const std::span<const Pose> part(m.path.data() + first, last - first);
    std::vector<Pose> frames = size == 0 ? std::vector<Pose>(part.begin(), part.end()) : resampled(part, m.body, size);
    if (frames.size() > cap) {  // keep the middle, where the touch is
        const auto cut = static_cast<std::ptrdiff_t>((frames.size() - cap) / 2);
        frames = std::vector<Pose>(frames.begin() + cut, frames.begin() + cut + static_cast<std::ptrdiff_t>(cap));
    }
    return frames;
}

class FrontsOnMotions : public testing::TestWithParam<std::string_view> {};

TEST_P(FrontsOnMotions, AnswerAsWithout) {
    const bool full = test::at_length();
    const scenes::Motion m = *scenes::motion(GetParam(), full ? 1 : 0.01);
    const Model a = test::built(m.environment, test::trees[0]), b = test::built(m.body, test::trees[0]);
    std::size_t touch = m.path.size() / 3;
    while (touch < m.path.size() && !intersects(a, b, m.path[touch])) ++touch;
    ASSERT_LT(touch, m.path.size());

    std::vector<Path> paths;
    for (const double size : {0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0}) {
        Path path{size == 0 ? "as it is" : "motion " + std::to_string(size), {}, {}};
        if (full)
            path.frames = size == 0      ? m.path
                          : size >= 0.01 ? resampled(m.path, m.body, size)
                                         : part_of(m, touch, size, 20'000);
        else
            path.frames = part_of(m, touch, size, test::scaled(size == 0 ? 120 : 50) + 10);
        paths.push_back(std::move(path));
    }
    std::size_t contacts = 0, clear = 0;
    for (Path& path : paths)
        for (const Pose& frame : path.frames) {
            path.expected.push_back(test::plain(a, b, frame));
            contacts += path.expected.back().size();
            clear += path.expected.back().empty();
        }
    EXPECT_GT(contacts, 20u);
    EXPECT_GT(clear, 20u);

    std::optional<Model> as[test::trees.size()], bs[test::trees.size()];
    std::size_t k = 0;
    for (const Mixture& mixture : test::mixtures) {
        // The large environments take their time to build: each tree is tried on some of the motions.
        if (!full && (++k + GetParam().size()) % 3 != 0 && mixture.a > 2) continue;
        const auto model = [](std::optional<Model>& of, const Soup& soup, std::size_t tree) -> const Model& {
            if (!of) of = test::built(soup, test::trees[tree]);
            return *of;
        };
        const Model& ma = model(as[mixture.a], m.environment, mixture.a);
        const Model& mb = model(bs[mixture.b], m.body, mixture.b);
        for (const Path& path : paths) {
            Front all, any;
            Scratch scratch;
            for (std::size_t i = 0; i < path.frames.size(); ++i) {
                const Pairs& expected = path.expected[i];
                const QuerySettings options{.scratch = &scratch};
                ASSERT_TRUE(test::answers(expected, ma, mb, path.frames[i], all, Question::All, options) &&
                            test::answers(expected, ma, mb, path.frames[i], any, Question::Any, options))
                    << m.name << ", " << path.name << ", frame " << i << ", " << test::name(mixture);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Motions, FrontsOnMotions, testing::ValuesIn(scenes::motion_names),
                         [](const auto& p) { return std::string(p.param); });

// ---- Flat faces -------------------------------------------------------------------------------------------------

class FrontsOfTrees : public testing::TestWithParam<std::size_t> {
protected:
    const Mixture& mixture() const { return test::mixtures[GetParam()]; }
    Model model_a(const Soup& s) const { return test::built(s, test::trees[mixture().a]); }
    Model model_b(const Soup& s) const { return test::built(s, test::trees[mixture().b]); }
};

/// Poses from `gap` before the first contact to it, or to a bit before it.
std::vector<Pose> press(const scenes::Course& course, const scenes::Approach& end, double gap, int steps, bool hit) {
    std::vector<Pose> out(3, course.at(end.clear + gap));  // known distances are noted
    for (int i = 1; i <= steps; ++i)
        out.push_back(course.at(i == steps ? (hit ? end.hit : end.clear) : end.clear + gap * (1 - double(i) / steps)));
    return out;
}

/// B longer along a direction: no longer rigid.
Affine stretched(const Pose& pose, const Vec3& along) {
    Mat3 longer;
    for (int i = 0; i < 3; ++i)
        longer.row[static_cast<std::size_t>(i)] = longer.row[static_cast<std::size_t>(i)] + along * (0.03 * along[i]);
    return *Affine::from_matrix(pose.rotation() * longer, pose.translation());
}

/// Head-on along an axis of both, gaps of volumes are the gaps of what they hold, and the bound on the motion is the
/// motion: a claim that lasts longer than it may, or any motion that is not counted, misses the contact.
TEST_P(FrontsOfTrees, FlatFacesComeTogether) {
    Random random(11);
    const Soup shapes[] = {scenes::box({1, 0.7, 0.4}), scenes::cube_lattice(2), scenes::integer_ground(5, 0)};
    std::size_t hits = 0;
    for (std::size_t round = 0; round < test::scaled(6) + 3; ++round) {
        const Soup &sa = shapes[round % 3], &sb = shapes[round / 3 % 2];
        const Pose turn = round % 2 ? scenes::random_rotation(random) : Pose();
        const Model a = model_a(transformed(sa, turn)), b = model_b(transformed(sb, turn));
        const Vec3 axes[] = {{0, 0, 1}, {0, 1, 0}, {0, 0, -1}};
        const Vec3 axis = axes[round % 3 == 2 ? 0 : random.below(3)];  // the sheet lies across z
        scenes::Course course = scenes::central_course(a, b, Pose(), turn.rotation() * axis);
        const auto end = scenes::approach(a, b, course);
        if (!end) continue;  // the box fits between the lattice's cubes
        const Vec3 across = turn.rotation() * Vec3{1, 0, 0};
        const double size = scenes::bounding_ball(b).radius;
        for (const double gap : {0.1, 1e-3, 1e-7})
            for (const int steps : {1, 7}) {
                // All by one kind of question; or changing; or with placements that are rigid or not in between. With a
                // margin that grows instead of a motion, too.
                for (const int how : {0, 1, 2}) {
                    Front front = how == 2 ? Front({.coherence = 100, .prune = 0}) : Front();
                    int frame = 0;
                    for (const Pose& rigid : press(course, *end, gap * size, steps, random.below(4) != 0)) {
                        const auto question = how == 0 ? Question::All : static_cast<Question>((how + frame++) % 3);
                        const Affine p = how == 2 && random.below(2) ? stretched(rigid, across) : Affine(rigid);
                        const Pairs expected = test::plain(a, b, p);
                        hits += !expected.empty();
                        ASSERT_TRUE(test::answers(expected, a, b, p, front, question, {}, 2))
                            << "round " << round << ", gap " << gap << ", steps " << steps << ", frame " << frame;
                    }
                }
                Front front;
                const Pose p = course.at(end->clear + gap * size);
                for (int i = 0; i < 3 + steps; ++i) {
                    const double margin = i < 3 ? 0 : gap * size * (i - 2) / steps * (1 + 1e-9);
                    const Pairs expected = test::plain(a, b, p, margin);
                    hits += !expected.empty();
                    ASSERT_TRUE(test::answers(expected, a, b, p, front, Question::All, {}, 1, margin))
                        << "round " << round << ", gap " << gap << ", margin " << margin;
                }
            }
    }
    EXPECT_GT(hits, 30u);
}

/// A box turns, and sinks a little or rises, until an edge of it meets the face below: the same for turns.
TEST_P(FrontsOfTrees, EdgesTurnIn) {
    Random random(16);
    const Soup sa = scenes::cube_lattice(2), sb = scenes::box({1, 0.7, 0.4});  // the lattice's top is z = 3
    const Model b = model_b(sb);
    std::size_t hits = 0;
    for (unsigned round = 0; round < test::scaled(30) + 10; ++round) {
        const Pose tilt = round % 2 ? scenes::random_rotation(random) : Pose();
        const Model a = model_a(transformed(sa, tilt));
        const double gap = std::pow(10, random.between(-6, -1)), sink = gap * random.between(-1, 0.7);
        const double turn = random.between(0, 3.1);
        const auto at = [&](double angle) {
            const double s = std::sin(angle / 2);
            const Pose turned =
                *Pose::from_quaternion({s * std::cos(turn), s * std::sin(turn), 0, std::cos(angle / 2)}, {});
            const Vec3 centre = tilt.rotation() * Vec3{1.5, 1.5, 3.4 + gap - sink * angle};
            return *Pose::from_matrix(tilt.rotation() * turned.rotation(), centre);
        };
        double clear = 0, hit = 0.7;
        if (intersects(a, b, at(clear)) || !intersects(a, b, at(hit))) continue;
        for (double middle = hit / 2; middle != clear && middle != hit; middle = clear + (hit - clear) / 2)
            (intersects(a, b, at(middle)) ? hit : clear) = middle;
        for (const int steps : {1, 2, 5, 20}) {
            Front front = steps == 2 ? Front({.coherence = 100, .prune = 0}) : Front();
            for (int i = -3; i <= steps; ++i) {
                const double angle = i < 0 ? 0 : i == steps ? (random.below(4) ? hit : clear) : clear * i / steps;
                const Pairs expected = test::plain(a, b, at(angle));
                hits += !expected.empty();
                ASSERT_TRUE(
                    test::answers(expected, a, b, at(angle), front, static_cast<Question>(random.below(3)), {}, 2))
                    << "round " << round << ", gap " << gap << ", steps " << steps << ", step " << i;
            }
        }
    }
    EXPECT_GT(hits, 10u);
}

/// Every tie in turn: clear and hit are one bit of a course apart, come to from near and far and left again.
TEST_P(FrontsOfTrees, NextToContact) {
    Random random(12);
    const Soup sa = scenes::torus(1, 0.4, 16, 12), sb = scenes::sphere(320, 0.5);
    const Model a = model_a(sa), b = model_b(sb);
    std::size_t hits = 0;
    for (unsigned k = 0; k < test::scaled(20) + 2; ++k) {
        const scenes::Course course = scenes::random_course(a, b, random);
        const auto end = scenes::approach(a, b, course);
        if (!end) continue;
        Front front;
        for (int e = 3; e < 56; e += 1 + static_cast<int>(random.below(6))) {
            const double away = std::ldexp(1, -e);
            for (const double s : {end->clear + away, end->hit, end->clear, end->hit - away, end->clear + 2 * away}) {
                const Pose p = course.at(s);
                const Pairs expected = test::plain(a, b, p);
                hits += !expected.empty();
                ASSERT_TRUE(test::answers(expected, a, b, p, front, static_cast<Question>(random.below(3)), {}, 3))
                    << k << ", 2^-" << e;
            }
        }
    }
    EXPECT_GT(hits, 50u);
}

// ---- Scripts ----------------------------------------------------------------------------------------------------

std::vector<Soup> script_soups() {
    return {scenes::torus(1, 0.4, 14, 10),
            scenes::sphere(180, 0.7),
            scenes::cube_lattice(2),
            scenes::needles(60, 1),
            scenes::integer_ground(6, 2),
            scenes::tiny(3, 1),
            scenes::tiny(1, 2),
            scenes::random_soup(90, 0.2, 5),
            scenes::degenerate_mixture(80, 3),
            Soup{}};
}

/// Jumps, repeats, jitters, ways back, other placements of any kind; questions of all kinds and margins; several fronts
/// with one scratch, of all settings, each given other models now and then.
TEST_P(FrontsOfTrees, RandomScripts) {
    Random random(1000 + GetParam());
    const std::vector<Soup> soups = script_soups();
    std::vector<Model> models;
    for (const Soup& s : soups) {
        models.push_back(model_a(s));
        models.push_back(model_b(s));
    }
    std::size_t asked = 0, hits = 0;
    const unsigned rounds = test::at_length() ? 2000 : test::scaled(25) + 5;
    for (unsigned round = 0; round < rounds; ++round) {
        const std::size_t ia = random.below(10), ib = random.below(round % 8 ? 5 : 10);
        Model a = models[2 * ia], b = models[2 * ib + 1];
        std::vector<scenes::Touch> ties;
        if (a.triangle_count() > 0 && b.triangle_count() > 0)
            ties = scenes::touching_placements(a, b, 1, random.bits());
        Front fronts[3] = {Front(test::some_settings(random)), Front(test::some_settings(random)), Front()};
        Scratch scratch;
        std::vector<Affine> history{Affine()};
        double margin = 0;
        for (unsigned step = 0; step < 60; ++step) {
            Affine pose = history.back();
            const std::uint32_t move = random.below(16);
            if (move < 5) {
                pose = test::nudged(pose, std::pow(10, random.between(-9, -0.5)), random);
            } else if (move < 8) {
                pose = history[random.below(static_cast<std::uint32_t>(history.size()))];
            } else if (move < 10) {
                pose = scenes::placed(scenes::random_rotation(random), random.in_cube(-1, 1));
            } else if (move < 13 && !ties.empty()) {
                const scenes::Touch& tie = ties[random.below(static_cast<std::uint32_t>(ties.size()))];
                pose = random.below(2) ? tie.hit : tie.clear;
                if (random.below(2))
                    pose = scenes::placed(
                        *Pose::from_matrix(pose.linear(), {}),
                        pose.translation() + random.in_cube(-1, 1) * std::pow(10, random.between(-8, -1)));
            } else if (move == 13) {
                Mat3 linear = pose.linear();
                const double by = std::pow(10, random.between(-6, 0));
                for (Vec3& row : linear.row) row = row + random.in_cube(-by, by);
                if (const auto p = Affine::from_matrix(linear, pose.translation())) pose = *p;
            }
            history.push_back(pose);
            if (random.below(4) == 0) margin = random.below(2) ? 0 : std::pow(10, random.between(-8, -0.5));
            if (random.below(25) == 0) std::swap(a, b);
            if (random.below(25) == 0) a = models[random.below(static_cast<std::uint32_t>(models.size()))];

            const std::size_t which = random.below(3) ? round % 3 : random.below(3);
            if (random.below(40) == 0) fronts[which].clear();
            if (random.below(20) == 0) {
                Front other = std::move(fronts[which]);
                fronts[which] = std::move(other);
            }
            const Pairs expected = test::plain(a, b, pose, margin);
            ++asked;
            hits += !expected.empty();
            const QuerySettings options{.scratch = random.below(8) ? &scratch : nullptr};
            ASSERT_TRUE(test::answers(expected, a, b, pose, fronts[which], static_cast<Question>(random.below(3)),
                                      options, 1 + random.below(5), margin))
                << "round " << round << ", step " << step << ", margin " << margin << ", soups " << ia << " " << ib;
        }
    }
    EXPECT_GT(hits, asked / 8);
    EXPECT_LT(hits, asked - asked / 8);
}

/// The same at every scale, where squares vanish or overflow and units change.
TEST_P(FrontsOfTrees, AtAnyScale) {
    Random random(14);
    const Soup s = scenes::torus(1, 0.4, 8, 6), t = scenes::sphere(20, 0.5);
    for (const int exponent : {-1060, -900, -130, 130, 500, 997}) {
        const double unit = std::ldexp(1, exponent);
        const Model a = model_a(scenes::scale(s, unit)), b = model_b(scenes::scale(t, unit));
        Front front;
        std::size_t hits = 0;
        Pose turn;
        for (int step = 0; step < 24; ++step) {  // down into it
            if (step % 8 == 7) turn = scenes::random_rotation(random);
            const Vec3 at = Vec3{1, 0, 1 - 0.02 * step} + random.in_cube(-1, 1) * std::pow(10, random.between(-6, -2));
            const Pose p = scenes::placed(turn, at * unit);
            const Pairs expected = test::plain(a, b, p);
            hits += !expected.empty();
            ASSERT_TRUE(test::answers(expected, a, b, p, front, static_cast<Question>(step % 7 == 0), {}))
                << "2^" << exponent << ", step " << step;
        }
        EXPECT_GT(hits, 2u) << exponent;
    }
}

INSTANTIATE_TEST_SUITE_P(Trees, FrontsOfTrees, testing::Range<std::size_t>(0, test::mixtures.size()),
                         [](const auto& p) { return test::label(test::mixtures[p.param]); });

/// By brute force: what the other tests take for granted.
TEST(Fronts, AnswerAsBruteForce) {
    const Soup sa = scenes::torus(1, 0.4, 20, 14), sb = scenes::cube_lattice(2);
    const scenes::Reference truth(sa, sb);
    for (const test::Tree& tree : test::trees) {
        Random random(15);
        const Model a = test::built(sa, tree), b = test::built(sb, tree);
        Front front = Front({.coherence = infinity});
        Affine pose = *Pose::from_matrix({}, {-1, -1, 0.45});
        std::size_t hits = 0;
        for (unsigned step = 0; step < test::scaled(60) + 40; ++step) {
            pose = test::nudged(pose, random.below(8) ? 0.003 : 0.1, random);
            const Pairs expected = truth.all(pose);
            hits += !expected.empty();
            ASSERT_TRUE(test::answers(expected, a, b, pose, front)) << test::name(tree) << ", " << step;
        }
        EXPECT_GT(hits, 5u);
    }
}

}  // namespace
}  // namespace graze
