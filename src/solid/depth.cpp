// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/float_environment.hpp"
#include "solid/depth_search.hpp"
#include "solid/relate.hpp"

namespace graze {

Depth inside_depth(const Solid& a, const Solid& b, const Affine& a_from_b, const DepthSettings& settings) {
    using namespace detail;
    const DefaultFloats floats;
    if (!have_common_part(a, b, a_from_b)) return {};
    const Frames frames(a, b, a_from_b);
    // A search for more than rounding allows would not end.
    const double error =
        settings.absolute_error > 0 ? settings.absolute_error : std::min(size_of(a), size_of(b)) * 1e-6;
    DepthSearch search({.relative_error = settings.relative_error,
                        .absolute_error = std::max(error, frames.rounding),
                        .stop_above = settings.stop_above,
                        .steps = settings.max_steps});
    search.inside(frames);
    return {search.low(), search.done() ? std::numeric_limits<double>::infinity() : search.high()};
}

}  // namespace graze
