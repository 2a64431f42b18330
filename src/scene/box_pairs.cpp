// SPDX-License-Identifier: Apache-2.0
// The public broad phase: a scene's finder proposes pairs of boxes that were rounded outwards to floats, and doubles
// decide.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/float_environment.hpp"
#include "exact/dyadic.hpp"
#include "graze/broad_phase.hpp"
#include "scene/broad_finder.hpp"
#include "scene/world_box.hpp"

namespace graze {
namespace {

using detail::Candidates;
using detail::SlotPair;

/// Up to so many pairs are simply compared.
constexpr std::size_t few_pairs = 2048;

/// The sum of the squared gaps along the axes against the square of `length`, without rounding.
bool within_exactly(const Box& a, const Box& b, double length) {
    detail::Dyadic left = detail::Dyadic() - detail::Dyadic(length) * detail::Dyadic(length);
    for (int i = 0; i < 3; ++i) {
        const bool above = b.lo()[i] > a.hi()[i];
        if (!above && !(a.lo()[i] > b.hi()[i])) continue;
        const detail::Dyadic gap = above ? detail::Dyadic(b.lo()[i]) - detail::Dyadic(a.hi()[i])
                                         : detail::Dyadic(a.lo()[i]) - detail::Dyadic(b.hi()[i]);
        left = left + gap * gap;
    }
    return left.sign() <= 0;
}

bool is_overlap(const Box& a, const Box& b) {
    for (int i = 0; i < 3; ++i)
        if (a.hi()[i] < b.lo()[i] || b.hi()[i] < a.lo()[i]) return false;
    return !a.empty() && !b.empty();
}

/// `length` is finite and not negative. A gap is rounded once, its square once, and the two sums twice: that is less
/// than 2^-50 of the sum where nothing underflows or overflows.
bool is_within(const Box& a, const Box& b, double length) {
    if (a.empty() || b.empty()) return false;
    if (is_overlap(a, b)) return true;
    double squared = 0, most = 0;
    for (int i = 0; i < 3; ++i) {
        const double gap = std::max({0.0, b.lo()[i] - a.hi()[i], a.lo()[i] - b.hi()[i]});
        squared += gap * gap;
        most = std::max(most, gap);
    }
    if (most > length * (1 + 0x1p-50)) return false;
    if (most > 0x1p-400 && most < 0x1p400 && length < 0x1p400) {
        if (squared < length * length * (1 - 0x1p-48)) return true;
        if (squared > length * length * (1 + 0x1p-48)) return false;
    }
    return within_exactly(a, b, length);
}

/// The distance within which a broad phase reports pairs.
struct Reach {
    bool all = false, none = false;
    double length = 0;

    explicit Reach(double given)
        : all(!(given <= std::numeric_limits<double>::max())), none(given < 0), length(all || none ? 0 : given) {}

    bool meets(const Box& a, const Box& b) const {
        if (all) return !a.empty() && !b.empty();
        return length > 0 ? is_within(a, b, length) : is_overlap(a, b);
    }
};

void add(Candidates& to, std::span<const Box> boxes, double reach, std::uint8_t state) {
    for (const Box& box : boxes) {
        detail::WorldBox grown{};
        const bool present = !box.empty();
        for (int i = 0; i < 3 && present; ++i) {
            // The difference is rounded to double, which is far less than a step of floats. Adding zero turns -0 into
            // 0.
            grown.low[i] = detail::world_low(box.lo()[i] - reach) + 0.0f;
            grown.high[i] = detail::world_high(box.hi()[i] + reach) + 0.0f;
        }
        to.boxes.push_back(grown);
        to.state.push_back(present ? state : std::uint8_t{0});
        to.count += present;
    }
}

std::vector<SlotPair> candidates_of(const Candidates& in, unsigned threads) {
    std::vector<SlotPair> found;
    detail::make_sweep()->find(in, threads, found);
    return found;
}

std::vector<BoxPair> pairs_of(std::span<const Box> boxes, const Reach& reach, unsigned threads) {
    const detail::DefaultFloats floats;
    std::vector<BoxPair> out;
    if (reach.none) return out;
    const std::size_t n = boxes.size();
    const auto keep = [&](std::size_t a, std::size_t b) {
        if (reach.meets(boxes[a], boxes[b]))
            out.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
    };
    if (reach.all || n * n / 2 <= few_pairs) {
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = a + 1; b < n; ++b) keep(a, b);
        return out;
    }
    Candidates in;
    // Each of two boxes takes the whole length: half of it would have to be rounded twice.
    add(in, boxes, reach.length, Candidates::present | Candidates::moving);
    for (const SlotPair& p : candidates_of(in, threads)) keep(p.a, p.b);
    std::ranges::sort(out);
    return out;
}

std::vector<BoxPair> pairs_of(std::span<const Box> a, std::span<const Box> b, const Reach& reach, unsigned threads) {
    const detail::DefaultFloats floats;
    std::vector<BoxPair> out;
    if (reach.none) return out;
    const std::size_t n = a.size(), m = b.size();
    const auto keep = [&](std::size_t i, std::size_t k) {
        if (reach.meets(a[i], b[k])) out.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k)});
    };
    if (reach.all || std::min(n, m) <= 8 || n * m <= few_pairs) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < m; ++k) keep(i, k);
        return out;
    }
    Candidates in;
    add(in, a, reach.length, Candidates::present | Candidates::moving | Candidates::aloof);
    add(in, b, 0, Candidates::present);
    for (const SlotPair& p : candidates_of(in, threads)) keep(p.a, p.b - n);
    std::ranges::sort(out);
    return out;
}

}  // namespace

std::vector<BoxPair> overlapping_pairs(std::span<const Box> boxes, const BroadPhaseSettings& settings) {
    return pairs_of(boxes, Reach(0), settings.threads);
}
std::vector<BoxPair> overlapping_pairs(std::span<const Box> a, std::span<const Box> b,
                                       const BroadPhaseSettings& settings) {
    return pairs_of(a, b, Reach(0), settings.threads);
}
std::vector<BoxPair> pairs_within(std::span<const Box> boxes, double length, const BroadPhaseSettings& settings) {
    return pairs_of(boxes, Reach(length), settings.threads);
}
std::vector<BoxPair> pairs_within(std::span<const Box> a, std::span<const Box> b, double length,
                                  const BroadPhaseSettings& settings) {
    return pairs_of(a, b, Reach(length), settings.threads);
}

bool overlap(const Box& a, const Box& b) { return is_overlap(a, b); }
bool within(const Box& a, const Box& b, double length) {
    const detail::DefaultFloats floats;
    const Reach reach(length);
    return !reach.none && reach.meets(a, b);
}

}  // namespace graze
