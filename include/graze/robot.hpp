// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "graze/batch.hpp"
#include "graze/closest.hpp"
#include "graze/query.hpp"
#include "graze/solid.hpp"

namespace graze {

namespace detail {
struct RobotData;
}

/// How the child of a joint moves against its parent.
enum class JointType : std::uint8_t {
    Fixed,      ///< not at all
    Revolute,   ///< turns about the axis by an angle in radians; a continuous joint is one without limits
    Prismatic,  ///< slides along the axis by a length
    Screw,      ///< turns about the axis by an angle in radians, and slides along it by `pitch` per turn
};

/// A joint between two links of a robot. Links are numbers: a robot of n joints has the links 0 to n.
struct Joint {
    std::string name;  ///< for messages; may be empty
    JointType type = JointType::Fixed;
    std::uint32_t parent = 0, child = 0;  ///< links
    Pose parent_from_joint;               ///< placement of the child at the value 0
    Vec3 axis{1, 0, 0};                   ///< unit vector in the joint's frame
    /// Index of the value in a configuration that moves the joint: it moves by `multiplier` · value + `offset`. A joint
    /// that mimics another one has the same index. With the multiplier 0 the joint stays at `offset`.
    std::uint32_t value = 0;
    double multiplier = 1, offset = 0;
    double pitch = 0;  ///< length per turn of a screw
    /// Limits of the movement, for planners. The library does not use them: values beyond them are checked as well.
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

/// A body that may collide: the shape of a link, or an object around the robot.
struct RobotBody {
    std::string name;                        ///< for messages; may be empty
    Model model;                             ///< in the link's frame; an object's in that of the root link
    std::optional<std::uint32_t> link = {};  ///< empty for an object around the robot
    /// Number of the world that an object is part of. An object without a number is part of every world.
    std::optional<std::uint32_t> world = {};
};

/// Two bodies that are checked against each other, by their numbers.
struct RobotPair {
    std::uint32_t a = 0, b = 0;
    friend bool operator==(const RobotPair&, const RobotPair&) = default;
};

/// Two links, by their numbers.
struct LinkPair {
    std::uint32_t a = 0, b = 0;
    friend bool operator==(const LinkPair&, const LinkPair&) = default;
};

/// The description of a robot and of the objects around it. `graze::files::robot_parts` (graze/files/robot.hpp) makes
/// one from URDF.
struct RobotParts {
    std::vector<Joint> joints;  ///< in any order; together they make a tree of links
    std::vector<RobotBody> bodies;
    std::vector<RobotPair> pairs;  ///< bodies to check against each other; `default_pairs` has the usual ones
};

/// The pairs that are usually checked. Two links are checked unless a joint joins them, directly or through links
/// without bodies, or they cannot move against each other. Several joints join two links only where they turn about one
/// point, as those of a universal joint: other links with bare links between them may well hit each other. Links are
/// checked against all objects; those that cannot
/// move are not, because a robot stands on something, unless no link can move.
std::vector<RobotPair> default_pairs(const RobotParts& parts);
/// The pairs of links are all but those in `disabled`, as an SRDF lists them.
std::vector<RobotPair> default_pairs(const RobotParts& parts, std::span<const LinkPair> disabled);

/// How pairs were decided.
struct RobotStats {
    std::uint64_t pairs = 0;    ///< pairs of all configurations
    std::uint64_t spheres = 0;  ///< pairs decided by spheres
    std::uint64_t boxes = 0;    ///< other pairs decided by boxes
    std::uint64_t asked = 0;    ///< other pairs decided by a query; questions that need one collision stop early
    QueryStats queries;         ///< the work of these queries

    RobotStats& operator+=(const RobotStats& o) {
        pairs += o.pairs;
        spheres += o.spheres;
        boxes += o.boxes;
        asked += o.asked;
        queries += o.queries;
        return *this;
    }
};

/// Working memory for questions about robots. Reuse one per thread, and questions stop allocating once it is warm. It
/// learns which pairs collide often, and never changes whether a configuration collides.
class RobotScratch {
public:
    RobotScratch();
    ~RobotScratch();
    RobotScratch(RobotScratch&&) noexcept;
    RobotScratch& operator=(RobotScratch&&) noexcept;

