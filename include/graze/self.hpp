// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "graze/query.hpp"

namespace graze {

/// Settings of the question whether a model meets itself. Only `rings` changes the answer.
struct SelfIntersectSettings {
    unsigned rings = 0;           ///< as `SelfSettings::rings`
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    Scratch* scratch = nullptr;   ///< working memory to reuse
};

/// Settings of a query for contacts of a model with itself. Only `max_contacts` and `rings` change what is reported.
struct SelfSettings {
    std::size_t max_contacts = 0;  ///< the query ends after so many contacts; 0 means no limit
    /// Triangles that are connected by a path of at most so many shared corners are left out. 1 leaves out triangles
    /// that share a corner, 2 also those that share corners with a third triangle, and so on. 0 leaves out none. Cloth
    /// that bends sharply touches itself within a ring or two.
    unsigned rings = 0;
    QueryStats* stats = nullptr;  ///< receives the work done, added to what it holds
    Scratch* scratch = nullptr;   ///< working memory to reuse
};

/// True when the model has a contact with itself, as `self_contacts` defines it. Stops at the first one found.
bool self_intersects(const Model& model, const SelfIntersectSettings& settings = {});

/// All pairs of triangles that meet in more than the corners and edges that they share, each once, in no particular
/// order. `triangles.a` is below `triangles.b`.
///
/// Corners with equal coordinates are shared, also where a soup has a point for each of them; 0 and -0 are equal.
/// Triangles that share one corner are reported if they meet anywhere else, those that share an edge if they are folded
/// onto each other, copies of one triangle if it has an area. A triangle without area counts as the segment or point
/// that it is, so it is not reported for lying along an edge that it shares. The answer is exact for all coordinates
/// and knows no tolerance: triangles that just touch are in contact. Takes about 0.15 µs per triangle of a surface that
/// does not meet itself.
std::vector<Contact> self_contacts(const Model& model, const SelfSettings& settings = {});
/// Writes the contacts to a vector of the caller's, which is cleared first and keeps its memory.
void self_contacts(const Model& model, std::vector<Contact>& contacts, const SelfSettings& settings = {});

namespace detail {
bool for_each_self_contact(const Model& model, ContactSink sink, void* context, const SelfSettings& settings);
}  // namespace detail

/// Calls `f(contact)` for each contact of the model with itself as it is found, until f returns `Step::Stop`. Returns
/// true when every contact was visited. f runs in the calling thread and must not throw.
template <class F>
    requires std::same_as<std::invoke_result_t<F&, const Contact&>, Step>
bool for_each_self_contact(const Model& model, F&& f, const SelfSettings& settings = {}) {
    using Fn = std::remove_reference_t<F>;
    return detail::for_each_self_contact(
        model, [](void* c, const Contact& contact) { return (*static_cast<Fn*>(c))(contact); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))), settings);
}

}  // namespace graze
