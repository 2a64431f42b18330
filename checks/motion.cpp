// SPDX-License-Identifier: Apache-2.0
#include "motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

namespace graze::checks {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void add_frame(const FrameAnswer& frame, std::uint64_t contacts, std::vector<Interval>& intervals) {
    if (!frame.hit()) return;
    if (intervals.empty() || intervals.back().ends + 1 != frame.frame)
        intervals.push_back({.begins = frame.frame, .kind = Kind::Clearance, .at = frame.frame, .least = {}});
    Interval& interval = intervals.back();
    interval.ends = frame.frame;
    const bool nearest = frame.closest && (!interval.least || frame.closest->distance < *interval.least);
    const bool only_close = interval.kind == Kind::Clearance;
    if (contacts > interval.most || (only_close && (frame.meets || nearest))) interval.at = frame.frame;
    if (nearest) interval.least = frame.closest->distance;
    interval.most = std::max(interval.most, contacts);
    interval.kind = std::min(interval.kind, frame.kind);
    if (interval.kind != Kind::Clearance) interval.least = {};
}

/// Working memory of the queries of a motion.
struct Memory {
    Scratch scratch;
    Front contacts, near;  ///< of queries for contacts, and of those for distances
};

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

/// Finds out whether models that do not meet are within the clearance.
void find_close(const Model& a, const Model& b, const Pose& a_from_b, const FollowSettings& settings,
                FrameAnswer& answer, const QuerySettings& options) {
    if (settings.ask == Ask::Meets) {
        answer.close = within(a, b, a_from_b, settings.clearance, options);
        return;
    }
    const ClosestTriangles closest = distance(a, b, a_from_b,
                                              {.max_distance = settings.clearance,
                                               .stats = options.stats,
                                               .scratch = options.scratch,
                                               .front = options.front});
    answer.close = std::isfinite(closest.distance);
    if (answer.close) answer.closest = closest;
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

std::vector<bool> Motion::hits() const {
    std::vector<bool> out = meets;
    for (const CloseFrame& one : close) out[one.frame] = true;
    return out;
}

Motion follow(const Model& a, const Model& b, std::span<const Pose> a_from_b, const FollowSettings& settings,
              const FrameVisitor& visit) {
    Motion motion;
    motion.contacts.reserve(a_from_b.size());
    Memory memory;
    FrameAnswer answer;
    const Solid solid_a(a), solid_b(b);
    // A single pose has no query before it to start from.
    const bool fronts = a_from_b.size() > 1;
    for (const Pose& pose : a_from_b) {
        answer.frame = motion.contacts.size();
        answer.stats = {};
        answer.close = false;
        answer.closest.reset();
        QuerySettings options{.stats = &answer.stats, .scratch = &memory.scratch};
        if (fronts) options.front = &memory.contacts;
        Clock::time_point start = Clock::now();
        find(a, b, pose, settings.ask, answer, options);
        answer.ms = ms_since(start);
        motion.contacts.push_back(std::max<std::uint64_t>(answer.contacts.size(), answer.meets));
        Manner manner;
        if (settings.ask == Ask::All || !answer.meets)
            manner = manner_of(solid_a, solid_b, pose, answer.contacts);
        else if (settings.ask == Ask::First)
            manner = manner_of(solid_a, solid_b, pose);
        answer.nesting = manner.nesting;
        answer.meets = answer.meets || manner.nesting != Nesting::None;
        if (!answer.meets && settings.clearance > 0) {
            if (fronts) options.front = &memory.near;
            start = Clock::now();
            find_close(a, b, pose, settings, answer, options);
            answer.ms += ms_since(start);
        }
        answer.kind = answer.close ? Kind::Clearance : manner.kind;
        motion.meets.push_back(answer.meets);
        if (answer.close) motion.close.push_back({answer.frame, answer.closest});
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
