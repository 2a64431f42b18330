// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenes/soup.hpp"

namespace graze::scenes {

/// Any number of parts of any size in a lattice of rooms, 4 m wide: tanks, pipes, beams and cabinets, each stretched
/// its own way. Made one at a time: only four shapes are held. Every part is closed and looks outwards. All coordinates
/// are multiples of 2^-13 below 2^11, so that single precision holds them.
///
/// Which parts clash is known by construction. A part stays 0.25 m away from the walls of its room, so parts of
/// different rooms are at least 0.5 m apart. A room holds one part or two. Two parts either clash in a way that is
/// planned, or their boxes overlap and they are clear:
/// - a pipe through a tank: crossing;
/// - a cabinet in a tank: inside;
/// - a part twice: duplicate;
/// - a cabinet upon another: touching;
/// - a thin pipe in the bore of a wide one: clear by more than 0.25 m.
class City {
public:
    /// `clashes` rooms hold two parts that clash: at most half as many rooms as there are parts. A fifth as many rooms
    /// as there are parts hold two that are clear, if there are enough parts. Such rooms are spread over all.
    City(std::uint32_t parts, std::uint32_t triangles, std::uint32_t clashes, std::uint64_t seed = 1);

    std::uint32_t size() const { return parts_; }
    /// tank-0042; the numbers are all of one length.
    std::string name(std::uint32_t i) const;
    /// The part in its place.
    Soup part(std::uint32_t i) const;

    /// Two parts that clash, and how.
    struct Planted {
        std::uint32_t a = 0, b = 0;  ///< a < b
        const char* kind = "";
    };
    std::uint32_t clash_count() const { return clashes_; }
    Planted planted(std::uint32_t clash) const;

private:
    /// Where a part belongs.
    struct Place {
        std::uint32_t room = 0;
        std::optional<std::uint32_t> pair;  ///< number of the pair that it is one of
        bool second = false;                ///< whether it is the second of the two
    };
    /// A shape, and the box that it fills within its room.
    struct Form {
        std::size_t shape = 0;
        Vec3 low, high;
        int along = 2;  ///< the axis that the shape's z becomes
    };

    std::uint32_t room_of_pair(std::uint32_t pair) const;
    std::uint32_t pair_of_clash(std::uint32_t clash) const;
    std::optional<std::uint32_t> clash_of_pair(std::uint32_t pair) const;
    std::uint32_t rooms() const { return parts_ - pairs_; }
    Place place(std::uint32_t i) const;
    Form form(std::uint32_t i) const;

    std::uint32_t parts_, clashes_, pairs_, across_;
    std::uint64_t seed_;
    std::vector<Soup> shapes_;  ///< within [0, 1]³
};

}  // namespace graze::scenes
