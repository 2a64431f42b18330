// SPDX-License-Identifier: Apache-2.0
// The distance of two meshes in one pose: how it is found, and how it is written.
#pragma once

#include <cmath>
#include <limits>

#include "poses.hpp"

namespace graze::apps {

struct DistanceArguments : PairArguments {
    PoseArguments placing;
    double max_distance = std::numeric_limits<double>::infinity();
    std::string map;  ///< file for the distance of each triangle of A; empty for none
};

/// The answer for one pose.
struct PoseDistance {
    std::size_t pose = 0;
    ClosestTriangles closest;    ///< the distance is infinite beyond --max-distance
    checks::Manner manner = {};  ///< for models whose surfaces do not meet
    bool close = false;          ///< they do not meet, and are no further apart than --clearance
    QueryStats stats;
    double ms = 0;

    bool beyond() const { return !std::isfinite(closest.distance); }
    bool touches() const { return closest.distance == 0; }
    bool inside() const { return manner.overlaps(); }
};

/// Asks for one pose after the other.
class Ruler {
public:
    Ruler(const DistanceArguments& arguments, const LoadedPair& pair, std::size_t poses);

    PoseDistance measure(std::size_t number, const Pose& a_from_b);
    /// The pose as a page shows it.
    checks::FrameAnswer frame_of(const PoseDistance& d, const Pose& a_from_b) const;

private:
    const DistanceArguments& arguments_;
    const Model &a_, &b_;
    Solid solid_a_, solid_b_;
    bool several_;  ///< a single pose has no query before it to start from
    Scratch scratch_;
    Front front_;
};

/// Writes the answers pose by pose in the format asked for.
class DistanceLines {
public:
    DistanceLines(const DistanceArguments& arguments, const LoadedPair& pair, std::span<const Pose> poses);

    /// Appends one object without a line break.
    void append_json(fmt::memory_buffer& out, const PoseDistance& d) const;
    std::string csv_head() const;
    void append_csv(fmt::memory_buffer& out, const PoseDistance& d) const;
    /// Appends a line on one of many poses.
    void append_line(fmt::memory_buffer& out, const PoseDistance& d) const;
    /// Appends several lines on the only pose.
    void append_only(fmt::memory_buffer& out, const PoseDistance& d) const;
    /// A length with its unit.
    std::string length(double x) const { return length_text(x, pair_.unit); }

private:
    std::string in_words(const PoseDistance& d) const;
    TrianglePair polygons_of(const TrianglePair& triangles) const;

    const DistanceArguments& arguments_;
    const LoadedPair& pair_;
    bool matrix_;
    std::span<const Pose> poses_;
};

}  // namespace graze::apps
