// SPDX-License-Identifier: Apache-2.0
// The order of half-planes around the line in which they end, by signs of orientation determinants.
#pragma once

#include <tuple>
#include <utility>

#include "exact/perturbed.hpp"

namespace graze::detail {

/// The axis along which the triangle is seen with an area, and its orientation then.
inline std::pair<int, int> view(const Vec3& a, const Vec3& b, const Vec3& c) {
    for (int axis = 0; axis < 3; ++axis)
        if (const int turn = orient_along(axis, a, b, c)) return {axis, turn};
    return {0, 0};
}

/// Half-planes in the order in which one meets them, turning counter-clockwise around the line through p and q from the
/// half-plane of r. Each is given by one of its points off the line.
class Round {
public:
    Round(const Vec3& p, const Vec3& q, const Vec3& r) : p_(p), q_(q), r_(r) { std::tie(axis_, turn_) = view(p, q, r); }

    /// 0 and 2 are the first half-plane and the one opposite, 1 and 3 are what is between.
    int quarter(const Vec3& x) const {
        if (x == r_) return 0;
        const int t = turns(r_, x);
        return t > 0 ? 1 : t < 0 ? 3 : orient_along(axis_, p_, q_, x) == turn_ ? 0 : 2;
    }
    bool before(const Vec3& x, const Vec3& y) const { return before(x, quarter(x), y, quarter(y)); }
    /// The same for points whose quarters are known.
    bool before(const Vec3& x, int at_x, const Vec3& y, int at_y) const {
        return at_x != at_y ? at_x < at_y : at_x % 2 == 1 && x != y && turns(x, y) > 0;
    }

private:
    int turns(const Vec3& x, const Vec3& y) const {
        bool used_exact = false;
        return orient3d(p_, q_, x, y, used_exact);
    }

    Vec3 p_, q_, r_;
    int axis_ = 0, turn_ = 0;
};

}  // namespace graze::detail
