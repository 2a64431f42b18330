// SPDX-License-Identifier: Apache-2.0
// Aligned boxes, spheres and k-DOPs: that they hold what they should, that tests of two never lose contents that
// touch, and that trees of them answer as brute force does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "exact/predicate.hpp"
#include "graze/study.hpp"
#include "model/model_data.hpp"
#include "scenes/placements.hpp"
#include "scenes/random.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/shapes.hpp"
#include "scenes/teapot.hpp"
#include "temporary_folder.hpp"

namespace graze::detail {
namespace {

using scenes::Random;
using scenes::Soup;

constexpr graze::study::Volume kinds[] = {graze::study::Volume::Obb,    graze::study::Volume::Aabb,
                                          graze::study::Volume::Sphere, graze::study::Volume::Dop14,
                                          graze::study::Volume::Dop18,  graze::study::Volume::Dop26};
constexpr study::Split splits[] = {study::Split::Mean, study::Split::Median, study::Split::Midpoint,
                                   study::Split::Overlap, study::Split::Area};

/// Points of a frame: a cloud, flattened or not, or a place.
std::vector<Vec3> cloud(Random& random, int round) {
    const auto n = static_cast<int>(1 + random.below(40));
    const Vec3 centre = random.in_cube(-0.5, 0.5), size = random.in_cube(0, round % 3 == 0 ? 0.5 : 0.1);
    std::vector<Vec3> points;
    for (int i = 0; i < n; ++i) {
        Vec3 p = random.in_cube(-1, 1);
        p = {p.x * size.x, p.y * size.y, p.z * size.z};
        switch (round % 8) {
            case 1:
                p.z = 0;
                break;
            case 2:
                p = {p.x, p.x, p.x};
                break;
            case 3:
                p = {};
                break;
            case 4:
                p = p * 0x1p-40;
                break;
            default:
                break;
        }
        p = centre + p;
        if (round % 8 == 5) p = {p.x < 0 ? -1.0 : 1.0, p.y < 0 ? -1.0 : 1.0, p.z < 0 ? -1.0 : 1.0};
        points.push_back(p);
    }
    return points;
}

/// An invertible matrix of one of several kinds; not beyond 2^20.
Mat3 matrix(Random& random, int kind) {
    Mat3 m = scenes::random_rotation(random).rotation();
    const auto stretch = [&](const Vec3& by) {
        for (Vec3& row : m.row) row = {row.x * by.x, row.y * by.y, row.z * by.z};
    };
    switch (kind % 8) {
        case 1:
            m = scenes::axis_rotation(random.below(24)).rotation();
            break;
        case 2:
            stretch(random.in_cube(0.2, 3));
            break;
        case 3:
            stretch({1, 1e-9, 1e-4});
            break;
        case 4:
            m.row[0] = m.row[0] + m.row[1] * random.between(-5, 5);
            break;
        case 5:
            stretch({0x1p-300, -0x1p-300, 0x1p-301});
            break;
        case 6:
            stretch({0x1p19, 3, 0x1p-30});
            break;
        case 7:
            for (Vec3& row : m.row) row = row + random.in_cube(-0.003, 0.003);
            break;
        default:
            break;
    }
    return m;
}

template <class Bv>
class Volumes : public testing::Test {};
using Kinds = testing::Types<Aabb, Sphere, Dop<14>, Dop<18>, Dop<26>>;
TYPED_TEST_SUITE(Volumes, Kinds);

TYPED_TEST(Volumes, HoldTheirPoints) {
    Random random(1);
    for (int round = 0; round < 4000; ++round) {
        const auto a = cloud(random, round), b = cloud(random, round / 8);
        const TypeParam in_a = TypeParam::around(a, {}), in_b = TypeParam::around(b, {});
        const TypeParam both = in_a.around(in_a, in_b);
        const auto held = [](const TypeParam& v, const std::vector<Vec3>& points) {
            for (const Vec3& p : points)
                for (const double off : {-0x1p-53, 0.0, 0x1p-53}) {
                    const Vec3 q{p.x + off, p.y + off, p.z - off};
                    if (!v.holds(q) || !v.box().holds(q)) return false;
                }
            return true;
        };
        ASSERT_TRUE(held(in_a, a) && held(in_b, b)) << round;
        ASSERT_TRUE(held(both, a) && held(both, b)) << round;
        auto all = a;
        all.insert(all.end(), b.begin(), b.end());
        const TypeParam tight = TypeParam::around(all, {});
        if constexpr (std::is_same_v<TypeParam, Sphere>) {
            const double d = length(in_a.centre - in_b.centre);
            const double least = std::max({in_a.radius, in_b.radius, (d + in_a.radius + in_b.radius) / 2});
            EXPECT_LE(both.radius, least + 1e-14);
            EXPECT_LE(tight.radius, both.radius + 1e-9);
        } else {
            EXPECT_EQ(std::memcmp(&both, &tight, sizeof both), 0) << round;
        }
        // No larger than need be.
        const Obb box = tight.box();
        const Mat3 unit;
        for (int i = 0; i < 3; ++i) {
            double low = 1, high = -1;
            for (const Vec3& p : all)
                low = std::min(low, dot(box.axes.row[i], p)), high = std::max(high, dot(box.axes.row[i], p));
            if (!std::is_same_v<TypeParam, Sphere>) {
                EXPECT_LE(box.half[i], (high - low) / 2 + 1e-14);
            }
            if (i > 0) {
                EXPECT_LE(box.half[i], box.half[i - 1]);
            }
            EXPECT_NE(std::find(unit.row.begin(), unit.row.end(), box.axes.row[i]), unit.row.end());
        }
    }
}

TEST(Sphere, IsTheSmallest) {
    Random random(2);
    for (int round = 0; round < 300; ++round) {
        const auto points = cloud(random, round);
        const double radius = Sphere::around(points, {}).radius;
        // Bădoiu and Clarkson 2003: towards the furthest, a little less each time.
        Vec3 c = points[0];
        double least = 10;
        for (int i = 1; i < 3000; ++i) {
            Vec3 far = c;
            for (const Vec3& p : points)
                if (length(p - c) > length(far - c)) far = p;
            least = std::min(least, length(far - c));
            c = c + (far - c) * (1.0 / (i + 1));
        }
        EXPECT_LE(radius, least * (1 + 1e-8) + 1e-14) << round;
    }
}

/// Two sets of points on either side of a plane, touching or a gap apart; as models in the frames that trees use.
template <class Bv>
struct Duo {
    Frame frame_a, frame_b;
    Bv a, b;
    std::vector<Vec3> in_a, mapped;  // A's points and B's as queries map them
    Affine pose;
    bool usable = false;

