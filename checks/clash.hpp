// SPDX-License-Identifier: Apache-2.0
// All pairs of an assembly's parts: which of them clash, and how.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "checks/kind.hpp"
#include "checks/parts.hpp"
#include "checks/rules.hpp"

namespace graze::checks {

/// Two parts that clash.
struct Clash {
    std::uint32_t a = 0, b = 0;  ///< into `Parts::parts`, a < b
    Kind kind = Kind::Crossing;
    std::uint64_t contacts = 0;       ///< pairs of triangles that meet
    std::vector<TrianglePair> pairs;  ///< of those, as many as were asked for, spread over all
    Vec3 low, high;                   ///< a box of the world around where they meet
    State state = State::None;
    std::string note;  ///< for the reader; may be empty
};

/// A clash of an earlier run that is there no more, by its parts' paths.
struct Gone {
    std::string a, b;
    Kind kind = Kind::Crossing;
};

struct Ignored {
    std::uint32_t a = 0, b = 0;  ///< as in a clash
    std::uint32_t rule = 0;      ///< into the rules: the first that says so
};

struct Clashes {
    std::vector<Clash> clashes;    ///< the gravest kind first, then by a and b
    std::vector<Ignored> ignored;  ///< pairs that meet and that a rule leaves out
    std::vector<Gone> resolved;    ///< with a baseline only

    std::size_t count(Kind kind) const;
    std::size_t count(State state) const;  ///< of `Resolved`: those gone
};

/// Leaves only clashes, and resolved ones, of these kinds.
void keep(Clashes& clashes, std::span<const Kind> kinds);

struct ClashSettings {
    std::vector<Rule> rules;
    std::size_t pairs = 2'000;  ///< of triangles, kept of a clash at most; fewer where there are thousands of clashes
    unsigned threads = 0;
};

/// All pairs of parts that clash. Certain is:
/// - which parts meet, as `Scene` says: exactly;
/// - a duplicate: the same model in the same place, bit for bit;
/// - a crossing: two triangles cross by `meeting`; or none does, and a point on one part's surface lies inside the
///   other, a closed one, and off its surface by more than rounding. The latter finds boxes that overlap with sides
///   flush, and planes through a ring of edges;
/// - an inside: the box of one is in that of the other, a closed one, their surfaces do not meet, and a corner of the
///   one is inside the other.
/// Not certain is that parts that only touch do not reach into each other: of those that meet without crossing
/// triangles, some hundred points about the contacts are tried. What is inside of an open model is not asked.
Result<Clashes> find_clashes(const Parts& parts, const ClashSettings& settings = {}, const Progress& progress = {});

}  // namespace graze::checks
