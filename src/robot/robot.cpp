// SPDX-License-Identifier: Apache-2.0
#include "graze/robot.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "base/float_environment.hpp"
#include "graze/distance.hpp"
#include "robot/kinematics.hpp"
#include "robot/near_pairs.hpp"

namespace graze {

namespace detail {

namespace {

Fault wrong(FaultKind kind, const char* what, const std::string& name, std::size_t number, const std::string& fault) {
    return {kind, std::string(what) + ' ' + (name.empty() ? std::to_string(number) : name) + ": " + fault};
}
std::string no_link(std::uint32_t link, std::size_t joints) {
    return "there is no link " + std::to_string(link) + ": the joints make links 0 to " + std::to_string(joints);
}

}  // namespace

Result<void> place_links(std::span<const Joint> joints, std::span<const double> values,
                         std::span<Pose> world_from_link) {
    const DefaultFloats floats;
    std::ranges::fill(world_from_link, Pose());
    for (std::size_t i = 0; i < joints.size(); ++i) {
        const Joint& joint = joints[i];
        const double q = joint_value(joint, values.data());
        if (!std::isfinite(q)) return wrong(FaultKind::NotFinite, "joint", joint.name, i, "its value is not finite");
        const Pose& parent = world_from_link[joint.parent];
        const Placing at = joined({parent.rotation(), parent.translation()},
                                  {joint.parent_from_joint.rotation(), joint.parent_from_joint.translation()});
        const Placing child = moved(at, joint, q, turns(joint.type) ? any_sine_cosine(q) : SineCosine{0, 1});
        const Result<Pose> world = Pose::from_matrix(child.rotation, child.translation);
        if (!world) return wrong(world.fault().kind, "joint", joint.name, i, world.fault().message);
        world_from_link[joint.child] = *world;
    }
    return {};
}

/// Checks the parts of a robot and makes what questions need.
class RobotBuilder {
public:
    explicit RobotBuilder(RobotParts parts) : parts_(std::move(parts)) {}

    Result<std::shared_ptr<const RobotData>> run() {
        if (auto good = check_joints(); !good) return good.fault();
        if (auto good = sort_joints(); !good) return good.fault();
        if (auto good = check_bodies(); !good) return good.fault();
        if (auto good = check_pairs(); !good) return good.fault();
        std::vector<bool> used(parts_.bodies.size());
        for (const RobotPair& pair : parts_.pairs) used[pair.a] = used[pair.b] = true;
        for (std::uint32_t i = 0; i < parts_.bodies.size(); ++i) {
            out_.solids.emplace_back(parts_.bodies[i].model);
            out_.volumes.push_back(volume_around(parts_.bodies[i].model));
            if (used[i]) out_.checked.push_back(i);
        }
        out_.bodies = std::move(parts_.bodies);
        out_.pairs = std::move(parts_.pairs);
        return std::make_shared<const RobotData>(std::move(out_));
    }

private:
    static constexpr std::size_t most = std::size_t{1} << 24;  ///< joints, bodies, pairs and values of a configuration

    Fault bad(const Joint& joint, FaultKind kind, const std::string& what) const {
        return wrong(kind, "joint", joint.name, static_cast<std::size_t>(&joint - parts_.joints.data()), what);
    }

    Result<void> check_joints() {
        if (parts_.joints.size() >= most) return Fault{FaultKind::TooMany, "the robot has too many joints"};
        const auto count = static_cast<std::uint32_t>(parts_.joints.size());
        out_.link_count = count + 1;
        std::vector<bool> is_child(out_.link_count);
        for (const Joint& joint : parts_.joints) {
            for (const std::uint32_t link : {joint.parent, joint.child})
                if (link > count) return bad(joint, FaultKind::BadIndex, no_link(link, count));
            if (is_child[joint.child])
                return bad(joint, FaultKind::BadIndex,
                           "link " + std::to_string(joint.child) + " is the child of another joint");
            is_child[joint.child] = true;
            if (joint.type == JointType::Fixed) continue;
            if (!(std::abs(length(joint.axis) - 1) <= 1e-6))
                return bad(joint, FaultKind::OutOfRange, "the axis is not of unit length");
            for (const double number : {joint.multiplier, joint.offset, joint.pitch})
                if (!std::isfinite(number))
                    return bad(joint, FaultKind::NotFinite, "the multiplier, the offset or the pitch is not finite");
            if (joint.multiplier == 0) continue;
            if (joint.value >= most) return bad(joint, FaultKind::TooMany, "a configuration has too many values");
            out_.value_count = std::max(out_.value_count, joint.value + 1);
        }
        // There is one link more than there are children, so just one is the child of none.
        out_.root = static_cast<std::uint32_t>(std::ranges::find(is_child, false) - is_child.begin());
        return {};
    }

