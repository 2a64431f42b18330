// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include "graze/solid.hpp"
#include "solid/surface.hpp"

namespace graze::detail {

/// The data that a solid derives from its model. The expensive parts are made when first asked for.
struct SolidData {
    Model model;

    const Surface& surface() {
        std::call_once(surface_once_, [this] { surface_.emplace(model); });
        return *surface_;
    }
    /// The model's box. Asking the model takes as long as looking at all its points.
    const Box& bounds() {
        std::call_once(bounds_once_, [this] { bounds_ = model.bounds(); });
        return bounds_;
    }
    Flaw flaw() {
        std::call_once(flaw_once_, [this] { flaw_ = find_flaw(); });
        return flaw_;
    }

    static SolidData& of(const Solid& solid) { return *solid.data_; }

private:
    Flaw find_flaw();

    std::once_flag bounds_once_, surface_once_, flaw_once_;
    Box bounds_;
    std::optional<Surface> surface_;
    Flaw flaw_ = Flaw::None;
};

}  // namespace graze::detail
