// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <limits>

#include "base/simd_targets.hpp"
#include "scene/broad_finder.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scene/broad_sweep.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "wide/wide_lanes-inl.hpp"

#ifndef GRAZE_BROAD_SWEEP_ONCE
#define GRAZE_BROAD_SWEEP_ONCE
namespace graze::detail {

/// Columns across the two axes that are not swept. Several columns may share a bucket. A pair is reported only in the
/// column that holds the lowest corner of the intersection of its boxes.
struct Columns {
    int axis[3];     ///< the swept one first
    float per[2];    ///< columns per unit of length; 0 means a single column
    float from = 0;  ///< the least finite low end along the swept axis
    int bits = 0;    ///< binary logarithm of the number of buckets

    /// Monotone in v. Truncation makes the column about 0 twice as wide, which does no harm. The arguments of min and
    /// max are in the order that turns a NaN into a bound, so the conversion is defined for every float.
    std::int32_t at(int k, float v) const {
        return per[k] == 0 ? 0 : static_cast<std::int32_t>(std::min(std::max(-0x1p30f, v * per[k]), 0x1p30f));
    }
    /// Columns 2^16 apart get equal names. The columns of one box have different ones, as it reaches over a few only.
    static std::uint32_t name(std::int32_t y, std::int32_t z) {
        return static_cast<std::uint32_t>(y) << 16 | (static_cast<std::uint32_t>(z) & 0xffff);
    }
    std::uint32_t bucket(std::uint32_t column) const {
        return bits == 0 ? 0 : (column * 0x9e3779b1u ^ (column >> 16) * 0x85ebca6bu) >> (32 - bits);
    }
    /// Monotone in v, below 2^22: as many bits as two passes sort. Boxes of one rank need no order, they are all
    /// tested.
    std::uint32_t rank(float v) const { return v > from ? std::bit_cast<std::uint32_t>(v - from) >> 9 : 0; }
};

/// Boxes sorted by bucket and rank. A box that reaches into several columns appears in each.
struct Swept {
    std::vector<float> low[3], high[3];  ///< along Columns::axis; padded by one vector at the end
    std::vector<std::int32_t> rank;      ///< rank of the low end
    std::vector<std::uint32_t> slot, column, begin;

    std::size_t bytes() const {
        std::size_t sum = bytes_of(rank) + bytes_of(slot) + bytes_of(column) + bytes_of(begin);
        for (int i = 0; i < 3; ++i) sum += bytes_of(low[i]) + bytes_of(high[i]);
        return sum;
    }
};

struct SweepTask {
    const Candidates& in;
    const Columns& columns;
    const Swept &a, &b;
    bool self;  ///< a is b
    std::size_t first, last;
    std::vector<SlotPair>& out;
};

}  // namespace graze::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace graze::detail::HWY_NAMESPACE {

/// Pointers to the arrays of a Swept, so that they stay in registers.
struct Rows {
    const float *low[3], *high[3];
    const std::int32_t* rank;
    explicit Rows(const Swept& s) : rank(s.rank.data()) {
        for (int k = 0; k < 3; ++k) {
            low[k] = s.low[k].data();
            high[k] = s.high[k].data();
        }
    }
};

/// Box i of one side overlaps the boxes j + l of the other side for each bit l of `lanes`.
struct Hit {
    std::uint32_t i, j, lanes;
};

/// Collects up to `room` hits before they are processed, so that processing does not hold up the scan.
struct Hits {
    static constexpr std::size_t room = 256;
    Hit list[room + 1];
    std::size_t count = 0;

    HWY_NOINLINE void flush(const SweepTask& t, const Swept& a, const Swept& b) {
        for (std::size_t h = 0; h < count; ++h)
            for (unsigned lanes = list[h].lanes; lanes != 0; lanes &= lanes - 1) {
                const std::uint32_t i = list[h].i, l = list[h].j + static_cast<std::uint32_t>(std::countr_zero(lanes));
                const std::uint32_t home = Columns::name(t.columns.at(0, std::max(a.low[1][i], b.low[1][l])),
                                                         t.columns.at(1, std::max(a.low[2][i], b.low[2][l])));
                const std::uint32_t first = a.slot[i], second = b.slot[l];
                if (a.column[i] != home || b.column[l] != home || first == second) continue;
                if (t.in.may_pair(first, second)) add_pair(t.out, first, second);
            }
        count = 0;
    }
};

