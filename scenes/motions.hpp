// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/dynamics.hpp"
#include "scenes/soup.hpp"

namespace graze::scenes {

/// A body that moves in a fixed environment. Made by the engine of scenes/dynamics.hpp.
struct Motion {
    std::string name;
    Soup environment, body;
    std::vector<Pose> path;  ///< environment_from_body, a frame each
};

/// Counterparts of the scenes in the temporal coherence paper (section 6, table 1), by their
/// triangles in environment and body:
/// - pipes, 145k and 145k: a cube of pipes and the same 15 times smaller, tumbling in it, drawn to the centre;
/// - torus, 98k and 20k: the wrinkled torus falling over the landscape's stalagmite;
/// - hand, 170k and 404: a slender hand drawn here and there through a heap of boulders;
/// - flange, 960 and 5,304: a threaded bolt rattling in the bore of a flange with bolt holes, now and then half out.
/// Bodies come to rest, so each is thrown anew every 250 or 300 frames.
inline constexpr std::array<std::string_view, 4> motion_names{"pipes", "torus", "hand", "flange"};

/// Nothing for another name. `scale` is about the share of triangles, for quick tests; the torus
/// and the hand stay whole. Frames: 4,000, 3,000, 2,500, 2,000.
std::optional<Motion> motion(std::string_view name, double scale = 1, SimulationStats* stats = nullptr);
std::vector<Motion> motions(double scale = 1);

/// How far a point of the body can have moved between two poses, over the body's size: |Δt| of the
/// centre of its axis-aligned box + angle × greatest distance from there, over the box's longest edge.
class MotionSize {
public:
    explicit MotionSize(const Soup& body);
    double operator()(const Pose& from, const Pose& to) const;
    const Vec3& centre() const { return centre_; }

private:
    Vec3 centre_;
    double radius_ = 0, size_ = 1;
};

/// Frames on the same path whose motion size, each to the next, is `motion`. Between the path's
/// frames centre and rotation move evenly together. Where the body rests or trembles by less than
/// that, frames are left out. `motion` is positive.
std::vector<Pose> resampled(std::span<const Pose> path, const Soup& body, double motion);

}  // namespace graze::scenes
