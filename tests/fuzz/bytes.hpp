// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "graze/graze.hpp"

namespace graze::fuzz {

/// Stops the fuzzer with this input when something that must hold does not.
inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

/// The fuzzer's bytes as numbers; zeros when they run out.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

    bool empty() const { return rest_.empty(); }

    template <class T>
    T take() {
        T value{};
        const std::size_t n = std::min(sizeof(T), rest_.size());
        if (n) std::memcpy(&value, rest_.data(), n);
        rest_ = rest_.subspan(n);
        return value;
    }

    /// By `style` any double, an integer of a few bits, or such a one with a nudge in its last
    /// bits: the latter two make ties and near ties, which random doubles never do.
    double coordinate(std::uint8_t style) {
        switch (style % 4) {
            case 0:
                return take<double>();
            case 1:
                return take<std::int8_t>();
            case 2:
                return take<std::int8_t>() / 16;
            default: {
                const double value = take<std::int8_t>() * 0.1;
                return value + std::ldexp(static_cast<double>(take<std::int8_t>() / 32), -56);
            }
        }
    }

    Vec3 point(std::uint8_t style) {
        const double x = coordinate(style), y = coordinate(style), z = coordinate(style);
        return {x, y, z};
    }

private:
    std::span<const std::uint8_t> rest_;
};

inline bool is_valid(const Vec3& p) {
    for (int d = 0; d < 3; ++d)
        if (!(std::abs(p[d]) <= max_coordinate)) return false;
    return true;
}

}  // namespace graze::fuzz
