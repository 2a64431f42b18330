// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

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
};

}  // namespace graze::checks
