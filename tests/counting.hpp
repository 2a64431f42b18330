// SPDX-License-Identifier: Apache-2.0
// A number that counts what is done with it.
#pragma once

#include <cmath>

#include "tree/box_axes.hpp"

namespace graze::test {

struct Counts {
    int compare = 0, add = 0, multiply = 0, abs = 0;

    int total() const { return compare + add + multiply + abs; }
    friend bool operator==(const Counts&, const Counts&) = default;
};

/// A double that counts its operations.
struct Counting {
    double value = 0;
    static inline Counts counts;

    friend Counting operator+(Counting a, Counting b) { return ++counts.add, Counting{a.value + b.value}; }
    friend Counting operator-(Counting a, Counting b) { return ++counts.add, Counting{a.value - b.value}; }
    friend Counting operator*(Counting a, Counting b) { return ++counts.multiply, Counting{a.value * b.value}; }
    friend bool operator>(Counting a, Counting b) { return ++counts.compare, a.value > b.value; }
    friend Counting abs(Counting a) { return ++counts.abs, Counting{std::abs(a.value)}; }
};

/// The operations of the test of two boxes about one point, which no axis separates.
template <int thick_a, int thick_b, bool every_axis>
Counts count_overlapping() {
    const Counting a[3] = {{1}, {1}, {1}}, b[3] = {{1}, {1}, {1}}, t[3] = {};
    const Counting r[3][3] = {{{1}, {}, {}}, {{}, {1}, {}}, {{}, {}, {1}}};
    Counting::counts = {};
    const bool apart = detail::boxes_apart<thick_a, thick_b, every_axis>(a, b, t, r, Counting{}, Counting{});
    return apart ? Counts{} : Counting::counts;
}

}  // namespace graze::test
