// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdlib>

#include "scene/broad_finder.hpp"

namespace graze::detail {
namespace {

/// An end point as one sortable number. The high 32 bits are the coordinate, mapped to an integer of the same order.
/// The next bit says whether it is a high end: at equal coordinates high ends come after low ones, since boxes that
/// touch overlap. The slot takes the rest.
using End = std::uint64_t;

End end_of(float v, unsigned high, std::uint32_t slot) {
    const auto bits = std::bit_cast<std::uint32_t>(v);
    return std::uint64_t{bits & 0x80000000u ? ~bits : bits | 0x80000000u} << 32 | high << 31 | slot;
}
std::uint32_t slot_of(End e) { return e & 0x7fffffffu; }
unsigned is_high(End e) { return e >> 31 & 1; }
std::uint32_t index_of(End e) { return 2 * slot_of(e) + is_high(e); }

/// The sweep and prune of I-COLLIDE (Cohen et al. 1995, section 3): the ends of all boxes, sorted along each axis and
/// kept so by exchanging neighbours. Two boxes begin to overlap along an axis when a low end moves before a high one;
/// most such boxes overlap along no other axis. Boxes that are added, removed or moved far are taken out of the lists
/// and merged in again, all at once. A walk along one list finds their pairs. Exchanges alone would take quadratic
/// time.
class Lists final : public PairFinder {
public:
    bool find(const Candidates& in, unsigned threads, std::vector<SlotPair>& out) override {
        const std::size_t n = in.boxes.size();
        role_.resize(n);
        for (int k = 0; k < 3; ++k) places_[k].resize(2 * n);
        near_.clear();
        far_.clear();
        std::size_t strangers = 0;
        for (const std::uint32_t slot : in.changes) {
            const bool present = in.state[slot] & Candidates::present;
            if (!present && !(role_[slot] & listed)) continue;
            // A box that was static and begins to move has pairs that no exchange will show.
            const bool begins = (in.state[slot] & Candidates::moving) && !(role_[slot] & moving);
            const bool stays = present && (role_[slot] & listed) && !begins;
            if (stays) role_[slot] = role_of(in, slot);
            strangers += !stays;
            (stays && is_near(in, slot) ? near_ : far_).push_back(slot);
        }
        if (strangers == 0 && far_.size() <= 2) {  // merging goes through all lists, which so few do not pay
            near_.insert(near_.end(), far_.begin(), far_.end());
            far_.clear();
        }
        choose_axis(in);
        // A sort and a sweep cost about as much as 100 exchanges per box, or as a walk that looks at 16 others per box.
        const auto count = static_cast<double>(in.count);
        if (static_cast<double>(far_.size()) * crowd_ > 16 * count || exchanges(in) > 100 * count) {
            sort_all(in);
            return sweep_->find(in, threads, out);
        }
        for (const std::uint32_t slot : near_)
            for (int k = 0; k < 3; ++k) {
                exchange(in, k, end_of(in.boxes[slot].low[k], 0, slot), out);
                exchange(in, k, end_of(in.boxes[slot].high[k], 1, slot), out);
            }
        if (!far_.empty()) {
            for (const std::uint32_t slot : far_) role_[slot] |= taken;
            for (int k = 0; k < 3; ++k) merge_far(in, k);
            walk(in, out);
            for (const std::uint32_t slot : far_) role_[slot] = role_of(in, slot);
        }
        return false;
    }

    std::size_t bytes() const override {
        std::size_t sum = sweep_->bytes() + bytes_of(role_) + bytes_of(near_) + bytes_of(far_) + bytes_of(scratch_) +
                          bytes_of(added_) + bytes_of(open_) + bytes_of(open_far_) + bytes_of(open_at_);
        for (int k = 0; k < 3; ++k) sum += bytes_of(lists_[k]) + bytes_of(places_[k]);
        return sum;
    }

private:
    static constexpr std::uint8_t listed = 1, moving = 2, taken = 4;

    static std::uint8_t role_of(const Candidates& in, std::uint32_t slot) {
        return in.state[slot] & Candidates::present ? (in.state[slot] & Candidates::moving ? listed | moving : listed)
                                                    : 0;
    }

    /// Whether each end takes few exchanges to its place. The limit grows with the lists, as merging passes over them.
    bool is_near(const Candidates& in, std::uint32_t slot) const {
        const std::size_t near_ends = lists_[0].size() / 64 + 64;
        for (int k = 0; k < 3; ++k)
            for (unsigned high = 0; high < 2; ++high) {
                const WorldBox& b = in.boxes[slot];
                const End e = end_of(high ? b.high[k] : b.low[k], high, slot);
                const std::size_t at = places_[k][index_of(e)];
                if (at >= near_ends && lists_[k][at - near_ends] > e) return false;
                if (at + near_ends < lists_[k].size() && lists_[k][at + near_ends] < e) return false;
            }
        return true;
    }

    /// Chooses the axis along which a box holds the fewest ends of other boxes, by a sample.
    void choose_axis(const Candidates& in) {
        std::size_t sum[3] = {}, sampled = 0;
        for (std::size_t s = 0; s < role_.size(); s += role_.size() / 256 + 1) {
            if (!(role_[s] & listed)) continue;
            ++sampled;
            for (int k = 0; k < 3; ++k) sum[k] += places_[k][2 * s + 1] - places_[k][2 * s];
        }
        axis_ = static_cast<int>(std::min_element(sum, sum + 3) - sum);
        crowd_ = sampled != 0 ? static_cast<double>(sum[axis_]) / static_cast<double>(sampled)
                              : static_cast<double>(in.count);
    }

