// SPDX-License-Identifier: Apache-2.0
// A pose may be off orthonormal by `Pose::tolerance`. Wide trees then missed pairs up to 1.3 % inside the margin: an
// axis that such a pose maps may be 1.0149 long, but only 1.001 times the margin was allowed for along it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "exact/decide.hpp"
#include "graze/distance.hpp"
#include "graze/front.hpp"
#include "graze/study.hpp"
#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"

namespace graze {
namespace {

using scenes::Random;
using scenes::Soup;
using Pairs = std::vector<TrianglePair>;

/// A square plate of side 2 across the z axis, divided so that the tree has several levels.
Soup plate() {
    constexpr std::uint32_t n = 4;
    Soup soup;
    for (std::uint32_t i = 0; i <= n; ++i)
        for (std::uint32_t j = 0; j <= n; ++j) soup.add({2.0 * i / n - 1, 2.0 * j / n - 1, 0});
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < n; ++j) {
            const std::uint32_t at = i * (n + 1) + j;
            soup.add_triangle(at, at + 1, at + n + 1);
            soup.add_triangle(at + 1, at + n + 2, at + n + 1);
        }
    return soup;
}

/// The corners of a pose's tolerance.
std::vector<Mat3> skews() {
    std::vector<Mat3> out;
    const auto add = [&](double d, double xy, double yx, double xz, double zx, double yz, double zy) {
        out.push_back({{Vec3{1 + d, xy, xz}, Vec3{yx, 1 + d, yz}, Vec3{zx, zy, 1 + d}}});
    };
    for (const double s : {0.00493, -0.00493}) {
        add(s, s, s, s, s, s, s);                                   // symmetric, stretched or shrunk along (1, 1, 1)
        add(s, -s, -s, -s, -s, s, s);                               // and along another diagonal
        add(s, 0, 0, 0, 0, 0, 0);                                   // scaled
        add(0, 2 * s * 0.99, 0, 2 * s * 0.99, 0, 2 * s * 0.99, 0);  // sheared
    }
    add(0, 0, 0, 0, 0, 0, 0);
    const std::size_t n = out.size();
    for (std::size_t i = 0; i < n; ++i) {  // mirrored
        out.push_back(out[i]);
        for (Vec3& row : out.back().row) row.x = -row.x;
    }
    return out;
}

/// The direction that the matrix stretches or shrinks most.
Vec3 extreme(const Mat3& m, bool least) {
    const Mat3 g = transpose(m) * m;
    Vec3 v{0.6, 0.5, 0.4};
    for (int i = 0; i < 2000; ++i) {
        v = least ? v * 1.05 - g * v : g * v - v * 0.95;
        v = v * (1 / length(v));
    }
    return v;
}

Mat3 rotation_to(const Vec3& z) {
    const Vec3 x = cross(z, std::abs(z.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}), u = x * (1 / length(x));
    return transpose({{u, cross(z, u), z}});
}

struct Models {
    Soup soup[2] = {plate(), plate()};
    Model a, b;

    explicit Models(study::Volume volume, const Vec3& direction) {
        const Mat3 turn = rotation_to(direction);
        for (Soup& s : soup)
            for (Vec3& p : s.points) p = turn * p;
        a = *study::build(soup[0], {.volume = volume, .threads = 1});
        b = *study::build(soup[1], {.volume = volume, .threads = 1});
    }

    Pairs expected(const Affine& pose, double margin) const {
        Pairs out;
        QueryStats stats;
        for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
            for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
                const Triangle t = b.triangle(j);
                if (detail::decide(a.triangle(i), {pose(t.a), pose(t.b), pose(t.c)}, margin, stats))
                    out.push_back({i, j});
            }
        return out;
    }

    Pairs found(const Affine& pose, double margin, const QuerySettings& settings = {}) const {
        Pairs out;
        for (const Contact& c : collide_within(a, b, pose, margin, settings)) out.push_back(c.triangles);
        std::sort(out.begin(), out.end());
        return out;
    }
};

#ifdef GRAZE_SANITIZED
constexpr double margins[] = {0.02, 6, 2000};
#else
constexpr double margins[] = {0.02, 0.3, 2, 6, 40, 2000};
#endif

/// Plates that face each other, with the second just inside the margin, on either side of it, and tilted a little.
TEST(MarginSkewedPose, PlainQueriesMissNothing) {
    Random random(3);
    std::size_t some = 0;
    for (const Mat3& m : skews())
        for (const bool least : {false, true})
            for (const study::Volume volume : {study::Volume::Obb, study::Volume::Aabb}) {
                const Vec3 direction = extreme(m, least);
                // Aligned boxes keep the coordinate axes, whose images a pose stretches less.
                const Models models(volume, direction);
                const Vec3 normal = extreme(transpose(m), least);
                for (const double margin : margins)
                    for (int k = 0; k < 6; ++k) {
                        const double away = margin * (1 - 0.0026 * k) * (k % 2 == 0 ? 1 : -1);
                        const auto pose = Pose::from_matrix(m, normal * away + random.in_cube(-0.3, 0.3) * (k > 3));
                        ASSERT_TRUE(pose.ok()) << pose.fault().message;
                        const Pairs expected = models.expected(*pose, margin);
                        some += !expected.empty();
                        ASSERT_EQ(models.found(*pose, margin), expected) << "margin " << margin;
                        ASSERT_EQ(study::within_by_contacts(models.a, models.b, *pose, margin), !expected.empty());
                    }
            }
    EXPECT_GT(some, 500u);
}

/// The skew of the pose grows and shrinks again from query to query: axes that a front kept are used with poses of
/// another skew than they were made with.
TEST(MarginSkewedPose, FrontsMissNothing) {
    std::size_t kept = 0, some = 0;
    for (const Mat3& m : skews())
        for (const bool least : {false, true}) {
            const Vec3 direction = extreme(m, least), normal = extreme(transpose(m), least);
            const bool mirrored = m.row[0].x < 0;
            const Models models(study::Volume::Obb, direction);
            for (const double margin : margins) {
                Front front({.coherence = 10.0}), first({.coherence = 10.0});
                Scratch scratch;
                QueryStats stats;
                for (int k = 0; k < 32; ++k) {
                    const double part = 0.5 - 0.5 * std::cos(0.4 * k);
                    Mat3 now = m;
                    for (int i = 0; i < 3; ++i)
                        for (int j = 0; j < 3; ++j) {
                            const double plain = i != j ? 0 : mirrored && i == 0 ? -1 : 1;
                            now.row[i][j] = plain + part * (m.row[i][j] - plain);
                        }
                    // In and out of the margin by little, and a little to the side.
                    const double away = margin * (1 + 0.004 * std::sin(0.3 * k)) - 0.005 * margin;
                    const auto pose = Pose::from_matrix(now, normal * away + direction * (0.001 * std::sin(0.7 * k)));
                    ASSERT_TRUE(pose.ok()) << pose.fault().message;
                    const Pairs expected = models.expected(*pose, margin);
                    some += !expected.empty();
                    ASSERT_EQ(models.found(*pose, margin, {.stats = &stats, .scratch = &scratch, .front = &front}),
                              expected)
                        << "margin " << margin << ", query " << k;
                    ASSERT_EQ(within(models.a, models.b, *pose, margin,
                                     {.stats = &stats, .scratch = &scratch, .front = &first}),
                              !expected.empty());
                }
                kept += stats.kept + stats.axis_tests;
            }
        }
    EXPECT_GT(kept, 1000u);
    EXPECT_GT(some, 1000u);
}

}  // namespace
}  // namespace graze
