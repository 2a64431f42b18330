// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "scene/broad_phase.hpp"

namespace graze::detail {

inline bool overlap(const WorldBox& a, const WorldBox& b) {
    bool apart = false;
    for (int i = 0; i < 3; ++i) apart |= (a.high[i] < b.low[i]) | (b.high[i] < a.low[i]);
    return !apart;
}

/// The boxes that a finder works on, by slot. No bound is NaN.
struct Candidates {
    static constexpr std::uint8_t present = 1, moving = 2, changed = 4;
    static constexpr std::uint8_t aloof = 8;  ///< two boxes with this flag are no pair

    std::vector<WorldBox> boxes;
    std::vector<std::uint8_t> state;
    std::vector<std::uint32_t> changes;  ///< slots added, moved or removed since the last `find`, each once
    std::size_t count = 0;               ///< number of slots that are present

    bool may_pair(std::uint32_t a, std::uint32_t b) const {
        const std::uint8_t both = state[a] & state[b];
        return (both & (present | aloof)) == present && ((state[a] | state[b]) & moving);
    }
};

/// Finds pairs of boxes that overlap and of which at least one moves.
class PairFinder {
public:
    virtual ~PairFinder() = default;
    /// Appends pairs with a < b, in any order. Returns true if these are all pairs, each once; false if they are at
    /// least the pairs that did not overlap at the last `find`, some of them perhaps more than once.
    virtual bool find(const Candidates&, unsigned threads, std::vector<SlotPair>& out) = 0;
    /// Whether it pays to show the finder grown boxes, which change more seldom.
    virtual bool grown() const { return true; }
    virtual std::size_t bytes() const = 0;
};

std::unique_ptr<PairFinder> make_lists();
std::unique_ptr<PairFinder> make_sweep();
/// Uses `sweep`, unless it is null, for updates in which most boxes change.
std::unique_ptr<PairFinder> make_tree(std::unique_ptr<PairFinder> sweep);

inline void add_pair(std::vector<SlotPair>& out, std::uint32_t a, std::uint32_t b) {
    out.push_back({std::min(a, b), std::max(a, b)});
}

template <class T>
std::size_t bytes_of(const std::vector<T>& v) {
    return v.capacity() * sizeof(T);
}

/// Runs a search for pairs in parts, on several threads, and joins the results in order.
class PairParts {
public:
    /// Calls f(begin, end, out) for the parts of [0, n), and appends what they find.
    template <class F>
    void run(std::size_t n, std::size_t part, unsigned threads, std::vector<SlotPair>& out, F&& f) {
        if (threads == 1 || n <= part) {
            f(std::size_t{0}, n, out);
            return;
        }
        const std::size_t count = (n + part - 1) / part;
        if (parts_.size() < count) parts_.resize(count);
        parallel_for(count, threads, [&](std::size_t i) {
            parts_[i].clear();
            f(i * part, std::min(n, (i + 1) * part), parts_[i]);
        });
        for (std::size_t i = 0; i < count; ++i) out.insert(out.end(), parts_[i].begin(), parts_[i].end());
    }
    std::size_t bytes() const {
        std::size_t sum = bytes_of(parts_);
        for (const auto& p : parts_) sum += bytes_of(p);
        return sum;
    }

private:
    std::vector<std::vector<SlotPair>> parts_;
};

inline constexpr int radix_bits = 11;

/// One pass of a radix sort: moves `from` to `to`, ordered by digit(x) < 2^radix_bits. The pass is stable.
template <class T, class Digit>
void radix_pass(const std::vector<T>& from, std::vector<T>& to, Digit&& digit) {
    std::array<std::uint32_t, std::size_t{1} << radix_bits> at{};
    for (const T& x : from) ++at[digit(x)];
    std::uint32_t sum = 0;
    for (std::uint32_t& n : at) {
        const std::uint32_t here = n;
        n = sum;
        sum += here;
    }
    to.resize(from.size());
    for (const T& x : from) to[at[digit(x)]++] = x;
}

/// Sorts by key(x) < 2^bits.
template <class T, class Key>
void radix_sort(std::vector<T>& v, std::vector<T>& scratch, int bits, Key&& key) {
    const int passes = (bits + radix_bits - 1) / radix_bits, width = passes ? (bits + passes - 1) / passes : 0;
    for (int shift = 0; shift < passes * width; shift += width) {
        const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
        radix_pass(v, scratch, [&](const T& x) { return (key(x) >> shift) & mask; });
        v.swap(scratch);
    }
}

}  // namespace graze::detail