    /// B's points are mapped, and A's put beyond the one furthest along `n` where `normal` is 0; for 1 … along one of
    /// the axes that the tests use. `gap` is relative to B's mapped size.
    Duo(Random& random, int round, double unit, double gap) {
        auto own = cloud(random, round);
        const Vec3 far = round % 5 == 0 ? random.in_cube(-1e6, 1e6) : Vec3{};
        for (Vec3& p : own) p = (p + far) * unit;
        const Mat3 m = matrix(random, round / 3);
        const auto made = Affine::from_matrix(m, round % 2 ? random.in_cube(-1, 1) * unit : Vec3{});
        if (!made) return;
        pose = *made;
        for (const Vec3& p : own) mapped.push_back(pose(p));
        Vec3 n = scenes::random_direction(random);
        const int i = static_cast<int>(random.below(3)), j = static_cast<int>(random.below(3));
        if (round % 4 == 1) n = Mat3{}.row[i];
        if (round % 4 == 2) n = cross(m.column((j + 1) % 3), m.column((j + 2) % 3));
        if (round % 4 == 3) n = cross(Mat3{}.row[i], m.column(j));
        const double size_n = length(n);
        if (!(size_n > 0)) return;
        n = n * (1 / size_n);
        Vec3 top = mapped[0];
        double extent = unit;
        for (const Vec3& p : mapped) {
            if (dot(n, p - mapped[0]) > dot(n, top - mapped[0])) top = p;
            extent = std::max(extent, length(p - mapped[0]));
        }
        if (!(extent < 0x1p990)) return;
        const Vec3 start = top + n * (gap * extent);
        in_a.push_back(start);
        for (const Vec3& p : cloud(random, round / 2)) {
            const double up = dot(n, p);
            in_a.push_back(start + (up < 0 ? p - n * (2 * up) : p) * (round % 7 ? extent : unit));
        }
        frame_a = Frame::around(in_a), frame_b = Frame::around(own);
        std::vector<Vec3> la, lb;
        for (const Vec3& p : in_a) la.push_back(frame_a.local(p));
        for (const Vec3& p : own) lb.push_back(frame_b.local(p));
        a = Bv::around(la, {}), b = Bv::around(lb, {});
        usable = true;
    }

