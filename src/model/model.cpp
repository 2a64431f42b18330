// SPDX-License-Identifier: Apache-2.0
#include "graze/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/float_environment.hpp"
#include "graze/tree.hpp"
#include "model/access.hpp"
#include "model/build.hpp"
#include "model/model_file.hpp"
#include "model/refit.hpp"

namespace graze {

Model::Model() : Model(std::make_unique<detail::ModelData>()) {}
Model::Model(std::unique_ptr<detail::ModelData> data) : data_(data.release()) {}
Model::Model(const Model& other) noexcept : data_(other.data_) {
    if (data_) data_->owners.add_owner();
}
Model::Model(Model&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
Model& Model::operator=(const Model& other) noexcept { return *this = Model(other); }
Model& Model::operator=(Model&& other) noexcept {
    Model taken(std::move(other));
    std::swap(data_, taken.data_);
    return *this;
}
Model::~Model() {
    if (data_ && data_->owners.release()) delete data_;
}

Result<Model> Model::build(const SoupView& soup, const BuildSettings& settings) {
    auto data = detail::build_model(soup, {.volume = settings.volume, .threads = settings.threads});
    if (!data.ok()) return data.fault();
    return Model(std::move(*data));
}

Result<void> Model::save(const std::string& path) const { return detail::save_model(*data_, path); }

Result<Model> Model::load(const std::string& path, const LoadSettings& settings) {
    const detail::DefaultFloats floats;
    auto data = detail::load_model(path);
    if (!data.ok()) return data.fault();
    Model model(std::move(*data));
    if (settings.validate)
        if (const auto sound = model.validate(); !sound)
            return Fault{FaultKind::Damaged, path + ": " + sound.fault().message};
    return model;
}

Result<Refit> Model::refit(const PointView& points, const RefitSettings& settings) {
    const detail::DefaultFloats floats;
    const auto checked = detail::check_refit(data_->geometry, points, settings.first);
    if (!checked) return checked.fault();
    if (!data_->owners.is_sole_owner()) {
        auto own = std::make_unique<detail::ModelData>(*data_);
        own->lineage.part();
        *this = Model(std::move(own));
    }
    return detail::refit(*data_, points, settings);
}

double Model::decay() const { return detail::decay(*data_); }

std::uint32_t Model::triangle_count() const { return static_cast<std::uint32_t>(data_->geometry.triangles.size()); }
std::uint32_t Model::polygon_count() const { return data_->geometry.polygon_count; }
std::uint32_t Model::point_count() const { return static_cast<std::uint32_t>(data_->geometry.points.size()); }
std::span<const Vec3> Model::points() const { return data_->geometry.points.span(); }
std::span<const std::array<std::uint32_t, 3>> Model::triangles() const { return data_->geometry.triangles.span(); }
Triangle Model::triangle(std::uint32_t i) const { return data_->geometry.triangle(i); }
std::uint32_t Model::polygon_of(std::uint32_t i) const { return data_->geometry.polygon(i); }

std::size_t Model::bytes() const {
    return data_->geometry.bytes() + data_->wide.bytes() +
           std::visit([](const auto& tree) { return tree.bytes(); }, data_->binary);
}

Box Model::bounds() const {
    if (triangle_count() == 0) return {};
    const std::span<const Vec3> all = points();
    Vec3 lo = triangle(0).a, hi = lo;
    for (const auto& corners : triangles())
        for (const std::uint32_t corner : corners)
            for (int k = 0; k < 3; ++k) {
                lo[k] = std::min(lo[k], all[corner][k]);
                hi[k] = std::max(hi[k], all[corner][k]);
            }
    return detail::Access::box(lo, hi);
}

std::string Model::summary() const {
    const detail::ModelData& d = *data_;
    std::string text = std::to_string(triangle_count()) + " triangles, " + (d.is_wide() ? "wide" : "binary") +
                       " tree of " + name(d.settings.volume);
    if (d.aligned_ratio > 0) {
        const auto percent = std::to_string(std::lround(100 * d.aligned_ratio));
        text += " (chosen: aligned boxes have " + percent + " % of the oriented ones' area)";
    }
    return text + ", depth " + std::to_string(tree_depth(*this)) + ", " + std::to_string(bytes()) + " bytes";
}

Result<void> Model::validate() const {
    const detail::DefaultFloats floats;
    const detail::Geometry& g = data_->geometry;
    std::string wrong = data_->is_wide()
                            ? detail::validate(data_->wide, g)
                            : std::visit([&](const auto& tree) { return tree.validate(g); }, data_->binary);
    if (!wrong.empty()) return Fault{FaultKind::Damaged, std::move(wrong)};
    return {};
}

}  // namespace graze
