// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "front/distance_front.hpp"
#include "front/pair_front.hpp"
#include "front/wide_front.hpp"
#include "graze/front.hpp"
#include "walk/search.hpp"
#include "wide_walk/scratch.hpp"

namespace graze {

/// A front keeps claims: a pair is apart until the odometer, the summed motion of all queries since the front was
/// empty, reaches a number noted with the pair. A claim holds whatever becomes of the others, so a query may stop
/// anywhere.
struct Front::Impl {
    FrontSettings settings;

    // The state of the last query.
    detail::Lineage lineage[2];
    Affine pose;
    double margin = 0;
    bool wide_trees = false;
    bool reshaped = false;  ///< whether a refit has moved triangles since the last search from the front
    bool filled = false;    ///< whether there are claims

    Vec3 centre;          ///< centre of a ball around B's points
    double radius = 0;    ///< radius of that ball
    double inv_unit = 1;  ///< factor from A's lengths to the lengths below
    double size = 0;      ///< longest edge of the smaller model's box

    double odometer = 0;
    double since_prune = 0;  ///< motion since the front was last pruned
    detail::WideFront wide;
    detail::PairFront pairs;
    detail::DistanceFront distance;       ///< front of distance queries, which keep a state of their own
    std::optional<TrianglePair> witness;  ///< contact that the last search for a first contact found

    std::uint32_t calm = 0;      ///< number of small motions in a row
    std::uint32_t wild = 0;      ///< number of large motions in a row
    std::uint32_t rest = 0;      ///< number of searches left to do without the front
    std::uint32_t patience = 0;  ///< length of the last rest; shrinks while the front pays
    std::uint32_t doubts = 0;    ///< number of searches in a row for which the front did not pay

    /// Drops all claims.
    void empty();
    /// Takes note of a new query. Returns the greatest distance that any point of B, seen from any point of A, can have
    /// moved since the last query, and sets `changed` if triangles have changed. Infinite if there was no last query,
    /// or if it was between other models. If no triangles have changed, a motion above `enough` may be any larger
    /// number.
    double advance(const detail::Search& search, double enough, bool& changed);
    /// Judges a search from the front. `fresh` says that the search filled an empty front.
    void assess(bool fresh);
    /// Measures the ball and the size of the current models.
    void measure(const detail::Search& search);
};

namespace detail {

/// Whether a pair of triangles that met still meets.
bool still_meets(const Search& search, const TrianglePair& pair, QueryStats& stats);
/// Reports all contacts to the sink, starting from a front. False when the sink stopped it.
bool run(const Search& search, Front::Impl& front, Scratch::Impl& scratch, QueryStats& stats);

}  // namespace detail
}  // namespace graze