    PairTest<Bv> test(double margin = 0) const { return {frame_a, frame_b, pose, margin}; }
    double nearest() const {
        double least = INFINITY;
        for (const Vec3& p : in_a)
            for (const Vec3& q : mapped) least = std::min(least, length(p - q));
        return least;
    }
};

constexpr double units[] = {1, 1, 0x1p-1060, 0x1p-1000, 0x1p-500, 1e-6, 1e9, 0x1p400, 0x1p960};

template <class Bv>
bool all_say(const PairTest<Bv>& test, const Bv& a, const Bv& b, bool apart) {
    bool same = test.apart(a, b) == apart && test.apart(a, test.place_b(b)) == apart;
    // Placed from the other side, numbers round otherwise.
    if (!apart) same = same && !test.apart(test.place_a(a), b);
    return same;
}

/// The result of `find`, in the models' own lengths and with an axis of unit length.
struct Separation {
    Vec3 axis;
    double gap = 0;
};
template <class Bv>
Separation separation(const PairTest<Bv>& test, const Bv& a, const Bv& b) {
    const Finding found = test.find(a, b);
    if (!(found.gap > 0)) return {};
    return {found.axis * (1 / length(found.axis)), std::ldexp(found.gap, test.exponent())};
}

TYPED_TEST(Volumes, TouchingIsNotApart) {
    Random random(3);
    int usable = 0;
    for (int round = 0; round < 12000; ++round) {
        const Duo<TypeParam> duo(random, round, units[random.below(9)], 0);
        if (!duo.usable) continue;
        ++usable;
        const auto test = duo.test();
        ASSERT_TRUE(all_say(test, duo.a, duo.b, false)) << round;
        EXPECT_EQ(separation(test, duo.a, duo.b).gap, 0);
        if constexpr (std::is_same_v<TypeParam, Aabb>) {
            EXPECT_FALSE(test.template apart<true>(duo.a, duo.b));
            EXPECT_FALSE(test.template apart<false>(duo.a, duo.b));
        }
    }
    EXPECT_GT(usable, 8000);
}

TYPED_TEST(Volumes, SeparationIsNoMoreThanTheGap) {
    Random random(4);
    int usable = 0, apart = 0;
    for (int round = 0; round < 6000; ++round) {
        const Duo<TypeParam> duo(random, round, units[random.below(2)], random.between(0, 2));
        if (!duo.usable) continue;
        ++usable;
        const auto test = duo.test();
        const Separation s = separation(test, duo.a, duo.b);
        ASSERT_TRUE(all_say(test, duo.a, duo.b, s.gap > 0)) << round;
        const double nearest = duo.nearest();
        EXPECT_FALSE(duo.test(nearest).apart(duo.a, duo.b)) << round;
        EXPECT_FALSE(duo.test(1e308).apart(duo.a, duo.b)) << round;
        EXPECT_FALSE(separation(duo.test(nearest * 0.5), duo.a, duo.b).gap > nearest * 0.5000001) << round;
        if (!(s.gap > 0)) continue;
        ++apart;
        EXPECT_NEAR(length(s.axis), 1, 1e-14);
        const Vec3 o = duo.in_a[0];  // where differences are exact enough
        double top = -INFINITY, bottom = INFINITY;
        for (const Vec3& p : duo.in_a) top = std::max(top, dot(s.axis, p - o));
        for (const Vec3& p : duo.mapped) bottom = std::min(bottom, dot(s.axis, p - o));
        EXPECT_LE(s.gap, bottom - top + 1e-15 * (std::abs(top) + std::abs(bottom))) << round;
        EXPECT_TRUE(duo.test(s.gap * 0.999).apart(duo.a, duo.b)) << round;
    }
    EXPECT_GT(usable, 5000);
    EXPECT_GT(apart, usable / 2);
}

TYPED_TEST(Volumes, FramesOfAnySize) {
    // The same question in other units has the same answer; nothing overflows.
    Random random(5);
    int apart = 0;
    for (int round = 0; round < 2000; ++round) {
        const Duo<TypeParam> duo(random, round, 1, 0.3);
        if (!duo.usable) continue;
        const Separation s = separation(duo.test(), duo.a, duo.b);
        if (s.gap < 1e-6 * length(duo.pose.translation())) continue;
        for (const int e : {-900, -100, 100, 900}) {
            const auto scaled = [e](Frame f) {
                f.centre = f.centre * std::ldexp(1, e), f.exponent += e;
                return f;
            };
            if (scaled(duo.frame_a).exponent < -960 || scaled(duo.frame_b).exponent < -960) continue;
            const auto pose = Affine::from_matrix(duo.pose.linear(), duo.pose.translation() * std::ldexp(1, e));
            if (!pose) continue;
            const PairTest<TypeParam> test(scaled(duo.frame_a), scaled(duo.frame_b), *pose, 0);
            EXPECT_DOUBLE_EQ(std::ldexp(separation(test, duo.a, duo.b).gap, -e), s.gap);
            ++apart;
        }
    }
    EXPECT_GT(apart, 1000);
    const Vec3 corners[] = {{-1, -1, -1}, {1, 1, 1}};
    const TypeParam full = TypeParam::around(corners, {});
    const auto big = Affine::from_matrix({{Vec3{0x1p20, -0x1p20, 0}, Vec3{0x1p20, 0x1p20, 0}, Vec3{0, 0, 0x1p-1074}}},
                                         {max_coordinate, -max_coordinate, max_coordinate});
    for (const int ea : {-960, 0, 1001})
        for (const int eb : {-960, 0, 1001})
            for (const double c : {0.0, 1.0, max_coordinate}) {
                const Frame a{{c, c, c}, ea}, b{{c, c, c}, eb};
                const Affine far = *Affine::from_matrix({}, {max_coordinate, -max_coordinate, max_coordinate});
                EXPECT_FALSE(PairTest<TypeParam>(a, b, {}, 0).apart(full, full));
                EXPECT_FALSE(PairTest<TypeParam>(a, b, far, 1.7e308).apart(full, full));
                EXPECT_FALSE(PairTest<TypeParam>(a, b, *big, 1.7e308).apart(full, full));
                if (ea < 990 && eb < 990) {
                    EXPECT_TRUE(PairTest<TypeParam>(a, b, far, 0).apart(full, full));
                }
            }
}

/// The widest gap along the 15 axes of two boxes, from their corners.
double gap(const Aabb& a, const Aabb& b, const Affine& pose) {
    const auto corners = [](const Aabb& box) {
        std::vector<Vec3> out;
        for (int i = 0; i < 8; ++i)
            out.push_back(
                {i & 1 ? box.high.x : box.low.x, i & 2 ? box.high.y : box.low.y, i & 4 ? box.high.z : box.low.z});
        return out;
    };
    const auto in_a = corners(a);
    auto in_b = corners(b);
    for (Vec3& p : in_b) p = pose(p);
    const Mat3 unit, &m = pose.linear();
    std::vector<Vec3> axes(unit.row.begin(), unit.row.end());
    for (int j = 0; j < 3; ++j) axes.push_back(cross(m.column((j + 1) % 3), m.column((j + 2) % 3)));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) axes.push_back(cross(unit.row[i], m.column(j)));
    double most = -INFINITY;
    for (Vec3 axis : axes) {
        if (length(axis) < 1e-6) continue;
        axis = axis * (1 / length(axis));
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (const Vec3& p : in_a) low[0] = std::min(low[0], dot(axis, p)), high[0] = std::max(high[0], dot(axis, p));
        for (const Vec3& p : in_b) low[1] = std::min(low[1], dot(axis, p)), high[1] = std::max(high[1], dot(axis, p));
        most = std::max({most, low[1] - high[0], low[0] - high[1]});
    }
    return most;
}

TEST(Aabb, FifteenAxesAreAsTightAsCanBe) {
    Random random(6);
    int apart = 0, by_edges = 0;
    for (int round = 0; round < 20000; ++round) {
        const auto box = [&] {
            const Vec3 c = random.in_cube(-0.4, 0.4), h = random.in_cube(0, 0.4);
            return Aabb{c - h, c + h};
        };
        const Aabb a = box(), b = box();
        const auto pose =
            Affine::from_matrix(matrix(random, std::array{0, 1, 2, 4, 7}[round % 5]), random.in_cube(-0.7, 0.7));
        if (!pose) continue;
        const PairTest<Aabb> test({}, {}, *pose, 0);
        const double g = gap(a, b, *pose);
        if (std::abs(g) < 1e-9) continue;
        ASSERT_EQ(test.apart<true>(a, b), g > 0) << round;
        ASSERT_EQ(test.apart<true>(test.place_a(a), b), g > 0) << round;
        if (test.apart<false>(a, b)) {
            ASSERT_GT(g, 0);
        }
        apart += g > 0;
        by_edges += g > 0 && !test.apart<false>(a, b);
    }
    EXPECT_GT(apart, 3000);
    EXPECT_GT(by_edges, 100);
    EXPECT_LT(by_edges, apart / 5);
}

template <int k>
void expect_tighter_than_boxes() {
    Random random(7);
    int apart = 0, more = 0;
    for (int round = 0; round < 8000; ++round) {
        Random copy = random;
        const Duo<Dop<k>> duo(random, round, 1, 0.01);
        const Duo<Aabb> boxes(copy, round, 1, 0.01);
        if (!duo.usable) continue;
        const double g = separation(boxes.test(), boxes.a, boxes.b).gap;
        const bool found = duo.test().apart(duo.a, duo.b);
        if (g > 1e-9 * length(duo.mapped[0])) {
            EXPECT_TRUE(found) << round;
        }
        apart += g > 0, more += found;
    }
    EXPECT_GT(apart, 1000);
    EXPECT_GT(more, apart + apart / 20);
}
TEST(Dop, TighterThanBoxes) {
    expect_tighter_than_boxes<14>();
    expect_tighter_than_boxes<18>();
    expect_tighter_than_boxes<26>();
}

using Pairs = std::vector<TrianglePair>;

Pairs brute_force(const Model& a, const Model& b, const Affine& pose) {
    Pairs out;
    for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
        const Triangle own = b.triangle(j), t{pose(own.a), pose(own.b), pose(own.c)};
        for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
            if (meet(a.triangle(i), t)) out.push_back({i, j});
    }
    std::sort(out.begin(), out.end());
    return out;
}

