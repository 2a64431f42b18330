// SPDX-License-Identifier: Apache-2.0
// Numbers in half precision, without their infinities.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace graze::gpu {

/// The nearest half of a number of magnitude at most 1.
inline std::uint32_t half_from(double x) {
    const std::uint32_t sign = std::signbit(x) ? 0x8000 : 0;
    const double size = std::abs(x);
    if (size < 0x1p-14) return sign | static_cast<std::uint32_t>(std::lrint(size * 0x1p24));
    const int exponent = std::ilogb(size);
    // A mantissa that rounds up to 2 carries into the exponent, as it should.
    const auto mantissa = static_cast<std::uint32_t>(std::lrint(std::ldexp(size, 10 - exponent)));
    return sign | ((static_cast<std::uint32_t>(exponent + 14) << 10) + mantissa);
}

/// The value of a half, exactly.
constexpr float half_to_float(std::uint32_t bits) {
    // Read as a float's, the exponent is too small by 112. Multiplying also makes subnormal halves normal.
    const float size = std::bit_cast<float>((bits & 0x7fff) << 13) * 0x1p112f;
    return bits & 0x8000 ? -size : size;
}

}  // namespace graze::gpu
