// SPDX-License-Identifier: Apache-2.0
#include "front/distance_front.hpp"

#include <algorithm>
#include <limits>

#include "front/motion.hpp"
#include "wide_walk/wide_query.hpp"

namespace graze::detail {

void DistanceFront::forget(unsigned queries) {
    claims_.clear();
    claims_.grace = 0;
    rest_ = queries;
}

WideDistanceStart DistanceFront::begin(const Search& where, NearestSearch<ModelPairs>& search) {
    const auto drift_a = where.a.lineage.since(lineage_[0]), drift_b = where.b.lineage.since(lineage_[1]);
    const bool known = radius_ >= 0 && drift_a && drift_b;
    const bool reshaped = known && (*drift_a > 0 || *drift_b > 0);
    if (!known) clear();
    if (known && claims_.size() > 0) {
        // A claim allows for the rounding of corners at one placement, and for no other.
        double motion =
            motion_bound(pose_, where.a_from_b, centre_, radius_) + *drift_a + 2 * WideQuery::rounding(where);
        if (*drift_b > 0) motion += *drift_b * spectral_bound(where.a_from_b.linear());
        claims_.grace = 2 * motion;
        claims_.odometer = (claims_.odometer + motion) * (1 + 0x1p-52);
        // After a large motion few claims are left, and those that would outlast the next one are too many.
        if (!(motion < radius_ / 256)) forget(0);
    }
    if (!known || reshaped) {
        lineage_[0] = where.a.lineage;
        lineage_[1] = where.b.lineage;
        const RootBall ball(where.b);
        centre_ = ball.centre;
        radius_ = ball.radius;
    }
    pose_ = where.a_from_b;
    WideDistanceStart start;
    if (seeded_) start.aim = search.expect(seed_);
    at_start_ = claims_.size();
    if (rest_ == 0)
        start.front = &claims_;
    else
        --rest_;
    return start;
}

void DistanceFront::end(const NearestSearch<ModelPairs>& search, std::size_t max_bytes) {
    seeded_ = search.distance() < std::numeric_limits<double>::infinity();
    if (seeded_) seed_ = search.nearest();
    if (claims_.size() == 0) return;
    if (at_start_ == 0) {
        fresh_ = claims_.size();
        plain_ = search.stats.box_tests;
    }
    // To take a claim out and to leave another one costs about as much as a step.
    const bool pays = at_start_ == 0 || search.stats.box_tests + 8 * claims_.taken < plain_ / 2;
    claims_.taken = 0;
    if (!pays || claims_.bytes() > max_bytes) {
        patience_ = std::min(2 * patience_ + 1, 63u);
        forget(patience_);
        if (claims_.bytes() > max_bytes) claims_ = {};
    } else {
        patience_ -= patience_ / 16;
        // Claims go down the trees and never up again, so now and then the front is filled anew.
        if (claims_.size() > 2 * fresh_ + 64) forget(0);
    }
}

}  // namespace graze::detail
