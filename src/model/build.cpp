// SPDX-License-Identifier: Apache-2.0
#include "model/build.hpp"

#include <utility>

#include "base/float_environment.hpp"
#include "wide/wide_refit.hpp"

namespace graze::detail {

Result<std::unique_ptr<ModelData>> build_model(const SoupView& soup, const TreeSettings& settings) {
    const DefaultFloats floats;
    auto geometry = make_geometry(soup);
    if (!geometry) return geometry.fault();
    auto data = std::make_unique<ModelData>();
    data->geometry = std::move(*geometry);
    data->settings = settings;
    grow_tree(*data);
    return data;
}

double tree_cost(const ModelData& m) {
    return m.is_wide() ? cost(m.wide) : std::visit([](const auto& tree) { return tree.cost(); }, m.binary);
}

void grow_tree(ModelData& m) {
    TreeSettings& s = m.settings;
    m.lineage = {};
    m.above = {};
    m.wide = {};
    m.binary = {};
    if (s.volume == graze::Volume::Auto && !m.is_wide()) s.volume = graze::Volume::Obb;
    if (s.volume > graze::Volume::Aabb) s.tree = TreeKind::Binary;
    if (m.is_wide()) {
        m.wide = build_wide_tree(m.geometry, s, m.aligned_ratio);
        s.volume = m.wide.aligned ? graze::Volume::Aabb : graze::Volume::Obb;
    }
    set_kind(m.binary, s.volume);  // a file names the kind by the volume, even for an empty tree
    if (!m.is_wide()) {
        std::visit([&]<class Tree>(Tree& tree) { tree = Tree::build(m.geometry, s); }, m.binary);
    }
    m.built_cost = tree_cost(m);
}

}  // namespace graze::detail
