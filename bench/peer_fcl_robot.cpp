// SPDX-License-Identifier: Apache-2.0
#include "bench/peer_fcl_robot.hpp"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>

#include <vector>

#include "bench/peer_fcl_types.hpp"

namespace graze::bench {

struct FclRobot::Impl {
    struct Pair {
        std::uint32_t a, b;
    };
    std::vector<std::shared_ptr<fcl::CollisionGeometryd>> trees;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::vector<Pair> pairs;
    std::vector<int> number;  ///< number of a pair, by its links; -1: none
    std::vector<fcl::Transform3d> kept, here;
    fcl::DynamicAABBTreeCollisionManagerd manager;
    bool registered = false;
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    std::uint64_t met = 0;
    bool first = false;

    std::uint64_t each(const fcl::Transform3d* at) {
        met = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto [a, b] = pairs[i];
            result.clear();
            if (fcl::collide(trees[a].get(), at[a], trees[b].get(), at[b], request, result) == 0) continue;
            met |= std::uint64_t{1} << i;
            if (first) break;
        }
        return met;
    }

    void move(const fcl::Transform3d* at) {
        for (std::size_t i = 0; i < objects.size(); ++i) {
            objects[i]->setTransform(at[i]);
            objects[i]->computeAABB();
        }
    }

    std::uint64_t boxes(const fcl::Transform3d* at) {
        move(at);
        met = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto [a, b] = pairs[i];
            if (!objects[a]->getAABB().overlap(objects[b]->getAABB())) continue;
            result.clear();
            if (fcl::collide(trees[a].get(), at[a], trees[b].get(), at[b], request, result) == 0) continue;
            met |= std::uint64_t{1} << i;
            if (first) break;
        }
        return met;
    }

    static std::size_t index(const fcl::CollisionObjectd* object) {
        return reinterpret_cast<std::uintptr_t>(object->getUserData());
    }
    /// Goes on with false.
    static bool meet(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
        auto& robot = *static_cast<Impl*>(data);
        const int pair = robot.number[index(a) * robot.objects.size() + index(b)];
        if (pair < 0) return false;
        robot.result.clear();
        if (fcl::collide(a, b, robot.request, robot.result) == 0) return false;
        robot.met |= std::uint64_t{1} << pair;
        return robot.first;
    }
    std::uint64_t managed(const fcl::Transform3d* at) {
        move(at);
        if (!registered) {
            for (auto& o : objects) manager.registerObject(o.get());
            manager.setup();
            number.assign(objects.size() * objects.size(), -1);
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                number[pairs[i].a * objects.size() + pairs[i].b] = static_cast<int>(i);
                number[pairs[i].b * objects.size() + pairs[i].a] = static_cast<int>(i);
            }
            registered = true;
        } else {
            manager.update();
        }
        met = 0;
        manager.collide(this, meet);
        return met;
    }

    std::uint64_t run(const fcl::Transform3d* at, FclAsks how, bool stop) {
        first = stop;
        return how == FclAsks::Each ? each(at) : how == FclAsks::Boxes ? boxes(at) : managed(at);
    }
};

FclRobot::FclRobot() : impl_(std::make_unique<Impl>()) {
    impl_->request.num_max_contacts = 1;
    impl_->request.enable_contact = false;
}
FclRobot::~FclRobot() = default;

void FclRobot::add_link(const SoupView& soup) {
    auto tree = std::make_shared<fcl::BVHModel<fcl::OBBRSS<double>>>();
    build(*tree, points_of(soup.points()), triangles_of(soup.corners()));
    impl_->objects.push_back(std::make_unique<fcl::CollisionObjectd>(tree));
    impl_->objects.back()->setUserData(reinterpret_cast<void*>(impl_->trees.size()));
    impl_->trees.push_back(std::move(tree));
}

void FclRobot::add_pair(std::uint32_t a, std::uint32_t b) { impl_->pairs.push_back({a, b}); }

void FclRobot::keep(std::span<const Pose> world_from_links) {
    for (const Pose& pose : world_from_links) impl_->kept.push_back(transform_of(pose));
}

std::uint64_t FclRobot::ask(std::size_t configuration, FclAsks how, bool first) {
    return impl_->run(&impl_->kept[configuration * impl_->trees.size()], how, first);
}

std::uint64_t FclRobot::ask(std::span<const Pose> world_from_links, FclAsks how, bool first) {
    impl_->here.clear();
    for (const Pose& pose : world_from_links) impl_->here.push_back(transform_of(pose));
    return impl_->run(impl_->here.data(), how, first);
}

}  // namespace graze::bench
