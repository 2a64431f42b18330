// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "exact/self_predicate.hpp"
#include "walk/pair_walk.hpp"
#include "walk/search.hpp"

namespace graze::detail {

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

/// Reports all contacts of the model with itself, each pair once. False when the sink stopped it. Takes any tree.
bool self_search(const SelfSearch& search, std::vector<NodePair>& stack, QueryStats& stats);

}  // namespace graze::detail
