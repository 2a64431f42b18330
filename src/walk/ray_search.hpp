// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "exact/ray_exact.hpp"
#include "model/model_data.hpp"

namespace graze::detail {

/// One ray cast: what it looks for and what it has found. The walks pass it triangles that may be hit.
class RaySearch {
public:
    enum class Goal : std::uint8_t { Nearest, Any, All };
    struct Found {
        std::uint32_t triangle;
        HitTime time;
    };

    RaySearch(const Geometry& g, const Ray& r, Goal wanted) : goal(wanted), geometry(g), ray(r), limit(r.t_max()) {}

    /// Tests a triangle exactly. Returns Stop when the search is over.
    Step decide(std::uint32_t triangle);
    /// The order of hits: by t as a real number, then by triangle.
    bool before(const Found& a, const Found& b) const;

    const Goal goal;
    const Geometry& geometry;
    const ExactRay ray;
    double limit;            ///< hits certainly beyond this t do not matter; may only shrink
    bool hit = false;        ///< whether any triangle was hit
    Found nearest{};         ///< result of Goal::Nearest
    std::vector<Found> all;  ///< result of Goal::All
    QueryStats stats;
};

/// Passes all triangles of a model that the ray may hit to the search, roughly nearest first. Takes any tree.
void ray_search(const ModelData& model, RaySearch& search);

/// 2^exponent for |exponent| ≤ 1022.
inline double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// A direction times the power of two that brings its largest component into [1/2, 1).
struct ScaledDirection {
    Vec3 d;
    int exponent;  ///< the direction is d · 2^exponent, up to the rounding of components below 2^-1000

    explicit ScaledDirection(const Vec3& v) {
        const double largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
        if (largest >= 0x1p-1000) [[likely]] {
            // Reads the exponent's bits. The library's functions cost as much as opening a node.
            exponent = static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> 52) - 1022;
            d = v * power_of_two(-exponent);
            return;
        }
        exponent = std::ilogb(largest) + 1;
        for (int i = 0; i < 3; ++i) d[i] = std::ldexp(v[i], -exponent);
    }
};

}  // namespace graze::detail
