// SPDX-License-Identifier: Apache-2.0
#include "graze/model.hpp"

#include "model_data.hpp"
#include "model_file.hpp"

namespace graze {

Model::Model() : data_(std::make_shared<detail::ModelData>()) {}

Result<Model> Model::build(const SoupView& soup, const BuildSettings& settings) {
    auto geometry = detail::make_geometry(soup);
    if (!geometry) return geometry.fault();
    auto data = std::make_shared<detail::ModelData>();
    data->geometry = std::move(*geometry);
    data->kind = settings.tree;
    if (settings.tree == TreeKind::Wide)
        data->wide = detail::build_wide_tree(data->geometry, settings);
    else
        data->binary = detail::build_bv_tree<detail::Obb>(data->geometry, settings);
    return Model(std::move(data));
}

Result<Done> Model::save(const std::string& path) const { return detail::save_model(*data_, path); }

Result<Model> Model::load(const std::string& path) {
    auto data = detail::load_model(path);
    if (!data) return data.fault();
    return Model(std::move(*data));
}

std::uint32_t Model::triangle_count() const { return static_cast<std::uint32_t>(data_->geometry.triangles.size()); }
std::uint32_t Model::polygon_count() const { return data_->geometry.polygon_count; }
std::uint32_t Model::point_count() const { return static_cast<std::uint32_t>(data_->geometry.points.size()); }
TreeKind Model::tree() const { return data_->kind; }
Triangle Model::triangle(std::uint32_t i) const { return data_->geometry.triangle(i); }
std::uint32_t Model::polygon_of(std::uint32_t i) const { return data_->geometry.polygon(i); }

std::size_t Model::bytes() const { return data_->geometry.bytes() + data_->wide.bytes() + data_->binary.bytes(); }

unsigned Model::depth() const {
    return data_->kind == TreeKind::Wide ? detail::depth(data_->wide) : data_->binary.depth;
}

Result<Done> Model::validate() const {
    std::string wrong = data_->kind == TreeKind::Wide ? detail::validate(data_->wide, data_->geometry)
                                                      : detail::validate(data_->binary, data_->geometry);
    if (!wrong.empty()) return Fault{FaultKind::Damaged, std::move(wrong)};
    return Done{};
}

}  // namespace graze
