// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "model/model_data.hpp"

namespace graze::detail {
namespace {

using Indices = std::vector<std::uint32_t>;
const std::vector<Vec3> unit = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

void expect_fault(const SoupView& soup, FaultKind kind, const std::string& part) {
    const auto g = make_geometry(soup);
    ASSERT_FALSE(g.ok()) << part;
    EXPECT_EQ(g.fault().kind, kind) << g.fault().message;
    EXPECT_NE(g.fault().message.find(part), std::string::npos) << g.fault().message;
    EXPECT_EQ(g.fault().message.find('\n'), std::string::npos);
}

TEST(Soup, EmptyIsValid) {
    const auto g = make_geometry(SoupView(std::span<const Vec3>{}, Indices{}));
    ASSERT_TRUE(g.ok());
    EXPECT_EQ(g->triangles.size(), 0u);
    const Indices none{0};
    const auto h = make_geometry(SoupView(std::span<const Vec3>{}, Indices{}).with_polygons(none));
    ASSERT_TRUE(h.ok());
    EXPECT_EQ(h->polygon_count, 0u);
}

TEST(Soup, KeepsOrderAndUnusedPoints) {
    const Indices t{3, 1, 0, 1, 1, 1};
    const auto g = make_geometry(SoupView(unit, t));
    ASSERT_TRUE(g.ok());
    EXPECT_EQ(g->points.size(), 4u);
    EXPECT_EQ(g->triangles[0], (Corners{3, 1, 0}));
    EXPECT_EQ(g->triangles[1], (Corners{1, 1, 1}));
    EXPECT_TRUE(g->polygon_of.empty());
    EXPECT_EQ(g->polygon_count, 2u);
}

TEST(Soup, FloatsWidenExactly) {
    const std::vector<float> xyz{0.1f, 0, 0, 1, 0, 0, 0, 1, 0};
    const Indices t{0, 1, 2};
    const auto g = make_geometry(SoupView(std::span<const float>(xyz), t));
    ASSERT_TRUE(g.ok());
    EXPECT_EQ(g->points[0].x, static_cast<double>(0.1f));
}

TEST(Soup, ContainersOfTriples) {
    const std::vector<std::array<double, 3>> arrays = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const std::vector<std::array<float, 3>> floats = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const std::vector<Eigen::Vector3d> vectors = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const std::vector<Eigen::Vector3f> short_vectors = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> rows(4, 3);
    rows << 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0;
    const Eigen::Matrix3Xf columns = rows.transpose().cast<float>();
    struct Named {
        float x, y, z;
    };
    const Named named[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

    const std::vector<int> ints = {0, 1, 2, 0, 2, 3};
    const std::vector<unsigned> numbers = {0, 1, 2, 0, 2, 3};
    const std::vector<std::array<int, 3>> triples = {{0, 1, 2}, {0, 2, 3}};
    const std::vector<Corners> corners = {{0, 1, 2}, {0, 2, 3}};
    Eigen::Matrix<int, Eigen::Dynamic, 3, Eigen::RowMajor> faces(2, 3);
    faces << 0, 1, 2, 0, 2, 3;
    for (const PointView& points : {PointView(unit), PointView(arrays), PointView(floats), PointView(vectors),
                                    PointView(short_vectors), PointView(rows), PointView(columns), PointView(named)})
        for (const IndexView& indices :
             {IndexView(ints), IndexView(numbers), IndexView(triples), IndexView(corners), IndexView(faces)}) {
            const auto g = make_geometry(SoupView(points, indices));
            ASSERT_TRUE(g.ok()) << g.fault().message;
            ASSERT_EQ(g->points.size(), 4u);
            for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(g->points[i], unit[i]);
            ASSERT_EQ(g->triangles.size(), 2u);
            EXPECT_EQ(g->triangles[1], (Corners{0, 2, 3}));
        }
    EXPECT_TRUE(Model::build({arrays, triples}).ok());
    const std::vector<int> offsets = {0, 4}, quad = {0, 1, 2, 3};
    EXPECT_EQ(Model::build(SoupView(vectors, quad).with_polygons(offsets))->polygon_count(), 1u);

    const std::vector<int> negative = {0, 1, -1};
    expect_fault(SoupView(arrays, negative), FaultKind::BadIndex, "triangle 0 names point -1 of 4");
    const std::vector<int> triangle = {0, 3};
    expect_fault(SoupView(arrays, negative).with_polygons(triangle), FaultKind::BadIndex,
                 "polygon 0 names point -1 of 4");
    const std::vector<int> backwards = {0, -3};
    expect_fault(SoupView(arrays, ints).with_polygons(backwards), FaultKind::BadPolygon, "polygon 0");
}

template <class T>
constexpr bool are_points = std::is_constructible_v<PointView, const T&>;
template <class T>
constexpr bool are_indices = std::is_constructible_v<IndexView, const T&>;
// Nothing that would be read in the wrong order or width, or with gaps.
static_assert(are_points<Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>>);
static_assert(!are_points<Eigen::MatrixX3d> && !are_points<Eigen::MatrixXd> && !are_points<Eigen::Matrix3Xi>);
static_assert(!are_points<Eigen::Map<const Eigen::Matrix3Xd, 0, Eigen::OuterStride<>>>);
static_assert(!are_points<std::vector<Eigen::Vector4d>> && !are_points<std::vector<std::array<double, 2>>>);
static_assert(!are_points<std::vector<int>> && !are_points<std::vector<long double>> && !are_points<std::string>);
static_assert(!are_points<std::vector<std::vector<double>>> && !are_points<std::vector<const double*>>);
static_assert(!are_indices<std::vector<std::int64_t>> && !are_indices<std::vector<std::size_t>>);
static_assert(!are_indices<std::vector<float>> && !are_indices<std::vector<std::array<int, 4>>>);

TEST(Result, OfVoidIsSuccessOrAFault) {
    const auto done = [](bool good) -> Result<void> {
        if (!good) return Fault{FaultKind::File, "no room"};
        return {};
    };
    EXPECT_TRUE(done(true).ok());
    if (const auto r = done(true); !r) FAIL() << r.fault().message;
    const auto r = done(false);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.fault().kind, FaultKind::File);
    EXPECT_DEATH(r.value(), "no room");
    EXPECT_DEATH(static_cast<void>(done(true).fault()), "");
}

TEST(ResultDeathTest, AFaultTakenForAValuePrintsItsMessage) {
    const std::vector<int> wrong = {0, 1, 7};
    const auto model = Model::build({unit, wrong});
    EXPECT_DEATH((void)model->triangle_count(), "triangle 0 names point 7 of 4");
    EXPECT_DEATH((void)*Pose::from_translation({std::nan(""), 0, 0}), "is not finite");
    EXPECT_DEATH((void)Model::build({unit, IndexView()}).fault(), "a value was taken for a fault");
}

TEST(Soup, FaultsNameWhere) {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const Indices t{0, 1, 2, 0, 2, 3};
    const std::vector<double> ten(10, 0.0);
    expect_fault(SoupView(std::span<const double>(ten), t), FaultKind::BadIndex, "point 3 is incomplete");
    const Indices five{0, 1, 2, 0, 2};
    expect_fault(SoupView(unit, five), FaultKind::BadPolygon, "triangle 1 is incomplete");
    const Indices wild{0, 1, 2, 0, 4, 3};
    expect_fault(SoupView(unit, wild), FaultKind::BadIndex, "triangle 1 names point 4 of 4");
    for (const double bad : {inf, -inf, nan}) {
        auto p = unit;
        p[2].y = bad;
        expect_fault(SoupView(p, t), FaultKind::NotFinite, "y of point 2 is not finite");
    }
    auto p = unit;
    p[3].z = std::nextafter(max_coordinate, inf);
    expect_fault(SoupView(p, t), FaultKind::OutOfRange, "z of point 3");
    p[3].z = -max_coordinate;
    EXPECT_TRUE(make_geometry(SoupView(p, t)).ok());
    // Points that no triangle uses are checked as well.
    p.push_back({nan, 0, 0});
    expect_fault(SoupView(p, t), FaultKind::NotFinite, "x of point 4");
}

TEST(Soup, PolygonFaultsNameWhere) {
    const Indices c{0, 1, 2, 3, 0, 1, 2};
    const auto with = [&](const Indices& offsets) { return SoupView(unit, c).with_polygons(offsets); };
    expect_fault(with({1, 4, 7}), FaultKind::BadPolygon, "polygon 0 starts at corner 1");
    expect_fault(with({0, 4, 3, 7}), FaultKind::BadPolygon, "polygon 1 has offsets that run backwards");
    expect_fault(with({0, 5, 7}), FaultKind::BadPolygon, "polygon 1 has 2 corners");
    expect_fault(with({0, 4, 4, 7}), FaultKind::BadPolygon, "polygon 1 has 0 corners");
    expect_fault(with({0, 4}), FaultKind::BadPolygon, "ends at corner 4");
    expect_fault(with({0, 4, 8}), FaultKind::BadPolygon, "polygon 1 ends at corner 8 of 7");
    const Indices wild{0, 1, 2, 3, 0, 9, 2}, offsets{0, 4, 7};
    expect_fault(SoupView(unit, wild).with_polygons(offsets), FaultKind::BadIndex, "polygon 1 names point 9 of 4");
}

TEST(Soup, NumbersTrianglesInPolygonOrder) {
    const Indices c{0, 1, 2, 0, 1, 2, 3, 1, 2, 3}, offsets{0, 3, 7, 10};
    const auto g = make_geometry(SoupView(unit, c).with_polygons(offsets));
    ASSERT_TRUE(g.ok());
    EXPECT_EQ(Indices(g->polygon_of.begin(), g->polygon_of.end()), (Indices{0, 1, 1, 2}));
    EXPECT_EQ(g->polygon_count, 3u);
    EXPECT_EQ(g->triangles[1], (Corners{0, 1, 2}));
    EXPECT_EQ(g->triangles[2], (Corners{0, 2, 3}));
    const Indices plain{0, 3};
    const auto h = make_geometry(SoupView(unit, std::span(c).first(3)).with_polygons(plain));
    ASSERT_TRUE(h.ok());
    EXPECT_TRUE(h->polygon_of.empty());
}

// Cuts one polygon whose corners are all of the points, in order.
std::vector<Corners> cut(const std::vector<Vec3>& points) {
    Indices c(points.size());
    std::iota(c.begin(), c.end(), 0u);
    const Indices offsets{0, static_cast<std::uint32_t>(c.size())};
    const auto g = make_geometry(SoupView(points, c).with_polygons(offsets));
    EXPECT_TRUE(g.ok());
    std::vector<Corners> t(g->triangles.begin(), g->triangles.end());
    EXPECT_EQ(t.size() + 2, points.size());
    std::set<std::uint32_t> used;
    for (const Corners& k : t) used.insert(k.begin(), k.end());
    EXPECT_EQ(used.size(), points.size());
    return t;
}

double doubled_area(const Vec3& a, const Vec3& b, const Vec3& c) { return cross(b - a, c - a).z; }

// The triangles of an anticlockwise simple polygon cover it once exactly when none turns
// clockwise: their signed sum winds as the polygon does. Integers make the areas exact.
void expect_cover(const std::vector<Vec3>& flat) {
    double polygon = 0;
    for (std::size_t i = 0; i < flat.size(); ++i) polygon += cross(flat[i], flat[(i + 1) % flat.size()]).z;
    ASSERT_GT(polygon, 0);
    const auto sum = [&](const std::vector<Corners>& triangles) {
        double total = 0;
        for (const Corners& t : triangles) {
            const double area = doubled_area(flat[t[0]], flat[t[1]], flat[t[2]]);
            EXPECT_GE(area, 0);
            total += area;
        }
        return total;
    };
    EXPECT_EQ(sum(cut(flat)), polygon);
    // The same in other planes, seen from the other side, and at extreme scales.
    std::vector<Vec3> tilted, huge, tiny;
    for (const Vec3& p : flat) {
        tilted.push_back({p.y + 2 * p.x, 7 - p.x, -p.y});
        huge.push_back(p * 0x1p980);
        tiny.push_back(p * 0x1p-1074);
    }
    EXPECT_EQ(sum(cut(tilted)), polygon);
    EXPECT_EQ(sum(cut(huge)), polygon);
    EXPECT_EQ(sum(cut(tiny)), polygon);
    // Any corner may come first.
    for (std::size_t s = 1; s < flat.size(); ++s) {
        std::vector<Vec3> turned(flat.begin() + s, flat.end());
        turned.insert(turned.end(), flat.begin(), flat.begin() + s);
        double total = 0;
        for (const Corners& t : cut(turned)) {
            const double area = doubled_area(turned[t[0]], turned[t[1]], turned[t[2]]);
            EXPECT_GE(area, 0);
            total += area;
        }
        EXPECT_EQ(total, polygon);
    }
}

TEST(Triangulate, ConvexIsAFan) {
    const auto t = cut({{0, 0, 0}, {2, 0, 0}, {3, 1, 0}, {2, 2, 0}, {0, 2, 0}});
    EXPECT_EQ(t, (std::vector<Corners>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
}

TEST(Triangulate, NonConvex) {
    expect_cover({{0, 0, 0}, {4, 0, 0}, {4, 1, 0}, {1, 1, 0}, {1, 4, 0}, {0, 4, 0}});  // L
    expect_cover({{0, 0, 0}, {9, 5, 0}, {18, 0, 0}, {9, 20, 0}});                      // arrow head
    std::vector<Vec3> star;
    for (int i = 0; i < 14; ++i) {
        const double r = i % 2 ? 300 : 1000, phi = 2 * 3.14159265358979 * i / 14;
        star.push_back({std::round(r * std::cos(phi)), std::round(r * std::sin(phi)), 0});
    }
    expect_cover(star);
    // A square spiral: out along one wall, back along the other.
    expect_cover({{0, 0, 0},
                  {10, 0, 0},
                  {10, 10, 0},
                  {1, 10, 0},
                  {1, 3, 0},
                  {7, 3, 0},
                  {7, 7, 0},
                  {3, 7, 0},
                  {3, 6, 0},
                  {6, 6, 0},
                  {6, 4, 0},
                  {2, 4, 0},
                  {2, 9, 0},
                  {9, 9, 0},
                  {9, 1, 0},
                  {0, 1, 0}});
    std::vector<Vec3> comb;
    for (int i = 0; i < 12; ++i) comb.push_back({2.0 * i, 0, 0}), comb.push_back({2.0 * i + 1, 50.0 - i, 0});
    comb.push_back({24, -1, 0});
    comb.push_back({0, -1, 0});
    std::vector<Vec3> forward(comb.rbegin(), comb.rend());
    expect_cover(forward);
}

TEST(Triangulate, CornersInLineAndTouching) {
    expect_cover({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}});
    // A square hole joined to the outside by a doubled edge.
    expect_cover(
        {{0, 0, 0}, {9, 0, 0}, {9, 9, 0}, {0, 9, 0}, {0, 0, 0}, {3, 3, 0}, {3, 6, 0}, {6, 6, 0}, {6, 3, 0}, {3, 3, 0}});
    // Repeated corners and a spike.
    expect_cover({{0, 0, 0}, {0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {4, 4, 0}, {4, 8, 0}, {4, 4, 0}, {0, 4, 0}});
}

TEST(Triangulate, RandomStarShaped) {
    std::mt19937 random(7);
    for (int round = 0; round < 40; ++round) {
        const int n = 5 + static_cast<int>(random() % 25);
        std::vector<Vec3> p;
        for (int i = 0; i < n; ++i) {
            const double r = 50 + static_cast<double>(random() % 1000), phi = 2 * 3.14159265358979 * i / n;
            p.push_back({std::round(r * std::cos(phi)), std::round(r * std::sin(phi)), 0});
        }
        expect_cover(p);
    }
}

TEST(Triangulate, NotQuitePlanar) {
    std::mt19937 random(8);
    std::uniform_real_distribution<double> noise(-0.05, 0.05);
    std::vector<Vec3> p{{0, 0, 0}, {4, 0, 0}, {4, 1, 0}, {1, 1, 0}, {1, 4, 0}, {0, 4, 0}};
    for (Vec3& v : p) v.z = noise(random);
    double total = 0;
    for (const Corners& t : cut(p)) {
        const double area = doubled_area(p[t[0]], p[t[1]], p[t[2]]);
        EXPECT_GT(area, 0);
        total += area;
    }
    EXPECT_EQ(total, 14);
}

TEST(Triangulate, DegenerateKeepsEveryCorner) {
    cut({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
    cut({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {5, 5, 5}, {3, 3, 3}});
    cut({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}});                         // a bow tie: no area
    cut({{0, 0, 0}, {9, 9, 0}, {9, 0, 0}, {0, 7, 0}, {3, -5, 0}, {1, 2, 0}});  // crosses itself
    std::mt19937 random(9);
    for (int round = 0; round < 200; ++round) {
        std::vector<Vec3> p(4 + random() % 12);
        for (Vec3& v : p)
            v = {static_cast<double>(random() % 3), static_cast<double>(random() % 3),
                 static_cast<double>(random() % 2)};
        cut(p);
    }
}

TEST(Triangulate, LargePolygonStaysQuick) {
    std::vector<Vec3> p;
    const int n = 4000;
    for (int i = 0; i < n; ++i) {
        const double r = i % 2 ? 900 : 1000, phi = 2 * 3.14159265358979 * i / n;
        p.push_back({r * std::cos(phi), r * std::sin(phi), 0});
    }
    double total = 0, polygon = 0;
    for (std::size_t i = 0; i < p.size(); ++i) polygon += cross(p[i], p[(i + 1) % p.size()]).z;
    for (const Corners& t : cut(p)) {
        const double area = doubled_area(p[t[0]], p[t[1]], p[t[2]]);
        EXPECT_GE(area, 0);
        total += area;
    }
    EXPECT_NEAR(total, polygon, 1e-6);
}

}  // namespace
}  // namespace graze::detail
