// SPDX-License-Identifier: Apache-2.0
// When two models meet along a sequence of poses.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "checks/contact_kind.hpp"
#include "graze/graze.hpp"

namespace graze::checks {

/// A run of consecutive frames in which the two models meet, or one lies inside the other.
struct Interval {
    std::size_t begins = 0, ends = 0;  ///< first and last frame
    Kind kind = Kind::Touching;        ///< the gravest kind of all its frames
    std::uint64_t most = 0;            ///< the largest number of contacts in a frame
    std::size_t at = 0;                ///< the first frame with that many
};

/// What to find out about each frame.
enum class Ask : std::uint8_t {
    All,    ///< all contacts
    First,  ///< whether they meet, and one contact
    Meets,  ///< whether they meet: the quickest
};

struct Motion {
    std::vector<std::uint64_t> contacts;  ///< number of contacts per frame; 1 or 0 unless all were asked for
    std::vector<bool> meets;              ///< per frame: they are in contact, or one lies inside the other
    std::vector<Interval> intervals;
    QueryStats stats;
    double ms = 0;  ///< time of all queries, in milliseconds

    std::size_t frames_in_contact() const;
    std::size_t frames_inside() const;  ///< frames without contacts in which one lies inside the other
    std::uint64_t contact_count() const;
};

/// The answer for one frame.
struct FrameAnswer {
    std::size_t frame = 0;
    bool meets = false;               ///< their surfaces meet, or one lies inside the other
    std::vector<Contact> contacts;    ///< in no particular order
    Kind kind = Kind::Touching;       ///< how the models meet in these contacts; `Inside` without contacts
    Nesting nesting = Nesting::None;  ///< which lies inside the other; `None` when surfaces meet
    QueryStats stats;
    double ms = 0;  ///< time of the query, in milliseconds
};

/// Called after each frame. `Step::Stop` ends the motion. The visitor may change the answer's contacts.
using FrameVisitor = std::function<Step(FrameAnswer&)>;

/// Answers each frame exactly, as the library's queries do. Where surfaces do not meet, `nesting` says whether one
/// model lies inside the other. A front speeds up successive frames. Nothing is checked
/// between frames.
Motion follow(const Model& a, const Model& b, std::span<const Pose> a_from_b, Ask ask = Ask::All,
              const FrameVisitor& visit = {});

/// The poses of B in A's frame when both move. Both must have the same number of poses. A fault names the frame.
Result<std::vector<Pose>> relative_motion(std::span<const Pose> world_from_a, std::span<const Pose> world_from_b);

}  // namespace graze::checks
