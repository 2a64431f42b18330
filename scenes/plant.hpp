// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// A plant of some seventy parts: foundations, columns, beams, a deck with vessels on it, pumps, pipework, bolts.
/// Metres, z up. Shapes are closed and look outwards. All coordinates, placed ones too, are multiples of 2^-16 below
/// 16, so that single precision holds them and what rests on something touches it exactly, in every file format.
struct Plant {
    struct Part {
        std::string name;         ///< kind and number: bolt-3
        std::uint32_t shape = 0;  ///< parts of one shape share it
        Pose world_from_shape;
    };
    /// Parts, by patterns with `*`, that are meant to meet, and why.
    struct Allowed {
        std::string a, b, reason;
    };
    /// Two parts that meet and should not, and how: duplicate, crossing, inside or touching.
    struct Mistake {
        std::string a, b, kind;
    };

    std::vector<Soup> shapes;
    std::vector<Part> parts;
    std::vector<Allowed> allowed;
    std::vector<Mistake> mistakes;  ///< all that meets and is not allowed
};
Plant plant();

/// Any number of parts of any size, each a shape of `parts()` stretched its own way, so that no two are alike. They
/// lie in rows, turned and pushed about, and meet about 0.7 others each on average. Made one at a time: only six shapes
/// are held.
class LargePlant {
public:
    LargePlant(std::uint32_t count, std::uint32_t triangles, std::uint64_t seed = 1);

    std::uint32_t size() const { return count_; }
    /// nut-0042; all of one length.
    std::string name(std::uint32_t i) const;
    /// In its place.
    Soup part(std::uint32_t i) const;

private:
    std::uint32_t count_, across_;
    std::uint64_t seed_;
    std::vector<Soup> shapes_;
};

}  // namespace graze::scenes