/// Tests box i of `a` against the boxes of `b` from j to end, as far as they begin within box i.
template <class Full>
HWY_INLINE void scan(const Columns& columns, const Rows& a, std::uint32_t i, const Rows& b, std::uint32_t j,
                     std::uint32_t end, Hits& hits, Full&& full) {
    const auto reach = static_cast<std::int32_t>(columns.rank(a.high[0][i]));
    const V low0 = set(a.low[0][i]), high0 = set(a.high[0][i]), low1 = set(a.low[1][i]), high1 = set(a.high[1][i]),
            low2 = set(a.low[2][i]), high2 = set(a.high[2][i]);
    for (; j < end && b.rank[j] <= reach; j += static_cast<std::uint32_t>(GRAZE_LANES)) {
        const M meet0 = hn::And(hn::Le(hn::LoadU(d8, b.low[0] + j), high0), hn::Ge(hn::LoadU(d8, b.high[0] + j), low0));
        const M meet1 = hn::And(hn::Le(hn::LoadU(d8, b.low[1] + j), high1), hn::Ge(hn::LoadU(d8, b.high[1] + j), low1));
        const M meet2 = hn::And(hn::Le(hn::LoadU(d8, b.low[2] + j), high2), hn::Ge(hn::LoadU(d8, b.high[2] + j), low2));
        unsigned found = bits(hn::And(meet0, hn::And(meet1, meet2)));
        if (end - j < GRAZE_LANES) found &= (1u << (end - j)) - 1;
        hits.list[hits.count] = {i, j, found};
        hits.count += found != 0;
        if (hits.count == Hits::room) full();
    }
}

/// If two boxes overlap, the one of higher rank begins within the other.
void sweep(const SweepTask& t) {
    const Rows a(t.a), b(t.b);
    Hits hits, back;
    const auto full = [&] { hits.flush(t, t.a, t.b); };
    const auto back_full = [&] { back.flush(t, t.b, t.a); };
    for (std::size_t k = t.first; k < t.last; ++k) {
        std::uint32_t i = t.a.begin[k], j = t.b.begin[k];
        const std::uint32_t i_end = t.a.begin[k + 1], j_end = t.b.begin[k + 1];
        if (t.self)
            for (; i < i_end; ++i) scan(t.columns, a, i, a, i + 1, i_end, hits, full);
        while (i < i_end && j < j_end) {
            if (a.rank[i] <= b.rank[j])
                scan(t.columns, a, i, b, j, j_end, hits, full), ++i;
            else
                scan(t.columns, b, j, a, i, i_end, back, back_full), ++j;
        }
    }
    full();
    back_full();
}

}  // namespace graze::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::detail {
namespace {

HWY_EXPORT(sweep);

/// Sorts boxes along one axis at each call, in columns across the two others. Without columns, each box would be tested
/// against n^(2/3) others. Boxes larger than a column go into coarser levels; each level is tested against itself and
/// against all smaller boxes.
class Sweep final : public PairFinder {
public:
    bool find(const Candidates& in, unsigned threads, std::vector<SlotPair>& out) override {
        choose_columns(in);
        sort_into_levels(in);
        smaller_.clear();
        for (int level = 0; level < levels; ++level) {
            const std::vector<std::uint32_t>& here = members_[level];
            if (here.empty()) continue;
            if (level > 0 && here.size() <= few) {
                compare(in, here, out);
            } else {
                Columns columns = columns_;
                for (float& per : columns.per) per = level + 1 == levels ? 0 : per * std::exp2f(-3.0f * level);
                columns.bits = level + 1 == levels ? 0 : columns.bits;
                arrange(in, columns, here, larger_);
                run(in, columns, larger_, larger_, threads, out);
                if (!smaller_.empty()) {
                    arrange(in, columns, smaller_, lesser_);
                    run(in, columns, larger_, lesser_, threads, out);
                }
            }
            smaller_.insert(smaller_.end(), here.begin(), here.end());
        }
        return true;
    }

