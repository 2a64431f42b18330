// SPDX-License-Identifier: Apache-2.0
#include "checks/robot.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>
#include <numbers>

#include "base/first_fault.hpp"
#include "base/parallel.hpp"
#include "checks/contacts.hpp"
#include "scenes/random.hpp"

namespace graze::checks {

namespace {

/// For each link the topmost one that it is fixed to.
std::vector<std::uint32_t> fixed_to(const files::Robot& robot) {
    std::vector<std::uint32_t> out(robot.links.size());
    for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = i;
    for (const Joint& joint : robot.joints)  // the joint above a link comes before those below it
        if (joint.type == JointType::Fixed || joint.multiplier == 0) out[joint.child] = out[joint.parent];
    return out;
}

}  // namespace

Result<void> RobotCheck::check_fixed(std::span<const Pair> pairs) {
    fixed_pairs_ = pairs.size();
    files::RobotPose pose;
    if (const Result<void> placed = files::place(robot_, rest_values(robot_), pose); !placed) return placed;
    for (const auto& [a, b] : pairs) {
        const Result<Affine> a_from_b =
            relative(Affine(placement(pose.world_from_link, a)), Affine(placement(pose.world_from_link, b)));
        if (!a_from_b) return a_from_b.fault();
        const std::vector<Contact> contacts = collide(bodies()[a].model, bodies()[b].model, *a_from_b);
        const Manner manner = manner_of(prepared_.solid(a), prepared_.solid(b), *a_from_b, contacts);
        if (!contacts.empty() || manner.overlaps()) fixed_hits_.push_back({a, b, contacts.size(), manner.kind});
    }
    return {};
}

void free_followers(files::Robot& robot) {
    for (std::uint32_t i = 0; i < robot.joints.size(); ++i)
        if (robot.mimics(i)) {
            robot.joints[i].lower = -std::numeric_limits<double>::infinity();
            robot.joints[i].upper = std::numeric_limits<double>::infinity();
        }
}

Result<RobotCheck> RobotCheck::make(files::Robot robot, const files::RobotSemantics* semantics,
                                    std::vector<WorldObject> world, unsigned threads) {
    RobotCheck out;
    std::vector<RobotBody> around;
    for (WorldObject& object : world) around.push_back({std::move(object.name), std::move(object.model)});
    Result<RobotParts> parts = files::robot_parts(robot, semantics, std::move(around), threads);
    if (!parts) return parts.fault();
    std::vector<Pair> fixed;
    if (const std::vector<std::uint32_t> top = fixed_to(robot); !robot.active.empty()) {
        const auto is_fixed = [&](const Pair& pair) {
            const std::optional<std::uint32_t> a = parts->bodies[pair.a].link, b = parts->bodies[pair.b].link;
            return a && b && top[*a] == top[*b];
        };
        std::ranges::copy_if(parts->pairs, std::back_inserter(fixed), is_fixed);
        std::erase_if(parts->pairs, is_fixed);
    }
    Result<graze::Robot> prepared = graze::Robot::build(*std::move(parts));
    if (!prepared) return prepared.fault();
    out.prepared_ = *std::move(prepared);
    const auto is_link = [](const RobotBody& body) { return body.link.has_value(); };
    const std::size_t links = static_cast<std::size_t>(std::ranges::count_if(out.bodies(), is_link));
    std::size_t pairs_of_links = 0;
    std::vector<bool> moves(links);
    for (const Pair& pair : out.pairs()) {
        pairs_of_links += pair.b < links;
        if (pair.b >= links) moves[pair.a] = true;
    }
    out.link_count_ = links;
    out.left_out_ = links * (links - (links > 0)) / 2 - pairs_of_links - fixed.size();
    out.left_out_because_ = semantics ? "disabled by the SRDF" : "of links that are joined or fixed to each other";
    if (out.bodies().size() > links)
        for (std::size_t i = 0; i < links; ++i)
            if (!moves[i]) out.standing_.push_back(out.bodies()[i].name);
    out.robot_ = std::move(robot);
    out.robot_.meshes.clear();
    if (const Result<void> done = out.check_fixed(fixed); !done) return done.fault();
    return out;
}

/// Decides a pair by queries. False when it neither collides nor is too close.
bool RobotCheck::decide(std::uint32_t number, Links world_from_link, const Affine& a_from_b,
                        const RobotQuestion& question, Memory& memory, BodyHit& hit) const {
    const Pair& pair = pairs()[number];
    const QuerySettings options{.stats = &memory.stats.queries, .scratch = &memory.scratch_};
    const Model &a = bodies()[pair.a].model, &b = bodies()[pair.b].model;
    const Solid &solid_a = prepared_.solid(pair.a), &solid_b = prepared_.solid(pair.b);
    const auto nested = [&] {
        const Manner manner = manner_of(solid_a, solid_b, a_from_b, {});
        if (!manner.overlaps()) return false;
        hit.kind = manner.kind;
        hit.nesting = manner.nesting;
        return true;
    };
    // `within` at 0 is `intersects`.
    if (question.ask == RobotAsk::Free) return within(a, b, a_from_b, question.clearance, options) || nested();
    if (question.ask == RobotAsk::Contacts) {
        collide(a, b, a_from_b, memory.contacts_, options);
        hit.contacts = memory.contacts_.size();
        if (hit.contacts > 0) {
            const Manner manner = manner_of(solid_a, solid_b, a_from_b, memory.contacts_);
            hit.kind = manner.kind;
            hit.nesting = manner.nesting;
        }
    }
    if (question.ask == RobotAsk::Contacts ? hit.contacts > 0 : intersects(a, b, a_from_b, options)) return true;
    if (nested()) return true;
    if (!(question.clearance > 0)) return false;
    const Closest closest =
        distance(a, b, a_from_b,
                 {.max_distance = question.clearance, .stats = &memory.stats.queries, .scratch = &memory.scratch_});
    if (!std::isfinite(closest.distance)) return false;
    hit.kind = Kind::Clearance;
    hit.closest = placed(placement(world_from_link, pair.a), closest);
    return true;
}

void RobotCheck::check(Links world_from_link, const RobotQuestion& question, Memory& memory,
                       std::vector<BodyHit>& hits) const {
    hits.clear();
    const bool free = question.ask == RobotAsk::Free;
    const auto look = [&](std::uint32_t pair, const Affine& a_from_b) {
        BodyHit hit{pair, 0};
        if (!decide(pair, world_from_link, a_from_b, question, memory, hit)) return Step::Continue;
        hits.push_back(hit);
        return free ? Step::Stop : Step::Continue;
    };
    prepared_.for_each_near_pair(world_from_link, look,
                                 {.clearance = question.clearance, .stats = &memory.stats, .scratch = &memory.near_},
                                 free);
}

void RobotCheck::check_pairs(Links world_from_link, const RobotQuestion& question, std::span<const std::uint32_t> pairs,
                             Memory& memory, std::vector<BodyHit>& hits) const {
    for (const std::uint32_t i : pairs) {
        ++memory.stats.asked;
        BodyHit hit{i, 0};
        if (decide(i, world_from_link, prepared_.a_from_b(world_from_link, i), question, memory, hit))
            hits.push_back(hit);
    }
}

std::vector<Contact> RobotCheck::contacts(Links world_from_link, std::uint32_t pair) const {
    const auto [a, b] = pairs()[pair];
    std::vector<Contact> all = collide(bodies()[a].model, bodies()[b].model, prepared_.a_from_b(world_from_link, pair));
    std::ranges::sort(all);
    return all;
}

Closest RobotCheck::closest(Links world_from_link, std::uint32_t pair) const {
    const auto [a, b] = pairs()[pair];
    const Affine a_from_b = prepared_.a_from_b(world_from_link, pair);
    return placed(placement(world_from_link, a), Closest(distance(bodies()[a].model, bodies()[b].model, a_from_b)));
}

std::vector<double> rest_values(const files::Robot& robot) {
    std::vector<double> out;
    for (const std::uint32_t i : robot.active) {
        const Joint& joint = robot.joints[i];
        const bool within = joint.lower <= 0 && joint.upper >= 0;
        const double middle = joint.lower / 2 + joint.upper / 2;
        out.push_back(within ? 0 : std::isfinite(middle) ? middle : joint.lower > 0 ? joint.lower : joint.upper);
    }
    return out;
}

std::vector<double> random_values(const files::Robot& robot, std::size_t configurations, std::uint64_t seed) {
    scenes::Random random(seed);
    std::vector<double> out;
    out.reserve(configurations * robot.active.size());
    for (std::size_t n = 0; n < configurations; ++n)
        for (const std::uint32_t i : robot.active) {
            const Joint& joint = robot.joints[i];
            const double most = joint.type == JointType::Prismatic ? 1 : std::numbers::pi;
            const bool above = std::isfinite(joint.lower), below = std::isfinite(joint.upper);
            const double low = above ? joint.lower : (below ? joint.upper - 2 * most : -most);
            out.push_back(random.between(low, below ? joint.upper : (above ? joint.lower + 2 * most : most)));
        }
    return out;
}

Result<RobotAnswers> check_all(const RobotCheck& check, std::size_t configurations, std::span<const double> values,
                               const RobotQuestion& question, unsigned threads,
                               const std::function<void(std::size_t)>& progress, const std::atomic<bool>* stop) {
    const std::size_t joints = check.robot().active.size();
    assert(values.size() == configurations * joints);
    /// Configurations that a thread takes at a time: enough to learn which pairs meet, few enough to balance the load.
    constexpr std::size_t block = 512;
    struct Answered {
        std::vector<std::size_t> counts;
        std::vector<BodyHit> hits;
        std::size_t beyond = 0;
        std::string beyond_first;
        RobotStats stats;
    };
    std::vector<Answered> parts((configurations + block - 1) / block);
    detail::FirstFault faults;
    std::atomic<std::size_t> done{0};
    const auto stopped = [&] { return stop && *stop; };
    std::mutex telling;
    detail::parallel_for(parts.size(), threads, [&](std::size_t p) {
        Answered& part = parts[p];
        RobotCheck::Memory memory;
        files::RobotPose pose;
        std::vector<BodyHit> hits;
        const std::size_t end = std::min(configurations, (p + 1) * block);
        for (std::size_t i = p * block; i < end && i < faults.at() && !stopped(); ++i) {
            const Result<void> good = files::place(check.robot(), values.subspan(i * joints, joints), pose);
            if (!good) {
                faults.report(i, detail::numbered("configuration", i, good.fault()));
                return;
            }
            check.check(pose.world_from_link, question, memory, hits);
            if (!pose.beyond.empty() && part.beyond++ == 0) part.beyond_first = pose.beyond[0];
            part.counts.push_back(hits.size());
            part.hits.insert(part.hits.end(), hits.begin(), hits.end());
        }
        part.stats = memory.stats;
        const std::size_t now = done += end - p * block;
        if (progress)
            if (const std::unique_lock lock(telling, std::try_to_lock); lock) progress(now);
    });
    if (stopped()) return Fault{FaultKind::BadObject, "the check was stopped"};
    if (faults.any()) return faults.fault();
    RobotAnswers out;
    out.first.push_back(0);
    for (Answered& part : parts) {
        for (const std::size_t n : part.counts) out.first.push_back(out.first.back() + n);
        out.hits.insert(out.hits.end(), part.hits.begin(), part.hits.end());
        if (out.beyond == 0) out.beyond_first = part.beyond_first;
        out.beyond += part.beyond;
        out.stats += part.stats;
    }
    return out;
}

}  // namespace graze::checks
