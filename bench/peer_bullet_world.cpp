// SPDX-License-Identifier: Apache-2.0
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>

#include <algorithm>
#include <list>

#include "bench/peer_bullet.hpp"
#include "bench/scene.hpp"

namespace graze::bench {
namespace {

/// A btCollisionWorld with the tree of boxes that Bullet recommends and GImpact for each pair. Margins are zero.
class BulletScene final : public SceneSide {
public:
    explicit BulletScene(const scenes::Objects& objects)
        : dispatcher_(&configuration_), world_(&dispatcher_, &broad_phase_, &configuration_) {
        btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher_);
        std::vector<btGImpactMeshShape*> shapes;
        for (const scenes::Soup& s : objects.shapes) {
            soups_.emplace_back(s);
            shapes_.emplace_back(soups_.back().mesh());
            shapes_.back().setMargin(0);
            shapes_.back().updateBound();
            shapes.push_back(&shapes_.back());
        }
        for (std::size_t i = 0; i < objects.size(); ++i) {
            btCollisionObject& o = objects_.emplace_back();
            o.setCollisionShape(shapes[objects.shape[i]]);
            o.setWorldTransform(bullet_transform(objects.placed[i]));
            o.setUserIndex(static_cast<int>(i));
            placed_.push_back(&o);
            world_.addCollisionObject(&o);
        }
    }
    ~BulletScene() override {
        for (btCollisionObject& o : objects_) world_.removeCollisionObject(&o);
    }

    void frame(const std::vector<Pose>& placed) override {
        for (std::size_t i = 0; i < placed.size(); ++i) placed_[i]->setWorldTransform(bullet_transform(placed[i]));
        world_.performDiscreteCollisionDetection();
    }
    Pairs touching() const override {
        Pairs out;
        for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
            const btPersistentManifold& m = *dispatcher_.getManifoldByIndexInternal(i);
            if (m.getNumContacts() > 0)
                out.push_back(std::minmax(static_cast<std::uint32_t>(m.getBody0()->getUserIndex()),
                                          static_cast<std::uint32_t>(m.getBody1()->getUserIndex())));
        }
        std::ranges::sort(out);
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }
    bool ours() const override { return false; }

private:
    std::list<BulletSoup> soups_;
    std::list<btGImpactMeshShape> shapes_;
    std::list<btCollisionObject> objects_;
    std::vector<btCollisionObject*> placed_;
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broad_phase_;
    btCollisionWorld world_;
};

}  // namespace

std::unique_ptr<SceneSide> bullet_scene(const scenes::Objects& objects) {
    return std::make_unique<BulletScene>(objects);
}

}  // namespace graze::bench
