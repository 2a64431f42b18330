// SPDX-License-Identifier: Apache-2.0
// When two models meet along a sequence of poses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "checks/contact_kind.hpp"
#include "graze/graze.hpp"

namespace graze::checks {

/// A run of consecutive frames in which the two models meet, one lies inside the other, or they are too close.
struct Interval {
    std::size_t begins = 0, ends = 0;  ///< first and last frame
    Kind kind = Kind::Touching;        ///< the gravest kind of all its frames
    std::uint64_t most = 0;            ///< the largest number of contacts in a frame
    /// The frame that shows the interval: the first with the most contacts. Without contacts, the first in which one
    /// model lies inside the other. Without such frames, the first with the least distance.
    std::size_t at = 0;
    std::optional<double> least;  ///< that distance, where it was measured
};

/// The question about each frame.
enum class Ask : std::uint8_t {
    All,    ///< all contacts
    First,  ///< whether they meet, and one contact
    Meets,  ///< whether they meet, and no distances: the quickest
};

struct FollowSettings {
    Ask ask = Ask::All;
    /// Models that do not meet are too close when they are no further apart than this. 0 for none.
    double clearance = 0;
    unsigned threads = 1;  ///< 0 means one per core
    /// Per frame, whether the surfaces meet, where a batch has found that out already. Frames without contact are then
    /// not asked again. Empty when nothing is known.
    std::span<const std::uint8_t> known = {};
};

/// A frame in which two models do not meet and are no further apart than the clearance.
struct CloseFrame {
    std::size_t frame = 0;
    std::optional<ClosestTriangles> closest;  ///< in A's frame; nothing for `Ask::Meets`
};

struct Motion {
    std::vector<std::uint64_t> contacts;  ///< number of contacts per frame; 1 or 0 unless all were asked for
    std::vector<bool> meets;              ///< per frame: they are in contact, or one lies inside the other
    std::vector<CloseFrame> close;        ///< frames in which they do not meet and are too close
    std::vector<Interval> intervals;
    QueryStats stats;
    double ms = 0;  ///< time of all queries, in milliseconds

    std::size_t frames_in_contact() const;
    std::size_t frames_inside() const;  ///< frames without contacts in which one lies inside the other
    std::vector<bool> hits() const;     ///< per frame: they meet or are too close
    std::uint64_t contact_count() const;
};

/// The answer for one frame.
struct FrameAnswer {
    std::size_t frame = 0;
    bool meets = false;             ///< their surfaces meet, or part of one lies inside the other
    std::vector<Contact> contacts;  ///< in no particular order
    Kind kind = Kind::Touching;     ///< how the models meet in these contacts, or overlap without any; or `Clearance`
    bool close = false;             ///< they do not meet, and are no further apart than the clearance
    std::optional<ClosestTriangles> closest;  ///< where, in A's frame; nothing for `Ask::Meets`
    Nesting nesting = Nesting::None;          ///< which lies inside the other
    QueryStats stats;
    double ms = 0;  ///< time of the query, in milliseconds

    bool hit() const { return meets || close; }
};

/// Called after each frame. `Step::Stop` ends the motion. The visitor may change the answer's contacts.
using FrameVisitor = std::function<Step(FrameAnswer&)>;

/// Answers each frame exactly, as the library's queries do. Where surfaces do not meet, `kind` says whether a
/// body of one lies inside the other, and `close` whether they are within the clearance, as `within` decides it. Fronts
/// speed up successive frames. Nothing is checked between frames. Frames are visited in order, in the calling thread.
Motion follow(const Model& a, const Model& b, std::span<const Pose> a_from_b, const FollowSettings& settings = {},
              const FrameVisitor& visit = {});

/// The poses of B in A's frame when both move. A fault unless both have the same number of poses.
Result<std::vector<Pose>> relative_motion(std::span<const Pose> world_from_a, std::span<const Pose> world_from_b);

}  // namespace graze::checks