Pairs found(const Model& a, const Model& b, const Affine& pose) {
    Pairs out;
    for (const Contact& c : collide(a, b, pose)) out.push_back(c.triangles);
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<Affine> placements(Random& random, const Soup& a, const Soup& b, int count) {
    std::vector<Affine> out;
    while (static_cast<int>(out.size()) < count) {
        const Mat3 m = matrix(random, std::array{0, 1, 0, 2, 4, 7, 3}[out.size() % 7]);
        // A point of B on a point of A.
        const Vec3 p = a.points[random.below(static_cast<std::uint32_t>(a.points.size()))];
        const Vec3 q = b.points[random.below(static_cast<std::uint32_t>(b.points.size()))];
        if (const auto pose = Affine::from_matrix(m, p - m * q)) out.push_back(*pose);
    }
    return out;
}

std::vector<Soup> small_scenes() {
    return {scenes::torus(1, 0.4, 12, 9),
            scenes::teapot(2),
            scenes::random_soup(80, 0.2, 3),
            scenes::degenerate_mixture(60, 4),
            scenes::integer_ground(6, 2),
            scenes::needles(40, 5),
            scenes::scale(scenes::teapot(1), 0x1p-1000),
            scenes::tiny(1, 6)};
}

TEST(VolumeTrees, EveryKindAndSplitAnswersAsBruteForce) {
    Random random(8);
    std::size_t pairs = 0;
    for (const Soup& soup : small_scenes()) {
        const Model plain = *Model::build(soup);
        std::vector<Affine> poses = placements(random, soup, soup, 7);
        poses.push_back({});
        std::vector<Pairs> expected;
        for (const Affine& pose : poses)
            expected.push_back(brute_force(plain, plain, pose)), pairs += expected.back().size();
        for (const auto kind : kinds)
            for (const study::Split split : splits) {
                const study::TreeSettings settings{.tree = study::TreeKind::Binary, .volume = kind, .split = split};
                const Model model = *study::build(soup, settings);
                EXPECT_EQ(study::tree_settings(model).volume, kind);
                ASSERT_TRUE(model.validate());
                for (std::size_t i = 0; i < poses.size(); ++i) {
                    ASSERT_EQ(found(model, model, poses[i]), expected[i]) << name(kind) << i;
                    EXPECT_EQ(intersects(model, model, poses[i]), !expected[i].empty());
                }
            }
    }
    EXPECT_GT(pairs, 5000u);
}

TEST(VolumeTrees, EveryKindMeetsEveryOther) {
    Random random(9);
    const Soup a = scenes::torus(1, 0.4, 12, 9), b = scenes::teapot(2);
    std::vector<Model> in_a, in_b;
    for (const Soup* soup : {&a, &b}) {
        auto& models = soup == &a ? in_a : in_b;
        for (const auto kind : kinds)
            models.push_back(*study::build(*soup, {.tree = study::TreeKind::Binary, .volume = kind}));
        for (const auto kind : {graze::study::Volume::Obb, graze::study::Volume::Aabb})
            models.push_back(*study::build(*soup, {.tree = study::TreeKind::Wide, .volume = kind}));
    }
    std::size_t pairs = 0;
    for (const Affine& pose : placements(random, a, b, 14)) {
        const Pairs expected = brute_force(in_a[0], in_b[0], pose);
        pairs += expected.size();
        for (std::size_t i = 0; i < in_a.size(); ++i)
            for (std::size_t j = 0; j < in_b.size(); ++j)
                EXPECT_EQ(found(in_a[i], in_b[j], pose), expected)
                    << in_a[i].summary() << "; " << in_b[j].summary() << (pose.rigid() ? "" : "; not rigid");
    }
    EXPECT_GT(pairs, 500u);
}

TEST(VolumeTrees, SavedAndLoaded) {
    const Soup soup = scenes::teapot(2);
    const test::TemporaryFolder folder;
    const std::string path = folder.at("model");
    Random random(10);
    const auto poses = placements(random, soup, soup, 3);
    for (const auto kind : kinds) {
        const Model model =
            *study::build(soup, {.tree = study::TreeKind::Binary, .volume = kind, .split = study::Split::Midpoint});
        ASSERT_TRUE(model.save(path));
        const auto loaded = Model::load(path);
        ASSERT_TRUE(loaded) << loaded.fault().message;
        EXPECT_EQ(loaded->summary(), model.summary());
        EXPECT_TRUE(loaded->validate());
        for (const Affine& pose : poses) EXPECT_EQ(found(*loaded, *loaded, pose), found(model, model, pose));
    }
}

template <class Tree>
void expect_same_nodes(const Tree& a, const Tree& b) {
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    EXPECT_EQ(std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.bytes()), 0);
}

