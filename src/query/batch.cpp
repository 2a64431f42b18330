// SPDX-License-Identifier: Apache-2.0
#include "graze/batch.hpp"

#include <algorithm>
#include <limits>

#include "graze/distance.hpp"
#include "query/batch_inputs.hpp"
#include "query/first_hit.hpp"
#include "query/margin.hpp"

namespace graze {

namespace {

/// The working memory of one thread. Lanes outlive the pieces of a batch, so they stay warm.
struct Lane {
    Scratch scratch;
    QueryStats stats;
    TrianglePair witness;
    unsigned tries = 1, waited = 0;  ///< tries of the witness, and placements without a try
    detail::FoundLists<Contact> found;

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
        TrianglePair met = try_it ? witness : none;
        const bool hit = graze::within(a, b, a_from_b, length,
                                       {.stats = &stats, .scratch = &scratch, .front = batch.front, .witness = &met});
        if (try_it && hit && met == witness)
            tries = std::min(tries + 4, 16u);
        else if (try_it && tries > 0)
            --tries;
        if (hit) witness = met;
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
    auto all = detail::for_each_input(poses, "placement", threads_of(settings), settings.progress, lanes, f);
    add_stats(lanes, settings.stats);
    return all;
}

/// Writes `f(lane, placement)` to the caller's memory.
template <class T, class Settings, class F>
Result<void> fill(const Poses& poses, std::span<T> answers, const Settings& settings, F&& f) {
    if (auto fault = detail::no_room(answers.size(), poses.size())) return *fault;
    Lanes lanes;
    const Result<bool> all = for_each_placement(
        poses, settings, lanes,
        [&](Lane& lane, std::size_t i, const Affine& placement) { answers[i] = f(lane, placement); });
    if (!all.ok()) return all.fault();
    return {};
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
            std::vector<Contact>& list = lane.found.items;
            const std::size_t before = list.size();
            lane.found.begin(i);
            if (!(length < 0))
                lane.for_each_contact(a, b, a_from_b, length, settings,
                                      [&](const Contact& contact) { list.push_back(contact); });
            found.offsets[i + 1] = list.size() - before;
        });
    if (!all.ok() || !*all) {
        found.offsets.clear();
        if (!all.ok()) return all.fault();
        return {};
    }
    detail::join(lanes, found.contacts, found.offsets);
    return {};
}

Result<void> collide(const Model& a, const Model& b, const Poses& poses, BatchContacts& found,
                     const ContactBatchSettings& settings) {
    return collide_within(a, b, poses, 0, found, settings);
}

Result<std::optional<std::size_t>> first_within(const Model& a, const Model& b, const Poses& poses, double length,
                                                PoseOrder order, const BatchSettings& settings) {
    const detail::DefaultFloats floats;
    Lanes lanes;
    const auto found = detail::first_hit(poses.size(), order, threads_of(settings), settings.progress, lanes,
                                         [&](Lane& lane, std::size_t i) -> Result<bool> {
                                             const Result<Affine> placement = poses[i];
                                             if (!placement) return detail::numbered("placement", i, placement.fault());
                                             return lane.within(a, b, *placement, length, settings);
                                         });
    add_stats(lanes, settings.stats);
    return found;
}

Result<std::optional<std::size_t>> first_collision(const Model& a, const Model& b, const Poses& poses, PoseOrder order,
                                                   const BatchSettings& settings) {
    return first_within(a, b, poses, 0, order, settings);
}

}  // namespace graze
