// SPDX-License-Identifier: Apache-2.0
#include "graze/batch.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "base/batch_loop.hpp"
#include "base/first_fault.hpp"
#include "base/float_environment.hpp"
#include "graze/distance.hpp"
#include "query/margin.hpp"

namespace graze {

namespace {

/// The working memory of one thread. Lanes outlive the pieces of a batch, so they stay warm.
struct Lane {
    /// The contacts of consecutive placements.
    struct Run {
        std::size_t first = 0, begin = 0;  ///< index of the first placement, and where its contacts begin
    };
    Scratch scratch;
    QueryStats stats;
    TrianglePair witness;
    unsigned tries = 1, waited = 0;  ///< tries of the witness, and placements without a try
    std::vector<Contact> contacts;
    std::vector<Run> runs;
    std::size_t next = 0;  ///< the placement that continues the last run

    /// Calls `f(contact)` for each pair of triangles within the margin, at most `max_contacts` of them.
    template <class F>
    void for_each_contact(const Model& a, const Model& b, const Affine& a_from_b, double margin,
                          const ContactBatchSettings& batch, F&& f) {
        std::size_t left = batch.max_contacts;
        const auto take = [&](const Contact& contact) {
            f(contact);
            return --left == 0 ? Step::Stop : Step::Continue;  // without a limit it wraps and never ends
        };
        detail::for_each_contact(a, b, a_from_b, margin, take,
                                 {.stats = &stats, .scratch = &scratch, .front = batch.front});
    }

    /// Tries the triangles that met last first, while that pays. A try that fails costs up to a sixth of a query, so a
    /// success earns four more tries. Without any left, every sixteenth placement gets one.
    bool within(const Model& a, const Model& b, const Affine& a_from_b, double length, const BatchSettings& batch) {
        constexpr TrianglePair none{0xffffffff, 0xffffffff};  // beyond all triangles, so it is not tried
        const bool try_it = tries > 0 || ++waited % 16 == 0;
        TrianglePair found = try_it ? witness : none;
        const bool hit = graze::within(a, b, a_from_b, length,
                                       {.stats = &stats, .scratch = &scratch, .front = batch.front, .witness = &found});
        if (try_it && hit && found == witness)
            tries = std::min(tries + 4, 16u);
        else if (try_it && tries > 0)
            --tries;
        if (hit) witness = found;
        return hit;
    }
};

using Lanes = detail::Lanes<Lane>;

void add_stats(const Lanes& lanes, QueryStats* to) {
    if (to)
        for (const auto& lane : lanes.all()) *to += lane->stats;
}

template <class Settings>
unsigned threads_of(const Settings& settings) {
    return settings.front ? 1 : settings.threads;
}

/// Calls `f(lane, i, placement)` for each placement. Returns false when `progress` stopped it.
template <class Settings, class F>
Result<bool> for_each_placement(const Poses& poses, const Settings& settings, Lanes& lanes, F&& f) {
    const detail::DefaultFloats floats;
    detail::FirstFault faults;
    const auto work = [&](Lane& lane, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last && i < faults.at(); ++i) {
            const Result<Affine> placement = poses[i];
            if (placement)
                f(lane, i, *placement);
            else
                faults.report(i, detail::numbered("placement", i, placement.fault()));
        }
    };
    const bool all = detail::run_pieces(poses.size(), threads_of(settings), settings.progress, lanes, work);
    add_stats(lanes, settings.stats);
    if (faults.any()) return faults.fault();
    return all;
}

/// Writes `f(lane, placement)` to the caller's memory.
template <class T, class Settings, class F>
Result<void> fill(const Poses& poses, std::span<T> answers, const Settings& settings, F&& f) {
    if (answers.size() != poses.size())
        return Fault{FaultKind::OutOfRange, "batch: there is room for " + std::to_string(answers.size()) +
                                                " answers, not for " + std::to_string(poses.size())};
    Lanes lanes;
    const Result<bool> all = for_each_placement(
        poses, settings, lanes,
        [&](Lane& lane, std::size_t i, const Affine& placement) { answers[i] = f(lane, placement); });
    if (!all.ok()) return all.fault();
    return {};
}

/// Index of the placement that `first_collision` visits at this time. Some times have none: their index is `n` or more.
std::size_t visited(std::size_t time, std::size_t n, PoseOrder order) {
    if (order == PoseOrder::Given) return time;
    // The bits of the time in reverse, counted from the end of the list.
    std::size_t reversed = 0;
    for (std::size_t span = std::bit_ceil(n) >> 1; span > 0; span >>= 1, time >>= 1) reversed |= time & 1 ? span : 0;
    return reversed < n ? n - 1 - reversed : n;
}

}  // namespace

Result<void> within(const Model& a, const Model& b, const Poses& poses, double length, std::span<std::uint8_t> answers,
                    const BatchSettings& settings) {
    return fill(poses, answers, settings, [&](Lane& lane, const Affine& a_from_b) -> std::uint8_t {
        return lane.within(a, b, a_from_b, length, settings);
    });
}

