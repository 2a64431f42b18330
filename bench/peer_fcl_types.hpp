// SPDX-License-Identifier: Apache-2.0
// For the files that include FCL: our types as FCL's.
#pragma once

#include <fcl/geometry/bvh/BVH_model.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "graze/graze.hpp"

namespace graze::bench {

inline std::vector<fcl::Vector3d> points_of(const PointView& points) {
    std::vector<fcl::Vector3d> out;
    out.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 p = points[i];
        out.emplace_back(p.x, p.y, p.z);
    }
    return out;
}

inline std::vector<fcl::Triangle> triangles_of(std::span<const std::uint32_t> corners) {
    std::vector<fcl::Triangle> out;
    out.reserve(corners.size() / 3);
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
        out.emplace_back(corners[i], corners[i + 1], corners[i + 2]);
    return out;
}

inline fcl::Transform3d transform_of(const Pose& pose) {
    const Mat3& r = pose.rotation();
    const Vec3& t = pose.translation();
    fcl::Transform3d out = fcl::Transform3d::Identity();
    out.linear() << r.row[0].x, r.row[0].y, r.row[0].z, r.row[1].x, r.row[1].y, r.row[1].z, r.row[2].x, r.row[2].y,
        r.row[2].z;
    out.translation() << t.x, t.y, t.z;
    return out;
}

inline void require(int code) {
    if (code == fcl::BVH_OK) return;
    std::fprintf(stderr, "FCL refuses a model: code %d\n", code);
    std::exit(1);
}

template <class Tree>
void build(Tree& tree, const std::vector<fcl::Vector3d>& points, const std::vector<fcl::Triangle>& triangles) {
    tree.beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
    tree.addSubModel(points, triangles);
    require(tree.endModel());
}

}  // namespace graze::bench
