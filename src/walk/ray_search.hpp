// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "soup/geometry.hpp"
#include "exact/ray_exact.hpp"

namespace graze::detail {

/// One ray cast: what it looks for, and what it has found. The walks bring triangles that may be hit.
class RaySearch {
public:
    enum class Goal : std::uint8_t { Nearest, Any, All };
    struct Found {
        std::uint32_t triangle;
        HitTime time;
    };

    RaySearch(const Geometry& g, const Ray& r, Goal wanted) : goal(wanted), geometry(g), ray(r), limit(r.t_max) {}

    /// Tests a triangle exactly. Stop when the search is over.
    Step decide(std::uint32_t triangle);
    /// The order of hits: by t as a real number, then by triangle.
    bool before(const Found& a, const Found& b) const;

    const Goal goal;
    const Geometry& geometry;
    const ExactRay ray;
    double limit;            ///< hits certainly beyond this t do not matter; may only shrink
    bool hit = false;        ///< anything
    Found nearest{};         ///< of Goal::Nearest
    std::vector<Found> all;  ///< of Goal::All
    QueryStats stats;
};

/// References with the distance at which the ray enters them, nearest on top. The first entries live on the
/// machine's stack: a walk allocates only in trees of more than a hundred levels or so.
template <class Real>
class RayStack {
public:
    struct Entry {
        Real near;
        std::uint32_t node;
    };

    bool empty() const { return size_ == 0 && more_.empty(); }
    void push(const Entry& e) {
        if (size_ < room && more_.empty())
            own_[size_++] = e;
        else
            more_.push_back(e);
    }
    Entry pop() {
        if (more_.empty()) return own_[--size_];
        const Entry e = more_.back();
        more_.pop_back();
        return e;
    }
    /// Pushes n > 0 of them, the nearest but for one on top, and returns that one.
    Entry push_all_but_nearest(Entry* entries, unsigned n) {
        if (n == 1) return entries[0];
        if (n == 2) {
            const bool second = entries[1].near < entries[0].near;
            push(entries[!second]);
            return entries[second];
        }
        for (unsigned i = 1; i < n; ++i)
            for (unsigned k = i; k > 0 && entries[k - 1].near < entries[k].near; --k)
                std::swap(entries[k - 1], entries[k]);
        for (unsigned i = 0; i + 1 < n; ++i) push(entries[i]);
        return entries[n - 1];
    }

private:
    static constexpr unsigned room = 768;
    Entry own_[room];
    unsigned size_ = 0;
    std::vector<Entry> more_;
};

/// For |exponent| ≤ 1022.
inline double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The direction times the power of two that brings its largest component into [1/2, 1).
struct ScaledDirection {
    Vec3 d;
    int exponent;  ///< the direction is d · 2^exponent, but for the rounding of components below 2^-1000

    explicit ScaledDirection(const Vec3& v) {
        const double largest = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
        if (largest >= 0x1p-1000) [[likely]] {
            // By its bits: the library's functions cost as much as opening a node.
            exponent = static_cast<int>(std::bit_cast<std::uint64_t>(largest) >> 52) - 1022;
            d = v * power_of_two(-exponent);
            return;
        }
        exponent = std::ilogb(largest) + 1;
        for (int i = 0; i < 3; ++i) d[i] = std::ldexp(v[i], -exponent);
    }
};

}  // namespace graze::detail
