// SPDX-License-Identifier: Apache-2.0
// Rules: the pairs of parts to check, and the pairs that may meet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checks/parts.hpp"

namespace graze::checks {

/// Chooses parts. In a pattern `*` stands for any text (slashes included) and `?` for one character.
struct Selector {
    enum class Field : std::uint8_t {
        Path,  ///< the whole path of the part or its end after any slash: `bolt-*` matches `frame/bolt-7`
        Type,
        Layer,
        Storey,
        Discipline,
        Id,
        File,   ///< the path of the part's file or its end after any slash
        Group,  ///< a group by its name
    };
    struct Condition {
        Field field = Field::Path;
        std::string pattern;
        std::size_t group = 0;  ///< index into `Rules::groups`
    };
    std::string text;                   ///< as people wrote it
    std::vector<Condition> conditions;  ///< all of these must hold

    Selector() = default;
    /// Chooses by the path.
    Selector(const char* pattern) : text(pattern), conditions{{Field::Path, pattern}} {}
};

/// Pairs of parts that may meet, and why. A rule applies when one selector chooses one part and the other selector the
/// other part.
struct Rule {
    Selector a, b;
    std::string reason;  ///< never empty
};

/// Pairs to be checked: a part that `a` chooses and one that `b` chooses.
struct Between {
    Selector a, b;
};

/// A length that people wrote.
struct Length {
    double value = 0;
    bool in_metres = false;  ///< it had a unit and was converted to metres
    std::string text = {};   ///< as people wrote it
};

/// Reads a number of at least 0, and perhaps one of the units mm, cm, m, in and ft behind it.
Result<Length> parse_length(std::string_view text);

/// The distance that pairs must keep: a part that `a` chooses and one that `b` chooses.
struct ClearanceRule {
    Selector a, b;
    Length length;      ///< 0 means that they may be as close as they like
    std::string place;  ///< `name:line`
};

/// Parts that any of the selectors chooses.
struct Group {
    std::string name;
    std::vector<Selector> selectors;
};

/// All that people have said about pairs.
struct Rules {
    std::vector<Rule> rules;
    std::vector<Between> between;           ///< empty means all pairs
    std::vector<ClearanceRule> clearances;  ///< the last one that matches a pair counts
    std::vector<Group> groups;              ///< the first ones are `all`, `architecture`, `structure` and `services`

    Rules();
    static constexpr std::size_t built_in = 4;  ///< groups that everybody has
};

/// Adds what a file says, line by line:
///
///     group: NAME SELECTOR...                a group of parts
///     between: SELECTOR SELECTOR             pairs to be checked
///     clearance: SELECTOR SELECTOR LENGTH    the distance that pairs must keep
///     SELECTOR SELECTOR REASON               pairs that may meet
///
/// A selector is a pattern for paths; or `FIELD=PATTERN` with the fields type, layer, storey, discipline, id and file,
/// several of these joined by `&`; or `@NAME` for a group that is defined above. Patterns with blanks are in double
/// quotes. A selector that begins with a quote is a pattern for paths whatever it contains. The reason is the rest of
/// the line. A length is a number in the unit of the parts, or has one of the units mm, cm, m, in and ft. Blank lines,
/// lines that start with `#`, and what follows `#` behind the selectors of a group or of `between:` and behind a length
/// are skipped. A fault names `name:line`.
Result<void> add_rules(std::string_view text, const std::string& name, Rules& rules);

/// The rules of a file alone.
Result<Rules> parse_rules(std::string_view text, const std::string& name);

/// Reads a selector that is the whole text.
Result<Selector> parse_selector(std::string_view text, const Rules& rules);

/// Reads a rule of the form `A:B=REASON`. Patterns with colons or equals signs are in double quotes.
Result<Rule> parse_rule(std::string_view text, const Rules& rules);

/// For each part whether the selector chooses it.
std::vector<bool> chosen(const Parts& parts, const Rules& rules, const Selector& selector);

/// A fault when a selector of `Rules::between` chooses no part: nothing would be checked, and all would be clear.
Result<void> check_between(const Parts& parts, const Rules& rules);

/// A fault when a length has a unit and the parts are not known to be in metres. `scale` is `ReadOptions::scale`, and
/// `place` says where the length is written.
Result<void> check_unit(const Parts& parts, const Length& length, const std::string& place, double scale);
/// `check_unit` for all lengths of the rules.
Result<void> check_units(const Parts& parts, const Rules& rules, double scale);
/// True when the parts are known to be in metres.
bool in_metres(const Parts& parts, double scale);

/// One line for each selector of a rule and each group of the user's that chooses no part, and for each clearance that
/// applies to no pair.
std::vector<std::string> unused(const Parts& parts, const Rules& rules);

/// Two selectors, applied to some parts.
class ChosenPairs {
public:
    ChosenPairs(const Parts& parts, const Rules& rules, const Selector& a, const Selector& b)
        : a_(chosen(parts, rules, a)), b_(chosen(parts, rules, b)) {}
    bool operator()(std::uint32_t p, std::uint32_t q) const { return (a_[p] && b_[q]) || (a_[q] && b_[p]); }
    bool in_a(std::uint32_t part) const { return a_[part]; }
    bool in_b(std::uint32_t part) const { return b_[part]; }

private:
    std::vector<bool> a_, b_;
};

/// The distance that each pair of parts must keep.
class Clearances {
public:
    /// Pairs that no line matches must keep the distance `otherwise`.
    Clearances(const Parts& parts, const Rules& rules, double otherwise);
    /// 0 when the pair need not keep any.
    double operator()(std::uint32_t p, std::uint32_t q) const;
    /// The greatest distance that any pair may have to keep.
    double most() const { return most_; }

private:
    struct Entry {
        ChosenPairs pairs;
        double length;
    };
    std::vector<Entry> entries_;  ///< the last line first
    double otherwise_, most_;
};

/// The pairs of parts that are to be checked.
class WantedPairs {
public:
    WantedPairs(const Parts& parts, const Rules& rules);
    bool operator()(std::uint32_t p, std::uint32_t q) const;
    /// The number of these pairs, of so many parts.
    std::uint64_t count(std::size_t parts) const;
    /// Layers and masks for a scene, which then finds no other pairs, unless there are more than 16 `between`.
    ObjectSettings settings(std::uint32_t part) const;

private:
    std::vector<ChosenPairs> between_;
};

}  // namespace graze::checks
