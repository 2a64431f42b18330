// SPDX-License-Identifier: Apache-2.0
// Which links of a robot collide with each other or with the surroundings, for given joint values.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checks/contact_kind.hpp"
#include "files/robot.hpp"

namespace graze::checks {

/// A link that has shapes, or an object of the world.
struct RobotBody {
    std::string name;
    std::optional<std::uint32_t> link;  ///< none for an object of the world, which is in the root link's frame
    Model model;                        ///< all shapes of the link in its frame, in their order
};

/// A static object around a robot, in the root link's frame.
struct WorldObject {
    std::string name;
    Model model;
};

/// Two bodies that meet, one of which lies inside the other, or that are too close.
struct BodyHit {
    std::uint32_t pair = 0;      ///< index into `RobotCheck::pairs`
    std::uint64_t contacts = 0;  ///< number of triangle pairs that meet; 0 unless `Contacts` was asked
    Kind kind =
        Kind::Touching;  ///< how they overlap without contact, `Clearance`, or how they meet when `Contacts` was asked
    Nesting nesting = Nesting::None;  ///< which lies inside the other
    /// For `Clearance`: the distance and the closest points, in the root link's frame.
    std::optional<Closest> closest = {};
    friend bool operator==(const BodyHit&, const BodyHit&) = default;
};

/// What to find out about a configuration.
enum class RobotAsk : std::uint8_t {
    Free,      ///< whether any pair collides or is too close; stops at the first one found, and does not tell its kind
    Pairs,     ///< which pairs collide
    Contacts,  ///< which pairs collide, the number of contacts of each, and how they meet
};

struct RobotQuestion {
    RobotAsk ask = RobotAsk::Contacts;
    double clearance = 0;  ///< bodies no further apart than this are too close, as `within` decides it; 0 for none

    RobotQuestion() = default;
    RobotQuestion(RobotAsk what, double distance = 0) : ask(what), clearance(distance) {}
};

/// How pairs were decided.
struct RobotStats {
    std::uint64_t pairs = 0;    ///< pairs of all configurations
    std::uint64_t spheres = 0;  ///< of those, decided by spheres
    std::uint64_t boxes = 0;    ///< of the rest, decided by boxes
    std::uint64_t asked = 0;    ///< of the rest, decided by a query; `Free` stops early
    QueryStats queries;

    RobotStats& operator+=(const RobotStats& o);
};

/// A robot prepared for checks. Exact: two bodies meet when `intersects(a, b, relative(world_from_a, world_from_b))`
/// says so, with the links where `files::place` puts them. Bodies that do not meet collide when `nesting` finds one
/// inside the other. Shared by threads.
class RobotCheck {
public:
    struct Pair {
        std::uint32_t a = 0, b = 0;  ///< into `bodies`, a < b
    };

    /// The pairs are all of two links with shapes, but for those that the semantics disable; without semantics but for
    /// those of a link and the next one with shapes above it, and those that cannot move against each other. Links
    /// are checked against the objects of the world, which come last. Links that cannot move are not, unless no link
    /// can: a robot stands on something.
    static Result<RobotCheck> make(files::Robot robot, const files::RobotSemantics* semantics = nullptr,
                                   std::vector<WorldObject> world = {}, unsigned threads = 0);

    const files::Robot& robot() const { return robot_; }
    const std::vector<RobotBody>& bodies() const { return bodies_; }
    const std::vector<Pair>& pairs() const { return pairs_; }
    std::size_t left_out() const { return left_out_; }      ///< pairs of links with shapes that are not checked
    std::size_t link_count() const { return link_count_; }  ///< links with shapes: the first bodies
    /// Links with shapes that are not checked against the world because they cannot move.
    const std::vector<std::string>& standing() const { return standing_; }

    /// Working memory, one per thread. It learns which pairs meet often, and never changes an answer.
    class Memory {
    public:
        RobotStats stats;