Result<void> intersects(const Model& a, const Model& b, const Poses& poses, std::span<std::uint8_t> answers,
                        const BatchSettings& settings) {
    return within(a, b, poses, 0, answers, settings);
}

Result<void> count_within(const Model& a, const Model& b, const Poses& poses, double length,
                          std::span<std::uint32_t> counts, const ContactBatchSettings& settings) {
    return fill(poses, counts, settings, [&](Lane& lane, const Affine& a_from_b) {
        std::uint32_t count = 0;
        if (!(length < 0))
            lane.for_each_contact(a, b, a_from_b, length, settings,
                                  [&](const Contact&) { count += count < std::numeric_limits<std::uint32_t>::max(); });
        return count;
    });
}

Result<void> count_contacts(const Model& a, const Model& b, const Poses& poses, std::span<std::uint32_t> counts,
                            const ContactBatchSettings& settings) {
    return count_within(a, b, poses, 0, counts, settings);
}

Result<void> collide_within(const Model& a, const Model& b, const Poses& poses, double length, BatchContacts& found,
                            const ContactBatchSettings& settings) {
    found.contacts.clear();
    found.offsets.assign(poses.size() + 1, 0);
    Lanes lanes;
    const Result<bool> all =
        for_each_placement(poses, settings, lanes, [&](Lane& lane, std::size_t i, const Affine& a_from_b) {
            const std::size_t before = lane.contacts.size();
            if (lane.runs.empty() || lane.next != i) lane.runs.push_back({i, before});
            lane.next = i + 1;
            if (!(length < 0))
                lane.for_each_contact(a, b, a_from_b, length, settings,
                                      [&](const Contact& contact) { lane.contacts.push_back(contact); });
            found.offsets[i + 1] = lane.contacts.size() - before;
        });
    if (!all.ok() || !*all) {
        found.offsets.clear();
        if (!all.ok()) return all.fault();
        return {};
    }
    for (std::size_t i = 1; i < found.offsets.size(); ++i) found.offsets[i] += found.offsets[i - 1];
    found.contacts.resize(found.offsets.back());
    for (const auto& lane : lanes.all())
        for (std::size_t k = 0; k < lane->runs.size(); ++k) {
            const std::size_t begin = lane->runs[k].begin;
            const std::size_t end = k + 1 < lane->runs.size() ? lane->runs[k + 1].begin : lane->contacts.size();
            std::copy(lane->contacts.begin() + static_cast<std::ptrdiff_t>(begin),
                      lane->contacts.begin() + static_cast<std::ptrdiff_t>(end),
                      found.contacts.begin() + static_cast<std::ptrdiff_t>(found.offsets[lane->runs[k].first]));
        }
    return {};
}

Result<void> collide(const Model& a, const Model& b, const Poses& poses, BatchContacts& found,
                     const ContactBatchSettings& settings) {
    return collide_within(a, b, poses, 0, found, settings);
}

Result<std::optional<std::size_t>> first_within(const Model& a, const Model& b, const Poses& poses, double length,
                                                PoseOrder order, const BatchSettings& settings) {
    const detail::DefaultFloats floats;
    const std::size_t n = poses.size(), times = order == PoseOrder::Given || n == 0 ? n : std::bit_ceil(n);
    std::atomic<std::size_t> first_hit{times};  // the earliest time at which they are known to meet
    detail::FirstFault faults;
    Lanes lanes;
    const auto progress = [&](std::size_t done) {
        if (std::min<std::size_t>(first_hit, faults.at()) < done) return Step::Stop;
        return settings.progress ? settings.progress(std::min(done, n)) : Step::Continue;
    };
    detail::run_pieces(
        times, threads_of(settings), progress, lanes, [&](Lane& lane, std::size_t begin, std::size_t end) {
            for (std::size_t time = begin; time < std::min<std::size_t>({end, first_hit, faults.at()}); ++time) {
                const std::size_t i = visited(time, n, order);
                if (i >= n) continue;
                const Result<Affine> placement = poses[i];
                if (!placement)
                    faults.report(time, detail::numbered("placement", i, placement.fault()));
                else if (lane.within(a, b, *placement, length, settings))
                    for (std::size_t known = first_hit;
                         time < known && !first_hit.compare_exchange_weak(known, time);) {
                    }
            }
        });
    add_stats(lanes, settings.stats);
    if (faults.any() && faults.at() < first_hit) return faults.fault();
    if (first_hit == times) return std::optional<std::size_t>();
    return std::optional(visited(first_hit, n, order));
}

Result<std::optional<std::size_t>> first_collision(const Model& a, const Model& b, const Poses& poses, PoseOrder order,
                                                   const BatchSettings& settings) {
    return first_within(a, b, poses, 0, order, settings);
}

}  // namespace graze