    bool grown() const override { return false; }

    std::size_t bytes() const override {
        std::size_t sum = larger_.bytes() + lesser_.bytes() + bytes_of(smaller_) + bytes_of(entries_) +
                          bytes_of(scratch_) + parts_.bytes();
        for (const auto& m : members_) sum += bytes_of(m);
        for (const auto& e : sample_) sum += bytes_of(e);
        return sum;
    }

private:
    static constexpr int levels = 5;  ///< columns are eight times as wide from level to level; the last level has one
    static constexpr std::size_t few =
        16;  ///< up to so many boxes of a level are simply compared with all smaller ones
    static constexpr float column_size = 6;  ///< width of a column, in medians of the boxes' edges

    struct Entry {
        std::uint32_t rank, bucket, slot, column;
    };

    /// Sweeps along the axis on which the centres spread most, relative to the edges of the boxes, by a sample.
    void choose_columns(const Candidates& in) {
        std::vector<float>* edges = sample_;
        double sum[3] = {}, squares[3] = {};
        for (int i = 0; i < 3; ++i) edges[i].clear();
        const std::size_t n = in.boxes.size(), step = n / 512 + 1;
        std::size_t finite = 0;
        for (std::size_t s = 0; s < n; s += step) {
            const WorldBox& b = in.boxes[s];
            if (!(in.state[s] & Candidates::present)) continue;
            float edge[3];
            for (int i = 0; i < 3; ++i) edge[i] = b.high[i] - b.low[i];
            if (!std::isfinite(edge[0] + edge[1] + edge[2])) continue;
            ++finite;
            for (int i = 0; i < 3; ++i) {
                const double centre = 0.5 * (double{b.low[i]} + double{b.high[i]});
                sum[i] += centre;
                squares[i] += centre * centre;
                edges[i].push_back(edge[i]);
            }
        }
        double spread[3] = {}, best = -1;
        float width[3];
        int swept = 0;
        for (int i = 0; i < 3; ++i) {
            float median = 0;
            if (finite != 0) {
                const auto middle = edges[i].begin() + static_cast<std::ptrdiff_t>(finite / 2);
                std::nth_element(edges[i].begin(), middle, edges[i].end());
                median = *middle;
                const double mean = sum[i] / static_cast<double>(finite);
                spread[i] = std::sqrt(std::max(0.0, squares[i] / static_cast<double>(finite) - mean * mean));
            }
            width[i] = std::max({column_size * median, static_cast<float>(spread[i] * 0x1p-10), 0x1p-100f});
            if (spread[i] / width[i] > best) {
                best = spread[i] / width[i];
                swept = i;
            }
        }
        for (int k = 0; k < 3; ++k) columns_.axis[k] = (swept + k) % 3;
        for (int k = 0; k < 2; ++k) columns_.per[k] = 1 / width[columns_.axis[k + 1]];
        columns_.bits = std::clamp(static_cast<int>(std::bit_width(in.count / 32)), 0, radix_bits);
        columns_.from = std::numeric_limits<float>::infinity();
        for (std::size_t s = 0; s < n; ++s) {
            const float low = in.boxes[s].low[swept];
            if ((in.state[s] & Candidates::present) && std::isfinite(low)) columns_.from = std::min(columns_.from, low);
        }
        if (!std::isfinite(columns_.from)) columns_.from = 0;
    }

