// SPDX-License-Identifier: Apache-2.0
// Queries for pairs of triangles that are no further apart than a margin, which is not negative. With a margin of 0
// they are the queries for contacts. A margin that is infinite or not a number takes every pair.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "graze/query.hpp"
#include "model/model_data.hpp"

namespace graze::detail {

/// Whether this pair of triangles, if there is such a pair, is within the margin.
bool pair_within(const ModelData& a, const ModelData& b, const Affine& a_from_b, const TrianglePair& pair,
                 double margin, QueryStats& stats);

bool intersects(const Model& a, const Model& b, const Affine& a_from_b, double margin,
                const IntersectSettings& settings);
void collide(const Model& a, const Model& b, const Affine& a_from_b, double margin, std::vector<Contact>& contacts,
             const ContactSettings& settings);

/// Calls `f(contact)` for each pair, until f returns `Step::Stop`.
template <class F>
bool for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, double margin, F&& f,
                      const QuerySettings& settings = {}) {
    const auto call = [](void* c, const Contact& contact) {
        return (*static_cast<std::remove_reference_t<F>*>(c))(contact);
    };
    return for_each_contact(a, b, a_from_b, margin, call,
                            const_cast<void*>(static_cast<const void*>(std::addressof(f))), settings);
}

}  // namespace graze::detail
