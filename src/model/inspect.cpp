// SPDX-License-Identifier: Apache-2.0
// The functions of graze/tree.hpp.
#include <cmath>

#include "graze/tree.hpp"
#include "model/access.hpp"
#include "model/any_view.hpp"

namespace graze {

const char* name(Volume volume) {
    switch (volume) {
        case Volume::Auto:
            return "any volumes";
        case Volume::Obb:
            return "oriented boxes";
        case Volume::Aabb:
            return "aligned boxes";
        case Volume::Sphere:
            return "spheres";
        case Volume::Dop14:
            return "14-DOPs";
        case Volume::Dop18:
            return "18-DOPs";
        case Volume::Dop26:
            return "26-DOPs";
    }
    return "";
}

std::vector<OrientedBox> node_boxes(const Model& model, unsigned level) {
    const detail::AnyView view(detail::Access::data(model));
    std::vector<std::uint32_t> nodes;
    if (!view.empty()) nodes.push_back(view.root());
    while (level-- > 0 && detail::next_level(view, nodes, true)) {
    }
    std::vector<OrientedBox> boxes;
    const double unit = std::ldexp(1, view.frame.exponent);
    for (const std::uint32_t node : nodes) {
        const detail::Obb box = view.volume(node);
        boxes.push_back({box.centre * unit + view.frame.centre, box.axes, box.half * unit});
    }
    return boxes;
}

unsigned tree_depth(const Model& model) {
    const detail::ModelData& data = detail::Access::data(model);
    return data.is_wide() ? detail::depth(data.wide)
                          : std::visit([](const auto& tree) { return tree.depth; }, data.binary);
}

Volume tree_volume(const Model& model) { return detail::Access::data(model).settings.volume; }

bool has_wide_tree(const Model& model) { return detail::Access::data(model).is_wide(); }

}  // namespace graze
