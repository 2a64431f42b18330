// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/box.hpp"

namespace graze {

/// Two boxes, by their places in the caller's lists.
struct BoxPair {
    std::uint32_t a = 0, b = 0;
    friend auto operator<=>(const BoxPair&, const BoxPair&) = default;
};

/// Settings of a broad phase. They never change an answer.
struct BroadPhaseSettings {
    unsigned threads = 0;  ///< 0 means one per core
};

/// All pairs of boxes in a list that have a point in common, each once with a < b, in ascending order. Boxes are
/// closed, so boxes that touch are a pair, and bounds are compared as the doubles that they are. An empty box is in no
/// pair.
///
/// A list that is asked again after small changes is served faster by a `Scene` (graze/scene.hpp). A list must have
/// fewer than 2^31 boxes.
std::vector<BoxPair> overlapping_pairs(std::span<const Box> boxes, const BroadPhaseSettings& settings = {});
/// All pairs of a box of one list and a box of another that have a point in common, in ascending order. Both lists
/// together must have fewer than 2^31 boxes.
std::vector<BoxPair> overlapping_pairs(std::span<const Box> a, std::span<const Box> b,
                                       const BroadPhaseSettings& settings = {});

/// All pairs of boxes that are no further apart than `length`, decided without rounding: at exactly that distance they
/// are a pair. The distance is the Euclidean one between the closest points of two boxes. Length 0 gives
/// `overlapping_pairs`, a negative one no pair, one that is infinite or not a number every pair of boxes that are not
/// empty.
std::vector<BoxPair> pairs_within(std::span<const Box> boxes, double length, const BroadPhaseSettings& settings = {});
/// All pairs of a box of one list and a box of another that are no further apart than `length`, in ascending order.
std::vector<BoxPair> pairs_within(std::span<const Box> a, std::span<const Box> b, double length,
                                  const BroadPhaseSettings& settings = {});

/// True when two boxes have a point in common.
bool overlap(const Box& a, const Box& b);
/// True when two boxes are no further apart than `length`, decided as `pairs_within` does.
bool within(const Box& a, const Box& b, double length);

}  // namespace graze
