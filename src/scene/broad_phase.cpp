// SPDX-License-Identifier: Apache-2.0
#include "scene/broad_phase.hpp"

#include <bit>
#include <cmath>

#include "scene/broad_finder.hpp"

namespace graze::detail {
namespace {

/// The common part of all kinds of broad phase. The finder sees boxes that are grown a little, so a box that moves by
/// small steps changes only now and then. The pairs of grown boxes are kept in order; each update returns those of them
/// whose true boxes overlap.
class KeptPairs final : public BroadPhase {
public:
    explicit KeptPairs(std::unique_ptr<PairFinder> finder) : finder_(std::move(finder)) {}

    void set(std::uint32_t slot, const WorldBox& given, bool moving) override {
        if (slot >= slots_.size()) {
            slots_.resize(slot + 1);
            homes_.resize(slot + 1);
            grown_.boxes.resize(slot + 1);
            grown_.state.resize(slot + 1);
        }
        Slot& s = slots_[slot];
        const WorldBox& grown = grown_.boxes[slot];
        std::uint8_t& state = grown_.state[slot];
        const std::uint8_t flags = moving ? Candidates::present | Candidates::moving : Candidates::present;
        WorldBox box;
        bool same = true, inside = true;
        float size = 0;
        for (int i = 0; i < 3; ++i) {
            box.low[i] = given.low[i] + 0.0f;  // turns -0 into 0, as finders order floats by their bits
            box.high[i] = given.high[i] + 0.0f;
            same &= (box.low[i] == s.box.low[i]) & (box.high[i] == s.box.high[i]);
            inside &= (box.low[i] >= grown.low[i]) & (box.high[i] <= grown.high[i]);
            size += box.high[i] - box.low[i];
        }
        const bool flagged = (state & ~Candidates::changed) != flags;
        if (same && !flagged) return;
        stale_ = true;
        s.box = box;
        if (!(state & Candidates::present)) {
            ++grown_.count;
            s.since = 0;
        }
        // A box that shrinks must not keep the pairs of the large one.
        if (flagged | !inside | (size < s.small)) change(slot);
        state = (state & Candidates::changed) | flags;
    }

    void remove(std::uint32_t slot) override {
        std::uint8_t& state = grown_.state[slot];
        if (!(state & Candidates::present)) return;
        stale_ = true;
        --grown_.count;
        change(slot);
        state = Candidates::changed;
    }

    const std::vector<SlotPair>& update(unsigned threads) override {
        if (!stale_) return pairs_;
        stale_ = false;
        ++tick_;
        if (!grown_.changes.empty()) {
            std::size_t calm = 0;
            for (const std::uint32_t slot : grown_.changes)
                calm += !(grown_.state[slot] & Candidates::present) || grow(slot);
            // If most boxes change and few of them stay within their growth, growing would only add pairs.
            growing_ =
                finder_->grown() && (4 * grown_.changes.size() < grown_.count || 4 * calm >= 3 * grown_.changes.size());
            found_.clear();
            const bool all = finder_->find(grown_, threads, found_);
            sort_found();
            if (all)
                kept_.swap(found_);
            else
                merge();
            for (const std::uint32_t slot : grown_.changes) grown_.state[slot] &= ~Candidates::changed;
            grown_.changes.clear();
        }
        answer(threads);
        return pairs_;
    }

    std::size_t bytes() const override {
        return finder_->bytes() + bytes_of(slots_) + bytes_of(homes_) + bytes_of(grown_.boxes) +
               bytes_of(grown_.state) + bytes_of(grown_.changes) + bytes_of(kept_) + bytes_of(found_) +
               bytes_of(scratch_) + bytes_of(pairs_) + bytes_of(part_ends_);
    }

private:
    struct alignas(32) Slot {
        WorldBox box{};
        float small = 0;          ///< half the sum of the box's edges when it was grown last
        std::uint32_t since = 0;  ///< the update in which it was grown last; 0 means never
    };
    struct Point {
        float at[3];
    };

    void change(std::uint32_t slot) {
        if (grown_.state[slot] & Candidates::changed) return;
        grown_.state[slot] |= Candidates::changed;
        grown_.changes.push_back(slot);
    }

