// SPDX-License-Identifier: Apache-2.0
#include "motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"

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

void find(const Model& a, const Model& b, const Pose& a_from_b, Ask ask, FrameAnswer& answer,
          const QuerySettings& options) {
    const auto take = [&](const Contact& c) {
        answer.contacts.push_back(c);
        return Step::Stop;
    };
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

namespace {

/// Answers frames of a motion one after the other.
class FrameAnswers {
public:
    FrameAnswers(const Solid& a, const Solid& b, std::span<const Pose> a_from_b, const FollowSettings& settings)
        // A single pose has no query before it to start from.
        : a_(a), b_(b), a_from_b_(a_from_b), settings_(settings), fronts_(a_from_b.size() > 1) {}

    void answer(std::size_t frame, FrameAnswer& answer) {
        const Model &a = a_.model(), &b = b_.model();
        const Pose& pose = a_from_b_[frame];
        FrameAnswer empty{.frame = frame};
        empty.contacts.swap(answer.contacts);  // keeps its memory
        empty.contacts.clear();
        answer = std::move(empty);
        QuerySettings options{.stats = &answer.stats, .scratch = &scratch_};
        if (fronts_) options.front = &contacts_;
        Clock::time_point start = Clock::now();
        if (!settings_.known.empty() && settings_.known[frame] && settings_.ask == Ask::Meets)
            answer.meets = true;
        else if (settings_.known.empty() || settings_.known[frame])
            find(a, b, pose, settings_.ask, answer, options);
        answer.ms = ms_since(start);
        Manner manner;
        if (settings_.ask == Ask::All || !answer.meets)
            manner = checks::manner_of(a_, b_, pose, answer.contacts);
        else if (settings_.ask == Ask::First)
            manner = checks::manner_of(a_, b_, pose);
        answer.nesting = manner.nesting;
        answer.meets = answer.meets || manner.overlaps();
        if (!answer.meets && settings_.clearance > 0) {
            if (fronts_) options.front = &near_;
            start = Clock::now();
            find_close(a, b, pose, settings_, answer, options);
            answer.ms += ms_since(start);
        }
        answer.kind = answer.close ? Kind::Clearance : manner.kind;
    }

private:
    const Solid &a_, &b_;
    std::span<const Pose> a_from_b_;
    const FollowSettings& settings_;
    bool fronts_;
    Scratch scratch_;
    Front contacts_, near_;  ///< for contacts, and for distances
};

}  // namespace

Motion follow(const Model& a, const Model& b, std::span<const Pose> a_from_b, const FollowSettings& settings,
              const FrameVisitor& visit) {
    // Frames that a thread takes at a time. They have a front in common, so the work done does not depend on threads.
    constexpr std::size_t run = 64;
    // The first turn is short, as the visitor often stops early.
    constexpr std::size_t most_runs = 32;
    const std::size_t frames = a_from_b.size();
    Motion motion;
    motion.contacts.reserve(frames);
    const Solid solid_a(a), solid_b(b);
    std::vector<FrameAnswer> answers;
    std::size_t runs = 1;
    for (std::size_t done = 0; done < frames; done += answers.size(), runs = std::min(4 * runs, most_runs)) {
        answers.resize(std::min(runs * run, frames - done));
        detail::parallel_for((answers.size() + run - 1) / run, settings.threads, [&](std::size_t k) {
            FrameAnswers of(solid_a, solid_b, a_from_b, settings);
            for (std::size_t i = k * run; i < std::min(answers.size(), (k + 1) * run); ++i)
                of.answer(done + i, answers[i]);
        });
        for (FrameAnswer& answer : answers) {
            const std::uint64_t meet = settings.ask == Ask::Meets && answer.kind == Kind::Touching && answer.meets;
            motion.contacts.push_back(std::max<std::uint64_t>(answer.contacts.size(), meet));
            motion.meets.push_back(answer.meets);
            if (answer.close) motion.close.push_back({answer.frame, answer.closest});
            motion.stats += answer.stats;
            motion.ms += answer.ms;
            add_frame(answer, motion.contacts.back(), motion.intervals);
            if (visit && visit(answer) == Step::Stop) return motion;
        }
    }
    return motion;
}

Result<std::vector<Pose>> relative_motion(std::span<const Pose> world_from_a, std::span<const Pose> world_from_b) {
    if (world_from_a.size() != world_from_b.size())
        return Fault{FaultKind::Damaged,
                     fmt::format("A has {} poses, and B {}", world_from_a.size(), world_from_b.size())};
    std::vector<Pose> a_from_b;
    a_from_b.reserve(world_from_a.size());
    for (std::size_t i = 0; i < world_from_a.size(); ++i)
        a_from_b.push_back(relative(world_from_a[i], world_from_b[i]));
    return a_from_b;
}

}  // namespace graze::checks
