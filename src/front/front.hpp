// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "graze/front.hpp"
#include "front/pair_front.hpp"
#include "walk/scratch.hpp"
#include "walk/search.hpp"
#include "front/wide_front.hpp"

namespace graze {

/// What is known is kept as claims: a pair is apart until the odometer, the summed motion of all queries since the
/// front was empty, reaches a number that was noted with it. A claim holds whatever becomes of the others, so a query
/// may stop anywhere.
struct Front::Impl {
    FrontSettings settings;

    // The last query.
    detail::Lineage lineage[2];
    Affine pose;
    double margin = 0;
    bool wide_trees = false;
    bool reshaped = false;  ///< since a search from the front
    bool filled = false;    ///< there are claims

    Vec3 centre;          ///< of a ball around B's points
    double radius = 0;    ///< of it
    double inv_unit = 1;  ///< lengths below are A's times this
    double size = 0;      ///< the longest edge of the smaller model's box

    double odometer = 0;
    double since_prune = 0;  ///< the same, since the front was last pruned
    detail::WideFront wide;
    detail::PairFront pairs;
    std::optional<TrianglePair> witness;  ///< the contact that a search for the first found last

    std::uint32_t calm = 0;      ///< small motions in a row
    std::uint32_t wild = 0;      ///< large ones
    std::uint32_t rest = 0;      ///< searches to go without a front
    std::uint32_t patience = 0;  ///< how many these were the last time, less as it pays
    std::uint32_t doubts = 0;    ///< searches in a row for which it did not

    /// Forgets the claims.
    void empty();
    /// Takes note of a new query. Returns how far any point of B, seen from any of A, can have gone since the last one,
    /// and says whether triangles have changed. Infinite where there was no last one, or of other models. A motion
    /// above `enough`, if they have not, need not be known.
    double advance(const detail::Search& search, double enough, bool& changed);
    /// After a search from the front, which it filled if that was fresh.
    void assess(bool fresh);
    /// The ball and the size, of the models as they are.
    void measure(const detail::Search& search);
};

namespace detail {

/// Whether a pair of triangles that met still does.
bool still_meets(const Search& search, const TrianglePair& pair, QueryStats& stats);
/// All contacts to the sink, starting from a front; false when it stopped.
bool run(const Search& search, Front::Impl& front, Scratch::Impl& scratch, QueryStats& stats);

}  // namespace detail
}  // namespace graze
