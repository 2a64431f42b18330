// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace graze::scenes {

struct SinCos {
    double sin, cos;
};

/// Sine and cosine of an angle in turns, by additions and multiplications only, so that models
/// come out the same with every C library. Within a few units in the last place; multiples of a
/// quarter turn are exact.
inline SinCos sin_cos(double turns) {
    const double quarters = 4 * (turns - std::floor(turns));
    const double nearest = std::floor(quarters + 0.5);
    // At most an eighth of a turn is left, where these Taylor series end below rounding.
    const double x = (quarters - nearest) * 1.57079632679489661923;
    const double q = x * x;
    double s = 0, c = 0;
    for (int n = 17; n >= 3; n -= 2) s = (s + 1) * (-q / (n * (n - 1)));
    for (int n = 18; n >= 2; n -= 2) c = (c + 1) * (-q / (n * (n - 1)));
    s = x + x * s;
    c = 1 + c;
    switch (static_cast<int>(nearest) & 3) {
        case 0:
            return {s, c};
        case 1:
            return {c, -s};
        case 2:
            return {-s, -c};
        default:
            return {-c, s};
    }
}

}  // namespace graze::scenes
