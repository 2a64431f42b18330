// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>

#include "graze/query.hpp"

namespace graze {

/// When a front is used and how it is kept (temporal coherence paper, sections 3 and 5). The defaults are the fastest
/// by measurement (docs/fronts.md). Motions are relative to the size of the smaller model.
struct FrontSettings {
    std::optional<double> coherence;  ///< after a motion larger than this a query starts anew; as measured if not given
    std::optional<double> prune;      ///< after this much motion it looks for parts that have moved apart; the same
    /// Of pairs of which both are smaller than the last motion over this, a front keeps none: by default it goes down
    /// to the leaves. Of binary trees only.
    double sprout = std::numeric_limits<double>::infinity();
    std::size_t bytes = std::size_t{64} << 20;  ///< a front that would be larger is dropped
};

/// Where the last query between two models, in this order, ended: the next one, after a small motion, starts there.
/// Never changes an answer. Use one for each pair of models; any other model, and a tree built anew, make it start
/// over, while refits count as motion. One query at a time may use it.
class Front {
public:
    explicit Front(const FrontSettings& settings = {});
    ~Front();
    Front(Front&&) noexcept;
    Front& operator=(Front&&) noexcept;

    /// Forgets all.
    void clear();
    /// Whether the next query can start from it.
    bool warm() const;
    /// Pairs that it holds.
    std::size_t size() const;
    /// Memory that it holds.
    std::size_t bytes() const;

    struct Impl;
    Impl& impl() { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

/// The queries of graze/query.hpp, from a front: the same as with `options.front`.
inline bool intersects(const Model& a, const Model& b, const Affine& a_from_b, Front& front,
                       QuerySettings options = {}) {
    options.front = &front;
    return intersects(a, b, a_from_b, options);
}
inline std::vector<Contact> collide(const Model& a, const Model& b, const Affine& a_from_b, Front& front,
                                    QuerySettings options = {}) {
    options.front = &front;
    return collide(a, b, a_from_b, options);
}

}  // namespace graze
