// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// Two parts that are made to fit into each other.
enum class Fit : std::uint8_t {
    Bolt,      ///< in the hole of a square plate, its head flush with the plate
    Plates,    ///< two boxes, face to face
    Ring,      ///< on a shaft, flush against its shoulder
    Shells,    ///< a hollow box that fills the cavity of another
    Ball,      ///< in a socket
    Copy,      ///< a part and its copy, moved
    Dumbbell,  ///< around a pin, which fits one end and is too large for the other
};
inline constexpr int fit_kinds = 7;
/// In lower case.
const char* name(Fit fit);

struct FitSettings {
    double size = 0.5;  ///< approximate size of the parts
    double depth = 0;   ///< how far one part reaches into the other; a tenth of the size at most. Negative: a clearance
    std::uint32_t triangles = 1000;  ///< per part, about; 100 at least
    bool turned = true;  ///< turned any way, so that nothing is exact; otherwise boxes are flush to the last bit
    std::uint64_t seed = 1;
};

/// A pair of parts of which it is known how deep they reach into each other. Round parts are prisms of different
/// numbers of sides, whose corners or whose sides lie on the circle. Closed, looking outwards.
struct FitPair {
    struct Part {
        Soup shape;
        Pose world_from_shape;
        double error =
            0;  ///< how far its triangles are from the round part, and its coordinates from their true values
    };
    std::array<Part, 2> parts;
    Fit kind = Fit::Bolt;
    /// No point of one part's surface is deeper than `high` in the other part, and one is at least as deep as `low`.
    /// For `Copy` the length of the way between the two.
    double low = 0, high = 0;

    double band() const { return parts[0].error + parts[1].error; }
};
/// Around the origin, within twice its size of it.
FitPair fit(Fit kind, const FitSettings& settings);

/// Any number of parts that fit each other two by two, half a metre large, and nothing else. Every other one of each
/// kind pair fits, and the other overlaps by 3 to 5 cm. Copies are 1 mm or 5 cm apart. Made one pair at a time.
class ManyFits {
public:
    ManyFits(std::uint32_t pairs, std::uint32_t triangles, std::uint64_t seed = 1);

    std::uint32_t size() const { return pairs_; }
    /// ball-0042
    std::string name(std::uint32_t i) const;
    /// In its place.
    FitPair pair(std::uint32_t i) const;

private:
    std::uint32_t pairs_, across_, triangles_;
    std::uint64_t seed_;
};

}  // namespace graze::scenes
