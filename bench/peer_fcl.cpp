// SPDX-License-Identifier: Apache-2.0
#include "bench/peer_fcl.hpp"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

namespace graze::bench {

struct FclModel::Impl {
    fcl::BVHModel<fcl::OBB<double>> tree;
};

FclModel::FclModel(const SoupView& soup) : impl_(std::make_unique<Impl>()) {
    std::vector<fcl::Vector3d> points;
    points.reserve(soup.point_count());
    for (std::size_t i = 0; i < soup.point_count(); ++i) {
        const Vec3 p = soup.point(i);
        points.emplace_back(p.x, p.y, p.z);
    }
    std::vector<fcl::Triangle> triangles;
    triangles.reserve(soup.corners().size() / 3);
    for (std::size_t i = 0; i + 2 < soup.corners().size(); i += 3)
        triangles.emplace_back(soup.corners()[i], soup.corners()[i + 1], soup.corners()[i + 2]);

    const Stopwatch watch;
    impl_->tree.beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
    impl_->tree.addSubModel(points, triangles);
    const int code = impl_->tree.endModel();
    build_time_ = watch.elapsed();
    if (code != fcl::BVH_OK) {
        std::fprintf(stderr, "FCL refuses a model: code %d\n", code);
        std::exit(1);
    }
}

FclModel::~FclModel() = default;
FclModel::FclModel(FclModel&&) noexcept = default;

struct FclQuery::Impl {
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;

    std::size_t run(const FclModel& a, const FclModel& b, const Pose& a_from_b, std::size_t most) {
        const Mat3& r = a_from_b.rotation();
        const Vec3& t = a_from_b.translation();
        fcl::Transform3d placed = fcl::Transform3d::Identity();
        placed.linear() << r.row[0].x, r.row[0].y, r.row[0].z, r.row[1].x, r.row[1].y, r.row[1].z, r.row[2].x,
            r.row[2].y, r.row[2].z;
        placed.translation() << t.x, t.y, t.z;
        request.num_max_contacts = most;
        result.clear();
        return fcl::collide(&a.impl().tree, fcl::Transform3d::Identity(), &b.impl().tree, placed, request, result);
    }
};

FclQuery::FclQuery() : impl_(std::make_unique<Impl>()) { impl_->request.enable_contact = false; }
FclQuery::~FclQuery() = default;

bool FclQuery::first(const FclModel& a, const FclModel& b, const Pose& a_from_b) {
    return impl_->run(a, b, a_from_b, 1) != 0;
}

std::size_t FclQuery::all(const FclModel& a, const FclModel& b, const Pose& a_from_b) {
    return impl_->run(a, b, a_from_b, std::numeric_limits<std::size_t>::max());
}

std::vector<TrianglePair> FclQuery::pairs() const {
    std::vector<TrianglePair> out(impl_->result.numContacts());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& contact = impl_->result.getContact(i);
        out[i] = {static_cast<std::uint32_t>(contact.b1), static_cast<std::uint32_t>(contact.b2)};
    }
    return out;
}

}  // namespace graze::bench
