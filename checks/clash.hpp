// SPDX-License-Identifier: Apache-2.0
// Which parts of an assembly clash, and how.
#pragma once

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
    Vec3 low, high;                   ///< corners of a box around the contacts, in the world
    State state = State::None;
    std::string note;  ///< for the reader; may be empty

    double extent = 0;                ///< diagonal of the box
    std::optional<double> thickness;  ///< thickness of the overlap (checks/overlap.hpp); nothing when it is not known
    bool thin = false;                ///< thinner than the tolerance that the user set
    double severity = 0;              ///< the larger the graver; for sorting only
    std::uint32_t cause = 0;          ///< number of its cause, counted from 1; 0 when causes were not looked for
    Review review = {};
};

/// A clash of an earlier run that no longer exists. Parts are named by their paths.
struct Gone {
    std::string a, b;
    Kind kind = Kind::Crossing;
    std::optional<double> extent, thickness;  ///< what the earlier run measured; nothing when it did not say
    Review review = {};
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

    std::size_t count(Kind kind) const;
    std::size_t count(State state) const;  ///< for `Resolved`: the size of `resolved`
};

/// Removes all clashes, resolved ones included, that are of other kinds.
void keep(Clashes& clashes, std::span<const Kind> kinds);

struct ClashSettings {
    std::vector<Rule> rules;
    std::size_t pairs = 2'000;  ///< triangle pairs kept per clash at most; fewer when there are thousands of clashes
    unsigned threads = 0;
};

/// All pairs of parts that clash.
/// - Which parts meet is exact, as `Scene` finds it.
/// - A duplicate has the same model in the same place, bit for bit.
/// - Crossing and touching are told apart by `contact_kind` (checks/contact_kind.hpp): a crossing is proven, a touching
///   does not rule out that two solids overlap.
/// - A part is inside another when their surfaces do not meet, its box is in the other's box, the other is closed, and
///   a corner of the part is inside it. Nothing is inside an open model.
Result<Clashes> find_clashes(const Parts& parts, const ClashSettings& settings = {}, const Progress& progress = {});

}  // namespace graze::checks