    struct Impl;

private:
    friend class Robot;
    std::unique_ptr<Impl> impl_;
};

/// Settings of a question about one pair.
struct RobotPairSettings {
    double clearance = 0;             ///< bodies no further apart than this collide too, as `within` decides it
    RobotStats* stats = nullptr;      ///< receives the work of the query, added to what it holds
    RobotScratch* scratch = nullptr;  ///< working memory to reuse
};

/// Settings of a question about one configuration.
struct RobotSettings {
    double clearance = 0;                     ///< bodies no further apart than this collide too, as `within` decides it
    std::optional<std::uint32_t> world = {};  ///< number of the robot's world; needed when objects have numbers
    RobotStats* stats = nullptr;              ///< receives the work done, added to what it holds
    RobotScratch* scratch = nullptr;          ///< working memory to reuse

    operator RobotPairSettings() const { return {.clearance = clearance, .stats = stats, .scratch = scratch}; }
};

/// Settings of the distance in one configuration.
struct RobotDistanceSettings {
    std::optional<std::uint32_t> world = {};  ///< number of the robot's world; needed when objects have numbers
    RobotStats* stats = nullptr;              ///< receives the work done, added to what it holds
    RobotScratch* scratch = nullptr;          ///< working memory to reuse
};

/// Settings of a question about many configurations.
struct RobotBatchSettings {
    double clearance = 0;  ///< bodies no further apart than this collide too, as `within` decides it
    /// Number of each configuration's world. May be empty when no object has a number.
    std::span<const std::uint32_t> worlds = {};
    unsigned threads = 0;         ///< 0 means one per core
    RobotStats* stats = nullptr;  ///< receives the work done, added to what it holds
    /// Called several times per second in the calling thread. The first `done` configurations have their answers then.
    /// `Step::Stop` ends the batch early. It must not throw.
    std::function<Step(std::size_t done)> progress = {};
};

/// The pair of bodies that are closest to each other.
struct RobotDistance {
    std::uint32_t pair = 0;  ///< its number; meaningless when the distance is infinite
    Closest closest;         ///< infinite when there is no pair; points are in the root link's frame
};

/// A robot and the objects around it, ready for questions about configurations.
///
/// A configuration has a value for each joint that moves by itself. Two bodies collide when they have a point in common
/// (`intersects`), or when part of one lies inside the other, which is closed (`relation`). Answers are exact for the
/// placements of `place`: spheres and boxes around bodies only leave out pairs that are certainly apart. Copies share
/// their memory, and many threads may ask one robot at once.
class Robot {
public:
    /// In place of a pair when no pair collides.
    static constexpr std::uint32_t none = ~0u;

    /// A robot of one link without bodies.
    Robot();
    /// A fault names the joint, body or pair that is wrong: links that do not exist or form a ring, two joints with the
    /// same child, an axis that is not of unit length, pairs of bodies of different worlds.
    static Result<Robot> build(RobotParts parts);

    /// The joints, sorted: those above a link come before those below it.
    const std::vector<Joint>& joints() const;
    const std::vector<RobotBody>& bodies() const;
    const std::vector<RobotPair>& pairs() const;
    /// A body as a solid, which shares the model's memory.
    const Solid& solid(std::uint32_t body) const;
    std::uint32_t link_count() const;
    /// The link that is no joint's child. It does not move, and its frame is that of the world.
    std::uint32_t root() const;
    /// Number of values of a configuration.
    std::uint32_t value_count() const;

    /// Forward kinematics: the placement of each link. The numbers are the same bits on every machine and on a GPU for
    /// values up to 2^20. A fault names the joint whose value is not finite, or says how many values are needed.
    Result<std::vector<Pose>> place(std::span<const double> values) const;
    /// Writes the placements to a vector of the caller's, which keeps its memory.
    Result<void> place(std::span<const double> values, std::vector<Pose>& world_from_link) const;

    // One configuration. A fault names what is wrong with the values, or says that the world is missing.

    /// Whether any pair collides.
    Result<bool> collides(std::span<const double> values, const RobotSettings& settings = {}) const;
    /// The numbers of the pairs that collide, in ascending order.
    Result<std::vector<std::uint32_t>> colliding_pairs(std::span<const double> values,
                                                       const RobotSettings& settings = {}) const;
    /// The least distance between the bodies of a pair: 0 when their surfaces meet or one lies inside the other.
    Result<RobotDistance> distance(std::span<const double> values, const RobotDistanceSettings& settings = {}) const;

    // Many configurations, on threads. `values` has the values of one configuration after the other. A fault names the
    // first configuration with a value that is not finite; answers are then incomplete.