    /// Grows a box by a share of its size, and ahead along its motion. Returns whether the growth will last for some
    /// updates; a box for which it will not (it is static, or moves by much of its size) is not grown.
    bool grow(std::uint32_t slot) {
        Slot& s = slots_[slot];
        WorldBox& out = grown_.boxes[slot] = s.box;
        float edges[3], ahead[3] = {}, centre[3];
        for (int i = 0; i < 3; ++i) {
            edges[i] = s.box.high[i] - s.box.low[i];
            centre[i] = 0.5f * s.box.low[i] + 0.5f * s.box.high[i];
        }
        const float size = std::max({edges[0], edges[1], edges[2]});
        bool calm = std::isfinite(size) && (grown_.state[slot] & Candidates::moving);
        if (s.since != 0)
            for (int i = 0; i < 3; ++i) {
                ahead[i] = (centre[i] - homes_[slot].at[i]) / static_cast<float>(tick_ - s.since);
                calm &= std::abs(ahead[i]) <= calm_step * size;
            }
        if (calm && growing_)
            for (int i = 0; i < 3; ++i) {
                out.low[i] -= margin * size + std::max(0.0f, -horizon * ahead[i]);
                out.high[i] += margin * size + std::max(0.0f, horizon * ahead[i]);
            }
        std::copy(centre, centre + 3, homes_[slot].at);
        s.small = 0.5f * (edges[0] + edges[1] + edges[2]);
        s.since = tick_;
        return calm;
    }

    void sort_found() {
        const auto less = [](const SlotPair& a, const SlotPair& b) { return a < b; };
        if (found_.size() < 64) {
            std::sort(found_.begin(), found_.end(), less);
            return;
        }
        const int bits = std::bit_width(slots_.size() - 1);
        radix_sort(found_, scratch_, bits, [](const SlotPair& p) { return std::uint64_t{p.b}; });
        radix_sort(found_, scratch_, bits, [](const SlotPair& p) { return std::uint64_t{p.a}; });
    }

    /// Merges the found pairs into the kept ones, and drops kept pairs that no longer overlap.
    void merge() {
        scratch_.clear();
        const auto put = [&](const SlotPair& p) {
            if (scratch_.empty() || scratch_.back() != p) scratch_.push_back(p);
        };
        auto next = found_.begin();
        for (const SlotPair& p : kept_) {
            if ((grown_.state[p.a] | grown_.state[p.b]) & Candidates::changed)
                if (!grown_.may_pair(p.a, p.b) || !overlap(grown_.boxes[p.a], grown_.boxes[p.b])) continue;
            while (next != found_.end() && *next < p) put(*next++);
            put(p);
        }
        while (next != found_.end()) put(*next++);
        kept_.swap(scratch_);
    }

    /// Each part writes its pairs from where the part begins. Then the parts are moved together.
    void answer(unsigned threads) {
        constexpr std::size_t part = 1 << 14;
        const std::size_t parts = (kept_.size() + part - 1) / part;
        pairs_.resize(kept_.size());
        part_ends_.resize(parts);
        parallel_for(parts, threads, [&](std::size_t k) {
            const std::size_t end = std::min(kept_.size(), (k + 1) * part);
            std::size_t to = k * part;
            for (std::size_t i = k * part; i < end; ++i) {
                const SlotPair p = kept_[i];
                if (i + 8 < end) __builtin_prefetch(&slots_[kept_[i + 8].b]);
                pairs_[to] = p;
                to += overlap(slots_[p.a].box, slots_[p.b].box);
            }
            part_ends_[k] = to;
        });
        std::size_t to = 0;
        for (std::size_t k = 0; k < parts; ++k) {
            const auto first = pairs_.begin() + static_cast<std::ptrdiff_t>(k * part);
            const auto last = pairs_.begin() + static_cast<std::ptrdiff_t>(part_ends_[k]);
            if (to != k * part) std::copy(first, last, pairs_.begin() + static_cast<std::ptrdiff_t>(to));
            to += static_cast<std::size_t>(last - first);
        }
        pairs_.resize(to);
    }

    static constexpr float margin = 0.1f;      ///< growth on each side, in sizes of the box
    static constexpr float calm_step = 0.06f;  ///< the largest step per update for which growing pays, in sizes
    static constexpr float horizon = 10;       ///< number of updates that the growth ahead is meant to last for

    std::unique_ptr<PairFinder> finder_;
    Candidates grown_;
    std::vector<Slot> slots_;
    std::vector<Point> homes_;  ///< centres of the boxes when they were grown last
    std::vector<SlotPair> kept_, found_, scratch_, pairs_;
    std::vector<std::size_t> part_ends_;
    std::uint32_t tick_ = 0;
    bool stale_ = false, growing_ = finder_->grown();
};

}  // namespace

std::unique_ptr<BroadPhase> make_broad_phase(BroadPhaseKind kind) {
    std::unique_ptr<PairFinder> finder;
    switch (kind) {
        case BroadPhaseKind::SweepAndPrune:
            finder = make_lists();
            break;
        case BroadPhaseKind::Sweep:
            finder = make_sweep();
            break;
        case BroadPhaseKind::Tree:
            finder = make_tree(nullptr);
            break;
        case BroadPhaseKind::Auto:
            finder = make_tree(make_sweep());
            break;
    }
    return std::make_unique<KeptPairs>(std::move(finder));
}

}  // namespace graze::detail
