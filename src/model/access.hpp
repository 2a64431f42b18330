// SPDX-License-Identifier: Apache-2.0
// Gives the library access to the private members of its public classes.
#pragma once

#include <memory>
#include <utility>

#include "graze/front.hpp"
#include "graze/hull.hpp"
#include "graze/region.hpp"
#include "model/model_data.hpp"

namespace graze::detail {

struct Access {
    static const ModelData& data(const Model& model) { return *model.data_; }
    static Model model(std::unique_ptr<ModelData> data) { return Model(std::move(data)); }
    static const HullData& data(const Hull& hull) { return *hull.data_; }
    static Scratch::Impl& impl(Scratch& scratch) { return *scratch.impl_; }
    static Front::Impl& impl(Front& front) { return *front.impl_; }
    /// A slab with bounds that were checked.
    static Slab slab(const Vec3& normal, double lo, double hi) { return {normal, lo, hi}; }
    static Box box(const Vec3& lo, const Vec3& hi) { return {lo, hi}; }
};

}  // namespace graze::detail
