// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace graze::files {

/// Reads a number from bytes of any alignment.
template <class T>
T load(const char* at, std::endian order) {
    static_assert(std::is_arithmetic_v<T>);
    std::array<char, sizeof(T)> bytes;
    std::copy_n(at, sizeof(T), bytes.begin());
    if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

/// Appends a number, low byte first.
template <class T>
void store(std::string& out, T value) {
    static_assert(std::is_arithmetic_v<T>);
    auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if constexpr (std::endian::native != std::endian::little) std::reverse(bytes.begin(), bytes.end());
    out.append(bytes.data(), bytes.size());
}

/// True when the number is within the range of single precision.
inline bool fits_float(double x) { return std::abs(x) <= std::numeric_limits<float>::max(); }

}  // namespace graze::files