    /// Whether each configuration collides: answers[i] becomes 1 if any pair does, 0 if none does.
    Result<void> collides(std::span<const double> values, std::span<std::uint8_t> answers,
                          const RobotBatchSettings& settings = {}) const;
    /// pairs[i] becomes the number of a pair that collides in configuration i, whichever is found first, or `none`.
    Result<void> any_pair(std::span<const double> values, std::span<std::uint32_t> pairs,
                          const RobotBatchSettings& settings = {}) const;
    /// Which pairs collide in each configuration. Each has `words()` numbers in `bits`: pair p is bit p % 32 of number
    /// p / 32. `inside`, of the same size or empty, receives those of them of which one body lies inside the other and
    /// the surfaces do not meet.
    Result<void> all_pairs(std::span<const double> values, std::span<std::uint32_t> bits,
                           std::span<std::uint32_t> inside = {}, const RobotBatchSettings& settings = {}) const;
    /// The number of pairs that collide in each configuration.
    Result<void> count_pairs(std::span<const double> values, std::span<std::uint32_t> counts,
                             const RobotBatchSettings& settings = {}) const;
    /// The first configuration that collides. Empty when none does, or when `progress` stopped the batch. Which one is
    /// first depends on the order and on nothing else.
    Result<std::optional<std::size_t>> first_collision(std::span<const double> values,
                                                       PoseOrder order = PoseOrder::Given,
                                                       const RobotBatchSettings& settings = {}) const;
    /// Numbers of 32 bits that hold one bit per pair.
    std::size_t words() const { return (pairs().size() + 31) / 32; }

    // Questions about links that are placed already, for checks of your own. Placements are those of `place`.

    /// The placement of a body: that of its link, or the identity for an object.
    const Pose& world_from_body(std::span<const Pose> world_from_link, std::uint32_t body) const;
    /// The placement of a pair's second body in the first one's frame, as `relative` of affine placements gives it.
    Affine a_from_b(std::span<const Pose> world_from_link, std::uint32_t pair) const;
    /// Whether the surfaces of a pair's bodies meet, or are no further apart than `settings.clearance`.
    bool touch(std::uint32_t pair, const Affine& a_from_b, const RobotPairSettings& settings = {}) const;
    /// Whether part of one body of a pair lies inside the other. For bodies whose surfaces do not meet.
    bool nested(std::uint32_t pair, const Affine& a_from_b) const;
    /// Whether the bodies of a pair collide: they touch, or are nested.
    bool collides(std::uint32_t pair, const Affine& a_from_b, const RobotPairSettings& settings = {}) const;

    /// Calls `f(pair, a_from_b)` for each pair that spheres and boxes do not tell apart, until f returns `Step::Stop`.
    /// Pairs that may be no further apart than `settings.clearance` are among them. Pairs with an object of another
    /// world than `settings.world` are not. They come in ascending order, or with `likely_first` those for which f
    /// returned `Step::Stop` most often come first. Returns true when every pair was visited. f runs in the calling
    /// thread and must not throw.
    template <class F>
        requires std::same_as<std::invoke_result_t<F&, std::uint32_t, const Affine&>, Step>
    bool for_each_near_pair(std::span<const Pose> world_from_link, F&& f, const RobotSettings& settings = {},
                            bool likely_first = false) const {
        using Fn = std::remove_reference_t<F>;
        return near_pairs(
            world_from_link,
            [](void* c, std::uint32_t pair, const Affine& a_from_b) { return (*static_cast<Fn*>(c))(pair, a_from_b); },
            const_cast<void*>(static_cast<const void*>(std::addressof(f))), settings, likely_first);
    }

private:
    using NearPairSink = Step (*)(void* context, std::uint32_t pair, const Affine& a_from_b);
    explicit Robot(std::shared_ptr<const detail::RobotData> data) : data_(std::move(data)) {}
    bool near_pairs(std::span<const Pose> world_from_link, NearPairSink sink, void* context,
                    const RobotSettings& settings, bool likely_first) const;
    /// Places the links in the scratch's memory for a question about one configuration.
    Result<void> place_one(std::span<const double> values, std::optional<std::uint32_t> world,
                           RobotScratch& scratch) const;
    template <class F>
    Result<void> batch(std::span<const double> values, std::size_t configurations, const RobotBatchSettings& settings,
                       F&& f) const;

    std::shared_ptr<const detail::RobotData> data_;
};

}  // namespace graze
