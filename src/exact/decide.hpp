// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graze/query.hpp"
#include "exact/predicate.hpp"
#include "exact/triangle_distance.hpp"

namespace graze::detail {

/// The last word on a pair: A's triangle as given, B's as mapped. They meet, or are within a margin
/// greater than zero.
inline bool decide(const Triangle& s, const Triangle& t, double margin, QueryStats& stats) {
    bool exact = false;
    const bool hit = meet(s, t, exact) || (margin > 0 && triangle_distance(s, t) <= margin);
    ++stats.double_tests;
    stats.exact_tests += exact;
    return hit;
}

}  // namespace graze::detail