    /// Puts joints in the order of the tree's levels, unless those above a link come first already.
    Result<void> sort_joints() {
        const auto in_order = [&] {
            std::vector<bool> placed(out_.link_count);
            placed[out_.root] = true;
            for (const Joint& joint : parts_.joints) {
                if (!placed[joint.parent]) return false;
                placed[joint.child] = true;
            }
            return true;
        };
        if (in_order()) {
            out_.joints = std::move(parts_.joints);
            return {};
        }
        std::vector<std::vector<std::uint32_t>> below(out_.link_count);
        for (std::uint32_t i = 0; i < parts_.joints.size(); ++i) below[parts_.joints[i].parent].push_back(i);
        std::vector<std::uint32_t> links{out_.root};
        for (std::size_t i = 0; i < links.size(); ++i)
            for (const std::uint32_t j : below[links[i]]) {
                links.push_back(parts_.joints[j].child);
                out_.joints.push_back(parts_.joints[j]);
            }
        if (links.size() == out_.link_count) return {};
        std::vector<bool> reached(out_.link_count);
        for (const std::uint32_t link : links) reached[link] = true;
        for (const Joint& joint : parts_.joints)
            if (!reached[joint.child])
                return bad(joint, FaultKind::BadIndex, "it is part of a ring of links, or below one");
        return {};
    }

    Result<void> check_bodies() {
        if (parts_.bodies.size() >= most) return Fault{FaultKind::TooMany, "the robot has too many bodies"};
        for (std::size_t i = 0; i < parts_.bodies.size(); ++i) {
            const RobotBody& body = parts_.bodies[i];
            if (body.link && *body.link >= out_.link_count)
                return wrong(FaultKind::BadIndex, "body", body.name, i, no_link(*body.link, out_.link_count - 1));
            if (body.link && body.world)
                return wrong(FaultKind::BadIndex, "body", body.name, i, "a link is part of every world");
        }
        return {};
    }

    Result<void> check_pairs() {
        if (parts_.pairs.size() >= most) return Fault{FaultKind::TooMany, "the robot has too many pairs of bodies"};
        for (std::size_t i = 0; i < parts_.pairs.size(); ++i) {
            const auto [a, b] = parts_.pairs[i];
            const auto bad_pair = [&](const std::string& what) {
                return Fault{FaultKind::BadIndex, "pair " + std::to_string(i) + ": " + what};
            };
            for (const std::uint32_t body : {a, b})
                if (body >= parts_.bodies.size()) return bad_pair("there is no body " + std::to_string(body));
            if (a == b) return bad_pair("a body is not checked against itself");
            const auto in_a = parts_.bodies[a].world, in_b = parts_.bodies[b].world;
            if (in_a && in_b && in_a != in_b) return bad_pair("the bodies are part of different worlds");
            out_.worlds.push_back(in_a ? in_a : in_b);
            out_.has_worlds |= in_a || in_b;
        }
        return {};
    }

    RobotParts parts_;
    RobotData out_;
};

namespace {

/// The tree of links as `default_pairs` sees it. The parts may still be wrong.
class LinkTree {
public:
    explicit LinkTree(const RobotParts& parts) : parts_(parts), above_(parts.joints.size() + 1) {
        for (const Joint& joint : parts.joints)
            if (joint.parent < above_.size() && joint.child < above_.size()) above_[joint.child] = &joint;
        for (std::uint32_t i = 0; i < parts.bodies.size(); ++i)
            if (parts.bodies[i].link && *parts.bodies[i].link < above_.size()) bodies_.push_back(i);
        for (const std::uint32_t i : bodies_) has_body_.push_back(link(i));
        std::ranges::sort(has_body_);
        for (std::uint32_t i = 0; i < above_.size(); ++i) rigid_.push_back(climb(i, is_fixed));
    }

