// SPDX-License-Identifier: Apache-2.0
// CGAL with exact predicates on double coordinates.
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Rigid_triangle_mesh_collision_detection.h>
#include <CGAL/Surface_mesh.h>

#include <iterator>

#include "bench/peers.hpp"

namespace graze::bench {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
using Triangles = std::vector<Kernel::Triangle_3>;
using Tree =
    CGAL::AABB_tree<CGAL::AABB_traits<Kernel, CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator>>>;

Kernel::Point_3 point_of(const Vec3& p) { return {p.x, p.y, p.z}; }

/// Each triangle has corners of its own: a mesh would refuse some that share theirs.
Mesh mesh_of(const scenes::Soup& soup) {
    Mesh mesh;
    for (std::size_t i = 0; i + 2 < soup.corners.size(); i += 3) {
        const auto corner = [&](std::size_t k) { return mesh.add_vertex(point_of(soup.points[soup.corners[i + k]])); };
        const auto a = corner(0), b = corner(1), c = corner(2);
        mesh.add_face(a, b, c);
    }
    return mesh;
}

Triangles triangles_of(const scenes::Soup& soup) {
    Triangles out;
    for (std::size_t i = 0; i + 2 < soup.corners.size(); i += 3)
        out.emplace_back(point_of(soup.points[soup.corners[i]]), point_of(soup.points[soup.corners[i + 1]]),
                         point_of(soup.points[soup.corners[i + 2]]));
    return out;
}

/// The first contact by CGAL's collision detection of rigid meshes, two trees against each other. All contacts by the
/// tree of A, asked for each triangle of B: CGAL lists no pairs of two trees.
class CgalPair : public PairPeer {
public:
    CgalPair(const scenes::Soup& a, const scenes::Soup& b)
        : b_(b), triangles_(triangles_of(a)), meshes_{mesh_of(a), mesh_of(b)} {
        tree_.insert(triangles_.begin(), triangles_.end());
        tree_.build();
        for (const Mesh& mesh : meshes_)
            detection_.add_mesh(mesh, CGAL::parameters::apply_per_connected_component(false));
    }

    bool first(const Pose& a_from_b) override {
        const auto& r = a_from_b.rotation().row;
        const Vec3& t = a_from_b.translation();
        detection_.set_transformation(1, Kernel::Aff_transformation_3(r[0].x, r[0].y, r[0].z, t.x, r[1].x, r[1].y,
                                                                      r[1].z, t.y, r[2].x, r[2].y, r[2].z, t.z));
        return !detection_.get_all_intersections(1).empty();
    }
    std::size_t all(const Pose& a_from_b) override {
        found_.clear();
        std::vector<Kernel::Point_3> points;
        for (const Vec3& p : b_.points) points.push_back(point_of(a_from_b(p)));
        for (std::uint32_t i = 0; i < b_.triangle_count(); ++i) {
            hit_.clear();
            const Kernel::Triangle_3 triangle(points[b_.corners[3 * i]], points[b_.corners[3 * i + 1]],
                                              points[b_.corners[3 * i + 2]]);
            tree_.all_intersected_primitives(triangle, std::back_inserter(hit_));
            for (const auto& h : hit_) found_.push_back({static_cast<std::uint32_t>(h - triangles_.cbegin()), i});
        }
        return found_.size();
    }
    std::vector<TrianglePair> pairs() const override { return found_; }

private:
    scenes::Soup b_;
    Triangles triangles_;
    Mesh meshes_[2];
    Tree tree_;
    CGAL::Rigid_triangle_mesh_collision_detection<Mesh> detection_;
    std::vector<Triangles::const_iterator> hit_;
    std::vector<TrianglePair> found_;
};

std::unique_ptr<PairPeer> cgal_pair(const scenes::Soup& a, const scenes::Soup& b) {
    return std::make_unique<CgalPair>(a, b);
}

class CgalMesh : public MeshPeer {
public:
    explicit CgalMesh(const scenes::Soup& soup) : triangles_(triangles_of(soup)) { CgalMesh::build(); }

    const char* name() const override { return "CGAL"; }
    void build() override {
        tree_ = std::make_unique<Tree>(triangles_.begin(), triangles_.end());
        tree_->build();
    }
    void clear() override { tree_.reset(); }
    void refit(std::size_t) override {}
    std::pair<Vec3, Vec3> bounds() const override {
        const auto b = tree_->bbox();
        return {{b.xmin(), b.ymin(), b.zmin()}, {b.xmax(), b.ymax(), b.zmax()}};
    }

private:
    Triangles triangles_;
    std::unique_ptr<Tree> tree_;
};

class CgalRays : public RayPeer {
public:
    explicit CgalRays(const scenes::Soup& soup) : triangles_(triangles_of(soup)) {
        tree_.insert(triangles_.begin(), triangles_.end());
        tree_.build();
    }

    const char* name() const override { return "CGAL"; }
    std::uint32_t nearest(const Vec3& origin, const Vec3& direction) override {
        const auto hit = tree_.first_intersected_primitive(ray(origin, direction));
        return hit ? static_cast<std::uint32_t>(*hit - triangles_.cbegin()) : none;
    }
    bool any(const Vec3& origin, const Vec3& direction) override { return tree_.do_intersect(ray(origin, direction)); }

private:
    static Kernel::Ray_3 ray(const Vec3& o, const Vec3& d) { return {point_of(o), Kernel::Vector_3(d.x, d.y, d.z)}; }
    Triangles triangles_;
    Tree tree_;
};

}  // namespace

PeerKind cgal_pairs() { return {"CGAL", Share::Tenth, Share::Few, true, cgal_pair}; }

std::unique_ptr<MeshPeer> cgal_mesh(const scenes::Soup& soup) { return std::make_unique<CgalMesh>(soup); }
std::unique_ptr<RayPeer> cgal_rays(const scenes::Soup& soup) { return std::make_unique<CgalRays>(soup); }

}  // namespace graze::bench
