// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/math.hpp"

namespace graze::files {

/// Numbers points so that those with equal bits share a number, in the order of their first use.
class Welder {
public:
    /// Largest number of points that `weld` takes at once.
    static constexpr std::size_t batch = 48;

    explicit Welder(std::size_t expected) {
        slots_.assign(std::bit_ceil(expected * 2 + 16), none);
        points.reserve(expected);
    }

    /// Appends the numbers of these points.
    void weld(std::span<const Vec3> some, std::vector<std::uint32_t>& numbers) {
        while ((points.size() + some.size()) * 2 >= slots_.size()) grow();
        // The slots and their points are scattered in memory, so all are prefetched before the first is used.
        std::array<std::uint64_t, batch> hash;
        std::array<std::size_t, batch> slot;
        for (std::size_t i = 0; i < some.size(); ++i) {
            hash[i] = hash_of(some[i]);
            __builtin_prefetch(&slots_[hash[i] & (slots_.size() - 1)]);
        }
        for (std::size_t i = 0; i < some.size(); ++i) {
            slot[i] = likely(hash[i], hash[i] & (slots_.size() - 1));
            if (slots_[slot[i]] != none) __builtin_prefetch(&points[static_cast<std::uint32_t>(slots_[slot[i]])]);
        }
        for (std::size_t i = 0; i < some.size(); ++i) {
            std::uint64_t& found = find(some[i], hash[i], slot[i]);
            if (found == none) {
                found = (hash[i] & tag_bits) | points.size();
                points.push_back(some[i]);
            }
            numbers.push_back(static_cast<std::uint32_t>(found));
        }
    }

    std::vector<Vec3> points;

private:
    // A slot has a point's number and the upper half of its hash, which rules out nearly all other points.
    static constexpr std::uint64_t none = ~std::uint64_t{0}, tag_bits = ~std::uint64_t{0} << 32;
    using Bits = std::array<std::uint64_t, 3>;

    static std::uint64_t hash_of(const Vec3& p) {
        const Bits bits = std::bit_cast<Bits>(p);
        std::uint64_t h = bits[0] * 0x9e3779b97f4a7c15u;
        h = (std::rotl(h, 29) ^ bits[1]) * 0xbf58476d1ce4e5b9u;
        h = (std::rotl(h, 29) ^ bits[2]) * 0x94d049bb133111ebu;
        return h ^ h >> 32;
    }

    /// The first slot from i on that is free or has this hash.
    std::size_t likely(std::uint64_t hash, std::size_t i) const {
        while (slots_[i] != none && ((slots_[i] ^ hash) & tag_bits) != 0) i = (i + 1) & (slots_.size() - 1);
        return i;
    }

    /// The point's slot, or the free one where it belongs.
    std::uint64_t& find(const Vec3& p, std::uint64_t hash, std::size_t i) {
        for (;; i = (i + 1) & (slots_.size() - 1)) {
            i = likely(hash, i);
            if (slots_[i] == none ||
                std::bit_cast<Bits>(points[static_cast<std::uint32_t>(slots_[i])]) == std::bit_cast<Bits>(p))
                return slots_[i];
        }
    }

    void grow() {
        slots_.assign(slots_.size() * 2, none);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const std::uint64_t hash = hash_of(points[i]);
            find(points[i], hash, hash & (slots_.size() - 1)) = (hash & tag_bits) | i;
        }
    }

    std::vector<std::uint64_t> slots_;  // their number is a power of two; at most half are in use
};

}  // namespace graze::files