    /// Bodies of links.
    std::span<const std::uint32_t> bodies() const { return bodies_; }
    std::uint32_t link(std::uint32_t body) const { return *parts_.bodies[body].link; }
    /// True when one body belongs to the next link with a body above the other one, and a single joint moves them
    /// against each other, or several that turn about one point.
    bool joined(std::uint32_t a, std::uint32_t b) const { return joins(a, b) || joins(b, a); }
    /// True when two bodies cannot move against each other.
    bool rigid(std::uint32_t a, std::uint32_t b) const { return rigid_[link(a)] == rigid_[link(b)]; }
    /// True when a body moves in the world.
    bool moves(std::uint32_t body) const {
        const auto always = [](const Joint&) { return true; };
        return rigid_[link(body)] != rigid_[climb(link(body), always)];
    }

private:
    static bool is_fixed(const Joint& joint) { return joint.type == JointType::Fixed; }

    /// The link that is reached by going up while `goes_on(joint)`.
    template <class F>
    std::uint32_t climb(std::uint32_t link, const F& goes_on) const {
        for (std::size_t steps = 0; steps < above_.size() && above_[link] && goes_on(*above_[link]); ++steps)
            link = above_[link]->parent;
        return link;
    }
    bool joins(std::uint32_t upper, std::uint32_t lower) const {
        if (body_above(lower) != link(upper)) return false;
        std::size_t moving = 0;
        bool apart = false, one_point = true;
        for (std::uint32_t at = link(lower); at != link(upper); at = above_[at]->parent) {
            const Joint& joint = *above_[at];
            if (!is_fixed(joint)) {
                ++moving;
                one_point = one_point && !apart && joint.type == JointType::Revolute;
            }
            const Vec3 offset = joint.parent_from_joint.translation();
            apart = apart || (moving > 0 && (offset.x != 0 || offset.y != 0 || offset.z != 0));
        }
        return moving < 2 || one_point;
    }
    std::optional<std::uint32_t> body_above(std::uint32_t body) const {
        if (!above_[link(body)]) return {};
        const auto bare = [&](const Joint& joint) { return !std::ranges::binary_search(has_body_, joint.child); };
        const std::uint32_t found = climb(above_[link(body)]->parent, bare);
        return std::ranges::binary_search(has_body_, found) ? std::optional(found) : std::nullopt;
    }

