// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/mapped_file.hpp"
#include "base/ref_count.hpp"
#include "soup/geometry.hpp"
#include "tree/tree_settings.hpp"
#include "tree/volumes.hpp"
#include "wide/wide_tree.hpp"

namespace graze::detail {

/// The leaves and nodes above each point, for partial refits. Made when first needed.
struct Above {
    std::vector<std::uint32_t> first, leaves;  ///< the leaves of point i: [first[i], first[i + 1])
    std::vector<std::uint32_t> parent;         ///< parent of each box or node; the root is its own

    bool empty() const { return first.empty(); }
};

/// Tells a front whether a model is the one it knows, and how far its points have moved since. Tokens are compared by
/// address. Whoever holds a token keeps its address from being used again.
struct Lineage {
    std::shared_ptr<const char> tree = std::make_shared<const char>();  ///< a new token for every tree
    double drift = 0;                                                   ///< at least the summed motion of refits
    std::shared_ptr<const char> parent;  ///< for a copy made by a refit: the tree that it was copied from
    double parted = 0;                   ///< `drift` when the copy was made

    /// Adds the motion of a refit, rounded up.
    void moved(double by) { drift = std::nextafter(drift + by, std::numeric_limits<double>::infinity()); }
    /// Makes this the lineage of a copy that will move on its own.
    void part() {
        parent = tree;
        parted = drift;
        tree = std::make_shared<const char>();
    }
    /// How far a point can have moved since `before`. Nothing for another tree.
    std::optional<double> since(const Lineage& before) const {
        if (tree == before.tree) return drift - before.drift;
        if (parent != nullptr && parent == before.tree) return std::abs(before.drift - parted) + (drift - parted);
        return {};
    }
};

struct ModelData {
    RefCount owners;  ///< number of copies of the `Model`; only a sole owner may write to any member
    Geometry geometry;
    TreeSettings settings;     ///< include the tree and the volume that were built
    WideTree wide;             ///< empty in a model with a binary tree
    AnyBvTree binary;          ///< empty in a model with a wide tree
    double built_cost = 0;     ///< `cost` of the tree when it was built
    double aligned_ratio = 0;  ///< area of aligned over oriented leaves, which chose the volume; 0 if the caller chose
    Lineage lineage;
    Above above;                             ///< empty until some points are refitted
    std::shared_ptr<const MappedFile> file;  ///< file that the arrays of a loaded model view

    bool is_wide() const { return settings.tree == TreeKind::Wide; }
};

}  // namespace graze::detail
