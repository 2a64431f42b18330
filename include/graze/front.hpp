// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>

#include "graze/query.hpp"

namespace graze {

/// How a front is kept. The thresholds are for experiments (temporal coherence paper, sections 3 and 5); where none is
/// given, the measured one applies. Motions are relative to the longest edge of the smaller model's box.
struct FrontSettings {
    std::size_t max_bytes = std::size_t{64} << 20;  ///< a front that would grow larger is dropped
    std::optional<double> coherence;                ///< a query after a larger motion starts anew
    std::optional<double> prune;                    ///< summed motion after which the front is pruned
    /// Node pairs smaller than `motion / sprout` are walked again instead of being stored. Binary trees only. By
    /// default a front goes down to the leaves.
    double sprout = std::numeric_limits<double>::infinity();
};

/// Where the last query between two models ended. After a small motion the next query starts there, which is faster
/// and gives the same answer:
///
///     graze::Front front;
///     for (const graze::Pose& a_from_b : path)
///         if (graze::intersects(a, b, a_from_b, {.front = &front})) …
///
/// Use one front per pair of models and keep the pair's order. A front starts over when it is given another model or a
/// tree that was built anew; a refit counts as motion. One query at a time may use it.
class Front {
public:
    explicit Front(const FrontSettings& settings = {});
    ~Front();
    Front(Front&&) noexcept;
    Front& operator=(Front&&) noexcept;

    /// Forgets everything and frees its memory.
    void clear();
    /// True when the next query of the same kind can start from this front.
    bool warm() const;
    /// Number of node pairs held.
    std::size_t size() const;
    /// Memory held, in bytes.
    std::size_t bytes() const;

    struct Impl;

private:
    friend struct detail::Access;
    std::unique_ptr<Impl> impl_;
};

}  // namespace graze
