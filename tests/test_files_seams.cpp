// SPDX-License-Identifier: Apache-2.0
// Gaps without area are closed, and nothing else is changed.
#include <gtest/gtest.h>

#include "files/seams.hpp"

namespace graze::files {
namespace {

/// A tetrahedron with one more point on the edge from 0 to 1, which only one of the two triangles there has. `off` is
/// the distance of the point from the edge.
Mesh notched(double off) {
    Mesh mesh;
    mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.375, -off, 0}};
    mesh.corners = {0, 2, 1, 1, 2, 3, 2, 0, 3, 0, 4, 3, 4, 1, 3};
    return mesh;
}

bool is_closed(const Mesh& mesh) { return Solid(*Model::build(mesh.view())).closed(); }

TEST(Seams, APointOnAnEdgeGoesIntoIt) {
    for (const double off : {0.0, 1e-7, 2e-6}) {
        Mesh mesh = notched(off);
        EXPECT_FALSE(is_closed(mesh));
        const double moved = close_seams(mesh, 1e-6);
        EXPECT_EQ(is_closed(mesh), off < 1e-6);
        EXPECT_NEAR(moved, off < 1e-6 ? off : 0, 1e-12);
        EXPECT_EQ(mesh.polygon_count(), off < 1e-6 ? 6u : 5u);
        EXPECT_EQ(mesh.points, notched(off).points);
    }
}

TEST(Seams, ATriangleIsSplitOnAllItsSides) {
    // A pyramid whose sides have points on the edges of its bottom, which is one triangle the other way around.
    Mesh mesh;
    mesh.points = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 3}, {1, 0, 0}, {3, 0, 0}, {2, 2, 0}, {0, 3, 0}, {0, 1, 0}};
    mesh.corners = {1, 0, 2, 0, 4, 3, 4, 5, 3, 5, 1, 3, 1, 6, 3, 6, 2, 3, 2, 7, 3, 7, 8, 3, 8, 0, 3};
    EXPECT_EQ(close_seams(mesh, 1e-9), 0);
    EXPECT_TRUE(is_closed(mesh));
    EXPECT_EQ(Solid(*Model::build(mesh.view())).degenerate_count(), 0u);
    EXPECT_NEAR(Solid(*Model::build(mesh.view())).volume(), 8, 1e-12);
}

TEST(Seams, CornersAndSliversAreClosed) {
    Mesh apart = notched(0);
    apart.points.push_back({0.375, 1e-7, 0});
    apart.corners[12] = 5;  // two triangles that should share a corner
    EXPECT_NEAR(close_seams(apart, 1e-6), 1e-7, 1e-12);
    EXPECT_TRUE(is_closed(apart));
    // A triangle without area that bridges only half of the gap.
    Mesh sliver = notched(0);
    sliver.points.push_back({0.75, 0, 0});
    sliver.corners = {0, 2, 1, 1, 2, 3, 2, 0, 3, 0, 4, 3, 4, 5, 3, 5, 1, 3, 1, 4, 0};
    EXPECT_EQ(close_seams(sliver, 1e-6), 0);
    EXPECT_TRUE(is_closed(sliver));
}

TEST(Seams, OtherSurfacesStayAsTheyAre) {
    Mesh closed = notched(0);
    closed.corners = {0, 2, 1, 1, 2, 3, 2, 0, 3, 0, 1, 3};
    Mesh open = closed;
    open.corners.resize(9);
    for (Mesh* mesh : {&closed, &open}) {
        const std::vector<std::uint32_t> before = mesh->corners;
        EXPECT_EQ(close_seams(*mesh, 1e-3), 0);
        EXPECT_EQ(mesh->corners, before);
    }
    Mesh nothing;
    EXPECT_EQ(close_seams(nothing, 1), 0);
    // Everything is within reach.
    Mesh small = open;
    EXPECT_LE(close_seams(small, 100), 200);
    EXPECT_TRUE(Model::build(small.view()));
}

}  // namespace
}  // namespace graze::files