TEST(VolumeTrees, ThreadsGiveTheSameTree) {
    const Geometry g = *make_geometry(scenes::torus(1, 0.4, 60, 50));
    for (const study::Split split : splits) {
        const auto built = [&](auto tree, unsigned threads) {
            return decltype(tree)::build(g, {.refine = false, .split = static_cast<Split>(split), .threads = threads});
        };
        expect_same_nodes(built(BvTree<Aabb>{}, 1), built(BvTree<Aabb>{}, 4));
        expect_same_nodes(built(BvTree<Sphere>{}, 1), built(BvTree<Sphere>{}, 3));
        expect_same_nodes(built(BvTree<Obb>{}, 1), built(BvTree<Obb>{}, 2));
    }
}

/// How many triangles are below each node.
template <class Tree>
std::vector<std::uint32_t> counts(const Tree& tree) {
    std::vector<std::uint32_t> count(tree.nodes.size(), 1);
    for (std::size_t i = count.size(); i-- > 0;)
        if (const auto child = tree.nodes[i].child) count[i] = count[child] + count[child + 1];
    return count;
}

TEST(Splits, OverlapIsHalfBalanced) {
    const Geometry g = *make_geometry(scenes::teapot(5));
    const auto tree = BvTree<Aabb>::build(g, {.split = detail::Split::Overlap});
    const auto count = counts(tree);
    int uneven = 0;
    for (std::size_t i = 0; i < count.size(); ++i) {
        if (tree.nodes[i].child == 0) continue;
        const auto [less, more] = std::minmax(count[tree.nodes[i].child], count[tree.nodes[i].child + 1]);
        ASSERT_LE(more, 2 * less);
        uneven += more > less + 1;
    }
    EXPECT_GT(uneven, 100);
}

