// SPDX-License-Identifier: Apache-2.0
// Affine placements: every tree and mixture of trees answers as brute force does, and as a model does whose points
// were mapped beforehand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "agree/duel.hpp"
#include "agree/golden.hpp"
#include "exact/triangle_distance.hpp"
#include "graze/distance.hpp"
#include "graze/study.hpp"
#include "model/access.hpp"
#include "model/model_data.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"
#include "scenes/reference.hpp"
#include "scenes/shapes.hpp"
#include "wide_walk/float_range.hpp"

namespace graze {
namespace {

using namespace test;
using scenes::Random;
using scenes::Soup;
using Pairs = std::vector<TrianglePair>;

constexpr study::TreeSettings trees[] = {{.volume = study::Volume::Obb, .threads = 1},
                                         {.volume = study::Volume::Aabb, .threads = 1},
                                         {.tree = study::TreeKind::Binary, .volume = study::Volume::Obb, .threads = 1}};

/// A soup and its model by every tree.
struct Models {
    Soup soup;
    std::vector<Model> by;

    explicit Models(Soup s) : soup(std::move(s)) {
        for (const study::TreeSettings& settings : trees) {
            by.push_back(*study::build(soup, settings));
            EXPECT_TRUE(by.back().validate().ok());
        }
    }
};

Pairs pairs_of(const std::vector<Contact>& contacts) {
    Pairs out;
    for (const Contact& c : contacts) out.push_back(c.triangles);
    return out;
}

Soup mapped(Soup soup, const Affine& m) {
    for (Vec3& p : soup.points) p = m(p);
    return soup;
}

/// Compares every mixture with `expected`, sorted.
void expect_pairs(const Models& a, const Models& b, const Affine& m, double margin, const Pairs& expected) {
    Scratch scratch;
    const QuerySettings options{.scratch = &scratch};
    for (std::size_t i = 0; i < std::size(trees); ++i)
        for (std::size_t j = 0; j < std::size(trees); ++j) {
            SCOPED_TRACE(3 * i + j);
            EXPECT_EQ(scenes::differing(pairs_of(collide_within(a.by[i], b.by[j], m, margin, options)), expected), 0u);
            EXPECT_EQ(study::within_by_contacts(a.by[i], b.by[j], m, margin, options), !expected.empty());
        }
}

std::size_t expect_agreement(const Models& a, const Models& b, const Affine& m) {
    const Pairs expected = scenes::Reference(a.soup, b.soup).all(m);
    expect_pairs(a, b, m, 0, expected);
    // Points beyond the supported range cannot be a model's.
    if (const auto placed = study::build(mapped(b.soup, m), trees[0])) {
        EXPECT_EQ(scenes::differing(pairs_of(collide(a.by[0], *placed, Pose())), expected), 0u);
    }
    return expected.size();
}

Mat3 diagonal(double x, double y, double z) { return {{Vec3{x, 0, 0}, Vec3{0, y, 0}, Vec3{0, 0, z}}}; }

/// Matrices of every kind that a placement may have, about 1 in size.
constexpr unsigned matrices = 9;
Mat3 matrix(unsigned kind, Random& random) {
    const Mat3 r = scenes::random_rotation(random).rotation(), s = scenes::random_rotation(random).rotation();
    const auto power = [&](double low, double high) { return std::pow(10, random.between(low, high)); };
    switch (kind % matrices) {
        case 0:  // uneven scales
            return r * diagonal(power(-3, 0), power(-1, 1), 1) * s;
        case 1: {  // shear
            const Vec3 v = random.in_cube(-3, 3);
            return r * Mat3{{Vec3{1, v.x, v.y}, Vec3{0, 1, v.z}, Vec3{0, 0, 1}}};
        }
        case 2:  // mirror
            return r * diagonal(-power(-1, 1), 1, 1);
        case 3:  // all but flat
            return r * diagonal(1, 1, power(-12, -6)) * s;
        case 4:  // all but a line
            return r * diagonal(1, power(-6, -4), power(-12, -6)) * s;
        case 5:  // just off rigid
            return r * diagonal(1.006, 1, 1);
        case 6:  // anything
            return {{random.in_cube(-1, 1), random.in_cube(-1, 1), random.in_cube(-1, 1)}};
        case 7: {  // exact: powers of two, axes to axes
            const auto two = [&] {
                return std::ldexp(random.below(2) ? 1 : -1, static_cast<int>(random.below(7)) - 3);
            };
            return scenes::axis_rotation(random.below(24)).rotation() * diagonal(two(), two(), two());
        }
        default: {  // close to singular by its entries
            const Vec3 u = random.in_cube(-1, 1), v = random.in_cube(-1, 1);
            return {{u, v, u * 0.5 + v * 0.25 + random.in_cube(-1e-14, 1e-14)}};
        }
    }
}

Mat3 times(const Mat3& m, double s) { return {{m.row[0] * s, m.row[1] * s, m.row[2] * s}}; }

Vec3 some_point(const Soup& s, Random& random) {
    const std::uint32_t* t = &s.corners[3 * random.below(static_cast<std::uint32_t>(s.triangle_count()))];
    return s.points[t[0]] * 0.25 + s.points[t[1]] * 0.25 + s.points[t[2]] * 0.5;
}

/// A point of B's onto one of A's.
Result<Affine> onto(const Soup& a, const Soup& b, const Mat3& m, Random& random) {
    return Affine::from_matrix(m, some_point(a, random) - m * some_point(b, random));
}

TEST(Affine, EveryMatrixAndMixture) {
    Random random(1);
    const Models a(scenes::random_soup(150, 0.2, 1)), b(scenes::random_soup(120, 0.2, 2)),
        c(scenes::degenerate_mixture(80, 3)), d(scenes::torus(1, 0.4, 12, 8));
    std::size_t pairs = 0, by_float = 0, rounds = 0;
    for (unsigned k = 0; k < scaled(4) * matrices; ++k)
        for (const auto& [p, q] : {std::pair{&a, &b}, {&b, &a}, {&a, &c}, {&d, &d}, {&c, &d}}) {
            SCOPED_TRACE(k);
            const auto m = onto(p->soup, q->soup, matrix(k, random), random);
            if (!m) continue;
            pairs += expect_agreement(*p, *q, *m);
            ++rounds;
            by_float +=
                detail::fits_float(detail::Access::data(p->by[0]).wide, detail::Access::data(q->by[0]).wide, *m, 0);
        }
    EXPECT_GT(pairs, 20 * rounds);
    // Both walks are among those compared.
    EXPECT_GT(by_float, rounds / 3);
    EXPECT_LT(by_float, rounds - rounds / 8);
}

TEST(Affine, EverySize) {
    // Matrices from tiny to the largest, against models that fit, and that do not.
    Random random(2);
    std::size_t pairs = 0;
    const Models b(scenes::random_soup(60, 0.3, 2));
    for (const double size : {0x1p-1050, 1e-300, 1e-100, 1e-20, 1e-9, 1e-3, 1e3, 0x1p18}) {
        const Models same(scenes::scale(scenes::random_soup(60, 0.3, 1), size)), one(scenes::random_soup(60, 0.3, 1));
        for (unsigned k = 0; k < matrices; ++k)
            for (const Models* a : {&same, &one}) {
                SCOPED_TRACE(size);
                const auto m = onto(a->soup, b.soup, times(matrix(k, random), size), random);
                if (m) pairs += expect_agreement(*a, b, *m);
            }
    }
    // Models as large and as small as numbers go.
    for (const double size : {0x1p-1060, 0x1p-500, 0x1p500, 0x1p970})
        for (const double grown : {0x1p-20, 0x1p18}) {
            SCOPED_TRACE(size);
            const Models a(scenes::scale(scenes::random_soup(30, 0.4, 3), size * grown)),
                large(scenes::scale(scenes::random_soup(30, 0.4, 4), size));
            for (unsigned k = 0; k < 3; ++k) {
                const auto m = onto(a.soup, large.soup, times(matrix(k, random), grown), random);
                if (m) pairs += expect_agreement(a, large, *m);
            }
        }
    EXPECT_GT(pairs, 3000u);
}

/// From a place where the two meet outwards to the last bit before they part, and around it.
TEST(Affine, BetweenTouchingAndApart) {
    Random random(3);
    unsigned found = 0;
    const unsigned rounds = scaled(150) * matrices;
    for (unsigned k = 0; k < rounds && !HasFailure(); ++k) {
        const auto shape = [&]() -> Soup {
            switch (random.below(5)) {
                case 0:
                    return scenes::tiny(1, random.bits());
                case 1:
                    return scenes::needles(6, random.bits(), 1e4);
                case 2:
                    return mapped(scenes::box({1, 0.5, 0.0625}), scenes::random_rotation(random));
                case 3:
                    return scenes::integer_ground(4, 1, random.bits());
                default:
                    return scenes::random_soup(20 + random.below(40), 0.3, random.bits());
            }
        };
        const Soup a = shape(), b = shape();
        Duel duel(a, b, trees[random.below(4) == 0 ? 2 : k & 1], trees[random.below(4) == 0 ? 2 : k >> 1 & 1]);
        const Mat3 m =
            times(matrix(k, random), random.below(3) ? 1 : std::ldexp(1, static_cast<int>(random.below(38)) - 19));
        const Vec3 from = some_point(a, random) - m * some_point(b, random);
        const Vec3 direction = random.below(2) ? scenes::random_direction(random)
                                               : scenes::axis_rotation(random.below(24)).rotation().row[0];
        const auto at = [&](double s) { return Affine::from_matrix(m, from + direction * s); };
        const auto hits = [&](double s) { return duel.meets(*at(s)); };
        const double far = 4 * (radius(duel.a()) + 3 * detail::norm(m) * radius(duel.b()));
        if (!at(0) || !hits(0) || hits(far)) continue;
        ++found;
        double inside = 0, outside = far;
        bisect(inside, outside, hits);
        for (const int ulp : ulps) duel.agrees(*at(stepped(inside, ulp)));
        for (int e = 4; e < 54; e += 2)
            for (const double by : {std::ldexp(far, -e), -std::ldexp(far, -e)}) duel.agrees(*at(inside + by));
        for (int i = 0; i < 6; ++i) {
            Mat3 near = m;
            double& entry = (&near.row[random.below(3)].x)[random.below(3)];
            entry = stepped(entry, ulps[1 + random.below(14)]);
            if (const auto moved = Affine::from_matrix(near, at(inside)->translation())) duel.agrees(*moved);
        }
    }
    EXPECT_GT(found, rounds / 2);
}

/// Whole numbers under powers of two: every contact is an exact tie.
TEST(Affine, ExactTies) {
    Random random(4);
    std::size_t touching = 0;
    for (const study::TreeSettings& tree : trees) {
        Duel boxes(scenes::box({2, 1, 0.5}), scenes::box({0.25, 0.5, 1}), tree, tree);
        Duel grounds(scenes::integer_ground(6, 1, 1), scenes::integer_ground(5, 1, 2), tree, tree);
        Duel lattices(scenes::cube_lattice(2), scenes::cube_lattice(2), tree, tree);
        for (unsigned k = 0; k < scaled(100) && !HasFailure(); ++k) {
            const Mat3 m = matrix(7, random);
            // B's lowest and highest corners on A's faces, and a bit off them.
            const auto half = [&](int i) {
                return std::abs(m.row[i].x) * 0.25 + std::abs(m.row[i].y) * 0.5 + std::abs(m.row[i].z);
            };
            const double z = 0.5 + half(2), x = 2 + half(0);
            for (const double s : {z, -z, std::nextafter(z, 99), std::nextafter(z, 0)}) {
                const auto placed = Affine::from_matrix(m, {random.between(-2, 2), random.between(-1, 1), s});
                touching += boxes.meets(*placed);
                boxes.agrees(*placed);
                boxes.agrees(*Affine::from_matrix(m, {s < 0 ? -x : x, random.between(-1, 1), s}));
            }
            const auto whole = [&] { return static_cast<double>(random.below(9)) - 4; };
            for (Duel* d : {&grounds, &lattices}) {
                const Vec3 t{whole(), whole(), whole()};
                for (const Vec3& by : {Vec3{}, Vec3{0x1p-25, 0, -0x1p-24}, Vec3{0x1p-50, 0, 0x1p-50}})
                    d->agrees(*Affine::from_matrix(m, t + by));
                // A shear by whole numbers keeps them whole.
                const Mat3 shear{{Vec3{1, whole(), 0}, Vec3{0, 1, whole()}, Vec3{0, 0, 1}}};
                d->agrees(*Affine::from_matrix(shear * m, t));
            }
        }
    }
    EXPECT_GT(touching, scaled(300));
}

TEST(Affine, Margin) {
    // In A's lengths, whatever B is scaled by.
    Random random(5);
    const Models a(scenes::random_soup(50, 0.2, 1)), b(scenes::random_soup(40, 0.2, 2));
    std::size_t more = 0;
    for (unsigned k = 0; k < scaled(2) * matrices; ++k) {
        SCOPED_TRACE(k);
        const auto m = Affine::from_matrix(matrix(k, random), random.in_cube(-0.7, 1.2));
        if (!m) continue;
        std::size_t last = 0;
        for (const double margin : {0.0, 1e-9, 0.05, 0.3, 10.0, 1e40, 1e300}) {
            SCOPED_TRACE(margin);
            Pairs expected;
            for (std::uint32_t i = 0; i < a.soup.triangle_count(); ++i)
                for (std::uint32_t j = 0; j < b.soup.triangle_count(); ++j) {
                    const Triangle s = a.by[0].triangle(i), own = b.by[0].triangle(j);
                    const Triangle t{(*m)(own.a), (*m)(own.b), (*m)(own.c)};
                    if (meet(s, t) || (margin > 0 && detail::triangle_distance(s, t) <= margin))
                        expected.push_back({i, j});
                }
            expect_pairs(a, b, *m, margin, expected);
            EXPECT_GE(expected.size(), last);
            more += expected.size() > last;
            last = expected.size();
        }
        EXPECT_EQ(last, 2000u);
    }
    EXPECT_GT(more, scaled(2) * matrices);
}

TEST(Affine, WhatIsRefused) {
    const auto fault = [](const Mat3& m, const Vec3& t = {}) {
        const auto made = Affine::from_matrix(m, t);
        EXPECT_FALSE(made.ok());
        return made ? Fault{FaultKind::File, ""} : made.fault();
    };
    const auto expect = [&](const Mat3& m, FaultKind kind, const char* word) {
        const Fault f = fault(m);
        EXPECT_EQ(f.kind, kind) << f.message;
        EXPECT_NE(f.message.find(word), std::string::npos) << f.message;
    };
    const double big = 1048575, tiny = 0x1p-1074;
    // Rank 2, also where rounding would hide it; rank 1 and 0.
    expect({{Vec3{big, big - 1, 3}, Vec3{7, big, 1}, Vec3{big + 7, 2 * big - 1, 4} * 0.5}}, FaultKind::Singular,
           "singular");
    expect({{Vec3{0.1, 0.2, 0.7}, Vec3{0.3, 0.4, 0.9}, Vec3{0.2, 0.4, 1.4}}}, FaultKind::Singular, "singular");
    expect({{Vec3{1, 2, 3}, Vec3{2, 4, 6}, Vec3{-1, -2, -3}}}, FaultKind::Singular, "singular");
    expect(diagonal(1, 1, 0), FaultKind::Singular, "singular");
    expect(diagonal(0, 0, 0), FaultKind::Singular, "singular");
    // The least that is not singular.
    EXPECT_TRUE(Affine::from_matrix(diagonal(1, 1, tiny), {}).ok());
    EXPECT_TRUE(Affine::from_matrix(diagonal(tiny, tiny, tiny), {}).ok());
    EXPECT_TRUE(
        Affine::from_matrix({{Vec3{0.1, 0.2, 0.7}, Vec3{0.3, 0.4, 0.9}, Vec3{0.2, 0.4, std::nextafter(1.4, 2)}}}, {})
            .ok());
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    expect(diagonal(1, nan, 1), FaultKind::NotFinite, "(1, 1)");
    expect(diagonal(1, 1, -infinity), FaultKind::NotFinite, "(2, 2)");
    expect(diagonal(std::nextafter(0x1p20, 9e9), 1, 1), FaultKind::OutOfRange, "(0, 0)");
    EXPECT_TRUE(Affine::from_matrix(diagonal(0x1p20, 1, -0x1p20), {}).ok());
    EXPECT_EQ(fault({}, {0, nan, 0}).kind, FaultKind::NotFinite);
    EXPECT_EQ(fault({}, {0, 0, 0x1.1p1000}).kind, FaultKind::OutOfRange);
}

}  // namespace
}  // namespace graze
