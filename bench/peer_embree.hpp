// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "bench/mesh_peer.hpp"

namespace graze::bench {

/// A half-line in single precision.
struct FloatRay {
    std::array<float, 3> origin, direction;
};

/// Bytes that Embree holds for these classes now. It does not take all its memory from malloc.
std::size_t embree_bytes();

/// Rays against one mesh, one at a time, with Embree's watertight test ("robust").
class EmbreeRays {
public:
    static constexpr std::uint32_t none = 0xffffffff;

    explicit EmbreeRays(const scenes::Soup& soup);
    ~EmbreeRays();

    /// The nearest triangle.
    std::uint32_t nearest(const FloatRay& ray) const;
    bool any(const FloatRay& ray) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace graze::bench