TEST(Splits, MidpointCutsInTheMiddle) {
    // At 0, 1, … 9 along y: five and five; with one far out: ten and one.
    Soup s;
    const auto add = [&](double y) {
        const auto a = s.add({0, y, 0}), b = s.add({0.1, y, 0}), c = s.add({0, y + 0.01, 0.1});
        s.add_triangle(a, b, c);
    };
    for (int i = 0; i < 10; ++i) add(i);
    const auto parts = [&](study::Split split) {
        const auto tree = BvTree<Aabb>::build(*make_geometry(s), {.split = static_cast<Split>(split)});
        const auto count = counts(tree);
        return std::pair<unsigned, unsigned>(std::minmax(count[tree.nodes[0].child], count[tree.nodes[0].child + 1]));
    };
    EXPECT_EQ(parts(study::Split::Midpoint), std::pair(5u, 5u));
    add(100);
    EXPECT_EQ(parts(study::Split::Midpoint), std::pair(1u, 10u));
    EXPECT_EQ(parts(study::Split::Area), std::pair(1u, 10u));
    EXPECT_EQ(parts(study::Split::Median), std::pair(5u, 6u));
}

TEST(Splits, HardCasesStayShallow) {
    // All in one place, in a line, and places that halve: no cut takes a level for each triangle.
    Soup place, line, halving;
    for (int i = 0; i < 20000; ++i) {
        const auto add = [](Soup& soup, double x, double y) {
            const auto a = soup.add({x, 0, 0}), b = soup.add({x, y, 0}), c = soup.add({x, 0, y});
            soup.add_triangle(a, b, c);
        };
        const double x = std::ldexp(i % 2 ? 1 : -1, -(i % 1000));
        add(place, 1, 1);
        add(line, i, 0);
        add(halving, x, x);
    }
    for (const Soup* s : {&place, &line, &halving})
        for (const study::Split split : splits) {
            const Geometry g = *make_geometry(*s);
            const auto tree = BvTree<Aabb>::build(g, {.split = static_cast<Split>(split)});
            EXPECT_LE(tree.depth, s == &halving ? 80u : 17u);
            EXPECT_EQ(tree.validate(g), "");
        }
}