    const RobotParts& parts_;
    std::vector<const Joint*> above_;               ///< the joint above each link
    std::vector<std::uint32_t> bodies_, has_body_;  ///< bodies of links, and links with bodies, sorted
    std::vector<std::uint32_t> rigid_;              ///< the topmost link that each link is rigidly joined to
};

/// The pairs of links for which `wanted(a, b)`, and those of links and objects.
template <class F>
std::vector<RobotPair> pairs_of(const RobotParts& parts, const LinkTree& tree, const F& wanted) {
    std::vector<RobotPair> out;
    const std::span<const std::uint32_t> links = tree.bodies();
    for (std::size_t i = 0; i < links.size(); ++i)
        for (std::size_t j = i + 1; j < links.size(); ++j)
            if (wanted(links[i], links[j])) out.push_back({links[i], links[j]});
    const bool none_moves = std::ranges::none_of(links, [&](std::uint32_t i) { return tree.moves(i); });
    for (const std::uint32_t i : links)
        for (std::uint32_t j = 0; j < parts.bodies.size(); ++j)
            if (!parts.bodies[j].link && (none_moves || tree.moves(i))) out.push_back({i, j});
    return out;
}

}  // namespace

}  // namespace detail

std::vector<RobotPair> default_pairs(const RobotParts& parts) {
    const detail::LinkTree tree(parts);
    return detail::pairs_of(parts, tree,
                            [&](std::uint32_t a, std::uint32_t b) { return !tree.joined(a, b) && !tree.rigid(a, b); });
}

std::vector<RobotPair> default_pairs(const RobotParts& parts, std::span<const LinkPair> disabled) {
    const detail::LinkTree tree(parts);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> off;
    for (const LinkPair& pair : disabled) off.push_back(std::minmax(pair.a, pair.b));
    std::ranges::sort(off);
    return detail::pairs_of(parts, tree, [&](std::uint32_t a, std::uint32_t b) {
        const std::pair<std::uint32_t, std::uint32_t> links = std::minmax(tree.link(a), tree.link(b));
        return links.first != links.second && !std::ranges::binary_search(off, links);
    });
}

Robot::Robot() : data_(std::make_shared<const detail::RobotData>()) {}

Result<Robot> Robot::build(RobotParts parts) {
    const detail::DefaultFloats floats;
    Result<std::shared_ptr<const detail::RobotData>> data = detail::RobotBuilder(std::move(parts)).run();
    if (!data.ok()) return data.fault();
    return Robot(*std::move(data));
}

const std::vector<Joint>& Robot::joints() const { return data_->joints; }
const std::vector<RobotBody>& Robot::bodies() const { return data_->bodies; }
const std::vector<RobotPair>& Robot::pairs() const { return data_->pairs; }
const Solid& Robot::solid(std::uint32_t body) const { return data_->solids[body]; }
std::uint32_t Robot::link_count() const { return data_->link_count; }
std::uint32_t Robot::root() const { return data_->root; }
std::uint32_t Robot::value_count() const { return data_->value_count; }

Result<std::vector<Pose>> Robot::place(std::span<const double> values) const {
    std::vector<Pose> out;
    const Result<void> placed = place(values, out);
    if (!placed) return placed.fault();
    return out;
}

Result<void> Robot::place(std::span<const double> values, std::vector<Pose>& world_from_link) const {
    if (values.size() != data_->value_count)
        return Fault{FaultKind::BadIndex, std::to_string(data_->value_count) + " joint values expected, " +
                                              std::to_string(values.size()) + " given"};
    world_from_link.resize(data_->link_count);
    return detail::place_links(data_->joints, values, world_from_link);
}

const Pose& Robot::world_from_body(std::span<const Pose> world_from_link, std::uint32_t body) const {
    static const Pose at_origin;
    const auto& link = data_->bodies[body].link;
    return link ? world_from_link[*link] : at_origin;
}

Affine Robot::a_from_b(std::span<const Pose> world_from_link, std::uint32_t pair) const {
    const auto [a, b] = data_->pairs[pair];
    const Pose &world_from_a = world_from_body(world_from_link, a), &world_from_b = world_from_body(world_from_link, b);
    const detail::Placing at = detail::relative({world_from_a.rotation(), world_from_a.translation()},
                                                {world_from_b.rotation(), world_from_b.translation()});
    // The product of two sloppy matrices is kept as it is: `relative` would move bodies out of their spheres.
    const Result<Affine> placement = Affine::from_matrix(at.rotation, at.translation);
    return placement ? *placement : Affine(relative(world_from_a, world_from_b));
}

bool Robot::nested(std::uint32_t pair, const Affine& a_from_b) const {
    const auto [a, b] = data_->pairs[pair];
    const Relation found = relation_from(data_->solids[a], data_->solids[b], a_from_b, {}).relation;
    return found != Relation::Disjoint && found != Relation::Touching;
}

bool Robot::touch(std::uint32_t pair, const Affine& a_from_b, const RobotPairSettings& settings) const {
    const auto [a, b] = data_->pairs[pair];
    // `within` at 0 is `intersects`.
    return within(data_->bodies[a].model, data_->bodies[b].model, a_from_b, settings.clearance,
                  {.stats = settings.stats ? &settings.stats->queries : nullptr,
                   .scratch = settings.scratch ? &settings.scratch->impl_->queries : nullptr});
}

bool Robot::collides(std::uint32_t pair, const Affine& a_from_b, const RobotPairSettings& settings) const {
    return touch(pair, a_from_b, settings) || nested(pair, a_from_b);
}

Result<void> Robot::place_one(std::span<const double> values, std::optional<std::uint32_t> world,
                              RobotScratch& scratch) const {
    if (data_->has_worlds && !world)
        return Fault{FaultKind::OutOfRange, "the robot has several worlds: say which one the configuration is in"};
    return place(values, scratch.impl_->world_from_link);
}

Result<bool> Robot::collides(std::span<const double> values, const RobotSettings& settings) const {
    RobotScratch own;
    RobotSettings all = settings;
    if (!all.scratch) all.scratch = &own;
    if (const Result<void> placed = place_one(values, all.world, *all.scratch); !placed) return placed.fault();
    const std::vector<Pose>& links = all.scratch->impl_->world_from_link;
    const auto meet = [&](std::uint32_t pair, const Affine& a_from_b) {
        return collides(pair, a_from_b, all) ? Step::Stop : Step::Continue;
    };
    return !for_each_near_pair(links, meet, all, true);
}

Result<std::vector<std::uint32_t>> Robot::colliding_pairs(std::span<const double> values,
                                                          const RobotSettings& settings) const {
    RobotScratch own;
    RobotSettings all = settings;
    if (!all.scratch) all.scratch = &own;
    if (const Result<void> placed = place_one(values, all.world, *all.scratch); !placed) return placed.fault();
    const std::vector<Pose>& links = all.scratch->impl_->world_from_link;
    std::vector<std::uint32_t> out;
    const auto add = [&](std::uint32_t pair, const Affine& a_from_b) {
        if (collides(pair, a_from_b, all)) out.push_back(pair);
        return Step::Continue;
    };
    for_each_near_pair(links, add, all);
    return out;
}

Result<RobotDistance> Robot::distance(std::span<const double> values, const RobotDistanceSettings& settings) const {
    const detail::DefaultFloats floats;
    RobotScratch own;
    RobotScratch& scratch = settings.scratch ? *settings.scratch : own;
    if (const Result<void> placed = place_one(values, settings.world, scratch); !placed) return placed.fault();
    RobotScratch::Impl& memory = *scratch.impl_;
    const std::vector<Pose>& links = memory.world_from_link;
    detail::NearPairs pairs(*data_, links, memory);
    // Nearest spheres first, so that most pairs need no query.
    RobotStats unread;
    RobotStats& stats = settings.stats ? *settings.stats : unread;
    std::vector<std::pair<double, std::uint32_t>> order;
    for (const std::uint32_t i : pairs.by_spheres(std::numeric_limits<double>::infinity(), settings.world))
        order.emplace_back(pairs.sphere_gap(i), i);
    const auto sooner = [](const auto& x, const auto& y) {
        return std::isnan(x.first) != std::isnan(y.first) ? std::isnan(x.first) : x < y;
    };
    std::ranges::sort(order, sooner);
    stats.pairs += data_->pairs.size();
    stats.spheres += data_->pairs.size() - order.size();
    RobotDistance out;
    for (const auto& [gap, i] : order) {
        const double least = out.closest.distance;
        if (least == 0) break;
        if (gap > least) {
            ++stats.spheres;
            continue;
        }
        if (pairs.boxes_apart(i, least)) {
            ++stats.boxes;
            continue;
        }
        ++stats.asked;
        const auto [a, b] = data_->pairs[i];
        const Affine at = a_from_b(links, i);
        const bool inside = !(gap > 0) && nested(i, at);
        Closest found = graze::distance(data_->bodies[a].model, data_->bodies[b].model, at,
                                        {.max_distance = inside ? std::numeric_limits<double>::infinity() : least,
                                         .stats = &stats.queries,
                                         .scratch = &memory.queries});
        if (inside) found.distance = 0;
        if (!(found.distance < least)) continue;
        const Pose& world_from_a = world_from_body(links, a);
        out = {i, {found.distance, world_from_a(found.point_a), world_from_a(found.point_b)}};
    }
    return out;
}

}  // namespace graze
