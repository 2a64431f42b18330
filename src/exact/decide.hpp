// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exact/predicate.hpp"
#include "exact/triangle_distance.hpp"
#include "graze/query.hpp"

namespace graze::detail {

/// Decides a pair finally: A's triangle as given, B's as mapped. True if they meet, or are within a margin greater than
/// zero.
inline bool decide(const Triangle& s, const Triangle& t, double margin, QueryStats& stats) {
    bool exact = false;
    const bool hit = meet(s, t, exact) || (margin > 0 && TriangleDistance(s, t).within(margin, exact));
    ++stats.double_tests;
    stats.exact_tests += exact;
    return hit;
}

}  // namespace graze::detail
