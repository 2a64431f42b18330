// SPDX-License-Identifier: Apache-2.0
// The walks with a limit that shrinks: the nearest corners of two models, against brute force.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "graze/graze.hpp"
#include "graze/study.hpp"
#include "model/access.hpp"
#include "model/any_view.hpp"
#include "walk/nearest_last.hpp"
#include "walk/pair_walk.hpp"

namespace graze {
namespace {

struct Soup {
    std::vector<Vec3> points;
    std::vector<std::uint32_t> corners;
};

Soup random_soup(unsigned seed, const Vec3& at) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> u(0, 1);
    Soup soup;
    for (std::uint32_t i = 0; i < 400; ++i) {
        const Vec3 middle = at + Vec3{u(random), u(random), u(random)};
        for (std::uint32_t k = 0; k < 3; ++k) {
            soup.points.push_back(middle + Vec3{u(random), u(random), u(random)} * 0.05);
            soup.corners.push_back(3 * i + k);
        }
    }
    return soup;
}

/// Looks for the two nearest corners. A node is bounded by the ball around its box.
struct NearestCorners {
    struct Task : detail::NodePair {
        double bound;
    };
    static constexpr bool nearest_first = true;

    const detail::AnyView &a, &b;
    const Soup &in_a, &in_b;
    double best = std::numeric_limits<double>::infinity();
    std::uint64_t leaf_pairs = 0;

    struct Ball {
        Vec3 centre;
        double radius;
    };
    static Ball ball(const detail::AnyView& tree, std::uint32_t node) {
        const detail::Obb box = tree.volume(node);
        const double unit = std::ldexp(1, tree.frame.exponent);
        return {tree.frame.centre + box.centre * unit, length(box.half) * unit * (1 + 1e-9)};
    }

    double limit() const { return best; }
    static detail::Arrival arrive(const Task&) { return detail::Arrival::Open; }
    template <class InA, class InB>
    double bound(const Task&, const detail::NodePair& child, const InA&, const InB&, Task& next) const {
        const Ball p = ball(a, child.a), q = ball(b, child.b);
        next = {child, std::max(0.0, length(p.centre - q.centre) * (1 - 1e-9) - p.radius - q.radius)};
        return next.bound;
    }
    Step leaves(const Task&, std::span<const std::uint32_t> ta, std::span<const std::uint32_t> tb) {
        ++leaf_pairs;
        for (const std::uint32_t i : ta)
            for (const std::uint32_t j : tb)
                for (unsigned k = 0; k < 9; ++k)
                    best = std::min(best, length(in_a.points[3 * i + k / 3] - in_b.points[3 * j + k % 3]));
        return Step::Continue;
    }
};

TEST(Walks, FindTheNearestWithALimitThatShrinks) {
    const Soup soup_a = random_soup(1, {}), soup_b = random_soup(2, {1.2, 0.4, 0});
    double expected = std::numeric_limits<double>::infinity();
    for (const Vec3& p : soup_a.points)
        for (const Vec3& q : soup_b.points) expected = std::min(expected, length(p - q));
    for (const study::Volume volume :
         {study::Volume::Obb, study::Volume::Aabb, study::Volume::Sphere, study::Volume::Dop18}) {
        study::TreeSettings settings;
        settings.volume = volume;
        const Model model_a = *study::build(SoupView(PointView(soup_a.points), soup_a.corners), settings),
                    model_b = *study::build(SoupView(PointView(soup_b.points), soup_b.corners), settings);
        const detail::AnyView a(detail::Access::data(model_a)), b(detail::Access::data(model_b));
        const detail::PairTest<detail::Obb> test(a.frame, b.frame, Affine(), 0);
        NearestCorners visitor{a, b, soup_a, soup_b};
        std::vector<NearestCorners::Task> stack{{{a.root(), b.root()}, 0}};
        std::uint64_t box_tests = 0;
        EXPECT_TRUE(detail::walk_pairs(a, b, test, stack, box_tests, visitor));
        EXPECT_EQ(visitor.best, expected);
        // The limit prunes: most of the 160,000 pairs of triangles are never looked at.
        EXPECT_LT(visitor.leaf_pairs, 4000u);
    }
}

/// The stack is filled beyond its own room and emptied several times, beside a vector.
TEST(Walks, LocalStackGrows) {
    std::mt19937 random(1);
    detail::LocalStack<unsigned> stack;
    std::vector<unsigned> expected;
    for (int i = 0; i < 100'000; ++i) {
        if (random() % 100 < (i / 10'000 % 2 == 0 ? 60u : 40u)) {
            expected.push_back(static_cast<unsigned>(random()));
            stack.push_back(expected.back());
        } else {
            ASSERT_EQ(stack.empty(), expected.empty());
            if (expected.empty()) continue;
            ASSERT_EQ(stack.back(), expected.back());
            stack.pop_back();
            expected.pop_back();
        }
    }
}

}  // namespace
}  // namespace graze
