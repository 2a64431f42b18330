// SPDX-License-Identifier: Apache-2.0
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

#include "bench/peer_self.hpp"

namespace graze::bench {

namespace {
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
}  // namespace

struct CgalSelf::Impl {
    Mesh mesh;
    scenes::Soup taken;
};

CgalSelf::CgalSelf(const scenes::Soup& soup) : impl_(std::make_unique<Impl>()) {
    for (const Vec3& p : soup.points) impl_->mesh.add_vertex({p.x, p.y, p.z});
    impl_->taken.points = soup.points;
    for (std::size_t i = 0; i + 2 < soup.corners.size(); i += 3) {
        const auto corner = [&](std::size_t k) { return Mesh::Vertex_index(soup.corners[i + k]); };
        if (impl_->mesh.add_face(corner(0), corner(1), corner(2)) == Mesh::null_face()) continue;
        impl_->taken.add_triangle(soup.corners[i], soup.corners[i + 1], soup.corners[i + 2]);
    }
}
CgalSelf::~CgalSelf() = default;

const scenes::Soup& CgalSelf::taken() const { return impl_->taken; }

std::vector<TrianglePair> CgalSelf::pairs() const {
    std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> found;
    CGAL::Polygon_mesh_processing::self_intersections(impl_->mesh, std::back_inserter(found));
    std::vector<TrianglePair> pairs;
    for (const auto& [a, b] : found) {
        const std::uint32_t i = a, j = b;
        pairs.push_back({std::min(i, j), std::max(i, j)});
    }
    return pairs;
}

}  // namespace graze::bench
