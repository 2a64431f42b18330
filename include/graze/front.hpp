// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "graze/query.hpp"

namespace graze {

namespace study {
struct FrontSettings;
}

/// How a front is kept.
struct FrontSettings {
    std::size_t max_bytes = std::size_t{64} << 20;  ///< a front that would grow larger is dropped
    /// Thresholds for studies (graze/study.hpp), in place of the measured ones. Null otherwise; read by the
    /// constructor only.
    const study::FrontSettings* study = nullptr;
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

    /// Forgets everything.
    void clear();
    /// True when the next query can start from this front.
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
