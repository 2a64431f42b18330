// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "front/near_front.hpp"
#include "front/wide_distance.hpp"
#include "graze/math.hpp"
#include "graze/query.hpp"
#include "walk/nearest_search.hpp"
#include "walk/search.hpp"

namespace graze::detail {

/// Claims and the closest triangles, left by the last distance between two models for the next one.
class DistanceFront {
public:
    std::size_t size() const { return claims_.size(); }
    std::size_t bytes() const { return claims_.bytes(); }
    void clear() { *this = {}; }

    /// Takes note of a new query. Shrinks the search's limit by the last closest triangles, and says where to begin.
    WideDistanceStart begin(const Search& where, NearestSearch<ModelPairs>& search);
    /// Takes note of the query's end.
    void end(const NearestSearch<ModelPairs>& search, std::size_t max_bytes);

private:
    void forget(unsigned queries);

    NearFront claims_;
    Lineage lineage_[2];
    Affine pose_;
    Vec3 centre_;         ///< centre of a ball around B's points
    double radius_ = -1;  ///< radius of that ball; negative before the first query
    TrianglePair seed_;
    bool seeded_ = false;
    std::size_t at_start_ = 0;  ///< number of claims when the query began
    std::size_t fresh_ = 0;     ///< number of claims when the front was filled
    std::uint64_t plain_ = 0;   ///< number of box tests that this took
    unsigned rest_ = 0;         ///< number of queries left to do without claims
    unsigned patience_ = 0;     ///< length of the last rest
};

}  // namespace graze::detail
