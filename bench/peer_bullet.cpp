// SPDX-License-Identifier: Apache-2.0
// Bullet in single precision, as it is mostly used.
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>

#include <algorithm>

#include "bench/mesh_peer.hpp"

namespace graze::bench {
namespace {

Vec3 vec(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

/// The mesh that Bullet's trees refer to, and the shapes to be copied into it.
class BulletMesh : public MeshPeer {
protected:
    BulletMesh(const scenes::Soup& soup, Shapes shapes) : corners_(soup.corners.begin(), soup.corners.end()) {
        for (const auto& s : shapes) shapes_.push_back(floats(s));
        points_ = shapes_[0];
        btIndexedMesh mesh;
        mesh.m_numTriangles = static_cast<int>(corners_.size() / 3);
        mesh.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(corners_.data());
        mesh.m_triangleIndexStride = 3 * sizeof(int);
        mesh.m_numVertices = static_cast<int>(points_.size() / 3);
        mesh.m_vertexBase = reinterpret_cast<const unsigned char*>(points_.data());
        mesh.m_vertexStride = 3 * sizeof(float);
        mesh.m_vertexType = PHY_FLOAT;
        mesh_.addIndexedMesh(mesh, PHY_INTEGER);
    }

    void take(std::size_t shape) { std::copy(shapes_[shape].begin(), shapes_[shape].end(), points_.begin()); }

    btTriangleIndexVertexArray mesh_;
    std::vector<float> points_;

private:
    std::vector<int> corners_;
    std::vector<std::vector<float>> shapes_;
};

/// The tree for meshes that move: two quantised boxes a node, one triangle a leaf.
class Gimpact : public BulletMesh {
public:
    Gimpact(const scenes::Soup& soup, Shapes shapes) : BulletMesh(soup, shapes) { Gimpact::build(); }

    const char* name() const override { return "Bullet-GImpact"; }
    void build() override {
        take(0);
        shape_ = std::make_unique<btGImpactMeshShape>(&mesh_);
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
        shape_ = std::make_unique<btBvhTriangleMeshShape>(&mesh_, true);
    }
    void clear() override { shape_.reset(); }
    void refit(std::size_t shape) override {
        take(shape);
        btVector3 low(points_[0], points_[1], points_[2]), high = low;
        for (std::size_t i = 0; i < points_.size(); i += 3) {
            const btVector3 p(points_[i], points_[i + 1], points_[i + 2]);
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
