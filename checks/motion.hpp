// SPDX-License-Identifier: Apache-2.0
// Two models, pose after pose: when they meet.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "checks/kind.hpp"
#include "graze/graze.hpp"

namespace graze::checks {

/// Frames one after the other in which the two meet.
struct Interval {
    std::size_t begins = 0, ends = 0;  ///< the first frame and the last
    Kind kind = Kind::Touching;        ///< the gravest of its frames
    std::uint64_t most = 0;            ///< contacts in a frame
    std::size_t at = 0;                ///< the first frame with that many
};

/// What is asked of each frame.
enum class Ask : std::uint8_t {
    All,    ///< all contacts
    First,  ///< whether they meet, and one contact
    Meets,  ///< whether they meet: the quickest
};

struct Motion {
    std::vector<std::uint64_t> contacts;  ///< of each frame; 1 or 0 where not all were asked for
    std::vector<Interval> intervals;
    QueryStats stats;
    double ms = 0;  ///< of the queries

    std::size_t frames_in_contact() const;
    std::uint64_t contact_count() const;
};

/// One frame's answer.
struct FrameAnswer {
    std::size_t frame = 0;
    bool meets = false;
    std::vector<Contact> contacts;  ///< as many as were asked for, in no order
    Kind kind = Kind::Touching;     ///< of these
    QueryStats stats;
    double ms = 0;  ///< of the query
};

/// `Step::Stop` ends the motion after the frame. The answer's contacts may be changed.
using FrameVisitor = std::function<Step(FrameAnswer&)>;

/// Each frame by itself, as the library's queries answer it; a front carries over from frame to frame. Nothing is said
/// about what happens between frames.
Motion follow(const Model& a, const Model& b, std::span<const Pose> a_from_b, Ask ask = Ask::All,
              const FrameVisitor& visit = {});

/// Where B is in A's frame when both move; as many of the one as of the other. The fault names the frame.
Result<std::vector<Pose>> relative_motion(std::span<const Pose> world_from_a, std::span<const Pose> world_from_b);

}  // namespace graze::checks
