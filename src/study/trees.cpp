// SPDX-License-Identifier: Apache-2.0
#include "graze/study.hpp"
#include "model/access.hpp"
#include "model/build.hpp"

namespace graze::study {

// Enumerators correspond by their numbers.
static_assert(static_cast<int>(TreeKind::Binary) == static_cast<int>(detail::TreeKind::Binary));
static_assert(static_cast<int>(Fit::HullVertices) == static_cast<int>(detail::Fit::HullVertices) &&
              static_cast<int>(Fit::HullSurface) == static_cast<int>(detail::Fit::HullSurface));
static_assert(static_cast<int>(Split::Mean) == static_cast<int>(detail::Split::Mean) &&
              static_cast<int>(Split::Median) == static_cast<int>(detail::Split::Median) &&
              static_cast<int>(Split::Midpoint) == static_cast<int>(detail::Split::Midpoint) &&
              static_cast<int>(Split::Overlap) == static_cast<int>(detail::Split::Overlap) &&
              static_cast<int>(Split::Area) == static_cast<int>(detail::Split::Area));

Result<Model> build(const SoupView& soup, const TreeSettings& s) {
    auto data =
        detail::build_model(soup, {static_cast<detail::TreeKind>(s.tree), s.volume, static_cast<detail::Fit>(s.fit),
                                   s.refine, static_cast<detail::Split>(s.split), s.threads});
    if (!data.ok()) return data.fault();
    return detail::Access::model(std::move(*data));
}

TreeSettings tree_settings(const Model& model) {
    const detail::TreeSettings& s = detail::Access::data(model).settings;
    return {static_cast<TreeKind>(s.tree), s.volume, static_cast<Fit>(s.fit), s.refine,
            static_cast<Split>(s.split),   s.threads};
}

}  // namespace graze::study
