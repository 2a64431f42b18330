// SPDX-License-Identifier: Apache-2.0
// Aligned boxes of a model that is smaller than what its coordinates are rounded to had infinite extents: nodes were
// bounded by absolute coordinates, whose rounding does not shrink with the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/graze.hpp"
#include "graze/study.hpp"
#include "model/access.hpp"
#include "model/model_data.hpp"
#include "temporary_folder.hpp"

namespace graze {
namespace {

TEST(FarAndSmall, BoxesStayFinite) {
    const test::TemporaryFolder folder;
    for (const double far : {0x1p561, -0x1p999, 0x1p400}) {
        // Twelve triangles, so that there is a node above the leaves; z is one number.
        std::vector<Vec3> points;
        std::vector<std::uint32_t> corners;
        for (std::uint32_t i = 0; i < 12; ++i)
            for (std::uint32_t k = 0; k < 3; ++k) {
                points.push_back({std::ldexp(i + (k == 1), 350), k == 2 ? 0x1p350 : 0, far});
                corners.push_back(3 * i + k);
            }
        for (const study::Volume volume : {study::Volume::Obb, study::Volume::Aabb, study::Volume::Auto}) {
            Model model = *study::build(SoupView(points, corners), {.volume = volume, .threads = 1});
            for (int round = 0; round < 2; ++round) {
                EXPECT_TRUE(model.validate().ok());
                for (const detail::WideBox& box : detail::Access::data(model).wide.boxes)
                    for (const float h : box.half) EXPECT_LE(h, 4);
                std::size_t pairs = 0;
                for (std::uint32_t i = 0; i < 12; ++i)
                    for (std::uint32_t j = 0; j < 12; ++j) pairs += meet(model.triangle(i), model.triangle(j));
                EXPECT_EQ(collide(model, model, {}).size(), pairs);
                EXPECT_TRUE(model.refit(points, {.rebuild = Rebuild::Never}).ok());
            }
            const std::string path = folder.at("model");
            EXPECT_TRUE(model.save(path).ok());
            const auto loaded = Model::load(path);
            EXPECT_TRUE(loaded.ok()) << loaded.fault().message;
        }
    }
}

}  // namespace
}  // namespace graze
