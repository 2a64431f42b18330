// SPDX-License-Identifier: Apache-2.0
#include "motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

namespace graze::checks {

namespace {

void add_frame(const FrameAnswer& frame, std::uint64_t contacts, std::vector<Interval>& intervals) {
    if (!frame.meets) return;
    if (intervals.empty() || intervals.back().ends + 1 != frame.frame)
        intervals.push_back({.begins = frame.frame, .at = frame.frame});
    Interval& interval = intervals.back();
    interval.ends = frame.frame;
    interval.kind = std::min(interval.kind, frame.kind);
    if (contacts > interval.most) {
        interval.most = contacts;
        interval.at = frame.frame;
    }
}

void find(const Model& a, const Model& b, const Pose& a_from_b, Ask ask, FrameAnswer& answer,
          const QuerySettings& options) {
    const auto take = [&](const Contact& c) {
        answer.contacts.push_back(c);
        return Step::Stop;
    };
    answer.contacts.clear();
    if (ask == Ask::All)
        collide(a, b, a_from_b, answer.contacts, options);
    else if (ask == Ask::First)
        for_each_contact(a, b, a_from_b, take, options);
    answer.meets = ask == Ask::Meets ? intersects(a, b, a_from_b, options) : !answer.contacts.empty();
}

}  // namespace

std::size_t Motion::frames_in_contact() const {
    return contacts.size() - static_cast<std::size_t>(std::ranges::count(contacts, 0u));
}

std::size_t Motion::frames_inside() const {
    return static_cast<std::size_t>(std::ranges::count(meets, true)) - frames_in_contact();
}

std::uint64_t Motion::contact_count() const {
    return std::accumulate(contacts.begin(), contacts.end(), std::uint64_t{0});
}

Motion follow(const Model& a, const Model& b, std::span<const Pose> a_from_b, Ask ask, const FrameVisitor& visit) {
    using Clock = std::chrono::steady_clock;
    Motion motion;
    motion.contacts.reserve(a_from_b.size());
    Scratch scratch;
    Front front;
    FrameAnswer answer;
    const std::array models{a, b};
    const SolidBodies bodies(models);
    for (const Pose& pose : a_from_b) {
        answer.frame = motion.contacts.size();
        answer.stats = {};
        QuerySettings options{.stats = &answer.stats, .scratch = &scratch};
        // A single pose has no query before it to start from.
        if (a_from_b.size() > 1) options.front = &front;
        const Clock::time_point start = Clock::now();
        find(a, b, pose, ask, answer, options);
        answer.ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        motion.contacts.push_back(std::max<std::uint64_t>(answer.contacts.size(), answer.meets));
        answer.nesting = answer.meets ? Nesting::None : nesting(bodies, 0, 1, pose);
        const bool inside = answer.nesting != Nesting::None;
        answer.kind = inside ? Kind::Inside : contact_kind(bodies, 0, 1, pose, answer.contacts);
        answer.meets = answer.meets || inside;

        motion.meets.push_back(answer.meets);
        motion.stats += answer.stats;
        motion.ms += answer.ms;
        add_frame(answer, motion.contacts.back(), motion.intervals);
        if (visit && visit(answer) == Step::Stop) break;
    }
    return motion;
}

Result<std::vector<Pose>> relative_motion(std::span<const Pose> world_from_a, std::span<const Pose> world_from_b) {
    if (world_from_a.size() != world_from_b.size())
        return Fault{FaultKind::Damaged,
                     fmt::format("A has {} poses, and B {}", world_from_a.size(), world_from_b.size())};
    std::vector<Pose> a_from_b;
    a_from_b.reserve(world_from_a.size());
    for (std::size_t i = 0; i < world_from_a.size(); ++i) {
        const Result<Pose> a_from_world = inverse(world_from_a[i]);
        const Result<Pose> pose = a_from_world ? compose(*a_from_world, world_from_b[i]) : a_from_world;
        if (!pose) return Fault{pose.fault().kind, fmt::format("frame {}: {}", i, pose.fault().message)};
        a_from_b.push_back(*pose);
    }
    return a_from_b;
}

}  // namespace graze::checks
