// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "scenes/soup.hpp"

namespace graze::bench {

/// CGAL's `Polygon_mesh_processing::self_intersections` on a mesh of doubles with exact predicates.
class CgalSelf {
public:
    explicit CgalSelf(const scenes::Soup& soup);
    ~CgalSelf();

    /// The triangles that its mesh took: those that would leave an edge of three triangles, or a point where surfaces
    /// meet in that point alone, are refused.
    const scenes::Soup& taken() const;
    std::vector<TrianglePair> pairs() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace graze::bench
