// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "geometry.hpp"
#include "graze/model.hpp"
#include "mapped_file.hpp"
#include "volumes.hpp"
#include "wide_tree.hpp"

namespace graze::detail {

/// What lies above each point, for refits of a part: made when first needed.
struct Above {
    std::vector<std::uint32_t> first, leaves;  ///< the leaves of point i: [first[i], first[i + 1])
    std::vector<std::uint32_t> parent;         ///< of each box or node; the root's is its own

    bool empty() const { return first.empty(); }
};

struct ModelData {
    Geometry geometry;
    BuildSettings settings;                  ///< with the tree and the volume that were built
    WideTree wide;                           ///< empty in a model with a binary tree
    AnyBvTree binary;                        ///< empty in a model with a wide tree
    double built_cost = 0;                   ///< `cost` of the tree when it was built
    double aligned_ratio = 0;                ///< what the choice of volume rested on; 0: the caller chose
    Above above;                             ///< empty until a part is refitted
    std::shared_ptr<const MappedFile> file;  ///< of a loaded model: what its arrays view

    bool is_wide() const { return settings.tree == TreeKind::Wide; }
};

}  // namespace graze::detail
