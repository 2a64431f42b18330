// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/batch_loop.hpp"
#include "base/first_fault.hpp"
#include "graze/robot.hpp"
#include "query/first_hit.hpp"
#include "robot/robot_data.hpp"

namespace graze {

namespace {

/// The working memory of one thread. Lanes outlive the pieces of a batch, so they stay warm and keep what they learnt.
struct RobotLane {
    RobotScratch scratch;
    RobotStats stats;
    std::vector<Pose> world_from_link;

    RobotSettings settings(const RobotBatchSettings& batch, std::size_t i) {
        return {.clearance = batch.clearance,
                .world = batch.worlds.empty() ? std::nullopt : std::optional(batch.worlds[i]),
                .stats = &stats,
                .scratch = &scratch};
    }
};

using Lanes = detail::Lanes<RobotLane>;

void add_stats(const Lanes& lanes, RobotStats* to) {
    if (to)
        for (const auto& lane : lanes.all()) *to += lane->stats;
}

/// A fault when the sizes of lists do not fit each other.
Result<void> check_sizes(const detail::RobotData& robot, std::size_t values, std::size_t configurations,
                         std::size_t worlds) {
    const auto given = [](std::size_t n, const char* what) { return std::to_string(n) + what; };
    if (values != configurations * robot.value_count)
        return Fault{FaultKind::OutOfRange, given(values, " values given, but ") +
                                                given(configurations, " configurations have ") +
                                                std::to_string(configurations * robot.value_count)};
    if (worlds != 0 && worlds != configurations)
        return Fault{FaultKind::OutOfRange,
                     given(worlds, " worlds given for ") + given(configurations, " configurations")};
    if (worlds == 0 && robot.has_worlds)
        return Fault{FaultKind::OutOfRange, "the robot has several worlds: say which one each configuration is in"};
    return {};
}

Fault no_room(std::size_t room, std::size_t each) {
    return {FaultKind::OutOfRange,
            "room for " + std::to_string(room) + " numbers, which is no multiple of " + std::to_string(each)};
}

}  // namespace

/// Calls `f(lane, i, settings)` for each configuration, whose links the lane has placed.
template <class F>
Result<void> Robot::batch(std::span<const double> values, std::size_t configurations,
                          const RobotBatchSettings& settings, F&& f) const {
    if (auto good = check_sizes(*data_, values.size(), configurations, settings.worlds.size()); !good) return good;
    const std::size_t each = data_->value_count;
    detail::FirstFault faults;
    Lanes lanes;
    const auto work = [&](RobotLane& lane, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last && i < faults.at(); ++i) {
            const Result<void> placed = place(values.subspan(i * each, each), lane.world_from_link);
            if (placed)
                f(lane, i, lane.settings(settings, i));
            else
                faults.report(i, detail::numbered("configuration", i, placed.fault()));
        }
    };
    detail::run_pieces(configurations, settings.threads, settings.progress, lanes, work);
    add_stats(lanes, settings.stats);
    if (faults.any()) return faults.fault();
    return {};
}

Result<void> Robot::any_pair(std::span<const double> values, std::span<std::uint32_t> pairs,
                             const RobotBatchSettings& settings) const {
    return batch(values, pairs.size(), settings, [&](RobotLane& lane, std::size_t i, const RobotSettings& one) {
        pairs[i] = none;
        const auto look = [&](std::uint32_t pair, const Affine& a_from_b) {
            if (!collides(pair, a_from_b, one)) return Step::Continue;
            pairs[i] = pair;
            return Step::Stop;
        };
        for_each_near_pair(lane.world_from_link, look, one, true);
    });
}

Result<void> Robot::collides(std::span<const double> values, std::span<std::uint8_t> answers,
                             const RobotBatchSettings& settings) const {
    return batch(values, answers.size(), settings, [&](RobotLane& lane, std::size_t i, const RobotSettings& one) {
        const auto look = [&](std::uint32_t pair, const Affine& a_from_b) {
            return collides(pair, a_from_b, one) ? Step::Stop : Step::Continue;
        };
        answers[i] = !for_each_near_pair(lane.world_from_link, look, one, true);
    });
}

Result<void> Robot::all_pairs(std::span<const double> values, std::span<std::uint32_t> bits,
                              std::span<std::uint32_t> inside, const RobotBatchSettings& settings) const {
    const std::size_t each = words();
    if (each == 0) return {};
    if (bits.size() % each != 0) return no_room(bits.size(), each);
    if (!inside.empty() && inside.size() != bits.size())
        return Fault{FaultKind::OutOfRange, "`inside` is neither empty nor as long as `bits`"};
    return batch(values, bits.size() / each, settings, [&](RobotLane& lane, std::size_t i, const RobotSettings& one) {
        std::ranges::fill(bits.subspan(i * each, each), 0u);
        if (!inside.empty()) std::ranges::fill(inside.subspan(i * each, each), 0u);
        const auto add = [&](std::uint32_t pair, const Affine& a_from_b) {
            const std::size_t word = i * each + pair / 32;
            const std::uint32_t bit = 1u << (pair % 32);
            if (touch(pair, a_from_b, one))
                bits[word] |= bit;
            else if (nested(pair, a_from_b)) {
                bits[word] |= bit;
                if (!inside.empty()) inside[word] |= bit;
            }
            return Step::Continue;
        };
        for_each_near_pair(lane.world_from_link, add, one);
    });
}

Result<void> Robot::count_pairs(std::span<const double> values, std::span<std::uint32_t> counts,
                                const RobotBatchSettings& settings) const {
    return batch(values, counts.size(), settings, [&](RobotLane& lane, std::size_t i, const RobotSettings& one) {
        counts[i] = 0;
        const auto add = [&](std::uint32_t pair, const Affine& a_from_b) {
            counts[i] += collides(pair, a_from_b, one);
            return Step::Continue;
        };
        for_each_near_pair(lane.world_from_link, add, one);
    });
}

Result<std::optional<std::size_t>> Robot::first_collision(std::span<const double> values, PoseOrder order,
                                                          const RobotBatchSettings& settings) const {
    const std::size_t each = data_->value_count, n = each == 0 ? 1 : values.size() / each;
    if (auto good = check_sizes(*data_, values.size(), n, settings.worlds.size()); !good) return good.fault();
    Lanes lanes;
    const auto found = detail::first_hit(
        n, order, settings.threads, settings.progress, lanes, [&](RobotLane& lane, std::size_t i) -> Result<bool> {
            Result<bool> hit = collides(values.subspan(i * each, each), lane.settings(settings, i));
            if (!hit.ok()) return detail::numbered("configuration", i, hit.fault());
            return hit;
        });
    add_stats(lanes, settings.stats);
    return found;
}

}  // namespace graze
