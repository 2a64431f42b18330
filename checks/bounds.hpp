// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "graze/graze.hpp"

namespace graze::checks {

/// A box along the axes that grows with the points added to it. In plain double arithmetic; empty at first.
struct Bounds {
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    Vec3 lo{infinity, infinity, infinity}, hi{-infinity, -infinity, -infinity};

    Bounds() = default;
    explicit Bounds(const Box& box) : lo(box.lo()), hi(box.hi()) {}
    explicit Bounds(const Triangle& t) {
        add(t.a);
        add(t.b);
        add(t.c);
    }

    bool empty() const { return !(lo.x <= hi.x); }
    void add(const Vec3& p) {
        for (int d = 0; d < 3; ++d) {
            lo[d] = std::min(lo[d], p[d]);
            hi[d] = std::max(hi[d], p[d]);
        }
    }
    void add(const Bounds& other) {
        if (other.empty()) return;
        add(other.lo);
        add(other.hi);
    }
    /// The middle. Meaningless for empty bounds.
    Vec3 centre() const { return lo * 0.5 + hi * 0.5; }
    /// Half the length of each side. Meaningless for empty bounds.
    Vec3 half() const { return hi * 0.5 - lo * 0.5; }
    /// The box for queries of the library: all of space when a corner is beyond the range of a `Box`.
    Box box() const {
        if (empty()) return {};
        const Result<Box> made = Box::between(lo, hi);
        constexpr Vec3 all{infinity, infinity, infinity};
        return made ? *made : *Box::between(-all, all);
    }
};

inline std::vector<Box> boxes_of(std::span<const Bounds> bounds) {
    std::vector<Box> out;
    out.reserve(bounds.size());
    for (const Bounds& one : bounds) out.push_back(one.box());
    return out;
}

}  // namespace graze::checks