    private:
        friend class RobotCheck;
        /// A body in the world. Each half is valid when its number is that of the current configuration.
        struct Placed {
            std::uint64_t boxed = 0, inverted = 0;
            Vec3 middle, axis[3];  ///< of its oriented box
            double loose = 0;      ///< what may be added to half a side because the axes are not orthonormal
            double slack = 0;      ///< what rounding may add to lengths
            Pose inverse;
        };
        std::uint64_t configuration_ = 0;
        struct Sphere {
            Vec3 centre;
            double radius = 0;
        };
        std::vector<Sphere> spheres_;      ///< one per body, in the world, slack included
        std::vector<std::uint32_t> near_;  ///< pairs whose spheres are not apart
        std::vector<std::uint32_t> met_;   ///< how often a pair met, for `Free`
        std::vector<Placed> placed_;
        Scratch scratch_;
        std::vector<Contact> contacts_;
    };

    /// The placement of each link, as in `files::RobotPose`.
    using Links = std::span<const Pose>;
    /// Finds the pairs that collide or are too close, in the order of `pairs`, for these placements of the links.
    Result<void> check(Links world_from_link, const RobotQuestion& question, Memory& memory,
                       std::vector<BodyHit>& hits) const;
    /// Asks about these pairs only, which are decided by queries, and adds those that collide or are too close.
    Result<void> check_pairs(Links world_from_link, const RobotQuestion& question, std::span<const std::uint32_t> pairs,
                             Memory& memory, std::vector<BodyHit>& hits) const;
    /// The contacts of one pair, sorted.
    Result<std::vector<Contact>> contacts(Links world_from_link, std::uint32_t pair) const;
    /// Where the bodies of one pair are closest, in the root link's frame.
    Closest closest(Links world_from_link, std::uint32_t pair) const;
    /// The placement of a body.
    const Pose& placement(Links world_from_link, std::uint32_t body) const;

private:
    /// A sphere and a box around a body, in its frame.
    struct Volume {
        Vec3 centre;
        double radius = 0;
        Vec3 middle, axis[3], half;
        double lengths = 0;  ///< bounds every length and every sum of coordinates above
    };
    static Volume volume_around(const Model& model);
    void prepare(Memory& memory) const;
    std::size_t find_near(Links world_from_link, double reach, Memory& memory) const;
    const Memory::Placed& boxed(std::uint32_t body, Links world_from_link, Memory& memory) const;
    bool boxes_apart(const Pair& pair, Links world_from_link, double reach, Memory& memory) const;
    Result<Pose> relative_pose(const Pair& pair, Links world_from_link, Memory& memory) const;
    bool decide(const Pair& pair, Links world_from_link, const Pose& a_from_b, const RobotQuestion& question,
                Memory& memory, BodyHit& hit) const;

    files::Robot robot_;
    std::vector<RobotBody> bodies_;
    std::vector<Volume> volumes_;         ///< one per body
    std::vector<std::uint32_t> checked_;  ///< bodies that are part of a pair
    std::vector<Pair> pairs_;
    std::vector<Solid> solids_;  ///< one per body
    std::size_t left_out_ = 0, link_count_ = 0;
    std::vector<std::string> standing_;
};

/// All joints at 0. A joint whose limits exclude 0 is in the middle of them.
std::vector<double> rest_values(const files::Robot& robot);

/// Random configurations, uniform within the joint limits. A joint without limits moves by up to half a turn or 1 m
/// either way.
std::vector<double> random_values(const files::Robot& robot, std::size_t configurations, std::uint64_t seed);

/// The answers of many configurations.
struct RobotAnswers {
    std::vector<std::size_t> first;  ///< configuration i has the hits from first[i] to first[i + 1]
    std::vector<BodyHit> hits;
    std::size_t beyond = 0;    ///< configurations with a value beyond its limits
    std::string beyond_first;  ///< which joint of the first of these is beyond which limit
    RobotStats stats;

    std::size_t size() const { return first.size() - 1; }
    std::span<const BodyHit> of(std::size_t i) const {
        return std::span(hits).subspan(first[i], first[i + 1] - first[i]);
    }
};

/// Checks many configurations on several threads. `values` has a value per active joint, configuration by
/// configuration. A fault names the configuration.
/// `progress` is called from one thread at a time with how many are done. Another thread may set `stop` to end the
/// check early; what is returned is then a fault.
Result<RobotAnswers> check_all(const RobotCheck& check, std::size_t configurations, std::span<const double> values,
                               const RobotQuestion& question, unsigned threads = 0,
                               const std::function<void(std::size_t)>& progress = {},
                               const std::atomic<bool>* stop = nullptr);

}  // namespace graze::checks
