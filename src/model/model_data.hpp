// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "soup/geometry.hpp"
#include "graze/model.hpp"
#include "base/mapped_file.hpp"
#include "base/ref_count.hpp"
#include "tree/volumes.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// What lies above each point, for refits of a part: made when first needed.
struct Above {
    std::vector<std::uint32_t> first, leaves;  ///< the leaves of point i: [first[i], first[i + 1])
    std::vector<std::uint32_t> parent;         ///< of each box or node; the root's is its own

    bool empty() const { return first.empty(); }
};

/// By which a front tells models apart, and how far their points have gone since it saw them. Tokens are compared by
/// address; whoever holds one keeps its address from being used again.
struct Lineage {
    std::shared_ptr<const char> tree = std::make_shared<const char>();  ///< new with every tree
    double drift = 0;                                                   ///< no less than the summed motion of refits
    std::shared_ptr<const char> parent;  ///< of a copy made for a refit: the tree that it was copied from
    double parted = 0;                   ///< and the drift then

    /// After a refit; rounded up.
    void moved(double by) { drift = std::nextafter(drift + by, std::numeric_limits<double>::infinity()); }
    /// A copy that will move on its own.
    void part() {
        parent = tree;
        parted = drift;
        tree = std::make_shared<const char>();
    }
    /// How far a point can have gone since `before`; nothing for another tree.
    std::optional<double> since(const Lineage& before) const {
        if (tree == before.tree) return drift - before.drift;
        if (parent != nullptr && parent == before.tree) return std::abs(before.drift - parted) + (drift - parted);
        return {};
    }
};

struct ModelData {
    RefCount owners;  ///< the copies of the `Model`; only a sole owner may write to any member
    Geometry geometry;
    BuildSettings settings;    ///< with the tree and the volume that were built
    WideTree wide;             ///< empty in a model with a binary tree
    AnyBvTree binary;          ///< empty in a model with a wide tree
    double built_cost = 0;     ///< `cost` of the tree when it was built
    double aligned_ratio = 0;  ///< what the choice of volume rested on; 0: the caller chose
    Lineage lineage;
    Above above;                             ///< empty until a part is refitted
    std::shared_ptr<const MappedFile> file;  ///< of a loaded model: what its arrays view

    bool is_wide() const { return settings.tree == TreeKind::Wide; }
};

}  // namespace graze::detail
