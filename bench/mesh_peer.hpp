// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "scenes/soup.hpp"

namespace graze::bench {

enum class FclBoxes;

/// The shapes that a mesh takes: points for the same triangles.
using Shapes = std::span<const std::vector<Vec3>>;

/// A library's tree over a mesh that deforms. All shapes are kept in that library's own number format, so that only its
/// work is timed: taking the points over, and building or fitting.
class MeshPeer {
public:
    virtual ~MeshPeer() = default;

    virtual const char* name() const = 0;
    /// A new tree over the first shape.
    virtual void build() = 0;
    /// Frees what `build` made.
    virtual void clear() = 0;
    virtual void refit(std::size_t shape) = 0;
    /// Low and high corner of the tree's root.
    virtual std::pair<Vec3, Vec3> bounds() const = 0;
};

// Those that the build found. Each is built, of a single shape as what will not deform.
std::unique_ptr<MeshPeer> fcl_mesh(const scenes::Soup& soup, Shapes shapes);
std::unique_ptr<MeshPeer> fcl_mesh(const scenes::Soup& soup, Shapes shapes, FclBoxes boxes);
std::unique_ptr<MeshPeer> gimpact_mesh(const scenes::Soup& soup, Shapes shapes);
std::unique_ptr<MeshPeer> bullet_mesh(const scenes::Soup& soup, Shapes shapes);
std::unique_ptr<MeshPeer> embree_mesh(const scenes::Soup& soup, Shapes shapes);

/// Coordinates as single precision has them.
inline std::vector<float> floats(std::span<const Vec3> points) {
    std::vector<float> out;
    out.reserve(3 * points.size() + 1);  // Embree reads 16 bytes at the last point
    for (const Vec3& p : points)
        for (int i = 0; i < 3; ++i) out.push_back(static_cast<float>(p[i]));
    return out;
}

}  // namespace graze::bench
