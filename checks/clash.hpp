// SPDX-License-Identifier: Apache-2.0
// Finds the parts of an assembly that clash, and how they do.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checks/kind.hpp"
#include "checks/overlap.hpp"
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
    std::string note;             ///< for the reader; may be empty
    bool a_is_inside = false;     ///< for `Inside`: whether a lies within b, and not b within a
    Kind exact = Kind::Crossing;  ///< kind of the triangles as they are, when they are taken at their word
    double band = 0;              ///< sum of the errors of the two parts: overlaps up to this are no more than a fit

    double extent = 0;       ///< diagonal of the box
    bool thin = false;       ///< crossing, and nowhere deeper than the tolerance that the user set
    Measures measures = {};  ///< set by `measure_gravest`, in the world
    /// The grade, and below 1 the extent as a part of the assembly's. For `Clearance` what is missing of the distance
    /// to be kept, as a part of it.
    double severity = 0;
    std::uint32_t cause = 0;         ///< number of its cause, counted from 1; 0 when causes were not looked for
    std::optional<Closest> closest;  ///< for `Clearance`: the distance, and a closest point on each, in the world
    Review review = {};
    std::string id =
        {};  ///< that of the baseline, when a part has another path there; empty means the `guid` of the paths
};

/// How grave a clash is: 5 duplicate, 4 crossing, 3 inside, 2 thin, 1 fit or touching, 0 clearance.
int grade(const Clash& clash);

/// A clash of an earlier run. Parts are named by their paths.
struct Gone {
    std::string a, b;
    Kind kind = Kind::Crossing;
    bool thin = false;
    std::optional<double> extent, depth, distance;  ///< nothing when the earlier run did not say
    Review review = {};
    std::string id = {};                   ///< empty means the `guid` of the paths
    std::string id_a = {}, id_b = {};      ///< GlobalIds of the parts; empty when they have none or the run did not say
    std::string file_a = {}, file_b = {};  ///< `Parts::file_name` of the parts; empty when the run did not say
    std::string note = {};                 ///< `Clash::note`
    State state = State::Resolved;         ///< what has become of it: see `compare`
    std::string why = {};                  ///< why it is gone or was not checked
};

struct Ignored {
    std::uint32_t a = 0, b = 0;  ///< indices into `Parts::parts`, a < b
    std::uint32_t rule = 0;      ///< index of the first rule that matches
};

/// A way to move one part that clears several clashes.
struct Move {
    std::uint32_t part = 0;
    Vec3 translation;
    std::size_t clears = 0;  ///< number of clashes
};

/// Milliseconds that the stages of a check took.
struct StageTimes {
    double find = 0;     ///< which pairs meet or are close
    double relate = 0;   ///< what each pair is like
    double refine = 0;   ///< finer meshes
    double measure = 0;  ///< depths, volumes and ways out
};

struct Clashes {
    std::vector<Clash> clashes;       ///< the gravest kind first, then by a and b
    std::vector<Clash> fits;          ///< fits, unless `ClashSettings::strict_fits` puts them among the clashes
    std::vector<Ignored> ignored;     ///< pairs that meet and that a rule ignores
    std::vector<Gone> resolved;       ///< of the baseline: both parts are there and do not clash
    std::vector<Gone> gone;           ///< of the baseline: a part is no longer there, or nobody knows
    std::vector<std::uint32_t> open;  ///< parts with surfaces that have no inside, sorted
    std::vector<std::string> causes;  ///< name of each cause, the gravest first (checks/causes.hpp)
    std::vector<Move> moves;          ///< `checks/moves.hpp`
    std::size_t measured = 0;         ///< number of clashes whose measures were taken
    std::size_t refined = 0;          ///< number of fits whose parts were meshed again, `checks/refine.hpp`
    std::vector<std::string> notes;   ///< one line each: what could not be done
    StageTimes times;
    std::size_t unchecked = 0;  ///< number of pairs that were not decided before the check was stopped

    std::size_t count(Kind kind) const;  ///< thin crossings included
    std::size_t count_thin() const;
    std::size_t count(State state) const;  ///< resolved and gone ones included
};

/// Kinds of clashes that a user chooses among. Thin crossings are not among the crossings.
struct Choice {
    std::array<bool, kind_count> kinds = {true, true, true, true, true, true};
    bool thin = true;

