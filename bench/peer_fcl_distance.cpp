// SPDX-License-Identifier: Apache-2.0
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/distance.h>

#include "bench/peer_distance.hpp"
#include "bench/peer_fcl_types.hpp"

namespace graze::bench {

struct FclDistance::Impl {
    fcl::BVHModel<fcl::OBBRSS<double>> a, b;
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
};

FclDistance::FclDistance(const SoupView& a, const SoupView& b) : impl_(std::make_unique<Impl>()) {
    build(impl_->a, points_of(a.points()), triangles_of(a.corners()));
    build(impl_->b, points_of(b.points()), triangles_of(b.corners()));
}
FclDistance::~FclDistance() = default;

double FclDistance::operator()(const Pose& a_from_b) {
    impl_->result.clear();
    return fcl::distance(&impl_->a, fcl::Transform3d::Identity(), &impl_->b, transform_of(a_from_b), impl_->request,
                         impl_->result);
}

}  // namespace graze::bench
