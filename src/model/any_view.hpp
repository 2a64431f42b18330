// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/model_data.hpp"
#include "wide/wide_view.hpp"

namespace graze::detail {

/// Shows any model's tree to the walks, with its volumes as oriented boxes. Trees of different kinds meet this way, and
/// regions and rays use it.
class AnyView {
    template <class F>
    auto binary(F&& f) const {
        return std::visit(f, model_.binary);
    }

public:
    using Volume = Obb;

    explicit AnyView(const ModelData& model) : model_(model), wide_(model.wide) {
        frame = model.is_wide() ? wide_.frame : std::visit([](const auto& t) { return t.frame; }, model.binary);
    }

    bool empty() const {
        return model_.is_wide() ? wide_.empty() : binary([](const auto& t) { return t.empty(); });
    }
    std::uint32_t root() const { return 0; }
    bool leaf(std::uint32_t n) const {
        return model_.is_wide() ? wide_.leaf(n) : binary([n](const auto& t) { return t.leaf(n); });
    }
    Obb volume(std::uint32_t n) const {
        return model_.is_wide() ? wide_.volume(n) : binary([n](const auto& t) -> Obb { return t.volume(n).box(); });
    }
    struct Children {
        std::uint32_t node[node_children];
        unsigned count;
        const std::uint32_t* begin() const { return node; }
        const std::uint32_t* end() const { return node + count; }
    };
    Children children(std::uint32_t n) const {
        Children c;
        if (model_.is_wide()) {
            const auto refs = wide_.children(n);
            c.count = static_cast<unsigned>(refs.size());
            std::copy(refs.begin(), refs.end(), c.node);
        } else {
            c.count = 2;
            c.node[0] = binary([n](const auto& t) { return t.nodes[n].child; });
            c.node[1] = c.node[0] + 1;
        }
        return c;
    }
    std::span<const std::uint32_t> triangles(std::uint32_t n) const {
        return model_.is_wide() ? wide_.triangles(n) : binary([n](const auto& t) { return t.triangles(n); });
    }

    Frame frame;  ///< frame of the volumes

private:
    const ModelData& model_;
    WideView wide_;
};

/// Replaces the nodes of one level by their children, in order. Leaves are dropped, or kept so that every level covers
/// all triangles. False when all nodes were leaves.
inline bool next_level(const AnyView& tree, std::vector<std::uint32_t>& level, bool keep_leaves) {
    std::vector<std::uint32_t> below;
    bool deeper = false;
    for (const std::uint32_t node : level) {
        if (!tree.leaf(node)) {
            deeper = true;
            for (const std::uint32_t child : tree.children(node)) below.push_back(child);
        } else if (keep_leaves) {
            below.push_back(node);
        }
    }
    level.swap(below);
    return deeper;
}

}  // namespace graze::detail
