// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graze/math.hpp"

namespace graze::scenes {

/// A seeded generator (SplitMix64: Steele, Lea, Flood 2014). The distributions of <random> differ
/// between standard libraries; this one gives the same numbers everywhere.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    /// Below n, which is not zero. The bias of the remainder is under n / 2^64.
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(bits() % n); }

    /// In [0, 1), a multiple of 2^-53.
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    double between(double low, double high) { return low + (high - low) * unit(); }
    /// Each coordinate in [low, high); drawn in the order x, y, z.
    Vec3 in_cube(double low, double high) {
        const double x = between(low, high);
        const double y = between(low, high);
        const double z = between(low, high);
        return {x, y, z};
    }

private:
    std::uint64_t state_;
};

}  // namespace graze::scenes
