// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "exact/triangle_distance.hpp"
#include "graze/study.hpp"
#include "graze/tree.hpp"
#include "model/access.hpp"
#include "model/any_view.hpp"
#include "scenes/random.hpp"
#include "scenes/shapes.hpp"

namespace graze {
namespace {

constexpr study::Volume volumes[] = {study::Volume::Obb,   study::Volume::Aabb,  study::Volume::Sphere,
                                     study::Volume::Dop14, study::Volume::Dop18, study::Volume::Dop26};

Model build(const SoupView& soup, study::TreeKind tree, study::Volume volume) {
    auto model = study::build(soup, {.tree = tree, .volume = volume, .split = study::Split::Median, .threads = 1});
    EXPECT_TRUE(model.ok());
    return *model;
}

/// Slopes of the logarithms' means from one level of a sphere's tree to another.
struct Slopes {
    double tightness, off_surface;
};
Slopes slopes(study::Volume volume, unsigned from, unsigned to) {
    const Model model = build(scenes::sphere(8'000), study::TreeKind::Binary, volume);
    double d[2]{}, tau[2]{}, off[2]{};
    for (const int i : {0, 1}) {
        const auto nodes = node_tightness(model, i == 0 ? from : to, 0.03);
        EXPECT_EQ(nodes.size(), 1u << (i == 0 ? from : to));
        for (const NodeTightness& t : nodes) {
            const auto n = static_cast<double>(nodes.size());
            d[i] += std::log(t.diameter) / n;
            tau[i] += std::log(t.tightness) / n;
            off[i] += std::log(t.off_surface) / n;
        }
    }
    return {(tau[1] - tau[0]) / (d[1] - d[0]), (off[1] - off[0]) / (d[1] - d[0])};
}

// OBBTree paper, section 6: low curvature, from patches of half the sphere's diameter down.
TEST(Tightness, IsLinearForAlignedBoxesAndSpheres) {
    for (const study::Volume v : {study::Volume::Aabb, study::Volume::Sphere}) {
        const Slopes s = slopes(v, 5, 7);
        EXPECT_NEAR(s.tightness, 1, 0.35) << name(v);
        EXPECT_NEAR(s.off_surface, 1, 0.35) << name(v);
    }
}

TEST(Tightness, IsQuadraticForOrientedBoxesOffTheSurface) {
    const Slopes s = slopes(study::Volume::Obb, 6, 8);
    EXPECT_NEAR(s.off_surface, 2, 0.35);
    EXPECT_LT(s.tightness, 1.5) << "the corners beside the patch";
}

/// Largest distances found by sampling the root's volume, which every kind is asked about by `holds`.
struct Sampled {
    double tightness = 0, diameter = 0;
};
Sampled sampled(const Model& model, int steps) {
    const detail::ModelData& data = detail::Access::data(model);
    const detail::AnyView view(data);
    const detail::Obb box = view.volume(0);
    const double unit = std::ldexp(1, view.frame.exponent);
    Sampled out;
    for (int i = 0; i < steps * steps * steps; ++i) {
        const int at[3] = {i % steps, i / steps % steps, i / steps / steps};
        Vec3 p = box.centre;
        for (int k = 0; k < 3; ++k) p = p + box.axes.row[k] * (box.half[k] * (2.0 * at[k] / (steps - 1) - 1));
        if (!data.is_wide() && !std::visit([&](const auto& t) { return t.volume(0).holds(p); }, data.binary)) continue;
        const Vec3 q = view.frame.centre + p * unit;
        double nearest = HUGE_VAL;
        for (std::uint32_t t = 0; t < model.triangle_count(); ++t)
            nearest = std::min(nearest, detail::triangle_distance({q, q, q}, model.triangle(t)));
        out.tightness = std::max(out.tightness, nearest);
    }
    for (const Vec3& p : data.geometry.points)
        for (const Vec3& q : data.geometry.points) out.diameter = std::max(out.diameter, length(p - q));
    return out;
}

TEST(Tightness, IsAsAccurateAsSaid) {
    constexpr double accuracy = 0.01;
    constexpr int steps = 13;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        scenes::Random random(seed);
        scenes::Soup soup;
        for (int i = 0; i < 24; ++i) soup.add(random.in_cube(0, 1) * std::ldexp(1, 40 * static_cast<int>(seed)));
        for (std::uint32_t i = 0; i < 24; i += 3) soup.add_triangle(i, i + 1, i + 2);
        for (const study::Volume v : volumes)
            for (const study::TreeKind tree : {study::TreeKind::Wide, study::TreeKind::Binary}) {
                const Model model = build(soup, tree, v);
                if (study::tree_settings(model).tree != tree) continue;
                const auto nodes = node_tightness(model, 0, accuracy);
                ASSERT_EQ(nodes.size(), 1u);
                const NodeTightness& t = nodes[0];
                const Sampled s = sampled(model, steps);
                EXPECT_EQ(t.triangles, 8u);
                EXPECT_NEAR(t.diameter, s.diameter, 1e-7 * s.diameter);
                EXPECT_EQ(t.tightness, t.off_surface);
                // The samples are points of the volume, and every point has one within a cell's half diagonal: of
                // those beside it, some may be outside, so that the upper limit allows for a whole cell.
                EXPECT_GE(t.tightness, s.tightness - accuracy * s.diameter) << name(v) << " seed " << seed;
                EXPECT_LE(t.tightness, s.tightness + 2 * std::sqrt(3) / (steps - 1) * s.diameter) << name(v);
                EXPECT_GE(node_tightness(model, 0, accuracy / 5)[0].tightness, t.tightness - accuracy / 5 * s.diameter);
            }
    }
}

TEST(Tightness, OfOneTriangleAndNone) {
    EXPECT_TRUE(node_tightness(Model(), 0).empty());
    const scenes::Soup one{{{0, 0, 0}, {3, 0, 0}, {0, 4, 0}}, {0, 1, 2}}, point{{{1, 2, 3}}, {0, 0, 0}};
    for (const study::Volume v : volumes) {
        const auto nodes = node_tightness(build(one, study::TreeKind::Binary, v), 0, 0.001);
        ASSERT_EQ(nodes.size(), 1u);
        EXPECT_DOUBLE_EQ(nodes[0].diameter, 5);
        // Aligned: the corner (3, 4) is furthest from the triangle; 7.2/3 from its long side.
        if (v == study::Volume::Aabb) {
            EXPECT_NEAR(nodes[0].tightness, 2.4, 0.005);
        }
        if (v == study::Volume::Sphere) {
            EXPECT_NEAR(nodes[0].tightness, 2.5, 0.005);
        }
        EXPECT_TRUE(node_tightness(build(one, study::TreeKind::Binary, v), 1).empty());
        const auto small = node_tightness(build(point, study::TreeKind::Binary, v), 0);
        ASSERT_EQ(small.size(), 1u);
        EXPECT_EQ(small[0].diameter, 0);
        EXPECT_EQ(small[0].aspect_ratio(), 0);
        EXPECT_LT(small[0].tightness, 1e-9);
    }
}

// The volume is flat where its box is not.
TEST(Tightness, OfAPlaneAlongTheSideOfADop) {
    scenes::Soup soup;
    for (int i = 0; i < 36; ++i) soup.add({i % 6 - 2.5, i / 6 - 2.5, 5.0 - i % 6 - i / 6});
    for (std::uint32_t i = 0; i < 30; ++i)
        if (i % 6 != 5) soup.add_quad(i, i + 1, i + 7, i + 6);
    for (const study::Volume v : volumes) {
        const auto nodes = node_tightness(build(soup, study::TreeKind::Binary, v), 0);
        ASSERT_EQ(nodes.size(), 1u);
        EXPECT_NEAR(nodes[0].diameter, 5 * std::sqrt(6), 1e-9);
        if (v == study::Volume::Dop14 || v == study::Volume::Dop26) {
            EXPECT_LT(nodes[0].tightness, 0.12) << name(v);
        } else if (v == study::Volume::Aabb) {
            EXPECT_NEAR(nodes[0].tightness, 10 / std::sqrt(3), 0.2);
        }
    }
}

}  // namespace
}  // namespace graze