    /// Estimates the number of exchanges, by a sample.
    double exchanges(const Candidates& in) const {
        const std::size_t step = near_.size() / 64 + 1;
        std::size_t sum = 0;
        for (std::size_t i = 0; i < near_.size(); i += step)
            for (int k = 0; k < 3; ++k) {
                const End e = end_of(in.boxes[near_[i]].low[k], 0, near_[i]);
                const auto to = std::lower_bound(lists_[k].begin(), lists_[k].end(), e) - lists_[k].begin();
                const auto from = static_cast<std::ptrdiff_t>(places_[k][index_of(e)]);
                sum += 2 * static_cast<std::size_t>(std::abs(to - from));
            }
        return static_cast<double>(sum * step);
    }

    void begin(const Candidates& in, std::uint32_t a, std::uint32_t b, std::vector<SlotPair>& out) const {
        if (overlap(in.boxes[a], in.boxes[b]) && a != b && in.may_pair(a, b)) add_pair(out, a, b);
    }

    void exchange(const Candidates& in, int k, End e, std::vector<SlotPair>& out) {
        std::vector<End>& list = lists_[k];
        std::uint32_t* places = places_[k].data();
        std::uint32_t at = places[index_of(e)];
        const auto last = static_cast<std::uint32_t>(list.size() - 1);
        const auto pass = [&](End other, unsigned begins) {
            list[at] = other;
            places[index_of(other)] = at;
            if (is_high(e) == begins && is_high(other) != begins) begin(in, slot_of(e), slot_of(other), out);
        };
        for (; at > 0 && list[at - 1] > e; --at) pass(list[at - 1], 0);
        for (; at < last && list[at + 1] < e; ++at) pass(list[at + 1], 1);
        list[at] = e;
        places[index_of(e)] = at;
    }

    void number(int k) {
        const std::vector<End>& list = lists_[k];
        for (std::size_t i = 0; i < list.size(); ++i) places_[k][index_of(list[i])] = static_cast<std::uint32_t>(i);
    }

    void merge_far(const Candidates& in, int k) {
        added_.clear();
        for (const std::uint32_t slot : far_)
            if (in.state[slot] & Candidates::present) {
                added_.push_back(end_of(in.boxes[slot].low[k], 0, slot));
                added_.push_back(end_of(in.boxes[slot].high[k], 1, slot));
            }
        std::sort(added_.begin(), added_.end());
        scratch_.clear();
        auto next = added_.begin();
        for (const End e : lists_[k]) {
            if (role_[slot_of(e)] & taken) continue;
            while (next != added_.end() && *next < e) scratch_.push_back(*next++);
            scratch_.push_back(e);
        }
        scratch_.insert(scratch_.end(), next, added_.end());
        lists_[k].swap(scratch_);
        number(k);
    }

    /// Finds the pairs of far boxes. The walk is inside the boxes that are open.
    void walk(const Candidates& in, std::vector<SlotPair>& out) {
        open_at_.resize(role_.size());
        open_.clear();
        open_far_.clear();
        for (const End e : lists_[axis_]) {
            const std::uint32_t slot = slot_of(e);
            const bool far = role_[slot] & taken;
            std::vector<std::uint32_t>& open = far ? open_far_ : open_;
            if (is_high(e)) {
                open[open_at_[slot]] = open.back();
                open_at_[open.back()] = open_at_[slot];
                open.pop_back();
                continue;
            }
            for (const std::uint32_t other : open_far_) begin(in, slot, other, out);
            if (far)
                for (const std::uint32_t other : open_) begin(in, slot, other, out);
            open_at_[slot] = static_cast<std::uint32_t>(open.size());
            open.push_back(slot);
        }
    }

    void sort_all(const Candidates& in) {
        for (int k = 0; k < 3; ++k) {
            std::vector<End>& list = lists_[k];
            list.clear();
            for (unsigned high = 0; high < 2; ++high)
                for (std::uint32_t s = 0; s < in.boxes.size(); ++s)
                    if (in.state[s] & Candidates::present)
                        list.push_back(end_of(high ? in.boxes[s].high[k] : in.boxes[s].low[k], high, s));
            radix_sort(list, scratch_, 32, [](End e) { return e >> 32; });
            number(k);
        }
        for (std::uint32_t s = 0; s < role_.size(); ++s) role_[s] = role_of(in, s);
    }

    std::vector<End> lists_[3], scratch_, added_;
    std::vector<std::uint32_t> places_[3];  ///< where each end is in its list, by index_of
    std::vector<std::uint8_t> role_;
    std::vector<std::uint32_t> near_, far_, open_, open_far_, open_at_;
    int axis_ = 0;
    double crowd_ = 0;  ///< mean number of ends of other boxes within a box along axis_
    std::unique_ptr<PairFinder> sweep_ = make_sweep();
};

}  // namespace

std::unique_ptr<PairFinder> make_lists() { return std::make_unique<Lists>(); }

}  // namespace graze::detail
