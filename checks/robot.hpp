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

/// Two links that are fixed to each other, and collide in every configuration.
struct FixedHit {
    std::uint32_t a = 0, b = 0;  ///< bodies, a < b
    std::uint64_t contacts = 0;  ///< number of triangle pairs that meet
    Kind kind = Kind::Touching;
};

/// The answer to find for a configuration.
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

/// A robot prepared for checks. Exact: two bodies meet when `intersects(a, b, relative(world_from_a, world_from_b))`
/// says so, with the links where `files::place` puts them. Bodies that do not meet collide when one is inside the
/// other. Shared by threads.
class RobotCheck {
public:
    using Pair = RobotPair;  ///< into `bodies`, a < b

    /// The pairs are those of `files::robot_parts`. Of a robot that moves, links that are fixed to each other are
    /// checked here, once, and are not among the pairs. Objects of the world come last.
    static Result<RobotCheck> make(files::Robot robot, const files::RobotSemantics* semantics = nullptr,
                                   std::vector<WorldObject> world = {}, unsigned threads = 0);

    const files::Robot& robot() const { return robot_; }
    /// The robot and its world in the library's words.
    const graze::Robot& prepared() const { return prepared_; }
    /// Links with shapes, then the objects of the world.
    const std::vector<RobotBody>& bodies() const { return prepared_.bodies(); }
    const std::vector<Pair>& pairs() const { return prepared_.pairs(); }
    std::size_t left_out() const { return left_out_; }        ///< pairs of links with shapes that are not checked
    std::size_t fixed_pairs() const { return fixed_pairs_; }  ///< pairs of links that are fixed, and were checked once
    const std::vector<FixedHit>& fixed_hits() const { return fixed_hits_; }  ///< those of them that collide
    std::size_t link_count() const { return link_count_; }                   ///< links with shapes: the first bodies
    /// Why they are not.
    const char* left_out_because() const { return left_out_because_; }
    /// Links with shapes that are not checked against the world because they cannot move.
    const std::vector<std::string>& standing() const { return standing_; }

    /// Working memory, one per thread. It learns which pairs meet often, and never changes an answer.
    class Memory {
    public:
        RobotStats stats;

    private:
        friend class RobotCheck;
        RobotScratch near_;
        Scratch scratch_;
        std::vector<Contact> contacts_;
    };

    /// The placement of each link, as in `files::RobotPose`.
    using Links = std::span<const Pose>;
    /// Finds the pairs that collide or are too close, in the order of `pairs`, for these placements of the links.
    void check(Links world_from_link, const RobotQuestion& question, Memory& memory, std::vector<BodyHit>& hits) const;
    /// Asks about these pairs only, which are decided by queries, and adds those that collide or are too close.
    void check_pairs(Links world_from_link, const RobotQuestion& question, std::span<const std::uint32_t> pairs,
                     Memory& memory, std::vector<BodyHit>& hits) const;
    /// The contacts of one pair, sorted.
    std::vector<Contact> contacts(Links world_from_link, std::uint32_t pair) const;
    /// Where the bodies of one pair are closest, in the root link's frame.
    Closest closest(Links world_from_link, std::uint32_t pair) const;
    /// The placement of a body.
    const Pose& placement(Links world_from_link, std::uint32_t body) const {
        return prepared_.world_from_body(world_from_link, body);
    }

private:
    bool decide(std::uint32_t pair, Links world_from_link, const Affine& a_from_b, const RobotQuestion& question,
                Memory& memory, BodyHit& hit) const;

    files::Robot robot_;
    graze::Robot prepared_;
    Result<void> check_fixed(std::span<const Pair> pairs);

    std::size_t left_out_ = 0, link_count_ = 0, fixed_pairs_ = 0;
    std::vector<FixedHit> fixed_hits_;
    const char* left_out_because_ = "";
    std::vector<std::string> standing_;
};

/// All joints at 0. A joint whose limits exclude 0 is in the middle of them.
std::vector<double> rest_values(const files::Robot& robot);

/// Takes the limits of joints that follow others away: only joints with values of their own are kept within limits.
void free_followers(files::Robot& robot);

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
/// configuration. A fault names the first invalid configuration.
/// `progress` is called from one thread at a time with how many are done. Another thread may set `stop` to end the
/// check early; what is returned is then a fault.
Result<RobotAnswers> check_all(const RobotCheck& check, std::size_t configurations, std::span<const double> values,
                               const RobotQuestion& question, unsigned threads = 0,
                               const std::function<void(std::size_t)>& progress = {},
                               const std::atomic<bool>* stop = nullptr);

}  // namespace graze::checks
