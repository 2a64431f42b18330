// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace graze::detail {

/// The motion since the last query, for a front's walk. Lengths are A's times `inv_unit`, a power of two that brings
/// the smaller model's size between 1 and 2.
struct FrontStep {
    double odometer = 0;    ///< the odometer after this motion
    double motion = 0;      ///< motion since the last query
    double inv_unit = 1;    ///< factor for gaps in A's lengths
    bool reshaped = false;  ///< a refit has moved triangles: claims hold, but radii that were noted do not
    bool prune = false;     ///< whether to look for parts that have moved apart
    double sprout = std::numeric_limits<double>::infinity();  ///< `FrontSettings::sprout`

    /// The float that is noted with a claim. A pair is `gap` apart, so its claim holds while `reading() < due(gap)`.
    /// Rounded down, so that the claim ends early.
    float due(double gap) const {
        const double x = std::min(odometer + gap, 0x1p100);
        return static_cast<float>(x - (std::abs(x) * 0x1p-22 + 0x1p-140));
    }
    float reading() const { return std::nextafter(static_cast<float>(odometer), std::numeric_limits<float>::max()); }
};

}  // namespace graze::detail
