// SPDX-License-Identifier: Apache-2.0
// For the files that include Bullet: our types as Bullet's, in single precision.
#pragma once

#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>

#include <vector>

#include "bench/mesh_peer.hpp"

namespace graze::bench {

inline btVector3 bullet_vector(const Vec3& v) {
    return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}

inline btTransform bullet_transform(const Pose& pose) {
    const Mat3& r = pose.rotation();
    btMatrix3x3 basis;
    for (std::size_t i = 0; i < 3; ++i) basis[static_cast<int>(i)] = bullet_vector(r.row[i]);
    return btTransform(basis, bullet_vector(pose.translation()));
}

/// Points and corners that Bullet's shapes refer to.
class BulletSoup {
public:
    explicit BulletSoup(const scenes::Soup& soup)
        : points_(floats(soup.points)), corners_(soup.corners.begin(), soup.corners.end()) {
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
    BulletSoup(const BulletSoup&) = delete;

    btTriangleIndexVertexArray* mesh() { return &mesh_; }
    std::vector<float>& points() { return points_; }

private:
    std::vector<float> points_;
    std::vector<int> corners_;
    btTriangleIndexVertexArray mesh_;
};

}  // namespace graze::bench
