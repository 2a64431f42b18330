// SPDX-License-Identifier: Apache-2.0
// Contacts of one model with itself: the predicate against rational arithmetic, and trees of all kinds against brute
// force.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include "case_count.hpp"
#include "exact/self_predicate.hpp"
#include "graze/self.hpp"
#include "graze/study.hpp"
#include "oracle.hpp"
#include "scenes/deform.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"
#include "triangle_families.hpp"

namespace graze::test {
namespace {

using scenes::Soup;
using Pairs = std::vector<TrianglePair>;

bool beyond(const Triangle& s, const Triangle& t) {
    bool used_exact = false;
    return detail::meet_beyond_shared(s, t, used_exact);
}

Vec3& corner(Triangle& t, int i) { return i == 0 ? t.a : i == 1 ? t.b : t.c; }

/// The pair with so many corners of t replaced by corners of s, at random places.
TriangleTwo sharing(Random& r, TriangleTwo p, int count) {
    const int shift_s = r.below(3), shift_t = r.below(3), step = r.flip() ? 1 : 2;
    for (int i = 0; i < count; ++i) corner(p.t, (shift_t + i * step) % 3) = corner(p.s, (shift_s + i) % 3);
    return p;
}

class SelfFamily : public testing::TestWithParam<Family> {};

TEST_P(SelfFamily, PredicateAgreesWithRationalArithmetic) {
    Random random(77);
    for (int shared = 0; shared <= 3; ++shared)
        for (int i = 0; i < case_count(1000, 100); ++i) {
            const TriangleTwo p = sharing(random, GetParam().make(random), shared);
            const bool expected = Oracle::meet_beyond_shared(p.s, p.t);
            ASSERT_EQ(beyond(p.s, p.t), expected) << shared << ' ' << i;
            ASSERT_EQ(beyond(p.t, p.s), expected) << shared << ' ' << i;
            ASSERT_EQ(beyond({p.s.b, p.s.c, p.s.a}, {p.t.c, p.t.b, p.t.a}), expected) << shared << ' ' << i;
        }
}

INSTANTIATE_TEST_SUITE_P(All, SelfFamily, testing::ValuesIn(families),
                         [](const auto& one) { return std::string(one.param.name); });

/// Small integers make every kind of tie: collinear, coplanar, corners on edges, triangles without area.
TEST(SelfPredicate, AgreesForAllKindsOfTies) {
    Random random(5);
    std::map<std::pair<int, bool>, int> seen;
    for (int i = 0; i < case_count(60000, 6000); ++i) {
        const int dimensions = 1 + random.below(3), most = 2 + random.below(3);
        const auto point = [&] {
            Vec3 v;
            for (int d = 0; d < dimensions; ++d) v[d] = random.below(most);
            return v;
        };
        TriangleTwo p{{point(), point(), point()}, {point(), point(), point()}};
        const int shared = random.below(4);
        p = sharing(random, p, shared);
        const bool expected = Oracle::meet_beyond_shared(p.s, p.t);
        ++seen[{shared, expected}];
        ASSERT_EQ(beyond(p.s, p.t), expected) << i;
        ASSERT_EQ(beyond(p.t, p.s), expected) << i;
    }
    for (int shared = 0; shared <= 3; ++shared) {
        EXPECT_GT((seen[{shared, true}]), 0) << shared;
        EXPECT_GT((seen[{shared, false}]), 0) << shared;
    }
}

TEST(FirstOfEquals, JoinsPointsByTheirCoordinates) {
    const std::vector<Vec3> points{{1, 2, 3}, {0.0, 1, 0}, {1, 2, 3}, {-0.0, 1, -0.0}, {0, 1, 0x1p-1074}, {1, 2, 3}};
    EXPECT_EQ(first_of_equals(points), (std::vector<std::uint32_t>{0, 1, 0, 1, 4, 0}));
    EXPECT_TRUE(first_of_equals({}).empty());
}

// Trees against brute force.

struct Kind {
    study::TreeKind tree;
    study::Volume volume;
};
constexpr Kind kinds[] = {
    {study::TreeKind::Wide, study::Volume::Obb},      {study::TreeKind::Wide, study::Volume::Aabb},
    {study::TreeKind::Binary, study::Volume::Obb},    {study::TreeKind::Binary, study::Volume::Aabb},
    {study::TreeKind::Binary, study::Volume::Sphere}, {study::TreeKind::Binary, study::Volume::Dop18}};

Model built(const Soup& soup, const Kind& kind = kinds[0]) {
    study::TreeSettings settings;
    settings.tree = kind.tree;
    settings.volume = kind.volume;
    auto model = study::build(soup, settings);
    EXPECT_TRUE(model.ok());
    return std::move(*model);
}

Pairs sorted(const std::vector<Contact>& contacts) {
    Pairs out;
    for (const Contact& c : contacts) out.push_back(c.triangles);
    std::ranges::sort(out);
    return out;
}

Pairs found(const Model& model, unsigned rings = 0) { return sorted(self_contacts(model, {.rings = rings})); }

/// All pairs whose boxes overlap, by the predicate.
Pairs brute_force(const Model& model) {
    Pairs out;
    const auto n = static_cast<std::uint32_t>(model.triangle_count());
    std::vector<Triangle> all;
    for (std::uint32_t i = 0; i < n; ++i) all.push_back(model.triangle(i));
    const auto apart = [](const Triangle& s, const Triangle& t) {
        for (int d = 0; d < 3; ++d)
            if (std::max({s.a[d], s.b[d], s.c[d]}) < std::min({t.a[d], t.b[d], t.c[d]}) ||
                std::max({t.a[d], t.b[d], t.c[d]}) < std::min({s.a[d], s.b[d], s.c[d]}))
                return true;
        return false;
    };
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = i + 1; j < n; ++j)
            if (!apart(all[i], all[j]) && beyond(all[i], all[j])) out.push_back({i, j});
    return out;
}

/// Every triangle with three points of its own.
Soup unwelded(const Soup& soup) {
    Soup out;
    for (const std::uint32_t c : soup.corners) out.corners.push_back(out.add(soup.points[c]));
    return out;
}

Soup with_points(Soup soup, std::vector<Vec3> points) {
    soup.points = std::move(points);
    return soup;
}

/// Points with whole coordinates and triangles of neighbours among them: folds, copies and segments abound.
Soup crumpled(std::uint32_t cells, int height, std::uint64_t seed) {
    Random random(seed);
    Soup soup = scenes::integer_ground(cells, 2, seed);
    for (Vec3& p : soup.points)
        p = {std::floor(p.x / 2), std::floor(p.y / 2), static_cast<double>(random.below(height))};
    return soup;
}

std::map<std::string, Soup> soups() {
    const Soup torus = scenes::torus(1, 0.4, 14, 11), ball = scenes::sphere(500);
    return {{"torus", torus},
            {"ball", ball},
            {"two balls", scenes::joined(ball, scenes::scale(ball, 0.99))},
            {"ball twice", scenes::joined(ball, ball)},
            {"boxes", scenes::cube_lattice(3)},
            {"teapot", scenes::teapot(4)},
            {"random", scenes::random_soup(400, 0.1, 3)},
            {"degenerate", scenes::degenerate_mixture(300, 4)},
            {"needles", scenes::needles(60, 5)},
            {"ground", scenes::integer_ground(14, 3)},
            {"crumpled", crumpled(14, 3, 6)},
            {"flat", crumpled(12, 1, 7)},
            {"scattered", with_points(torus, scenes::scattered(torus, 0.15, 8))},
            {"shuffled", with_points(ball, scenes::shuffled(ball, 9))},
            {"one", scenes::tiny(1, 10)},
            {"none", {}}};
}

TEST(SelfContacts, AllTreesAgreeWithBruteForce) {
    for (const auto& [name, soup] : soups()) {
        const Pairs expected = brute_force(built(soup));
        for (const Kind& kind : kinds) {
            const Model model = built(soup, kind);
            EXPECT_EQ(found(model), expected) << name;
            EXPECT_EQ(self_intersects(model), !expected.empty()) << name;
            EXPECT_EQ(found(built(unwelded(soup), kind)), expected) << name << ", points repeated";
        }
    }
}

TEST(SelfContacts, SurfacesThatDoNotMeetThemselvesAreClear) {
    for (const Soup& soup : {scenes::torus(), scenes::sphere(2000), scenes::box(), scenes::landscape(40)}) {
        EXPECT_TRUE(found(built(soup)).empty());
        EXPECT_FALSE(self_intersects(built(unwelded(soup))));
    }
}

TEST(SelfContacts, ASoupOfRepeatedPointsReportsNoNeighbours) {
    const Soup soup = unwelded(scenes::torus(1, 0.4, 130, 100));  // 26,000 triangles
    for (const Kind& kind : {kinds[0], kinds[1]}) EXPECT_TRUE(found(built(soup, kind)).empty());
    Soup signs = unwelded(scenes::box());
    for (std::size_t i = 0; i < signs.points.size(); ++i)
        for (int d = 0; d < 3; ++d) signs.points[i][d] = signs.points[i][d] < 0 ? (i % 2 ? 0.0 : -0.0) : 1.0;
    EXPECT_TRUE(found(built(signs)).empty());  // 0 and -0 are one coordinate
}

TEST(SelfContacts, DoNotDependOnScaleOrTurn) {
    const auto turned = [](const Vec3& p) { return Vec3{-p.y, p.x, p.z}; };
    const auto onto = [](const Vec3& p) { return Vec3{p.z, p.x, p.y}; };
    for (const Soup& soup : {crumpled(16, 3, 1), scenes::integer_ground(12, 2), scenes::cube_lattice(2)}) {
        const Pairs expected = found(built(soup));
        for (const Kind& kind : kinds) {
            Soup other = soup;
            const auto check = [&](auto&& map, const char* what) {
                for (std::size_t i = 0; i < soup.points.size(); ++i) other.points[i] = map(soup.points[i]);
                EXPECT_EQ(found(built(other, kind)), expected) << what;
            };
            check([](const Vec3& p) { return p * 10.0; }, "ten times as large");
            check([](const Vec3& p) { return p * 0x1p-700; }, "very small");
            check([](const Vec3& p) { return p * 0x1p500; }, "very large");
            check(turned, "turned about z");
            check(onto, "axes exchanged");
            check([](const Vec3& p) { return p + Vec3{1e9, -1e9, 3e9}; }, "far away");
        }
    }
    // Coordinates 0 and 0.001 are not rounded against each other.
    const Soup box = scenes::box({1, 1, 1});
    for (const double by : {10.0, 1e-3, 1e-300}) EXPECT_TRUE(found(built(scenes::scale(box, by))).empty()) << by;
}

TEST(SelfContacts, ATriangleWithoutAreaIsASegment) {
    // Two triangles share the edge (0, 1). A third triangle lies along that edge, a fourth along it and past its end.
    Soup soup;
    soup.points = {{0, 0, 0}, {2, 0, 0}, {1, 2, 0}, {1, -2, 0}, {1, 0, 0}, {4, 0, 0}, {1, 1, 0}};
    soup.corners = {0, 1, 2, 1, 0, 3, 0, 4, 1};
    EXPECT_TRUE(found(built(soup)).empty());
    soup.add_triangle(0, 1, 5);
    EXPECT_TRUE(found(built(soup)).empty());
    soup.add_triangle(4, 4, 6);  // a segment inside of the first, from its edge
    EXPECT_EQ(found(built(soup)), (Pairs{{0, 4}, {1, 4}, {3, 4}}));
    soup.add_triangle(6, 6, 6);  // the end of that segment: a point
    EXPECT_EQ(found(built(soup)), (Pairs{{0, 4}, {0, 5}, {1, 4}, {3, 4}}));
}

TEST(SelfContacts, FollowARefit) {
    const Soup start = scenes::torus(1, 0.3, 40, 24);
    for (const Kind& kind : kinds) {
        if (kind.volume == study::Volume::Dop18) continue;
        Model model = built(start, kind);
        EXPECT_TRUE(found(model).empty());
        for (const auto& points : {scenes::waved(start, 0.5, 2), scenes::scattered(start, 0.05, 1), start.points}) {
            ASSERT_TRUE(model.refit(points).ok());
            EXPECT_EQ(found(model), brute_force(model));
        }
    }
}

/// The number of shared corners on the shortest way from each triangle to another.
Pairs left_after(const Model& model, const Pairs& pairs, unsigned rings) {
    const auto first = first_of_equals(model.points());
    const auto triangles = model.triangles();
    const auto n = static_cast<std::uint32_t>(triangles.size());
    const auto share = [&](std::uint32_t i, std::uint32_t j) {
        for (const std::uint32_t p : triangles[i])
            for (const std::uint32_t q : triangles[j])
                if (first[p] == first[q]) return true;
        return false;
    };
    Pairs out;
    for (const TrianglePair& pair : pairs) {
        std::vector<unsigned> steps(n, ~0u);
        std::queue<std::uint32_t> queue;
        steps[pair.a] = 0;
        queue.push(pair.a);
        for (; !queue.empty() && steps[pair.b] == ~0u; queue.pop())
            for (std::uint32_t j = 0; j < n; ++j)
                if (steps[j] == ~0u && share(queue.front(), j)) steps[j] = steps[queue.front()] + 1, queue.push(j);
        if (steps[pair.b] > rings) out.push_back(pair);
    }
    return out;
}

TEST(SelfContacts, RingsLeaveOutNearTriangles) {
    const Soup ball = scenes::sphere(180), torus = scenes::torus(1, 0.4, 8, 7);
    for (const Soup& soup : {with_points(torus, scenes::scattered(torus, 0.2, 8)), crumpled(8, 3, 2),
                             scenes::joined(ball, scenes::scale(ball, 0.98))})
        for (const Kind& kind : {kinds[0], kinds[1], kinds[2]})
            for (const Soup& given : {soup, unwelded(soup)}) {
                const Model model = built(given, kind);
                const Pairs all = found(model);
                for (const unsigned rings : {1u, 2u, 3u, 1000u})
                    EXPECT_EQ(found(model, rings), left_after(model, all, rings)) << rings;
            }
}

TEST(SelfContacts, EndWhenToldTo) {
    const Soup ball = scenes::sphere(500);
    const Model model = built(scenes::joined(ball, ball));
    const std::size_t all = found(model).size();
    ASSERT_GE(all, 500u);
    EXPECT_EQ(self_contacts(model, {.max_contacts = 7}).size(), 7u);
    const Model crossed = built(scenes::joined(ball, scenes::torus()));
    EXPECT_EQ(self_contacts(crossed, {.max_contacts = 7, .rings = 1}).size(), 7u);
    std::size_t seen = 0;
    EXPECT_FALSE(
        for_each_self_contact(model, [&](const Contact&) { return ++seen == 5 ? Step::Stop : Step::Continue; }));
    EXPECT_EQ(seen, 5u);
    EXPECT_TRUE(for_each_self_contact(model, [&](const Contact&) { return Step::Continue; }));
    QueryStats stats;
    Scratch scratch;
    std::vector<Contact> contacts(3);
    for (int i = 0; i < 2; ++i) {
        self_contacts(model, contacts, {.stats = &stats, .scratch = &scratch});
        EXPECT_EQ(contacts.size(), all);
    }
    EXPECT_GT(stats.box_tests, 0u);
    EXPECT_GT(stats.triangle_tests, 2 * all);
    for (const Contact& c : contacts) EXPECT_LT(c.triangles.a, c.triangles.b);
}

TEST(SelfContacts, NamePolygons) {
    // Two quadrilaterals that cross in a line.
    const std::vector<Vec3> points{{0, 0, 0},  {4, 0, 0},  {4, 4, 0}, {0, 4, 0},
                                   {1, 1, -1}, {3, 1, -1}, {3, 1, 1}, {1, 1, 1}};
    const std::vector<std::uint32_t> corners{0, 1, 2, 3, 4, 5, 6, 7}, offsets{0, 4, 8};
    const auto model = Model::build(SoupView(points, corners).with_polygons(offsets));
    ASSERT_TRUE(model.ok());
    const std::vector<Contact> contacts = self_contacts(*model);
    ASSERT_FALSE(contacts.empty());
    for (const Contact& c : contacts) EXPECT_EQ(c.polygons, (TrianglePair{0, 1}));
}

}  // namespace
}  // namespace graze::test
