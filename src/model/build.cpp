// SPDX-License-Identifier: Apache-2.0
#include "model/build.hpp"

#include "wide/wide_refit.hpp"

namespace graze::detail {

double tree_cost(const ModelData& m) {
    return m.is_wide() ? cost(m.wide) : std::visit([](const auto& tree) { return tree.cost(); }, m.binary);
}

void grow_tree(ModelData& m) {
    BuildSettings& s = m.settings;
    m.lineage = {};
    m.above = {};
    m.wide = {};
    m.binary = {};
    if (s.volume == Volume::Auto && !m.is_wide()) s.volume = Volume::Obb;
    if (s.volume > Volume::Aabb) s.tree = TreeKind::Binary;
    if (m.is_wide()) {
        m.wide = build_wide_tree(m.geometry, s, m.aligned_ratio);
        s.volume = m.wide.aligned ? Volume::Aabb : Volume::Obb;
    }
    set_kind(m.binary, s.volume);  // a file tells the kind by the volume, of an empty tree too
    if (!m.is_wide()) {
        std::visit([&]<class Tree>(Tree& tree) { tree = Tree::build(m.geometry, s); }, m.binary);
    }
    m.built_cost = tree_cost(m);
}

}  // namespace graze::detail
