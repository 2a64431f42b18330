// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/self_predicate.hpp"
#include "walk/search.hpp"

namespace graze::detail {

/// What the tests of a wide leaf's triangles against others need, by lane. Lanes past the count repeat the first
/// triangle.
struct alignas(64) SelfLeaf {
    std::uint32_t at[3][wide];  ///< the welded corners
    float low[3][wide];         ///< the triangles' boxes
    float high[3][wide];
    float normal[3][wide];            ///< normals, not of unit length
    float offset[wide];               ///< minus normal times the first corner
    float size[wide];                 ///< the normal's 1-norm
    float edge[wide], slope[wide];    ///< see `LaneNormals`
    float leaf_low[3], leaf_high[3];  ///< the box of all triangles
    float half;                       ///< sum of the leaf box's extents
    unsigned lanes;                   ///< a bit for each triangle
};

/// Working memory of searches for contacts of a model with itself.
struct SelfScratch {
    std::vector<std::uint32_t> first, slots;  ///< `first_of_equals` and its working memory
    std::vector<SelfLeaf> leaves;
};

/// A query for the contacts of a model with itself.
struct SelfSearch {
    const ModelData& model;
    std::span<const std::uint32_t> first;  ///< `first_of_equals` of the model's points
    Sink sink;
    bool neighbours;  ///< false when triangles that share a corner are left out

    bool share_corner(std::uint32_t i, std::uint32_t j) const {
        for (const std::uint32_t p : model.geometry.triangles[i])
            for (const std::uint32_t q : model.geometry.triangles[j])
                if (first[p] == first[q]) return true;
        return false;
    }
    /// Reports a pair that certainly is a contact.
    Step report(std::uint32_t i, std::uint32_t j) const {
        if (i > j) std::swap(i, j);
        return sink.report({{i, j}, {model.geometry.polygon(i), model.geometry.polygon(j)}});
    }
    /// Decides one pair exactly, and reports it if it is a contact. Returns Stop when the sink says so.
    Step decide(std::uint32_t i, std::uint32_t j, QueryStats& stats) const {
        if (!neighbours && share_corner(i, j)) return Step::Continue;
        bool exact = false;
        const bool hit = meet_beyond_shared(model.geometry.triangle(i), model.geometry.triangle(j), exact);
        ++stats.double_tests;
        stats.exact_tests += exact;
        return hit ? report(i, j) : Step::Continue;
    }
};

/// Reports all contacts of the model with itself, each pair once. False when the sink stopped it.
bool run(const SelfSearch& search, Scratch::Impl& scratch, QueryStats& stats);
/// The search in a wide tree. `goes_wide` must hold for the model with itself.
bool wide_self_search(const SelfSearch& search, Scratch::Impl& scratch, QueryStats& stats);

}  // namespace graze::detail
