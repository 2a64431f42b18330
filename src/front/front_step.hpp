// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace graze::detail {

/// What a front's walk is told of the motion. Lengths are A's times `inv_unit`, a power of two by which the smaller
/// model's size is between 1 and 2.
struct FrontStep {
    double odometer = 0;    ///< now
    double motion = 0;      ///< since the last query
    double inv_unit = 1;    ///< what the walk multiplies gaps in A's lengths by
    bool reshaped = false;  ///< triangles were moved by a refit: claims hold, radii that were noted do not
    bool prune = false;     ///< it is time to look for parts that have moved apart
    double sprout = std::numeric_limits<double>::infinity();  ///< `FrontSettings::sprout`

    /// The number noted with a claim, in float: a pair is `gap` apart, so its claim holds while `reading() < due(gap)`.
    /// Rounded towards an earlier end.
    float due(double gap) const {
        const double x = std::min(odometer + gap, 0x1p100);
        return static_cast<float>(x - (std::abs(x) * 0x1p-22 + 0x1p-140));
    }
    float reading() const { return std::nextafter(static_cast<float>(odometer), std::numeric_limits<float>::max()); }
};

}  // namespace graze::detail