TEST(VolumeTrees, RefitIsTight) {
    Random random(11);
    const Soup soup = scenes::teapot(4);
    Soup bent = soup;
    for (Vec3& p : bent.points) p = p + Vec3{0.3 * p.y * p.y, 0.2 * p.x, 0.1 * p.x * p.z} + random.in_cube(-0.01, 0.01);
    const Geometry before = *make_geometry(soup), after = *make_geometry(bent);
    const auto expect_tight = [&]<class Bv>(const BvTree<Bv>& tree) {
        // Below each node, by the leaves of its subtree.
        std::vector<std::vector<Vec3>> points(tree.nodes.size());
        for (std::size_t i = points.size(); i-- > 0;) {
            const auto& node = tree.nodes[i];
            if (node.child == 0) {
                const Triangle t = after.triangle(node.triangle);
                points[i] = {tree.frame.local(t.a), tree.frame.local(t.b), tree.frame.local(t.c)};
            } else {
                for (const auto c : {node.child, node.child + 1})
                    points[i].insert(points[i].end(), points[c].begin(), points[c].end());
            }
            const Bv anew = Bv::around(points[i], {});
            ASSERT_EQ(std::memcmp(&anew, &node.volume, sizeof anew), 0) << i;
        }
    };
    const auto refitted = [&](auto tree) {
        tree = decltype(tree)::build(before, {});
        tree.refit(after, {});
        EXPECT_EQ(tree.validate(after), "");
        return tree;
    };
    expect_tight(refitted(BvTree<Aabb>{}));
    expect_tight(refitted(BvTree<Dop<14>>{}));
    expect_tight(refitted(BvTree<Dop<18>>{}));
    expect_tight(refitted(BvTree<Dop<26>>{}));
    auto loose = BvTree<Sphere>::build(after, {});
    const double built = loose.cost();
    loose.refit(after, {});
    EXPECT_GT(loose.cost(), built);
    // The others grow, but not out of bounds.
    EXPECT_LT(refitted(BvTree<Sphere>{}).cost(), 3 * BvTree<Sphere>::build(after, {}).cost());
    EXPECT_LT(refitted(BvTree<Obb>{}).cost(), 8 * BvTree<Obb>::build(after, {}).cost());
}

TEST(VolumeTrees, RefitAnswersAsBruteForce) {
    Random random(12);
    const Soup soup = scenes::torus(1, 0.4, 12, 9);
    for (const auto kind : kinds) {
        Model model = *study::build(soup, {.tree = study::TreeKind::Binary, .volume = kind});
        Soup moving = soup;
        for (int step = 0; step < 4; ++step) {
            // All points, then some.
            const std::size_t first = step % 2 ? 40 : 0;
            for (std::size_t i = first; i < moving.points.size() - first; ++i)
                moving.points[i] = moving.points[i] + random.in_cube(-0.05, 0.05);
            const std::span part =
                std::span<const Vec3>(moving.points).subspan(first, moving.points.size() - 2 * first);
            const auto done =
                model.refit(part, {.first = static_cast<std::uint32_t>(first), .rebuild = Rebuild::Never});
            ASSERT_TRUE(done);
            ASSERT_TRUE(model.validate()) << name(kind);
            for (const Affine& pose : placements(random, moving, moving, 3))
                EXPECT_EQ(found(model, model, pose), brute_force(model, model, pose)) << name(kind);
        }
    }
}

}  // namespace
}  // namespace graze::detail