    bool has(Kind kind, bool is_thin) const { return is_thin ? thin : kinds[static_cast<std::size_t>(kind)]; }
};

/// Removes all clashes, resolved ones included, that are not chosen.
void keep(Clashes& clashes, const Choice& choice);

struct ClashSettings {
    Rules rules;
    std::size_t pairs = 2'000;  ///< triangle pairs kept per clash at most; fewer when there are thousands of clashes
    double tolerance = 0;       ///< crossings that are nowhere deeper than this are thin
    std::optional<double> error = {};  ///< error of every part, in place of `Part::error`
    bool strict_fits = false;          ///< fits are clashes
    double clearance = 0;  ///< distance that parts must keep unless `Rules::clearances` says otherwise; 0 for none
    unsigned threads = 0;
    /// Number of clashes to measure, the gravest first: depth, volume, and the translation that clears them.
    std::size_t measured = 100;
    /// How the parts were read. With it, fits of parts of STEP and IGES files are looked at again with finer meshes.
    std::optional<files::ReadOptions> reading = {};
    /// Another thread may set this to end the check early. `Clashes::unchecked` then says how much is missing.
    const std::atomic<bool>* stop = nullptr;
    /// Chooses the pairs to look at; without it, all of them. The lower part comes first.
    std::function<bool(std::uint32_t, std::uint32_t)> mine = {};
    std::optional<double> rounding = {};  ///< `rounding_of` the whole assembly, of which the parts may be some
};

/// All pairs of parts that clash.
/// - Which parts meet is exact, as `Scene` finds it.
/// - A duplicate has the same model in the same place, bit for bit, or is the same set of points.
/// - Duplicate, crossing, inside and touching are told apart by `graze::relation`, without rounding.
/// - A pair that crosses, or lies within each other and meets, is a fit when it overlaps by no more than the sum of the
///   parts' errors, as `touching_within` decides it. Parts that are equal within that sum are duplicates
///   (`equal_within`). All other kinds are certain: no error of that size changes them.
/// - Nothing is inside an open model.
/// - All other parts that are no further apart than they must be are of the kind `Clearance`, as `within` decides it.
/// The
///   distance is measured in the frame of a, or in the world when the placement of a is not rigid to 1e-12.
Result<Clashes> find_clashes(const Parts& parts, const ClashSettings& settings = {}, const Progress& progress = {});

/// All that each pair tells by itself: everything but the order and the severity.
struct FoundPairs {
    std::vector<Clash> clashes;
    std::vector<Ignored> ignored;
    std::vector<std::uint32_t> open;  ///< `Clashes::open`
    /// Number of clashes that `ClashSettings::pairs` counts: all but `Clearance` and parts that do not meet.
    std::size_t met = 0;
    std::size_t unchecked = 0;  ///< `Clashes::unchecked`
    StageTimes times = {};      ///< those of this half
};

/// The solid of a part in its own frame. Threads may call it at the same time.
using SolidOf = std::function<Solid(std::uint32_t part)>;

/// The first half of `find_clashes`: what each pair is like.
Result<FoundPairs> find_pairs(const Parts& parts, const ClashSettings& settings, const Progress& progress = {});
/// The second half: finer meshes for fits, how the pairs compare with each other, measures and moves. Fits are kept
/// apart unless they are to be clashes. `boxes` are those of the parts in the world.
Clashes complete(const Parts& parts, const SolidOf& solid, const std::vector<Bounds>& boxes, FoundPairs found,
                 const ClashSettings& settings);

/// Weighs a clash by its exact kind: against what the parts' triangles are good for, and against what the user
/// tolerates. Sets `kind` and `thin`.
void weigh(Clash& clash, const Solid& a, const Solid& b, const Placing& place, double tolerance);

/// Number of triangle pairs kept per clash, when `met` pairs of parts meet and at most `wanted` are asked for.
std::size_t kept_pairs(std::size_t wanted, std::size_t met);
/// Sets `Clash::pairs` as `find_clashes` does, for clashes that were found without and whose models are loaded.
void keep_pairs(const Parts& parts, std::vector<Clash>& clashes, std::size_t kept, unsigned threads = 0);

/// The boxes of all parts in the world.
std::vector<Bounds> world_boxes(const Parts& parts, unsigned threads = 0);

}  // namespace graze::checks
