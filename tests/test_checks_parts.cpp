// SPDX-License-Identifier: Apache-2.0
// The errors of parts, from files to the check.
#include <gtest/gtest.h>

#include <cmath>

#include "checks/parts.hpp"
#include "files/write.hpp"
#include "scenes/shapes.hpp"
#include "temporary_folder.hpp"

namespace graze::checks {
namespace {

class PartErrors : public test::InTemporaryFolder {
protected:
    void write(const std::string& name, const Affine& placement = {}) const {
        const scenes::Soup box = scenes::box();
        files::Mesh mesh;
        mesh.points = box.points;
        mesh.corners = box.corners;
        files::Assembly assembly = files::single(std::move(mesh));
        assembly.parts[0].world_from_mesh = placement;
        ASSERT_TRUE(files::write_assembly((folder_ / name).string(), assembly));
    }
};

TEST_F(PartErrors, BelongToPartsThoughModelsAreShared) {
    write("a.stl");
    write("b.obj");
    write("c.ply");
    write("far.glb", *Affine::from_matrix(Mat3(), {1e6, 0, 0}));
    Mat3 m;
    m.row[0] = m.row[0] * 2000;
    write("wide.glb", *Affine::from_matrix(m, {1, 0, 0}));
    const std::vector<std::string> paths{folder_.string()};
    const Result<Parts> parts = read_parts(paths, {}, 1);
    ASSERT_TRUE(parts) << parts.fault().message;
    ASSERT_EQ(parts->parts.size(), 5u);
    // The same box in short text and in numbers of double precision, and in floats.
    EXPECT_EQ(parts->parts[1].model, parts->parts[2].model);
    const double single = parts->parts[0].error;
    EXPECT_EQ(single, std::ldexp(1, -24));
    EXPECT_EQ(parts->parts[1].error, 0);
    EXPECT_EQ(parts->parts[2].error, std::ldexp(1, -53));
    EXPECT_GT(parts->parts[3].error, single);
    EXPECT_NEAR(parts->parts[3].error, single, 1e-8);
    // A placement that goes into the points stretches the error as well.
    EXPECT_NEAR(parts->parts[4].error, 2000 * single, 1e-8);
    for (const Part& part : parts->parts) EXPECT_FALSE(part.curved);
    EXPECT_EQ(parts->parts[4].file, 4u);

    const Result<Parts> scaled = read_parts(paths, {.scale = 1000}, 1);
    ASSERT_TRUE(scaled);
    EXPECT_NEAR(scaled->parts[0].error, 1000 * single, 1e-12);
}

}  // namespace
}  // namespace graze::checks
