// SPDX-License-Identifier: Apache-2.0
// The data of a page, made by threads: the same bytes as by one, and clean under TSan.
#include <gtest/gtest.h>

#include "report/data.hpp"
#include "scenes/shapes.hpp"

namespace graze::report {
namespace {

TEST(ReportThreads, TheDataIsThatOfOneThread) {
    Document d;
    for (std::uint32_t i = 0; i < 8; ++i) {
        d.meshes.push_back(*Model::build(scenes::torus(1, 0.2 + 0.05 * i, 60, 60).view()));
        d.parts.push_back({.name = "p", .mesh = i, .placement = *Pose::from_matrix({}, {1.5 * i, 0, 0})});
    }
    const auto data = [&](std::size_t triangles, unsigned threads) {
        std::string out;
        write_data(d, {.triangles = triangles, .threads = threads}, [&](std::string_view piece) { out += piece; });
        return out;
    };
    // Whole, in more words than one chunk holds; and simplified.
    for (const std::size_t triangles : {1'000'000u, 20'000u}) {
        const std::string one = data(triangles, 1);
        EXPECT_GT(one.size(), 10'000u);
        EXPECT_TRUE(one == data(triangles, 4));
    }
}

}  // namespace
}  // namespace graze::report
