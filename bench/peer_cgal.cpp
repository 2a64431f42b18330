// SPDX-License-Identifier: Apache-2.0
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>

#include "bench/peer_distance.hpp"

namespace graze::bench {

namespace {
using Kernel = CGAL::Simple_cartesian<double>;
using Triangles = std::vector<Kernel::Triangle_3>;
using Tree =
    CGAL::AABB_tree<CGAL::AABB_traits<Kernel, CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator>>>;
}  // namespace

struct CgalPoints::Impl {
    Triangles triangles;
    Tree tree;
};

CgalPoints::CgalPoints(const SoupView& soup) : impl_(std::make_unique<Impl>()) {
    const auto point = [&](std::size_t corner) {
        const Vec3 p = soup.points()[soup.corners()[corner]];
        return Kernel::Point_3(p.x, p.y, p.z);
    };
    for (std::size_t i = 0; i + 2 < soup.corners().size(); i += 3)
        impl_->triangles.emplace_back(point(i), point(i + 1), point(i + 2));
    impl_->tree.insert(impl_->triangles.begin(), impl_->triangles.end());
    impl_->tree.build();
    impl_->tree.accelerate_distance_queries();
}
CgalPoints::~CgalPoints() = default;

double CgalPoints::squared_distance(const Vec3& p) const { return impl_->tree.squared_distance({p.x, p.y, p.z}); }

}  // namespace graze::bench
