// SPDX-License-Identifier: Apache-2.0
// Bullet in single precision, as it is mostly used.
#include "bench/peer_bullet.hpp"

#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>

#include <algorithm>

namespace graze::bench {
namespace {

Vec3 vec(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

/// The mesh that Bullet's trees refer to, and the shapes to be copied into it.
class BulletMesh : public MeshPeer {
protected:
    BulletMesh(const scenes::Soup& soup, Shapes shapes) : soup_(soup) {
        for (const auto& s : shapes) shapes_.push_back(floats(s));
    }

    void take(std::size_t shape) { std::ranges::copy(shapes_[shape], soup_.points().begin()); }

    BulletSoup soup_;

private:
    std::vector<std::vector<float>> shapes_;
};

/// The tree for meshes that move: two quantised boxes a node, one triangle a leaf.
class Gimpact : public BulletMesh {
public:
    Gimpact(const scenes::Soup& soup, Shapes shapes) : BulletMesh(soup, shapes) { Gimpact::build(); }

    const char* name() const override { return "Bullet-GImpact"; }
    void build() override {
        take(0);
        shape_ = std::make_unique<btGImpactMeshShape>(soup_.mesh());
        shape_->updateBound();
    }
    void clear() override { shape_.reset(); }
    void refit(std::size_t shape) override {
        take(shape);
        shape_->postUpdate();
        shape_->updateBound();
    }
    std::pair<Vec3, Vec3> bounds() const override {
        const btAABB& box = shape_->getLocalBox();
        return {vec(box.m_min), vec(box.m_max)};
    }

private:
    std::unique_ptr<btGImpactMeshShape> shape_;
};

/// The tree for meshes that stay, which can be refitted too. It has to be told the bounds: the caller's work.
class BvhMesh : public BulletMesh {
public:
    BvhMesh(const scenes::Soup& soup, Shapes shapes) : BulletMesh(soup, shapes) { BvhMesh::build(); }

    const char* name() const override { return "Bullet-BVH"; }
    void build() override {
        take(0);
        shape_ = std::make_unique<btBvhTriangleMeshShape>(soup_.mesh(), true);
    }
    void clear() override { shape_.reset(); }
    void refit(std::size_t shape) override {
        take(shape);
        const std::vector<float>& points = soup_.points();
        btVector3 low(points[0], points[1], points[2]), high = low;
        for (std::size_t i = 0; i < points.size(); i += 3) {
            const btVector3 p(points[i], points[i + 1], points[i + 2]);
            low.setMin(p);
            high.setMax(p);
        }
        shape_->refitTree(low, high);
    }
    std::pair<Vec3, Vec3> bounds() const override {
        return {vec(shape_->getLocalAabbMin()), vec(shape_->getLocalAabbMax())};
    }

private:
    std::unique_ptr<btBvhTriangleMeshShape> shape_;
};

}  // namespace

std::unique_ptr<MeshPeer> gimpact_mesh(const scenes::Soup& soup, Shapes shapes) {
    return std::make_unique<Gimpact>(soup, shapes);
}

std::unique_ptr<MeshPeer> bullet_mesh(const scenes::Soup& soup, Shapes shapes) {
    return std::make_unique<BvhMesh>(soup, shapes);
}

}  // namespace graze::bench
