// SPDX-License-Identifier: Apache-2.0
// Triangles 2^-22 to 2^-33 as large as their model. The float filter found the corner alone on its
// side of a plane by the sign of a product of two determinants; of so small triangles these are
// about 2^-80 each, and their product was rounded to zero: contacts were missed and invented.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scenes/placements.hpp"
#include "scenes/random_soups.hpp"

namespace graze {
namespace {

TEST(SmallDetails, MeetAsLargeOnesDo) {
    scenes::Random random(1);
    std::size_t met = 0;
    for (int e = 16; e < 40; ++e) {
        const double h = std::ldexp(1, -e);
        // Eight fill a leaf of their own; the ninth makes the model large.
        scenes::Soup soup = scenes::scale(scenes::tiny(8, 7), h);
        const std::uint32_t far = soup.add({1, 1, 1});
        soup.add_triangle(far, soup.add({1, 2, 1}), soup.add({1, 1, 2}));
        const Model a = *Model::build(soup), b = *Model::build(scenes::scale(scenes::tiny(8, 8), h));
        for (int k = 0; k < 100; ++k) {
            const Pose r = scenes::random_rotation(random);
            const Pose pose = scenes::placed(r, random.in_cube(0, h) - r(random.in_cube(0, h)));
            std::vector<TrianglePair> expected, found;
            for (std::uint32_t i = 0; i < a.triangle_count(); ++i)
                for (std::uint32_t j = 0; j < b.triangle_count(); ++j) {
                    const Triangle t = b.triangle(j);
                    if (meet(a.triangle(i), {pose(t.a), pose(t.b), pose(t.c)})) expected.push_back({i, j});
                }
            for (const Contact& c : collide(a, b, pose)) found.push_back(c.triangles);
            std::sort(found.begin(), found.end());
            ASSERT_EQ(found, expected) << "2^-" << e << ", pose " << k;
            met += expected.size();
        }
    }
    EXPECT_GT(met, 1000u);
}

}  // namespace
}  // namespace graze
