// SPDX-License-Identifier: Apache-2.0
// Which parts of an assembly clash, and how.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checks/kind.hpp"
#include "checks/parts.hpp"
#include "checks/rules.hpp"

namespace graze::checks {

/// Two parts that clash.
struct Clash {
    std::uint32_t a = 0, b = 0;  ///< indices into `Parts::parts`, a < b
    Kind kind = Kind::Crossing;
    std::uint64_t contacts = 0;       ///< number of triangle pairs that meet
    std::vector<TrianglePair> pairs;  ///< some of these pairs, spread over all; `ClashSettings::pairs` at most
    Vec3 low, high;                   ///< corners of a box around the region where they meet, in the world
    State state = State::None;
    std::string note;          ///< for the reader; may be empty
    bool a_is_inside = false;  ///< for `Inside`: whether a lies within b, and not b within a

    double extent = 0;                ///< diagonal of the box
    std::optional<double> thickness;  ///< thickness of the overlap (checks/overlap.hpp); nothing when it is not known
    bool thin = false;                ///< thinner than the tolerance that the user set
    /// The grade, and below 1 the extent as a part of the assembly's. For `Clearance` what is missing of the distance
    /// to be kept, as a part of it.
    double severity = 0;
    std::uint32_t cause = 0;         ///< number of its cause, counted from 1; 0 when causes were not looked for
    std::optional<Closest> closest;  ///< for `Clearance`: the distance, and a closest point on each, in the world
    Review review = {};
};

/// How grave a clash is: 5 duplicate, 4 crossing, 3 inside, 2 thin, 1 touching, 0 clearance.
int grade(const Clash& clash);

/// A clash of an earlier run. Parts are named by their paths.
struct Gone {
    std::string a, b;
    Kind kind = Kind::Crossing;
    bool thin = false;
    std::optional<double> extent, thickness, distance;  ///< nothing when the earlier run did not say
    Review review = {};
    std::string id = {};  ///< empty means the `guid` of the paths
};

struct Ignored {
    std::uint32_t a = 0, b = 0;  ///< indices into `Parts::parts`, a < b
    std::uint32_t rule = 0;      ///< index of the first rule that matches
};

struct Clashes {
    std::vector<Clash> clashes;       ///< the gravest kind first, then by a and b
    std::vector<Ignored> ignored;     ///< pairs that meet and that a rule ignores
    std::vector<Gone> resolved;       ///< with a baseline only
    std::vector<std::string> causes;  ///< name of each cause, the gravest first (checks/causes.hpp)

    std::size_t count(Kind kind) const;  ///< thin crossings included
    std::size_t count_thin() const;
    std::size_t count(State state) const;  ///< for `Resolved`: the size of `resolved`
};

/// Kinds of clashes that a user chooses among. Thin crossings are not among the crossings.
struct Choice {
    std::array<bool, kind_count> kinds = {true, true, true, true, true};
    bool thin = true;

    bool has(Kind kind, bool is_thin) const { return is_thin ? thin : kinds[static_cast<std::size_t>(kind)]; }
};

/// Removes all clashes, resolved ones included, that are not chosen.
void keep(Clashes& clashes, const Choice& choice);

struct ClashSettings {
    Rules rules;
    std::size_t pairs = 2'000;  ///< triangle pairs kept per clash at most; fewer when there are thousands of clashes
    double thin = 0;            ///< crossings whose overlap is thinner than this are thin
    double clearance = 0;       ///< distance that parts must keep unless `Rules::clearances` says otherwise; 0 for none
    unsigned threads = 0;
    /// Another thread may set this to end the check early. What is returned is then a fault.
    const std::atomic<bool>* stop = nullptr;
    /// Which pairs to look at; without it, all of them. The lower part comes first.
    std::function<bool(std::uint32_t, std::uint32_t)> mine = {};
    std::optional<double> rounding = {};  ///< `rounding_of` the whole assembly, of which the parts may be some
};

/// All pairs of parts that clash.
/// - Which parts meet is exact, as `Scene` finds it.
/// - A duplicate has the same model in the same place, bit for bit, or is the same set of points.
/// - Duplicate, crossing, inside and touching are told apart by `graze::relation`, without rounding.
/// - A part is inside another also when only some of its bodies are and their surfaces do not meet. Nothing is inside
/// an
///   open model.
/// - All other parts that are no further apart than they must be are of the kind `Clearance`, as `within` decides it.
/// The
///   distance is measured in the frame of a, or in the world when the placement of a is not rigid to 1e-12.
Result<Clashes> find_clashes(const Parts& parts, const ClashSettings& settings = {}, const Progress& progress = {});

/// What can be said of each pair by itself: everything but the order and the severity.
struct FoundPairs {
    std::vector<Clash> clashes;
    std::vector<Ignored> ignored;
    std::size_t met =
        0;  ///< number of clashes that `ClashSettings::pairs` counts: all but `Clearance` and nested parts
};

/// The first half of `find_clashes`: what each pair is like.
Result<FoundPairs> find_pairs(const Parts& parts, const ClashSettings& settings, const Progress& progress = {});
/// The second half: how the pairs compare with each other. `assembly` is a box around all parts.
Clashes in_order(FoundPairs found, const Bounds& assembly);

/// Number of triangle pairs kept per clash, when `met` pairs of parts meet and at most `wanted` are asked for.
std::size_t kept_pairs(std::size_t wanted, std::size_t met);
/// Sets `Clash::pairs` as `find_clashes` does, for clashes that were found without and whose models are loaded.
void keep_pairs(const Parts& parts, std::vector<Clash>& clashes, std::size_t kept, unsigned threads = 0);

/// The boxes of all parts in the world.
std::vector<Bounds> world_boxes(const Parts& parts, unsigned threads = 0);

}  // namespace graze::checks