    void sort_into_levels(const Candidates& in) {
        for (auto& m : members_) m.clear();
        for (std::size_t s = 0; s < in.boxes.size(); ++s) {
            if (!(in.state[s] & Candidates::present)) continue;
            float width = 0;  // in columns of the finest level
            for (int k = 0; k < 2; ++k) {
                const int i = columns_.axis[k + 1];
                width = std::max(width, (in.boxes[s].high[i] - in.boxes[s].low[i]) * columns_.per[k]);
            }
            int level = 0;
            while (level + 1 < levels && !(width <= 1)) {
                ++level;
                width *= 0.125f;
            }
            members_[level].push_back(static_cast<std::uint32_t>(s));
        }
    }

    void arrange(const Candidates& in, const Columns& columns, const std::vector<std::uint32_t>& slots, Swept& to) {
        entries_.clear();
        for (const std::uint32_t s : slots) {
            const WorldBox& b = in.boxes[s];
            const int y = columns.axis[1], z = columns.axis[2];
            const std::uint32_t rank = columns.rank(b.low[columns.axis[0]]);
            const std::int32_t y_end = columns.at(0, b.high[y]), z_begin = columns.at(1, b.low[z]),
                               z_end = columns.at(1, b.high[z]);
            for (std::int32_t i = columns.at(0, b.low[y]); i <= y_end; ++i)
                for (std::int32_t j = z_begin; j <= z_end; ++j) {
                    const std::uint32_t column = Columns::name(i, j);
                    entries_.push_back({rank, columns.bucket(column), s, column});
                }
        }
        radix_sort(entries_, scratch_, 22, [](const Entry& e) { return std::uint64_t{e.rank}; });
        radix_sort(entries_, scratch_, columns.bits, [](const Entry& e) { return std::uint64_t{e.bucket}; });

        const std::size_t n = entries_.size(), room = n + wide;
        for (int k = 0; k < 3; ++k) {
            to.low[k].resize(room);
            to.high[k].resize(room);
        }
        to.rank.resize(room);
        to.slot.resize(room);
        to.column.resize(room);
        to.begin.assign((std::size_t{1} << columns.bits) + 1, static_cast<std::uint32_t>(n));
        std::uint32_t bucket = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Entry& e = entries_[i];
            if (i + 8 < n) __builtin_prefetch(&in.boxes[entries_[i + 8].slot]);
            while (bucket <= e.bucket) to.begin[bucket++] = static_cast<std::uint32_t>(i);
            for (int k = 0; k < 3; ++k) {
                to.low[k][i] = in.boxes[e.slot].low[columns.axis[k]];
                to.high[k][i] = in.boxes[e.slot].high[columns.axis[k]];
            }
            to.rank[i] = static_cast<std::int32_t>(e.rank);
            to.slot[i] = e.slot;
            to.column[i] = e.column;
        }
    }

    void run(const Candidates& in, const Columns& columns, const Swept& a, const Swept& b, unsigned threads,
             std::vector<SlotPair>& out) {
        parts_.run(a.begin.size() - 1, 64, threads, out,
                   [&](std::size_t first, std::size_t last, std::vector<SlotPair>& to) {
                       HWY_DYNAMIC_DISPATCH(sweep)({in, columns, a, b, &a == &b, first, last, to});
                   });
    }

    void compare(const Candidates& in, const std::vector<std::uint32_t>& here, std::vector<SlotPair>& out) const {
        for (std::size_t i = 0; i < here.size(); ++i) {
            const auto with = [&](std::uint32_t other) {
                if (overlap(in.boxes[here[i]], in.boxes[other]) && in.may_pair(here[i], other))
                    add_pair(out, here[i], other);
            };
            for (std::size_t j = 0; j < i; ++j) with(here[j]);
            for (const std::uint32_t other : smaller_) with(other);
        }
    }

    Columns columns_{};
    std::vector<float> sample_[3];
    std::vector<std::uint32_t> members_[levels], smaller_;
    std::vector<Entry> entries_, scratch_;
    Swept larger_, lesser_;
    PairParts parts_;
};

}  // namespace

std::unique_ptr<PairFinder> make_sweep() { return std::make_unique<Sweep>(); }

}  // namespace graze::detail
#endif  // HWY_ONCE
