// SPDX-License-Identifier: Apache-2.0
#include "bench/peer_fcl.hpp"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>

#include <limits>
#include <type_traits>

#include "bench/peer_fcl_types.hpp"
#include "bench/peers.hpp"

namespace graze::bench {

namespace {

/// Calls `f` with a bounding volume of FCL's type.
template <class F>
auto with_box(FclBoxes boxes, F&& f) {
    switch (boxes) {
        case FclBoxes::Aligned:
            return f(fcl::AABB<double>{});
        case FclBoxes::OrientedAndSwept:
            return f(fcl::OBBRSS<double>{});
        case FclBoxes::Spheres:
            return f(fcl::kIOS<double>{});
        default:
            return f(fcl::OBB<double>{});
    }
}

const char* name_of(FclBoxes boxes) {
    const char* names[] = {"FCL-OBB", "FCL-AABB", "FCL-OBBRSS", "FCL-kIOS"};
    return names[static_cast<int>(boxes)];
}

}  // namespace

struct FclModel::Impl {
    std::shared_ptr<fcl::CollisionGeometryd> tree;
};

FclModel::FclModel(const SoupView& soup, FclBoxes boxes) : impl_(std::make_unique<Impl>()) {
    const auto points = points_of(soup.points());
    const auto triangles = triangles_of(soup.corners());
    with_box(boxes, [&]<class Box>(Box) {
        auto tree = std::make_unique<fcl::BVHModel<Box>>();
        const Stopwatch watch;
        build(*tree, points, triangles);
        build_time_ = watch.elapsed();
        impl_->tree = std::move(tree);
    });
}

FclModel::~FclModel() = default;
FclModel::FclModel(FclModel&&) noexcept = default;

struct FclQuery::Impl {
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;

    std::size_t run(const FclModel& a, const FclModel& b, const Pose& a_from_b, std::size_t most) {
        request.num_max_contacts = most;
        result.clear();
        return fcl::collide(a.impl().tree.get(), fcl::Transform3d::Identity(), b.impl().tree.get(),
                            transform_of(a_from_b), request, result);
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

struct FclScene::Impl {
    fcl::DynamicAABBTreeCollisionManagerd manager;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::size_t registered = 0;
    fcl::CollisionRequestd request;  ///< one contact, without its point
    fcl::CollisionResultd result;
    std::vector<Pair> touching;

    static std::uint32_t number(const fcl::CollisionObjectd* object) {
        return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(object->getUserData()));
    }
    /// FCL calls it for boxes that overlap; it goes on with false.
    static bool meet(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
        auto& scene = *static_cast<Impl*>(data);
        scene.result.clear();
        if (fcl::collide(a, b, scene.request, scene.result) > 0)
            scene.touching.push_back(std::minmax(number(a), number(b)));
        return false;
    }
};

FclScene::FclScene() : impl_(std::make_unique<Impl>()) { impl_->request.enable_contact = false; }
FclScene::~FclScene() = default;

void FclScene::add(const FclModel& model, const Pose& world_from_object) {
    auto object = std::make_unique<fcl::CollisionObjectd>(model.impl().tree, transform_of(world_from_object));
    object->setUserData(reinterpret_cast<void*>(impl_->objects.size()));
    impl_->objects.push_back(std::move(object));
}

void FclScene::move(std::uint32_t object, const Pose& world_from_object) {
    impl_->objects[object]->setTransform(transform_of(world_from_object));
    impl_->objects[object]->computeAABB();
}

const std::vector<FclScene::Pair>& FclScene::update() {
    Impl& s = *impl_;
    if (s.registered < s.objects.size()) {
        // All at once: its tree is then built from the top.
        std::vector<fcl::CollisionObjectd*> all;
        for (auto& o : s.objects) all.push_back(o.get());
        s.manager.clear();
        s.manager.registerObjects(all);
        s.manager.setup();
        s.registered = all.size();
    } else {
        s.manager.update();
    }
    s.touching.clear();
    s.manager.collide(&s, Impl::meet);
    return s.touching;
}

namespace {

template <class Box>
class FclMesh : public MeshPeer {
public:
    FclMesh(const scenes::Soup& soup, Shapes shapes, const char* name)
        : name_(name), triangles_(triangles_of(soup.corners)) {
        for (const auto& s : shapes) shapes_.push_back(points_of(s));
        FclMesh::build();
    }

    const char* name() const override { return name_; }
    void build() override {
        tree_ = std::make_unique<Tree>();
        bench::build(*tree_, shapes_[0], triangles_);
    }
    void clear() override { tree_.reset(); }
    /// Replaced and not updated: an update keeps the points before it, and its boxes hold both.
    void refit(std::size_t shape) override {
        tree_->beginReplaceModel();
        tree_->replaceSubModel(shapes_[shape]);
        require(tree_->endReplaceModel(true, true));
    }
    std::pair<Vec3, Vec3> bounds() const override {
        fcl::AABB<double> b;
        if constexpr (std::is_same_v<Box, fcl::AABB<double>>) {
            b = std::as_const(*tree_).getBV(0).bv;
        } else {
            tree_->computeLocalAABB();
            b = tree_->aabb_local;
        }
        return {{b.min_[0], b.min_[1], b.min_[2]}, {b.max_[0], b.max_[1], b.max_[2]}};
    }

private:
    using Tree = fcl::BVHModel<Box>;
    const char* name_;
    std::vector<fcl::Triangle> triangles_;
    std::vector<std::vector<fcl::Vector3d>> shapes_;
    std::unique_ptr<Tree> tree_;
};

class FclPair : public PairPeer {
public:
    FclPair(const scenes::Soup& a, const scenes::Soup& b, FclBoxes boxes) : a_(a, boxes), b_(b, boxes) {}

    bool first(const Pose& a_from_b) override { return query_.first(a_, b_, a_from_b); }
    std::size_t all(const Pose& a_from_b) override { return query_.all(a_, b_, a_from_b); }
    std::vector<TrianglePair> pairs() const override { return query_.pairs(); }

private:
    FclModel a_, b_;
    FclQuery query_;
};

template <FclBoxes boxes>
std::unique_ptr<PairPeer> fcl_pair(const scenes::Soup& a, const scenes::Soup& b) {
    return std::make_unique<FclPair>(a, b, boxes);
}

}  // namespace

std::unique_ptr<MeshPeer> fcl_mesh(const scenes::Soup& soup, Shapes shapes, FclBoxes boxes) {
    return with_box(boxes, [&]<class Box>(Box) -> std::unique_ptr<MeshPeer> {
        return std::make_unique<FclMesh<Box>>(soup, shapes, name_of(boxes));
    });
}

std::unique_ptr<MeshPeer> fcl_mesh(const scenes::Soup& soup, Shapes shapes) {
    return fcl_mesh(soup, shapes, FclBoxes::Aligned);
}

std::vector<PeerKind> fcl_pairs() {
    // FCL copies and fits trees of aligned boxes in each query.
    return {
        {name_of(FclBoxes::Oriented), Share::Whole, Share::Whole, true, fcl_pair<FclBoxes::Oriented>},
        {name_of(FclBoxes::OrientedAndSwept), Share::Whole, Share::Whole, true, fcl_pair<FclBoxes::OrientedAndSwept>},
        {name_of(FclBoxes::Spheres), Share::Whole, Share::Whole, true, fcl_pair<FclBoxes::Spheres>},
        {name_of(FclBoxes::Aligned), Share::Few, Share::Few, true, fcl_pair<FclBoxes::Aligned>}};
}

}  // namespace graze::bench
