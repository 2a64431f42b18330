// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "graze/graze.hpp"
#include "scenes/soup.hpp"

namespace graze::bench {

/// Distances of two meshes by FCL's OBBRSS trees, double precision: swept rectangles bound distances. FCL is not asked
/// for the closest points, which is its fastest path.
class FclDistance {
public:
    FclDistance(const SoupView& a, const SoupView& b);
    ~FclDistance();

    double operator()(const Pose& a_from_b);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Closest points of one mesh by CGAL's AABB tree with double coordinates and its tree of reference points.
class CgalPoints {
public:
    explicit CgalPoints(const SoupView& soup);
    ~CgalPoints();

    double squared_distance(const Vec3& point) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace graze::bench
