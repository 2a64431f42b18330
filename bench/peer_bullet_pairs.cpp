// SPDX-License-Identifier: Apache-2.0
// Bullet in single precision, as it is mostly used: contacts by GImpact, rays by the tree for meshes that stay.
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>

#include "bench/peer_bullet.hpp"
#include "bench/peers.hpp"

namespace graze::bench {
namespace {

class GimpactModel {
public:
    explicit GimpactModel(const scenes::Soup& soup) : soup_(soup), shape_(soup_.mesh()) {
        shape_.setMargin(0);
        shape_.updateBound();
        shape_.getMeshPart(0)->lockChildShapes();
    }
    ~GimpactModel() { shape_.getMeshPart(0)->unlockChildShapes(); }
    GimpactModel(const GimpactModel&) = delete;

    const btGImpactMeshShapePart& part() const { return *shape_.getMeshPart(0); }

private:
    BulletSoup soup_;
    btGImpactMeshShape shape_;
};

/// The two steps of btGImpactCollisionAlgorithm, by the same calls: pairs of boxes from the trees, then Bullet's
/// triangle test. Margins are zero. The trees know no early end, so a query for the first contact ends in the second
/// step only.
class GimpactPair : public PairPeer {
public:
    GimpactPair(const scenes::Soup& a, const scenes::Soup& b) : a_(a), b_(b) {}

    bool first(const Pose& a_from_b) override { return run(a_from_b, true) != 0; }
    std::size_t all(const Pose& a_from_b) override { return run(a_from_b, false); }
    std::vector<TrianglePair> pairs() const override { return found_; }
    std::uint64_t triangle_tests() const override { return tests_; }

private:
    std::size_t run(const Pose& a_from_b, bool one) {
        const btTransform to_a = bullet_transform(a_from_b), in_a = btTransform::getIdentity();
        boxes_.resize(0);
        found_.clear();
        btGImpactBoxSet::find_collision(a_.part().getBoxSet(), in_a, b_.part().getBoxSet(), to_a, boxes_);
        btPrimitiveTriangle s, t;
        GIM_TRIANGLE_CONTACT contact;
        for (int i = 0; i < boxes_.size() && !(one && !found_.empty()); ++i) {
            ++tests_;
            a_.part().getPrimitiveTriangle(boxes_[i].m_index1, s);
            b_.part().getPrimitiveTriangle(boxes_[i].m_index2, t);
            s.applyTransform(in_a);
            t.applyTransform(to_a);
            s.buildTriPlane();
            t.buildTriPlane();
            if (s.overlap_test_conservative(t) && s.find_triangle_collision_clip_method(t, contact))
                found_.push_back(
                    {static_cast<std::uint32_t>(boxes_[i].m_index1), static_cast<std::uint32_t>(boxes_[i].m_index2)});
        }
        return found_.size();
    }

    GimpactModel a_, b_;
    btPairSet boxes_;
    std::vector<TrianglePair> found_;
    std::uint64_t tests_ = 0;
};

std::unique_ptr<PairPeer> gimpact_pair(const scenes::Soup& a, const scenes::Soup& b) {
    return std::make_unique<GimpactPair>(a, b);
}

/// Keeps the nearest hit. Bullet offers no end at the first one.
struct NearestHit : btTriangleRaycastCallback {
    using btTriangleRaycastCallback::btTriangleRaycastCallback;
    std::uint32_t triangle = RayPeer::none;

    btScalar reportHit(const btVector3&, btScalar fraction, int, int index) override {
        triangle = static_cast<std::uint32_t>(index);
        return m_hitFraction = fraction;
    }
};

class BulletRays : public RayPeer {
public:
    explicit BulletRays(const scenes::Soup& soup) : soup_(soup), shape_(soup_.mesh(), true) {}

    const char* name() const override { return "Bullet-BVH"; }
    std::uint32_t nearest(const Vec3& origin, const Vec3& direction) override {
        NearestHit hit(bullet_vector(origin), bullet_vector(origin + direction));
        shape_.performRaycast(&hit, hit.m_from, hit.m_to);
        return hit.triangle;
    }
    bool any(const Vec3& origin, const Vec3& direction) override { return nearest(origin, direction) != none; }

private:
    BulletSoup soup_;
    btBvhTriangleMeshShape shape_;
};

}  // namespace

PeerKind gimpact_pairs() { return {"Bullet-GImpact", Share::Tenth, Share::Tenth, true, gimpact_pair}; }

std::unique_ptr<RayPeer> bullet_rays(const scenes::Soup& soup) { return std::make_unique<BulletRays>(soup); }

}  // namespace graze::bench
