// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// A robot's arm of six axes with a gripper of two fingers. Metres and radians.
struct Arm {
    struct Link {
        std::string name;
        Soup shape;  ///< in the link's frame
    };
    struct Joint {
        std::string name, kind;  ///< revolute, prismatic or fixed, as URDF has them
        std::string parent, child;
        Vec3 origin;  ///< in the parent's frame; frames are not turned at the value 0
        Vec3 axis{0, 0, 1};
        double lower = 0, upper = 0;
        std::string follows;  ///< a joint whose value it takes; mostly none
    };
    /// Links that need no check against each other, and why.
    struct Disabled {
        std::string a, b, reason;
    };

    std::vector<Link> links;  ///< the first stands still
    std::vector<Joint> joints;
    std::vector<Disabled> disabled;
};
Arm arm();

/// A value for each joint that moves and follows none.
using ArmValues = std::array<double, 7>;
/// Upright, elbow bent: touches nothing.
inline constexpr ArmValues arm_home = {0, 0, 0, 0, 0, 0, 0.02};
/// Starts and ends at home. In the middle it folds up so far that it hits itself.
std::vector<ArmValues> arm_path(std::size_t frames = 100);

}  // namespace graze::scenes
