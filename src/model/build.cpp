// SPDX-License-Identifier: Apache-2.0
#include "model/build.hpp"

#include "wide/wide_refit.hpp"

namespace graze::detail {

study::TreeSettings tree_settings(const BuildSettings& settings) {
    study::TreeSettings tree;
    tree.threads = settings.threads;
    tree.volume = settings.volume == Volume::Auto  ? study::Volume::Auto
                  : settings.volume == Volume::Obb ? study::Volume::Obb
                                                   : study::Volume::Aabb;
    return tree;
}

double tree_cost(const ModelData& m) {
    return m.is_wide() ? cost(m.wide) : std::visit([](const auto& tree) { return tree.cost(); }, m.binary);
}

void grow_tree(ModelData& m) {
    study::TreeSettings& s = m.settings;
    m.lineage = {};
    m.above = {};
    m.wide = {};
    m.binary = {};
    if (s.volume == study::Volume::Auto && !m.is_wide()) s.volume = study::Volume::Obb;
    if (s.volume > study::Volume::Aabb) s.tree = study::TreeKind::Binary;
    if (m.is_wide()) {
        m.wide = build_wide_tree(m.geometry, s, m.aligned_ratio);
        s.volume = m.wide.aligned ? study::Volume::Aabb : study::Volume::Obb;
    }
    set_kind(m.binary, s.volume);  // a file names the kind by the volume, even for an empty tree
    if (!m.is_wide()) {
        std::visit([&]<class Tree>(Tree& tree) { tree = Tree::build(m.geometry, s); }, m.binary);
    }
    m.built_cost = tree_cost(m);
}

}  // namespace graze::detail
