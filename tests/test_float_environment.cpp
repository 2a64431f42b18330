// SPDX-License-Identifier: Apache-2.0
// Answers do not depend on the caller's floating-point environment, and calls leave it as it was: subnormal numbers
// flushed to zero, and every direction of rounding.
#include <gtest/gtest.h>

#if defined(__SSE2__)
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/graze.hpp"
#include "graze/study.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

using scenes::Soup;

/// All that a program may ask of two models, as numbers that can be compared.
struct Answers {
    std::vector<Contact> contacts, near;
    std::vector<RayHit> hits;
    std::vector<std::uint32_t> inside;
    std::vector<Contact> refitted;
    std::size_t touching = 0;
    double distance = 0;
    bool meets = false;
};

struct Case {
    Soup a, b;
    Pose pose;
    // Made in the default environment, as the caller's own arithmetic is not what is tested.
    double margin;
    Ray ray;
    Box box;
};

Answers ask(const Case& c, const study::TreeSettings& settings) {
    Answers out;
    Model a = *study::build(c.a, settings), b = *study::build(c.b, settings);
    const auto sorted = [](std::vector<Contact> v) {
        std::sort(v.begin(), v.end());
        return v;
    };
    Front front;
    for (int k = 0; k < 3; ++k) out.contacts = sorted(collide(a, b, c.pose, {.front = &front}));
    out.near = sorted(collide_within(a, b, c.pose, c.margin));
    out.meets = intersects(a, b, c.pose);
    out.hits = all_hits(a, c.ray);
    out.inside = overlapping(c.box, a, Pose());
    out.distance = closest_features(Hull(a), Hull(b), c.pose).distance;
    Scene scene({.hulls = true, .fronts = true});
    EXPECT_TRUE(scene.add(a, Pose()).ok() && scene.add(b, c.pose).ok());
    out.touching = scene.update().begun.size();
    std::vector<Vec3> moved = c.a.points;
    std::rotate(moved.begin(), moved.begin() + 1, moved.end());
    EXPECT_TRUE(a.refit(moved).ok());
    out.refitted = sorted(collide(a, b, c.pose));
    return out;
}

TEST(FloatEnvironment, ChangesNoAnswerAndIsLeftAlone) {
    scenes::Random random(5);
    std::vector<Case> cases;
    const Soup torus = scenes::torus(1, 0.4, 10, 6);
    for (const double size : {1.0, 0x1p-1060, 0x1p-1040})
        for (int k = 0; k < 2; ++k) {
            const Pose turned = scenes::random_rotation(random);
            cases.push_back({scenes::scale(torus, size), scenes::scale(torus, size),
                             scenes::placed(turned, random.in_cube(-0.8, 0.8) * size), 0.05 * size,
                             *Ray::from_direction({-3 * size, 0.01 * size, 0.02 * size}, {size, 0, 0}),
                             *Box::between({0, 0, 0}, {size, size, size})});
        }
    const unsigned standard = _mm_getcsr() & ~0x3fu;  // without the sticky flags
    const unsigned modes[] = {0x8000, 0x0040, 0x8040, 0x2000, 0x4000, 0x6000, 0xe040};
    std::size_t met = 0;
    for (const study::TreeSettings& settings :
         {study::TreeSettings{}, study::TreeSettings{.tree = study::TreeKind::Binary}})
        for (const Case& c : cases) {
            const Answers expected = ask(c, settings);
            met += !expected.contacts.empty();
            for (const unsigned mode : modes) {
                _mm_setcsr(standard | mode);
                const Answers found = ask(c, settings);
                const unsigned left = _mm_getcsr() & ~0x3fu;
                _mm_setcsr(standard);
                EXPECT_EQ(left, standard | mode);
                EXPECT_EQ(found.contacts, expected.contacts) << mode;
                EXPECT_EQ(found.near, expected.near) << mode;
                EXPECT_EQ(found.meets, expected.meets) << mode;
                EXPECT_EQ(found.inside, expected.inside) << mode;
                EXPECT_EQ(found.refitted, expected.refitted) << mode;
                EXPECT_EQ(found.touching, expected.touching) << mode;
                EXPECT_EQ(found.hits, expected.hits) << mode;
                EXPECT_EQ(found.distance, expected.distance) << mode;
            }
        }
    EXPECT_GT(met, 2u);
}

}  // namespace
}  // namespace graze
#endif
